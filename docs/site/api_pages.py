"""The API reference: a page for each package, read from the sources without importing them.

Every public function and class stands there with its signature and its docstring as written.
"""

import ast
import re
from html import escape
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers.python import PythonLexer

HIDDEN = {"cli", "exercises"}
"""Folders whose functions nobody calls: commands, and files that learners fill in."""

WIDTH = 88
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
PYTHON, HTML = PythonLexer(), HtmlFormatter()


def write_api(package: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    write_package(package, package.name, folder)


def write_package(package: Path, name: str, folder: Path) -> None:
    """The page of a package, then those of the packages inside it."""
    inner = [
        child.parent for child in sorted(package.glob("*/__init__.py")) if child.parent.name not in HIDDEN
    ]
    modules = [path for path in sorted(package.glob("*.py")) if not path.stem.startswith("_")]
    text = [f"# {name}\n", raw(docstring(parsed(package / "__init__.py")))]
    text += [module_section(module, f"{name}.{module.stem}") for module in modules]
    if inner:
        names = "\n".join(f"{name}.{child.name}" for child in inner)
        text.append(f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n")
    (folder / f"{name}.md").write_text("".join(text), "utf-8")
    for child in inner:
        write_package(child, f"{name}.{child.name}", folder)


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def module_section(path: Path, name: str) -> str:
    module = parsed(path)
    found = [docstring(module)]
    for node in module.body:
        if isinstance(node, FUNCTION) and is_public(node):
            found += [title(node.name, name), coloured(signature(node)), docstring(node)]
        elif isinstance(node, ast.ClassDef) and is_public(node):
            found += class_section(node, name)
    heading = name.rpartition(".")[2]
    return f"\n## {heading}\n\n[{path.name}](../{name.replace('.', '/')}.py)\n{raw(''.join(found))}"


def class_section(node: ast.ClassDef, module: str) -> list[str]:
    found = [title(node.name, module), coloured(class_head(node)), docstring(node)]
    for member in node.body:
        if isinstance(member, FUNCTION) and is_public(member):
            found += [coloured(signature(member)), docstring(member)]
    return found


def title(name: str, module: str) -> str:
    return f'<h3 id="{module}.{name}">{name}</h3>\n'


def coloured(code: str) -> str:
    return highlight(code, PYTHON, HTML)


def raw(html: str) -> str:
    return f"\n````{{raw}} html\n{html}\n````\n" if html else ""


def is_public(node: FUNCTION | ast.ClassDef) -> bool:
    return not node.name.startswith("_") or node.name in ("__init__", "__call__")


def class_head(node: ast.ClassDef) -> str:
    """A class with its decorators, bases and fields."""
    decorators = [f"@{ast.unparse(decorator)}" for decorator in node.decorator_list]
    bases = ", ".join(ast.unparse(base) for base in [*node.bases, *node.keywords])
    fields = [f"    {ast.unparse(field)}" for field in node.body if isinstance(field, ast.AnnAssign)]
    return "\n".join([*decorators, f"class {node.name}({bases})" if bases else f"class {node.name}", *fields])


def signature(node: FUNCTION) -> str:
    """A function's head; one argument per line where it is long."""
    decorators = [f"@{ast.unparse(decorator)}" for decorator in node.decorator_list]
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    head = f"{word} {node.name}({ast.unparse(node.args)}){result}"
    if len(head) > WIDTH:
        head = f"{word} {node.name}(\n    " + ",\n    ".join(arguments(node.args)) + f",\n){result}"
    return "\n".join([*decorators, head])


def arguments(args: ast.arguments) -> list[str]:
    """Each argument with its type and default, and the bare signs between them."""
    whole = ast.unparse(args)
    cuts = [0]
    depth = 0
    quote = ""
    for place, sign in enumerate(whole):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        else:
            depth += (sign in "([{") - (sign in ")]}")
            if sign == "," and not depth:
                cuts.append(place + 1)
    return [whole[a:b].strip(" ,") for a, b in zip(cuts, [*cuts[1:], len(whole)], strict=True)]


def docstring(node: ast.Module | ast.ClassDef | FUNCTION) -> str:
    text = ast.get_docstring(node)
    if not text:
        return ""
    body = "\n".join(paragraph(part) for part in re.split(r"\n\s*\n", text))
    return f'<div class="docstring">\n{body}\n</div>\n'


def paragraph(text: str) -> str:
    """Prose flows; what is indented, listed or spaced by hand is shown as it was typed."""
    if re.search(r"^( {2,}|[-*] )|\S {2,}\S", text, re.MULTILINE):
        return f"<pre>{escape(text)}</pre>"
    prose = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return f"<p>{prose}</p>"
