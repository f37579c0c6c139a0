"""Pictures are drawn where what draws them is installed, and refused in one line where it is not."""

import pytest

import loadmaster as lm
from loadmaster.model.errors import InputError, MissingExtra
from loadmaster.report import picture
from loadmaster.report.picture import check_picture, write_picture

PACKED = lm.pack(lm.generate.virtual_clusters(hosts=2, tasks=4), method="sg")


@pytest.fixture
def _without(monkeypatch):
    monkeypatch.setattr(picture, "find_spec", lambda name: None)


@pytest.mark.parametrize("name", ["a.png", "a.svg"])
def test_a_chart_becomes_a_picture_by_its_ending(name, tmp_path):
    write_picture(tmp_path / name, PACKED.plot())
    assert (tmp_path / name).read_bytes()[:4] in (b"\x89PNG", b"<svg")


def test_another_ending_and_a_folder_that_is_not_there_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"as \.png or \.svg"):
        check_picture(tmp_path / "a.gif")
    with pytest.raises(InputError, match="no such folder"):
        check_picture(tmp_path / "b" / "a.png")


@pytest.mark.usefixtures("_without")
def test_where_nothing_draws_a_picture_that_was_asked_for_is_refused_with_what_to_install(tmp_path):
    with pytest.raises(MissingExtra, match=r"the picture a.png needs .* pip install 'loadmaster\[pictures\]'"):
        check_picture(tmp_path / "a.png")


@pytest.mark.usefixtures("_without")
def test_where_nothing_draws_a_placement_is_written_without_its_picture(tmp_path):
    PACKED.save(tmp_path)
    assert not (tmp_path / "hosts.png").exists()
    assert (tmp_path / "report.html").exists()


def test_a_table_of_pandas_says_what_to_install_where_that_is_missing(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'loadmaster\[pandas\]'"):
        PACKED.to_pandas()
