"""Section 3 of the rules: one SplitMix64 generator for a match."""

WORD = 2**64


class Chance:
    def __init__(self, seed: int):
        self.word = seed

    def next(self) -> int:
        self.word = (self.word + 0x9E3779B97F4A7C15) % WORD
        z = self.word
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
        return z ^ (z >> 31)

    def bounded(self, n: int) -> int:
        return ((self.next() >> 32) * n) >> 32

    def one_of(self, things: list):
        """A random one of the things; none of them, and no random number, if there are none."""
        return things[self.bounded(len(things))] if things else None

    def shuffle(self, things: list) -> None:
        for i in range(len(things) - 1, 0, -1):
            j = self.bounded(i + 1)
            things[i], things[j] = things[j], things[i]
