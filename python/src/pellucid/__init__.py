"""Performance clarity for Apache Spark, from Python: `start` a session with the plugin, and `report` on it or on an event log."""

from pellucid.report import Report, report
from pellucid.session import start

__all__ = ["Report", "report", "start"]
