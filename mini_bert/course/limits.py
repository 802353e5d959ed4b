"""How much of the machine a learner's code may take."""

SECONDS = 5.0
"""Of computing, unless the exercise's front matter says otherwise."""
PATIENCE = 6
"""By the clock it may take this many times as long: on a busy machine one waits more than one computes."""
GIGABYTES = 3
"""Of address space, where the system can limit it."""
