"""How good is a packer? Its minimum yield beside the optimum, proven on small instances."""

import loadmaster as lm

METHODS = ("mcb8", "gr", "first-fit")

for seed in range(4):
    tasks = lm.generate.virtual_clusters(hosts=4, tasks=12, slack=0.3, seed=seed)
    best = lm.pack(tasks, exact=True, time_limit=20)
    least = {method: lm.pack(tasks, method=method).figures["min_yield"] for method in METHODS}
    word = "optimum" if best.figures["proven"] else "best found"
    shown = ", ".join(
        f"{method} {value:.3f}" if value is not None else f"{method} none" for method, value in least.items()
    )
    print(f"instance {seed}: {word} {best.figures['min_yield']:.3f}; {shown}")
