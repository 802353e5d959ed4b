"""WordPiece: each word is cut, from left to right, into the longest pieces that the vocabulary holds.

>>> tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "un", "##believ", "##able", "!"])
>>> tokenizer.tokenize("Unbelievable!")
['un', '##believ', '##able', '!']

Schuster & Nakajima 2012; Wu et al. 2016. `training.py` learns the vocabulary.
"""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from mini_bert.files import write_atomically
from mini_bert.tokenizers.encoding import Piece
from mini_bert.tokenizers.normalize import Normalizer, chunks
from mini_bert.tokenizers.special import SPECIAL_TOKENS, UNK, split_special
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.tokenizers.training import CONTINUATION, learn_wordpieces

FILE_NAME = "vocab.txt"
LONGEST_WORD = 100
REMEMBERED_CHUNKS = 1 << 18


class WordPieceTokenizer(Tokenizer):
    """Text ↔ ids over a fixed vocabulary, given as its pieces in the order of their ids.

    `origin` is where the vocabulary comes from, for error messages.
    """

    def __init__(
        self, vocab: Iterable[str], *, normalizer: Normalizer | None = None, origin: str = "vocab"
    ) -> None:
        super().__init__(vocab)
        _check_vocabulary(self.id_to_token, origin)
        self.normalizer = normalizer or Normalizer()
        self.chunk_ids = ChunkIds(self)

    @classmethod
    def train(
        cls, texts: Iterable[str], vocab_size: int = 8192, criterion: str = "frequency"
    ) -> "WordPieceTokenizer":
        """Learn at most `vocab_size` pieces from texts. Word counts are held in memory, the texts are not."""
        if isinstance(texts, str):
            raise ValueError("train: texts is one string; pass a list, train([text]), or a file, train(file)")
        counts = word_counts(texts, Normalizer())
        if not counts:
            raise ValueError("train: the texts hold no word; check that the source is not empty or spent")
        return cls(learn_wordpieces(counts, vocab_size, criterion))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "WordPieceTokenizer":
        """Read `vocab.txt`, or the folder that holds it: one piece a line, the line number less 1 its id."""
        path = vocabulary_file(path)
        return cls(_read_lines(path), origin=str(path))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write `vocab.txt` into a folder, or to a path that ends in `.txt`; return the file's path."""
        path = vocabulary_file(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, "".join(f"{token}\n" for token in self.id_to_token).encode())
        return path

    def piece_ids(self, text: str) -> list[int]:
        """Chunk by chunk, each worked out once."""
        return list(chain.from_iterable(map(self.chunk_ids.__getitem__, chunks(text))))

    def pieces(self, text: str) -> list[Piece]:
        """The pieces with their places; a special token written in the text is kept whole."""
        found: list[Piece] = []
        start = word = 0
        for part in split_special(text):
            if part in SPECIAL_TOKENS:
                found.append(Piece(self.token_to_id[part], start, start + len(part), word))
                word += 1
            else:
                for letters, places in self.normalizer.aligned_words(part):
                    found += (
                        Piece(index, start + places[first], start + places[last] + 1, word)
                        for index, first, last in self.cut(letters)
                    )
                    word += 1
            start += len(part)
        return found

    def cut(self, word: str) -> list[tuple[int, int, int]]:
        """The longest piece that fits, again and again: its id, first and last letter; [UNK] if once none fits.

        A word of more than 100 letters is [UNK] too.
        """
        unknown = [(self.token_to_id[UNK], 0, len(word) - 1)]
        if len(word) > LONGEST_WORD:
            return unknown
        found: list[tuple[int, int, int]] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                index = self.token_to_id.get(prefix + word[start:end])
                if index is not None:
                    break
            else:
                return unknown
            found.append((index, start, end - 1))
            start, prefix = end, CONTINUATION
        return found

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The words of the pieces, one space apart; case, accents and spacing of the source are lost."""
        tokens = map(self.token, ids)
        kept = (token for token in tokens if not (skip_special_tokens and token in SPECIAL_TOKENS))
        return " ".join(kept).replace(f" {CONTINUATION}", "")


class ChunkIds(dict[str, tuple[int, ...]]):
    """The ids of stretches of text without white space, of which a language has few: worked out once each."""

    def __init__(self, tokenizer: WordPieceTokenizer) -> None:
        super().__init__()
        self.tokenizer = tokenizer

    def __missing__(self, chunk: str) -> tuple[int, ...]:
        if len(self) >= REMEMBERED_CHUNKS:
            self.clear()
        self[chunk] = ids = tuple(piece.id for piece in self.tokenizer.pieces(chunk))
        return ids


def word_counts(texts: Iterable[str], normalizer: Normalizer) -> Counter[str]:
    """How often each normalized word occurs, special tokens and words too long to be cut left out."""
    seen: Counter[str] = Counter()
    for text in texts:
        seen.update(chunks(text))
    counts: Counter[str] = Counter()
    for chunk, count in seen.items():
        for part in split_special(chunk):
            if part not in SPECIAL_TOKENS:
                for word in normalizer.words(part):
                    if len(word) <= LONGEST_WORD:
                        counts[word] += count
    return counts


def vocabulary_file(path: str | os.PathLike[str]) -> Path:
    """The path itself if it is a file or ends in `.txt`, else `vocab.txt` in the folder it names.

    A pickle is refused, not read: loading one may run any code that its author put there.
    """
    path = Path(path)
    if path.suffix.lower() in {".pkl", ".pickle"}:
        raise ValueError(
            f"{path}: a vocabulary is never read from or written to a pickle, which may run code when loaded;"
            f" use a text file with one piece a line, {path.with_name(FILE_NAME)}"
        )
    return path if path.suffix == ".txt" or path.is_file() else path / FILE_NAME


def _read_lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ValueError(
            f"{path}: no such vocabulary; check the path, or make one with"
            f" WordPieceTokenizer.train(texts).save({str(path.parent)!r})"
        ) from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text ({error.reason}); save the file as UTF-8") from None
    # Not splitlines(), which also cuts at characters that a foreign vocabulary may hold as pieces.
    return text.removesuffix("\n").split("\n") if text else []


def _check_vocabulary(tokens: Sequence[str], origin: str) -> None:
    """Raise ValueError unless the special tokens are there and every piece is one word, written once."""
    if not tokens:
        raise ValueError(f"{origin}: the vocabulary is empty; train one with WordPieceTokenizer.train(texts)")
    for token in SPECIAL_TOKENS:
        if token not in tokens:
            raise ValueError(
                f"{origin}: special token {token} is missing; a vocabulary needs {', '.join(SPECIAL_TOKENS)}"
            )
    lines: dict[str, int] = {}
    for line, token in enumerate(tokens, start=1):
        if token.split() != [token]:
            raise ValueError(f"{origin}, line {line}: {token!r} is blank or holds white space; remove it")
        if token in lines:
            raise ValueError(
                f"{origin}, line {line}: {token!r} is a duplicate of line {lines[token]}; remove one of them"
            )
        lines[token] = line
