#!/usr/bin/env python3
"""How long `pellucid optimize` takes for a million configurations: the whole command, and the same with a fiftieth of them.

    bench/optimize.py [--log LOG] [--runs N]      wants `make build`

The answers are checked: the few are among the many, so the many are no dearer and no slower. Medians of interleaved runs.
"""

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from report import ROOT, SMALL, machine, measure

CORES = [2, 4, 8, 16, 32]
SIZES = [50 + 25 * i for i in range(32)]


def prices():
    def limit(per_gigabyte):
        return {"perGigabyte": per_gigabyte, "most": 1e6}

    def disk(name, dollars, iops, megabytes):
        limits = {f"{way}RequestsPerSecond": limit(iops) for way in ("read", "write")}
        limits |= {f"{way}MegabytesPerSecond": limit(megabytes) for way in ("read", "write")}
        return {"name": name, "gigabytes": SIZES, "dollarsPerGigabyteMonth": dollars, "limits": limits}

    return {"schemaVersion": 1, "name": "benchmark", "date": "-", "source": "made up",
            "machines": [{"name": "m", "cores": CORES, "dollarsPerCoreHour": 0.05}],
            "disks": [disk("slow", 0.04, 0.75, 0.12), disk("fast", 0.17, 30, 0.48)]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", default=SMALL / "spark-4.3.0-zstd.zstd", type=Path)
    parser.add_argument("--runs", default=5, type=int)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "prices.json"
        file.write_text(json.dumps(prices()))
        times = {"1..50": [], "50": []}
        answers = {}
        for _ in range(args.runs):
            for machines in times:
                wall, cpu, _, out = measure([ROOT / "pellucid", "optimize", args.log, "--prices", file, "--machines", machines, "--json"])
                times[machines].append((wall, cpu))
                answers[machines] = json.loads(out)
    many, few = answers["1..50"], answers["50"]
    assert many["configurations"] == 50 * few["configurations"] == len(CORES) * 50 * (2 * len(SIZES)) ** 2
    assert many["cheapest"]["dollars"] <= few["cheapest"]["dollars"]
    assert many["fastest"]["seconds"] <= few["fastest"]["seconds"]
    print(machine())
    for machines, seconds in times.items():
        wall, cpu = (statistics.median(kind) for kind in zip(*seconds))
        print(f"{answers[machines]['configurations']:>9,} configurations x {len(many['stages'])} stages: "
              f"{wall:.2f} s, {cpu:.2f} CPU seconds")


if __name__ == "__main__":
    main()
