"""Spark's standalone cluster on the lab: its configuration, the commands of its daemons, and how many workers the master counts."""

from lab import hdfs, nic, software

MASTER = "spark://head:7077"
_LOG4J = """\
rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = stderr
logger.native.name = org.apache.hadoop.util.NativeCodeLoader
logger.native.level = error
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""


def configure(conf, config, events):
    """Writes `conf`: what every application has unless it says otherwise."""
    machine = config.machine
    values = {
        "spark.master": MASTER,
        "spark.driver.host": "head",
        "spark.driver.bindAddress": nic.HEAD_ADDRESS,
        "spark.executor.cores": machine.cores,
        "spark.executor.memory": f"{machine.executor_memory >> 20}m",
        # the JVM does not see its machine's share of the CPU, and would start threads for every core of this computer
        # a heap of one size from the start takes nothing from the page cache later
        "spark.executor.extraJavaOptions": f"-XX:ActiveProcessorCount={machine.cores} -XX:+UseParallelGC"
        f" -Xms{machine.executor_memory >> 20}m -XX:+AlwaysPreTouch",
        "spark.sql.warehouse.dir": f"{hdfs.URI}/warehouse",
    }
    _write(conf, values | _logging(events) | config.spark_conf)


def configure_local(conf, cores, memory, events):
    """The same of an application without a cluster."""
    values = {
        "spark.master": f"local[{cores}]",
        "spark.driver.memory": f"{memory >> 20}m",
        "spark.driver.extraJavaOptions": f"-XX:+UseParallelGC -Xms{memory >> 20}m -XX:+AlwaysPreTouch",
        "spark.ui.enabled": "false",
    }
    _write(conf, values | _logging(events))


def _logging(events):
    return {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{events}",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.ui.showConsoleProgress": "false",
    }


def _write(conf, values):
    conf.mkdir(parents=True, exist_ok=True)
    (conf / "spark-defaults.conf").write_text("".join(f"{key} {value}\n" for key, value in values.items()))
    (conf / "log4j2.properties").write_text(_LOG4J)


def environment(conf, folder, version):
    """Of the daemons and of every command in the lab."""
    home, package = software.spark(version), software.spark_home(version)
    (core,) = (package / "jars").glob("spark-core_*.jar")
    return {
        "SPARK_HOME": str(package),
        "SPARK_SCALA_VERSION": core.name.removeprefix("spark-core_").partition("-")[0],  # else the worker looks for a build of Spark
        "SPARK_CONF_DIR": str(conf),
        "HADOOP_CONF_DIR": str(conf),
        "PYSPARK_PYTHON": str(home / "bin" / "python"),
        "SPARK_LOCAL_DIRS": str(folder / "head" / "local"),
        "SPARK_NO_DAEMONIZE": "1",
        "OMP_NUM_THREADS": "1",
    }


def master_command(version, conf):
    return _command(version, conf, "org.apache.spark.deploy.master.Master", "--host", "head", "--port", "7077", "--webui-port", "8080")


def worker_command(version, conf, name, machine, work):
    memory = machine.executor_memory * 2 >> 20  # enough for one executor and its overhead; the machine's limit is elsewhere
    options = ["--host", name, "--cores", str(machine.cores), "--memory", f"{memory}m", "--work-dir", str(work), MASTER]
    return _command(version, conf, "org.apache.spark.deploy.worker.Worker", *options)


def live_workers():
    """As the master counts them; 0 while it does not answer."""
    try:
        return nic.ask_head(8080, "json/")["aliveworkers"]
    except (OSError, LookupError, ValueError):
        return 0


def _command(version, conf, main, *arguments):
    path = f"{conf}:{software.spark_home(version)}/jars/*"
    quick_start = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]  # a master or worker hardly runs
    return [software.java(), "-Xmx256m", *quick_start, "-cp", path, main, *arguments]
