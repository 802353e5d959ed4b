"""The sets of text that `mini-bert data` knows: those that come with the package, and those to download.

Sizes, licences and revisions are those that the hub's pages state. A revision is a commit: what it holds never
changes. What is labelled is for measuring, not for reading at length.
"""

from dataclasses import dataclass
from pathlib import Path

from mini_bert.data import conversion
from mini_bert.data.conversion import Conversion
from mini_bert.data.records import set_folder, verified
from mini_bert.errors import unknown


@dataclass(frozen=True)
class Embedded:
    """Text that every installation has."""

    name: str
    what: str
    size: str
    licence: str


@dataclass(frozen=True)
class Part:
    """A plain file of a set, the published files that it is made of, and the names it has elsewhere."""

    plain: str
    published: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()


@dataclass(frozen=True)
class DataSet:
    """A set on the hub. `size` is that of the download in bytes, if the hub states it."""

    name: str
    what: str
    licence: str
    repo: str
    revision: str
    size: int | None
    convert: Conversion
    parts: tuple[Part, ...]
    text: tuple[str, ...] = ()
    """The plain files that hold running text to train on; none in a labelled set."""

    @property
    def published(self) -> list[str]:
        return [path for part in self.parts for path in part.published]

    @property
    def address(self) -> str:
        return f"https://huggingface.co/datasets/{self.repo}"


def wikitext(size: str, train_shards: int, download: int, what: str) -> DataSet:
    def part(plain: str, split: str, shards: int, elsewhere: str) -> Part:
        paths = (f"{split}-{i:05d}-of-{shards:05d}.parquet" for i in range(shards))
        return Part(plain, tuple(f"wikitext-{size}-raw-v1/{path}" for path in paths), (elsewhere,))

    return DataSet(
        name=f"wikitext-{size}",
        what=what,
        licence="CC BY-SA 3.0 and GFDL",
        repo="Salesforce/wikitext",
        revision="b08601e04326c79dfdd32d625aee71d232d685c3",
        size=download,
        convert=conversion.wikitext,
        parts=(
            part("train.txt", "train", train_shards, "wiki.train.raw"),
            part("validation.txt", "validation", 1, "wiki.valid.raw"),
            part("test.txt", "test", 1, "wiki.test.raw"),
        ),
        text=("train.txt",),
    )


BLIMP_NAMES = """
    adjunct_island anaphor_gender_agreement anaphor_number_agreement animate_subject_passive
    animate_subject_trans causative complex_NP_island coordinate_structure_constraint_complex_left_branch
    coordinate_structure_constraint_object_extraction determiner_noun_agreement_1 determiner_noun_agreement_2
    determiner_noun_agreement_irregular_1 determiner_noun_agreement_irregular_2
    determiner_noun_agreement_with_adj_2 determiner_noun_agreement_with_adj_irregular_1
    determiner_noun_agreement_with_adj_irregular_2 determiner_noun_agreement_with_adjective_1
    distractor_agreement_relational_noun distractor_agreement_relative_clause drop_argument ellipsis_n_bar_1
    ellipsis_n_bar_2 existential_there_object_raising existential_there_quantifiers_1
    existential_there_quantifiers_2 existential_there_subject_raising expletive_it_object_raising inchoative
    intransitive irregular_past_participle_adjectives irregular_past_participle_verbs
    irregular_plural_subject_verb_agreement_1 irregular_plural_subject_verb_agreement_2
    left_branch_island_echo_question left_branch_island_simple_question matrix_question_npi_licensor_present
    npi_present_1 npi_present_2 only_npi_licensor_present only_npi_scope passive_1 passive_2
    principle_A_c_command principle_A_case_1 principle_A_case_2 principle_A_domain_1 principle_A_domain_2
    principle_A_domain_3 principle_A_reconstruction regular_plural_subject_verb_agreement_1
    regular_plural_subject_verb_agreement_2 sentential_negation_npi_licensor_present
    sentential_negation_npi_scope sentential_subject_island superlative_quantifiers_1
    superlative_quantifiers_2 tough_vs_raising_1 tough_vs_raising_2 transitive wh_island
    wh_questions_object_gap wh_questions_subject_gap wh_questions_subject_gap_long_distance wh_vs_that_no_gap
    wh_vs_that_no_gap_long_distance wh_vs_that_with_gap wh_vs_that_with_gap_long_distance
"""
BLIMP_PARADIGMS = BLIMP_NAMES.split()

EMBEDDED = (
    Embedded("world", "stories of a small invented world, with gold labels", "without end", "MIT"),
    Embedded(
        "python-docs",
        "the documentation of Python and NumPy, as installed",
        "2 to 3 MB",
        "PSF-2.0 and BSD-3-Clause",
    ),
)

SETS = (
    wikitext("2", 1, 7_747_362, "good Wikipedia articles, 2 million tokens"),
    wikitext("103", 2, 315_000_000, "good Wikipedia articles, 103 million tokens"),
    DataSet(
        name="tinystories",
        what="short stories in the words of small children, by GPT-4",
        licence="CDLA-Sharing-1.0",
        repo="roneneldan/TinyStories",
        revision="f54c09fd23315a6f9c86f9dc80f725de7d8f9c64",
        size=2_252_000_000,
        convert=conversion.tinystories,
        parts=(
            Part("train.txt", ("TinyStoriesV2-GPT4-train.txt",)),
            Part("validation.txt", ("TinyStoriesV2-GPT4-valid.txt",)),
        ),
        text=("train.txt",),
    ),
    DataSet(
        name="sst-2",
        what="phrases of film reviews, praise or blame, labelled",
        licence="not stated",
        repo="stanfordnlp/sst2",
        revision="8d51e7e4887a4caaa95b3fbebbf53c0490b58bbb",
        size=3_183_000,
        convert=conversion.sst2,
        parts=(
            Part("train.tsv", ("data/train-00000-of-00001.parquet",)),
            Part("dev.tsv", ("data/validation-00000-of-00001.parquet",)),
        ),
    ),
    DataSet(
        name="ud-ewt",
        what="UD English EWT 2.5: web text with dependency trees",
        licence="CC BY-SA 4.0",
        repo="FrancophonIA/IWPT_2021",
        revision="b29a23852aa009cca3e56ed1be2500bffb1e6b8a",
        size=16_630_000,
        convert=conversion.unchanged,
        parts=tuple(
            Part(f"{split}.conllu", (f"UD_English-EWT/en_ewt-ud-{split}.conllu",))
            for split in ("train", "dev", "test")
        ),
    ),
    DataSet(
        name="blimp",
        what="minimal pairs of English grammar, 67 paradigms of 1,000",
        licence="CC BY 4.0",
        repo="nyu-mll/blimp",
        revision="877fba0801ffb7cbd8c39c1ff314a46f053f6036",
        size=None,
        convert=conversion.blimp,
        parts=tuple(
            Part(f"{paradigm}.jsonl", (f"{paradigm}/train-00000-of-00001.parquet",))
            for paradigm in BLIMP_PARADIGMS
        ),
    ),
)


def find(name: str) -> DataSet:
    """The downloadable set of that name."""
    for dataset in SETS:
        if dataset.name == name:
            return dataset
    if name in (corpus.name for corpus in EMBEDDED):
        raise ValueError(f"{name} comes with the package; use it at once: mini-bert data sample {name}")
    raise ValueError(unknown("set", name, names()))


def names() -> list[str]:
    return [dataset.name for dataset in SETS]


def local_paths(name: str) -> list[Path] | None:
    """The files of a set that one trains on, their checksums verified; None if no set has that name.

    A ValueError says what to do about a set that is not on this machine, was altered, or is no running text.
    """
    if name not in names():
        return None
    dataset = find(name)
    if not dataset.text:
        raise ValueError(
            f"{name} is labelled, for measuring; to train on, choose from {', '.join(trainable())}"
        )
    folder = set_folder(name)
    kept = verified(name).files
    paths = [folder / file for file in dataset.text if file in kept]
    if not paths:
        raise ValueError(
            f"{folder}: {' and '.join(dataset.text)} is not in it; fetch it: mini-bert data get {name} --force"
        )
    return paths


def trainable() -> list[str]:
    return [corpus.name for corpus in EMBEDDED] + [dataset.name for dataset in SETS if dataset.text]
