"""What a training step costs, before it is run: FLOPs, and the memory its backward pass needs.

A rehearsal goes through the model as `forward` does, with shapes in place of numbers. Each kind of part says
what it multiplies and what it keeps; a part that says nothing is its parts, one after the other. A
multiply-add is 2 FLOPs. Only matrix products count: what is done to one number at a time, as in a norm, is
small beside them.
"""

from mini_bert.models.cost import of_attention, of_encoders, of_heads, of_layers
from mini_bert.models.cost.amounts import PARTS, buffer_of, by_part, measured_bytes, parameters
from mini_bert.models.cost.of_training import rehearse_training
from mini_bert.models.cost.rehearsal import ID_BYTES, Rehearsal, Shape
from mini_bert.models.cost.rehearse import rehearse

__all__ = [
    "ID_BYTES",
    "PARTS",
    "Rehearsal",
    "Shape",
    "buffer_of",
    "by_part",
    "measured_bytes",
    "of_attention",
    "of_encoders",
    "of_heads",
    "of_layers",
    "parameters",
    "rehearse",
    "rehearse_training",
]
