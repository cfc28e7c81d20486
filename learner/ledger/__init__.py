"""The card's gradient updates: computed (updates), kept (store), applied (ledger), checked (audit)."""
