"""A job that is bound by reading its input: it counts the lines of text files, as Quartet's jobs do.

The count runs in the JVM on Hadoop's own text reader, which makes no string of a line: one task per HDFS block,
placed where the block is.

For 4 machines with a 25 MB/s disk each and 2 cores in all:
    generate --mb 1024 --file-mb 16     (with HDFS blocks of 16 MB)
    run
"""

import lines
import workload
from pyspark.sql import functions as F


def generate_options(parser):
    lines.options(parser, mb=1024, file_mb=16)


def run_options(parser):
    pass


def generate(spark, options):
    def text(row):
        number = row.cast("string")
        return F.lpad(number, 20, "0"), F.sha2(number, 256)

    lines.write(spark, options, text)


def run(spark, options):
    """The same as textFile(...).count() in Scala, but for the strings."""
    mapred, io = "org.apache.hadoop.mapred.TextInputFormat", "org.apache.hadoop.io."
    loader = spark._jvm.org.apache.spark.util.Utils
    classes = [loader.classForName(name, True, True) for name in (mapred, f"{io}LongWritable", f"{io}Text")]
    return spark._jsc.hadoopFile(options.data, *classes, 1).count()


def answer(spark, options, count):
    return {"lines": count}


def main(arguments=None):
    workload.main("scan", __doc__, generate, generate_options, run, run_options, answer, arguments)


if __name__ == "__main__":
    main()
