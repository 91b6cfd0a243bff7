"""The command `pellucid`: Java with the package's jar."""

import os
import shutil
import sys

from pellucid import jars


def command(*arguments, encoding=None):
    """The words of a command line; its output is in the user's locale's encoding, or in this one."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if not java or not os.path.exists(java):
        raise FileNotFoundError("no Java: set JAVA_HOME, or put java (17 or newer) on the PATH")
    options = os.environ.get("PELLUCID_JAVA_OPTS", "").split()
    if encoding:
        options += [f"-D{what}.encoding={encoding}" for what in ("file", "stdout", "stderr")]
    return [java, "-XX:+UseSerialGC", *options, f"-Dpellucid.plugin={jars.PLUGIN}", "-cp", str(jars.COMMAND), "pellucid.cli.Main", *arguments]


def main():
    try:
        words = command(*sys.argv[1:])
    except FileNotFoundError as error:
        print(f"pellucid: {error}", file=sys.stderr)
        sys.exit(2)
    os.execv(words[0], words)  # Java in place of Python, so that signals and the exit status are its own
