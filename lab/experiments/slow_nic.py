"""A job with HDFS input, a shuffle and HDFS output: healthy, with one machine's NIC at 1 Mbit/s, and that with spark.speculation
(PBSE Figs. 7 and 8). 60, 30, 10 and 0.1 Mbit/s are options."""

from lab import experiment, units
from lab.application import Application
from lab.cluster import LabError, lab


def options(parser):
    parser.add_argument("--nic", default="1mbit", help="of the slow machine: 60mbit, 30mbit, 10mbit, 0.1mbit (default %(default)s)")
    parser.add_argument("--mb", type=int, default=5, help="input (default %(default)s)")


def run(options, say):
    try:
        units.network_rate(options.nic)
    except ValueError as e:
        raise LabError(f"--nic: {e}") from None
    machine = experiment.machine(options.cpu, 0.2, "apart")
    with lab({"name": "slow-nic", "machines": 4, "machine": machine, "hdfs": {"block": "1MB"}}, say) as cluster:
        experiment.refuse_if_off(cluster, say)
        line = "pipeline run --data /lines --output /grouped --split-mb 1 --reduce-partitions 16"
        runs, speculative = [], []
        with Application(cluster, "slow-nic-input") as application:
            say("input")
            application.generate(f"pipeline generate --data /lines --mb {options.mb} --file-mb 1")

        def turn(application, variant, nic):
            cluster.set("m1", {"nic": nic})
            try:
                say(f"{variant}, m1 at {nic}")
                application.measure("pipeline", variant, line)
            finally:
                cluster.set("m1", {"nic": machine["nic"]})

        def stock():
            with Application(cluster, "slow-nic-stock") as application:
                application.warm_up(line)
                turn(application, "healthy", machine["nic"])
                turn(application, "slow", options.nic)
            runs.extend(application.explain())

        def speculation():
            with Application(cluster, "slow-nic-speculation", {"spark.speculation": "true"}) as application:
                application.warm_up(line)
                turn(application, "slow, speculation", options.nic)
            runs.extend(application.explain())
            speculative.append(copies(application.event_log))

        experiment.turns({"stock": stock, "speculation": speculation}, options.pairs, say)
    experiment.same_answers(runs)
    experiment.write(options, name(options), page(options, runs, speculative), runs, say)


def copies(event_log):
    """How many tasks ran a second time beside the first: that they were asked for is in no log."""
    with open(event_log) as events:
        return sum('"Event":"SparkListenerTaskStart"' in event and '"Speculative":true' in event for event in events)


def name(options):
    return "slow-nic" if options.nic == "1mbit" else f"slow-nic-{options.nic}"


def page(options, runs, speculative):
    return f"""A pipeline over {options.mb} MB: HDFS input, a shuffle of about as many bytes, HDFS output, all with 3 replicas, on 4 machines with
NICs of 200 Mbit/s. `slow` is the same with the NIC of machine m1 at {options.nic} in both directions from the job's start.

{experiment.times(runs, "healthy")}
Tasks that `spark.speculation` ran a second time, per application: {", ".join(map(str, speculative))}.
"""
