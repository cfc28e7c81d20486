"""Positions with a proven answer: what the player to act can still reach this turn, and what throws it away.

Read turn.py (the proof), then puzzle.py (what is asked, the file), solve.py (a player's answer).
"""
