"""How many machines should one rent for a bag of tasks? Cheapest within a deadline, and fastest within a budget."""

import loadmaster as lm

BAG = "normal(150,30)x64"  # or a file of durations

for deadline in ("2h", "1h", "30min"):
    print(f"within {deadline}:", lm.size(BAG, deadline=deadline, billing="minute", repetitions=10).answer)
print("for 4 machine hours:", lm.size(BAG, budget=4, billing="minute", repetitions=10).answer)
