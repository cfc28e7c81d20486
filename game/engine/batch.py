"""What Python calls: one match as an array of one state, and loops over many matches.

Passing an array of one is ten times cheaper than passing a record, so the single-match entry
points take arrays too.
"""

from __future__ import annotations

from game.engine.chance import advance, bounded, mix, scale
from game.engine.compiled import Word, rule
from game.engine.deaths import finish
from game.engine.legal import legal_mask, refusal
from game.engine.observe import observe
from game.engine.records import (
    ACTIONS,
    AWAITING_UPDATE,
    DECK,
    LEARNED,
    OVER,
    TOKENS,
    Ints,
    Log,
    Mask,
    Masks,
    Pairs,
    Rows,
    States,
    Table,
    Words,
    Works,
)
from game.engine.rules import step
from game.engine.setup import deal, shuffle, sort_deck
from game.engine.update import give_verdict

# ---- one match ---------------------------------------------------------------------------------


@rule(entry=True)
def deal_one(states: States, index: int, log: Log, seed: Word, decks: Rows, limits: Ints) -> None:
    """Start match ``index`` afresh from zeroed bytes.

    ``decks`` int32 ``(2, 31)``: size, then card rows. ``limits`` int32 ``(7,)``: funding, racks,
    turn limit, action limit, first and second player's opening cards, the second player's extra card.
    """
    state = states[index]
    state.funding_cap, state.rack_cap = limits[0], limits[1]
    state.turn_limit, state.action_limit = limits[2], limits[3]
    state.coin = limits[6]
    for player in range(2):
        lab = state.labs[player]
        lab.deck_size = decks[player, 0]
        for place in range(DECK):
            lab.deck[place] = decks[player, 1 + place]
    deal(state, log, seed, limits[4], limits[5])


@rule(entry=True)
def step_one(states: States, index: int, table: Table, works: Works, log: Log, action: int) -> int:
    """Take decision ``action`` if it is legal; returns the refusal (0: taken) and else changes nothing."""
    source, token = action // TOKENS, action % TOKENS
    if action < 0 or action >= ACTIONS:
        source = -1
    reason = refusal(states[index], table, source, token)
    if reason == 0:
        step(states[index], table, works[0], log, source, token)
    return reason


@rule(entry=True)
def refusal_one(states: States, index: int, table: Table, source: int, token: int) -> int:
    """Why a decision is illegal: an index into :data:`game.engine.legal.REFUSALS`, 0 if it is legal."""
    return refusal(states[index], table, source, token)


@rule(entry=True)
def verdict_one(states: States, index: int, table: Table, works: Works, log: Log, verdict: int, row: int) -> None:
    """Give the awaited update's verdict."""
    give_verdict(states[index], table, works[0], log, verdict, row)


@rule(entry=True)
def finish_one(states: States, index: int, log: Log, result: int, reason: int) -> None:
    """End a match from outside its rules: a player concedes."""
    finish(states[index], log, result, reason)


@rule(entry=True)
def observe_one(states: States, index: int, table: Table, player: int, row: Ints) -> None:
    """Write one player's observation, ``(OBSERVATION_SIZE,)``."""
    observe(states[index], table, player, row)


@rule(entry=True)
def mask_one(states: States, index: int, table: Table, mask: Mask) -> int:
    """Write the legal mask of the player to act, ``(238,)``; returns the number of legal decisions."""
    return legal_mask(states[index], table, mask)


@rule(entry=True)
def imagine(states: States, first: int, last: int, viewers: Ints, pool: Ints, words: Words) -> None:
    """Replace all that ``viewers[i]`` can't see in match i by chance from ``words[i]``: look-ahead's ground.

    The own deck is shuffled, the other's hand and deck become cards drawn evenly from ``pool``
    (card rows), and the generator is seeded anew: nothing of what was hidden is left.
    """
    for i in range(first, last):
        state = states[i]
        state.rng = words[i]
        own, enemy = state.labs[viewers[i]], state.labs[1 - viewers[i]]
        sort_deck(own)
        shuffle(state, own)
        for place in range(enemy.hand_size):
            enemy.hand[place] = pool[bounded(state, pool.shape[0])]
        for place in range(enemy.deck_size):
            enemy.deck[place] = pool[bounded(state, pool.shape[0])]
        for place in range(enemy.aside_size):
            enemy.aside[place] = pool[bounded(state, pool.shape[0])]
        if state.player != viewers[i]:
            state.mulligan = 0


# ---- many matches --------------------------------------------------------------------------------


@rule(entry=True)
def step_many(states: States, first: int, last: int, table: Table, works: Works, worker: int, log: Log,
              actions: Ints) -> None:
    """Take decision ``actions[i]`` in each match first ≤ i < last; −1 leaves one alone. Legality is the caller's."""
    for i in range(first, last):
        action = actions[i]
        if action >= 0 and states[i].phase < AWAITING_UPDATE:
            step(states[i], table, works[worker], log, action // TOKENS, action % TOKENS)


@rule(entry=True)
def look_many(states: States, first: int, last: int, table: Table, rows: Rows, masks: Masks, counts: Ints) -> None:
    """Observation, legal mask and number of legal decisions of each match's player to act."""
    for i in range(first, last):
        counts[i] = legal_mask(states[i], table, masks[i])
        observe(states[i], table, states[i].player, rows[i])


@rule(entry=True)
def choose_many(first: int, last: int, masks: Masks, counts: Ints, words: Words, actions: Ints) -> None:
    """A uniformly random legal decision for each match, from its own generator ``words[i]``; −1 where none is."""
    for i in range(first, last):
        actions[i] = -1
        if counts[i] > 0:
            words[i] = advance(words[i], Word(1))
            skip = scale(mix(words[i]), counts[i])
            for action in range(ACTIONS):
                if masks[i, action]:
                    if skip == 0:
                        actions[i] = action
                        break
                    skip -= 1


@rule(entry=True)
def random_play(states: States, first: int, last: int, table: Table, works: Works, worker: int, log: Log, rows: Rows,
                masks: Masks, counts: Ints, words: Words, actions: Ints, rounds: int, decks: Pairs, limits: Ints,
                blank: States) -> int:
    """``rounds`` times mask, observe, choose at random and step every match; returns the decisions taken.

    The engine's benchmark. Awaited updates are assumed learned (a scripted source). Where a match
    is over (or its bytes are zero) the next one is dealt from ``decks`` int32 ``(n, 2, 31)`` and
    ``limits`` (see :func:`deal_one`), so that the figure is over whole matches; ``blank`` ``(1,)`` is zeros.
    """
    taken = 0
    for _ in range(rounds):
        for i in range(first, last):
            if states[i].phase == OVER or states[i].funding_cap == 0:
                states[i] = blank[0]
                words[i] = advance(words[i], Word(1))
                deal_one(states, i, log, mix(words[i]), decks[i % decks.shape[0]], limits)
        look_many(states, first, last, table, rows, masks, counts)
        choose_many(first, last, masks, counts, words, actions)
        step_many(states, first, last, table, works, worker, log, actions)
        for i in range(first, last):
            if actions[i] >= 0:
                taken += 1
            if states[i].phase == AWAITING_UPDATE:
                give_verdict(states[i], table, works[worker], log, LEARNED, 0)
    return taken
