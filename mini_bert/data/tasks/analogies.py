"""Analogies (Mikolov et al. 2013): `Athens Greece Oslo Norway`, in sections that begin with `: name`."""

from mini_bert.data.tasks.examples import Analogy
from mini_bert.data.tasks.lines import Source, lines
from mini_bert.errors import counted


def read_analogies(source: Source) -> list[Analogy]:
    """The analogies with their section, which is empty before the first section line."""
    section = ""
    found = []
    for line in lines(source):
        if line.text.startswith(":"):
            section = line.text[1:].strip()
            continue
        words = line.text.split()
        if len(words) != 4:
            raise line.error(counted(len(words), "word"), "write four per line: a is to b as c is to d")
        a, b, c, d = words
        found.append(Analogy(a, b, c, d, section))
    return found
