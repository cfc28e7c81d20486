"""docs/rules.md against the code: the central card's words, the tables, chance and set-up from the page alone."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from game.cards import first_set
from game.decks import load_deck
from game.engine import records as r
from game.match import RULES_VERSION, Match
from game.settings import Settings

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "rules.md").read_text(encoding="utf-8")


def test_the_central_card_stands_there_word_for_word() -> None:
    card = first_set().card("backpropagation")
    texts = card.texts["pt-BR"]
    for line in (f"> **{texts.name}** — Técnica · {card.card_class} · custo {'🟦' * card.cost}",
                 f"> {texts.text}", f"> *{texts.flavour}*"):
        assert f"\n{line}\n" in PAGE


def test_every_ruling_has_its_anchor() -> None:
    assert re.findall(r'<a id="ruling-(\w)"></a>\*\*\((\w)\)', PAGE) == [(letter, letter) for letter in "abcdefghi"]


@pytest.mark.parametrize("name", ["rules.md", "observations.md", "adding-a-card.md", "environments.md"])
def test_links_lead_somewhere(name: str) -> None:
    page = DOCS / name
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        other = page.parent / file if file else page
        assert other.exists(), target
        assert not anchor or f'<a id="{anchor}"></a>' in other.read_text(encoding="utf-8"), target


def section(anchor: str) -> str:
    """The text after an anchor up to the next heading but one."""
    return "\n".join(re.split(r"\n##+ ", PAGE.split(f'<a id="{anchor}"></a>', 1)[1])[:2])


@pytest.mark.parametrize(("anchor", "names"), [
    ("triggers", r.TRIGGERS), ("scopes", r.SCOPES), ("operations", r.OPERATIONS), ("targets", r.TARGETS),
    ("events", r.EVENTS), ("end", r.REASONS), ("verdicts", r.VERDICTS)])
def test_tables_name_everything(anchor: str, names: tuple[str, ...]) -> None:
    first = {name for row in re.findall(r"^\| ([^|]+) \|", section(anchor), re.MULTILINE) for name in row.split(", ")}
    assert {name for name in names if name} <= first


def test_keyword_bits() -> None:
    found = re.findall(r"^\| (\d+) \| \*\*(\w+)\*\*", section("keywords"), re.MULTILINE)
    assert found == [(str(1 << bit), name.capitalize()) for bit, name in enumerate(r.KEYWORDS)]


def test_settings_and_version() -> None:
    assert f"Rules version {RULES_VERSION}." in PAGE
    text = section("settings")
    assert all(name in text for name in asdict(Settings()))


@pytest.mark.parametrize(("anchor", "end", "record"), [
    ("**Match**:", "**Lab**:", r.State), ("**Lab**:", "**Model** (", r.Lab), ("**Model** (", "`hurt_ply` is", r.Unit)])
def test_state_fields_in_order(anchor: str, end: str, record: type[r.Record]) -> None:
    text = re.sub(r"\([^()]*\)", "", PAGE.split(anchor, 1)[1].split(end, 1)[0])
    named = [name for name in re.findall(r"`(\w+)`", text) if name in record.dtype.names]
    assert [*named, *({r.State: ["labs"], r.Lab: ["units"]}.get(record, []))] == list(record.dtype.names)
    assert f"{r.State.dtype.itemsize} bytes" in PAGE


def test_the_card_sets_hash_as_described() -> None:
    cards = [{
        "id": c.id, "type": c.type, "family": c.family, "cost": c.cost, "attack": c.attack, "health": c.health,
        "keywords": sorted(c.keywords), "token": c.token, "target": c.target, "discount": list(c.discount),
        "effects": [{key: e[key] for key in ("trigger", "operation", "scope", "a", "b", "keyword", "card")}
                    for e in c.effects],
    } for c in first_set().cards if c is not None]
    assert hashlib.sha256(json.dumps(cards, sort_keys=True).encode("ascii")).hexdigest()[:16] == first_set().hash


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
def test_set_up_as_described(seed: int) -> None:
    word, ones = seed, 2**64 - 1

    def bounded(n: int) -> int:
        nonlocal word
        word = word + 0x9E3779B97F4A7C15 & ones
        z = word
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & ones
        z = (z ^ z >> 27) * 0x94D049BB133111EB & ones
        return ((z ^ z >> 31) >> 32) * n >> 32

    def shuffle(deck: list[int]) -> None:
        for i in range(len(deck) - 1, 0, -1):
            j = bounded(i + 1)
            deck[i], deck[j] = deck[j], deck[i]

    cards, names = first_set(), ("1986", "attention")
    starter = bounded(2)
    decks = [list(load_deck(name, cards).rows(cards)) for name in names]
    for deck in decks:
        assert deck == sorted(deck)
        shuffle(deck)
    hands: list[list[int]] = [[], []]
    for player, count in ((starter, 3), (1 - starter, 4)):
        hands[player] = [decks[player].pop() for _ in range(count)]
    match = Match(names, seed)
    assert match.name == match.digest() == hashlib.sha256(cards.hash.encode() + match.states.tobytes()).hexdigest()[:16]
    for place in (2, 0):  # the starter exchanges its third card, then its first; the other nobody
        match.play(place * 14)
    match.play(224)
    aside = [hands[starter][2], hands[starter][0]]
    hands[starter][2], hands[starter][0] = decks[starter].pop(), decks[starter].pop()
    decks[starter] += aside
    shuffle(decks[starter])
    match.play(224)
    hands[1 - starter].append(cards.row("mixed-precision"))
    hands[starter].append(decks[starter].pop())
    state = match.states[0]
    assert (int(state.rng), int(state.starter), match.player) == (word, starter, starter)
    for player in (0, 1):
        lab = state.labs[player]
        assert np.trim_zeros(lab.hand, "b").tolist() == hands[player]
        assert np.trim_zeros(lab.deck, "b").tolist() == decks[player]
