"""Tables, the JSON document, progress, stopping."""

from __future__ import annotations

import json
import os
import signal

import numpy as np
import pytest

from learner.cli import output
from learner.cli.output import Output, stoppable


def test_json_takes_numpy_and_has_no_nan(capsys):
    Output(True).result({"a": np.int64(3), "b": np.array([1.5, np.nan]), "c": (float("inf"), None, True), 4: "ç"})
    assert json.loads(capsys.readouterr().out) == {"a": 3, "b": [1.5, None], "c": [None, None, True], "4": "ç"}


def test_people_or_machines(capsys):
    for as_json in (False, True):
        out = Output(as_json)
        out.say("words")
        out.table("Title", ["n", "x"], [[1000, "a"], [None, "b"]])
        out.result({"n": 1})
        shown = capsys.readouterr().out
        assert ("words" in shown) == ("1,000" in shown) == (not as_json)
        assert ('"n": 1' in shown) == as_json


def test_one_document_only():
    out = Output(True)
    out.result({})
    with pytest.raises(AssertionError):
        out.result({})


def test_plain_progress_says_little(capsys, monkeypatch):
    with Output().progress("playing", 10, "matches") as bar:
        bar.advance(3)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(output, "PLAIN_EVERY", 0.0)
    with Output().progress("playing", 10, "matches") as bar:
        bar.advance(3)
        bar.advance(4, "well")
    assert capsys.readouterr() == ("", "playing: 3 of 10 matches\nplaying: 7 of 10 matches, well\n")


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="POSIX signals")
def test_ctrl_c_asks_first_and_ends_then(capfd):
    before = signal.getsignal(signal.SIGINT)
    with stoppable() as stop:
        assert not stop.requested
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.requested
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    assert capfd.readouterr().err.count("\n") == 1


def test_figures_under_the_bar(capsys, monkeypatch):
    with Output().progress("training", None, "matches") as bar:
        bar.show(["round 1", "entropy 2"])
        bar.show(["round 2"])
    assert capsys.readouterr().err == "round 1\nentropy 2\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with Output().progress("training", 4, "matches") as bar:
        bar.show(["round 3", "entropy 4"])
        bar.advance(1)
    shown = capsys.readouterr().err
    assert "round 3" in shown
    assert "entropy 4" in shown
