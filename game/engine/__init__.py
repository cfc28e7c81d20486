"""Compiled rules and their data.

Read from the ground up: records (what there is), chance, journal; units, labs, effects (what
happens to it); deaths, turns, play, update, setup, rules (in which order); legal and observe
(what may be done and seen); batch (what Python calls). compiled.py is how all that runs.
"""
