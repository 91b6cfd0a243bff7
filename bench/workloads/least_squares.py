"""A least squares fit by block matrix multiplications, as in Kay Ousterhout's thesis (5.5.2): network before CPU.

It solves min |Ax - b| by block coordinate descent, as ml-matrix does. For each block of columns, every task multiplies
its block of rows: with numpy's OpenBLAS, on arrays of doubles that are serialized as they are. The products, each as
large as columns squared whatever the number of rows, are added up in a shuffle; the driver solves for the block's
part of x and broadcasts it. With the options below, what a block of rows sends for each multiplication is as large as
the block. The disks have only the input and the shuffle's files to do; the thesis keeps the latter in memory (a
spark.local.dir there). `error` in the answer is the distance to the known x; it falls with each pass.

For 4 machines with a 25 MB/s disk each and 2 cores in all:
    generate --row-blocks 32 --block-rows 512 --columns 2048     (8 MB each, 256 MB)
    run --passes 3     (6 multiplications, each shuffles 256 MB)
"""

import numpy as np
import workload

TILE = 16  # rows of a product that are added up together


def generate_options(parser):
    parser.add_argument("--row-blocks", type=int, default=32, help="files and tasks (default %(default)s)")
    parser.add_argument("--block-rows", type=int, default=512, help="rows of each block (default %(default)s)")
    parser.add_argument("--columns", type=int, default=2048, help="(default %(default)s)")


def run_options(parser):
    parser.add_argument("--column-block", type=int, default=1024, help="columns at a time (default %(default)s)")
    parser.add_argument("--passes", type=int, default=3, help="over all columns (default %(default)s)")
    workload.add_reduce_partitions(parser, default=16)


def known_solution(columns):
    return np.sin(np.arange(1.0, columns + 1))


def generate(spark, options):
    """Blocks of rows in a sequence file: the number of columns, and the bytes of [A b], where b = A x for a known x."""
    rows, columns = options.block_rows, options.columns
    solution = known_solution(columns)

    def block(number):
        matrix = np.random.default_rng(number).standard_normal((rows, columns))
        return columns, bytearray(np.column_stack([matrix, matrix @ solution]).tobytes())

    workload.delete(spark, options.data)
    numbers = spark.sparkContext.parallelize(range(options.row_blocks), options.row_blocks)
    numbers.map(block).saveAsSequenceFile(options.data)


def run(spark, options):
    blocks = spark.sparkContext.sequenceFile(options.data).map(matrix).persist()
    columns = blocks.first().shape[1] - 1
    x = np.zeros(columns)
    for _ in range(options.passes):
        for first in range(0, columns, options.column_block):
            block = slice(first, min(first + options.column_block, columns))
            product = multiply(spark.sparkContext, blocks, x, block, options.reduce_partitions)
            x[block] = np.linalg.solve(product[:, :-1], product[:, -1])
    blocks.unpersist()
    workload.delete(spark, options.output)
    spark.sparkContext.parallelize(x.tolist(), 1).saveAsTextFile(options.output)
    return x


def matrix(record):
    """Cached as an array, [A b] is serialized as it is: the bytes from the sequence file come as pickled text."""
    columns, data = record
    return np.frombuffer(data).reshape(-1, columns + 1)


def multiply(context, blocks, x, block, partitions):
    """A_j^T [A_j r], where A_j is the block of columns and r what the other columns leave of b."""
    others = x.copy()
    others[block] = 0
    shared = context.broadcast(others)
    size, tile = block.stop - block.start, TILE

    def tiles(rows):
        part = np.ascontiguousarray(rows[:, block])
        rest = rows[:, -1] - rows[:, :-1] @ shared.value
        product = part.T @ np.column_stack([part, rest])
        return [(first, product[first : first + tile].copy()) for first in range(0, size, tile)]

    def partition_of(first):
        return first // tile

    sums = blocks.flatMap(tiles).reduceByKey(np.add, partitions, partition_of).collect()
    shared.destroy()
    return np.vstack([rows for _, rows in sorted(sums, key=lambda pair: pair[0])])


def answer(spark, options, x):
    """To 6 digits: the order of addition changes the last ones."""
    error = np.abs(x - known_solution(len(x))).max()
    return {"columns": len(x), "norm": float(f"{np.linalg.norm(x):.6g}"), "error": round(float(error), 3)}


def main(arguments=None):
    workload.main("least_squares", __doc__, generate, generate_options, run, run_options, answer, arguments)


if __name__ == "__main__":
    main()
