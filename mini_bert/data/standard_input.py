"""Standard input as a file: text that is read more than once has to lie somewhere.

path = kept_input(cache_folder())    # stdin/<hash of the text>.txt
"""

import os
import sys
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex

from mini_bert.data.sources import STDIN, refuse_binary
from mini_bert.files import writing_in

HOME = "stdin"
READ_AT_ONCE = 1 << 20


def kept_input(folder: Path) -> Path:
    """Where all of standard input is kept in a folder, a block of it in memory at a time; the same text once."""
    home = folder / HOME
    beside = home / f".{os.getpid()}.{token_hex(4)}.tmp"
    digest = blake2b(digest_size=16)
    anything = False
    with writing_in(home):
        home.mkdir(parents=True, exist_ok=True)
        try:
            with beside.open("wb") as file:
                while block := sys.stdin.buffer.read(READ_AT_ONCE):
                    if not file.tell():
                        refuse_binary(block, STDIN)
                    anything = anything or bool(block.strip())
                    digest.update(block)
                    file.write(block)
                file.flush()
                os.fsync(file.fileno())
            if not anything:
                raise ValueError("standard input: no text in it; pipe some in, or name a file")
            path = home / f"{digest.hexdigest()}.txt"
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
    return path
