"""A match in words: complete in both languages, and silent about what a player can't see."""

from __future__ import annotations

import re
import string

import numpy as np
import pytest

from game.bots import make_bot
from game.bots.single import decide
from game.cards import first_set
from game.decks import load_deck, random_deck
from game.engine import records as r
from game.events import redact
from game.fields import LANGUAGES
from game.match import Match
from game.text.board import board_text, hand_lines
from game.text.cards import card_line, card_page, find_card
from game.text.events import KINDS, Narrator, verdicts_since
from game.text.moves import numbered_moves
from game.updates import ScriptedUpdates, Verdict
from game.vector import Pairing, play_round
from game.words import texts


def fields(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_languages_have_the_same_keys_and_placeholders():
    english = texts("en")
    for language in LANGUAGES:
        other = texts(language)
        assert other.keys() == english.keys()
        for key, text in other.items():
            assert text.strip()
            assert fields(text) == fields(english[key]), key


def test_every_word_of_the_rules_has_a_text():
    known = texts("en")
    assert {f"keyword.{word}" for word in r.KEYWORDS} <= known.keys()
    assert {f"trigger.{word}" for word in r.TRIGGERS if word} <= known.keys()
    assert {f"type.{word}" for word in r.TYPES} | {f"family.{word}" for word in r.FAMILIES if word} <= known.keys()
    assert {f"reason.{re.sub('[ -]', '_', word)}" for word in r.REASONS if word} <= known.keys()
    told = {key.removeprefix("event.").split("_")[0] for key in known if key.startswith("event.")}
    assert {kind.split("_")[0] for kind in KINDS} - told == {"researcher"}


def play_random(seed, watch):
    cards, generator = first_set(), np.random.default_rng(seed)
    source = ScriptedUpdates("learned", "learned", "vanished", "exploded")
    match = Match((random_deck(cards, generator), random_deck(cards, generator)), seed, updates=source)
    while match.outcome is None:
        action = int(generator.choice(match.legal_actions()))
        before = match.last
        events = match.play(action)
        watch(match, events, verdicts_since(match, before))
    return match


@pytest.mark.parametrize("language", LANGUAGES)
def test_random_matches_are_told_from_every_side(language):
    told, lines = set(), []

    for seed in range(25):
        narrators = []

        def watch(match, events, verdicts, narrators=narrators):
            if not narrators:
                narrators += [Narrator(match, language, viewer) for viewer in (None, 0, 1)]
            told.update(event.kind for event in events)
            for narrator in narrators:
                seen = events if narrator.viewer is None else redact(events, narrator.viewer)
                lines.extend(narrator.lines(seen, verdicts))
            assert {place for place, _ in narrators[0].board.items()} == {
                (p, s) for p in (0, 1) for s in range(r.SLOTS) if match.state.labs[p].units[s].card}
            for player in (0, 1):
                lines.append(board_text(match.observe(player), match.cards, language))
            if match.outcome is None:
                lines.extend(numbered_moves(match, language)[1])

        play_random(seed, watch)
    text = "\n".join(lines)
    assert "{" not in text
    assert told >= set(KINDS) - {"await_update", "discard", "mulligan", "vanish", "no_room", "fatigue", "recall", "tap"}


def test_hidden_cards_stay_hidden():
    def watch(match, events, verdicts):
        for viewer in (0, 1):
            lines = Narrator(match, "en", viewer).lines(redact(events, viewer))
            for event in events:
                if event.player != viewer and event.kind == "draw":
                    assert any(line.strip() == "The enemy lab draws a card" for line in lines)
            assert not any(re.search("enemy lab (draws|exchanges) (?!a card)", line) for line in lines)

    play_random(5, watch)


def test_moves_are_numbered_like_the_legal_actions():
    def watch(match, events, verdicts):
        if match.outcome is None:
            actions, lines = numbered_moves(match)
            assert actions == match.legal_actions()
            numbers = [int(n) for line in lines for n in re.findall(r"(?:^|[a-z\])]: |, ) *(\d+) ", line)]
            assert numbers == list(range(1, len(actions) + 1))

    play_random(8, watch)


def test_numbers_of_a_verdict_are_shown():
    class Source:
        name = "learner"

        def update(self, request):
            return Verdict("learned", 7, "", {"prediction": 0.25, "damage": 2, "loss": 1.53125, "norm": 3.0})

    cards = first_set()
    match = Match(("1986", "1986"), 0, updates=Source())
    narrator, lines = Narrator(match, "en", None), []
    generator = np.random.default_rng(0)
    update = [cards.row("backpropagation"), cards.row("fine-tuning")]
    while match.outcome is None and not any("predicted" in line for line in lines):
        hand = match.state.labs[match.player].hand
        legal = match.legal_actions()
        cast = [a for a in legal if a // r.TOKENS < r.HAND and hand[a // r.TOKENS] in update and match.turn]
        before = match.last
        events = match.play(int(generator.choice(cast or legal)))
        lines = narrator.lines(events, verdicts_since(match, before))
    text = "\n".join(lines)
    assert "predicted damage 0.250, taken 2; loss 1.531, gradient norm 3" in text
    assert "(ledger entry 7)" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_in_words(language):
    cards = first_set()
    for card in cards.cards[1:]:
        page = card_page(card, language)
        assert card.texts[language].text in page
        assert card_line(card, language).startswith(f"[{card.cost}] ")
        assert find_card(cards, card.name(language).upper()).id == card.id
    assert find_card(cards, "zork") is None
    match = Match(("1986", "vision"), 1)
    assert len(hand_lines(match.observe(0), cards, language, texts=True)) > 4


@pytest.mark.parametrize("bot", ["random", "everything", "greedy"])
def test_a_bot_decides_alone_as_it_does_among_many(bot):
    decks = (load_deck("1986", first_set()), load_deck("attention", first_set()))
    player = make_bot(bot)
    pairings = [Pairing(number, decks, 1000 + number, (0, 0)) for number in range(4)]
    for played in play_round(pairings, [player], [ScriptedUpdates()]):
        match = Match(decks, played.pairing.seed, updates=ScriptedUpdates())
        while match.outcome is None:
            match.play(decide(player, match, played.pairing.number))
        assert tuple(link.done for link in match.links() if isinstance(link.done, int)) == tuple(
            step for step in played.steps if isinstance(step, (int, np.integer)))
