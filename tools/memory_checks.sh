#!/usr/bin/env bash
# Runs the tests in which engines agree while every write is watched, on fresh seeds.
#
#   tools/memory_checks.sh bounds   every index is checked against its array (NUMBA_BOUNDSCHECK)
#   tools/memory_checks.sh malloc   glibc checks the heap, and fills what is allocated and freed (MALLOC_CHECK_)
#
# A seed as second argument makes a run again: tools/memory_checks.sh bounds 17
set -euo pipefail
cd "$(dirname "$0")/.."
export PYTHONPATH="$PWD/src${PYTHONPATH:+:$PYTHONPATH}"
python=python3
[ -x .venv/bin/python ] && python=.venv/bin/python
tests=(
    tests/sim/queue/test_initial_state.py::test_kinds_that_need_different_resources_fit_side_by_side
    "tests/sim/queue/test_engines_agree.py::test_the_general_engine_agrees_with_the_reference[first-fit-easy]"
    "tests/sim/queue/test_engines_agree.py::test_the_general_engine_agrees_with_the_reference[max-jobs0-netbatch]"
    "tests/sim/queue/test_engines_agree.py::test_the_backfilling_engine_agrees_with_the_reference"
    "tests/sim/queue/test_engines_agree.py::test_the_engine_that_keeps_promises_agrees_with_the_reference"
    "tests/sim/queue/test_engines_agree.py::test_the_rules_of_the_thesis_agree_with_the_reference[max-jobs0-netbatch]"
    tests/sim/queue/test_engines_agree.py::test_it_agrees_where_hosts_lie_in_several_blocks
    tests/sim/queue/test_constrained_runs_agree.py::test_the_compiled_engine_agrees_under_all_constraints_together
    "tests/sim/queue/test_constrained_runs_agree.py::test_the_compiled_engine_agrees_under_constraints_and_easy[depends+limits]"
    "tests/sim/queue/test_priority_ticks.py::test_it_agrees_with_the_reference[best-fit-cores]"
    tests/sim/queue/test_general_replay.py::test_machine_code_gives_the_same_schedule_of_bursts_also_where_jobs_are_stopped_for_others
    tests/sim/queue/test_in_bulk.py
    "tests/sim/queue/test_card_runs.py::test_compiled_plans_give_the_schedule_and_the_cards_of_the_plain_engine"
    tests/sim/queue/test_host_pool.py
    tests/sim/queue/test_pools.py
    tests/sim/queue/test_out_of_room.py
    tests/sim/queue/test_cluster_amounts_kernel.py::test_jobs_that_already_run_hold_their_amounts
)
case "${1:-}" in
bounds)
    export NUMBA_BOUNDSCHECK=1
    export NUMBA_CACHE_DIR="${XDG_CACHE_HOME:-$HOME/.cache}/loadmaster-bounds-checks" # beside, not over, the usual code
    ;;
malloc)
    export MALLOC_CHECK_=3 MALLOC_PERTURB_=165 PYTHONMALLOC=malloc
    ;;
*)
    echo "usage: tools/memory_checks.sh bounds|malloc [SEED]" >&2
    exit 2
    ;;
esac
seed="${2:-$(date +%s)}"
echo "memory checks ($1) on seed $seed; again: tools/memory_checks.sh $1 $seed"
run=("$python" -m pytest -q -x -p no:cacheprovider "--hypothesis-seed=$seed" "${tests[@]}")
if [ "$1" = malloc ]; then
    LD_PRELOAD=libc_malloc_debug.so.0 exec "${run[@]}"
fi
exec "${run[@]}"
