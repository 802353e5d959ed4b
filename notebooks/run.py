"""Run the notebooks and save them with what they show, or check that they still show what was saved.

    python notebooks/run.py                     # all of them, saved in place
    python notebooks/run.py 01_attention        # one
    python notebooks/run.py --check             # a fresh run against what is saved; saves nothing

What is saved depends on the code and the model alone: no times, no ids by lot, one PNG for each figure. In a check the
words that a cell prints must be the saved ones, and a number may differ by one in its last digit: processors round
differently. A cell tagged `varies` prints times, or what training has made of a model: its numbers need only be within
a factor of two. A cell tagged `optional` shows what the machine has installed, and needs only to run.
"""

import argparse
import re
import sys
from pathlib import Path
from time import perf_counter

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

HERE = Path(__file__).parent
LONGEST = 600
"""Seconds that a cell may take."""
NUMBER = re.compile(r"(?<![\w.])[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?%?")
KEPT_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def notebooks() -> list[Path]:
    return sorted(HERE.glob("[0-9]*.ipynb"))


def executed(path: Path) -> NotebookNode:
    """The notebook after a run in a fresh kernel; CellExecutionError if a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=LONGEST, resources={"metadata": {"path": str(HERE)}}).execute()
    return cleaned(notebook)


def cleaned(notebook: NotebookNode) -> NotebookNode:
    """Without what differs from run to run though nothing has changed."""
    notebook.metadata = nbformat.from_dict(KEPT_METADATA)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number:02}"
        tags = cell.metadata.get("tags", [])
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
        for output in cell.get("outputs", []):
            output.get("metadata", {}).clear()
            data = output.get("data", {})
            if "image/png" in data:
                for other in set(data) - {"image/png"}:
                    del data[other]
    return notebook


def joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """What was printed in one go as one text: how a kernel cuts it is a matter of time."""
    found: list[NotebookNode] = []
    for output in outputs:
        if found and "text" in output and output.get("name") == found[-1].get("name"):
            found[-1].text += output.text
        else:
            found.append(output)
    return found


def differences(saved: NotebookNode, fresh: NotebookNode) -> list[str]:
    """Where a fresh run shows something else than what was saved, in words."""
    found = []
    for number, (old, new) in enumerate(zip(saved.cells, fresh.cells, strict=True)):
        tags = old.metadata.get("tags", [])
        if old.cell_type != "code" or "optional" in tags:
            continue
        if kinds(old) != kinds(new):
            found.append(f"cell {number}: shows {kinds(new)}, saved was {kinds(old)}")
        elif not alike(printed(old), printed(new), "varies" in tags):
            found.append(f"cell {number}: prints\n{printed(new)}\nsaved was\n{printed(old)}")
    return found


def kinds(cell: NotebookNode) -> list[str]:
    """What is shown: text or pictures, in their order."""
    return [
        kind for output in cell.outputs for kind in (["text"] if "text" in output else sorted(output["data"]))
    ]


def printed(cell: NotebookNode) -> str:
    return "\n".join(output.get("text") or output["data"].get("text/plain", "") for output in cell.outputs)


def alike(old: str, new: str, varies: bool) -> bool:
    """The same words, and numbers that are near enough.

    >>> alike("loss 3.41 of 12", "loss 3.42  of 12", varies=False), alike("loss 3.41", "loss 3.43", varies=False)
    (True, False)
    >>> alike("took 1.5 s", "took 2.9 s", varies=True), alike("took 1.5 s", "took 1.5 min", varies=True)
    (True, False)
    """
    if words(old) != words(new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return all(near_by_factor(*pair) if varies else near_by_digit(*pair) for pair in pairs)


def words(text: str) -> list[str]:
    return NUMBER.sub("#", text).split()


def value(number: str) -> float:
    return float(number.translate({ord(","): "", ord("%"): "", ord("−"): "-"}))


def near_by_digit(old: str, new: str) -> bool:
    """A count must be the same; a share in whole percent may differ by one."""
    mantissa, _, exponent = old.rstrip("%").partition("e")
    last_digit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    is_count = not {".", "e", "%"} & set(old)
    return abs(value(old) - value(new)) <= (0.0 if is_count else 1.001 * last_digit)


def near_by_factor(old: str, new: str) -> bool:
    a, b = value(old), value(new)
    return a == b or (a * b > 0 and 0.5 <= a / b <= 2)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="notebooks, by how their names begin; all without any")
    parser.add_argument("--check", action="store_true", help="compare a fresh run with what is saved")
    args = parser.parse_args()
    faults = 0
    for path in notebooks():
        if args.names and not path.name.startswith(tuple(args.names)):
            continue
        began = perf_counter()
        try:
            fresh = executed(path)
        except CellExecutionError as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            faults += 1
            continue
        if args.check:
            found = differences(nbformat.read(path, as_version=4), fresh)
            print(
                "\n".join(
                    [f"{path.name}: {len(found)} cells differ ({perf_counter() - began:.0f} s)", *found]
                )
            )
            faults += bool(found)
        else:
            nbformat.write(fresh, path)
            print(f"{path.name}: saved, {path.stat().st_size / 1000:.0f} kB ({perf_counter() - began:.0f} s)")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
