"""Puts the jars into the package: those of this checkout, which are built if they are not there, or older than its sources."""

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
        sources = [file for part in ("core", "cli", "spark") for file in (repository / part / "src" / "main").rglob("*") if file.is_file()]
        newest = max(file.stat().st_mtime for file in sources)
        if not all(jar.exists() and jar.stat().st_mtime >= newest for jar in jars):
            if not shutil.which("mvn"):
                raise RuntimeError("Pellucid's jars are not built, or older than its sources: Java 17 and Maven (mvn) build them, or `make build` before")
            self.app.display_info("building the jars (Java 17, Maven)")
            subprocess.run(["mvn", "-B", "-q", "package", "-DskipTests"], cwd=repository, check=True)
        folder = HERE / "src" / "pellucid" / "jars"
        folder.mkdir(exist_ok=True)
        for jar in jars:
            shutil.copy(jar, folder)
