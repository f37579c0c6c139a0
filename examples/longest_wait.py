"""Which job waited longest, and why? One run, its longest wait explained, and the same job under another rule."""

import loadmaster as lm

log = lm.generate.lublin(jobs=300, cores=32, load=0.9, seed=3)  # or lm.read("your.swf")
cluster = {"hosts": "32x1c", "spread": "any", "policy": "first-fit"}

easy = lm.simulate(log, discipline="easy", **cluster)
late = easy.frame.sort("wait_s")["job"][-1]
print(*lm.explain(easy, easy.frame.filter(job=late)["id"][0]).sentences, sep="\n")

area = lm.simulate(log, discipline="area+easy", **cluster)
for name, run in (("easy", easy), ("area+easy", area)):
    wait_s = run.frame.filter(job=late)["wait_s"][0]
    print(f"{name}: it waits {wait_s / 3600:.1f} h, all jobs {run.frame['wait_s'].mean() / 3600:.1f} h on average")
