"""Run the chapters: from each text twin, the executed and normalized notebook beside the book.

Example: python book/_tools/execute.py 05-2-loss --limit 90
"""

from __future__ import annotations

import argparse
import os
import sys
import time

from chapters import BOOK, normalize, notebook_of, read_twin, twins
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


def main() -> int:
    """Run the named chapters (all by default), one at a time; 1 if one fails or is too slow."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="CHAPTER", help="such as 05-2-loss")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a chapter may take")
    arguments = parser.parse_args()

    known = {twin.stem: twin for twin in twins()}
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        parser.error(f"no chapter {', '.join(unknown)}: expected one of {', '.join(known)}")

    # Threads that spin while they wait starve each other on a small machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    failed = False
    for name in arguments.names or known:
        notebook = read_twin(known[name])
        client = NotebookClient(
            notebook,
            timeout=600,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,  # how a cell's lines arrive depends on the clock
            resources={"metadata": {"path": str(BOOK)}},
        )
        start = time.perf_counter()
        try:
            client.execute()
        except CellExecutionError as error:
            print(f"{name}: a cell failed, and the notebook was left as it was\n{error}")
            failed = True
            continue
        seconds = time.perf_counter() - start
        target = notebook_of(known[name])
        text = normalize(notebook, known[name])
        same = target.exists() and target.read_text(encoding="utf-8") == text
        target.write_text(text, encoding="utf-8")
        late = seconds > arguments.limit
        failed |= late
        print(
            f"{name}: {seconds:.1f} s, {'unchanged' if same else 'written'}"
            + (f", over the limit of {arguments.limit:.0f} s" if late else "")
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
