"""Connections on which a request is begun and never finished, to a real server."""

import asyncio
import socket
import threading

import pytest
import uvicorn

from loadmaster.workbench import prompt_http

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"


async def answers(scope, receive, send):
    """An application that takes a whole body and sends it back."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body, more = body + message["body"], message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def connected(monkeypatch):
    """Connect to a server whose patience is short."""
    monkeypatch.setattr(prompt_http, "HEAD_S", 0.2)
    monkeypatch.setattr(prompt_http, "SILENT_S", 0.2)
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(answers, log_config=None, lifespan="off", ws="none", http=prompt_http.PromptHttp)
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
    thread.start()
    clients = []

    def connect():
        clients.append(socket.create_connection(listening.getsockname(), timeout=60))
        return clients[-1]

    yield connect
    for client in clients:
        client.close()
    server.should_exit = True
    thread.join()


def rest_of(client):
    """All that comes until the server closes; ends in an error where it does not."""
    found = b""
    try:
        while block := client.recv(1000):
            found += block
    except ConnectionResetError:
        pass
    return found


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n", HEAD, HEAD + b"ab"])
def test_a_request_that_is_never_finished_is_closed(connected, begun):
    client = connected()
    client.sendall(begun)
    assert b"200 OK" not in rest_of(client)


def test_a_second_request_that_is_never_finished_is_closed_too(connected):
    client = connected()
    client.sendall(HEAD + b"abcd" + b"GET / HT")
    assert rest_of(client).endswith(b"abcd")


def test_a_whole_request_is_answered(connected):
    client = connected()
    client.sendall(HEAD)
    client.sendall(b"abcd")
    assert client.recv(1000).startswith(b"HTTP/1.1 200 OK")
