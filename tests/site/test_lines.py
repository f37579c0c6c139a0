"""Lines of a configuration."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model import InputError
from loadmaster.site.lines import read_lines


@pytest.fixture
def lines(tmp_path):
    """Read this text; the pairs of every line as {key in lower case: value}."""

    def read(text, **others):
        for name, more in others.items():
            (tmp_path / f"{name}.conf").write_text(more)
        (tmp_path / "slurm.conf").write_text(text)
        return [
            {key: pair.value for key, pair in line.pairs.items()} for line in read_lines(tmp_path / "slurm.conf").lines
        ]

    return read


def test_comments_and_empty_lines_say_nothing(lines):
    assert lines("# all\n\nA=1 # b=2\n  \nC=3#4\nD=5\\#6\n") == [{"a": "1"}, {"c": "3"}, {"d": "5#6"}]


def test_a_backslash_joins_lines(lines):
    assert lines("A=1 \\\n  B=2 \\\nC=3\nD=4\\") == [{"a": "1", "b": "2", "c": "3"}, {"d": "4"}]


def test_a_value_goes_on_over_the_end_of_a_line_as_a_real_slurm_reads_it(lines):
    text = "SchedulerParameters=bf_window=10080,\\\nbf_continue,\\  \nbf_interval=60\nA=1\\\nB=2\n"
    assert lines(text) == [{"schedulerparameters": "bf_window=10080,bf_continue,bf_interval=60"}, {"a": "1B=2"}]


def test_blanks_around_the_sign_are_passed_over_and_values_may_be_empty_or_quoted(lines):
    assert lines('NodeName = n1  Reason="two words" CPUs=\t4\nPartitionName=p Nodes= State=UP\nX=\nY=a=b,c=d') == [
        {"nodename": "n1", "reason": "two words", "cpus": "4"},
        {"partitionname": "p", "nodes": "", "state": "UP"},
        {"x": ""},
        {"y": "a=b,c=d"},
    ]


def test_an_included_file_stands_in_its_place(lines):
    assert lines("A=1\ninclude nodes.conf\nC=3", nodes="B=2") == [{"a": "1"}, {"b": "2"}, {"c": "3"}]


def test_lines_are_told_by_their_file_and_number(tmp_path):
    (tmp_path / "inner.conf").write_text("\nB=2")
    (tmp_path / "slurm.conf").write_text("A=1\\\n\nInclude inner.conf\n")
    places = [line.where for line in read_lines(tmp_path / "slurm.conf").lines]
    assert places == [f"{tmp_path}/slurm.conf:1", f"{tmp_path}/inner.conf:2"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Include /etc/passwd", "no file passwd in the folder"), ("Include ../other.conf", "no file other.conf in"),
        ("Include twice.conf", "includes itself"), ("Include none.conf", "no such file"),
        ("A=1 B", "not KEY=VALUE"), ("=1", "not KEY=VALUE"), ('A="b', "not closed"), ("{\"a\": 1}", "JSON"),
        ("A=1\nB\n", "not KEY=VALUE"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_in_one_line(lines, text, rule):
    with pytest.raises(InputError, match=rule) as error:
        lines(text, twice="Include slurm.conf")
    assert len(str(error.value).splitlines()) == 1


def test_a_file_of_another_folder_is_taken_from_the_copy_beside(lines):
    assert lines("Include /etc/slurm/nodes.conf", nodes="A=1") == [{"a": "1"}]


def test_an_included_file_may_include_others(lines):
    assert lines("Include one.conf\nC=3", one="A=1\nInclude two.conf", two="B=2") == [
        {"a": "1"},
        {"b": "2"},
        {"c": "3"},
    ]


def test_a_huge_file_is_refused(tmp_path):
    (tmp_path / "slurm.conf").write_bytes(b"# " + b"x" * (16 << 20))
    with pytest.raises(InputError, match="this is not a configuration"):
        read_lines(tmp_path / "slurm.conf")


def test_the_digest_follows_the_text_of_included_files(tmp_path):
    path = tmp_path / "slurm.conf"
    path.write_text("Include more.conf")
    digests = []
    for text in ("A=1", "A=2", "A=1"):
        (tmp_path / "more.conf").write_text(text)
        digests.append(read_lines(path).digest)
    assert digests[0] == digests[2] != digests[1]


_KEYS = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,8}", fullmatch=True).filter(lambda key: key.lower() != "include")
_VALUES = st.from_regex(r"[a-z0-9:\[\],=/.-]{1,12}", fullmatch=True)


@given(st.lists(st.tuples(_KEYS, _VALUES), min_size=1, max_size=6, unique_by=lambda pair: pair[0].lower()), st.data())
def test_pairs_are_read_back_however_they_are_laid_out(tmp_path_factory, pairs, data):
    path = tmp_path_factory.mktemp("conf") / "slurm.conf"
    gaps = [data.draw(st.sampled_from([" ", "\t", " \\\n", "  "])) for _ in pairs]
    path.write_text("".join(f"{key}={value}{gap}" for (key, value), gap in zip(pairs, gaps, strict=True)) + "# end")
    (line,) = read_lines(path).lines
    assert [(pair.key, pair.value) for pair in line.pairs.values()] == pairs


def test_the_name_of_the_cluster_may_stand_in_that_of_an_included_file(lines):
    assert lines("ClusterName=east\nInclude /etc/slurm/%c_nodes.conf", east_nodes="A=1") == [
        {"clustername": "east"},
        {"a": "1"},
    ]
