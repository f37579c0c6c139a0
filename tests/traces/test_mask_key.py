"""The key of masks: drawn once, the user's alone."""

import stat

import pytest

from loadmaster.model.errors import InputError
from loadmaster.traces.mask_key import FILE, mask_key


def test_the_key_is_drawn_once_and_only_its_user_can_read_it(tmp_path):
    first = mask_key(tmp_path / "new")
    assert len(first) == 32
    assert mask_key(tmp_path / "new") == first != mask_key(tmp_path / "other")
    assert stat.S_IMODE((tmp_path / "new" / FILE).stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "new").iterdir()] == [FILE]


def test_what_is_no_key_is_refused(tmp_path):
    (tmp_path / FILE).write_bytes(b"short")
    with pytest.raises(InputError, match="this file holds no key of masks"):
        mask_key(tmp_path)


def test_where_no_key_can_be_kept_one_line_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="no key of masks can be kept here"):
        mask_key(tmp_path / "file")
