"""A folder of readings that is written as they are made, and goes on after an interruption."""

from radcap.reading.run_folder.writing import Written, write_readings

__all__ = ["Written", "write_readings"]
