"""How use decays: Slurm's discount by whole periods, and the integral that it approximates (rule O11).

All times are in seconds; a half life of 0 lets nothing fade. Each gives the seconds of use that still count.
"""

import math

LN2 = math.log(2.0)


def kept_after(for_s: float, half_life_s: float) -> float:
    """The part of past use that is left after `for_s`, as Slurm reckons: (1 - 0.693 / half life) to that power.

    Example:
        >>> round(kept_after(3600.0, 3600.0), 5)
        0.50004
    """
    if half_life_s <= 0.0:
        return 1.0
    return float(max(1.0 - 0.693 / half_life_s, 0.0) ** for_s)


def discounted(ran_s: float, half_life_s: float) -> float:
    """What running for `ran_s` up to now counts: all of it is faded as if it had been used at the start."""
    return ran_s * kept_after(ran_s, half_life_s)


def faded(for_s: float, half_life_s: float) -> float:
    """The part of past use that is left after `for_s`: half of it after each half life."""
    return 1.0 if half_life_s <= 0.0 else math.exp(-LN2 * for_s / half_life_s)


def lasting(ran_s: float, half_life_s: float) -> float:
    """What running for `ran_s` up to now counts, every second faded by its own age."""
    if half_life_s <= 0.0:
        return ran_s
    return half_life_s / LN2 * -math.expm1(-LN2 * ran_s / half_life_s)


def lasting_at(from_s: float, to_s: float, half_life_s: float) -> float:
    """What running from `from_s` to `to_s`, both after a moment, counts as of that moment: more than it took."""
    if half_life_s <= 0.0:
        return to_s - from_s
    scale = half_life_s / LN2 * math.exp(LN2 * from_s / half_life_s)
    return scale * math.expm1(LN2 * (to_s - from_s) / half_life_s)
