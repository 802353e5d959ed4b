"""Vocabularies of corpora: learned when they are first wanted, and kept for the next time.

tokenizer, folder = learned_vocabulary(corpus("world"), 2048)
"""

from pathlib import Path
from warnings import catch_warnings, filterwarnings

from mini_bert.data.corpus import Corpus
from mini_bert.files import cache_folder
from mini_bert.reports import Report, silent
from mini_bert.tokenizers.files import JSON
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer

HOME = "tokenizers"


def learned_vocabulary(
    text: Corpus, vocab_size: int, report: Report = silent
) -> tuple[WordPieceTokenizer, Path]:
    """At most `vocab_size` word pieces of a corpus, and the folder in which they are kept.

    There is no warning if the text has fewer: look at the tokenizer's own `vocab_size`.
    """
    folder = cache_folder() / HOME / f"{text.fingerprint()}-{vocab_size}"
    if (folder / JSON).is_file():
        return WordPieceTokenizer.load(folder), folder
    with catch_warnings():
        filterwarnings("ignore", "the text has pieces for only")
        tokenizer = WordPieceTokenizer.train(text, vocab_size, report=report)
    tokenizer.save(folder)
    return tokenizer, folder
