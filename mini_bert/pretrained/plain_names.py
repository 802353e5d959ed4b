"""Names of files without the folders of the machine on which they were: what is shipped tells nothing of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from mini_bert.evaluation.task_folder import KNOWN

WHOLE_PATH = re.compile(r"(~|[A-Za-z]:|([^,\s]*[\\/])?\.\.)?[\\/][^,\n]*")
PATH_INSIDE = re.compile(
    r"(?<![\w.:/\\])(?:~|[A-Za-z]:|(?:[^\s,;\"'\\/]+[\\/])*\.\.)?[\\/](?:[^\s,;\"'\\/]+[\\/])+"
)


def without_folders(value: Any) -> Any:
    """The same value, in which every whole path is the name of its file, however deep it stands; a file of a labelled
    set keeps the folder that is named like it.

    >>> without_folders({"corpus": ["/home/me/my texts/a.txt.gz", "world"], "told": "of /home/me/b.txt, 80/10/10"})
    {'corpus': ['a.txt.gz', 'world'], 'told': 'of b.txt, 80/10/10'}
    >>> without_folders(["C:\\\\Users\\\\me\\\\vocab", "mini-bert evaluate /tmp/x/run --data ~/sets/tasks", 3])
    ['vocab', 'mini-bert evaluate run --data tasks', 3]
    >>> without_folders(["../../home/me/a.txt", "of ../texts/a.txt and texts/../../me/b.txt", "texts/../my home/vocab"])
    ['a.txt', 'of a.txt and b.txt', 'vocab']
    >>> without_folders(["/home/me/sets/ud_ewt/train.conllu", "/sets/ud_ewt/train.conllu, /sets/ud_ewt/dev.conllu"])
    ['ud_ewt/train.conllu', 'ud_ewt/train.conllu, ud_ewt/dev.conllu']
    """
    if isinstance(value, dict):
        return {key: without_folders(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_folders(item) for item in value]
    if not isinstance(value, str):
        return value
    if WHOLE_PATH.fullmatch(value):
        *folders, name = re.split(r"[\\/]", value.rstrip("\\/"))
        return set_in(folders) + name
    return PATH_INSIDE.sub(lambda path: set_in(re.split(r"[\\/]", path[0].rstrip("\\/"))), value)


def set_in(folders: Sequence[str]) -> str:
    """The last folder, if a labelled set is called so."""
    return f"{folders[-1]}/" if folders and folders[-1] in KNOWN else ""
