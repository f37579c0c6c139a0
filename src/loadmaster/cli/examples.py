"""Commands to start from, shown at the end of every `--help`."""

EXAMPLES: dict[str, tuple[str, ...]] = {
    "": (
        "loadmaster compare",
        "loadmaster info jobs.swf.gz",
        "loadmaster compare jobs.swf.gz --hosts 200x16c64g,100x32c128g --loads 0.7,0.8,0.9",
    ),
    "compare": (
        "loadmaster compare",
        "loadmaster compare jobs.swf.gz --hosts 200x16c64g --policies first-fit,mix-fit,my_rule.py:even_leftover",
        "loadmaster compare sacct.txt --site slurm.conf --disciplines multifactor+easy,sjf+easy -o report",
        "loadmaster compare sacct.txt --site slurm.conf --add 20x64c256g4gpu@gpu --set PriorityWeightAge=1000",
        "loadmaster compare --disciplines netbatch,easy --samples 20",
        "loadmaster compare jobs.swf.gz --hosts 200x16c64g@1 --hosts 100x32c128g@1.9 --currency EUR",
    ),
    "fewest": (
        "loadmaster fewest jobs.swf.gz --hosts 10..400x16c64g --p95 1h",
        "loadmaster fewest jobs.swf.gz --hosts 10..400x16c64g@1 --hosts 5..200x32c128g@1.9 --p95 1h --samples 100",
        "loadmaster fewest sacct.txt --site slurm.conf --add 0..40x64c256g@main --p95 1h",
    ),
    "simulate": (
        "loadmaster simulate jobs.csv --hosts hosts.yaml --policy mix-fit --discipline easy -o run",
        "loadmaster simulate --again run",
    ),
    "explain": ("loadmaster explain run 4711",),
    "diff": ("loadmaster diff run other-run", "loadmaster diff run other-run --json"),
    "when": (
        "squeue --json > queue.json; loadmaster when queue.json 4711 --site slurm.conf --log sacct.txt",
        "loadmaster when queue.json 4711 --hosts 200x16c64g",
    ),
    "report": (
        "loadmaster report run",
        "loadmaster report report -o page.html",
        "loadmaster report live --last 7d --by partition,user -o week/report.html",
    ),
    "policies": ("loadmaster policies", "loadmaster policies packer", "loadmaster policies fit --kind placement"),
    "pack": (
        "loadmaster pack tasks.csv --hosts 64x16c64g -o placement",
        "loadmaster pack tasks.csv --hosts 64x16c64g --exact --time-limit 30",
    ),
    "rebalance": (
        "loadmaster rebalance state.csv --hosts hosts.csv --budget 64GiB",
        "kubectl get nodes,pods,pdb,pvc,pv -A -o json > state.json; loadmaster rebalance state.json --moves 10",
        "loadmaster rebalance state.json --drain n1,n2",
    ),
    "size": (
        "loadmaster size bag.csv --deadline 2h",
        "loadmaster size 'normal(150,30)x256' --budget 40 --billing hour",
    ),
    "share": (
        "loadmaster share jobs.swf.gz --hosts 200x16c64g",
        "loadmaster share jobs.csv --hosts hosts.csv --methods e-pvm,fractional,easy --repack events",
    ),
    "run": (
        "loadmaster run commands.txt",
        "loadmaster run commands.txt --on slurm --deadline 2h --slurm-option queue=short",
    ),
    "tune": (
        "loadmaster tune jobs.swf.gz --hosts 1x338c -o tuned",
        "loadmaster tune sacct.txt --site slurm.conf -o tuned",
        "loadmaster tune jobs.swf.gz --search placement --discipline netbatch --trials 50",
        "loadmaster compare jobs.swf.gz --policies first-fit --disciplines easy,tuned/winner.py:rank+easy",
    ),
    "fit": (
        "loadmaster fit jobs.swf.gz --hosts 338x1c --spread any -o fit",
        "loadmaster compare jobs.swf.gz --site fit/site.yaml --disciplines easy,sjf+easy",
    ),
    "info": ("loadmaster info jobs.swf.gz --hosts 200x16c64g", "loadmaster info sacct.txt --json"),
    "convert": (
        "loadmaster convert jobs.swf.gz jobs.parquet",
        "loadmaster convert sacct.txt jobs.csv --anonymise --limit 1000",
    ),
    "fetch": (
        "loadmaster fetch SDSC-SP2",
        "loadmaster fetch CTC-SP2 --folder logs",
    ),
    "reproduce": ("loadmaster reproduce shai2014 --quick", "loadmaster reproduce casanova2008 -o reproduction"),
    "generate": ("loadmaster generate netbatch --jobs 10000 --hosts 100 -o jobs.swf.gz",),
    "generate bag": ("loadmaster generate bag 'normal(150,30)x256' -o bag.csv",),
    "generate lublin": (
        "loadmaster generate lublin --jobs 5000 --load 0.8 -o jobs.swf.gz",
        "loadmaster generate lublin --cores 256 --load 0.8 --estimates tsafrir -o jobs.swf.gz",
    ),
    "generate netbatch": ("loadmaster generate netbatch --jobs 10000 --hosts 100 --load 0.9 -o jobs.swf.gz",),
    "generate opportunity": ("loadmaster generate opportunity --every 5 -o costly.csv",),
    "generate own": (
        "loadmaster generate own my.py:bursts -o jobs.csv",
        "loadmaster generate own 'my.py:bursts(jobs=1000)' --seed 7 -o jobs.csv",
    ),
    "generate virtual-jobs": ("loadmaster generate virtual-jobs --hosts 64 --tasks 250 -o tasks.csv",),
    "generate virtual-clusters": ("loadmaster generate virtual-clusters --hosts 64 --slack 0.1 -o tasks.csv",),
    "serve": ("loadmaster serve", "loadmaster serve report run --work bench --port 0 --open"),
    "live": ("loadmaster live slurm --shadow", "loadmaster live --check live"),
    "live fake": ("loadmaster live fake jobs.swf.gz --hosts 20x16c64g --policy mix-fit",),
    "live slurm": (
        "loadmaster live slurm --doctor",
        "loadmaster live slurm --shadow --for 1h -o beside",
        "loadmaster live slurm --policy mix-fit --max-starts 5",
    ),
    "live kubernetes": (
        "loadmaster live kubernetes --doctor",
        "loadmaster live kubernetes --shadow --for 1h -o beside",
        "loadmaster live kubernetes --max-starts 5",
    ),
    "live cgroup": ("loadmaster live cgroup commands.txt --hosts 1x4c8g",),
    "live libvirt": (
        "loadmaster live libvirt qemu:///system --doctor",
        "loadmaster live libvirt qemu+ssh://a/system qemu+ssh://b/system --mover rebalance --moves 4 --dry-run",
    ),
}
"""Verb -> what one types; that of the program itself has no name."""


def shown_below(verb: str) -> str | None:
    """The examples of a verb as they stand at the end of its help; None where there are none."""
    if verb not in EXAMPLES:
        return None
    return "\n".join(["Examples:", *(f"  {line}" for line in EXAMPLES[verb])])
