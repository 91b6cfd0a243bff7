"""Tasks that do next to nothing: what they cost is the scheduler's, and whatever is added to each task.

    run --tasks 20000
"""

import workload


def generate_options(parser):
    pass


def generate(spark, options):
    """There is no input."""


def run_options(parser):
    parser.add_argument("--tasks", type=int, default=20_000, help="(default %(default)s)")


def run(spark, options):
    tasks = options.tasks
    return spark._jsc.sc().range(0, tasks, 1, tasks).count()


def answer(spark, options, rows):
    return {"rows": rows}


def main(arguments=None):
    workload.main("tiny", __doc__, generate, generate_options, run, run_options, answer, arguments)


if __name__ == "__main__":
    main()
