"""Spark from PyPI and Hadoop from Maven Central, fetched once into target/lab. `python3 -m lab.software` prints the default Spark's folder."""

import os
import subprocess
import sys
from ctypes.util import find_library
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
HOME = REPOSITORY / "target" / "lab"
JAR = REPOSITORY / "spark" / "target" / "pellucid-spark.jar"  # the plugin, which `make build` makes


class Missing(Exception):
    """What could not be fetched, with the end of what the tool said."""


def spark(version, say=print):
    """The folder of a Spark with its own Python; `bin/python` in it runs PySpark programs."""
    home = HOME / f"spark-{version}"
    done = home / "complete"
    if not done.exists():
        say(f"fetching Spark {version} from PyPI (about 600 MB, once)")
        _run([sys.executable, "-m", "venv", str(home)], f"Spark {version}")
        packages = [f"pyspark=={version}", "numpy==2.2.6"]
        _run([str(home / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", *packages], f"Spark {version}")
        done.touch()
    return home


def spark_home(version):
    return next((HOME / f"spark-{version}" / "lib").glob("python3*/site-packages/pyspark"))


def pandas(say=print):
    """The folder of pandas and pyarrow, for each Spark's Python."""
    return _packages("pandas", "60 MB", ["pandas==2.3.3", "pyarrow==22.0.0", "numpy==2.2.6"], say)


def fuse(say=print):
    """The folder of mfusepy, by which Python serves a disk with one head; it wants the system's libfuse."""
    if not Path("/dev/fuse").exists() or not find_library("fuse3"):
        raise Missing("a disk with one head wants /dev/fuse and libfuse3 (Debian: fuse3)")
    return _packages("mfusepy", "100 KB", ["mfusepy==3.1.1"], say)


def moto(say=print):
    """The folder of moto, which serves what S3 would."""
    return _packages("moto", "60 MB", ["moto[server,s3]==5.1.22"], say)


def _packages(name, size, packages, say):
    """The folder of packages for whatever Python."""
    home = HOME / name
    done = home / "complete"
    if not done.exists():
        say(f"fetching {name} from PyPI (about {size}, once)")
        _run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--target", str(home), *packages], name)
        done.touch()
    return home


def hadoop(say=print):
    """The folder of HDFS' jars, with the empty web applications without which its daemons exit."""
    home = _jars("hadoop", "HDFS", "65 MB", "pom.xml", say)
    for application in ("hdfs", "datanode", "static"):
        (home / "webapps" / application).mkdir(parents=True, exist_ok=True)
    return home


def s3(say=print):
    """The folder of the jars by which the default Spark reads and writes S3."""
    return _jars("s3", "the client of S3", "21 MB", "s3/pom.xml", say)


def _jars(name, what, size, pom, say):
    """The folder whose `jars` are those that a list in this folder names."""
    home = HOME / name
    done = home / "complete"
    if not done.exists():
        say(f"fetching {what} from Maven Central (about {size}, once)")
        pom = Path(__file__).parent / pom
        _run(["mvn", "-B", "-q", "-f", str(pom), "dependency:copy-dependencies", f"-DoutputDirectory={home / 'jars'}"], what)
        done.touch()
    return home


@cache
def commit():
    """Of the repository, with a + where the code is another; nothing where there is no repository."""
    try:
        head, changed = (
            subprocess.run(["git", *words], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.strip()
            for words in (("rev-parse", "--short", "HEAD"), ("status", "--porcelain", "-uno", "--", ".", ":!docs"))
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return head + ("+" if changed else "")


def java():
    return str(Path(os.environ["JAVA_HOME"]) / "bin" / "java") if "JAVA_HOME" in os.environ else "java"


def _run(command, what):
    HOME.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise Missing(f"{what}: no {command[0]} on the PATH") from None
    if done.returncode:
        raise Missing(f"{what}: {' '.join(command[:3])} … failed:\n{(done.stdout + done.stderr)[-1500:]}")


if __name__ == "__main__":
    from lab.config import Config

    print(spark(Config.spark_version, lambda text: print(text, file=sys.stderr)))
