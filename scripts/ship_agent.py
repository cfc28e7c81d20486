"""Put a trained agent among those that ship.

    python scripts/ship_agent.py runs/1/agent.safetensors best --temperature 0.4 --notes "command, rounds, minutes"

Writes ``assets/agents/NAME.safetensors``: the same weights, the name, the temperature it plays at, and in the header
how it was made. The card set's hash and the version of the features stand there too; another set refuses the file.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from game.assets import assets
from learner.agent import Agent, check_temperature

LARGEST = 2_000_000
"""Bytes."""


def main() -> int:
    """Read, rename, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="an agent's .safetensors file")
    parser.add_argument("name", help="what it is called from now on")
    parser.add_argument("--temperature", type=check_temperature, default=1.0, help="what its logits are divided by")
    parser.add_argument("--notes", required=True, help="how it was made: command, rounds, time")
    args = parser.parse_args()
    agent = Agent.load(args.file)
    agent.name, agent.temperature = args.name, args.temperature
    data = agent.to_bytes(made=args.notes)
    if len(data) > LARGEST:
        parser.error(f"{args.file} has {len(data):,} bytes; at most {LARGEST:,} ship")
    folder = assets() / "agents"
    folder.mkdir(exist_ok=True)
    (folder / f"{args.name}.safetensors").write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
