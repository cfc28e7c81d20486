"""The experiments of the lesson COST: what gradients cost in time and in memory, one question a file."""
