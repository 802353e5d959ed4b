"""The learning rate's way up and down."""

from math import cos, pi

KINDS = ("linear", "cosine")


def learning_rate(step, steps, highest, warmup=0.1, kind="linear"):
    """s = (n − ½) / N,   η_n = η s/w  while s < w,   then η (1 − r) or η (1 + cos πr)/2  with  r = (s − w) / (1 − w)

    The n-th step of N: `step` counts 1, 2, …, `steps`. `warmup` is w, a share of training: 0 or more, below 1.
    """
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r}: choose one of {', '.join(KINDS)}")
    # gap: the share s that is done at the middle of this step; on the way up a straight line to `highest`; after it
    #      the share r of the way down, and a straight line or half a cosine
    s = (step - 0.5) / steps
    if s < warmup:
        return highest * s / warmup
    r = (s - warmup) / (1 - warmup)
    if kind == "cosine":
        return highest * (1 + cos(pi * r)) / 2
    return highest * (1 - r)
    # end of gap
