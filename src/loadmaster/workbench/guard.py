"""Checks every request: its token, its origin, and what a browser may do with the answer.

Every request needs the token or the cookie made of it, and a Host header that names us; one that changes anything also
needs to come from a page of ours (Origin), with the word that stands on our pages.
"""

import hmac
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loadmaster.workbench.token import Token

CSRF = "x-loadmaster-csrf"
PAGE = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""What the page of a result may do, even a hostile one: run in an origin of its own, without any connection."""
_SAFE = ("GET", "HEAD")


@dataclass(frozen=True)
class Guard:
    """Refuses what is not ours.

    Attributes:
        app: what it stands before.
        token: lets in.
        hosts: what the Host header may be, such as `127.0.0.1:8421`.
        policy: what our own pages may do.
    """

    app: ASGIApp
    token: Token
    hosts: tuple[str, ...]
    policy: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it here."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # no websockets here
            await send({"type": "websocket.close", "code": 1008})
            return
        answer = self._refusal(scope)
        await (self.app if answer is None else answer)(scope, receive, self._guarded(send))

    @property
    def cookie(self) -> str:
        """The cookie's name: browsers part cookies by host, not by port, so the port is in it."""
        return f"loadmaster-{self.hosts[0].rpartition(':')[2]}"

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.getlist("host") not in [[host] for host in self.hosts]:
            return PlainTextResponse("This is not the address of the workbench.", 421)
        given = parse_qs(scope["query_string"].decode("ascii", "replace")).get("token")
        if given and scope["method"] == "GET":
            return self._welcome() if self.token.opens(given[0]) else _SHUT
        if not self._knows(headers):
            return _SHUT
        if scope["method"] in _SAFE:
            return None
        if scope["method"] != "POST":
            return PlainTextResponse("GET and POST are served here.", 405)
        return (
            None
            if self._from_us(headers)
            else PlainTextResponse("This request did not come from a page of the workbench.", 403)
        )

    def _welcome(self) -> Response:
        """Keep the token as a cookie and go to the overview; as a page, so that what follows comes from ourselves."""
        answer = HTMLResponse(_WELCOME)
        answer.set_cookie(self.cookie, self.token.cookie, httponly=True, samesite="strict", path="/")
        return answer

    def _knows(self, headers: Headers) -> bool:
        try:
            cookie = SimpleCookie("; ".join(headers.getlist("cookie"))).get(self.cookie)
        except CookieError:
            return False
        return cookie is not None and hmac.compare_digest(cookie.value.encode(), self.token.cookie.encode())

    def _from_us(self, headers: Headers) -> bool:
        ours = [[f"http://{host}"] for host in self.hosts]
        word = headers.get(CSRF, "").encode()
        return (
            headers.getlist("origin") in ours
            and headers.get("sec-fetch-site", "same-origin") == "same-origin"
            and hmac.compare_digest(word, self.token.csrf.encode())
        )

    def _guarded(self, send: Send) -> Send:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("content-security-policy", self.policy)
                headers.setdefault("x-frame-options", "SAMEORIGIN")
                for name, value in _ALWAYS.items():
                    headers[name] = value
            await send(message)

        return guarded


_ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_SHUT = PlainTextResponse("The workbench opens with the address that `loadmaster serve` prints.", 403)
_WELCOME = '<!doctype html><meta http-equiv="refresh" content="0; url=/"><title>loadmaster</title><a href="/">Go on</a>'
