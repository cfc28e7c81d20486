"""Processes that exchange arrays: sums, parts and wholes of a vector that each of them holds.

A vector of N numbers is cut into as many parts as there are processes; `part(N, r)` belongs to process r. Every byte
that a process sends is counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from multiprocessing.connection import Connection

import numpy as np

from learner.autodiff.table import Array


class Group:
    """One process's view of the others. peers: a two-way pipe to each of them, by rank."""

    def __init__(self, rank: int, size: int, peers: Mapping[int, Connection]) -> None:
        self.rank, self.size, self.peers = rank, size, dict(peers)
        self.sent = 0
        """Bytes sent so far."""

    def part(self, length: int, rank: int | None = None) -> slice:
        """Which elements of a vector of that length belong to a process (by default to this one)."""
        rank = self.rank if rank is None else rank
        return slice(length * rank // self.size, length * (rank + 1) // self.size)

    def exchange(self, to: int, data: Array, source: int, into: Array) -> None:
        """Send to one process while receiving from another, both contiguous arrays of one dtype.

        If everybody sent first, full pipes could make all wait for all. Along any circle of processes somebody's
        number is above its receiver's; that one receives first, and the circle unrolls from there.
        """
        if self.rank < to:
            self._send(to, data)
            self._receive(source, into)
        else:
            self._receive(source, into)
            self._send(to, data)

    def reduce_scatter(self, values: Array) -> Array:
        """This process's part of the sum of everybody's vectors, (N,) -> (part,).

        Terms are added in the order of ranks, so that an element's bits don't depend on whose part it is in.
        """
        own = self.part(len(values))
        terms = np.empty((self.size, own.stop - own.start), values.dtype)
        terms[self.rank] = values[own]
        for step in range(1, self.size):
            to, source = (self.rank + step) % self.size, (self.rank - step) % self.size
            self.exchange(to, values[self.part(len(values), to)], source, terms[source])
        return in_order(terms)

    def all_gather(self, own: Array, length: int) -> Array:
        """Everybody's parts as one vector of that length, (part,) -> (N,)."""
        whole = np.empty(length, own.dtype)
        whole[self.part(length)] = own
        for step in range(1, self.size):
            to, source = (self.rank + step) % self.size, (self.rank - step) % self.size
            self.exchange(to, own, source, whole[self.part(length, source)])
        return whole

    def all_reduce(self, values: Array) -> Array:
        """The sum of everybody's vectors, in everybody's hands: each sends 2 (size - 1) / size of its vector."""
        return self.all_gather(self.reduce_scatter(values), len(values))

    def ring_all_reduce(self, values: Array) -> Array:
        """The same by passing parts on around a ring: as many bytes, but every process talks to two others only.

        A part's sum begins at its owner's successor and goes round, so its order of summation differs from part to
        part (Patarasuk & Yuan 2009).
        """
        total, right, left = values.copy(), (self.rank + 1) % self.size, (self.rank - 1) % self.size
        for step in range(1, self.size):  # sums go round until each part's is complete at its owner
            out, arriving = (self.part(len(total), (self.rank - step - n) % self.size) for n in (0, 1))
            term = np.empty(arriving.stop - arriving.start, total.dtype)
            self.exchange(right, total[out], left, term)
            total[arriving] = term + total[arriving]
        for step in range(self.size - 1):  # then the complete ones go round
            out, arriving = (self.part(len(total), (self.rank - step - n) % self.size) for n in (0, 1))
            term = np.empty(arriving.stop - arriving.start, total.dtype)
            self.exchange(right, total[out], left, term)
            total[arriving] = term
        return total

    def star_all_reduce(self, values: Array) -> Array:
        """The same through process 0, which receives and sends size - 1 whole vectors while all others wait."""
        if self.rank:
            total = np.empty_like(values)
            self._send(0, values)
            self._receive(0, total)
            return total
        terms = np.empty((self.size, len(values)), values.dtype)
        terms[0] = values
        for other in range(1, self.size):
            self._receive(other, terms[other])
        total = in_order(terms)
        for other in range(1, self.size):
            self._send(other, total)
        return total

    def _send(self, to: int, data: Array) -> None:
        self.sent += data.nbytes
        self.peers[to].send_bytes(data.tobytes())

    def _receive(self, source: int, into: Array) -> None:
        data = np.frombuffer(self.peers[source].recv_bytes(), into.dtype)
        if data.shape != into.shape:
            raise RuntimeError(f"process {self.rank} awaited {into.shape} numbers of process {source} and got "
                               f"{data.shape}: the two are not at the same exchange")
        into[...] = data


def in_order(terms: Array) -> Array:
    """The sum of rows, added one after the other: (rows, N) -> (N,)."""
    total: Array = terms[0].copy()
    for term in terms[1:]:
        total += term
    return total
