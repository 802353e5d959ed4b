"""Public names are imported when they are asked for, and not before."""

import subprocess
import sys
from importlib import import_module

import pytest

PACKAGES = ["mini_bert", "mini_bert.tokenizers"]
SHIPPED_MODEL = """
import sys, mini_bert
mini_bert.load()
print(*[kind for kind in ("wordpiece", "bpe", "unigram") if f"mini_bert.tokenizers.{kind}" in sys.modules])
"""


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_there(package):
    module = import_module(package)
    assert sorted(module.HOMES) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is getattr(import_module(module.HOMES[name]), name)
        assert name in dir(module)


@pytest.mark.parametrize("package", PACKAGES)
def test_another_name_is_not(package):
    with pytest.raises(AttributeError, match=rf"module '{package}' has no attribute 'WordPeace'"):
        import_module(package).WordPeace  # noqa: B018


def test_a_model_brings_its_own_tokenizer_alone():
    done = subprocess.run([sys.executable, "-c", SHIPPED_MODEL], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["wordpiece"]
