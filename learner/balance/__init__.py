"""How the card set plays: a census of matches, its figures, and how far they are from the goals."""
