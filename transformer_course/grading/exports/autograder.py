"""The zip from which Gradescope makes an autograder: setup.sh, run_autograder, and the course."""

import json
import zipfile
from collections.abc import Sequence
from importlib.metadata import requires, version
from pathlib import Path

import transformer_course
from transformer_course.grading.exercises.exercise import Exercise

HOME = Path(transformer_course.__file__).parent
RUN = 0o755 << 16  # a file that may be run, in a zip

SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image.
set -euo pipefail
home="${AUTOGRADER:-/autograder}"
python=""
for each in python3 python3.13 python3.12 python3.11; do
  if "$each" -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python="$each"
    break
  fi
done
if [ -z "$python" ]; then
  apt-get update
  apt-get install -y software-properties-common
  add-apt-repository -y ppa:deadsnakes/ppa
  apt-get install -y python3.12-venv
  python=python3.12
fi
"$python" -m venv "$home/venv"
pip=("$home/venv/bin/pip" install --no-cache-dir)
"${pip[@]}" "$(grep '^torch==' "$home/source/requirements.txt")" \\
  --index-url https://download.pytorch.org/whl/cpu --extra-index-url https://pypi.org/simple
"${pip[@]}" -r "$home/source/requirements.txt"
"""

RUN_AUTOGRADER = """\
#!/usr/bin/env bash
# Gradescope runs this for each submission, and reads results/results.json.
home="${AUTOGRADER:-/autograder}"
options=()  # such as (--limit-seconds 10)
export PYTHONPATH="$home/source" OMP_NUM_THREADS=1
cd "$home"
mkdir -p results
rm -f results/results.json
venv/bin/python -m transformer_course grade submission --student submission \\
  --exercise source/exercises --export gradescope --to results/results.json \\
  --out "$(mktemp -d)/results.jsonl" "${options[@]}" 2> >(tee results/said.txt >&2)
if [ ! -s results/results.json ]; then  # a result in any case, with the reason
  tail -n 1 results/said.txt | venv/bin/python -c '
import json, sys
print(json.dumps({"score": 0, "output": sys.stdin.read(), "visibility": "visible"}))
' > results/results.json
fi
rm -f results/said.txt
"""


def autograder(exercises: Sequence[Exercise], to: Path) -> str:
    """Write the zip; returns what it is. It holds solutions and hidden tests: for Gradescope alone.

    The versions of what the course needs are those that are installed here.
    """
    to.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (("setup.sh", SETUP), ("run_autograder", RUN_AUTOGRADER)):
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = RUN, zipfile.ZIP_DEFLATED
            archive.writestr(info, text)
        archive.writestr("requirements.txt", "\n".join(requirements()) + "\n")
        for each in exercises:
            archive.writestr(f"exercises/{each.name}.ipynb", json.dumps(each.notebook))
        for path in sorted(HOME.rglob("*")):
            inside = path.relative_to(HOME.parent)
            if path.is_file() and "__pycache__" not in inside.parts:
                archive.write(path, inside.as_posix())
    return f"{to}: {', '.join(each.name for each in exercises)}"


def requirements() -> list[str]:
    """What the course needs to run, at the versions installed here."""
    wanted = [each for each in requires("transformer-course") or () if "extra ==" not in each]
    names = [each.split(">")[0].strip() for each in wanted]
    return [f"{name}=={version(name).split('+')[0]}" for name in names]
