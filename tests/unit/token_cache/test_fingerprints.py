"""Fingerprints of files: remembered as long as nothing has changed."""

import pytest

from mini_bert.data.corpus import corpus
from mini_bert.data.sources import TextSource
from tests.unit.token_cache.text_files import age


class TestFingerprintsOfFiles:
    @pytest.fixture
    def reads(self, monkeypatch):
        """Counts how often all bytes of a file are read for its fingerprint."""
        count = []
        fingerprint = TextSource.fingerprint
        monkeypatch.setattr(TextSource, "fingerprint", lambda self: count.append(1) or fingerprint(self))
        return count

    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_text("The dog barks.")
        age(path)
        return path

    def test_are_remembered(self, path, reads, tmp_path):
        found = {corpus(path).known_fingerprint(tmp_path / "cache") for _ in range(3)}
        assert found == {corpus(path).fingerprint()}
        assert len(reads) == 2

    def test_follow_sizes_dates_and_settings(self, path, reads, tmp_path):
        first = corpus(path).known_fingerprint(tmp_path)
        assert corpus(path, unit="line").known_fingerprint(tmp_path) != first
        path.write_text("The hen barks.")
        age(path, 9)
        second = corpus(path).known_fingerprint(tmp_path)
        assert second == corpus(path).fingerprint() != first

    def test_of_files_that_have_just_changed_are_not(self, path, reads, tmp_path):
        age(path, 0)
        corpus(path).known_fingerprint(tmp_path)
        corpus(path).known_fingerprint(tmp_path)
        assert len(reads) == 2

    def test_are_found_where_nothing_can_be_written(self, path, tmp_path):
        (tmp_path / "file").write_text("")
        assert corpus(path).known_fingerprint(tmp_path / "file") == corpus(path).fingerprint()

    def test_of_several_are_joined(self, path, reads, tmp_path):
        both = corpus("world:5", path)
        assert both.known_fingerprint(tmp_path) == both.fingerprint()
        both.known_fingerprint(tmp_path)
        assert len(reads) == 2
