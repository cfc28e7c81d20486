"""A network at one real moment: a decision or a Backpropagation, layer by layer and as a picture.

:mod:`learner.explain.moments` finds the moment in a run or a replay, :mod:`learner.explain.layers`
runs the network on it and reads off values and gradients.
"""
