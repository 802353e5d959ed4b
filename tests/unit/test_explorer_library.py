"""Which models a page may ask for, and what it is told of them."""

import pytest

from mini_bert.explorer import library as library_module
from mini_bert.explorer.library import Library, name_of, preset_parameters
from mini_bert.explorer.limits import Limits
from mini_bert.models.config import ModelConfig
from mini_bert.pretrained.loading import load
from tests.unit.analysed_models import member


@pytest.fixture(scope="module")
def folder(tokenizer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "cows"
    member("bert", tokenizer).save_pretrained(folder)
    return folder


def nothing_ships(monkeypatch):
    monkeypatch.setattr(library_module, "is_here", lambda name: False)


def test_a_folder_is_known_by_its_name_and_loaded_once(folder, monkeypatch):
    nothing_ships(monkeypatch)
    library = Library.found(str(folder))
    assert library.names == ["cows"]
    assert library.model() is library.model("cows")
    assert library.model().num_parameters == load(folder).num_parameters


def test_a_request_cannot_name_a_path(folder):
    library = Library.found(str(folder))
    for name in (str(folder), "../cows", "nope", "debug"):
        with pytest.raises(ValueError, match="unknown model"):
            library.model(name)


def test_names_of_places(tmp_path, monkeypatch):
    run = tmp_path / "stories" / "checkpoints" / "best"
    run.mkdir(parents=True)
    (tmp_path / "mini").mkdir()
    assert name_of(str(run)) == "stories/best"
    assert name_of(str(tmp_path / "stories")) == "stories"
    monkeypatch.setattr(library_module, "is_here", lambda name: True)
    assert name_of("mini") == "mini"
    assert name_of(str(tmp_path / "mini")) == f"{tmp_path.name}/mini"
    nothing_ships(monkeypatch)
    assert name_of(str(tmp_path / "mini")) == "mini"


def test_the_default(folder, tmp_path, monkeypatch):
    nothing_ships(monkeypatch)
    monkeypatch.setenv("MINI_BERT_MODEL", str(folder))
    assert Library.found().default == "cows"
    monkeypatch.delenv("MINI_BERT_MODEL")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="no model yet; name one with --model"):
        Library.found()
    monkeypatch.setattr(library_module, "is_here", lambda name: True)
    found = Library.found()
    assert (found.default, found.names) == ("mini", ["mini", "mini-best"])
    assert Library.found(str(folder)).names == ["cows", "mini", "mini-best"]


def test_few_stay_loaded_beside_the_first(folder):
    library = Library({name: str(folder) for name in "abcde"}, Limits(models=2))
    first = library.model()
    for name in "bcde":
        library.model(name)
    assert set(library.loaded) == {"a", "d", "e"}
    assert library.model() is first


def test_what_is_told_of_a_model(folder):
    about = Library.found(str(folder)).about()
    assert about["sizes"] == {
        "layers": 3,
        "heads": 2,
        "hidden": 16,
        "intermediate": 24,
        "places": 40,
        "vocabulary": about["sizes"]["vocabulary"],
    }
    assert (about["default"], about["trained"], about["mask"], about["activation"]) == (
        True,
        True,
        "[MASK]",
        "gelu",
    )
    assert "folder" not in about


@pytest.mark.parametrize(
    "name", ["mini", "bert", "albert", "electra", "deberta", "transformer-xl", "xlnet", "gpt2"]
)
def test_every_kind_can_be_told_of(name, tokenizer):
    about = Library.of(member(name, tokenizer)).about()
    assert about["tells"]
    assert about["positions"]


def test_presets_are_made_up_unless_they_are_large():
    library = Library({"none": "none"}, Limits(models=1))
    assert {"mini", "bert-large", "gpt2-mini"} <= set(library.presets)
    made = library.preset("debug")
    assert library.preset("debug") is made
    assert preset_parameters(made.config) == made.num_parameters
    library.preset("bert-nano")
    assert list(library.made) == ["bert-nano"]
    with pytest.raises(ValueError, match=r"bert-large: 3[0-9]{2} million weights.*choose a smaller one"):
        library.preset("bert-large")
    with pytest.raises(ValueError, match="unknown preset"):
        library.preset("../secret")
    assert preset_parameters(ModelConfig.preset("bert-base")) > 100e6
