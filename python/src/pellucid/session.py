"""Spark sessions with the plugin."""

import os
import warnings
from pathlib import Path

from pellucid import jars

PLUGIN = "pellucid.PellucidPlugin"


def start(spark=None):
    """A session with the plugin.

    `spark`: a `SparkSession.builder` with whatever else is wanted, or nothing; or a running session, which is given back where
    it has the plugin. Executors take plugins only when an application starts, so a running session without it is an error.
    """
    from pyspark.sql import SparkSession

    running = spark if isinstance(spark, SparkSession) else SparkSession.getActiveSession()
    if running is not None:
        if PLUGIN in _words(running.sparkContext.getConf().get("spark.plugins", "")):
            return running if running is spark else (spark or SparkSession.builder).getOrCreate()
        raise RuntimeError(
            "this Spark application runs without Pellucid's plugin, and takes none while it runs: "
            "spark.stop(), then spark = pellucid.start(SparkSession.builder...)"
        )
    builder = spark if spark is not None else SparkSession.builder
    if not _load_into_running_java():
        warnings.warn("Pellucid: this Java cannot take the plugin while it runs; the session starts without it", stacklevel=2)
        return builder.getOrCreate()
    for setting, ours in (("spark.plugins", PLUGIN), ("spark.jars", str(jars.PLUGIN))):
        had = _words(builder._options.get(setting) or _default(setting))
        builder = builder.config(setting, ",".join(dict.fromkeys([*had, ours])))
    return builder.getOrCreate()


def _words(text):
    return [word.strip() for word in text.split(",") if word.strip()]


def _default(setting):
    """What spark-submit or spark-defaults.conf says."""
    from pyspark import SparkContext
    from pyspark.find_spark_home import _find_spark_home

    if SparkContext._jvm is not None:
        return SparkContext._jvm.org.apache.spark.SparkConf().get(setting, "")
    folder = os.environ.get("SPARK_CONF_DIR") or os.path.join(_find_spark_home(), "conf")
    file = Path(folder) / "spark-defaults.conf"
    for line in file.read_text().splitlines() if file.exists() else []:
        name, _, value = line.strip().replace("=", " ", 1).partition(" ")
        if name == setting:
            return value.strip()
    return ""


def _load_into_running_java():
    """Java outlives the first session of a Python process, or was there before it; it looks at `spark.jars` when it starts."""
    from py4j.protocol import Py4JError
    from pyspark import SparkContext

    if "PYSPARK_GATEWAY_PORT" in os.environ:  # Python was started by spark-submit
        SparkContext._ensure_initialized()
    if SparkContext._jvm is None:
        return True
    try:
        loader = SparkContext._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        loader.addURL(SparkContext._jvm.java.io.File(str(jars.PLUGIN)).toURI().toURL())  # Spark's own class loader has that
        loader.loadClass(PLUGIN)
        return True
    except Py4JError:
        return False
