"""The report: a first page that lists all papers, and a page for each paper."""

from manypath.report.build import build, growing

__all__ = ["build", "growing"]
