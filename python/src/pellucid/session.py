"""Spark sessions with the plugin."""

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
        if PLUGIN in _words(running.sparkContext.getConf(), "spark.plugins"):
            return running if running is spark else (spark or SparkSession.builder).getOrCreate()
        raise RuntimeError(
            "this Spark application runs without Pellucid's plugin, and takes none while it runs: "
            "spark.stop(), then spark = pellucid.start(SparkSession.builder...)"
        )
    builder = spark if spark is not None else SparkSession.builder
    for setting, ours in (("spark.plugins", PLUGIN), ("spark.jars", str(jars.PLUGIN))):
        had = [word for word in builder._options.get(setting, "").split(",") if word]
        builder = builder.config(setting, ",".join(dict.fromkeys([*had, ours])))
    _load_into_running_java()
    return builder.getOrCreate()


def _load_into_running_java():
    """Java outlives the first session of a Python process, and looks at `spark.jars` when it starts."""
    from pyspark import SparkContext

    if SparkContext._jvm is not None:
        loader = SparkContext._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        if hasattr(loader, "addURL"):  # Spark's own
            loader.addURL(SparkContext._jvm.java.io.File(str(jars.PLUGIN)).toURI().toURL())


def _words(conf, setting):
    return [word.strip() for word in conf.get(setting, "").split(",")]
