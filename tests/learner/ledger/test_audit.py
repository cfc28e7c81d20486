"""An audit agrees with a true run, and finds every kind of cheating, a cheat's who computes the hashes again, too."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load as from_safetensors
from safetensors.numpy import save as to_safetensors

from game.decks import Deck
from game.errors import GameError
from game.replay import Replay
from learner.ledger.audit import audit
from learner.ledger.store import _KEPT, Store, entry_hash, step_hash


@pytest.fixture
def run(small_run, tmp_path):
    shutil.copytree(small_run, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def db(run):
    connection = sqlite3.connect(run / "ledger.sqlite", isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA synchronous = OFF")
    yield connection
    connection.close()


def hash_again(db):
    """What a cheat with the source code does last: a whole chain, sealed, and steps with their hashes."""
    previous = ""
    db.execute("BEGIN")
    for row in db.execute('SELECT * FROM entries ORDER BY "row"').fetchall():
        link = entry_hash(previous, {name: row[name] for name in _KEPT}, zlib.decompress(row["observation"]))
        db.execute('UPDATE entries SET previous = ?, hash = ? WHERE "row" = ?', (previous, link, row["row"]))
        previous = link
    db.execute("UPDATE meta SET value = ? WHERE key = 'ledger_head'", (json.dumps(previous),))
    for step in db.execute("SELECT * FROM steps").fetchall():
        db.execute("UPDATE steps SET hash = ? WHERE step = ?", (step_hash(step), step["step"]))
    db.execute("COMMIT")


def one(db, query, *values):
    return db.execute(query, values).fetchone()


def test_a_true_run_agrees(league_run, pair_run):
    for path in (league_run, pair_run):
        report = audit(path)
        assert report.wrong == []
        assert report.matches == 60
        assert report.verdicts["learned"] == report.buffs == report.entries == report.applied > 60
        assert report.gradients == sum(report.verdicts.values())
        store = Store(path / "ledger.sqlite")
        assert report.steps == store.count("steps") > 10
        store.close()
        assert report.as_dict()["ok"]


def test_hashing_again_a_true_run_changes_nothing(run, db):
    """So that in the tests below it is the cheat that is found, not the hashing."""
    hash_again(db)
    assert audit(run).wrong == []


# ---- entries -------------------------------------------------------------------------------------

CHANGES = {"match": 1, "name": "0" * 16, "owner": "agent@1", "seat": None, "ply": 3, "turn": 1, "slot": 5, "model": 77,
           "card": "gpt", "family": "gpt", "cause": "fine-tuned", "observation_ply": 2, "target": 12, "damage": 9,
           "prediction": 0.25, "loss": 0.3, "norm": 1.7, "gradient": "f" * 16, "weights": None}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_number_in_an_entry(run, db, name):
    row = one(db, "SELECT * FROM entries WHERE match > 1 AND owner = 'agent' LIMIT 1 OFFSET 9")
    value = CHANGES[name]
    if name == "seat":
        value = 1 - row["seat"]
    elif name == "weights":  # other weights of the family that are really kept
        value = one(db, "SELECT digest FROM weights WHERE family = ? AND digest != ?", row["family"],
                    row["weights"])["digest"]
    elif value == row[name]:
        value += 1
    assert row[name] != value
    db.execute(f'UPDATE entries SET "{name}" = ? WHERE "row" = ?', (value, row["row"]))
    store = Store(run / "ledger.sqlite")
    assert [line for line in store.check_chain() if str(row["row"]) in line]
    store.close()
    hash_again(db)
    assert [line for line in audit(run).wrong if str(row["row"]) in line]


@pytest.mark.parametrize("smart", [False, True], ids=["plain", "hashed again"])
@pytest.mark.parametrize("which", ["ASC", "DESC"])
def test_a_dropped_entry(run, db, which, smart):
    row = one(db, f'SELECT * FROM entries ORDER BY "row" {which}')
    db.execute('DELETE FROM entries WHERE "row" = ?', (row["row"],))
    if smart:
        rows = [r for r in json.loads(one(db, "SELECT entries FROM steps WHERE step = ?", row["step"])["entries"])
                if r != row["row"]]
        db.execute("UPDATE steps SET entries = ? WHERE step = ?", (json.dumps(rows), row["step"]))
        hash_again(db)
    assert any("without its ledger entry" in line for line in audit(run).wrong)


@pytest.mark.parametrize("smart", [False, True], ids=["plain", "hashed again"])
def test_an_added_entry(run, db, smart):
    row = dict(one(db, 'SELECT * FROM entries ORDER BY "row" DESC'))
    row["row"] += 100
    db.execute(f"INSERT INTO entries VALUES ({', '.join('?' * len(row))})", tuple(row.values()))
    if smart:
        hash_again(db)
    wrong = audit(run).wrong
    assert any("no learned verdict" in line for line in wrong)


def test_a_swapped_observation(run, db):
    rows = [one(db, f"SELECT * FROM entries WHERE family = 'mlp' ORDER BY match {way}") for way in ("ASC", "DESC")]
    for row, other in zip(rows, rows[::-1], strict=True):
        db.execute('UPDATE entries SET observation = ? WHERE "row" = ?', (other["observation"], row["row"]))
    assert any("content isn't what was recorded" in line for line in audit(run).wrong)
    hash_again(db)
    assert any("observation" in line for line in audit(run).wrong)


@pytest.mark.parametrize("column", ["observation", "hash", "previous", "status", "loss_after", "step"])
def test_a_damaged_entry(run, db, column):
    row = one(db, "SELECT * FROM entries LIMIT 1 OFFSET 9")
    db.execute(f'UPDATE entries SET {column} = ? WHERE "row" = ?', ({"loss_after": 0.5, "step": 999}.get(
        column, b"\0\1" if column == "observation" else "nonsense"), row["row"]))
    assert audit(run).wrong


# ---- application ---------------------------------------------------------------------------------


def test_an_entry_marked_as_never_applied(run, db):
    row = one(db, "SELECT * FROM entries LIMIT 1 OFFSET 9")
    db.execute("""UPDATE entries SET status = 'pending', step = NULL, loss_after = NULL WHERE "row" = ?""",
               (row["row"],))
    assert any(str(row["row"]) in line for line in audit(run).wrong)


@pytest.mark.parametrize("status", ["pending", "measurement"])
def test_a_whole_step_taken_back(run, db, status):
    """The cheat drops a step, and leaves its entries as if their gradients had never been used."""
    step = one(db, "SELECT * FROM steps")
    for row in json.loads(step["entries"]):
        db.execute("UPDATE entries SET status = ?, step = NULL, loss_after = NULL WHERE \"row\" = ?", (status, row))
    db.execute("DELETE FROM steps WHERE step = ?", (step["step"],))
    hash_again(db)
    assert any("in this run every gradient is applied" in line for line in audit(run).wrong)


def test_a_gradient_that_waits_must_be_the_entrys(run, db):
    db.execute("DELETE FROM meta WHERE key = 'plan'")  # a person's ledger, where entries may wait
    step = one(db, "SELECT * FROM steps")
    waiting = to_safetensors({"damage.bias": np.zeros(14, np.float32)})
    for row in json.loads(step["entries"]):
        db.execute("UPDATE entries SET status = 'pending', step = NULL, arrays = ? WHERE \"row\" = ?", (waiting, row))
    db.execute("DELETE FROM steps WHERE step = ?", (step["step"],))
    assert any("the gradient that waits" in line for line in audit(run).wrong)


@pytest.mark.parametrize("how", ["in its own step", "in another step"])
def test_an_entry_applied_twice(run, db, how):
    step = dict(one(db, "SELECT * FROM steps"))
    rows = json.loads(step["entries"])
    if how == "in its own step":
        db.execute("UPDATE steps SET entries = ? WHERE step = ?", (json.dumps([*rows, rows[0]]), step["step"]))
    else:
        step["step"] = 999
        db.execute(f"INSERT INTO steps VALUES ({', '.join('?' * len(step))})", tuple(step.values()))
    hash_again(db)
    assert any("applied 2 times" in line for line in audit(run).wrong)


@pytest.mark.parametrize("smart", [False, True], ids=["plain", "hashed again"])
@pytest.mark.parametrize(("name", "value"), [
    ("after", None), ("before", None), ("lr", 0.04), ("owner", "agent@1"), ("family", "mlp"), ("round", 3),
    ("entries", "[]"), ("entries", "nonsense")])
def test_a_changed_step(run, db, name, value, smart):
    step = one(db, "SELECT * FROM steps WHERE owner = 'agent' AND round = 1 AND family = 'convnet'")
    if value is None:
        value = one(db, "SELECT digest FROM weights WHERE family = 'convnet' AND digest NOT IN (?, ?)",
                    step["before"], step["after"])["digest"]
    db.execute(f"UPDATE steps SET {name} = ? WHERE step = ?", (value, step["step"]))
    if smart:
        hash_again(db)
    assert any(f"step {step['step']}" in line for line in audit(run).wrong)


@pytest.mark.parametrize("how", ["bits", "another's", "missing", "garbage"])
def test_changed_weights(run, db, how):
    digest = one(db, "SELECT weights FROM entries")["weights"]
    row = one(db, "SELECT * FROM weights WHERE digest = ?", digest)
    if how == "missing":
        db.execute("DELETE FROM weights WHERE digest = ?", (digest,))
    else:
        tensors = from_safetensors(row["tensors"])
        tensors["damage.bias"] = tensors["damage.bias"] + np.float32(1e-3)
        new = {"bits": to_safetensors(tensors), "garbage": b"garbage", "another's": one(
            db, "SELECT tensors FROM weights WHERE family = ? AND digest != ?", row["family"], digest)["tensors"]}[how]
        db.execute("UPDATE weights SET tensors = ? WHERE digest = ?", (new, digest))
    assert any(digest in line for line in audit(run).wrong)


# ---- matches -------------------------------------------------------------------------------------


def replay_of(match):
    return Replay.from_json(zlib.decompress(match["replay"]).decode())


def put(db, number, replay):
    db.execute("UPDATE matches SET replay = ? WHERE number = ?", (zlib.compress(replay.to_json().encode()), number))


def again(replay, steps, cards):
    """A replay with other steps and true digests; GameError if they can't be played."""
    decks = tuple(Deck(name, deck) for name, deck in zip(replay.deck_ids, replay.decks, strict=True))
    return Replay.from_steps(decks, replay.seed, replay.settings, cards, replay.sources, tuple(steps))


def test_a_changed_step_of_a_replay(run, db):
    match = one(db, "SELECT * FROM matches WHERE number = 5")
    replay = replay_of(match)
    steps = list(replay.steps)
    place = next(i for i, step in enumerate(steps) if isinstance(step, int) and step != 224 and i > 20)
    steps[place] = 224
    put(db, 5, replace(replay, steps=tuple(steps)))
    assert any(line.startswith("match 5") for line in audit(run).wrong)


@pytest.mark.parametrize("source", ["scripted", "", "somebody"])
def test_a_verdict_of_another_source(run, db, source):
    match = one(db, "SELECT * FROM matches WHERE buffs > 2")
    put(db, match["number"], replace(replay_of(match), sources=(source, source)))
    assert any("not learned" in line for line in audit(run).wrong)


@pytest.mark.parametrize("outcome", ["vanished", "exploded"])
def test_a_learned_verdict_made_into_another(run, db, cards, outcome):
    """The last update of a match becomes one that did nothing, and everything is made to fit."""
    for match in db.execute("SELECT * FROM matches WHERE buffs > 0").fetchall():
        replay = replay_of(match)
        place = max(i for i, step in enumerate(replay.steps) if isinstance(step, tuple))
        if replay.steps[place][0] != "learned":
            continue
        try:
            changed = again(replay, [*replay.steps[:place], (outcome, 0, replay.steps[place][2]),
                                     *replay.steps[place + 1:]], cards)
        except ValueError:
            continue
        if changed.result == replay.result and changed.result != "running":
            break
    row, number = replay.steps[place][1], match["number"]
    final = changed.verify(cards)
    put(db, number, changed)
    db.execute("UPDATE matches SET buffs = buffs - 1, turns = ?, decisions = ? WHERE number = ?",
               (final.turn, int(final.state.ply), number))
    step = one(db, 'SELECT step FROM entries WHERE "row" = ?', row)["step"]
    db.execute('DELETE FROM entries WHERE "row" = ?', (row,))
    rows = json.loads(one(db, "SELECT entries FROM steps WHERE step = ?", step)["entries"])
    db.execute("UPDATE steps SET entries = ? WHERE step = ?", (json.dumps([r for r in rows if r != row]), step))
    hash_again(db)
    assert any(f"{outcome} in the match, computed again learned" in line for line in audit(run).wrong)
    db.execute("UPDATE matches SET weights = NULL WHERE number = ?", (number,))
    assert any("on which weights isn't recorded" in line for line in audit(run).wrong)


@pytest.mark.parametrize(("name", "value"), [
    ("winner", "1 - winner"), ("reason", "'concede'"), ("turns", "turns + 1"), ("decisions", "decisions - 1"),
    ("cast", '"cast" + 1'), ("buffs", "buffs - 1"), ("name", "'0000000000000000'"), ("replay", "x'00'"),
    ("labs", "'nonsense'"), ("weights", "'nonsense'"), ("weights", "'[{\"mlp\": \"0\"}]'")])
def test_a_changed_record_beside_a_replay(run, db, name, value):
    number = one(db, "SELECT number FROM matches WHERE buffs > 2 AND winner IS NOT NULL")["number"]
    db.execute(f'UPDATE matches SET "{name}" = {value} WHERE number = ?', (number,))
    assert any(line.startswith(f"match {number}") for line in audit(run).wrong)


def test_labs_that_sat_elsewhere(run, db):
    match = one(db, "SELECT * FROM matches WHERE labs LIKE '%agent@%' AND buffs > 2")
    db.execute("UPDATE matches SET labs = ? WHERE number = ?", (json.dumps(json.loads(match["labs"])[::-1]),
                                                                 match["number"]))
    assert any("owner" in line for line in audit(run).wrong)


@pytest.mark.parametrize("number", [0, 10])
def test_a_match_that_is_gone_with_all_its_entries(run, db, number):
    rows = {row["row"] for row in db.execute('SELECT "row" FROM entries WHERE match = ?', (number,)).fetchall()}
    db.execute("DELETE FROM matches WHERE number = ?", (number,))
    db.execute("DELETE FROM entries WHERE match = ?", (number,))
    for step in db.execute("SELECT * FROM steps").fetchall():
        kept = [row for row in json.loads(step["entries"]) if row not in rows]
        db.execute("UPDATE steps SET entries = ? WHERE step = ?", (json.dumps(kept), step["step"]))
    hash_again(db)
    assert any("missing" in line for line in audit(run).wrong)


# ---- what can't be read --------------------------------------------------------------------------


def test_a_database_that_is_damaged_or_none(run, tmp_path):
    path = run / "ledger.sqlite"
    data = bytearray(path.read_bytes())
    data[len(data) // 3:len(data) // 2] = b"\xa5" * (len(data) // 2 - len(data) // 3)
    path.write_bytes(data)
    with pytest.raises(GameError, match="database is damaged"):
        audit(run)
    for content in (b"", b"no database at all" * 100):
        path.write_bytes(content)
        with pytest.raises(GameError, match=r"ledger\.sqlite: "):
            audit(run)
    with pytest.raises(GameError, match="no ledger"):
        audit(tmp_path)
