"""HDFS on the lab: its configuration, the commands of its daemons, and how many datanodes the namenode counts."""

from lab import nic, software

URI = "hdfs://head:9000"
MAIN = {
    "dfs": "org.apache.hadoop.fs.FsShell",
    "dfsadmin": "org.apache.hadoop.hdfs.tools.DFSAdmin",
    "fsck": "org.apache.hadoop.hdfs.tools.DFSck",
}
# the namenode looks for what was deleted each second, and tells a datanode at its next heartbeat, each second too
DELETED_SECONDS = 3
_LOG4J = """\
log4j.rootLogger=WARN,console
log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
"""


def configure(conf, folder, config):
    """Writes `conf` for the daemons and for every client."""
    core = {"fs.defaultFS": URI, "hadoop.tmp.dir": folder / "hadoop-tmp", "io.file.buffer.size": 131072}
    site = {
        "dfs.replication": config.replication,
        "dfs.blocksize": config.block,
        "dfs.namenode.name.dir": folder / "name",
        "dfs.namenode.fs-limits.min-block-size": 4096,
        "dfs.namenode.safemode.extension": 0,
        "dfs.namenode.accesstime.precision": 0,
        "dfs.namenode.datanode.registration.ip-hostname-check": "false",
        "dfs.permissions.enabled": "false",
        # else a machine's disks fill unevenly as long as they are nearly empty
        "dfs.datanode.round-robin-volume-choosing-policy.additional-available-space": 0,
        "dfs.heartbeat.interval": 1,
        "dfs.namenode.redundancy.interval.seconds": 1,
    }
    conf.mkdir(parents=True, exist_ok=True)
    for name, values in (("core-site.xml", core), ("hdfs-site.xml", site)):
        rows = "".join(f"<property><name>{k}</name><value>{v}</value></property>\n" for k, v in values.items())
        (conf / name).write_text(f"<configuration>\n{rows}</configuration>\n")
    (conf / "log4j.properties").write_text(_LOG4J)


def write_command(path, conf):
    """An `hdfs` for people: Hadoop's own is in no jar."""
    cases = "".join(f'  {name}) main={main} ;;\n' for name, main in MAIN.items())
    start = " ".join(command(conf, '"$main"', '"$@"'))
    path.parent.mkdir(exist_ok=True)
    usage = f'  *) echo "hdfs: one of {", ".join(MAIN)}" >&2; exit 2 ;;\n'
    path.write_text(f'#!/bin/sh\ncommand=$1\n[ $# -gt 0 ] && shift\ncase $command in\n{cases}{usage}esac\nexec {start}\n')
    path.chmod(0o755)


def command(conf, main, *arguments, heap="256m"):
    home = software.hadoop()
    path = f"{conf}:{home}:{home}/jars/*"
    return [software.java(), f"-Xmx{heap}", "-XX:+UseSerialGC", "-cp", path, main, *arguments]


def format_command(conf):
    return command(conf, "org.apache.hadoop.hdfs.server.namenode.NameNode", "-format", "-force", "-nonInteractive")


def namenode_command(conf):
    return command(conf, "org.apache.hadoop.hdfs.server.namenode.NameNode")


def datanode_command(conf, machine, volumes):
    values = {"dfs.datanode.hostname": machine, "dfs.datanode.data.dir": ",".join(f"file://{v}/hdfs" for v in volumes)}
    options = [f"-D{key}={value}" for key, value in values.items()]
    return command(conf, "org.apache.hadoop.hdfs.server.datanode.DataNode", *options, heap="160m")


def live_datanodes():
    """As the namenode counts them; 0 while it does not answer."""
    try:
        return nic.ask_head(9870, "jmx?qry=Hadoop:service=NameNode,name=FSNamesystem")["beans"][0]["NumLiveDataNodes"]
    except (OSError, LookupError, ValueError):
        return 0
