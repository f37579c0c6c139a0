"""All options that add to the rules of a site, for the verbs that replay a queue under them."""

from dataclasses import dataclass

from loadmaster.verbs.closure_options import ClosureOptions
from loadmaster.verbs.energy_options import EnergyOptions
from loadmaster.verbs.licence_options import LicenceOptions


@dataclass(frozen=True, kw_only=True)
class RuleOptions(ClosureOptions, LicenceOptions, EnergyOptions):
    """Jobs, machines, and what the options say of the rules there.

    An option that needs the hosts alone overrides `equipped`, one that needs the clock of the log `with_rules`; both
    call `super()`. Every verb with these options has it then.
    """
