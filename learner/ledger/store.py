"""A run's database (SQLite): matches, ledger, weights, metrics. One transaction a round, all or nothing.

Every ledger entry carries the hash of the one before it, so that none can be changed, dropped
or slipped in unseen. The weights that an entry or a step names by digest are kept whole.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.numpy import load as from_safetensors
from safetensors.numpy import save as to_safetensors

from game.errors import GameError
from learner.agent import weights_digest
from learner.ledger.updates import Entry

SCHEMA_VERSION = 1
PENDING, APPLIED, MEASUREMENT = "pending", "applied", "measurement"
_KEPT = tuple(f.name for f in fields(Entry) if f.name not in ("arrays", "observation"))
"""Fields of an entry that stand in its row under their own names."""
_STEP = ("step", "round", "owner", "family", "lr", "entries", "before", "after")

_SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE matches (
  number INTEGER PRIMARY KEY, round INTEGER NOT NULL, name TEXT NOT NULL, labs TEXT NOT NULL, winner INTEGER,
  reason TEXT NOT NULL, turns INTEGER NOT NULL, decisions INTEGER NOT NULL, cast INTEGER NOT NULL,
  buffs INTEGER NOT NULL, replay BLOB NOT NULL, weights TEXT);
CREATE TABLE entries (
  "row" INTEGER PRIMARY KEY, {", ".join(f'"{name}"' for name in _KEPT if name != "row")},
  observation BLOB NOT NULL, arrays BLOB, previous TEXT NOT NULL, hash TEXT NOT NULL,
  status TEXT NOT NULL, step INTEGER, loss_after REAL);
CREATE TABLE steps (
  step INTEGER PRIMARY KEY, round INTEGER NOT NULL, owner TEXT NOT NULL, family TEXT NOT NULL, lr REAL NOT NULL,
  entries TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE weights (digest TEXT PRIMARY KEY, family TEXT NOT NULL, tensors BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE metrics (round INTEGER PRIMARY KEY, document TEXT NOT NULL);
"""


class Store:
    """The database of a run or of a person's lab. ``Store(path, create=True)`` makes a new one."""

    def __init__(self, path: Path | str, create: bool = False) -> None:
        self.path = Path(path)
        if create == self.path.exists():
            raise GameError(f"{self.path}: {'already exists' if create else 'there is no ledger here'}")
        try:
            self._db = sqlite3.connect(self.path, isolation_level=None)
        except sqlite3.Error as error:
            raise GameError(f"{self.path}: not a readable ledger: {error}") from None
        try:
            self._open(create)
        except BaseException:
            self.close()
            raise

    def _open(self, create: bool) -> None:
        self._db.row_factory = sqlite3.Row
        try:
            if create:
                with self.transaction():
                    for statement in _SCHEMA.strip().split(";\n"):
                        self._db.execute(statement)
                    self.set_meta("schema", SCHEMA_VERSION)
            version = self.meta("schema")
        except sqlite3.Error as error:
            raise GameError(f"{self.path}: not a readable ledger: {error}") from None
        if version != SCHEMA_VERSION:
            raise GameError(f"{self.path}: a ledger of schema {version!r}; this program reads {SCHEMA_VERSION}")

    def close(self) -> None:
        """Close the database; closing it again does nothing."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_db"):  # one that was dropped with an error on its way
            self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything written inside is kept, or nothing is; OSError if the disk refuses."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
        except BaseException as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError):
                raise OSError(f"{self.path}: {error}") from None
            raise

    # ---- small facts ----

    def set_meta(self, key: str, value: Any) -> None:
        """Keep a JSON value under a key."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value)))

    def meta(self, key: str, default: Any = None) -> Any:
        """The value kept under a key."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        try:
            return default if row is None else json.loads(row["value"])
        except (ValueError, TypeError):
            raise GameError(f"{self.path}: what it says of {key!r} is damaged") from None

    # ---- matches ----

    def add_match(self, number: int, round_number: int, name: str, labs: tuple[str, str], winner: int | None,
                  reason: str, turns: int, decisions: int, cast: int, buffs: int, replay: str,
                  weights: Sequence[dict[str, str]] = ({}, {})) -> None:
        """Keep a match and its replay.

        ``buffs`` counts those that carry a ledger entry; ``weights``: for each seat, the digests by
        family of the networks that were asked for an update.
        """
        self._db.execute("INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (
            number, round_number, name, json.dumps(labs), winner, reason, turns, decisions, cast, buffs,
            zlib.compress(replay.encode()), json.dumps(list(weights))))

    def matches(self) -> Iterator[sqlite3.Row]:
        """All matches in the order of their numbers; see :meth:`replay_text` for the replay."""
        yield from self._db.execute("SELECT * FROM matches ORDER BY number")

    @staticmethod
    def replay_text(match: sqlite3.Row) -> str:
        """The replay kept with a match, JSON text; GameError if it is damaged."""
        try:
            return zlib.decompress(match["replay"]).decode()
        except (zlib.error, TypeError, UnicodeDecodeError) as error:
            raise GameError(f"its replay is damaged: {error}") from None

    def next_match(self) -> int:
        """The number that the next match gets."""
        return int(self._db.execute("SELECT COALESCE(MAX(number), -1) + 1 FROM matches").fetchone()[0])

    def total(self, column: str) -> int:
        """Sum of a column of the matches."""
        return int(self._db.execute(f'SELECT COALESCE(SUM("{column}"), 0) FROM matches').fetchone()[0])

    def count(self, what: str, where: str = "1", *values: Any) -> int:
        """Number of rows of a table for which a condition holds."""
        return int(self._db.execute(f"SELECT COUNT(*) FROM {what} WHERE {where}", values).fetchone()[0])

    # ---- entries ----

    def add_entries(self, entries: list[Entry], status: str, measured: Collection[str] = ()) -> None:
        """Append learned gradients, ascending by row; pending ones keep their gradient until it is applied.

        ``measured``: owners whose entries are marked *measurement* instead.
        """
        previous = self._last_hash()
        for entry in sorted(entries, key=lambda e: e.row):
            values = [getattr(entry, name) for name in _KEPT]
            link = entry_hash(previous, dict(zip(_KEPT, values, strict=True)), entry.observation)
            own = MEASUREMENT if entry.owner in measured else status
            arrays = to_safetensors(entry.arrays) if own == PENDING else None
            self._db.execute(
                f"INSERT INTO entries ({', '.join(chr(34) + name + chr(34) for name in _KEPT)}, observation, arrays, "
                f"previous, hash, status) VALUES ({', '.join('?' * (len(_KEPT) + 5))})",
                (*values, zlib.compress(entry.observation), arrays, previous, link, own))
            previous = link

    def entries(self, where: str = "1", *values: Any) -> list[sqlite3.Row]:
        """Rows of the ledger, in order."""
        return self._db.execute(f'SELECT * FROM entries WHERE {where} ORDER BY "row"', values).fetchall()

    def pending(self, owner: str) -> list[Entry]:
        """Entries of a lab whose gradient hasn't reached the weights yet."""
        return [Entry(**{name: row[name] for name in _KEPT}, observation=zlib.decompress(row["observation"]),
                      arrays=from_safetensors(row["arrays"]))
                for row in self.entries("owner = ? AND status = ?", owner, PENDING)]

    def add_step(self, round_number: int, owner: str, family: str, lr: float, rows: list[int], before: str, after: str,
                 losses_after: list[float]) -> int:
        """Stamp entries as applied in one optimizer step; returns the step's number."""
        step = int(self._db.execute("SELECT COALESCE(MAX(step), 0) + 1 FROM steps").fetchone()[0])
        values = dict(zip(_STEP, (step, round_number, owner, family, lr, json.dumps(rows), before, after), strict=True))
        self._db.execute("INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*values.values(), step_hash(values)))
        for row, loss in zip(rows, losses_after, strict=True):
            changed = self._db.execute(
                'UPDATE entries SET status = ?, step = ?, loss_after = ?, arrays = NULL WHERE "row" = ? AND status = ?',
                (APPLIED, step, loss, row, PENDING)).rowcount
            if changed != 1:
                raise GameError(f"{self.path}: ledger entry {row} isn't pending; it can't be applied twice")
        return step

    def steps(self) -> list[sqlite3.Row]:
        """All optimizer steps, in order."""
        return self._db.execute("SELECT * FROM steps ORDER BY step").fetchall()

    def check_chain(self) -> list[str]:
        """What is wrong with the hash chain and the counters, one line each; empty if nothing is."""
        wrong, previous = [], ""
        for row in self._db.execute("SELECT * FROM entries ORDER BY rowid"):
            try:
                observation = zlib.decompress(row["observation"])
            except (zlib.error, TypeError):
                observation = b"damaged"
            link = entry_hash(row["previous"], {name: row[name] for name in _KEPT}, observation)
            if row["previous"] != previous:
                wrong.append(f"entry {row['row']}: an entry before it was changed or is missing")
            elif link != row["hash"]:
                wrong.append(f"entry {row['row']}: its content isn't what was recorded")
            previous = row["hash"]
        if previous != self.meta("ledger_head", ""):
            wrong.append("the ledger doesn't end where the run says: entries at its end are missing or added")
        return wrong

    def seal(self) -> None:
        """Record where the chain of entries ends; called once in each round's transaction."""
        self.set_meta("ledger_head", self._last_hash())

    def _last_hash(self) -> str:
        row = self._db.execute('SELECT hash FROM entries ORDER BY "row" DESC LIMIT 1').fetchone()
        return "" if row is None else str(row["hash"])

    # ---- weights and metrics ----

    def add_weights(self, family: str, state: dict[str, Any]) -> str:
        """Keep a network's weights under their digest; returns it."""
        digest = weights_digest(state)
        self._db.execute("INSERT OR IGNORE INTO weights VALUES (?, ?, ?)", (digest, family, to_safetensors(state)))
        return digest

    def drop_weights(self, family: str) -> None:
        """Forget all weights of a network that no entry and no step names."""
        self._db.execute("DELETE FROM weights WHERE family = ?", (family,))

    def weights(self, digest: str) -> dict[str, Any]:
        """The weights of a digest; GameError if they aren't there or aren't what they claim to be."""
        row = self._db.execute("SELECT tensors FROM weights WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            raise GameError(f"{self.path}: the weights {digest} are missing")
        try:
            state = from_safetensors(row["tensors"])
        except (SafetensorError, TypeError, ValueError) as error:
            raise GameError(f"{self.path}: the weights {digest} are damaged: {error}") from None
        if weights_digest(state) != digest:
            raise GameError(f"{self.path}: the weights kept as {digest} are others")
        return state

    def add_metrics(self, round_number: int, document: dict[str, Any]) -> None:
        """Keep a round's figures."""
        self._db.execute("INSERT INTO metrics VALUES (?, ?)", (round_number, json.dumps(document)))

    def metrics(self) -> list[dict[str, Any]]:
        """The figures of every round, in order."""
        return [json.loads(row["document"]) for row in self._db.execute("SELECT document FROM metrics ORDER BY round")]


def step_hash(step: Any) -> str:
    """Hash of all that a step's record says; ``step``: its columns by name."""
    return _digest(" ".join(repr(step[name]) for name in _STEP).encode())


def entry_hash(previous: str, values: dict[str, Any], observation: bytes) -> str:
    """Hash of an entry: of the one before it and of everything that never changes in it."""
    return _digest(previous.encode() + json.dumps(values, sort_keys=True).encode() + observation)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
