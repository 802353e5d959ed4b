"""Files of text, as old as a test needs them."""

import os
import time

from mini_bert.data.corpus import corpus


def lines(path, documents):
    path.write_text("\n".join(documents), encoding="utf-8")
    return corpus(path, unit="line")


def age(path, seconds=10):
    """Let a file have been changed a while ago."""
    changed = time.time() - seconds
    os.utime(path, (changed, changed))
