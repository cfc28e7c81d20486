"""Set-up: decks, the coin, opening cards, the mulligan."""

from __future__ import annotations

from game.engine.chance import bounded
from game.engine.compiled import Word, rule
from game.engine.journal import event
from game.engine.labs import draw
from game.engine.records import E_DRAW, E_MULLIGAN, E_MULLIGAN_DONE, MULLIGAN, Lab, Log, State, Table, Work
from game.engine.turns import begin_turn
from game.engine.units import take_into_hand


@rule
def shuffle(state: State, lab: Lab) -> None:
    """Fisher-Yates from the deck's end: place i changes with a random place 0 … i, for i = size−1 … 1."""
    for i in range(lab.deck_size - 1, 0, -1):
        j = bounded(state, i + 1)
        lab.deck[i], lab.deck[j] = lab.deck[j], lab.deck[i]


@rule
def sort_deck(lab: Lab) -> None:
    """Insertion sort of a deck by card row: afterwards nothing tells its old order."""
    for i in range(1, lab.deck_size):
        card, j = lab.deck[i], i
        while j > 0 and lab.deck[j - 1] > card:
            lab.deck[j] = lab.deck[j - 1]
            j -= 1
        lab.deck[j] = card


@rule
def deal(state: State, log: Log, seed: Word, first_hand: int, second_hand: int) -> None:
    """Start a match: ``labs[p].deck`` and the limits are set, everything else is zero.

    Coin, shuffle of player 0's deck, of player 1's, the starter's opening cards, the other's.
    """
    state.rng = seed
    state.starter = bounded(state, 2)
    state.player = state.starter
    for player in range(2):
        state.labs[player].funding = state.funding_cap
        shuffle(state, state.labs[player])
    for _ in range(first_hand):
        draw(state, log, state.starter)
    for _ in range(second_hand):
        draw(state, log, 1 - state.starter)
    state.phase = MULLIGAN
    state.mulligan = (1 << state.labs[state.starter].hand_size) - 1


@rule
def exchange(state: State, log: Log, index: int) -> None:
    """Mulligan: set an opening card aside; its replacement, drawn at once, takes its place in the hand."""
    lab = state.labs[state.player]
    old = lab.hand[index]
    lab.aside[lab.aside_size] = old
    lab.aside_size += 1
    lab.deck_size -= 1
    lab.hand[index] = lab.deck[lab.deck_size]
    lab.deck[lab.deck_size] = 0
    state.mulligan &= ~(1 << index)
    event(log, E_MULLIGAN, state.player, -1, old, index, lab.hand[index], 0)


@rule
def finish_mulligan(state: State, table: Table, work: Work, log: Log) -> None:
    """Shuffle what was exchanged back in; then the other player's mulligan, or the first turn."""
    player = state.player
    lab = state.labs[player]
    event(log, E_MULLIGAN_DONE, player, -1, 0, lab.aside_size, 0, 0)
    for place in range(lab.aside_size):
        lab.deck[lab.deck_size] = lab.aside[place]
        lab.deck_size += 1
        lab.aside[place] = 0
    if lab.aside_size > 0:
        lab.aside_size = 0
        shuffle(state, lab)
    state.player = 1 - player
    if player == state.starter:
        state.mulligan = (1 << state.labs[state.player].hand_size) - 1
        return
    state.mulligan = 0
    if state.coin > 0:
        take_into_hand(state, log, player, state.coin, E_DRAW)
    begin_turn(state, table, work, log)
