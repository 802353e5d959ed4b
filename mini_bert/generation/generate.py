"""`mini_bert.generate(model, prompt)`: a prompt goes on, as text or as ids.

model.generate("Once upon a time", max_new_tokens=40, temperature=0.8, top_k=50, top_p=0.95, seed=1)
model.generate(["The cat", "A dog and a"], greedy=True)          # several at once
for piece in streamed(model, "Once upon a time", Greedy()): print(piece, end="", flush=True)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import Any

from mini_bert.generation.continuing import continued
from mini_bert.generation.decoder import check_continues, decoder_of
from mini_bert.generation.prompts import are_texts, checked_prompts, endings, opening, told
from mini_bert.generation.sampling import Choice, Greedy, Sampling
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT

CUT = "\ufffd"
"""What stands for the beginning of a character whose other bytes are yet to come."""


def generate(
    model: MiniBERT,
    prompt: Any,
    *,
    max_new_tokens: int = 40,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    greedy: bool = False,
    seed: int = 0,
    stop: Collection[int] | None = None,
) -> Any:
    """The prompt and what follows it: text for text, ids for ids, a list for a list of prompts.

    It ends after `max_new_tokens`, or with one of the ids in `stop`: unless told, those that end a text in the
    model's vocabulary. A text may outgrow the model: see `continued`.
    """
    prompts, is_one = told(prompt)
    choose = choice(temperature, top_k, top_p, greedy, seed)
    if not are_texts(prompts):
        found = extended(model, prompts, choose, max_new_tokens, stop)
        return found[0] if is_one else found
    tokenizer = tokenizer_of(model)
    rows = extended(model, [opening(text, tokenizer) for text in prompts], choose, max_new_tokens, stop)
    texts = [tokenizer.decode(row, skip_special_tokens=True) for row in rows]
    return texts[0] if is_one else texts


def streamed(
    model: MiniBERT,
    prompt: str,
    choose: Choice,
    *,
    max_new_tokens: int = 40,
    stop: Collection[int] | None = None,
) -> Iterator[str]:
    """The same text, piece by piece as soon as it is certain; first the prompt."""
    tokenizer = tokenizer_of(model)
    [ids] = checked_prompts([opening(prompt, tokenizer)], model.config)
    coming = steps(model, [ids], choose, max_new_tokens, stop)
    text = shown = tokenizer.decode(ids, skip_special_tokens=True)
    yield shown
    for tokens in coming:
        ids.append(tokens[0])
        text = tokenizer.decode(ids, skip_special_tokens=True)
        certain = text.rstrip(CUT)
        if len(certain) > len(shown):
            yield certain[len(shown) :]
            shown = certain
    yield text[len(shown) :]


def choice(temperature: float, top_k: int | None, top_p: float | None, greedy: bool, seed: int) -> Choice:
    sampling = Sampling(temperature, top_k, top_p, seed)
    if greedy and sampling != Sampling(seed=seed):
        raise ValueError(
            "greedy takes the likeliest token; temperature, top_k and top_p would change nothing"
        )
    return Greedy() if greedy else sampling


def extended(
    model: MiniBERT, prompts: Iterable[Any], choose: Choice, limit: int, stop: Collection[int] | None
) -> list[list[int]]:
    """Each prompt's ids, and those that follow."""
    found = checked_prompts(prompts, model.config)
    for tokens in steps(model, found, choose, limit, stop):
        for text, token in tokens.items():
            found[text].append(token)
    return found


def steps(
    model: MiniBERT, prompts: list[list[int]], choose: Choice, limit: int, stop: Collection[int] | None
) -> Iterator[dict[int, int]]:
    """`continued` with a model's own decoder and vocabulary."""
    if limit < 1:
        raise ValueError(f"max_new_tokens {limit}: ask for at least 1 token")
    check_continues(model)
    return continued(
        prompts,
        partial(decoder_of, model),
        choose,
        limit=limit,
        stops=endings(model.tokenizer) if stop is None else stop,
        known=model.tokenizer.vocab_size if model.tokenizer else None,
        padding_id=model.config.padding_id,
    )
