"""What the tests of several widgets ask of a chart."""

from playwright.sync_api import Locator

STRUCK = """chart => {
  const frame = chart.viewBox.baseVal;
  const boxes = [...chart.querySelectorAll(".tc-axis text, .tc-marks text")]
    .filter((text) => text.textContent && !text.hasAttribute("transform"))
    .map((text) => [text.textContent, text.getBBox(), text.closest(".tc-marks")]);
  const lines = [...chart.querySelectorAll(".tc-lines polyline")].flatMap((line) =>
    Array.from({length: 500}, (_, n) => line.getPointAtLength(n / 499 * line.getTotalLength())));
  return boxes.filter(([_, box, mark]) =>
    box.x < -0.5 || box.x + box.width > frame.width + 0.5
    || box.y < -0.5 || box.y + box.height > frame.height + 0.5
    || mark && lines.some(({x, y}) => x > box.x && x < box.x + box.width
        && y > box.y + 3 && y < box.y + box.height - 3)).map(([text]) => text);
}"""


def struck_words(widget: Locator) -> list[str]:
    """The words of its chart that are cut at an edge, or that a line runs through."""
    return widget.locator("svg.tc-chart").evaluate(STRUCK)
