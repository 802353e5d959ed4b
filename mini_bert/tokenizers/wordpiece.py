"""WordPiece: each word is cut, from left to right, into the longest pieces that the vocabulary holds.

>>> tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "un", "##believ", "##able", "!"])
>>> tokenizer.tokenize("Unbelievable!")
['un', '##believ', '##able', '!']

Schuster & Nakajima 2012; Wu et al. 2016. `training.py` learns the vocabulary.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mini_bert.files import write_atomically
from mini_bert.tokenizers.normalize import split_words
from mini_bert.tokenizers.special import CLS_ID, SEP_ID, SPECIAL_TOKENS, UNK, split_special
from mini_bert.tokenizers.training import CONTINUATION, learn_wordpieces

FILE_NAME = "vocab.txt"
LONGEST_WORD = 100


class WordPieceTokenizer:
    """Text ↔ ids over a fixed vocabulary, given as its pieces in the order of their ids.

    `token_to_id["[MASK]"]` is 4 and `id_to_token[4]` is "[MASK]". `origin` is where the vocabulary comes
    from, for error messages.
    """

    def __init__(self, vocab: Iterable[str], *, origin: str = "vocab") -> None:
        self.id_to_token = tuple(vocab)
        _check_vocabulary(self.id_to_token, origin)
        self.token_to_id = {token: index for index, token in enumerate(self.id_to_token)}

    def __repr__(self) -> str:
        return f"WordPieceTokenizer(vocab_size={self.vocab_size})"

    @property
    def vocab_size(self) -> int:
        return len(self.id_to_token)

    @classmethod
    def train(
        cls, texts: Iterable[str], vocab_size: int = 8192, criterion: str = "frequency"
    ) -> "WordPieceTokenizer":
        """Learn at most `vocab_size` pieces from texts. Word counts are held in memory, the texts are not."""
        if isinstance(texts, str):
            raise ValueError("train: texts is one string; pass a list, train([text]), or a file, train(file)")
        counts = Counter(word for text in texts for word in split_text(text) if _is_learnable(word))
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

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """The ids of a text's pieces, between [CLS] and [SEP]."""
        ids = [self.token_to_id[token] for token in self.tokenize(text)]
        return [CLS_ID, *ids, SEP_ID] if add_special_tokens else ids

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The words of the pieces, one space apart; case, accents and spacing of the source are lost."""
        tokens = map(self._token, ids)
        kept = (token for token in tokens if not (skip_special_tokens and token in SPECIAL_TOKENS))
        return " ".join(kept).replace(f" {CONTINUATION}", "")

    def tokenize(self, text: str) -> list[str]:
        """The pieces of a text, as strings; a special token written in the text is kept whole."""
        return [piece for word in split_text(text) for piece in self._pieces(word)]

    def _pieces(self, word: str) -> list[str]:
        """The longest piece that fits, again and again; one [UNK] if at some point none fits."""
        if word in SPECIAL_TOKENS:
            return [word]
        if len(word) > LONGEST_WORD:
            return [UNK]
        pieces: list[str] = []
        prefix, rest = "", word
        while rest:
            candidates = (prefix + rest[:end] for end in range(len(rest), 0, -1))
            piece = next((candidate for candidate in candidates if candidate in self.token_to_id), None)
            if piece is None:
                return [UNK]
            pieces.append(piece)
            prefix, rest = CONTINUATION, rest[len(piece) - len(prefix) :]
        return pieces

    def _token(self, index: int) -> str:
        if not 0 <= index < self.vocab_size:
            raise ValueError(
                f"decode: id {index} is outside the vocabulary of {self.vocab_size} pieces;"
                " decode with the tokenizer that encoded the text"
            )
        return self.id_to_token[index]


def split_text(text: str) -> Iterator[str]:
    """Normalized words and punctuation marks, and the special tokens as they stand.

    >>> list(split_text("Snow is [MASK]."))
    ['snow', 'is', '[MASK]', '.']
    """
    for part in split_special(text):
        if part in SPECIAL_TOKENS:
            yield part
        else:
            yield from split_words(part)


def _is_learnable(word: str) -> bool:
    return word not in SPECIAL_TOKENS and len(word) <= LONGEST_WORD


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
    """Raise ValueError unless the special tokens come first and every piece is one word, written once."""
    if not tokens:
        raise ValueError(f"{origin}: the vocabulary is empty; train one with WordPieceTokenizer.train(texts)")
    remedy = f"the first five pieces must be {', '.join(SPECIAL_TOKENS)}"
    for index, token in enumerate(SPECIAL_TOKENS):
        if token not in tokens:
            raise ValueError(f"{origin}: special token {token} is missing; {remedy}")
        if tokens[index] != token:
            raise ValueError(f"{origin}: special token {token} has id {tokens.index(token)}; {remedy}")
    lines: dict[str, int] = {}
    for line, token in enumerate(tokens, start=1):
        if token.split() != [token]:
            raise ValueError(f"{origin}, line {line}: {token!r} is blank or holds white space; remove it")
        if token in lines:
            raise ValueError(
                f"{origin}, line {line}: {token!r} is a duplicate of line {lines[token]}; remove one of them"
            )
        lines[token] = line
