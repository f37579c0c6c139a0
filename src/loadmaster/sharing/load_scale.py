"""The load at which a cluster counts as full, learned from the loads seen (Amir et al. 2000, section 4)."""


def raised_scale(scale: float, load: float) -> float:
    """L: the smallest power of two strictly above every load seen; starts at 1 and never falls.

    Example:
        >>> [raised_scale(1.0, load) for load in (0, 1, 2, 3, 4, 7, 8)]
        [1.0, 2.0, 4.0, 4.0, 8.0, 8.0, 16.0]
    """
    while scale <= load:
        scale *= 2.0
    return scale
