"""How fast a page answers: when it can be used, and what a frame of dragging a slider costs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from transformer_course.pages.browser import SITE, settle

HOST = SITE.parents[1] / "book" / "_static" / "course" / "widgets-host.js"
KIND = "application/vnd.jupyter.widget"
FRAMES = 40
FRAME_MS, INTERACTIVE_MS = 16, 500

# When the page is loaded, the widgets in sight stand and the main thread has a moment to spare.
WATCH = """(() => addEventListener("load", () => {
  const root = document.documentElement;
  const started = () => root.dataset.courseInSight
    || !document.querySelector('script[type="application/vnd.jupyter.widget-state+json"]');
  const done = () => requestIdleCallback(() => { window.courseInteractive = performance.now(); });
  if (started()) return done();
  new MutationObserver((_, self) => {
    if (!started()) return;
    self.disconnect();
    done();
  }).observe(root, { attributes: true });
}))()"""

# One new value a frame, up and down the slider. `handler`: the widget's own script. `work`: that,
# and style, layout and paint, since a message is read only after them. `frame`: to the next frame.
DRAG = """async (input, frames) => {
  const rows = [];
  let [at, way, before] = [0, 1, NaN];
  for (let n = 0; n < frames; n += 1) {
    rows.push(await new Promise((resolve) => requestAnimationFrame((time) => {
      const [min, max, step] = [input.min, input.max, input.step].map(Number);
      const places = Math.max(1, Math.round((max - min) / (step || 1)));
      const hop = Math.max(1, Math.floor(places / 20));
      if (at + way * hop > places || at + way * hop < 0) way = -way;
      at = Math.max(0, Math.min(places, at + way * hop));
      const start = performance.now();
      input.value = min + at * (step || 1);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      const handler = performance.now() - start;
      const frame = time - before;
      before = time;
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve({ handler, work: performance.now() - start, frame });
      };
      port2.postMessage(0);
    })));
  }
  return rows;
}"""


def main_thread(page: Page) -> Callable[[], float]:
    """A clock that runs while the page's main thread computes, whatever else the machine does."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def used() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(each["value"] for each in metrics if each["name"] == "TaskDuration")

    return used


def interactive(page: Page, url: str) -> tuple[float, float]:
    """Open `url`: milliseconds until it can be used, and what its main thread computed in them."""
    page.add_init_script(WATCH)
    used = main_thread(page)
    page.goto(url)
    page.wait_for_function("window.courseInteractive")
    return page.evaluate("window.courseInteractive"), used()


def share(numbers: Sequence[float], part: float) -> float:
    """The number that this part of all is no larger than, to a tenth."""
    return round(sorted(numbers)[min(len(numbers) - 1, int(part * len(numbers)))], 1)


def drag(page: Page, frames: int = FRAMES) -> list[dict[str, Any]]:
    """Drag every slider of every widget of an open page, its folds opened; a row each, in ms."""
    found, used = [], main_thread(page)
    for widget in page.locator(".course-widget").all():
        name = widget.locator("[aria-label]").first.get_attribute("aria-label")
        for fold in widget.locator("details").all():
            fold.evaluate("fold => fold.open = true")
        for slider in widget.locator("input[type=range]:visible").all():
            label = slider.evaluate(
                "input => input.getAttribute('aria-label') || input.labels[0]?.textContent || ''"
            )
            before = used()
            rows = slider.evaluate(DRAG, frames)
            computed = used() - before
            times = {key: [row[key] for row in rows if row[key] is not None] for key in rows[0]}
            found.append(
                {
                    "widget": name,
                    "slider": label,
                    "frames": frames,
                    "work_p50": share(times["work"], 0.5),
                    "work_p95": share(times["work"], 0.95),
                    "cpu_mean": round(computed / frames, 1),
                    "handler_p95": share(times["handler"], 0.95),
                    "frame_p95": share(times["frame"][1:], 0.95),
                }
            )
    return found


def bare_page(folder: Path, widget: Any) -> str:
    """A page with one widget and the site's own host, for those that no chapter shows yet."""
    model = {"model_module": "anywidget", "model_name": "AnyModel", "state": widget.get_state()}
    state = json.dumps({"state": {"0": model}}).replace("</", "<\\/")
    target = folder / f"{type(widget).__name__}.html"
    target.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><body style="max-width: 690px">'
        f'<div><script type="{KIND}-view+json">{{"model_id": "0"}}</script></div>'
        f'<script type="{KIND}-state+json">{state}</script>'
        f"<script>{HOST.read_text(encoding='utf-8')}</script></html>",
        encoding="utf-8",
    )
    return target.as_uri()


def drag_alone(page: Page, folder: Path, widget: Any, frames: int = FRAMES) -> list[dict[str, Any]]:
    """Drag the sliders of one widget as it starts, on a page of its own."""
    page.goto(bare_page(folder, widget))
    settle(page)
    return drag(page, frames)
