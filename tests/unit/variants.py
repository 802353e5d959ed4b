"""Changes to a preset that several tests try."""

MODERN = {
    "positions": "rotary",
    "norm": "rms",
    "residual": "pre-norm",
    "feed_forward": "gated",
    "activation": "gelu",
    "bias": False,
    "tied": True,
}
