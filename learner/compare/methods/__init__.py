"""The methods, in the order in which they are told: with a way back, with another one, without."""

from learner.compare.method import Method
from learner.compare.methods.backpropagation import Backpropagation
from learner.compare.methods.evolution import EvolutionStrategies
from learner.compare.methods.feedback_alignment import DirectFeedbackAlignment
from learner.compare.methods.finite_differences import FiniteDifferences
from learner.compare.methods.forward_forward import ForwardForward
from learner.compare.methods.hebbian import Hebbian
from learner.compare.methods.reinforce import Reinforce
from learner.compare.methods.straight_through import StraightThrough
from learner.compare.methods.target_propagation import TargetPropagation

METHODS: tuple[type[Method], ...] = (
    Backpropagation, StraightThrough, DirectFeedbackAlignment, TargetPropagation, ForwardForward, Hebbian, Reinforce,
    EvolutionStrategies, FiniteDifferences)

__all__ = ["METHODS"]
