"""The others' side of `mini-bert bench inference`, as a process: python -m benchmarks.inference SHAPE.

BertForMaskedLM of the same sizes, as transformers runs it by default: float32, its own choice of attention, and the
logits of every word, from which the hidden ones are taken. It has what BERT has and MiniBERT has not (a norm after
the embeddings, a layer before the output words), about 1 % of the mini preset's products.
"""

import sys
from importlib.util import find_spec

from mini_bert.cli.bench_shapes import SHAPES, Texts
from mini_bert.cli.turns import seconds_of, serve
from mini_bert.training.memory import peak_resident_bytes
from mini_bert.training.parallel import available_cores

for needed in ("torch", "transformers"):
    if find_spec(needed) is None:  # known at once, without the seconds that importing them takes
        raise ModuleNotFoundError(f"no {needed}", name=needed)


def main(texts: Texts) -> None:
    import torch
    from transformers import BertConfig, BertForMaskedLM

    torch.set_num_threads(len(available_cores()))
    ours = texts.config
    config = BertConfig(
        vocab_size=ours.vocab_size,
        hidden_size=ours.hidden_size,
        num_hidden_layers=ours.num_layers,
        num_attention_heads=ours.num_heads,
        intermediate_size=ours.intermediate_size,
        max_position_embeddings=ours.max_seq_length,
        hidden_act=ours.activation,
    )
    model = BertForMaskedLM(config).eval()
    ids, positions = texts.draw()
    ids_there = torch.as_tensor(ids)
    places = None if positions is None else torch.as_tensor(positions)[..., None]

    @torch.inference_mode()
    def step() -> torch.Tensor:
        logits = model(input_ids=ids_there).logits
        return logits if places is None else logits.take_along_dim(places, 1)

    serve({"step": seconds_of(step), "memory": peak_resident_bytes})


if __name__ == "__main__":
    main(SHAPES[sys.argv[1]])
