"""The rules of *Backpropagation*: cards, matches, bots, environments. Never imports ``learner``."""
