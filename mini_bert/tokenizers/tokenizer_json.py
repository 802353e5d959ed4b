"""A tokenizer as a HuggingFace tokenizer.json: what all kinds write alike, and the parts in which they differ."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from hashlib import blake2b
from typing import Any, Self

from mini_bert.tokenizers.added import AddedTokens
from mini_bert.tokenizers.description import Description
from mini_bert.tokenizers.frame import Frame


class TokenizerJSON(ABC):
    """Added tokens and a frame are alike in all; text is normalized, cut, decoded by each kind in its own way."""

    token_to_id: dict[str, int]
    added: AddedTokens
    frame: Frame

    @abstractmethod
    def normalizer_json(self) -> dict[str, Any] | None:
        """How text is normalized, as a tokenizer.json says it."""

    @abstractmethod
    def pre_tokenizer_json(self) -> dict[str, Any]:
        """How text is cut into words."""

    @abstractmethod
    def decoder_json(self) -> dict[str, Any]:
        """How pieces become text."""

    @abstractmethod
    def model_json(self) -> dict[str, Any]:
        """The pieces, and how words are cut into them."""

    @classmethod
    @abstractmethod
    def from_json(cls, description: Description) -> Self:
        """The tokenizer of a tokenizer.json whose model is of this class."""

    def post_processor_json(self) -> dict[str, Any]:
        """What is done with the pieces of a text."""
        return self.frame.to_json(self.token_to_id)

    def plain_settings(self) -> dict[str, Any]:
        """What decides about ids and cannot be seen from plain files, as a tokenizer_config.json says it."""
        return {}

    def to_json(self) -> dict[str, Any]:
        """All that decides about ids, as the content of a HuggingFace tokenizer.json."""
        return {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [token.to_json(self.token_to_id[token.content]) for token in self.added],
            "normalizer": self.normalizer_json(),
            "pre_tokenizer": self.pre_tokenizer_json(),
            "post_processor": self.post_processor_json(),
            "decoder": self.decoder_json(),
            "model": self.model_json(),
        }

    def fingerprint(self) -> str:
        """A hash of all that decides about ids."""
        content = json.dumps(self.to_json(), sort_keys=True, ensure_ascii=False)
        return blake2b(content.encode(errors="surrogatepass"), digest_size=16).hexdigest()
