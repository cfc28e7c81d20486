"""Everything that can still happen in a turn: an exhaustive search on the rules themselves.

Layer by layer, all positions that the player to act can reach; those that differ only in what no later rule reads are
one. Whatever is hidden must not matter: a position from which this turn can draw a card or a random number is refused.
An awaited update is taken as learned, as all look-ahead does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from game.cards import CardSet
from game.engine import batch, compiled
from game.engine import records as r
from game.engine.observe import OBSERVATION_SIZE

END = r.END_TURN * r.TOKENS
INT = 4
"""Bytes of a state's fields, but for the generator's word."""
AT_ONCE = 4096
"""Positions looked at together: what is observed of them is thrown away, and takes as much memory as they do."""


class Unproven(Exception):
    """The turn can't be searched: chance decides something in it, or it is too large."""


@dataclass(frozen=True)
class Layer:
    """The decisions of all positions that so many actions lead to, side by side, one row a decision."""

    parent: Any
    """The position's number in this layer."""
    action: Any
    card: Any
    """Row of the card that is played, 0 for attacks and the turn's end."""
    child: Any
    """The position's number in the next layer, −1 where the turn or the match is over."""
    ending: Any
    """Else the ending's number."""


@dataclass(frozen=True)
class Turn:
    """A searched turn. ``endings``: each state behind the turn's end, or at the match's, once; ``left``: the material
    (see :func:`material`) on the board as the turn was ended."""

    player: int
    layers: list[Layer]
    endings: Any
    left: Any

    def values(self, of_endings: Any, without: int = 0) -> Any:
        """What each action of the first position leads to at best, int64 ``(238,)``, −1 where it is illegal.

        ``of_endings``: a value from 0 for each ending. ``without``: row of a card that is not to be played (−1 for
        lines that play it; 0: none).
        """
        return self._first(self._back(of_endings, lambda layer, value: np.where(
            (layer.card == without) & (without > 0), -1, value)))

    def values_with(self, card: int, of_endings: Any) -> Any:
        """The same over those lines alone that play a card of that row; −1 where there is none."""
        free = dict(zip(map(id, self.layers), self._back(of_endings, lambda layer, value: value), strict=True))
        return self._first(self._back(np.full(len(of_endings), -1), lambda layer, value: np.where(
            layer.card == card, free[id(layer)], value)))

    def _back(self, of_endings: Any, change: Callable[[Layer, Any], Any]) -> list[Any]:
        """From the last layer to the first: the value of each decision, as ``change(layer, values)`` makes it."""
        found, best = [], np.zeros(1, np.int64)
        for layer in reversed(self.layers):
            value = change(layer, np.where(layer.child >= 0, best[layer.child], of_endings[layer.ending]))
            best = np.full(int(layer.parent.max()) + 1, -1, np.int64)
            np.maximum.at(best, layer.parent, value)
            found.append(value)
        return found[::-1]

    def _first(self, values: list[Any]) -> Any:
        first = np.full(r.ACTIONS, -1, np.int64)
        first[self.layers[0].action] = values[0]
        return first


def search(states: Any, cards: CardSet, most: int = 20_000) -> Turn:
    """The turn of the player to act in ``states`` ``(1,)``; Unproven if chance is in it or over ``most`` positions."""
    stepper = Stepper(cards)
    player, turn = int(states["player"][0]), int(states["turn"][0])
    layers, endings, left, known, seen = [], [], [], 0, 0
    while len(states):
        seen += len(states)
        if seen > most:
            raise Unproven("too many positions")
        parent, action = np.nonzero(stepper.masks(states))
        children = stepper.step(states, parent, action)
        over = (children["result"] != r.RUNNING) | (children["turn"] != turn)
        if (over & (children["result"] == r.RUNNING) & (action != END)).any():
            raise Unproven("the action limit ends this turn")
        # What the enemy draws is read by nothing in this turn, nor by its attacks; an own card could be played.
        drawn = children["labs"]["deck_size"][:, player] < states["labs"]["deck_size"][parent, player]
        if (random_number(states, parent, children) | drawn).any():
            raise Unproven("chance decides something this turn")
        sources = action // r.TOKENS
        hands = states["labs"]["hand"][parent, player]
        card = np.where(sources < r.HAND, hands[np.arange(len(hands)), np.minimum(sources, r.HAND - 1)], 0)
        child, ending = np.full(len(action), -1), np.full(len(action), -1)
        going = np.flatnonzero(~over)
        first, child[going] = distinct(children, going)
        done = np.flatnonzero(over)
        material_left = np.where(children["result"][done] == r.RUNNING, material(states, player)[parent[done]],
                                 material(children, player)[done])
        kept, numbers = distinct(children, done, material_left)
        ending[done] = known + numbers
        known += len(kept)
        endings.append(take(children, kept))
        left.append(material_left[np.searchsorted(done, kept)])
        layers.append(Layer(parent, action, card, child, ending))
        states = take(children, first)
    return Turn(player, layers, join(endings), np.concatenate(left))


def threatened(states: Any, player: int, cards: CardSet, most: int = 200_000) -> Any:
    """Whether the enemy, whose turn it is in each state, can beat ``player`` by attacks alone, cards unplayed.

    bool ``(n,)``; what is hidden has no say in it. Unproven if an attack draws a random number, or beyond ``most``
    positions.
    """
    stepper, found = Stepper(cards), np.zeros(len(states), bool)
    roots, seen = np.arange(len(states)), 0
    while len(states):
        seen += len(states)
        if seen > most:
            raise Unproven("too many positions")
        masks = stepper.masks(states)
        masks[:, :r.HAND * r.TOKENS] = 0
        masks[:, END] = 0
        parent, action = np.nonzero(masks)
        children = stepper.step(states, parent, action)
        roots = roots[parent]
        if random_number(states, parent, children).any():
            raise Unproven("chance decides something in the enemy's turn")
        found[roots[children["result"] == 2 - player]] = True
        going = np.flatnonzero((children["result"] == r.RUNNING) & (children["phase"] == r.ACTION)
                               & (children["player"] == 1 - player) & ~found[roots])
        kept, _ = distinct(children, going, roots[going])
        states, roots = take(children, kept), roots[kept]
    return found


def material(states: Any, player: int) -> Any:
    """Attack and health of a player's Models less those of the enemy's, int64 ``(n,)``."""
    units = states["labs"]["units"]
    worth = np.where(units["card"] > 0, units["attack"] + units["health"], 0).sum(axis=2, dtype=np.int64)
    return worth[:, player] - worth[:, 1 - player]


class Stepper:
    """Many positions at once, without events."""

    def __init__(self, cards: CardSet) -> None:
        compiled.prepare()
        self.cards = cards
        self._works: Any = np.zeros(1, r.Work.dtype)
        self._silent: Any = np.zeros((0, len(r.EVENT_FIELDS)), np.int32)

    def masks(self, states: Any) -> Any:
        """Legal actions, uint8 ``(n, 238)``."""
        masks = np.zeros((len(states), r.ACTIONS), np.uint8)
        unused = np.zeros((AT_ONCE, OBSERVATION_SIZE), np.int32), np.zeros(AT_ONCE, np.int32)
        for start in range(0, len(states), AT_ONCE):
            some = states[start:start + AT_ONCE]
            batch.look_many(some, 0, len(some), self.cards.table, unused[0], masks[start:start + AT_ONCE], unused[1])
        return masks

    def step(self, states: Any, parent: Any, actions: Any) -> Any:
        """The states after ``actions[i]`` in ``states[parent[i]]``; updates are learned."""
        children = take(states, parent)
        batch.step_many(children, 0, len(children), self.cards.table, self._works, 0, self._silent,
                        np.ascontiguousarray(actions, np.int32))
        for place in np.flatnonzero(children["phase"] == r.AWAITING_UPDATE):
            batch.verdict_one(children, int(place), self.cards.table, self._works, self._silent, r.LEARNED, 0)
        return children


def random_number(states: Any, parent: Any, children: Any) -> Any:
    """Where one was drawn on the way, bool ``(n,)``."""
    return children["rng"] != states["rng"][parent]


def take(states: Any, places: Any) -> Any:
    """Copies of some states, ``(k,)``; by bytes, which is much faster than field by field."""
    size = r.State.dtype.itemsize
    rows = np.ascontiguousarray(states).view(np.uint8).reshape(-1, size)[places]
    return rows.reshape(-1).view(r.State.dtype)


def join(parts: list[Any]) -> Any:
    """States end to end."""
    return np.frombuffer(bytearray(b"".join(part.tobytes() for part in parts)), r.State.dtype)


def distinct(states: Any, places: Any, also: Any = None) -> tuple[Any, Any]:
    """(the first of each kind among ``states[places]``, the number of its kind for every place).

    States are of one kind if they agree in all that a later rule reads, and in ``also``: when a Model was hurt, entry
    numbers, and the order of the hand don't count.
    """
    if not len(places):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    words = np.ascontiguousarray(states).view(np.int32).reshape(len(states), -1)[places]
    words[:, _UNREAD] = 0
    for hand in _HANDS:
        words[:, hand] = np.sort(words[:, hand], axis=1)
    if also is not None:
        words = np.concatenate([words, np.asarray(also, np.int32)[:, None]], axis=1)
    varies = (words != words[0]).any(axis=0)
    if not varies.any():
        return places[:1], np.zeros(len(places), np.int64)
    keys = np.ascontiguousarray(words[:, varies])
    _, first, numbers = np.unique(keys.view(np.dtype((np.void, keys.shape[1] * INT))).ravel(), return_index=True,
                                  return_inverse=True)
    return places[first], numbers.ravel()


def _places() -> tuple[Any, list[slice]]:
    """Where a state has fields that only tell the past, and both hands, counted in int32."""
    state, lab, unit = r.State.dtype.fields, r.Lab.dtype.fields, r.Unit.dtype.fields
    unread = [state[name][1] // INT for name in ("ply", "turn_ply", "entries")]
    hands = []
    for player in range(2):
        at = (state["labs"][1] + player * r.Lab.dtype.itemsize) // INT
        start = at + lab["hand"][1] // INT
        hands.append(slice(start, start + r.HAND))
        for slot in range(r.SLOTS):
            first = at + (lab["units"][1] + slot * r.Unit.dtype.itemsize) // INT
            unread += [first + unit[name][1] // INT for name in ("entry", "hurt_ply", "attack_ply", "attack_token")]
    return np.array(unread), hands


_UNREAD, _HANDS = _places()
