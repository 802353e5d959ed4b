"""A small vocabulary, stories, and a count of the caches that were built."""

import pytest

from mini_bert.data import tokenizing
from mini_bert.data.world import texts
from mini_bert.tokenizers import WordPieceTokenizer


@pytest.fixture(scope="session")
def tokenizer():
    return WordPieceTokenizer.train(list(texts(200)), 1000)


@pytest.fixture(scope="session")
def stories():
    return list(texts(120))


@pytest.fixture
def builds(monkeypatch):
    """Counts how often a corpus is tokenized."""
    count = []
    build = tokenizing.build

    def counting(*arguments):
        count.append(1)
        return build(*arguments)

    monkeypatch.setattr("mini_bert.data.token_cache.build", counting)
    return count
