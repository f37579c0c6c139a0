"""What would better estimates of runtimes bring? The users' own, predictions from their last jobs, and perfect ones."""

import loadmaster as lm

log = lm.generate.lublin(jobs=800, load=0.9, estimates="tsafrir", users=20, seed=1)  # or lm.read("your.swf")

for estimates in ("user", "last-two", "exact"):
    table = lm.compare(
        log,
        policies="first-fit",
        disciplines=["easy", "easy(fill=shortest)"],  # with last-two the second is EASY++
        estimates=estimates,
    ).frame
    for row in table.iter_rows(named=True):
        print(f"{estimates:9} {row['discipline']:20} mean wait {row['mean_wait_s'] / 3600:.1f} h")
