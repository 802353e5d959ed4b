"""Every example runs, in its quick form, and shows what it promises."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
NEEDS_NO_SMOKE = {"fill_a_mask", "find_neighbours", "patch_activations", "huggingface_folders"}
SHARED = {"runs_with_seeds", "results", "probed"}
"""What the research questions have in common; no script."""
PROMISED = {
    "fill_a_mask": r"after layer 3: .*\nthe sharpest head",
    "find_neighbours": r"6 vectors of 192 numbers\n(.+ \d\.\d\d  .+\n){6}",
    "tokenize_text": r"WordPieceTokenizer: (.*\n)+ByteLevelBPETokenizer: (.*\n)+UnigramTokenizer: ",
    "train_and_resume": r"interrupted at step 10\nfinished at step 20\n",
    "finetune_and_predict": r"right on test: \d\.\d\d; .*\n.* (positive|negative|neutral) \d\.\d\d\n",
    "patch_activations": r"layer 0, restored by (.*\n)+layer 2, restored by .*\[MASK\] \+1\.00",
    "own_architecture": r"SquaredReLU",
    "own_score_term": r"new weights: encoder\.layers\.0\.attn\.nearness\.slope",
    "own_probe": r"most frequent label .*\neach word.*\n(layer \d: .*\n){4}",
    "distill": r"teacher .*\ntaught .*\nalone .*",
    "huggingface_folders": r"bert\.embeddings\.word_embeddings\.weight (.*\n)+the same logits: True",
    "how_attention_evolves": r"\| step \| entropy, layer 1 \|.*\n\| ---.*\n\| 0 \|(.*\n)+\| 6 \|",
    "which_layers_learn_what": r"\| part of speech \|(.*\n)+\| kind of name \|",
    "masking_ratio": r"\| 5 % \|.*\n\| 15 % \|",
    "size_and_quality": r"\| H = 16 \|.*\n\| H = 64 \|",
    "initialization": r"\| std-0\.003 \|.*\n\| std-0\.03 \|",
}
SCRIPTS = sorted(path for path in EXAMPLES.glob("*/*.py") if path.stem not in SHARED)


def run(script, *args, folder):
    """What it prints; it must end well."""
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, str(script), *args],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_an_example_shows_what_it_promises(script, tmp_path):
    args = [] if script.stem in NEEDS_NO_SMOKE else ["--smoke"]
    if "--out" in script.read_text("utf-8") or script.parent.name == "research_experiments":
        args += ["--out", str(tmp_path / "out")]
    printed = run(script, *args, folder=tmp_path)
    assert re.search(PROMISED[script.stem], printed), printed
    if script.parent.name == "research_experiments":
        assert (tmp_path / "out" / f"{script.stem}.svg").is_file()
    if slopes := re.search(r"backward (\S+), by moving it (\S+)", printed):
        assert float(slopes[1]) == pytest.approx(float(slopes[2]), rel=1e-3)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_every_example_is_in_the_index(script):
    page = EXAMPLES / "README.md"
    if script.parent.name == "research_experiments":
        page = script.parent / "README.md"
        assert script.with_suffix(".svg").is_file()
        assert f"<!-- experiment: {script.stem} -->\n\n| " in page.read_text("utf-8")
    assert script.name in page.read_text("utf-8")


@pytest.mark.parametrize("page", sorted(EXAMPLES.glob("**/*.md")), ids=lambda page: page.parent.name)
def test_every_link_leads_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text("utf-8"))
    assert links
    assert all((page.parent / link).exists() for link in links)
