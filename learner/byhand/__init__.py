"""Backpropagation written out by hand, as it is taught: no tape, one Layer after the other.

For a network z = W a + b, a' = phi(z) the recurrences are

    delta_L = dL/da_L * phi'(z_L)                    at the output
    delta_l = (W_{l+1}^T delta_{l+1}) * phi'(z_l)    from layer to layer
    dL/dW_l = delta_l a_{l-1}^T,  dL/db_l = delta_l  for the parameters

Here rows are examples, so that W^T delta reads `delta @ W` and delta a^T reads `delta.T @ a`, summed over the batch.
`learner.autodiff` gets the same numbers from its tape; tests hold the two together.
"""

from learner.byhand.layers import GELU, Layer, LeakyReLU, Linear, ReLU, Sigmoid, Tanh
from learner.byhand.network import MeanSquaredError, Network, SoftmaxCrossEntropy

__all__ = ["GELU", "Layer", "LeakyReLU", "Linear", "MeanSquaredError", "Network", "ReLU", "Sigmoid",
           "SoftmaxCrossEntropy", "Tanh"]  # fmt: skip
