"""What is shown is what happened: the update's numbers, previews, networks, undo points."""

from __future__ import annotations

import numpy as np
import pygame

from game.bots import make_bot
from game.bots.single import decide
from game.match import Match
from game.undo import can_undo, undo
from game.updates import Verdict
from game.window.preview import preview
from game.window.timeline import Beat, Timeline
from game.window.viewmodel import look


def test_the_numbers_shown_are_the_ledgers(open_window) -> None:
    hands = open_window(scene="backprop")
    report = hands.app.scene.report
    game = hands.app.service.handler.game
    entry = next(e for e in game.sources[0].source.entries if e.row == report["entry"])
    facts = hands.app.scene.facts()
    assert (facts["prediction"], facts["damage"], facts["loss"], facts["norm"]) == (
        entry.prediction, entry.damage, entry.loss, entry.norm)
    assert [layer["name"] for layer in report["gradients"]] == list(entry.arrays)
    for layer in report["gradients"]:
        assert np.isclose(layer["norm"], np.linalg.norm(entry.arrays[layer["name"]].astype(float)))
    total = np.sqrt(sum(layer["norm"] ** 2 for layer in report["gradients"]))
    assert np.isclose(total, report["norm"])
    hands.app.scene.step = 1
    hands.step()
    assert f"{entry.loss:.4f}" in hands.widget("formula").text


def test_an_enemys_update_is_told_in_its_own_numbers_from_the_persons_side(open_window) -> None:
    hands = open_window(scene="result", opponent="everything")
    match, store = hands.app.scene.match, hands.app.service.handler.home.store
    theirs = [report for report in match.session.reports if not report["own"] and report["outcome"] == "learned"]
    assert theirs
    for report in theirs:
        entry = store.entries('"row" = ?', report["entry"])[0]
        assert entry["owner"] == "everything"
        for name in ("prediction", "damage", "loss", "norm", "card", "family", "turn"):
            assert report[name] == entry[name]
        assert report["token"] == entry["slot"] + 8
        assert report["target"] == (-1 if entry["target"] < 0 else (entry["target"] + 7) % 14)
        assert report["tokens"][report["token"]]["card"] == hands.app.cards.card(entry["card"]).row
    hands.app.pop()
    match._reports_seen = match.session.reports.index(theirs[0])
    for whose, shown in (("own", "match"), ("all", "backprop")):
        hands.app.settings.updates = whose
        match._reports_seen = match.session.reports.index(theirs[0])
        match._after()
        assert hands.app.scene.name == shown
    for step in range(5):
        hands.app.scene.step = step
        hands.step()
    hands.app.settings.updates = "none"
    hands.key(pygame.K_ESCAPE)
    assert hands.app.scene.name == "match"


def test_an_opened_model_is_the_network_itself(open_window) -> None:
    hands = open_window(scene="network")
    scene, seat = hands.app.scene, hands.app.service.handler
    weights = seat.game.labs[0].agent.models[scene.report["family"]].state_dict()
    assert [layer["name"] for layer in scene.report["layers"]] == list(weights)
    assert scene.net["targets"] == [token for token, aims in enumerate(scene.report["aims"]) if aims]
    shown = hands.widget("wiring")
    assert shown.report is scene.report
    hands.key(pygame.K_RIGHT)
    assert hands.has("intent")
    for token in scene.net["targets"]:
        assert f"{scene.report['probabilities'][token]:.1%}" in hands.widget("intent").text


def test_the_training_screen_shows_the_ledgers_steps(open_window) -> None:
    hands = open_window(scene="training")
    store = hands.app.service.handler.home.store
    for step in hands.app.scene.match.training["steps"]:
        kept = [s for s in store.steps() if s["after"] == step["weights_after"]]
        assert kept
        assert kept[0]["before"] == step["weights_before"]
        for entry in step["entries"]:
            assert sum(entry["is"]["probabilities"]) == 1 or abs(sum(entry["is"]["probabilities"]) - 1) < 1e-9


def _played(plies: int, seed: int) -> Match:
    match, bot = Match(("1986", "vision"), seed), make_bot("greedy")
    for _ in range(plies):
        if match.outcome is not None:
            break
        match.play(decide(bot, match))
        while match.pending is not None:
            match.give(Verdict("learned"))
    return match


def test_a_preview_knows_nothing_hidden_and_keeps_its_word() -> None:
    kept = 0
    for seed in range(3):
        match = _played(24 + seed, seed)
        viewer = match.player
        other = match.clone()
        lab = other.states[0].labs[1 - viewer]
        lab.hand[:lab.hand_size] = lab.hand[:lab.hand_size][::-1].copy()
        own = other.states[0].labs[viewer]
        own.deck[:own.deck_size] = own.deck[:own.deck_size][::-1].copy()
        other.states["rng"] += np.uint64(12345)
        for action in match.legal_actions()[:8]:
            seen = preview(match, viewer, action)
            assert seen == preview(other, viewer, action)
            real = match.clone()
            events = real.play(action)
            while real.phase == "awaiting_update":
                events += real.give(Verdict("learned"))
            for token, amount in seen.damage.items():
                side = viewer if token < 7 else 1 - viewer
                slot = (token if token < 7 else token - 7) - 1
                dealt = sum(e.a for e in events if e.kind in ("damage", "lab_damage") and e.player == side
                            and e.slot == slot)
                assert dealt == amount
                kept += 1
    assert kept


def test_undo_only_where_nothing_was_revealed() -> None:
    bot, undone = make_bot("greedy"), 0
    match = Match(("1986", "vision"), 5)
    while match.outcome is None:
        before, player = match.digest(), match.player
        match.play(decide(bot, match))
        if can_undo(match, player):
            copy = match.clone()
            undo(copy, player)
            assert copy.digest() == before
            undone += 1
        while match.pending is not None:
            match.give(Verdict("learned"))
            assert not can_undo(match, player)
    assert undone


def test_the_view_is_made_of_what_a_player_sees() -> None:
    match = _played(20, 1)
    other = match.clone()
    lab = other.states[0].labs[1]
    lab.hand[:lab.hand_size] = lab.hand[:lab.hand_size][::-1].copy()
    one, two = look(match, 0), look(other, 0)
    assert (one.units, one.hand, one.own, one.enemy, one.legal) == (two.units, two.hand, two.own, two.enemy, two.legal)


def test_the_timeline_has_a_final_pose_at_every_moment() -> None:
    match = _played(20, 2)
    before = look(match, 0)
    events = tuple(match.play(match.legal_actions()[-1]))
    after = look(match, 0)
    for factor in (0.5, 1.0, 2.0):
        line = Timeline(factor)
        line.add(Beat(before, after, events, ("line",)))
        assert line.view(after) is before
        line.advance(0.1)
        assert line.moving
        line.finish()
        assert line.view(after) is after
        assert not line.moving
    at_once = Timeline(0.0)
    at_once.add(Beat(before, after, events, ("line",)))
    assert at_once.beat is None
    steps = Timeline(1.0, step=True)
    steps.add(Beat(before, after, events, ("line",), wait=True))
    for _ in range(60):
        steps.advance(0.1)
    assert steps.held
    steps.skip()
    assert steps.beat is None
