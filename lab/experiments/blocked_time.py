"""Blocked time as the plugin measures it, against the lab's device counters and against runs without the device's limit (thesis 4.2
and 4.5).

One task at a time per machine, so that a task that is blocked on a disk is all that the disk works for. Each workload runs on HDDs,
on SSDs and with slow NICs, and then with that limit lifted: what blocked-time analysis predicts of the first, the second measures.

After that one task at a time in all, which hardly computes, reads from disks and through NICs that are slow enough for it to do nothing but
wait: what is measured of it is what the device needed.
"""

from lab import experiment
from lab.application import Application
from lab.cluster import lab

WORKLOADS = {
    "scan": ("scan generate --data /scan --mb 128 --file-mb 16", "scan run --data /scan --output /none --split-mb 16"),
    "sort": ("sort generate --data /sort --mb 64 --files 16 --values 20",
             "sort run --data /sort --output /sorted --split-mb 16 --reduce-partitions 16"),
}  # fmt: skip


READER = "scan by one reader"
READER_SPEED = 0.5  # of the SSDs of the other jobs


def options(parser):
    parser.add_argument("--speed", type=float, default=0.1, help="of the disks, against Doppio's Fig. 5 (default %(default)s)")
    parser.add_argument("--slow-nic", default="20mbit", help="of all machines in the slow NIC setting (default %(default)s)")


def run(options, say):
    machine = experiment.machine(options.cpu, options.speed, "apart", cores=1)
    settings = {
        "HDD": ({"disk": f"hdd*{options.speed}", "nic": "1gbit"}, {"disk": "unlimited", "nic": "1gbit"}, "noDisk"),
        "SSD": ({"disk": f"ssd*{options.speed}", "nic": "1gbit"}, {"disk": "unlimited", "nic": "1gbit"}, "noDisk"),
        "slow NIC": ({"disk": "unlimited", "nic": options.slow_nic}, {"disk": "unlimited", "nic": "unlimited"}, "noNetwork"),
    }
    with lab({"name": "blocked-time", "machines": 4, "machine": machine}, say) as cluster:
        experiment.refuse_if_off(cluster, say)
        devices_of_reader = {
            "HDD": {"disk": f"hdd*{options.speed}", "nic": "unlimited"},
            "SSD": {"disk": f"ssd*{options.speed * READER_SPEED}", "nic": "unlimited"},
            "slow NIC": {"disk": "unlimited", "nic": options.slow_nic},
        }
        with Application(cluster, "blocked-time", experiment.PLUGIN) as application:
            for name, (generate, line) in WORKLOADS.items():
                say(f"{name}: input and warm-up")
                application.generate(generate)
                application.warm_up(line)
                application.warm_up(line)

            def measure(workload, variant, limits):
                cluster.set("all", {"disk1": limits["disk"], "disk2": limits["disk"], "nic": limits["nic"]})
                application.measure(workload, variant, WORKLOADS[workload][1])

            variants = {
                f"{workload}, {setting}": lambda w=workload, s=setting: (measure(w, s, settings[s][0]), measure(w, f"{s} lifted", settings[s][1]))
                for workload in WORKLOADS for setting in settings
            }  # fmt: skip
            experiment.turns(variants, options.pairs, say)
        with Application(cluster, "one-reader", experiment.PLUGIN | {"spark.cores.max": 1}) as reader:
            line = WORKLOADS["scan"][1]
            say(f"{READER}: warm-up")
            reader.warm_up(line)
            reader.warm_up(line)

            def read(setting, limits):
                cluster.set("all", {"disk1": limits["disk"], "disk2": limits["disk"], "nic": limits["nic"]})
                reader.measure(READER, setting, line)

            experiment.turns({s: lambda s=s, limits=limits: read(s, limits) for s, limits in devices_of_reader.items()}, options.pairs, say)
        say("reports")
        runs = application.explain() + reader.explain()
    experiment.same_answers(runs)
    experiment.write(options, "blocked-time", page(options, runs, settings), runs, say)


def page(options, runs, settings):
    return f"""A line count of 128 MB and a sort of 64 MB with Pellucid's plugin, from HDFS to HDFS (3 replicas), on 4 machines with one task at a
time, one disk for HDFS and one for Spark, of {options.speed:g} of the speed of Doppio's Fig. 5; the slow NICs have {options.slow_nic}. Page caches are
cold at the start of each run. Medians of {options.pairs} runs each.

## Does the meter read right?

One task at a time in all reads the 128 MB and counts lines; of most of its blocks its own machine has a replica. Disks are of {options.speed:g} of the speed of Doppio's Fig. 5, the SSDs of
{options.speed * READER_SPEED:g}, so that it hardly computes beside waiting. Blocked: on input, of the disks by any machine, of the NIC by the others. Needed: what the disks, or the reader's NIC, moved, at their limit.

{experiment.markdown(["device", "blocked s", "needed s", "ratio", "on or for a CPU s"], meter(runs, options))}
## Blocked time against the devices

Blocked: task time, summed over the machines. Needed: what the devices had to do, at their limits, summed over the machines. A datanode reads ahead
while its reader computes or waits for a CPU, so what a disk needs lies between the time blocked and that and the time on or for a CPU together.

{experiment.markdown(["workload", "setting", "blocked on input s", "needed by HDFS' disks to read s", "ratio",
                      "on or for a CPU s", "blocked on shuffle files and spills s", "needed by Spark's disks s"], devices(runs))}
## Without the device: predicted and measured

{experiment.markdown(["workload", "setting", "seconds", "without its limit", "saved", "predicted, logged", "at most"], predictions(runs, settings))}
## What is left unexplained

{experiment.markdown(["workload", "setting", "task time s", "waiting for a CPU", "waiting, not known which"], unexplained(runs))}"""


def meter(runs, options):
    rows = []
    for (case, variant), group in groups(runs).items():
        if case != READER:
            continue
        if variant == "slow NIC":
            blocked = experiment.median([sum(path["seconds"] for path in r.report["paths"] if remote(path)) for r in group])
            needed = experiment.median([r.counters["busiest_nic_seconds"] for r in group])
        else:
            blocked = experiment.median([measured(r, "input") for r in group])
            needed = experiment.median([r.counters["hdfs.read_seconds"] for r in group])
        rows.append([variant, f"{blocked:.1f}", f"{needed:.1f}", f"{blocked / needed:.2f}", f"{computing(group):.1f}"])
    return rows


def remote(path):
    """Input from another machine's datanode."""
    return path["kind"] == "input" and path["path"] != f"hdfs:{path['host']}"


def computing(group):
    return experiment.median([sum(r.report["breakdown"]["phases"][phase] for phase in ("compute", "gc", "cpuQueue")) for r in group])


def groups(runs):
    return {key: [r for r in runs if (r.case, r.variant) == key] for key in dict.fromkeys((r.case, r.variant) for r in runs)}


def devices(runs):
    rows = []
    for (case, variant), group in groups(runs).items():
        if case == READER or variant not in ("HDD", "SSD"):
            continue
        blocked = experiment.median([measured(r, "input") for r in group])
        files = experiment.median([sum(measured(r, kind) for kind in ("shuffleWrite", "shuffleRead", "spillWrite", "spillRead")) for r in group])
        needed = experiment.median([r.counters["hdfs.read_seconds"] for r in group])
        spark = experiment.median([r.counters["spark.read_seconds"] + r.counters["spark.write_seconds"] for r in group])
        rows.append([case, variant, f"{blocked:.1f}", f"{needed:.1f}", f"{blocked / needed:.2f}", f"{computing(group):.1f}", f"{files:.1f}", f"{spark:.1f}"])
    return rows


def measured(run, kind):
    return sum(path["seconds"] for path in run.report["paths"] if path["kind"] == kind)


def predictions(runs, settings):
    rows, by = [], groups(runs)
    for (case, variant), group in by.items():
        if case == READER or variant not in settings:
            continue
        without = experiment.median([r.seconds for r in by[case, f"{variant} lifted"]])
        seconds = experiment.median([r.seconds for r in group])
        saving = [r.report["completion"][settings[variant][2]] for r in group]
        logged, most = (experiment.median([s[key] for s in saving]) for key in ("loggedSeconds", "atMostSeconds"))
        rows.append([case, variant, f"{seconds:.1f}", f"{without:.1f}", f"{seconds - without:.1f}", f"{logged:.1f}", f"{most:.1f}"])
    return rows


def unexplained(runs):
    rows = []
    for (case, variant), group in groups(runs).items():
        total = experiment.median([r.report["breakdown"]["taskSeconds"] for r in group])
        rows.append([case, variant, f"{total:.1f}", *(f"{experiment.median([experiment.share(r, phase) for r in group]):.1%}"
                                                     for phase in ("cpuQueue", "waiting"))])  # fmt: skip
    return rows
