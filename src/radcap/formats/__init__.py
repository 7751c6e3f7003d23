"""Run files of every edition: read, check, repair, write. Needs nothing but the standard library."""

from radcap.formats.codes import CATALOGUE, CODES, Code
from radcap.formats.dialects import DIALECTS, EDITIONS, RADCAP, Dialect, Header, dialect
from radcap.formats.expected import Expected
from radcap.formats.findings import Findings, named, shown
from radcap.formats.fixing import Change, Repair, fix_run
from radcap.formats.limits import Limits
from radcap.formats.listing import github_lines, issue_lines, sarif
from radcap.formats.truth import Kind, find_truth, read_expected, read_ids, read_labels, read_vocabulary
from radcap.formats.validation import Reader, Validation, check_quota, expect, read_run, validate
from radcap.formats.writing import replacing, write_lines, write_run

__all__ = [
    "CATALOGUE",
    "CODES",
    "DIALECTS",
    "EDITIONS",
    "RADCAP",
    "Change",
    "Code",
    "Dialect",
    "Expected",
    "Findings",
    "Header",
    "Kind",
    "Limits",
    "Reader",
    "Repair",
    "Validation",
    "check_quota",
    "dialect",
    "expect",
    "find_truth",
    "fix_run",
    "github_lines",
    "issue_lines",
    "named",
    "read_expected",
    "read_ids",
    "read_labels",
    "read_run",
    "read_vocabulary",
    "replacing",
    "sarif",
    "shown",
    "validate",
    "write_lines",
    "write_run",
]
