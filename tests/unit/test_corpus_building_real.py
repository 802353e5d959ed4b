"""The corpus of the shipped models, built again where its text is at hand."""

import os
import re
from pathlib import Path

import pytest

from mini_bert.data.building.building import build
from mini_bert.data.building.sources import NAMES

PAGE = Path(__file__).parents[2] / "docs" / "pretraining.md"
FILES = {"books": "childrens_books", "tales": "fairytales", "stories": "storybooks"}
"""Those that are quickly read."""


def told() -> dict[str, tuple[int, int, str]]:
    """What the page says of each text."""
    rows = re.findall(
        r"\| `(\S+\.txt\.gz)` \| ([\d,]+) \| ([\d,]+) \| `(\w{64})` \|", PAGE.read_text("utf-8")
    )
    return {
        file: (int(documents.replace(",", "")), int(characters.replace(",", "")), sha256)
        for file, documents, characters, sha256 in rows
    }


def test_the_page_tells_all_texts():
    assert sorted(told()) == sorted(
        f"{side}/{name}.txt.gz" for side in ("train", "held_out") for name in NAMES
    )


@pytest.mark.skipif("MINI_BERT_DATA" not in os.environ, reason="MINI_BERT_DATA is not set: no real text here")
def test_the_same_texts_come_again(tmp_path):
    folder = Path(os.environ["MINI_BERT_DATA"]) / "text"
    places = {name: [folder / f"{file}.txt.gz"] for name, file in FILES.items()}
    made = build(tmp_path / "corpus", places)
    expected = told()
    assert len(made.texts) == 6
    assert all(expected[text.file] == (text.documents, text.characters, text.sha256) for text in made.texts)
