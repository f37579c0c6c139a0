"""How many hosts keep the waits short? The fewest with which 95 % of the jobs start within a quarter of an hour."""

import loadmaster as lm

log = lm.generate.netbatch(jobs=500, hosts=20, load=0.9, seed=2)  # or lm.read("your.swf")
answer = lm.fewest(log, hosts="2..60x16c64g", p95="15min")
print(answer.answer)
print(answer.frame)
