"""The game against a second implementation of docs/rules.md. scripts/referee.py compares many more matches."""

import pytest

from .chance import Chance
from .compare import Comparison, Difference, Plan, card_sets, compare, differing
from .table import from_bytes, to_bytes

HEAPS = 12
EVERYDAY, SLOW = 400, 5000


def test_splitmix() -> None:
    chance = Chance(1234567)  # the first outputs that the generator's authors publish for this seed
    assert [chance.next() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_card_set_hash() -> None:
    mine, theirs = card_sets("")
    assert mine.hash() == theirs.hash


def test_everyday() -> None:
    kinds = {compare(1, number).kind for number in range(EVERYDAY)}
    assert kinds == {"shipped", "random decks", "invented cards"}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(5))
def test_many_matches(part: int) -> None:
    for number in range(SLOW // 5 * part, SLOW // 5 * (part + 1)):
        compare(2, number)


def card(card_id: str, kind: str, fields: str, *effects: str) -> str:
    lines = ["[[card]]", f'id = "{card_id}"', f'type = "{kind}"', 'class = "Corner"', "cost = 0", fields]
    lines += ["effects = [", *(f"  {{ {effect} }}," for effect in effects), "]", "year = 2000", 'source = "a test"']
    lines += [f'{language} = {{ name = "{card_id}", text = "", flavour = "" }}' for language in ("en", "pt-BR")]
    return "\n".join(lines) + "\n"


def heap() -> Plan:
    """Models that fall together, each bringing more: the 65th trigger joins while some with Residual still wait."""
    lists = ('"death", operation = "recall", scope = "all"', summon("death", "own_lab"), summon("death", "enemy_lab"))
    effects = [f"trigger = {effect}" for effect in lists]
    fields = 'family = "mlp"\nattack = 1\nhealth = 1\nkeywords = ["residual"]'
    file = [card(f"heap-{number}", "model", fields, *effects) for number in range(HEAPS)]
    lists = (summon("play", "own_lab"), '"play", operation = "buff", scope = "all", attack = 1, health = 1')
    effects = [f"trigger = {effect}" for effect in (*lists, '"play", operation = "destroy", scope = "all"')]
    file += [card(f"fall-{number}", "technique", "", *effects) for number in range(3)]
    effect = 'trigger = "own_enter", operation = "rush", scope = "chosen", amount = 1'
    file.append(card("host", "researcher", "", effect))
    deck = {f"heap-{number}": 2 for number in range(HEAPS)} | {"fall-0": 2, "fall-1": 2, "fall-2": 1, "host": 1}
    settings = {"first_hand": 10, "second_hand": 9, "extra_card": "host", "turn_limit": 9, "funding": 99}
    return Plan(0, 0, "heaps", "\n".join(file), [deck, deck], 0, settings)


def summon(trigger: str, lab: str) -> str:
    return f'"{trigger}", operation = "summon", scope = "{lab}", card = "heap-0", amount = 6'


def test_full_queue() -> None:
    plan = heap()
    reasons = []
    for plan.number in range(60):
        plan.match_seed = plan.number
        reasons.append(Comparison(plan).run().reason)
    assert "endless loop" in reasons


def test_a_difference_is_told() -> None:
    comparison = Comparison(heap())
    comparison.referee.labs[1].compute = 7
    with pytest.raises(Difference, match="lab 1 compute: referee 7, game 0") as caught:
        comparison.run()
    assert '"match_seed": 0' in str(caught.value)
    assert 'id = "heap-0"' in str(caught.value)


def test_state_bytes_are_read_back() -> None:
    state = Comparison(heap()).referee.state()
    assert len(to_bytes(state)) == 1472
    assert from_bytes(to_bytes(state)) == state
    other = from_bytes(to_bytes(state))
    other["labs"][0]["models"][3]["hurt"] = 2
    other["turn"] = 9
    assert differing(state, other) == [("turn", 0, 9), ("lab 0 slot 3 hurt", 0, 2)]
