"""Text that several tests cut into rows."""

import pytest

from mini_bert.data.corpus import corpus
from mini_bert.data.token_cache import TokenCache, tokenized
from mini_bert.data.world import texts
from mini_bert.tokenizers import WordPieceTokenizer


@pytest.fixture(scope="session")
def tokenizer() -> WordPieceTokenizer:
    return WordPieceTokenizer.train(list(texts(200)), 1000)


@pytest.fixture(scope="session")
def cache(tokenizer: WordPieceTokenizer, tmp_path_factory: pytest.TempPathFactory) -> TokenCache:
    return tokenized(corpus("world:60"), tokenizer, tmp_path_factory.mktemp("cache"))
