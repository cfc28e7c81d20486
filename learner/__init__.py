"""Learning: autodiff, networks, agents and the ledger of the card's gradient updates."""
