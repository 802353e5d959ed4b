"""How commands are found in a page, compared with what they print, and shortened."""

import pytest

from tests.integration.shell_blocks import commands, is_told
from tests.integration.shell_smoke import Smoke

PAGE = r"""
```
mini-bert info            # a comment
mini-bert embed "a # b" \
    --neighbours

```

```python
>>> 1 + 1
2

```

```text
no command
```

<!-- varies -->

```console
$ mini-bert bench
12 ms
$ mini-bert zoo
```
"""


def test_commands_are_found_with_what_they_print(tmp_path):
    (tmp_path / "page.md").write_text(PAGE, "utf-8")
    info, embed, bench, zoo = commands(tmp_path / "page.md")
    assert info.words == ["mini-bert", "info"]
    assert embed.words == ["mini-bert", "embed", "a # b", "--neighbours"]
    assert (info.output, info.varies) == (None, False)
    assert (bench.output, bench.varies) == ("12 ms\n", True)
    assert zoo.output is None


@pytest.mark.parametrize(
    ("told", "printed", "varies", "is_so"),
    [
        ("loss 1.5\n  done", " loss   1.5 done\n", False, True),
        ("loss 1.5", "loss 1.6", False, False),
        ("loss 1.5", "loss 1.6", True, True),
        ("loss 1.5", "loss 15", True, False),
        ("loss 1.5", "gain 1.5", True, False),
        ("a\n...\nd", "a\nb\nc\nd", False, True),
        ("a\n...\nd", "a\nd", False, True),
        ("a\n...\nd", "a\nb\nc", False, False),
        ("error ..., allowed", "error 1e-12, allowed", False, True),
        ("a", "a b", False, False),
    ],
)
def test_what_is_told_is_compared_with_what_is_printed(told, printed, varies, is_so):
    assert is_told(told, printed, varies=varies) is is_so


def test_the_short_form_of_a_command():
    short = Smoke(("--minutes",), ("--full",), "--steps 2 --corpus world --set a=1")
    line = ["train", "--minutes", "30", "--full", "--corpus", "mine", "--set", "b=2"]
    assert short(line) == ["train", "--corpus", "mine", "--set", "b=2", "--steps", "2", "--set", "a=1"]


def test_an_option_that_goes_can_come_back_with_another_value():
    assert Smoke(("--preset",), also="--preset debug")(["info", "--preset", "large"]) == [
        "info",
        "--preset",
        "debug",
    ]
