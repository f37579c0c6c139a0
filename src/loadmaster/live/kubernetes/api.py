"""The API server as it answers: raw JSON, and what a failure means."""

import importlib
import json
import math
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from loadmaster.live.session.engine import EngineDown
from loadmaster.model import InputError, MissingExtra
from loadmaster.model.errors import cut

CONNECT_S, READ_S = 5.0, 60.0
FOLLOW_S = 60.0
"""A watch is asked to end after so long: a connection that died in silence is noticed soon after."""
UNAUTHORIZED, FORBIDDEN = 401, 403
WHO = "its token or certificate is wrong or has expired: see the user in the kubeconfig"
_BY_RIGHTS = re.compile(r"\bUser\b.* cannot ")
"""How the API's authorizer words a 403; one of an admission plugin is about an object, not about our rights."""
_AWAY = (429, 500, 502, 503, 504)
_AT_ONCE = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1), (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
"""A small request that waits for the answer to its first half takes 40 ms; a binding takes 4."""


@dataclass(frozen=True)
class Answer:
    """What the server said.

    Attributes:
        status: of HTTP.
        body: the object; of a refusal, its Status.
        server_s: the server's clock as it answered, NaN where it did not say.
    """

    status: int
    body: Mapping[str, Any]
    server_s: float = math.nan

    @property
    def good(self) -> bool:
        """It was done."""
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        """The server's own words."""
        return cut(str(self.body.get("message") or f"HTTP {self.status}"), 200)


class WatchStream:
    """A line of JSON after the other, until the server ends it or `close` is called from another thread."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self.status = int(answer.status)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        """What comes.

        Raises:
            EngineDown: the connection broke, or that is no JSON.
        """
        rest = b""
        try:
            for part in self._answer.stream(1 << 16):
                *lines, rest = (rest + part).split(b"\n")
                yield from (json.loads(line) for line in lines if line.strip())
        except Exception as error:  # a connection that is closed in the middle breaks in many ways
            raise EngineDown(str(error)) from error
        finally:
            self._answer.close()

    def close(self) -> None:
        """End the answer; a thread that waits for the next line wakes."""
        for end in (self._answer.shutdown, self._answer.close):
            with suppress(Exception):
                end()


class Api:
    """A connection to the API server; the official client reads the configuration and speaks TLS.

    What the server refuses for want of rights before it ever allowed it, it refuses for good. What it allowed once, and
    refuses later, is refused by a server that is starting (it answers 403 until it has read its roles) or by one to
    which an expired token was shown: it is away, and is asked again later. A token or certificate that is not accepted
    is first read anew from where it comes.

    Args:
        kubeconfig: a file as `kubectl` takes it; None is `KUBECONFIG`, `~/.kube/config` or the pod's own account.
        context: of that file; "" is the current one.

    Raises:
        MissingExtra: the client is not installed.
        InputError: there is no configuration, or it makes no sense.
    """

    def __init__(self, kubeconfig: Path | None = None, context: str = "") -> None:
        self._from = kubeconfig, context
        self._allowed: set[str] = set()
        self._seen: set[str] = set()
        self._connect()

    def _connect(self) -> None:
        configuration = _configured(*self._from)
        configuration.socket_options = _AT_ONCE
        rest = importlib.import_module("kubernetes.client.rest")
        self._urllib3 = importlib.import_module("urllib3")
        self._pool = rest.RESTClientObject(configuration).pool_manager
        self._configuration = configuration

    @property
    def host(self) -> str:
        """Its address."""
        return str(self._configuration.host)

    def ask(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, content: str = "application/json"
    ) -> Answer:
        """Ask; once more with a token that was read anew where the first was not accepted.

        Raises:
            EngineDown: the server does not answer, or not in JSON, or refuses what it allowed before.
            InputError: no Kubernetes API is there.
        """
        answer = self._request(method, path, body, content)
        if answer.status == UNAUTHORIZED and self._read_anew():
            answer = self._request(method, path, body, content)
        by_rights = answer.status == FORBIDDEN and _BY_RIGHTS.search(answer.text) is not None
        refused = by_rights or answer.status == UNAUTHORIZED
        self._away_if_refused(f"{method} {_kind_of(path)}", refused, answer.text)
        return answer

    def _request(self, method: str, path: str, body: Mapping[str, Any] | None, content: str) -> Answer:
        try:
            answer = self._sent(method, path, READ_S, content, body=None if body is None else json.dumps(body))
            content = json.loads(answer.data)
        except self._urllib3.exceptions.HTTPError as error:
            raise EngineDown(f"{self.host}: {error}") from error
        except ValueError as error:
            if answer.status in (401, 403, 404) and not self._allowed:  # a proxy, or another server
                raise InputError(self.host, f"no Kubernetes API answers there (HTTP {answer.status})") from None
            raise EngineDown(f"{self.host} did not answer in JSON (HTTP {answer.status})") from error
        return Answer(answer.status, content if isinstance(content, dict) else {}, _moment(answer.headers.get("Date")))

    def _read_anew(self) -> bool:
        """Read the token or certificate from where it comes; false where that cannot be done now."""
        try:
            self._connect()
        except InputError:
            return False
        return True

    def _away_if_refused(self, what: str, refused: bool, text: str) -> None:
        """What is refused for want of rights and was allowed before is refused by a server that is not itself."""
        if not refused:
            self._allowed.add(what)
        elif what in self._allowed:
            raise EngineDown(f"{self.host} refuses now what it allowed before: {text}")

    def follow(self, path: str) -> "WatchStream":
        """An answer that goes on for as long as the server likes.

        Raises:
            EngineDown: the server does not answer, or refuses what it allowed before.
        """
        stream = self._followed(path)
        if stream.status == UNAUTHORIZED and self._read_anew():
            stream.close()
            stream = self._followed(path)
        refused = stream.status in (UNAUTHORIZED, FORBIDDEN)
        self._away_if_refused(f"WATCH {_kind_of(path)}", refused, f"HTTP {stream.status}")
        return stream

    def _followed(self, path: str) -> "WatchStream":
        try:
            return WatchStream(self._sent("GET", path, FOLLOW_S + CONNECT_S, preload_content=False))
        except self._urllib3.exceptions.HTTPError as error:
            raise EngineDown(f"{self.host}: {error}") from error

    def _sent(self, method: str, path: str, read_s: float, content: str = "application/json", **more: Any) -> Any:
        headers = {"Accept": "application/json", "Content-Type": content, "User-Agent": "loadmaster"}
        for each in self._configuration.auth_settings().values():
            if each["in"] == "header" and each["value"]:
                headers[each["key"]] = each["value"]
        timeout = self._urllib3.Timeout(connect=CONNECT_S, read=read_s)
        return self._pool.request(
            method, self.host.rstrip("/") + path, headers=headers, retries=False, timeout=timeout, **more
        )

    def read(self, path: str) -> Mapping[str, Any]:
        """What there is; raises as `look` does."""
        return self.look(path).body

    def look(self, path: str) -> Answer:
        """What there is, with the server's clock.

        Raises:
            EngineDown: the server cannot say now.
            InputError: we may not look, or there is no such thing.
        """
        answer = self.ask("GET", path)
        if answer.good:
            self._seen.add(f"GET {_kind_of(path)}")
            return answer
        if answer.status in _AWAY or f"GET {_kind_of(path)}" in self._seen:
            raise EngineDown(answer.text)
        fix = {UNAUTHORIZED: WHO, FORBIDDEN: "see: loadmaster live kubernetes --doctor"}.get(answer.status, "")
        raise InputError(path.partition("?")[0], answer.text, fix=fix)


def _kind_of(path: str) -> str:
    """A path with `*` for the name of an object, which rights do not depend on.

    Example:
        >>> _kind_of("/api/v1/namespaces/team/pods/web-1/binding"), _kind_of("/api/v1/nodes/n1")
        ('/api/v1/namespaces/team/pods/*/binding', '/api/v1/nodes/*')
        >>> _kind_of("/api/v1/pods?watch=1"), _kind_of("/apis/policy")
        ('/api/v1/pods', '/apis/policy')
    """
    parts = path.partition("?")[0].strip("/").split("/")
    kind = 2 if parts[0] == "api" else 3
    kind += 2 if parts[kind : kind + 1] == ["namespaces"] and len(parts) > kind + 2 else 0
    return "/" + "/".join("*" if k == kind + 1 else part for k, part in enumerate(parts))


def _configured(kubeconfig: Path | None, context: str) -> Any:
    try:
        client, config = (importlib.import_module(f"kubernetes.{part}") for part in ("client", "config"))
    except ModuleNotFoundError as error:
        raise MissingExtra("live kubernetes", "live") from error
    configuration = client.Configuration()
    given = {"client_configuration": configuration, "context": context or None}
    try:
        if kubeconfig is not None or context:
            config.load_kube_config(**given, config_file=None if kubeconfig is None else str(kubeconfig))
        else:
            _load_usual(config, configuration)
    except (config.ConfigException, OSError, ValueError, TypeError, AttributeError, KeyError) as error:
        fix = "name a file by --kubeconfig, as kubectl takes it"
        raise InputError(kubeconfig or context or "kubeconfig", str(error) or "makes no sense", fix=fix) from error
    return configuration


def _load_usual(config: Any, configuration: Any) -> None:
    """As `kubectl` does: the user's file, else the account of the pod that we run in."""
    try:
        config.load_kube_config(client_configuration=configuration)
    except config.ConfigException as error:
        try:
            config.load_incluster_config(client_configuration=configuration)
        except config.ConfigException:
            raise error from None


def _moment(text: str | None) -> float:
    try:
        return parsedate_to_datetime(text).timestamp() if text else math.nan
    except ValueError:
        return math.nan
