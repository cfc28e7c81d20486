"""The command ``backprop``: the one place that joins ``learner`` and ``game.window``.

**A command is a file in this folder.** :mod:`learner.cli.main` finds every file that assigns the
two plain strings ``NAME`` and ``HELP`` at its top level (it reads them without importing the
file) and imports the chosen one alone. Adding a file adds the command::

    NAME = "selfplay"
    HELP = "learning agents play matches against each other"

    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--matches", type=arguments.count, default=256, help="...")
        arguments.add_seed(parser)

    def run(args: argparse.Namespace) -> int:
        from learner.rl import selfplay            # heavy imports stay in here

        out = Output(args.json)
        with stoppable() as stop, out.progress("playing", args.matches, "matches") as progress:
            ...
            progress.advance(1, note="agent 54 %")
            if stop.requested:
                ...                                # save, then
                raise Stopped("12 rounds saved in runs/7")
        out.table("Results", ["agent", "wins"], rows)
        out.result({"matches": 256})
        return 0

What :mod:`learner.cli.main` adds to every command: ``--help``, ``--json``, BLAS and numba held to
one thread unless the environment says otherwise, and what errors mean:

=====================================  =========================================  =========
what leaves ``run``                    standard error                             exit code
=====================================  =========================================  =========
a number                               nothing                                    it
GameError, OSError                     one line                                   2
:class:`~learner.cli.output.Stopped`   one line: its text                         130
KeyboardInterrupt (Ctrl-C)             one line                                   130
anything else                          the traceback; it is a fault of ours       1
=====================================  =========================================  =========

Input is checked before work begins, and files are written whole (:mod:`game.files`), so that
none of these leaves half of anything behind. :mod:`learner.cli.arguments` has the argument types,
:mod:`learner.cli.output` all printing. Standard output belongs to results; progress and remarks
go to standard error.
"""
