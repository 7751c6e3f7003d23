"""The drawing layer: tables, charts, pages and files that people and programs read."""

from radcap.report.changes import Change, change_card, change_groups
from radcap.report.charts import interval_chart, rank_chart
from radcap.report.comparison_page import comparison_page
from radcap.report.comparison_tables import board_table, flat_pairs, flat_standings, pair_table
from radcap.report.histogram import histogram
from radcap.report.html import page
from radcap.report.markup import Markup, element
from radcap.report.per_image import write_per_image
from radcap.report.tables import Table, digits
from radcap.report.verdict import probability, summary

__all__ = [
    "Change",
    "Markup",
    "Table",
    "board_table",
    "change_card",
    "change_groups",
    "comparison_page",
    "digits",
    "element",
    "flat_pairs",
    "flat_standings",
    "histogram",
    "interval_chart",
    "page",
    "pair_table",
    "probability",
    "rank_chart",
    "summary",
    "write_per_image",
]
