"""HTTP with a time limit: a connection with an unfinished request is closed after a while."""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 20.0
"""A request has so long to say what it requests."""
SILENT_S = 60.0
"""What is being sent, such as a log, may pause for so long."""


class PromptHttp(H11Protocol):
    """Uvicorn's protocol, which by itself waits without end for the rest of a request."""

    _closing: asyncio.TimerHandle | None = None
    _awaits: object = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest, if there is more to come."""
        super().data_received(data)
        self._wait()

    def on_response_complete(self) -> None:
        """Between two requests uvicorn itself counts the seconds."""
        super().on_response_complete()
        self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more comes."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Begin to count: from the start of a request's head, or from the last bytes of its body."""
        awaits = self.conn.their_state
        if awaits is h11.IDLE and self._awaits is h11.IDLE:
            return  # bytes that dribble in give a head no more time
        self._stop_waiting()
        limit_s = {h11.IDLE: HEAD_S, h11.SEND_BODY: SILENT_S}.get(awaits)
        if limit_s is not None:
            self._awaits = awaits
            self._closing = self.loop.call_later(limit_s, self.transport.abort)

    def _stop_waiting(self) -> None:
        self._awaits = None
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
