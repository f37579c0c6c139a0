"""How good any schedule of a queue could be, and the best that is found when all is known beforehand."""
