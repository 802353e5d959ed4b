"""The members of the family, a file for each: what each is compared on."""

from importlib import import_module
from pkgutil import iter_modules

from tests.parity.members.case import Case


def all_cases() -> list[Case]:
    """The cases of every file here."""
    files = sorted(found.name for found in iter_modules(__path__) if found.name != "case")
    return [case for file in files for case in import_module(f"{__name__}.{file}").CASES]
