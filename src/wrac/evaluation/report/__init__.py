"""Results for people: text tables, Markdown tables, one HTML page with plots, and two runs compared."""

from wrac.evaluation.report.html import page
from wrac.evaluation.report.plain import markdown, table, text

__all__ = ["markdown", "page", "table", "text"]
