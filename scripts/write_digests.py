"""Write src/radcap/SHA256SUMS, by which `radcap doctor` knows the files that ship inside.

Run it when a model or data inside has changed: python scripts/write_digests.py
"""

from __future__ import annotations

from radcap.reading.health.shipped_files import LIST, ROOT, sums_text

if __name__ == "__main__":
    (ROOT / LIST).write_text(sums_text(), encoding="utf-8", newline="\n")
    print(f"{ROOT / LIST} is written.")
