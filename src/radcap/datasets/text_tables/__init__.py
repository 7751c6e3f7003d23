"""Label files: tables in text, of every separator and habit that ten years of releases had."""

from radcap.datasets.text_tables.files import CsvFile, read_csv, read_csvs
from radcap.datasets.text_tables.writing import write_csv

__all__ = ["CsvFile", "read_csv", "read_csvs", "write_csv"]
