"""Sorts of different values (see sort.py), each alone or both at once: whose use of the resources is whose (thesis section 5.6.6)?

    generate --mb 160 --files 32 --values 10 50
    run --values 10            one of them
    run --values 10 50         both at once
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import sort
import workload
from pyspark import inheritable_thread_target


def generate_options(parser):
    workload.add_files(parser, mb=160, files=32)
    add_values(parser)


def run_options(parser):
    workload.add_reduce_partitions(parser)
    add_values(parser)


def add_values(parser):
    parser.add_argument("--values", type=int, nargs="+", default=[10, 50], help="longs per value, of each sort (default 10 50)")


def one(options, values):
    """The options of one sort."""
    changed = {"values": values, "format": "parquet", "data": f"{options.data}/{values}"}
    if options.command == "run":
        changed["output"] = f"{options.output}/{values}"
    return argparse.Namespace(**vars(options) | changed)


def generate(spark, options):
    for values in options.values:
        sort.generate(spark, one(options, values))


def run(spark, options):
    def sorted_by_key(values):
        spark.sparkContext.setJobDescription(f"{values} values")
        sort.run(spark, one(options, values))

    # each with properties of its own
    targets = [inheritable_thread_target(partial(sorted_by_key, values)) for values in options.values]
    with ThreadPoolExecutor(len(targets)) as pool:
        list(pool.map(lambda target: target(), targets))


def answer(spark, options, _):
    return {str(values): sort.answer(spark, one(options, values), None) for values in options.values}


def main(arguments=None):
    workload.main("two_sorts", __doc__, generate, generate_options, run, run_options, answer, arguments)


if __name__ == "__main__":
    main()
