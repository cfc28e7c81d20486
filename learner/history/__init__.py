"""1986 again: the tasks with which Rumelhart, Hinton and Williams showed that hidden units learn.

Start with tasks.py (what is learned, from which start), then population.py (a hundred networks trained at once); the
other files each ask one question of the trained networks, and report.py puts the answers together.

D. E. Rumelhart, G. E. Hinton, R. J. Williams: *Learning representations by back-propagating errors*, Nature 323
(1986) 533–536; and *Learning internal representations by error propagation*, chapter 8 of Parallel Distributed
Processing, volume 1 (1986).
"""
