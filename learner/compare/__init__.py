"""Ways to train a network, side by side on the same layers and the same task: ``backprop compare``.

Start with method.py (what a way of learning has to answer), then methods/ (one file each, with its paper), race.py
(they all learn, and are measured on the way) and report.py.
"""
