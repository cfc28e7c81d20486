"""What the rules operate on: constants, and records that look the same compiled and interpreted.

Every field is an int32 (narrower ones overflow differently in the two modes); the random
generator's word, a uint64, stands first so that there is no padding and equal states have
equal bytes. Zero always means "nothing": an empty slot, no card, no Researcher.
"""

from __future__ import annotations

import typing
from typing import Annotated, Any, ClassVar, TypeAlias

import numpy as np

from game.engine.compiled import ArrayOf, Word

# ---- sizes ---------------------------------------------------------------------------------
HAND, SLOTS, DECK, EFFECTS = 10, 6, 30, 3
TOKENS = 2 * (SLOTS + 1)
"""Places an action can aim at, seen from the acting player: own lab, own slots, enemy lab, enemy slots."""
SOURCES = HAND + SLOTS + 1
"""What can act: the hand's cards, the own slots' Models, and "end turn" (or "done" in the mulligan)."""
END_TURN = HAND + SLOTS
ACTIONS = SOURCES * TOKENS
OWN_LAB, ENEMY_LAB = 0, SLOTS + 1

# ---- what a card says ------------------------------------------------------------------------
TYPES = ("model", "technique", "researcher")
MODEL, TECHNIQUE, RESEARCHER = range(3)
FAMILIES = ("", "perceptron", "mlp", "convnet", "recurrent", "transformer")
KEYWORDS = ("guard", "pretrained", "regularized", "convolution", "recurrent", "attention", "residual", "frozen")
GUARD, PRETRAINED, REGULARIZED, CONVOLUTION, RECURRENT, ATTENTION, RESIDUAL, FROZEN = (1 << bit for bit in range(8))
TRIGGERS = ("", "play", "death", "turn_start", "turn_end", "attack", "update", "own_enter", "own_update")
(ON_PLAY, ON_DEATH, ON_TURN_START, ON_TURN_END, ON_ATTACK, ON_UPDATE, ON_OWN_ENTER, ON_OWN_UPDATE) = range(1, 9)
OPERATIONS = ("", "damage", "heal", "buff", "rush", "keyword", "ablate", "destroy", "recall", "tap", "draw", "discard",
              "compute", "rack", "summon", "update")
(DAMAGE, HEAL, BUFF, RUSH, KEYWORD, ABLATE, DESTROY, RECALL, TAP, DRAW, DISCARD, COMPUTE, RACK, SUMMON,
 UPDATE) = range(1, 16)
SCOPES = ("", "chosen", "self", "neighbours", "own", "other_own", "enemy", "all", "random_own", "random_enemy",
          "own_lab", "enemy_lab")
(CHOSEN, SELF, NEIGHBOURS, OWN, OTHER_OWN, ENEMY, ALL, RANDOM_OWN, RANDOM_ENEMY, SCOPE_OWN_LAB,
 SCOPE_ENEMY_LAB) = range(1, 12)
TARGETS = ("none", "own", "own_hurt", "own_unhurt", "enemy", "enemy_weak", "any", "empty_slot")
(TARGET_NONE, TARGET_OWN, TARGET_OWN_HURT, TARGET_OWN_UNHURT, TARGET_ENEMY, TARGET_ENEMY_WEAK, TARGET_ANY,
 TARGET_EMPTY_SLOT) = range(8)
DISCOUNTS = ("", "update", "model", "technique", "researcher")
DISCOUNT_UPDATE, DISCOUNT_MODEL, DISCOUNT_TECHNIQUE, DISCOUNT_RESEARCHER = range(1, 5)

# ---- where a match stands --------------------------------------------------------------------
PHASES = ("mulligan", "action", "awaiting_update", "over")
MULLIGAN, ACTION, AWAITING_UPDATE, OVER = range(4)
VERDICTS = ("", "learned", "vanished", "exploded")
LEARNED, VANISHED, EXPLODED = range(1, 4)
RUNNING, DRAWN = 0, 3
REASONS = ("", "funding", "double knock-out", "concede", "turn limit", "endless loop")
BY_FUNDING, BY_DOUBLE_KNOCK_OUT, BY_CONCESSION, BY_TURN_LIMIT, BY_LOOP = range(1, 6)
LOOP_LIMIT = 100
"""Waves of deaths in one resolution after which a match counts as an endless loop (a draw)."""

# ---- events ------------------------------------------------------------------------------------
EVENTS = ("", "mulligan", "mulligan_done", "turn", "draw", "discard", "fatigue", "play", "attack", "damage", "absorb",
          "lab_damage", "heal", "lab_heal", "buff", "rush", "keyword", "ablate", "destroy", "death",
          "recall", "vanish", "tap", "compute", "rack", "enter", "researcher", "trigger", "await_update", "verdict",
          "training", "residual", "end_turn", "over", "no_room")
(E_MULLIGAN, E_MULLIGAN_DONE, E_TURN, E_DRAW, E_DISCARD, E_FATIGUE, E_PLAY, E_ATTACK, E_DAMAGE, E_ABSORB, E_LAB_DAMAGE,
 E_HEAL, E_LAB_HEAL, E_BUFF, E_RUSH, E_KEYWORD, E_ABLATE, E_DESTROY, E_DEATH, E_RECALL, E_VANISH,
 E_TAP, E_COMPUTE, E_RACK, E_ENTER, E_RESEARCHER, E_TRIGGER, E_AWAIT_UPDATE, E_VERDICT, E_TRAINING, E_RESIDUAL,
 E_END_TURN, E_OVER, E_NO_ROOM) = range(1, 35)
EVENT_FIELDS = ("kind", "player", "slot", "card", "a", "b", "entry")
"""One logged row: kind, whose, slot 0-5 or −1, card row or 0, two amounts, ledger entry or 0."""

class Record:
    """Base of the records: a subclass's annotations become its NumPy ``dtype``.

    ``int`` is an int32 field, ``Word`` a uint64, ``Annotated[list[X], n]`` n of X side by side.
    Instances never exist; rules receive elements of arrays with this dtype, and the annotations
    are what readers and mypy see.
    """

    dtype: ClassVar[Any]

    def __init_subclass__(cls) -> None:
        fields: list[Any] = []
        for name, hint in typing.get_type_hints(cls, include_extras=True).items():
            if name == "dtype":
                continue
            if typing.get_origin(hint) is Annotated:
                (element,) = typing.get_args(typing.get_args(hint)[0])
                fields.append((name, _field_dtype(element), (hint.__metadata__[0],)))
            else:
                fields.append((name, _field_dtype(hint)))
        cls.dtype = np.dtype((np.record, np.dtype(fields)))


def _field_dtype(kind: Any) -> Any:
    return np.int32 if kind is int else np.uint64 if kind is Word else kind.dtype


class Effect(Record):
    """One line of a card: when (trigger) what (operation) happens to whom (scope)."""

    trigger: int
    operation: int
    scope: int
    a: int
    """Amount: damage, healing, attack, number of cards."""
    b: int
    """Second amount: health of a buff or an update."""
    ref: int
    """The keyword's bit, or the summoned card's row."""


class Card(Record):
    """One row of a card set's table. Row 0 is no card."""

    type: int
    family: int
    cost: int
    attack: int
    health: int
    keywords: int
    token: int
    target: int
    updates: int
    """1 if one of its effects is a gradient update."""
    discount: int
    """A Researcher's static cost change: which cards (DISCOUNT_*), 0 for none."""
    discount_amount: int
    triggers: int
    """Bits of the triggers its effects have, to pass over the rest quickly."""
    effects: Annotated[list[Effect], EFFECTS]


class Unit(Record):
    """A Model on the board; all zeros is an empty slot."""

    card: int
    entry: int
    """Entry number: Models are numbered from 1 in the order in which they enter the board."""
    attack: int
    """Permanent attack; shown attack adds rush."""
    health: int
    max_health: int
    rush: int
    keywords: int
    tapped: int
    training: int
    """The training mark: an update was learned; consumed by the owner's next untap."""
    held: int
    """Tapped by an effect: skips the owner's next untap, too."""
    ablated: int
    doomed: int
    """Destroyed; leaves when deaths are resolved, whatever its health."""
    attacks: int
    """Attacks made this turn."""
    turn: int
    """The turn in which it entered."""
    hurt: int
    """Damage counter: health lost this turn."""
    updates: int
    """Gradient updates learned."""
    hurt_ply: int
    """Decision in which it was first hurt this turn, 0 for none."""
    attack_ply: int
    """Its own latest decision (attack) this turn that hurt it, 0 for none."""
    attack_token: int
    """The token it attacked in that decision."""


class Lab(Record):
    """One player's side."""

    funding: int
    compute: int
    racks: int
    researcher: int
    fatigue: int
    """Cards that couldn't be drawn so far: the next one costs one more."""
    hand_size: int
    deck_size: int
    aside_size: int
    hand: Annotated[list[int], HAND]
    deck: Annotated[list[int], DECK]
    """Drawn from the end; zeros above deck_size."""
    aside: Annotated[list[int], HAND]
    """Cards exchanged in the mulligan, until they are shuffled back."""
    units: Annotated[list[Unit], SLOTS]


class State(Record):
    """A whole match. Its bytes are its identity: copying them clones it, hashing them names it."""

    rng: Word
    phase: int
    player: int
    """Whose decision (or update) it is."""
    starter: int
    turn: int
    """Turns begun, both players' counted; 0 during the mulligan."""
    ply: int
    """Decisions taken."""
    turn_ply: int
    """Number of the turn's first decision."""
    actions: int
    """Actions taken this turn, mulligans and end turn not counted."""
    entries: int
    """Models that have entered the board."""
    forced_ends: int
    """Turns that ended by the action limit."""
    result: int
    reason: int
    mulligan: int
    """Bits of the hand places whose opening card may still be exchanged."""
    update_slot: int
    update_entry: int
    update_card: int
    """The card that asked for the awaited update, 0 when none is awaited."""
    update_attack: int
    update_health: int
    funding_cap: int
    rack_cap: int
    turn_limit: int
    action_limit: int
    coin: int
    """The card that the second player gets after the mulligans."""
    labs: Annotated[list[Lab], 2]


class Task(Record):
    """A trigger that waits for its turn."""

    trigger: int
    player: int
    slot: int
    entry: int
    card: int
    """Whose effects run: the Model's card, or the Researcher's; 0 for an ablated Model's death."""
    family: int
    residual: int
    """Deaths: 1 if the Model had Residual."""
    attack: int
    """Deaths: attack gained beyond the printed one, at least 0."""
    health: int


TASKS = 64


class Work(Record):
    """Scratch space of a resolution: the queue of waiting triggers. Empty between actions."""

    first: int
    last: int
    waves: int
    tasks: Annotated[list[Task], TASKS]


# ---- annotations of arrays ------------------------------------------------------------------------
States: TypeAlias = Annotated[Any, ArrayOf(State, 1)]
Table: TypeAlias = Annotated[Any, ArrayOf(Card, 1, readonly=True)]
"""A card set's rows; always an argument, for compiled code freezes globals."""
Works: TypeAlias = Annotated[Any, ArrayOf(Work, 1)]
Log: TypeAlias = Annotated[Any, ArrayOf(np.int32, 2)]
"""Events: row 0 holds the number of rows used; length zero turns logging off."""
Ints: TypeAlias = Annotated[Any, ArrayOf(np.int32, 1)]
Rows: TypeAlias = Annotated[Any, ArrayOf(np.int32, 2)]
Pairs: TypeAlias = Annotated[Any, ArrayOf(np.int32, 3)]
Mask: TypeAlias = Annotated[Any, ArrayOf(np.uint8, 1)]
Masks: TypeAlias = Annotated[Any, ArrayOf(np.uint8, 2)]
Floats: TypeAlias = Annotated[Any, ArrayOf(np.float64, 1)]
FloatRows: TypeAlias = Annotated[Any, ArrayOf(np.float64, 2)]
Words: TypeAlias = Annotated[Any, ArrayOf(np.uint64, 1)]



def copy_states(states: Any, blank: int = 0) -> Any:
    """Independent states with the same bytes, followed by ``blank`` empty ones.

    Copies the bytes: NumPy's own copy of nested records goes field by field and takes forty times as long.
    """
    data = bytearray(states.tobytes())
    data.extend(bytes(blank * State.dtype.itemsize))
    return np.ndarray(len(states) + blank, State.dtype, data)


def state_from(data: bytes) -> Any:
    """An array of one state from its bytes, ``(1,)``, independent of them."""
    return np.ndarray(1, State.dtype, bytearray(data))
