import pytest

from loadmaster.workbench.refusal import Refused
from loadmaster.workbench.served_folders import MOST, ServedFolders


@pytest.fixture
def places(tmp_path):
    (tmp_path / "one" / "a" / "b").mkdir(parents=True)
    (tmp_path / "two").mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("k")
    return ServedFolders((tmp_path / "one", tmp_path / "two"), tmp_path / "two")


def test_a_folder_has_a_name_that_leads_back_to_it(places):
    for folder in places.folders():
        assert places.folder(places.name_of(folder)) == folder
    assert [places.shown(folder) for folder in places.folders()] == ["one", "two", "one/a", "one/a/b"]


@pytest.mark.parametrize("name", [
    "0/..", "0/../secret", "0/a/../../secret", "0//etc", "0/a//b", "0/./a", "0/a/", "0/a\0b", "0/..\\secret",
])  # fmt: skip
def test_a_name_that_climbs_out_is_refused(places, name):
    with pytest.raises(Refused) as refused:
        places.folder(name)
    assert refused.value.status == 400


@pytest.mark.parametrize(
    "name", ["", "2", "-1", "x", "0x1", "١", "9" * 400, "/etc", "0/none", "0/" + "a" * 5000, "0/\ud800"]
)
def test_a_name_of_nothing_is_not_found(places, name):
    with pytest.raises(Refused) as refused:
        places.folder(name)
    assert refused.value.status == 404


def test_a_link_out_of_the_folders_is_refused_and_one_within_them_is_followed(places, tmp_path):
    (tmp_path / "one" / "out").symlink_to(tmp_path / "secret")
    (tmp_path / "one" / "within").symlink_to(tmp_path / "two")
    with pytest.raises(Refused, match="leads out"):
        places.folder("0/out")
    assert places.folder("0/within") == tmp_path / "two"
    assert tmp_path / "secret" not in [folder.resolve() for folder in places.folders()]


def test_a_folder_with_a_file_that_leads_out_is_refused_as_a_whole(places, tmp_path):
    (tmp_path / "one" / "a" / "run.json").symlink_to(tmp_path / "secret" / "key")
    with pytest.raises(Refused, match="a link that leads out"):
        places.folder("0/a")
    with pytest.raises(Refused, match="leads out"):
        places.file(tmp_path / "one" / "a", "run.json")


def test_a_loop_of_links_ends(places, tmp_path):
    (tmp_path / "one" / "loop").symlink_to(tmp_path / "one" / "loop")
    with pytest.raises(Refused):
        places.folder("0/loop")
    (tmp_path / "one" / "a" / "up").symlink_to(tmp_path / "one")
    assert len(list(places.folders())) == 4


def test_hidden_folders_and_those_whose_names_cannot_be_shown_are_left_out(places, tmp_path):
    for name in (".workbench", "tab\there", "\udcff"):
        (tmp_path / "two" / name).mkdir()
    assert len(list(places.folders())) == 4


def test_what_lies_below_the_record_of_a_bag_is_its_own(places, tmp_path):
    (tmp_path / "one" / "a" / "log.jsonl").touch()
    assert [places.shown(folder) for folder in places.folders()] == ["one", "two", "one/a"]


def test_of_very_many_folders_those_near_the_roots_are_looked_at(tmp_path):
    for number in range(MOST + 5):
        (tmp_path / f"{number:05}").mkdir()
    assert len(list(ServedFolders((tmp_path,), tmp_path).folders())) == MOST
