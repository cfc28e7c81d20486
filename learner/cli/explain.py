"""``backprop explain``: a network at one real decision or Backpropagation, layer by layer and as a picture."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learner.cli import arguments
from learner.cli.output import Output

if TYPE_CHECKING:
    from game.cards import CardSet
    from learner.agent import Agent
    from learner.explain.layers import Explained
    from learner.explain.moments import Decision, Update

NAME = "explain"
HELP = "show a network at one real decision or update: layers, values, gradients, as a table and a picture"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which moment, of which network, drawn where."""
    parser.add_argument("source", nargs="?", metavar="RUN_OR_REPLAY", help="a run's folder or a replay's file")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--shapes", action="store_true", help="list the shapes and sizes of all networks")
    what.add_argument("--update", type=arguments.count, metavar="K",
                      help="a Backpropagation: a run's ledger entry K; of a match or replay, the K-th update asked for")
    what.add_argument("--decision", type=arguments.count, metavar="PLY", help="a decision of a match, from 1")
    parser.add_argument("--match", type=int, metavar="M", help="which match of the run, from 0")
    parser.add_argument("--network", choices=("player", "model"),
                        help="of a decision that sent a Model: the player's, who sent it, or the Model's, which chose "
                             "the target (default)")
    parser.add_argument("--agent", metavar="NAME", help="with whose networks, as in ladder (a replay keeps none)")
    parser.add_argument("--plot", metavar="FILE.svg", help="draw the computation with its values and gradients")


def run(args: argparse.Namespace) -> int:
    """Find the moment, run the network on it, tell and draw."""
    from game.cards import first_set
    from game.errors import GameError

    out, cards = Output(args.json), first_set()
    if args.shapes:
        return _shapes(out, cards)
    if args.source is None or not Path(args.source).exists():
        raise GameError(f"{args.source or 'RUN_OR_REPLAY'}: " + ("there is no such run or replay" if args.source else
                                                                "name a run's folder or a replay's file"))
    if args.plot and (Path(args.plot).suffix != ".svg" or not Path(args.plot).resolve().parent.is_dir()):
        raise GameError(f"--plot {args.plot}: needs a file ending in .svg in a folder that is there")
    agent, moment, whose = _moment(args, cards)
    explained, facts, lines = _update(agent, moment) if args.update else _decision(agent, moment, args.network)
    out.say(f"{moment.title}; {whose}")
    for line in lines:
        out.say(line)
    _layers(out, explained)
    if args.plot:
        from game.files import write_atomic

        write_atomic(args.plot, explained.svg())
        out.say(f"picture: {args.plot}")
    out.result({"moment": moment.title, "weights": whose, **facts, **explained.as_dict(), "picture": args.plot})
    return 0


def _moment(args: argparse.Namespace, cards: CardSet) -> tuple[Agent, Any, str]:
    """The networks, the update or decision, and whose networks they are."""
    from game.errors import GameError
    from game.replay import Replay
    from learner.agent import Agent
    from learner.explain import moments
    from learner.ledger.store import Store
    from learner.rl.measure import find_player

    path = Path(args.source)
    given = find_player(args.agent, cards).agent if args.agent else None
    if path.is_file() and path.suffix != ".sqlite":
        if given is None:
            raise GameError(f"{path}: a replay keeps no networks; say with --agent whose to explain")
        found, seat = _find(Replay.read(path), args, cards)
        return given, found, f"{args.agent}'s weights"
    folder = path.parent if path.is_file() else path
    with Store(folder / "ledger.sqlite") as store:
        if args.match is None:
            if not args.update:
                raise GameError("--decision in a run: say of which match with --match")
            agent = Agent(0, cards, "explained")
            update = moments.ledger_update(store, args.update, agent)
            return agent, update, "as it was computed"
        replay, row = moments.match_of_run(store, args.match)
        found, seat = _find(replay, args, cards)
        if given is not None:
            return given, found, f"{args.agent}'s weights"
        if args.update:
            agent = Agent(0, cards, "explained")
            moments.weights_of_match(store, row, seat, found.family, agent)
            return agent, found, "as it was computed"
        agent, whose = moments.agent_of_run(folder, row, seat, int(store.meta("round", 0)), cards)
        return agent, found, whose


def _find(replay: Any, args: argparse.Namespace, cards: CardSet) -> tuple[Update | Decision, int]:
    from learner.explain import moments

    if args.decision:
        return moments.find_decision(replay, args.decision, cards)
    return moments.find_update(replay, args.update, cards)


def _update(agent: Agent, update: Update) -> tuple[Explained, dict[str, Any], list[str]]:
    from learner.explain.layers import explain_update

    explained, found = explain_update(agent, update.family, update.lesson)
    facts = {"prediction": found.prediction, "damage": found.damage, "loss": found.loss, "norm": found.norm,
             "outcome": found.outcome, "recorded": update.recorded}
    lines = [f"the {update.family} network predicted {found.prediction:.3f} damage, {found.damage} was taken: "
             f"loss {found.loss:.4g}, gradient norm {found.norm:.4g}: {found.outcome}"]
    if found.outcome != update.recorded:
        lines.append(f"(in the match, with the weights of then: {update.recorded})")
    return explained, facts, lines


def _decision(agent: Agent, decision: Decision, network: str | None) -> tuple[Explained, dict[str, Any], list[str]]:
    from game.engine.records import TOKENS
    from game.errors import GameError
    from learner.explain.layers import choice_of, explain_choice, explain_target
    from learner.policies.player import CARD_CHOICES, END_CHOICE

    if network == "model" and not decision.family:
        raise GameError("--network model: no Model was sent in this decision")
    if decision.family and network != "player":
        explained, chances = explain_target(agent, decision.family, decision.row, decision.slot, decision.history,
                                            decision.action % TOKENS)
        named = {decision.words(decision.action // TOKENS * TOKENS + at): float(chances[at])
                 for at in chances.argsort()[::-1] if chances[at] > 1e-6}
        chosen, value = float(chances[decision.action % TOKENS]), None
    else:
        explained, chances, value = explain_choice(agent, decision.row, decision.mask, decision.action)
        named = {}
        for choice in chances.argsort()[::-1]:
            if chances[choice] > 1e-6:
                sent = CARD_CHOICES <= choice < END_CHOICE
                action = int(choice) if choice < CARD_CHOICES else (int(choice) - CARD_CHOICES + 10) * TOKENS
                named[f"send the Model in slot {choice - CARD_CHOICES + 1}" if sent else decision.words(action)] = (
                    float(chances[choice]))
        chosen = float(chances[choice_of(decision.action)])
    lines = [f"the {explained.network} network gave what was done {chosen:.1%}"
             + ("" if value is None else f"; it expects {value:+.2f} (win +1, loss −1)")]
    lines += [f"  {chance:6.1%}  {words}" for words, chance in list(named.items())[:5]]
    return explained, {"probability": chosen, "value": value, "probabilities": named}, lines


def _layers(out: Output, explained: Explained) -> None:
    out.table(f"gradients of {explained.differentiated}",
              ["layer", "kind", "parameters", "output", "|output|", "|∂/∂output|", "|∂/∂weights|"],
              [[layer.name, layer.kind, layer.parameters, " × ".join(map(str, layer.output or ())), layer.activation,
                layer.gradient, layer.weight_gradient] for layer in explained.layers])


def _shapes(out: Output, cards: CardSet) -> int:
    from learner.agent import Agent
    from learner.explain.layers import shapes

    rows = shapes(Agent(0, cards))
    totals: dict[str, int] = {}
    for network, _, _, size in rows:
        totals[network] = totals.get(network, 0) + size
    for network, total in totals.items():
        out.table(f"{network}: {total:,} parameters", ["parameter", "shape", "numbers"],
                  [[name, shape, size] for owner, name, shape, size in rows if owner == network])
    out.result({"networks": {network: {"parameters": total, "shapes": {
        name: shape for owner, name, shape, _ in rows if owner == network}} for network, total in totals.items()}})
    return 0
