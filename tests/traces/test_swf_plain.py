import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.traces import generate_netbatch, read_swf, swf_block, write_trace
from loadmaster.traces.swf_plain import LONGEST, fields_of
from traces.test_swf_tokens import read, texts

SHORT = st.one_of(
    st.integers(-2, 10**16 - 1).map(str),
    st.from_regex(r"[+-]?([0-9]{1,15}|[0-9]{1,8}\.[0-9]{0,7}|\.[0-9]{1,15})", fullmatch=True),
)
ROWS = st.lists(st.lists(SHORT, min_size=18, max_size=20), max_size=4)


@given(ROWS, st.sampled_from([" ", "\t ", "  "]), st.sets(st.integers(0, 17), min_size=1).map(sorted))
def test_plain_lines_are_read_as_the_tokeniser_reads_them_to_the_last_bit(rows, gap, wanted):
    text = ("; Version: 2\n\n" + "".join(f" {gap.join(row)}\r\n" for row in rows)).encode()
    plain = fields_of(text, wanted)
    values, start, bad, lines = read(text, wanted)
    assert plain is not None
    assert bad == []
    assert (plain.values.T.tolist(), plain.start.tolist(), plain.lines) == (values.tolist(), start, lines)
    assert np.signbit(plain.values).T.tolist() == np.signbit(values).tolist()


@given(texts(), st.sets(st.integers(0, 17), min_size=1).map(sorted))
def test_what_is_read_at_all_is_read_as_the_tokeniser_reads_it(text, wanted):
    plain = fields_of(text, wanted)
    values, start, bad, lines = read(text, wanted)
    assert plain is None or (plain.values.T.tolist(), plain.start.tolist(), bad, plain.lines) == (
        values.tolist(),
        start,
        [],
        lines,
    )


def test_faults_words_exponents_and_long_texts_are_left_to_the_tokeniser():
    good = b" ".join([b"7"] * 18) + b"\n"
    assert fields_of(good, [0]) is not None
    odd = [good.replace(b"7", cell, 1) for cell in (b"x", b"1e3", b"1-", b"1" * 17)]
    odd += [b"1 2\n", good.replace(b" ", b"\x0b", 1), good * (LONGEST // len(good) + 1)]
    assert [fields_of(text, [0]) for text in odd] == [None] * len(odd)


def test_a_short_log_is_the_same_by_both_ways_and_is_read_without_numba(tmp_path, monkeypatch):
    write_trace(generate_netbatch(jobs=300, seed=1).workload, tmp_path / "log.swf")
    code = f"import sys; from loadmaster.traces import read_swf; read_swf({str(tmp_path / 'log.swf')!r}); "
    code += "print('numba' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    plain = read_swf(tmp_path / "log.swf")
    monkeypatch.setattr(swf_block, "fields_of", lambda *_: None)
    compiled = read_swf(tmp_path / "log.swf")
    assert shown == "False\n"
    for name in ("submit_s", "runtime_s", "demand"):
        assert getattr(plain.workload, name).tobytes() == getattr(compiled.workload, name).tobytes()
