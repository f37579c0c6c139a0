"""Delgado 2011: the choice of VMs is another one, or the VMs behave otherwise."""

from dataclasses import replace
from unittest.mock import patch

from loadmaster.papers.delgado2011 import claims
from loadmaster.papers.delgado2011 import study as delgado
from loadmaster.papers.delgado2011.streams import seeds
from loadmaster.papers.delgado2011.study import PLATFORMS, StudyCase

LUBLIN, SERIALS = seeds("24 % serial", 300, 0.244, 0, 8), seeds("80 % serial", 600, 0.8, 0, 8)
_RIGHT = delgado.run_case


def study():
    """Eight streams of either kind: with fewer, PC is not surely better for serial jobs."""
    cases = [StudyCase(s, p, 0.7, c) for s in LUBLIN.parts for p in PLATFORMS for c in claims.CHOICES]
    cases += [StudyCase(s, p, 0.3, c) for s in SERIALS.parts for p in PLATFORMS for c in claims.CHOICES]
    cases += [StudyCase(s, "heterogeneous", 0.7, "pc-g") for s in SERIALS.parts]
    streams = {stream.name: stream for group in (LUBLIN, SERIALS) for stream in group.streams}
    rows = {case: delgado.run_case(case, streams[case.stream]) for case in dict.fromkeys(cases)}
    return [
        *claims.underused(rows, LUBLIN, 0.7),
        *claims.serial_jobs(rows, SERIALS, 0.3),
        claims.ripple(rows, SERIALS, LUBLIN, 0.7),
        claims.heterogeneous_is_harder(rows, LUBLIN, 0.7),
    ]


def _case(change):
    """Runs another case in the place of each."""
    return lambda: patch.object(delgado, "run_case", lambda case, stream: _RIGHT(change(case), stream))


def _choice(**other):
    return _case(lambda case: replace(case, choice=other.get(case.choice.replace("-", "_"), case.choice)))


MUTANTS = {
    "pc ignores the shares": lambda: patch.dict(PLATFORMS, heterogeneous=PLATFORMS["homogeneous"]),
    "pc-g takes the VM that ec would": _choice(pc_g="ec"),
    "semigreedy is greedy": _choice(pc_sg="pc-g", pcfc_sg="pc-g"),
    "pc takes any VM of a machine in turn": _choice(pc_g="pmvm", pc_sg="pmvm", pcfc_sg="pmvm"),
    "ec and pmvm are semigreedy": _choice(ec="pc-sg", pmvm="pc-sg"),
    "ec is the free-capacity heuristic": _choice(ec="pcfc-sg", pmvm="pcfc-sg"),
    "VMs are ranked once a job": _case(lambda case: replace(case, ranking="static")),
    "tasks of a job do not wait for each other": _case(lambda case: replace(case, coupled=False)),
    "what throttled VMs leave is lost": _case(lambda case: replace(case, redistribute=False)),
    "the first VM gets half at most": _case(lambda case: replace(case, capped=0.5)),
    "platforms are exchanged": _case(
        lambda case: replace(case, platform="homogeneous" if case.platform == "heterogeneous" else "heterogeneous")
    ),
}
