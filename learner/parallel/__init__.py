"""The backward pass spread over processes: averaged gradients, and optimizer states and parameters cut in shards.

Read group.py (what processes say to each other), run.py (how they start and end), then strategies.py (who keeps what).
"""
