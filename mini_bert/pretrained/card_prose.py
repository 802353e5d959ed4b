"""What a model card says whatever the numbers are."""

from __future__ import annotations

from textwrap import fill

from mini_bert.models.config import ModelConfig

WIDTH = 120


def paragraph(text: str) -> str:
    """In lines of equal length, wherever those of the text end."""
    return fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def what_it_is(config: ModelConfig, parameters: int, is_ours: bool) -> str:
    """Of a model whose training is recorded, and is ours therefore, also how it came about."""
    c = config
    trained = (
        " It was trained to find hidden words, without a GPU, by Mini-BERT, a BERT in pure NumPy that people can read, "
        "derive, train, probe and watch."
    )
    return paragraph(
        f"A small BERT for English, {parameters:,} parameters: L={c.num_layers} layers, H={c.hidden_size} hidden, "
        f"A={c.num_heads} heads, I={c.intermediate_size} feed-forward, T={c.max_seq_length} tokens, V={c.vocab_size} "
        f"word pieces.{trained * is_ours} It is made for learning and teaching: to look inside, to probe, to fine-tune."
    )


USE = """\
```python
import mini_bert
from mini_bert.inference.fill_mask import fill_mask

model = mini_bert.load({quoted})  # weights, configuration and model.tokenizer
fill_mask(model, "The cat sat on the [MASK].")
logits, cache = model.forward([model.tokenizer.encode("The cat sat.")])
cache["attention_weights_0"]  # every number in between has a name
```

```
mini-bert fill-mask "The cat sat on the [MASK]." --model {typed}
mini-bert embed "I am hungry." "The train is late." "I want something to eat." --neighbours --model {typed}
mini-bert finetune sentiment --model {typed}
```

Text is {lowered}cut into word pieces by the tokenizer in this folder. Weights are stored as float16;
all computation is in float32."""

LICENCES = """\
The weights are shared under the {licence} licence. The text keeps its own licences, those of the table, and none of it
is in this folder; whoever passes on the model, or what is made of it, is asked to name {sources}.
corpus.json has the checksum of each text. {held_out}"""

HELD_OUT = "Documents that are held out are in no part of training{where}."

HELD_OUT_BY_STAGES = """\
Documents that are held out of the text of one stage are in no part of that text{where}; another stage may have read
them."""

HELD_OUT_UNKNOWN = """\
Whether documents that are held out are in no part of training{where} is not known, for it was not recorded from its
beginning."""

UNTOLD = """\
Of the text of stage {stages} nobody has told the sources: its licences are not known here, nor whether it holds
documents that others hold out."""

STAGES = """\
It went in stages, each of which began with the weights that the one before had reached, and with the optimizer's
moments reset to zero; its learning rate rises and falls anew."""

WATCHED = """\
Held-out here is {shares} of the training documents, which each run sets aside for itself, and examines in one way,
whatever it hides in training. These scores cannot be compared with those on other text, nor with another model's
curve."""

SHORT_ROWS = """\
Rows of training are short at first, while those held out are full from the beginning: until the rows of training are
full too, the two losses cannot be compared, and the one on full rows may be far above the other."""

STORAGE = """\
Against the weights in float32 that it was packed from, the first guess is the same at {share} of
{positions:,} hidden words, in {text}; the loss there is {loss_before:.4f} before and {loss_after:.4f} after. No weight
of 6e-5 or more is off by more than {largest_relative_error:.1e} of itself."""

LIMITS = """\
- It reads at most {tokens} tokens at once; longer text must be cut.
- Its vocabulary has {pieces:,} pieces{uncased}: rare words and names fall into parts, and other
  languages, code and most signs into fragments or [UNK].
- It has read little, where BERT has read 3.3 billion words. What it says of facts, numbers and names is unreliable; it
  repeats what often stood together.
- It fills gaps; it does not follow instructions, answer questions or write.
- Nothing was done to make it safe, fair or polite, and its text was not filtered for that. Do not decide anything
  about people with it.
- Its scores were measured on the sets named here, in English; other text may do worse."""

LEANINGS = """\
The probability of each word in the place of [MASK], where grammar would allow them all. They are leanings of the text
it has read, not facts about the world; whatever is built on the model inherits them."""

LEANINGS_OF = {
    "d5f70feaf8cd1f4084a4de9c41e065902119c9bb591f43b8f9312f407b0cd557": """\
28 % of the Tatoeba sentences it was trained on mention Tom, 7 % Mary; 9 % have the word "he" and 3 % "she".""",
    "72ac3e7692a5d9a507cf6baef10aefeb65395522d95619480300aedf29e49d97": """\
The children's books are a hundred years old and more, and hold the views of their time, of girls and boys, of peoples
and of animals.""",
}
"""By the SHA-256 of the text in which they were counted, or read."""

OVERLAP_OF = {
    frozenset(
        {
            "d5f70feaf8cd1f4084a4de9c41e065902119c9bb591f43b8f9312f407b0cd557",
            "72ac3e7692a5d9a507cf6baef10aefeb65395522d95619480300aedf29e49d97",
            "c9838de0031c71bbcacd253b4b56251a997f5ff9f9f8ed84c1dea0165c574d1c",
            "91ad33d813dea5676f4587e74b840972a0ffff1d7a1d5aae659d32baeea01928",
            "6985a685fda57194657fd0e25675e7652221fb6fe898d397448afbe5d0cd184e",
        }
    ): """\
No document is held out and trained on, but some are like others: of the runs of eight words in held-out Tatoeba 19.8 %,
and in held-out Wikipedia 6.9 %, occur in training text too, and 47.6 % of the held-out sentences of Tatoeba have a twin
there that differs in one word."""
}
"""What held-out text shares with training text, by the SHA-256 of all texts in which that was counted."""
