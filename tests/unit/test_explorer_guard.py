"""Who may ask the explorer, and how often."""

import pytest

from mini_bert.explorer.guard import Allowed, Bucket, Guard
from mini_bert.explorer.limits import Limits

HERE = Allowed(8192)
FOLLOWED_LINK = {
    "sec_fetch_site": "cross-site",
    "sec_fetch_mode": "navigate",
    "sec_fetch_dest": "document",
}


@pytest.mark.parametrize(
    "host", ["localhost:8192", "127.0.0.1:8192", "[::1]:8192", "LOCALHOST:8192", "localhost.:8192"]
)
def test_this_machine_may(host):
    assert HERE.permits(host)
    assert HERE.permits_origin(f"http://{host}")


@pytest.mark.parametrize(
    "host",
    [
        "",
        "localhost",
        "localhost:8193",
        "evil.example:8192",
        "localhost.evil.example:8192",
        "127.0.0.1.evil.example:8192",
        "evil@localhost:8192",
        "localhost:8192@evil.example",
        "localhost:8192/x",
        "localhost:8192#",
        "localhost:8192?",
        "localhost:8192\n",
        "localhost :8192",
        "localhost:99999",
        "localhost:x",
        "[::1",
        "192.168.1.5:8192",
        "0.0.0.0:8192",
    ],
)
def test_other_names_may_not(host):
    assert not HERE.permits(host)


@pytest.mark.parametrize("origin", ["null", "https://localhost:8192", "file://", "http://evil.example", "x"])
def test_other_origins_may_not(origin):
    assert not HERE.permits_origin(origin)


def test_port_80_is_not_written():
    assert Allowed(80).permits("localhost")
    assert not Allowed(81).permits("localhost")


def test_a_host_that_was_asked_for_may():
    there = Allowed(8192, "192.168.1.5")
    assert there.permits("192.168.1.5:8192")
    assert there.permits("localhost:8192")
    assert not there.permits("192.168.1.6:8192")


def test_everywhere_means_addresses_and_the_own_name(monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "Desk")
    everywhere = Allowed(8192, "0.0.0.0")
    for host in ("192.168.1.5:8192", "[fe80::1]:8192", "desk:8192", "desk.local:8192"):
        assert everywhere.permits(host)
    assert not everywhere.permits("evil.example:8192")  # a name that its owner points here


def test_a_bucket_gives_a_burst_and_then_its_rate():
    now = [0.0]
    bucket = Bucket(rate=10, burst=5, clock=lambda: now[0])
    assert [bucket.take() for _ in range(5)] == [0] * 5
    assert bucket.take() == pytest.approx(0.1)
    now[0] += 0.1
    assert bucket.take() == 0
    assert bucket.take() > 0
    now[0] += 1000
    assert [bool(bucket.take()) for _ in range(6)] == [False] * 5 + [True]


def asking(path="/", method="GET", **headers):
    given = {"host": "localhost:8192", **{name.replace("_", "-"): value for name, value in headers.items()}}
    raw = [(name.encode(), value.encode()) for name, value in given.items()]
    return {"type": "http", "method": method, "path": path, "headers": raw}


@pytest.fixture
def guard():
    return Guard(None, HERE, Limits(rate=0.001, burst=3))


@pytest.mark.parametrize(
    ("request_", "may"),
    [
        (asking(), True),
        (asking("/api/forward", "POST", origin="http://localhost:8192", sec_fetch_site="same-origin"), True),
        (asking("/api/forward", "POST", origin="http://localhost:3000", sec_fetch_site="same-site"), False),
        (asking("/api/forward", "POST", origin="https://evil.example", sec_fetch_site="cross-site"), False),
        (asking("/api/models", sec_fetch_site="cross-site", sec_fetch_mode="no-cors"), False),
        (
            asking("/", **FOLLOWED_LINK),
            True,
        ),
        (asking("/", sec_fetch_site="cross-site", sec_fetch_mode="navigate", sec_fetch_dest="iframe"), False),
        (
            asking("/api/models", **FOLLOWED_LINK),
            False,
        ),
        (asking("/js/main.js", sec_fetch_site="cross-site", sec_fetch_mode="cors"), False),
    ],
)
def test_only_our_own_pages_and_links_to_them(guard, request_, may):
    refused = guard.refusal(request_)
    assert (refused is None) == may
    if refused:
        assert refused.status == 403
        assert "http://localhost:8192/" in refused.remedy


def test_two_hosts_or_none_are_refused(guard):
    for headers in ([], [(b"host", b"localhost:8192")] * 2):
        assert guard.refusal({"type": "http", "method": "GET", "path": "/", "headers": headers}).status == 403


def test_the_rate_is_of_questions_not_of_files(guard):
    assert [guard.refusal(asking("/js/main.js")) for _ in range(20)] == [None] * 20
    assert [guard.refusal(asking("/api/models")) for _ in range(3)] == [None] * 3
    refused = guard.refusal(asking("/api/models"))
    assert refused.status == 429
    assert int(refused.headers["retry-after"]) >= 1
