"""All objects of one kind: first from a listing, then kept up to date by a watch."""

import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from loadmaster.live.kubernetes.api import FOLLOW_S, Api, WatchStream
from loadmaster.live.kubernetes.parsing import NOT_READ, name_of
from loadmaster.live.session.engine import EngineDown

MAY_NOT = (401, 403, 404, 405)
"""Statuses with which a server refuses a list or a watch."""
OLD = 3
"""So many listings in a row that are older than the one before, and the cluster has been restored from a backup."""


@dataclass(frozen=True, eq=False)
class InformerState:
    """The objects at one moment.

    Attributes:
        items: as the API lists them.
        old: a server that lags behind gave them: what was known before is newer.
        restored: how often the cluster has been set back to an earlier state.
    """

    items: list[Mapping[str, Any]]
    old: bool = False
    restored: int = 0


class Informer:
    """Listed when it has to be, and kept up to date by a watch in a thread of its own where there may be one.

    Args:
        api: of the cluster.
        path: of the list.
        watch: follow changes; without, every look is a listing.
    """

    def __init__(self, api: Api, path: str, *, watch: bool = True) -> None:
        self._api, self._path, self._may = api, path, watch
        self._lock = threading.Lock()
        self._items: dict[str, Mapping[str, Any]] = {}
        self._version = ""
        self._stream: WatchStream | None = None
        self._ended = threading.Event()
        self._ended.set()
        self._closed = False
        self._old = self._restored = 0
        self.listings = 0

    @property
    def pushed(self) -> bool:
        """Changes are told, not requested."""
        return self._may

    def look(self) -> InformerState:
        """What there is: told by the watch, or listed anew where it has broken off.

        Raises:
            EngineDown: the server does not answer.
            InputError: we may not look.
        """
        if self._ended.is_set() and not self._listed():
            return InformerState(list(self._items.values()), old=True, restored=self._restored)
        if self._may and self._ended.is_set():
            self._start_watch()
        with self._lock:
            return InformerState(list(self._items.values()), restored=self._restored)

    def now(self, name: str) -> Mapping[str, Any] | None:
        """The object as it is at this moment, by its namespace, if it has one, and name; None where there is none.

        A watch that stands has told of it; else it is requested.

        Raises:
            EngineDown: the server cannot say.
        """
        with self._lock:
            if not self._ended.is_set():
                return self._items.get(name)
            listed = self._items.get(name)
        space, _, name_there = name.rpartition("/")
        root, _, kind = self._path.rpartition("/")
        answer = self._api.ask("GET", f"{root}/{f'namespaces/{space}/' if space else ''}{kind}/{name_there}")
        if answer.status == 404:
            return None
        if answer.status in MAY_NOT:
            return listed
        if not answer.good:
            raise EngineDown(answer.text)
        return answer.body

    def note(self, item: Mapping[str, Any]) -> None:
        """Take in an object as a request of ours has left it: the watch may tell of it later."""
        with self._lock:
            self._items[name_of(item)] = item

    def close(self) -> None:
        """Follow no more."""
        self._closed = True
        with self._lock:
            stream = self._stream
        if stream is not None:
            stream.close()

    def _listed(self) -> bool:
        """List all of it; false where that is older than what is known."""
        body = self._api.read(self._path)
        self.listings += 1
        version = str((body.get("metadata") or {}).get("resourceVersion") or "")
        if _is_older(version, self._version):
            self._old += 1
            if self._old < OLD:
                return False
            self._restored += 1
        self._old = 0
        self._version = version or self._version
        self._items = {name_of(item): item for item in body.get("items") or ()}
        return True

    def _start_watch(self) -> None:
        """Begin a watch where the listing ended; where there is none now, the next look is a listing again."""
        with suppress(EngineDown):
            if (stream := self._open_watch()) is not None:
                self._ended.clear()
                threading.Thread(target=self._process_stream, args=(stream,), daemon=True).start()

    def _process_stream(self, stream: WatchStream | None) -> None:
        """Take in what the server tells; a watch whose time is over is followed by the next."""
        try:
            while stream is not None and not self._closed:
                if not all(self._apply_event(event) for event in stream):
                    break
                stream = None if self._closed else self._open_watch()
        except (EngineDown, *NOT_READ):  # the next look lists everything anew
            pass
        finally:
            self._ended.set()

    def _open_watch(self) -> WatchStream | None:
        """A watch from the last version on; None where there is none to be had."""
        query = f"watch=1&allowWatchBookmarks=true&timeoutSeconds={FOLLOW_S:.0f}&resourceVersion={self._version}"
        stream = self._api.follow(f"{self._path}?{query}")
        self._may = stream.status not in MAY_NOT
        if stream.status != 200:  # 410: what came after that version is forgotten
            stream.close()
            return None
        with self._lock:
            self._stream = stream
        return stream

    def _apply_event(self, event: Mapping[str, Any]) -> bool:
        """One event; false where the server cannot go on, and all has to be listed anew."""
        kind, item = event.get("type"), event.get("object") or {}
        if kind not in ("ADDED", "MODIFIED", "DELETED", "BOOKMARK"):
            return False
        with self._lock:
            if kind == "DELETED":
                self._items.pop(name_of(item), None)
            elif kind != "BOOKMARK":
                self._items[name_of(item)] = item
            self._version = str(item["metadata"]["resourceVersion"])
        return True


def _is_older(version: str, newest: str) -> bool:
    return version.isdigit() and newest.isdigit() and int(version) < int(newest)
