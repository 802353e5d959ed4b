"""Vocabularies of corpora: learned when they are first wanted, and kept for the next time.

tokenizer, folder = learned_vocabulary(corpus("world"), 2048)
"""

from pathlib import Path
from warnings import catch_warnings, filterwarnings

from mini_bert.data.corpus import Corpus, needs_corpus
from mini_bert.data.fingerprints import hashed
from mini_bert.files import cache_folder, only_one, writing_in
from mini_bert.reports import Report, silent
from mini_bert.tokenizers.bpe import ByteLevelBPETokenizer
from mini_bert.tokenizers.destination import JSON
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.tokenizers.training import LIMIT_ALPHABET
from mini_bert.tokenizers.unigram import UnigramTokenizer
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer

LEARNERS: dict[str, type[ByteLevelBPETokenizer] | type[UnigramTokenizer]] = {
    "roberta": ByteLevelBPETokenizer,
    "gpt2": ByteLevelBPETokenizer,
    "albert": UnigramTokenizer,
    "xlnet": UnigramTokenizer,
}
HOME = "tokenizers"
FORMAT = 1
"""Count up when the learning or the files change, so that nobody is given what was kept before."""


def learned_vocabulary(
    text: Corpus,
    vocab_size: int,
    report: Report = silent,
    *,
    kind: str = "wordpiece",
    criterion: str = "frequency",
    lowercase: bool = True,
    min_frequency: int = 1,
    limit_alphabet: int | None = LIMIT_ALPHABET,
    folder: Path | None = None,
) -> tuple[Tokenizer, Path]:
    """At most `vocab_size` pieces of a corpus, and where they are kept: in `folder`, else `cache_folder()`.

    `kind` is wordpiece, or the style of another member of the family: roberta or gpt2 (byte-level BPE), albert or
    xlnet (Unigram). The settings are those of `WordPieceTokenizer.train`, and of it alone. There is no warning if the
    text has fewer pieces: look at the tokenizer's own `vocab_size`. Kept files that are damaged are made again.
    """
    needs_corpus(text)
    folder = folder or cache_folder()
    settings: list[object] = [vocab_size, criterion, lowercase, min_frequency, limit_alphabet]
    if kind != "wordpiece":
        settings = [vocab_size, kind]
    name = hashed([FORMAT, text.known_fingerprint(folder), *settings])
    place = folder / HOME / name
    if kept := whole(place):
        return kept, place

    def waiting() -> None:
        report(0.0, f"waiting for another process that learns from {text.name}")

    with only_one(place.with_name(f"{name}.lock"), waiting):
        if kept := whole(place):
            return kept, place
        with catch_warnings():
            filterwarnings("ignore", "the text has pieces for only")
            tokenizer: Tokenizer
            if kind == "wordpiece":
                tokenizer = WordPieceTokenizer.train(
                    text,
                    vocab_size,
                    criterion,
                    lowercase=lowercase,
                    min_frequency=min_frequency,
                    limit_alphabet=limit_alphabet,
                    report=report,
                )
            else:
                tokenizer = LEARNERS[kind].train(text, vocab_size, style=kind, report=report)
        with writing_in(place):
            tokenizer.save(place)
    return tokenizer, place


def whole(place: Path) -> Tokenizer | None:
    """The vocabulary that is kept there; None if there is none that can be read."""
    if not (place / JSON).is_file():
        return None
    try:
        return load_tokenizer(place)
    except ValueError:
        return None
