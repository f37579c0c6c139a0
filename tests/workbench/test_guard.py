import pytest
from benches import HOST, TOKEN, bench_over, client_of

from loadmaster.workbench.guard import CSRF

GET = ["/", "/rows", "/result?at=0", "/state?at=0", "/page?at=0", "/why?at=0&job=1", "/beside?first=0&second=0",
       "/first", "/log?name=a", "/parts/workbench.js", "/nothing"]  # fmt: skip
POST = ["/upload?name=a.swf", "/start", "/stop?at=0", "/go-on?at=0", "/", "/nothing"]


@pytest.fixture
def stranger(tmp_path):
    return client_of(bench_over(tmp_path), known=False)


@pytest.fixture
def known(tmp_path):
    return client_of(bench_over(tmp_path))


@pytest.mark.parametrize("path", GET)
def test_without_the_token_nothing_is_read(stranger, path):
    assert stranger.get(path).status_code == 403
    assert stranger.get(path, headers={"cookie": "loadmaster-8787=x; =; ;;"}).status_code == 403
    assert stranger.get(path, headers={"cookie": f"loadmaster-8787={TOKEN.text}"}).status_code == 403


@pytest.mark.parametrize("path", POST)
def test_without_the_token_nothing_is_changed(stranger, path, tmp_path):
    headers = {CSRF: TOKEN.csrf, "origin": f"http://{HOST}"}
    assert stranger.post(path, content=b"x", headers=headers).status_code == 403
    assert (
        stranger.post(path + ("&" if "?" in path else "?") + f"token={TOKEN.text}", headers=headers).status_code == 403
    )
    assert list(tmp_path.iterdir()) == []


def test_the_address_with_the_token_gives_a_cookie_that_scripts_and_other_sites_do_not_get(stranger):
    answer = stranger.get(f"/?token={TOKEN.text}")
    cookie = answer.headers["set-cookie"].lower()
    assert answer.status_code == 200
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN.text not in answer.headers["set-cookie"] + answer.text
    assert stranger.get("/").status_code == 200


@pytest.mark.parametrize("given", ["", "x", TOKEN.text[:-1], TOKEN.text + "x", TOKEN.cookie, "%FF%00"])
def test_another_token_gives_none(stranger, given):
    answer = stranger.get(f"/?token={given}")
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8787", "127.0.0.1", "127.0.0.1:80", "localhost:8787.evil", ""]
)
def test_a_name_that_is_not_ours_is_refused_even_with_the_token(known, host):
    for answer in (known.get("/", headers={"host": host}), known.post("/start", headers={"host": host})):
        assert answer.status_code == 421
    assert known.get(f"/?token={TOKEN.text}", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("changed", [
    {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": ""}, {"origin": f"https://{HOST}"},
    {"origin": "http://127.0.0.1:9999"}, {CSRF: ""}, {CSRF: "x"}, {CSRF: TOKEN.cookie},
    {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
])  # fmt: skip
@pytest.mark.parametrize("path", POST)
def test_what_does_not_come_from_a_page_of_ours_changes_nothing(known, tmp_path, changed, path):
    assert known.post(path, content=b"x", headers=changed).status_code == 403
    assert list(tmp_path.iterdir()) == []


def test_a_change_without_an_origin_is_refused(known):
    del known.headers["origin"]
    assert known.post("/start").status_code == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(known, method):
    assert known.request(method, "/").status_code == 405


def test_every_answer_says_what_a_browser_may_do_with_it(known, stranger):
    for answer in (known.get("/"), known.get("/nothing"), stranger.get("/"), known.get("/", headers={"host": "evil"})):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"


def test_a_websocket_is_closed(known):
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect), known.websocket_connect("/"):
        pass
