"""The command `pellucid`: Java with the package's jar."""

import os
import shutil
import signal
import subprocess
import sys

from pellucid import jars


def command(*arguments):
    """The words of a command line."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if not java or not os.path.exists(java):
        raise FileNotFoundError("no Java: set JAVA_HOME, or put java (17 or newer) on the PATH")
    options = os.environ.get("PELLUCID_JAVA_OPTS", "").split()
    return [java, "-XX:+UseSerialGC", *options, f"-Dpellucid.plugin={jars.PLUGIN}", "-cp", str(jars.COMMAND), "pellucid.cli.Main", *arguments]


def main():
    try:
        words = command(*sys.argv[1:])
    except FileNotFoundError as error:
        sys.exit(f"pellucid: {error}")
    try:
        code = subprocess.run(words).returncode
    except KeyboardInterrupt:
        code = -signal.SIGINT
    sys.exit(code if code >= 0 else 128 - code)  # as a shell says which signal it was
