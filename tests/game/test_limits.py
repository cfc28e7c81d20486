"""Each limit at, below and above: hand, board, deck, funding, costs, mulligan, turns. Racks, actions: scenarios."""

from __future__ import annotations

import pytest

from game.actions import END, encode
from game.engine import records as r
from game.match import Match
from game.settings import Settings
from tests.scenarios.scenario import given
from tests.scenarios.testcards import extended


@pytest.mark.parametrize("held", [8, 9, 10])
def test_hand_of_ten(held: int) -> None:
    """The turn's draw into a hand of 8, 9 or 10."""
    scene = given(hand=", ".join(["dropout"] * held), deck="bert, gpt").end_turn().end_turn()
    scene.expect(hand=", ".join(["dropout"] * held + ["bert"] * (held < 10)), deck="gpt")
    assert scene.count("discard") == (held == 10)
    if held == 10:
        assert [scene.match.cards[event.card].id for event in scene.events if event.kind == "discard"] == ["bert"]


def test_cards_drawn_one_at_a_time_into_a_nearly_full_hand() -> None:
    hand = ", ".join(["data-augmentation"] + ["dropout"] * 9)
    (given(hand=hand, deck="bert, gpt, gru")
        .play("data-augmentation").happened("draw", "discard")
        .expect(hand=", ".join(["dropout"] * 9 + ["bert"]), deck="gru"))


@pytest.mark.parametrize("models", [4, 5, 6])
def test_board_of_six_for_playing(models: int) -> None:
    own = dict.fromkeys(range(1, models + 1), "perceptron")
    scene = given(own=own, hand="bert")
    if models < 6:
        scene.play("bert").expect(own={models + 1: "bert"})
    else:
        for slot in range(1, 7):
            scene.cannot_play("bert", f"own {slot}", because="one of your empty slots")
        assert scene.match.legal_actions()[-1] == END
        assert all(action >= 10 * r.TOKENS for action in scene.match.legal_actions())


@pytest.mark.parametrize("models", [4, 5, 6])
def test_board_of_six_for_summons(models: int) -> None:
    own = dict.fromkeys(range(1, models + 1), "perceptron")
    own[1] = "madaline hurt=1"
    scene = given(own=own, hand="backpropagation").play("backpropagation", "own 1")
    scene.expect(own={1: "3/5(5) training"})
    assert scene.count("enter") == (models < 6)
    assert scene.count("no_room") == (models == 6)
    if models == 5:
        scene.expect(own={6: "adaline"})


def test_a_model_played_into_the_last_slot_summons_nothing() -> None:
    scene = given(own=dict.fromkeys(range(1, 6), "perceptron"), hand="gan").play("gan")
    scene.expect(own={6: "gan"}).happened("enter own 6", "no_room")


@pytest.mark.parametrize("left", [0, 1, 2])
def test_the_decks_end(left: int) -> None:
    deck = ", ".join(["bert", "gpt"][:left])
    scene = given(hand="data-augmentation", deck=deck).play("data-augmentation")
    scene.expect(hand=left, deck=0, fatigue=2 - left, funding=18 - [3, 1, 0][left])


def test_fatigue_grows_by_one_each_time() -> None:
    scene = given(deck="", enemy_deck="")
    for turn, funding in enumerate((17, 15, 12, 8, 3)):
        scene.end_turn().expect(enemy_funding=funding, enemy_fatigue=turn + 1)
        scene.end_turn().expect(funding=funding, fatigue=turn + 1)
    scene.end_turn().expect(winner="you", enemy_funding=-3)


@pytest.mark.parametrize(("funding", "after"), [(13, 17), (14, 18), (15, 18), (18, 18)])
def test_funding_cap(funding: int, after: int) -> None:
    scene = given(hand="funding-round", funding=funding).play("funding-round").expect(funding=after)
    assert [event.a for event in scene.events if event.kind == "lab_heal"] == [after - funding]


def test_costs_never_fall_below_zero() -> None:
    cards = extended('''
    [[card]]
    id = "free-update"
    target = "own"
    effects = [{ trigger = "play", operation = "update", scope = "chosen", attack = 1, health = 1 }]
    [[card]]
    id = "patron-of-all"
    type = "researcher"
    cost = 9
    discount = { cards = "model", amount = 5 }
    [[card]]
    id = "patron-of-techniques"
    type = "researcher"
    cost = 9
    discount = { cards = "technique", amount = 5 }
    [[card]]
    id = "patron-of-researchers"
    type = "researcher"
    cost = 9
    discount = { cards = "researcher", amount = 5 }
    ''')
    (given(own={1: "gru 2/5"}, hand="free-update", researcher="seppo-linnainmaa", compute=0, cards=cards)
        .play("free-update", "own 1").expect(compute=0, own={1: "3/6"}))
    scene = given(hand="bert, gpt, dropout", researcher="patron-of-all", compute=2, cards=cards)
    scene.play("bert").expect(compute=2).play("gpt").expect(compute=0).cannot_play("dropout", because="compute")
    scene = given(hand="ai-winter, dropout, perceptron", researcher="patron-of-techniques", compute=1, cards=cards)
    scene.play("dropout").expect(compute=1).play("ai-winter").cannot_play("perceptron", "own 1", because="compute")
    scene = given(hand="patron-of-all, bert", researcher="patron-of-researchers", compute=4, cards=cards)
    scene.play("patron-of-all").expect(compute=0).play("bert")


@pytest.mark.parametrize(("compute", "playable"), [(1, False), (2, True), (3, True)])
def test_compute_at_below_and_above_a_cost(compute: int, playable: bool) -> None:
    scene = given(hand="weight-decay", compute=compute)
    if playable:
        scene.play("weight-decay").expect(compute=compute - 2)
    else:
        scene.cannot_play("weight-decay", because="not enough compute")


# ---- set-up -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_set_up(seed: int) -> None:
    match = Match(("1986", "vision"), seed)
    first = match.player
    assert match.phase == "mulligan"
    assert (match.turn, match.state.starter) == (0, first)
    assert [match.state.labs[p].hand_size for p in (first, 1 - first)] == [3, 4]
    assert [match.state.labs[p].deck_size for p in (first, 1 - first)] == [27, 26]
    assert [match.state.labs[p].funding for p in (0, 1)] == [25, 25]
    match.play(END)
    assert match.player == 1 - first
    match.play(END)
    assert (match.turn, match.player, match.phase) == (1, first, "action")
    assert [match.state.labs[p].hand_size for p in (first, 1 - first)] == [4, 5]  # drew in the first turn, too
    assert match.cards[match.state.labs[1 - first].hand[4]].id == "mixed-precision"
    assert (match.state.labs[first].racks, match.state.labs[first].compute) == (1, 1)
    match.play(END)
    assert match.state.labs[1 - first].hand_size == 6


def test_mulligan_exchanges_opening_cards_once_each() -> None:
    match = Match(("1986", "vision"), 4)
    lab = match.state.labs[match.player]
    dealt, deck = lab.hand[:3].tolist(), sorted(lab.deck.tolist() + lab.hand.tolist())
    for place in (1, 0, 2):
        assert match.why_not(encode(place)) == ""
        drawn = int(lab.deck[lab.deck_size - 1])
        match.play(encode(place))
        assert lab.hand[place] == drawn
        assert match.why_not(encode(place)) == "that card was already exchanged, or wasn't an opening card"
    assert (lab.aside_size, lab.deck_size) == (3, 24)
    assert lab.aside[:3].tolist() == [dealt[1], dealt[0], dealt[2]]
    assert match.legal_actions() == [END]
    match.play(END)
    assert (lab.aside_size, lab.deck_size) == (0, 27)
    assert sorted(lab.deck.tolist() + lab.hand.tolist()) == deck
    assert not lab.aside.any()


def test_mulligan_with_an_empty_deck() -> None:
    match = Match(("1986", "vision"), 4)
    lab = match.state.labs[match.player]
    lab.deck_size = 0
    lab.deck[:] = 0
    assert match.legal_actions() == [END]
    assert "the deck is empty" in match.why_not(encode(0))
    lab.deck_size, lab.deck[0] = 1, 5
    match.play(encode(2))
    assert lab.hand[2] == 5
    assert match.legal_actions() == [END]
    match.play(END)
    assert lab.deck_size == 1


def test_an_untouched_mulligan_does_not_shuffle() -> None:
    match = Match(("1986", "vision"), 4)
    before = int(match.state.rng), match.state.labs[match.player].deck.tolist()
    player = match.player
    match.play(END)
    assert (int(match.state.rng), match.state.labs[player].deck.tolist()) == before


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_turn_limit_counts_both_players_turns(limit: int) -> None:
    match = Match(("1986", "vision"), 4, settings=Settings(turn_limit=limit))
    match.play(END)
    match.play(END)
    for _ in range(limit - 1):
        match.play(END)
        assert match.outcome is None
    match.play(END)
    assert match.outcome == (None, "turn limit")
    assert match.turn == limit


def test_sixty_turns_by_default_and_racks_stop_at_ten() -> None:
    match = Match(("1986", "vision"), 4, settings=Settings(funding=9999))
    while match.outcome is None:
        match.play(END)
        assert all(lab.racks <= 10 for lab in match.state.labs)
        assert match.turn == 0 or match.state.labs[match.player].racks == min(10, (match.turn + 1) // 2)
    assert (match.turn, match.outcome.reason) == (60, "turn limit")
