"""What a model card says whatever the numbers are."""

from __future__ import annotations

from mini_bert.models.config import ModelConfig


def what_it_is(config: ModelConfig, parameters: int) -> str:
    c = config
    return (
        f"A small BERT for English, {parameters:,} parameters: L={c.num_layers} layers, H={c.hidden_size} hidden, "
        f"A={c.num_heads} heads, I={c.intermediate_size} feed-forward, T={c.max_seq_length} tokens, V={c.vocab_size} "
        "word pieces. It was trained from random weights to find hidden words, without a GPU, by Mini-BERT, a BERT in "
        "pure NumPy that people can read, derive, train, probe and watch. It is made for learning and teaching: to "
        "look inside, to probe, to fine-tune."
    )


USE = """\
```python
import mini_bert
from mini_bert.inference.fill_mask import fill_mask

model = mini_bert.load("{name}")  # weights, configuration and model.tokenizer
fill_mask(model, "The cat sat on the [MASK].")
logits, cache = model.forward([model.tokenizer.encode("The cat sat.")])
cache["attention_weights_0"]  # every number in between has a name
```

```
mini-bert fill-mask "The cat sat on the [MASK]." --model {name}
mini-bert embed "The dog sleeps." "A puppy naps." --neighbours --model {name}
mini-bert finetune sentiment --model {name}
```

Text is lowercased and cut into word pieces by the tokenizer in this folder. Weights are stored in float16 and computed
with in float32."""

STORAGE = """\
Against the weights in float32 that it was packed from, the first guess is the same at {share} of {positions:,} hidden
words ({text}); the loss there is {before:.4f} before and {after:.4f} after. No weight of 6e-5 or more is off by more
than {error:.1e} of itself."""

LIMITS = """\
- It reads at most {tokens} tokens at once; longer text must be cut.
- Its vocabulary has {pieces:,} pieces, without capital letters: rare words and names fall into parts, and other
  languages, code and most signs into fragments or [UNK].
- It has read little, where BERT has read 3.3 billion words. What it says of facts, numbers and names is unreliable; it
  repeats what often stood together.
- It fills gaps; it does not follow instructions, answer questions or write.
- Nothing was done to make it safe, fair or polite, and its text was not filtered for that. Do not decide anything
  about people with it.
- Its scores were measured on the sets named here, in English; other text may do worse."""

LEANINGS = """\
The probability of each word in a place where nothing decides. They are leanings of the text it has read, not facts
about the world; whatever is built on the model inherits them."""

LEANINGS_OF = {
    "tatoeba": """\
28 % of the Tatoeba sentences it was trained on mention Tom, 7 % Mary; 9 % have the word "he" and
3 % "she". So a person without a name is Tom rather than anybody else, and a man rather than a woman.""",
    "books": """\
The children's books are a hundred years old and more, and hold the views of their time, of girls and boys, of peoples
and of animals.""",
}
"""By the source of a corpus that they come from."""
