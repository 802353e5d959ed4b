"""The page's files: they find each other, load nothing from elsewhere, and know both colour themes."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

import mini_bert.explorer
from mini_bert.analysis.attention_targets import TARGETS

STATIC = Path(mini_bert.explorer.__file__).parent / "static"
SCRIPTS = sorted((STATIC / "js").rglob("*.js"))
STYLES = sorted((STATIC / "css").glob("*.css"))
PAGES = [STATIC / "index.html", STATIC / "icon.svg"]
LONGEST_LINE, MOST_LINES = 120, 250
NAMESPACES = (
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1998/Math/MathML",
    "http://www.w3.org/1999/xhtml",
)
VIEWS = [
    "words",
    "forward",
    "attention",
    "predictions",
    "backward",
    "learn",
    "training",
    "representations",
    "family",
]

COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`\w])//[^\n]*", re.DOTALL)
IMPORT = re.compile(r"""^(?:import|export)\s+(?:([^'"();]*?)\s+from\s+)?["']([^"']+)["'];""", re.MULTILINE)
LAZY = re.compile(r"""\bimport\(\s*["']([^"']+)["']\s*\)""")
EXPORTED = re.compile(r"^export\s+(?:async\s+)?(?:function\*?|const|let|class)\s+(\w+)", re.MULTILINE)
EXPORTED_LIST = re.compile(r"^export\s*\{([^}]*)\}", re.MULTILINE)


def name_of(path: Path) -> str:
    return path.relative_to(STATIC).as_posix()


def code(path: Path) -> str:
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[tuple[list[str], Path]]:
    """Which names come from which module."""
    for names, module in IMPORT.findall(code(path)):
        listed = re.search(r"\{([^}]*)\}", names, re.DOTALL)
        taken = [one.split(" as ")[0].strip() for one in listed[1].split(",")] if listed else []
        yield [one for one in taken if one], (path.parent / module).resolve()


def exports(path: Path) -> set[str]:
    listed = {
        one.split(" as ")[-1].strip()
        for names in EXPORTED_LIST.findall(code(path))
        for one in names.split(",")
    }
    return set(EXPORTED.findall(code(path))) | listed


@pytest.mark.parametrize("path", [*SCRIPTS, *STYLES, *PAGES], ids=name_of)
def test_nothing_comes_from_elsewhere(path):
    text = path.read_text(encoding="utf-8")
    for namespace in NAMESPACES:
        text = text.replace(namespace, "")
    assert not re.search(r"https?://|[\"'(]//\w|@import|url\((?!#)", text.replace("url(#", ""))


@pytest.mark.parametrize("path", SCRIPTS, ids=name_of)
def test_scripts_can_be_read(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    too_long = [f"{number}: {line}" for number, line in enumerate(lines, 1) if len(line) > LONGEST_LINE]
    assert not too_long, "\n".join(too_long)
    assert len(lines) <= MOST_LINES


@pytest.mark.parametrize("path", SCRIPTS, ids=name_of)
def test_every_import_exists(path):
    for names, module in imports(path):
        assert module.is_file(), f"{name_of(path)} imports {module}, which is not there"
        assert set(names) <= exports(module), (
            f"{name_of(path)}: {set(names) - exports(module)} is not in {module.name}"
        )
    for module in LAZY.findall(code(path)):
        assert (path.parent / module).is_file(), f"{name_of(path)} loads {module}, which is not there"


def test_modules_do_not_import_in_circles():
    """A page saved as one file makes a module's address after those of the modules that it needs."""
    needs = {path.resolve(): [module for _, module in imports(path)] for path in SCRIPTS}
    done: set[Path] = set()

    def visit(path: Path, way: tuple[Path, ...]) -> None:
        assert path not in way, " -> ".join(one.name for one in (*way, path))
        if path not in done:
            for needed in needs.get(path, []):
                visit(needed, (*way, path))
            done.add(path)

    for path in needs:
        visit(path, ())


@pytest.mark.parametrize("path", SCRIPTS, ids=name_of)
def test_text_never_becomes_markup_or_code(path):
    assert not re.search(
        r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|setAttribute\(\"on",
        code(path),
    )


@pytest.mark.parametrize("path", [path for path in SCRIPTS if path.name != "source.js"], ids=name_of)
def test_only_the_source_knows_the_server(path):
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|/api/", code(path))


def test_the_page_has_no_code_of_its_own_and_links_what_is_there():
    class Page(HTMLParser):
        def __init__(self):
            super().__init__()
            self.linked = []

        def handle_starttag(self, tag, attributes):
            given = dict(attributes)
            assert not any(name.startswith("on") or name == "style" for name in given), given
            if tag in ("link", "script", "img"):
                self.linked.append(given.get("href") or given.get("src") or "")

    page = Page()
    page.feed((STATIC / "index.html").read_text(encoding="utf-8"))
    assert "js/main.js" in page.linked
    for link in page.linked:
        assert (STATIC / link).is_file(), link
    assert {name_of(style) for style in STYLES} <= set(page.linked)


def test_there_are_nine_views_each_with_title_hint_and_mount():
    main = (STATIC / "js" / "main.js").read_text(encoding="utf-8")
    assert LAZY.findall(main) == [f"./views/{view}.js" for view in VIEWS]
    for view in VIEWS:
        assert {"title", "hint", "mount"} <= exports(STATIC / "js" / "views" / f"{view}.js"), view


def variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"(--[\w-]+):\s*([^;]+);", block))


def blocks() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """The variables of the light page, of the dark system, and of dark as chosen."""
    base = COMMENT.sub("", (STATIC / "css" / "base.css").read_text(encoding="utf-8"))
    light = re.search(r"^:root \{(.*?)^\}", base, re.DOTALL | re.MULTILINE)
    system = re.search(r":root:not\(\[data-theme=\"light\"\]\) \{(.*?)\}", base, re.DOTALL)
    chosen = re.search(r"^:root\[data-theme=\"dark\"\] \{(.*?)^\}", base, re.DOTALL | re.MULTILINE)
    assert light
    assert system
    assert chosen
    return variables(light[1]), variables(system[1]), variables(chosen[1])


def test_both_themes_have_every_colour():
    light, system, chosen = blocks()
    colours = {name for name, value in light.items() if value.startswith(("#", "rgb"))}
    assert system == chosen
    assert colours <= set(system)
    assert set(system) <= set(light)
    assert all(light[name] != system[name] for name in colours)


def test_every_variable_that_is_used_is_defined():
    everywhere = "".join(path.read_text(encoding="utf-8") for path in (*STYLES, *SCRIPTS))
    defined = set(re.findall(r"(?:^|[\s\"'`;(])(--[\w-]+)(?:\"|')?[:,]", everywhere))
    used = re.findall(r"var\((--[\w-]+)|getPropertyValue\(\"(--[\w-]+)", everywhere)
    assert {one for pair in used for one in pair if one} <= defined


def luminance(colour: str) -> float:
    """Of WCAG 2: how bright a colour is."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("ink", ["--ink", "--ink-soft", "--ink-faint", "--accent", "--good", "--bad"])
@pytest.mark.parametrize("paper", ["--paper", "--panel"])
@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_can_be_read(theme, ink, paper):
    """WCAG 2 asks for a contrast of 4.5 of text, 3 of what only accompanies it."""
    colours = blocks()[theme]
    dark, bright = sorted(luminance(colours[name]) for name in (ink, paper))
    assert (bright + 0.05) / (dark + 0.05) >= (3 if ink == "--ink-faint" else 4.5)


def test_all_that_a_head_may_look_at_has_words_on_the_page():
    """But what opens and closes a text, which are told by their own pieces."""
    naming = (STATIC / "js/attention/naming.js").read_text("utf-8")
    known = {
        bare or quoted for bare, quoted in re.findall(r'^  (?:(\w+)|"([^"]+)"): \["', naming, re.MULTILINE)
    }
    assert set(TARGETS) - {"opening", "closing"} <= known
