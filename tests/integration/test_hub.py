"""`mini-bert data get` through huggingface_hub itself, from a server on this machine that speaks like the hub."""

import json
import os
import re
import subprocess
import sys
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from mini_bert.data.catalogue import find

pytest.importorskip("huggingface_hub", reason="sets are fetched with huggingface_hub, of the extra hub")

TREE = "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n"
UD = find("ud-ewt")


@pytest.fixture
def hub():
    """The address of the server, which files it has, and which were asked for."""
    files = {path: TREE.encode() for path in UD.published}
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self):
            place = re.fullmatch(rf"/datasets/{UD.repo}/resolve/([0-9a-f]{{40}})/(.+)", self.path)
            content = files.get(place[2]) if place else None
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            if content is None:
                self.send_header("X-Error-Code", "EntryNotFound")
            else:
                self.send_header("ETag", f'"{sha256(content).hexdigest()}"')
                self.send_header("X-Repo-Commit", place[1])
            self.end_headers()
            if content and self.command == "GET":
                asked.append((place[1], place[2]))
                self.wfile.write(content)

        do_GET = do_HEAD

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", files, asked
    server.shutdown()
    server.server_close()


@pytest.fixture
def get(hub, tmp_path):
    def get(*options: str) -> subprocess.CompletedProcess:
        settings = {
            "HF_ENDPOINT": hub[0],
            "HF_HOME": str(tmp_path / "hf"),
            "MINI_BERT_CACHE": str(tmp_path / "cache"),
            "HF_HUB_OFFLINE": "0",
        }
        return subprocess.run(
            [sys.executable, "-m", "mini_bert", "data", "get", "ud-ewt", *options],
            env=os.environ | settings,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return get


def test_fetches_every_file_at_the_pinned_revision_once(get, hub):
    done = get("--json")
    assert done.returncode == 0, done.stderr
    assert hub[2] == [(UD.revision, path) for path in UD.published]
    assert set(json.loads(done.stdout)["files"].values()) == {sha256(TREE.encode()).hexdigest()}
    assert get().returncode == 0
    assert len(hub[2]) == 3


def test_says_what_did_not_come_and_goes_on_from_there(get, hub):
    missing = UD.published[-1]
    content = hub[1].pop(missing)
    done = get()
    assert done.returncode == 2
    assert f"{missing} did not come" in done.stderr
    assert "Traceback" not in done.stderr
    hub[1][missing] = content
    assert get().returncode == 0
    assert [path for _, path in hub[2]] == UD.published
