"""A match in words, for terminals, logs and windows: cards, the board, what happened, what can be done.

Everything here is told in a language and, where it matters, from one player's side; nothing is
printed.
"""
