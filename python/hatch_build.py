"""Puts the jars into the package: those of this checkout, which are built if they are not there."""

import shutil
import subprocess
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).parent
JARS = ["cli/target/pellucid.jar", "spark/target/pellucid-spark.jar"]


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        repository = HERE.parent
        jars = [repository / jar for jar in JARS]
        if not all(jar.exists() for jar in jars):
            self.app.display_info("building the jars (Java 17, Maven)")
            subprocess.run(["mvn", "-B", "-q", "package", "-DskipTests"], cwd=repository, check=True)
        folder = HERE / "src" / "pellucid" / "jars"
        folder.mkdir(exist_ok=True)
        for jar in jars:
            shutil.copy(jar, folder)
