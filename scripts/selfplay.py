"""Let learning labs play from a checkout: ``python scripts/selfplay.py`` is ``backprop selfplay``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from learner.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["selfplay", *sys.argv[1:]]))
