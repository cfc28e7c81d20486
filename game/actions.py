"""Actions: a source and a token as one number, and in words.

Sources 0–9 are the hand's cards, 10–15 the own slots' Models, 16 ends the turn (or the
mulligan). Tokens are places seen from the acting player: 0 the own lab (also "no target"), 1–6
own slots, 7 the enemy lab, 8–13 enemy slots. action = source · 14 + token, 0 ≤ action < 238.
"""

from __future__ import annotations

from game.engine.records import ACTIONS, END_TURN, ENEMY_LAB, HAND, SOURCES, TOKENS
from game.words import say

END = END_TURN * TOKENS
"""The number of "end turn", which is "done" in the mulligan."""


def encode(source: int, token: int = 0) -> int:
    """The action's number; ValueError outside the board."""
    if not (0 <= source < SOURCES and 0 <= token < TOKENS):
        raise ValueError(f"no action has source {source} and token {token}: sources are 0 to {SOURCES - 1}, "
                         f"tokens 0 to {TOKENS - 1}")
    return source * TOKENS + token


def decode(action: int) -> tuple[int, int]:
    """Source and token of an action's number; ValueError if there is no such action."""
    if not 0 <= action < ACTIONS:
        raise ValueError(f"there is no action {action}: they are numbered 0 to {ACTIONS - 1}")
    return action // TOKENS, action % TOKENS


def token_slot(token: int) -> tuple[bool, int]:
    """Whether a token is on the own side, and its slot 0–5 (−1 for a lab)."""
    own = token < ENEMY_LAB
    return own, token - 1 if own else token - ENEMY_LAB - 1


def slot_token(own: bool, slot: int) -> int:
    """The token of a slot 0–5 on the own or the enemy side."""
    return slot + 1 if own else ENEMY_LAB + 1 + slot


def place_name(token: int, names: dict[int, str], language: str = "en") -> str:
    """A token in words; ``names`` maps tokens that hold a Model to its name."""
    if token in (0, ENEMY_LAB):
        return say("place.own_lab" if token == 0 else "place.enemy_lab", language)
    own, slot = token_slot(token)
    key = ("place.own" if own else "place.enemy") + ("_model" if token in names else "_slot")
    return say(key, language, name=names.get(token, ""), slot=slot + 1)


def describe(action: int, hand: list[str], needs_target: list[bool], names: dict[int, str], mulligan: bool,
             language: str = "en") -> str:
    """An action in words.

    ``hand``: names of the hand's cards; ``needs_target``: whether each wants a token; ``names``:
    token → name of the Model there; ``mulligan``: whether the opening cards are being exchanged.
    """
    source, token = decode(action)
    if source == END_TURN:
        return say("action.done" if mulligan else "action.end_turn", language)
    if source < HAND:
        card = hand[source] if source < len(hand) else say("action.no_card", language, place=source + 1)
        if mulligan:
            return say("action.exchange", language, card=card)
        if source < len(hand) and not needs_target[source] and token == 0:
            return say("action.play", language, card=card)
        return say("action.play_at", language, card=card, place=place_name(token, names, language))
    slot = source - HAND
    who = place_name(slot_token(True, slot), names, language)
    return say("action.attack", language, attacker=who, place=place_name(token, names, language))


