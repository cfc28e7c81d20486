"""Self-play, PPO, the league, ratings, and a run from its first round to its last."""
