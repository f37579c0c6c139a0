"""What jobs of Slurm ask of their hosts, as features."""

import pytest

from loadmaster.model import InputError
from loadmaster.traces.slurm_features import features_asked


@pytest.mark.parametrize(
    ("text", "hosts"), [("a*2", 1), ("a*2", 3), ("[a*2&b*1]", 3), ("[a*1&b*1]", 1), ("a*2&b*1", 2), ("(a|b)*2", 4)]
)
def test_features_of_some_of_the_hosts_are_refused(text, hosts):
    with pytest.raises(InputError, match="some of the hosts"):
        features_asked(text, hosts)
