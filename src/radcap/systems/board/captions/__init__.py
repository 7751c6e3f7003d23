"""Every caption system of the catalogue on one dataset: trained, asked, scored, written as one page."""
