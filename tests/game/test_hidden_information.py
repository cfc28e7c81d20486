"""What a player can't see changes nothing that it is given, and nothing that a bot does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from game.bots import BOTS, make_bot
from game.bots.protocol import Decisions
from game.bots.search import Search
from game.cards import first_set
from game.engine import compiled
from game.engine.observe import OBSERVATION_SIZE
from game.events import redact
from game.match import Match
from game.updates import ScriptedUpdates
from scripts.fuzz import play_randomly
from tests.game.matches import plies

POOL = [card.row for card in first_set().cards if card is not None and not card.token]


def otherwise(match: Match, viewer: int, chance: np.random.Generator) -> Match:
    """The same match with everything that ``viewer`` can't see replaced or reordered."""
    other = match.clone()
    state = other.states[0]
    state.rng = chance.integers(2**63)
    own, enemy = state.labs[viewer], state.labs[1 - viewer]
    own.deck[:own.deck_size] = chance.permutation(own.deck[:own.deck_size])
    for pile, size in ((enemy.hand, enemy.hand_size), (enemy.deck, enemy.deck_size), (enemy.aside, enemy.aside_size)):
        pile[:size] = chance.choice(POOL, int(size))
    if match.phase == "mulligan" and match.player != viewer:
        state.mulligan = 0
    return other


def situations(seed: int) -> Iterator[tuple[Match, Match, int]]:
    """Plies of a random match, each with a twin that differs in what the named player can't see."""
    chance = np.random.default_rng(seed)
    for match in plies(seed):
        for viewer in (0, 1):
            yield match, otherwise(match, viewer, chance), viewer


def decisions(matches: list[Match], words: Any) -> Decisions:
    """The matches' decisions as players get them."""
    n = len(matches)
    observations = np.stack([match.observe(match.player) for match in matches])
    return Decisions(matches[0].cards, observations, np.stack([match.mask() for match in matches]), words,
                     np.arange(n), np.array([match.player for match in matches]),
                     np.concatenate([match.states for match in matches]))


@pytest.mark.parametrize("seed", range(200, 208))
def test_observation_and_mask_do_not_depend_on_what_is_hidden(seed: int) -> None:
    for match, twin, viewer in situations(seed):
        assert match.observe(viewer).tobytes() == twin.observe(viewer).tobytes()
        if match.player == viewer:
            assert match.mask().tobytes() == twin.mask().tobytes()


def test_the_twins_really_differ() -> None:
    """Else the tests here would prove nothing: the other player's view does change."""
    differ = [match.observe(1 - viewer).tobytes() != twin.observe(1 - viewer).tobytes()
              for match, twin, viewer in situations(200)]
    assert np.mean(differ) > 0.8


@pytest.mark.parametrize("bot", sorted(BOTS))
def test_no_bot_looks_at_what_is_hidden(bot: str) -> None:
    pairs = [(match.clone(), twin) for seed in range(210, 216) for match, twin, viewer in situations(seed)
             if match.player == viewer and match.outcome is None]
    if not compiled.ENABLED:
        pairs = pairs[::60]  # the bots that look ahead take their time
    words = np.random.default_rng(0).integers(0, 2**64, len(pairs), np.uint64)
    chooses = Search(4, 2) if bot == "search" and not compiled.ENABLED else make_bot(bot)
    seen, unseen = (chooses.choose(decisions([pair[side] for pair in pairs], words)) for side in (0, 1))
    assert np.array_equal(seen, unseen)
    assert all(pair[0].mask()[action] for pair, action in zip(pairs, seen, strict=True))


def test_imagined_states_agree_with_the_observation_and_hold_nothing_hidden() -> None:
    for match, twin, viewer in situations(220):
        if match.player != viewer or match.outcome is not None:
            continue
        word = np.array([match.turn + 1], np.uint64)
        one, other = (decisions([each], word).imagine() for each in (match, twin))
        assert one.tobytes() == other.tobytes()
        imagined = match.clone()
        imagined.states = one
        assert imagined.observe(viewer).tobytes() == match.observe(viewer).tobytes()
        assert imagined.mask().tobytes() == match.mask().tobytes()
        own = imagined.state.labs[viewer]
        assert sorted(own.deck.tolist()) == sorted(match.state.labs[viewer].deck.tolist())


def test_imagined_states_differ_by_word_and_by_salt() -> None:
    match = next(match for match in plies(221) if match.turn == 6)
    given = decisions([match, match], np.array([1, 2], np.uint64))
    first, second = given.imagine()
    assert first.tobytes() != second.tobytes()
    assert given.imagine(salt=1)[0].tobytes() != first.tobytes()
    assert given.imagine()[0].tobytes() == first.tobytes()


@pytest.mark.parametrize("seed", range(230, 234))
def test_events_as_a_player_sees_them_do_not_depend_on_what_is_hidden(seed: int) -> None:
    """One acts alike in both twins: only what oneself draws, and chance that both players see, is kept alike."""
    chance = np.random.default_rng(seed)
    compared = 0
    for match in plies(seed):
        if match.outcome is not None:
            break
        viewer = match.player
        for action in match.legal_actions()[::3]:
            one, other = match.clone(), otherwise(match, viewer, chance)
            hand = other.state.labs[viewer]
            other.state.rng = match.state.rng
            hand.deck[:] = match.state.labs[viewer].deck
            one.updates = other.updates = (ScriptedUpdates(), ScriptedUpdates())
            assert redact(one.play(action), viewer) == redact(other.play(action), viewer)
            compared += 1
    assert compared > 100


def test_redaction_hides_draws_and_exchanges_of_the_other_and_nothing_else() -> None:
    hidden = {0: 0, 1: 0}
    for seed in range(240, 246):
        for _, events in play_randomly(seed):
            for viewer in (0, 1):
                seen = redact(events, viewer)
                assert len(seen) == len(events)
                for full, shown in zip(events, seen, strict=True):
                    if full.player != viewer and full.kind in ("draw", "mulligan"):
                        assert shown.card == 0
                        hidden[viewer] += 1
                        assert (shown.kind, shown.player, shown.slot, shown.entry) == (
                            full.kind, full.player, full.slot, full.entry)
                        assert full.kind == "draw" or (shown.a, shown.b) == (-1, 0)
                    else:
                        assert shown == full
    assert min(hidden.values()) > 50


def test_an_observation_has_its_size_and_type_for_both_players() -> None:
    for match in plies(250):
        for player in (0, 1):
            row = match.observe(player)
            assert row.shape == (OBSERVATION_SIZE,)
            assert row.dtype == np.int32
