import asyncio
import gzip

import pytest

from loadmaster.workbench.refusal import Refused
from loadmaster.workbench.uploads import UNPACKED, plain_name, receive, uploaded

MOST = 10_000


def send(folder, name="log.swf", chunks=(b"1 2 3\n",), most=MOST, announced=None):
    async def stream():
        for chunk in chunks:
            yield chunk

    return asyncio.run(receive(name, stream(), folder, most, announced))


def refused(folder, **told):
    with pytest.raises(Refused) as caught:
        send(folder, **told)
    assert not folder.exists() or list(folder.iterdir()) == []
    return caught.value


def test_what_is_sent_is_there_whole_and_a_second_of_its_name_gets_a_number(tmp_path):
    names = [send(tmp_path / "logs", chunks=[b"a", b"b"]).name for _ in range(3)]
    assert names == ["log.swf", "log-2.swf", "log-3.swf"] == sorted(uploaded(tmp_path / "logs"), key=len)[:3]
    assert [(tmp_path / "logs" / name).read_bytes() for name in names] == [b"ab"] * 3


def test_what_is_sent_can_be_read_by_nobody_else_from_its_first_byte(tmp_path):
    seen = []

    def chunks():
        for chunk in (b"a", b"b"):
            seen.extend(path.stat().st_mode & 0o777 for path in (tmp_path / "logs").iterdir())
            yield chunk

    path = send(tmp_path / "logs", chunks=chunks())
    assert {*seen, path.stat().st_mode & 0o777} == {0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", [
    "", ".", "..", "../log.swf", "/etc/passwd", "a/b", "a\\b", "C:log", ".hidden", "-rf", "a\0b", "a\nb", "a\x1b[31mb",
    "\u202egpj.exe", "x" * 121, "log.part", "log.swf.", "log ", "<script>", "a;b", "$(id)", "`id`", 'a"b', "\udcff",
])  # fmt: skip
def test_a_hostile_name_is_refused_before_anything_is_written(tmp_path, name):
    assert refused(tmp_path / "logs", name=name).status == 400


@pytest.mark.parametrize("name", ["log.swf", "CTC-SP2 (1996).swf.gz", "Läufe_2024,v2.csv", "a" * 120])
def test_a_usual_name_is_taken(name):
    assert plain_name(name) == name


def test_more_than_the_limit_is_refused_whether_announced_or_not(tmp_path):
    assert refused(tmp_path / "logs", announced=MOST + 1).status == 413
    endless = (b"x" * 1000 for _ in iter(int, 1))
    assert refused(tmp_path / "logs", chunks=endless, announced=5).status == 413


def test_an_empty_file_and_one_whose_sending_breaks_off_leave_nothing(tmp_path):
    assert refused(tmp_path / "logs", chunks=[]).why == "this file is empty"

    def breaking():
        yield b"x"
        raise ConnectionError

    with pytest.raises(ConnectionError):
        send(tmp_path / "logs", chunks=breaking())
    assert list((tmp_path / "logs").iterdir()) == []


def test_a_gzip_file_that_unpacks_to_too_much_is_refused_and_a_usual_one_is_taken(tmp_path):
    bomb = gzip.compress(b"0" * (MOST * UNPACKED + 1))
    assert len(bomb) < MOST
    assert "unpacks to more than" in refused(tmp_path / "logs", name="bomb.gz", chunks=[bomb]).why
    assert "damaged or cut short" in refused(tmp_path / "logs", chunks=[gzip.compress(b"1 2" * 99)[:-9]]).why
    assert send(tmp_path / "logs", name="log.swf.gz", chunks=[gzip.compress(b"1 2 3\n")]).is_file()


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\x00", b"SQLite format 3\0", b"BZh9"])
def test_what_is_packed_otherwise_or_no_log_is_refused(tmp_path, start):
    assert refused(tmp_path / "logs", chunks=[start, b"\0" * 99]).status == 415


def test_a_folder_of_uploads_that_is_a_link_is_not_written_into(tmp_path):
    (tmp_path / "away").mkdir()
    (tmp_path / "logs").symlink_to(tmp_path / "away")
    with pytest.raises(Refused, match="leads elsewhere"):
        send(tmp_path / "logs")
    assert list((tmp_path / "away").iterdir()) == []


def test_a_link_in_the_place_of_the_file_is_not_written_through(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "log.swf").symlink_to(tmp_path / "away")
    (tmp_path / "logs" / "log-2.swf.part").symlink_to(tmp_path / "away")
    with pytest.raises(FileExistsError):
        send(tmp_path / "logs")
    assert not (tmp_path / "away").exists()
    assert uploaded(tmp_path / "logs") == []
