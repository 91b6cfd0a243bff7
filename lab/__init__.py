"""A lab: emulated machines on one Linux computer, with a real HDFS and a real Spark standalone cluster on them."""
