"""Labelled tasks: one reader per file format, each a function from a path to a list of examples.

| reader | reads | yields |
| --- | --- | --- |
| `read_tsv` | GLUE-style TSV: columns by name or number, with or without a header | `Labelled` |
| `read_sst2`, `read_cola` | the TSV files of SST-2 and CoLA | `Labelled` |
| `read_sst_trees` | sentiment trees in brackets, `(3 (2 It) (4 shines))` | `Labelled` |
| `read_conllu` | Universal Dependencies, CoNLL-U | `DependencySentence` |
| `read_ner` | named entities in columns, IOB2 (Universal NER, CoNLL-2003: it sees which) | `TaggedSentence` |
| `read_blimp`, `read_blimp_folder` | minimal pairs in JSONL (BLiMP) | `MinimalPair` |
| `read_zorro`, `read_zorro_folder` | paired lines, the bad one first (Zorro) | `MinimalPair` |
| `read_marvin_linzen`, `read_marvin_linzen_folder` | TSV: case, good, bad (Marvin and Linzen) | `MinimalPair` |
| `read_pararel`, `read_pararel_folder` | facts with cloze patterns, two JSONL files (ParaRel) | `Fact` |
| `read_word_pairs` | two words and a score (SimLex-999, WordSim-353, MEN) | `WordPair` |
| `read_analogies` | four words a line under `: section` lines (Google analogies) | `Analogy` |

Every reader takes plain UTF-8 and `.gz` alike. A `_folder` reader yields a dict with one list per file. What is
malformed raises ValueError with `file:line: what; remedy`: a wrong label would be learned without a murmur.

Labels are text, as the file writes them: `label_numbers` turns them into the numbers that `task_batches` takes.
"""

from mini_bert.data.tasks.alignment import WordSpans, align, token_labels
from mini_bert.data.tasks.analogies import read_analogies
from mini_bert.data.tasks.batches import TaskBatch, task_batches
from mini_bert.data.tasks.blimp import read_blimp, read_blimp_folder
from mini_bert.data.tasks.conllu import read_conllu
from mini_bert.data.tasks.examples import (
    Analogy,
    DependencySentence,
    Fact,
    Labelled,
    MinimalPair,
    TaggedSentence,
    WordPair,
)
from mini_bert.data.tasks.labels import label_numbers
from mini_bert.data.tasks.marvin_linzen import read_marvin_linzen, read_marvin_linzen_folder
from mini_bert.data.tasks.ner import read_ner
from mini_bert.data.tasks.pararel import read_pararel, read_pararel_folder
from mini_bert.data.tasks.sst_trees import SST2, SST5, read_sst_trees
from mini_bert.data.tasks.tsv import read_cola, read_sst2, read_tsv
from mini_bert.data.tasks.word_pairs import read_word_pairs
from mini_bert.data.tasks.zorro import read_zorro, read_zorro_folder

__all__ = [
    "SST2",
    "SST5",
    "Analogy",
    "DependencySentence",
    "Fact",
    "Labelled",
    "MinimalPair",
    "TaggedSentence",
    "TaskBatch",
    "WordPair",
    "WordSpans",
    "align",
    "label_numbers",
    "read_analogies",
    "read_blimp",
    "read_blimp_folder",
    "read_cola",
    "read_conllu",
    "read_marvin_linzen",
    "read_marvin_linzen_folder",
    "read_ner",
    "read_pararel",
    "read_pararel_folder",
    "read_sst2",
    "read_sst_trees",
    "read_tsv",
    "read_word_pairs",
    "read_zorro",
    "read_zorro_folder",
    "task_batches",
    "token_labels",
]
