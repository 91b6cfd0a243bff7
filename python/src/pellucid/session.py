"""Spark sessions with the plugin."""

import os
import warnings

from pellucid import jars

PLUGIN = "pellucid.PellucidPlugin"


def start(spark=None):
    """A session with the plugin.

    `spark`: a `SparkSession.builder` with whatever else is wanted, or nothing; or a running session, which is given back where
    it has the plugin. Executors take plugins only when an application starts, so a running application without it is an error.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    refuse(spark)
    given = isinstance(spark, SparkSession)
    builder = SparkSession.builder if given or spark is None else spark
    running = spark.sparkContext if given else SparkContext._active_spark_context
    if running is not None:
        if PLUGIN in _words(running.getConf().get("spark.plugins", "")):
            return spark if given else builder.getOrCreate()
        raise RuntimeError(
            "this Spark application runs without Pellucid's plugin, and takes none while it runs: "
            "spark.stop(), then spark = pellucid.start(SparkSession.builder...)"
        )
    _start_java(builder)
    if not _load():
        warnings.warn("Pellucid: this Java cannot take the plugin while it runs; the session starts without it", stacklevel=2)
        return builder.getOrCreate()
    defaults = SparkConf()  # what spark-submit made of its arguments, of spark-defaults.conf and of the options that it was started with
    for setting, ours in (("spark.plugins", PLUGIN), ("spark.jars", str(jars.PLUGIN))):
        words = [*_words(defaults.get(setting, "")), *_words(builder._options.get(setting, "")), ours]
        builder = builder.config(setting, ",".join({word.rpartition("/")[2]: word for word in words}.values()))
    return builder.getOrCreate()


def refuse(spark):
    """What is no session of this process' own Spark application, or no more."""
    options = getattr(spark, "_options", {})
    if type(spark).__module__.startswith("pyspark.sql.connect") or "spark.remote" in options or "SPARK_REMOTE" in os.environ:
        raise RuntimeError("this is Spark Connect: the plugin belongs to its server (spark.plugins there), whose UI and event log have the report")
    context = getattr(spark, "sparkContext", None)
    if context is not None and context._jsc is None:
        raise RuntimeError("this Spark session has been stopped: pellucid.start() begins another, and pellucid.report(log) is of its event log")


def _words(text):
    return [word.strip() for word in text.split(",") if word.strip()]


def _start_java(builder):
    """As the session would start it, where it does not run yet: it outlives the first session of a Python process."""
    from pyspark import SparkConf, SparkContext

    if SparkContext._jvm is None:
        SparkContext._ensure_initialized(conf=SparkConf().setAll(builder._options.items()))


def _load():
    """The plugin, into a Java that has looked at `spark.jars` already."""
    from py4j.protocol import Py4JError
    from pyspark import SparkContext

    try:
        loader = SparkContext._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        loader.addURL(SparkContext._jvm.java.io.File(str(jars.PLUGIN)).toURI().toURL())  # Spark's own class loader has that
        loader.loadClass(PLUGIN)
        return True
    except Py4JError:
        return False
