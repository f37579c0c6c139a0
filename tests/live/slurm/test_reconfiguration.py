"""A Slurm that was reconfigured while a run goes on."""

from loadmaster.live.slurm.reconfiguration import definitions, reconfigured

SHOWN = """\
Configuration data as of 2026-11-28T12:00:00
BOOT_TIME               = 1795406000
NEXT_JOB_ID             = 17
PriorityWeightAge       = 1000
SchedulerParameters     = bf_window=1440
NodeName=n1 CPUAlloc=0 CPUTot=4 State=IDLE
PartitionName=main AllowGroups=ALL Default=YES MaxTime=1-00:00:00 Nodes=n[1-4] State=UP TotalCPUs=16
"""


def test_what_moves_by_itself_is_no_new_configuration():
    later = SHOWN.replace("= 17", "= 99").replace("1795406000", "1795409999").replace("State=UP", "State=DOWN")
    later = later.replace("CPUAlloc=0", "CPUAlloc=4").replace("12:00:00\n", "13:00:00\n").replace("TotalCPUs=16", "")
    assert reconfigured(definitions(SHOWN), definitions(later)) == ""


def test_a_changed_option_partition_or_a_new_one_is_named_with_what_to_do():
    before = definitions(SHOWN)
    for old, new, says in (
        ("= 1000", "= 2000", "(PriorityWeightAge from 1000 to 2000): this run goes on"),
        ("MaxTime=1-00:00:00", "MaxTime=2:00:00", "(main MaxTime from 1-00:00:00 to 2:00:00):"),
        ("PartitionName=main", "PartitionName=long", "(main PartitionName from main to nothing, "),
        ("SchedulerParameters     = bf_window=1440\n", "", "(SchedulerParameters from bf_window=1440 to nothing):"),
    ):
        note = reconfigured(before, definitions(SHOWN.replace(old, new)))
        assert says in note
        assert note.endswith("start it again to take the new one")
        assert "\n" not in note


def test_many_changes_are_counted():
    before = {str(k): "1" for k in range(9)}
    assert ", and 6 more)" in reconfigured(before, dict.fromkeys(before, "2"))
