"""Learning: autodiff, networks, agents and the ledger of the card's gradient updates."""

import os

# One BLAS thread unless somebody chose otherwise; read when NumPy is first imported. The matrices
# here are small: on busy cores a second thread was seen to make a product a hundred times slower.
for _setting in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_setting, "1")
