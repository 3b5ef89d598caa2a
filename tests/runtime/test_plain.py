"""What is read and written without h11 is what h11 would have read and written."""

from __future__ import annotations

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.runtime.client.plain import Request, ordinary

ANSWERS = (
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    b"HTTP/1.1 404 Not Found\r\nserver: x y\r\nconnection: keep-alive\r\ncontent-length:0\r\n\r\n",
    b"HTTP/1.1 201 \r\nX:\t1 \r\nX: \r\nContent-Length: 12 \r\nDate: 1\r\n\r\nfourteen bytes",
)
PIECES = [
    *(bytes([number]) for number in (0, 9, 10, 11, 13, 32, 34, 48, 49, 53, 58, 127, 233)),
    *(b"\r\n", b"\r\n ", b"HTTP/1.0", b"close", b"204", b"304", b"100", b"101"),
    *(b"9" * 30, b"Connection: close\r\n", b"Content-Length: 2\r\n", b"Upgrade: x\r\n"),
    *(b"Transfer-Encoding: chunked\r\n", b"transfer-encoding:\r\n"),
]


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    """An ordinary answer in which something has changed."""
    data = draw(st.sampled_from(ANSWERS))
    for _ in range(draw(st.integers(0, 2))):
        start = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 3))
        data = data[:start] + draw(st.sampled_from([b"", *PIECES])) + data[start + length :]
    return data


METHOD = st.sampled_from(["GET", "POST", "HEAD"])


def read_by_h11(data: bytes, method: str) -> tuple[h11.Response, bytes, bytes, bool]:
    """The head, the body as far as it has come, what is beyond it, and whether all of it came and
    the connection stays open.
    """
    state = h11.Connection(h11.CLIENT)
    state.send(h11.Request(method=method, target="/", headers=[("Host", "a")]))
    state.send(h11.EndOfMessage())
    state.receive_data(data)
    head = state.next_event()
    assert isinstance(head, h11.Response), head
    body = b""
    while isinstance(event := state.next_event(), h11.Data):
        body += event.data
    return head, body, state.trailing_data[0], state.their_state is h11.DONE


@given(answers(), METHOD)
def test_an_answer_is_read_as_h11_reads_it(data: bytes, method: str) -> None:
    head = ordinary(data, method)
    if head is None:
        return
    theirs, body, beyond, is_whole = read_by_h11(data, method)
    assert head.status == theirs.status_code
    assert head.fields == theirs.headers.raw_items()
    assert head.body[: head.length] == body
    assert is_whole == (len(head.body) >= head.length)
    assert not is_whole or head.body[head.length :] == beyond


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_ordinary_answer_is_read_here(answer: bytes) -> None:
    assert ordinary(answer, "GET") is not None
    assert ordinary(answer, "HEAD") is None
    assert ordinary(answer[:30], "GET") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"200", b"204"),
        (b"200", b"304"),
        (b"200", b"103"),
        (b"1.1", b"1.0"),
        (b": 2", b": 2, 2"),
        (b": 2", b": 2\r\nContent-Length: 2"),
        (b": 2", b": 2\r\nTransfer-Encoding: chunked"),
        (b": 2", b": 2\r\nConnection: close"),
        (b": 2", b": 2\r\n folded: x"),
        (b": 2\r\n", b": 2\n"),
        (b"Content-Length: 2\r\n", b""),
    ],
)
def test_any_other_answer_is_left_to_h11(old: bytes, new: bytes) -> None:
    assert old in ANSWERS[0]
    assert ordinary(ANSWERS[0].replace(old, new), "GET") is None


TEXT = st.text(st.sampled_from("aZ0-: \t\r\n\x00\x7f\xe9/?&"), max_size=6)


@given(st.sampled_from(["GET", "P OST", "M-SEARCH"]), TEXT, TEXT, TEXT)
def test_a_request_is_written_as_h11_writes_it(
    method: str, target: str, name: str, value: str
) -> None:
    own, others = {"Host": "a", "User-Agent": "b"}, {name: value, "Accept": "*/*"}
    try:
        expected = h11.Connection(h11.CLIENT).send(
            h11.Request(method=method, target=target, headers=[*own.items(), *others.items()])
        )
    except (h11.LocalProtocolError, UnicodeError):
        with pytest.raises((h11.LocalProtocolError, UnicodeError)):
            Request(method, target.encode(), own, others)
        return
    assert Request(method, target.encode(), own, others).head in (expected, None)


def test_an_ordinary_request_is_written_here() -> None:
    own = {"Host": "a", "Content-Length": "2"}
    request = Request("POST", b"/a?b=c", own, {"Accept": "*/*", "X": "1"})
    assert request.head == (
        b"POST /a?b=c HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nAccept: */*\r\nX: 1\r\n\r\n"
    )
    assert Request("POST", b"/", own, {"Connection": "close"}).head is None
    with pytest.raises(h11.LocalProtocolError):
        Request("GET", b"/", own, {"X": "1\r\nY: 2"})
