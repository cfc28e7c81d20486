"""One decision, from a source and a token to everything that follows from it.

Callers make sure that it is legal (:mod:`game.engine.legal`). The pieces: :mod:`~game.engine.setup`,
:mod:`~game.engine.turns`, :mod:`~game.engine.play`, :mod:`~game.engine.update`,
:mod:`~game.engine.deaths`, and below them effects, labs and units.
"""

from __future__ import annotations

from game.engine.compiled import rule
from game.engine.play import attack, play_card
from game.engine.records import AWAITING_UPDATE, END_TURN, HAND, LEARNED, MULLIGAN, TOKENS, Log, State, Table, Work
from game.engine.setup import exchange, finish_mulligan
from game.engine.turns import end_turn
from game.engine.update import give_verdict


@rule
def step(state: State, table: Table, work: Work, log: Log, source: int, token: int) -> None:
    """Take one legal decision: see :mod:`game.actions` for what source and token mean."""
    state.ply += 1
    if state.phase == MULLIGAN:
        if source == END_TURN:
            finish_mulligan(state, table, work, log)
        else:
            exchange(state, log, source)
    elif source == END_TURN:
        end_turn(state, table, work, log, 0)
    else:
        state.actions += 1
        if source < HAND:
            play_card(state, table, work, log, source, token)
        else:
            attack(state, table, work, log, source - HAND, token)


@rule
def step_assuming(state: State, table: Table, work: Work, log: Log, action: int) -> None:
    """Take a legal decision by its number in an imagined match: an update that it asks for is assumed to be learned."""
    step(state, table, work, log, action // TOKENS, action % TOKENS)
    if state.phase == AWAITING_UPDATE:
        give_verdict(state, table, work, log, LEARNED, 0)
