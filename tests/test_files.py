"""Files that a user names: what is read of odd ones, and that writing destroys nothing."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from modelcontext.ground.files import (
    ReadError,
    WriteError,
    check_writable,
    check_writable_folder,
    read_text,
    write_whole,
)


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def device(path: Path, minor: int) -> Path:
    """Make a device that drops what is written (3), or has no room for it (7)."""
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        # In some containers a device can be made, and not be opened.
        os.close(os.open(path, os.O_WRONLY))
    except OSError:
        pytest.skip("NOTRUN: only a superuser can make a device")
    return path


@pytest.mark.usefixtures("umask")
def test_new_file_has_the_mode_that_the_umask_leaves(tmp_path: Path) -> None:
    write_whole(tmp_path / "new/report.xml", "text")
    assert mode(tmp_path / "new/report.xml") == 0o600


@pytest.mark.usefixtures("umask")
def test_file_that_is_replaced_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    write_whole(path, "new")
    assert (read_text(path), mode(path)) == ("new", 0o640)
    assert list(tmp_path.iterdir()) == [path]


def test_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/target")
    for text in ("first", "second"):
        write_whole(tmp_path / "link", text)
        assert (tmp_path / "link").is_symlink()
        assert read_text(tmp_path / "there/target") == text


def test_device_is_written_into(tmp_path: Path) -> None:
    null = device(tmp_path / "null", 3)
    before = null.stat()
    (tmp_path / "link").symlink_to(null)
    for path in (null, tmp_path / "link"):
        check_writable(path)
        write_whole(path, "text")
    assert (null.stat().st_ino, null.stat().st_mode) == (before.st_ino, before.st_mode)


def test_device_without_room_is_an_error(tmp_path: Path) -> None:
    full = device(tmp_path / "full", 7)
    with pytest.raises(WriteError, match="full cannot be written: No space left on device"):
        write_whole(full, "text")
    assert full.is_char_device()


def test_fifo_is_written_into(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    # The other end is open, and has room for what is written.
    descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    write_whole(path, "text" * 10_000)
    assert os.read(descriptor, 1_000_000) == b"text" * 10_000
    os.close(descriptor)
    assert path.is_fifo()


def test_fifo_without_the_other_end_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    check_writable(path)
    with pytest.raises(WriteError, match="no program reads from this FIFO"):
        write_whole(path, "text")
    assert read_text(path) == ""
    assert path.is_fifo()


def test_standard_output_is_written_into(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    print("before")
    write_whole(Path("/dev/stdout"), "text\n")
    print("after")
    assert capfd.readouterr().out == "before\ntext\nafter\n"


def test_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The path of a socket has at most a hundred characters.
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket")
        for write in (check_writable, lambda path: write_whole(path, "text")):
            with pytest.raises(WriteError, match="socket cannot be written: it is a socket"):
                write(Path("socket"))
        with pytest.raises(ReadError, match="socket: cannot be read"):
            read_text(Path("socket"))
        assert Path("socket").is_socket()


@pytest.mark.parametrize("name", ["folder", "file/report.xml", "file/deeper/report.xml", "loop", "n" * 300])
def test_path_that_cannot_be_written_is_refused_before_and_then(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old", encoding="utf-8")
    (tmp_path / "loop").symlink_to("loop")
    for write in (check_writable, lambda path: write_whole(path, "text")):
        with pytest.raises(WriteError, match=r"cannot be written: \w"):
            write(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "loop"]
    assert read_text(tmp_path / "file") == "old"


def test_folder_is_tried_without_a_trace(tmp_path: Path) -> None:
    check_writable_folder(tmp_path / "new/folder")
    check_writable(tmp_path / "new/report.xml")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(WriteError, match="is not a folder"):
        check_writable_folder(tmp_path / "file")


def test_more_than_the_limit_is_not_read(tmp_path: Path) -> None:
    zero = tmp_path / "zero"
    with zero.open("wb") as file:
        file.truncate(5_000_000)
    assert read_text(zero, most=5_000_000) == "\0" * 5_000_000
    with pytest.raises(ReadError, match=r"zero: cannot be read: there are more than 4,999,999 bytes"):
        read_text(zero, most=4_999_999)


def test_folder_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="cannot be read: Is a directory"):
        read_text(tmp_path)
