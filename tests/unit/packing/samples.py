"""What is packed in these tests: sources, and a result."""

from mini_bert import from_pretrained
from mini_bert.models.digest import weights_digest
from mini_bert.pretrained.card_prose import LEANINGS_OF
from mini_bert.pretrained.places import model_folder

MANIFEST = {
    "format": 1,
    "sources": {
        "tatoeba": {
            "licence": "CC BY 2.0 FR",
            "attribution": "Tatoeba and its contributors",
            "train": {
                "file": "train/tatoeba.txt.gz",
                "documents": 95,
                "characters": 1_500_000,
                "sha256": next(iter(LEANINGS_OF)),
            },
            "held_out": {"file": "held_out/tatoeba.txt.gz", "documents": 90, "characters": 15_000},
        },
        "books": {
            "licence": "public domain",
            "attribution": "their authors",
            "train": {"file": "train/books.txt.gz", "documents": 5, "characters": 500_000, "sha256": "other"},
            "held_out": {"file": "held_out/books.txt.gz", "documents": 2, "characters": 9_000},
        },
    },
}
EXAM = {
    "text": "/somewhere/held_out/tatoeba.txt.gz",
    "masked_accuracy": 0.512,
    "perplexity": 17.25,
    "questions": 5120,
    "intervals": {"masked_accuracy": [0.5, 0.524]},
    "baselines": {
        "neighbours": {"masked_accuracy": 0.31, "perplexity": 90.5},
        "unigram": {"masked_accuracy": 0.08, "perplexity": 600.0},
    },
}


def of(source) -> dict[str, str]:
    """What a result says of the weights that it tells of."""
    return {"weights": weights_digest(from_pretrained(model_folder(source)))}
