"""The jars that come with the package."""

from pathlib import Path

_FOLDER = Path(__file__).parent / "jars"
COMMAND = _FOLDER / "pellucid.jar"
PLUGIN = _FOLDER / "pellucid-spark.jar"
