"""Claims about backpropagation that can be run, one module a lesson: ``backprop lesson NAME``.

**A lesson is a file in this folder.** :func:`learner.lessons.lesson.lessons` finds every file that assigns the two
plain strings ``NAME`` and ``HELP``. Adding a file adds the lesson::

    NAME = "FAILURES"
    HELP = "how gradients vanish and explode, and what helps"
    STEPS = 12                                     # how often run() calls progress.advance()

    def run(seed: int, progress: Progress) -> Lesson:
        ...                                        # under a minute on one core; all chance comes from the seed
        progress.advance(1, "10 layers")
        return Lesson(tables=[Table("Norms", ["layers", "norm"], rows)],
                      pictures=[Picture("norms", svg.picture([svg.lines(...)]))],
                      sentences=[f"With {layers} layers the first one gets {share:.1%} of ..."])

Everything a lesson says is computed in its run: a sentence that would stand there whatever came out is none.
Each lesson has a page, docs/lessons/NAME.md in small letters, whose results are written by
``backprop lesson NAME --page docs/lessons/NAME.md`` (see :mod:`learner.cli.page`).
"""
