"""The window: the only part of the project that imports pygame.

A scene builds widgets from immutable views; the application draws them, finds what the mouse and
the keyboard mean by the same widgets, and writes them down for tests. Opponents, gradient updates
and hints come through a :class:`~game.window.worker.Service` that the command hands in.
"""
