"""tokenizer_config.json: what `transformers` wants to know beside tokenizer.json, and what plain files cannot hold.

vocab.txt, vocab.json, merges.txt      the pieces
tokenizer_config.json beside them      case, accents, the space before a text, added tokens, padding
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mini_bert.tokenizers.added import AddedToken
from mini_bert.tokenizers.description import Description, read_description
from mini_bert.tokenizers.destination import CONFIG
from mini_bert.tokenizers.encoding import Padding

if TYPE_CHECKING:
    from mini_bert.tokenizers.tokenizer import Tokenizer

COMPANIONS = ("tokenizer.json", "vocab.txt", "vocab.json", "merges.txt")
"""The files that a config may stand beside; small.vocab.txt goes with small.tokenizer_config.json."""


def huggingface_config(tokenizer: Tokenizer) -> dict[str, Any]:
    """The content of the file."""
    roles = tokenizer.roles
    named = {"pad": roles.pad, "unk": roles.unk, "cls": roles.cls, "sep": roles.sep, "mask": roles.mask}
    ends = {"bos": roles.cls or roles.end, "eos": roles.end} if roles.end else {}
    tokens = {f"{role}_token": token for role, token in {**named, **ends}.items() if token is not None}
    segments = {segment for _, segment in tokenizer.frame.pair}
    inputs = ["input_ids", *(["token_type_ids"] if len(segments) > 1 else []), "attention_mask"]
    padding = tokenizer.frame.padding
    entries = [token.to_json(tokenizer.token_to_id[token.content]) for token in tokenizer.added]
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_input_names": inputs,
        **tokens,
        "added_tokens_decoder": {str(entry.pop("id")): entry for entry in entries},
        "padding_side": padding.side,
        **({"pad_token_type_id": padding.segment} if padding.segment else {}),
        **tokenizer.plain_settings(),
    }


def config_beside(path: Path) -> Description:
    """The config that belongs to a file of a tokenizer; an empty one if there is none."""
    prefix = next((path.name.removesuffix(name) for name in COMPANIONS if path.name.endswith(name)), None)
    file = path.with_name(f"{prefix}{CONFIG}")
    return Description({}, str(file)) if prefix is None or not file.is_file() else read_description(file)


def padding_in(config: Description, default: Padding) -> Padding:
    side = config.text("padding_side", default.side)
    if side not in ("left", "right"):
        raise config.unsupported("padding_side", side, ["left", "right"])
    return Padding(
        "left" if side == "left" else "right", config.integer("pad_token_type_id", default.segment)
    )


def with_added_tokens(
    pieces: Sequence[str], config: Description, customary: Sequence[AddedToken]
) -> tuple[list[str], list[AddedToken]]:
    """The pieces of plain files and the tokens that the config adds behind them; and all added tokens.

    Where the config names none, those are the customary ones.
    """
    if (part := config.part("added_tokens_decoder")) is None:
        return list(pieces), list(customary)
    entries: dict[int, AddedToken] = {}
    for index in part.content:
        if not index.isdecimal():
            raise part.error("expected an id, a whole number from 0", index)
        entries[int(index)] = AddedToken.from_json(part.needed_part(index))
    known = set(pieces)
    further = [
        (index, token.content) for index, token in sorted(entries.items()) if token.content not in known
    ]
    if [index for index, _ in further] != list(range(len(pieces), len(pieces) + len(further))):
        raise part.unsupported(
            "", f"the id of {further[0][1]}", [f"ids from {len(pieces)} up, one after the other"]
        )
    return [*pieces, *(content for _, content in further)], list(entries.values())
