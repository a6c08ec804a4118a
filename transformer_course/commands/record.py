"""What every result file says of the machine and the code that it was measured with."""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from transformer_course.errors import DataError

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
_NUMBERS = re.compile(r"\[\n\s*((?:[-+.\de]+,?\n\s*)+)\]")


def commit(*paths: str) -> str:
    """The commit that is checked out, with a plus if files under version control were changed.

    With `paths`, which count from the project's root, only those files are looked at.
    """
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    if head.returncode:
        return "unknown"
    changed = subprocess.run(
        [*git, "diff", "--quiet", "HEAD", "--", *paths], check=False
    ).returncode
    return head.stdout.strip()[:12] + ("+" if changed else "")


def hardware() -> dict[str, Any]:
    """Processor, cores, memory, and the software that matters."""
    able = torch.cpu.get_capabilities()
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    return {
        "cpu": able.get("cpu_name", platform.processor()),
        "capability": torch.backends.cpu.get_cpu_capability(),  # the instructions that torch uses
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "gpu": gpu,
        "python": platform.python_version(),
        "torch": torch.__version__,
    }


def write(name: str, what: str, commands: list[str], **results: Any) -> Path:
    """Write benchmarks/results/NAME.json, a list of numbers on a line."""
    path = RESULTS / f"{name}.json"
    about = {
        "what": what,
        "commands": commands,
        "commit": commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "hardware": hardware(),
    }
    text = json.dumps({**about, **results}, indent=1, ensure_ascii=False)
    text = _NUMBERS.sub(lambda found: f"[{' '.join(found[1].split())}]", text)
    path.write_text(text + "\n")
    return path


def no_options(doc: str | None) -> None:
    """Answer --help with a script's text, and refuse all options: it has none."""
    plain = argparse.RawDescriptionHelpFormatter
    argparse.ArgumentParser(description=doc, formatter_class=plain).parse_args()


def exits(main: Callable[[], int]) -> int:
    """A script's exit code: 2, and one line, where the data cannot be had."""
    try:
        return main()
    except DataError as error:
        print(f"{Path(sys.argv[0]).name}: error: {error}", file=sys.stderr)
        return 2
