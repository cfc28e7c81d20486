"""The game in other libraries' clothes, and a kit that checks an engine.

* :mod:`game.envs.pettingzoo`: two agents in turn (AEC).
* :mod:`game.envs.gymnasium`: one agent against a bot.
* :mod:`game.envs.openspiel`: the game "python_backpropagation".
* :mod:`game.envs.check`: the conformance kit; needs none of these libraries.

The libraries come with the extra ``envs``. docs/environments.md is the guide.
"""
