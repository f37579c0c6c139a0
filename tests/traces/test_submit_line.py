"""What a command line says of the job that it submitted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.traces.submit_line import SubmitOptions, submit_options


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sbatch run.sh", SubmitOptions()),
        ("sbatch -d afterok:12 run.sh", SubmitOptions(depends="afterok:12")),
        ("sbatch -dafterok:12:13 run.sh", SubmitOptions(depends="afterok:12:13")),
        ("sbatch --dependency=singleton --job-name x run.sh", SubmitOptions(depends="singleton")),
        ("sbatch --array 1-100%5 run.sh", SubmitOptions(throttle=5)),
        ("sbatch -a 1-100 run.sh", SubmitOptions()),
        ("sbatch --exclusive --nice=-7 --no-requeue a", SubmitOptions(exclusive=2, nice=-7.0, requeue=0)),
        ("srun --exclusive=user -C 'a&b' --requeue x", SubmitOptions(shared_by="user", constraint="a&b", requeue=1)),
        ("sbatch -N 2 -J name --mem=5G -p long -O -d after:7+5 x", SubmitOptions(depends="after:7+5", nodes=(2, 2))),
        ("sbatch -H -d after:7 x", SubmitOptions(depends="after:7", later=True)),
        ("sbatch --begin=now+1hour x", SubmitOptions(later=True)),
        ("sbatch -b 16:00 -d singleton x", SubmitOptions(depends="singleton", later=True)),
        ("sbatch --hold x", SubmitOptions(later=True)),
        ("sbatch x -H --begin=16:00", SubmitOptions()),
        ("sbatch --nodes=2-4 --reservation kept x", SubmitOptions(nodes=(2, 4), reservation="kept")),
        ("sbatch -N4-2 x", SubmitOptions(nodes=(4, 4))),
        ("sbatch -N 1k x", SubmitOptions()),
        ("sbatch run.sh -d afterok:12 --exclusive", SubmitOptions()),
        ("sbatch --wrap 'sbatch -d afterok:1 b' --nice", SubmitOptions(nice=100.0)),
        ("sbatch -d 'not closed", SubmitOptions(depends="'not")),
        ("", SubmitOptions()),
    ],
)
def test_options_before_the_script_count(line, said):
    assert submit_options(line) == said


@given(st.text(max_size=200))
def test_any_text_is_a_command_line(text):
    assert submit_options(text).throttle >= 0
