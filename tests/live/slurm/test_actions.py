"""What each action sends to Slurm, and what the answers mean."""

import pytest

from loadmaster.live.slurm.actions import lines_of, refusal_of
from loadmaster.live.slurm.commands import CommandOutput
from loadmaster.model.actions import Cap, Hold, Repin, Start, Withdraw


def test_a_start_pins_before_it_releases():
    assert lines_of(Start("7_2", ("n1", "n2"))) == "update JobId=7_2 ReqNodeList=n1,n2\nrelease 7_2\n"


def test_a_repin_does_not_wait_for_a_begin_time():
    assert "StartTime=now" in lines_of(Repin("7", ("n1",)))


def test_hold_and_withdraw_take_the_pin_away():
    assert lines_of(Hold("7"), "loadmaster:0a1b2c").endswith(
        " ReqNodeList= Priority=0 AdminComment=loadmaster:0a1b2c\n"
    )
    assert lines_of(Withdraw("7")).splitlines() == ["update JobId=7 ReqNodeList= AdminComment=", "release 7"]


def test_a_job_gets_back_the_hosts_that_it_named_itself():
    assert " ReqNodeList=n1 AdminComment=\n" in lines_of(Withdraw("7"), named="n1")
    assert " ReqNodeList=n1 Priority=0 AdminComment=x\n" in lines_of(Hold("7"), "x", "n1")


def test_what_slurm_cannot_do_is_not_asked():
    with pytest.raises(NotImplementedError):
        lines_of(Cap("7", 0.5))


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Job has already finished for job 1", "gone"),
        ("Invalid job id specified for job 99", "gone"),
        ("Invalid user id for job 3", "denied"),
        ("Access/permission denied for job 3", "denied"),
        ("Invalid node name specified for job 2", "busy"),
        ("Requested node configuration is not available for job 2", "unfit"),
        ("something new", "unknown"),
    ],
)
def test_its_words_have_a_meaning(words, kind):
    refusal = refusal_of(Hold("7"), CommandOutput(1, "", ("scontrol: update JobId=7", words)))
    assert (refusal.kind, refusal.text) == (kind, words)


def test_an_echo_alone_is_no_refusal():
    assert refusal_of(Hold("7"), CommandOutput(0, "", ("scontrol: update JobId=7", "scontrol:"))) is None
