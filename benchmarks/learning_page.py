"""How the page feels while a Transformer learns in it: frames a second, and memory over ten runs.

    python benchmarks/learning_page.py

The laboratory alone on a page in Chromium, its model learning in a worker. Frames are counted while
it learns and, for comparison, while it does not. What the page's own thread spends on a drawing is
counted in its processor time, which a busy machine changes little. Memory is that of the browser's
renderers, the worker included, after each run.
"""

import json
import os
import statistics
import tempfile
from pathlib import Path
from typing import Any

from transformer_course.commands import record
from transformer_course.pages import browser
from transformer_course.widgets import Laboratory

RUNS, STEPS, SECONDS = 10, 300, 5
FRAMES = """(seconds) => new Promise((resolve) => {
  const times = [];
  const frame = (now) => {
    times.push(now);
    if (now - times[0] < 1000 * seconds) requestAnimationFrame(frame);
    else resolve(times.slice(1).map((time, n) => time - times[n]));
  };
  requestAnimationFrame(frame);
})"""


COUNT = """() => {
  window.drawings = 0;
  new MutationObserver(() => { window.drawings += 1; })
    .observe(document.querySelector(".tc-right"), { childList: true });
}"""
PARTS = {
    "all": "TaskDuration",
    "script": "ScriptDuration",
    "style": "RecalcStyleDuration",
    "layout": "LayoutDuration",
}


def drawing(page: Any) -> dict[str, Any]:
    """Milliseconds of processor time of the page's thread for each drawing, while it learns."""
    chrome = page.context.new_cdp_session(page)
    chrome.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.evaluate(COUNT)

    def now() -> tuple[dict[str, float], int]:
        metrics = chrome.send("Performance.getMetrics")["metrics"]
        return {each["name"]: each["value"] for each in metrics}, page.evaluate("drawings")

    before, first = now()
    page.wait_for_timeout(1000 * SECONDS)
    after, last = now()
    chrome.detach()
    count = last - first
    return {
        "drawings": count,
        **{
            f"{part}_ms": round(1000 * (after[name] - before[name]) / count, 2)
            for part, name in PARTS.items()
        },
    }


def write_page(folder: Path) -> None:
    """The widget on a page of its own."""
    state = Laboratory(steps=3000).get_state()
    (folder / "widget.js").write_text(state["_esm"], encoding="utf-8")
    values = {name: value for name, value in state.items() if not name.startswith("_")}
    script = f"""
const values = {json.dumps(values)};
const source = await (await fetch("widget.js")).text();
const heard = {{}};
const model = {{
  get: (name) => (name === "_esm" ? source : values[name]),
  set: (name, value) => {{ values[name] = value; }},
  on: (name, run) => (heard[name] ??= []).push(run),
  off: () => {{}},
  save_changes: () => Object.values(heard).flat().forEach((run) => run()),
}};
const widget = (await import("./widget.js")).default;
widget.render({{ model, el: document.body }});
window.ready = true;
"""
    style = f"<style>{state.get('_css', '')}</style>"
    (folder / "index.html").write_text(
        f"<!doctype html><title>t</title><link rel='icon' href='data:,'>{style}"
        f"<body><script type='module'>{script}</script>",
        encoding="utf-8",
    )


def summary(gaps: list[float]) -> dict[str, float]:
    """Frames a second, and how long frames took, in milliseconds."""
    ordered = sorted(gaps)
    return {
        "frames_per_second": round(1000 * len(gaps) / sum(gaps), 1),
        "median_ms": round(statistics.median(gaps), 1),
        "percentile_99_ms": round(ordered[int(0.99 * (len(gaps) - 1))], 1),
        "longest_ms": round(ordered[-1], 1),
        "over_34_ms": sum(gap > 34 for gap in gaps),
        "frames": len(gaps),
    }


def renderers_mb() -> float:
    """Memory of this program's own renderer processes, as the system counts it."""
    parents, renderers = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = dict(
                line.split(":", 1) for line in (folder / "status").read_text().splitlines()
            )
            command = (folder / "cmdline").read_text()
        except OSError:  # it has ended meanwhile
            continue
        number = int(folder.name)
        parents[number] = int(status["PPid"])
        if "--type=renderer" in command:
            renderers[number] = int(status["VmRSS"].split()[0]) / 1024

    def ours(number: int) -> bool:
        while number > 1:
            number = parents.get(number, 0)
            if number == os.getpid():
                return True
        return False

    return round(sum(size for number, size in renderers.items() if ours(number)), 1)


def measure(page: Any) -> dict[str, Any]:
    """Frames with and without learning, then ten whole runs."""
    go = page.locator(".tc-go")
    idle = summary(page.evaluate(FRAMES, SECONDS))
    go.click()
    page.wait_for_timeout(1000)
    learning = summary(page.evaluate(FRAMES, SECONDS))
    drawn = drawing(page)
    done = page.locator(".tc-right").inner_text()
    go.click()
    page.locator("summary").click()
    page.get_by_label("Steps", exact=True).fill(str(STEPS))
    memory = []
    for _ in range(RUNS):
        go.click()
        page.locator(".tc-go", has_text="Again").wait_for(timeout=120_000)
        memory.append(renderers_mb())
    return {
        "frames_idle": idle,
        "frames_learning": learning,
        "drawing": drawn,
        "learned_meanwhile": done,
        "memory_mb": memory,
    }


def main() -> None:
    """Measure and write the result."""
    with tempfile.TemporaryDirectory() as scratch:
        write_page(Path(scratch))
        with browser.serve(Path(scratch)) as address, browser.chromium() as chromium:
            with browser.open_page(chromium) as page:
                problems = browser.listen(page)
                page.goto(f"{address}/index.html")
                page.wait_for_selector(".tc-laboratory")
                found = measure(page)
            version = chromium.version
    if problems:
        raise RuntimeError(f"the page had problems: {problems}")
    print(json.dumps(found))
    path = record.write(
        "learning-page",
        "the laboratory in headless Chromium: frames while it learns, and the memory in use after "
        f"each of {RUNS} runs of {STEPS} steps; the machine was shared",
        ["python benchmarks/learning_page.py"],
        chromium=version,
        load_average=round(os.getloadavg()[0], 1),
        **found,
    )
    print(path)


if __name__ == "__main__":
    record.no_options(__doc__)
    main()
