"""The report: one page with all papers, and one for each."""

from manypath.report.build import build

__all__ = ["build"]
