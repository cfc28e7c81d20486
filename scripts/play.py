"""Play in the terminal from a checkout: ``python scripts/play.py`` is ``backprop play --text``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from learner.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["play", "--text", *sys.argv[1:]]))
