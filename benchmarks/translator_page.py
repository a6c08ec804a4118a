"""How fast the page's translator is: loading and translating in Chromium, beside PyTorch.

    python benchmarks/translator_page.py

Both translate the same sentences one at a time on one thread, in alternated rounds, and their
outputs are compared token for token. A ratio is taken within a round: the machine may be busy.
The same engine in Node is held against PyTorch by processor time, which other programs change less.
Where the site is built, also the time from opening its landing page, with nothing cached and then
once more, to the first word of the first translation.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from train_speed import Parser, positive

from transformer_course import data
from transformer_course.carried import translator
from transformer_course.commands import record
from transformer_course.data import pad
from transformer_course.decoding import beam_search, encode_sources, greedy
from transformer_course.pages import browser
from transformer_course.widgets import Translator
from transformer_course.widgets.sources import module
from transformer_course.widgets.translator import FILES, FOLDER, NAME

SCRIPT = Path(__file__).parents[1] / "tests" / "js" / "translate.js"
SEARCHES = {"greedy": 1, "beam of 4": 4}
PAGE = """<!doctype html><title>t</title><link rel="icon" href="data:,"><script type="module">
import { download } from "./download.js";
import { startEngine } from "./engine.js";
let hear;
const answer = (kind) => new Promise((resolve) => {
  hear = (said) => { if (said.kind === kind) resolve(said); };
});
window.load = async (files) => {
  const start = performance.now();
  const [tokenizer, weights] = await Promise.all(files.map((file) =>
    download(new URL(file.name, location.href).href, file, () => {})));
  const fetched = performance.now();
  window.engine = startEngine(await (await fetch("engine.js")).text(), (said) => hear(said));
  const ready = answer("ready");
  engine.send({ kind: "load", files: [tokenizer, weights] });
  await ready;
  return { fetch_ms: fetched - start, unpack_ms: performance.now() - fetched };
};
window.translate = async (sentences, beam) => {
  let frames = 0, longest = 0, last = performance.now(), going = true;
  const frame = (now) => {
    [longest, last, frames] = [Math.max(longest, now - last), now, frames + 1];
    if (going) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  const found = [];
  for (const text of sentences) {
    const done = answer("done");
    engine.send({ kind: "translate", text, beam, limit: 500 });
    const { ms, tokens, result } = await done;
    found.push({ ms, tokens, translation: result.translation });
  }
  going = false;
  return { found, frames, longest };
};
</script>"""


def write_site(folder: Path) -> None:
    """The engine of the widget, the files that it loads, and a page that runs it."""
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    (folder / "engine.js").write_text(module("translating.js"), encoding="utf-8")
    (folder / "download.js").write_text(module("download.js"), encoding="utf-8")
    for name in FILES.values():
        (folder / Path(name).name).write_bytes((FOLDER / name).read_bytes())


def in_pytorch(sentences: Sequence[str], beam: int) -> dict[str, Any]:
    """Translations, and seconds to make them one by one."""
    model, tokenizer = translator(NAME)
    sources = encode_sources(sentences, tokenizer, model.config.max_len)
    start, used = time.perf_counter(), time.process_time()
    found = [
        (greedy(model, pad([src])) if beam == 1 else beam_search(model, pad([src]), beam=beam))[0]
        for src in sources
    ]
    seconds, cpu = time.perf_counter() - start, time.process_time() - used
    translations = [tokenizer.decode(ids) for ids in found]
    return {"translations": translations, "seconds": seconds, "cpu": cpu}


def measure(page: Any, sentences: list[str], rounds: int) -> list[dict[str, Any]]:
    """Both engines in alternated rounds, after one that warms them up."""
    rows = []
    for name, beam in SEARCHES.items():
        page.evaluate("([texts, beam]) => translate(texts, beam)", [sentences[:5], beam])
        in_pytorch(sentences[:5], beam)
        taken: list[dict[str, float]] = []
        for _ in range(rounds):
            ours = page.evaluate("([texts, beam]) => translate(texts, beam)", [sentences, beam])
            torchs = in_pytorch(sentences, beam)
            tokens = sum(one["tokens"] for one in ours["found"])
            seconds = sum(one["ms"] for one in ours["found"]) / 1000
            taken.append(
                {
                    "tokens_per_second": tokens / seconds,
                    "pytorch_tokens_per_second": tokens / torchs["seconds"],
                    "times_pytorch": torchs["seconds"] / seconds,
                    "longest_frame_ms": ours["longest"],
                }
            )
        translations = [one["translation"] for one in ours["found"]]
        same = sum(a == b for a, b in zip(translations, torchs["translations"], strict=True))
        best = {key: round(statistics.median(one[key] for one in taken), 2) for key in taken[0]} | {
            "best_tokens_per_second": round(max(one["tokens_per_second"] for one in taken), 1)
        }
        rows.append({"search": name, "tokens": tokens, "same_outputs": same, **best})
        print(json.dumps(rows[-1]), flush=True)
    return rows


def in_node(sentences: list[str], rounds: int) -> list[dict[str, Any]]:
    """The engine in Node beside PyTorch, by processor time, in alternated rounds."""
    rows = []
    for name, beam in SEARCHES.items():
        ratios = []
        for _ in range(rounds):
            task = json.dumps({"folder": str(FOLDER), "sentences": sentences, "beam": beam})
            command = ["node", str(SCRIPT)]
            run = subprocess.run(command, input=task, capture_output=True, text=True, check=True)
            ours, torchs = json.loads(run.stdout), in_pytorch(sentences, beam)
            ratios.append(torchs["cpu"] / ours["cpu"])
        texts = [one["text"] for one in ours["found"]]
        same = sum(a == b for a, b in zip(texts, torchs["translations"], strict=True))
        ratio = round(statistics.median(ratios), 2)
        rows.append({"search": name, "same_outputs": same, "times_pytorch": ratio})
        print(json.dumps(rows[-1]), flush=True)
    return rows


FIRST_WORD = """() => new Promise((resolve) => {
  const widget = document.querySelector(".tc-translator");
  const lines = widget.querySelectorAll(".tc-line");
  widget.querySelector("textarea").value = "A cab is waiting for us.";
  widget.querySelector(".tc-go").click();
  new MutationObserver(() => {
    const word = lines[1].textContent;
    if (lines[0].textContent.includes("cab") && word) resolve({ ms: performance.now(), word });
  }).observe(widget, { childList: true, subtree: true, characterData: true });
})"""


def first_words(chromium: Any, rounds: int) -> dict[str, int]:
    """Milliseconds from opening the landing page to the first word; none where no site is built."""
    if not (browser.SITE / "book" / "index.html").exists():
        return {}
    taken: dict[str, list[float]] = {"first_word_ms": [], "first_word_warm_ms": []}
    with browser.serve() as address:
        for _ in range(rounds):
            with browser.open_page(chromium) as page:  # in a context of its own: nothing cached
                for found in taken.values():  # the second time the browser has all of it
                    page.goto(f"{address}/book/index.html", wait_until="commit")
                    page.wait_for_selector(".tc-translator .tc-word")
                    found.append(page.evaluate(FIRST_WORD)["ms"])
    return {name: round(statistics.median(found)) for name, found in taken.items()}


def build_parser() -> argparse.ArgumentParser:
    """The options."""
    parser = Parser(prog="translator_page.py", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.description = __doc__
    parser.add_argument("--sentences", type=positive, default=50, help="default: 50")
    parser.add_argument("--rounds", type=positive, default=5, help="default: 5")
    parser.add_argument("--out", type=Path, help="default: results/translator-page.json")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, write the result file."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    args = build_parser().parse_args(arguments)
    if args.out and not args.out.parent.is_dir():
        build_parser().error(f"--out {args.out}: there is no folder {args.out.parent}")
    torch.set_num_threads(1)
    pairs = data.load_pairs("multi30k:en-de", "test_2016_flickr")[: args.sentences]
    sentences = [source for source, _ in pairs]
    promised = list(Translator().files.values())
    with tempfile.TemporaryDirectory() as scratch:
        write_site(Path(scratch))
        with browser.serve(Path(scratch)) as address, browser.chromium() as chromium:
            loads = []
            for _ in range(args.rounds):
                with browser.open_page(chromium) as page:
                    page.goto(f"{address}/index.html")
                    loads.append(page.evaluate("files => load(files)", promised))
            with browser.open_page(chromium) as page:
                page.goto(f"{address}/index.html")
                page.evaluate("files => load(files)", promised)
                rows = measure(page, sentences, args.rounds)
            version = chromium.version
            first = first_words(chromium, args.rounds)
    load = {key: round(statistics.median(one[key] for one in loads), 1) for key in loads[0]}
    load |= first
    print(json.dumps(load))
    path = record.write(
        str(args.out.with_suffix("").resolve()) if args.out else "translator-page",
        "the page's translator in headless Chromium beside PyTorch in float32, one sentence at a "
        "time, medians of alternated rounds by the wall clock, and by processor time in Node; the "
        "machine was shared",
        [f"python benchmarks/translator_page.py {' '.join(arguments)}".strip()],
        chromium=version,
        sentences=len(sentences),
        rounds=args.rounds,
        bytes=sum(one["bytes"] for one in promised),
        load=load,
        searches=rows,
        processor_time=in_node(sentences, args.rounds),
        load_average=round(os.getloadavg()[0], 1),
    )
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(record.exits(main))
