// The lines in which a browser has set a text: their words, places and baselines.

const measure = document.createElement("canvas").getContext("2d");

/** [{text, left, width, baseline}] of a text node, in places of the window. */
export function linesOf(node, style) {
  if (!node.data.trim()) return [];
  measure.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = measure.measureText("x");
  const range = document.createRange();
  const lines = [];
  for (const found of node.data.matchAll(/\S+/g)) {
    for (const [start, end] of wholeOrLetters(node, range, found.index, found.index + found[0].length)) {
      range.setStart(node, start);
      range.setEnd(node, end);
      const box = range.getBoundingClientRect();
      if (!box.width) continue;
      add(lines, shownText(node.data.slice(start, end), style), box, (up - down) / 2);
    }
  }
  return lines;
}

/** A word that was broken over lines is taken letter by letter. */
function wholeOrLetters(node, range, start, end) {
  range.setStart(node, start);
  range.setEnd(node, end);
  if (range.getClientRects().length <= 1) return [[start, end]];
  return Array.from({ length: end - start }, (_, i) => [start + i, start + i + 1]);
}

function add(lines, text, box, lift) {
  const baseline = (box.top + box.bottom) / 2 + lift;
  const last = lines.at(-1);
  if (last && Math.abs(last.baseline - baseline) < 2 && box.left >= last.left) {
    const gap = box.left - (last.left + last.width);
    last.text += (gap > 1 ? " " : "") + text;
    last.width = box.right - last.left;
  } else lines.push({ text, left: box.left, width: box.width, baseline });
}

function shownText(text, style) {
  if (style.textTransform === "uppercase") return text.toUpperCase();
  return style.textTransform === "lowercase" ? text.toLowerCase() : text;
}
