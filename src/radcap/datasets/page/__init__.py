"""One page about a dataset, in a file that needs no network and runs no script."""

from radcap.datasets.page.page import report_page

__all__ = ["report_page"]
