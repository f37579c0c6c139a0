"""The Slurm command for each action, and the meaning of its answer."""

from loadmaster.live.session.engine import Kind, Refusal, job_of
from loadmaster.live.slurm.commands import CommandOutput
from loadmaster.live.slurm.names import number_of
from loadmaster.model.actions import Action, Hold, Repin, Start, Withdraw
from loadmaster.model.errors import cut

_KINDS: tuple[tuple[str, Kind], ...] = (
    ("already finished", "gone"), ("invalid job id", "gone"), ("job/step already completing", "gone"),
    ("invalid user id", "denied"), ("access/permission denied", "denied"), ("permission denied", "denied"),
    ("invalid node name", "busy"), ("job is no longer pending", "busy"), ("already running", "busy"),
    ("requested operation is presently disabled", "busy"), ("requested node configuration is not available", "unfit"),
)  # fmt: skip


def lines_of(action: Action, mark: str = "", named: str = "") -> str:
    """The lines for `scontrol`, which does them one by one in one go: first the hosts, then the release.

    Args:
        action: what is asked.
        mark: what the administrator's comment of a job says that we hold.
        named: the hosts that the job itself names, which it gets back as its pin is taken away.

    Raises:
        NotImplementedError: Slurm cannot do it, and says so in `Capabilities`.
    """
    job = number_of(job_of(action))
    if isinstance(action, Start):
        return f"{_pin(job, action.hosts)}\nrelease {job}\n"
    if isinstance(action, Repin):  # a job that was sent back to the queue would else wait for its begin time
        return f"{_pin(job, action.hosts)} StartTime=now\nrelease {job}\n"
    if isinstance(action, Hold):
        return f"update JobId={job} ReqNodeList={named} Priority=0 AdminComment={mark}\n"
    if isinstance(action, Withdraw):
        return f"update JobId={job} ReqNodeList={named} AdminComment=\nrelease {job}\n"
    raise NotImplementedError(type(action).__name__)


def refusal_of(action: Action, answer: CommandOutput) -> Refusal | None:
    """What the answer means; None if every line was done."""
    errors = [line for line in answer.errors if not line.startswith("scontrol:")]
    if not errors and answer.code == 0:
        return None
    text = cut(" ".join(errors) or f"scontrol ended with {answer.code}", 200)
    low = text.lower()
    return Refusal(action, next((kind for words, kind in _KINDS if words in low), "unknown"), text)


def _pin(job: str, hosts: tuple[str, ...]) -> str:
    return f"update JobId={job} ReqNodeList={','.join(dict.fromkeys(hosts))}"
