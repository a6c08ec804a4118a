"""Compile the products of matrices of the page, kernel.ts, into kernel_bytes.js: `make kernel`."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "transformer_course" / "widgets" / "engine"
OPTIONS = ["-O3", "--runtime", "stub", "--importMemory", "--enable", "simd", "--noAssert"]


def compiled() -> str:
    """The text of kernel_bytes.js.

    Raises:
        subprocess.CalledProcessError: if kernel.ts does not compile.
    """
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "kernel.wasm"
        asc = ROOT / "node_modules" / "assemblyscript" / "bin" / "asc.js"
        command = ["node", str(asc), str(ENGINE / "kernel.ts"), "-o", str(target), *OPTIONS]
        subprocess.run(command, check=True, cwd=ROOT)
        text = target.read_bytes().hex()  # which a page's compression shrinks more than base64
    head = "// @ts-check\n// Compiled from kernel.ts by `make kernel`.\n"
    return f'{head}export const KERNEL =\n  "{text}";\n'


if __name__ == "__main__":
    target, text = ENGINE / "kernel_bytes.js", compiled()
    if "--check" not in sys.argv:
        target.write_text(text, encoding="utf-8")
    elif target.read_text(encoding="utf-8") != text:
        sys.exit("kernel_bytes.js is not what kernel.ts compiles to: run `make kernel`")
