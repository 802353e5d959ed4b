// Numbers as coloured cells, with labels, a legend, and one cell that mouse or arrow keys choose.

import { clear, h, num } from "../dom.js";
import { sized } from "./canvas.js";
import { onTheme, rgb, theme } from "./colours.js";
import { cellSizes, drawColumnLabels, drawRowLabels, prepared } from "./heatmap_layout.js";
import { hideTip, showTip } from "./tooltip.js";

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** See the options in `Heatmap.update`. */
export function heatmap(host, options) {
  return new Heatmap(host, options);
}

class Heatmap {
  constructor(host, options) {
    this.corner = h("div");
    this.top = h("canvas", { "aria-hidden": "true" });
    this.left = h("canvas", { class: "heatmap-rows", "aria-hidden": "true" });
    this.main = h("canvas", { "aria-hidden": "true" });
    this.grid = h("div", { class: "heatmap-grid" }, this.corner, this.top, this.left, this.main);
    this.scroller = h(
      "div",
      { class: "heatmap-scroll", tabindex: "0", role: "application", "aria-roledescription": "heat map" },
      this.grid,
    );
    this.readout = h("output", { class: "heatmap-readout", "data-test": "heatmap-value", "aria-live": "polite" });
    this.legend = h("div", { class: "heatmap-legend", "aria-hidden": "true" });
    this.element = h(
      "figure",
      { class: "heatmap", "data-test": "heatmap" },
      this.scroller,
      h("figcaption", {}, this.legend, this.readout),
    );
    host.append(this.element);
    this.main.addEventListener("pointermove", (event) => this.hover(event));
    this.main.addEventListener("pointerleave", () => this.leave());
    this.main.addEventListener("click", (event) => this.choose(...this.cellAt(event)));
    this.scroller.addEventListener("keydown", (event) => this.key(event));
    this.stop = onTheme(() => (this.element.isConnected ? this.draw() : this.stop()));
    this.watcher = new ResizeObserver(() => this.resized());
    this.watcher.observe(this.element);
    this.cursor = null;
    this.options = {};
    this.update(options);
  }

  /**
   * options: tensor (2-D), or values (flat or nested) with rows and cols; scale "signed" | "positive" | "unit";
   * rowLabels, colLabels; rowTitle, colTitle (what rows and columns are); label (for screen readers);
   * pick [row, column]; onPick(row, column, value); cell (pixels, or [width, height]); most (value of the last colour);
   * format(value); readout: false leaves the line with legend and value out.
   */
  update(options) {
    this.options = { ...this.options, ...options };
    const { tensor, values, rows, cols, scale = "signed", label = "Heat map", pick } = this.options;
    Object.assign(this, prepared(tensor, values, rows, cols));
    this.scale = scale;
    this.most = this.options.most ?? largest(this.values, scale);
    this.cursor = pick ? [...pick] : inside(this.cursor, this.rows, this.cols);
    this.scroller.setAttribute(
      "aria-label",
      `${label}, ${this.rows} rows by ${this.cols} columns. Arrow keys move, Enter chooses a cell.`,
    );
    this.element.lastChild.hidden = this.options.readout === false;
    this.paint();
    this.draw();
    this.tell(this.cursor);
  }

  /** The cells, one pixel each; drawn larger afterwards. */
  paint() {
    this.painted = theme();
    const pixels = new ImageData(Math.max(this.cols, 1), Math.max(this.rows, 1));
    const table = this.scale === "signed" ? "signed" : "positive";
    const { values, most } = this;
    for (let i = 0; i < this.rows * this.cols; i += 1) {
      const share = most > 0 ? values[i] / most : 0;
      const known = values[i] !== null && Number.isFinite(values[i]);
      const colour = known ? rgb(table, table === "signed" ? (share + 1) / 2 : share, this.painted) : [128, 128, 128];
      pixels.data.set(colour, 4 * i);
      pixels.data[4 * i + 3] = known ? 255 : 90;
    }
    this.source = document.createElement("canvas");
    this.source.width = pixels.width;
    this.source.height = pixels.height;
    this.source.getContext("2d").putImageData(pixels, 0, 0);
  }

  draw() {
    if (this.painted !== theme()) this.paint();
    this.width = this.element.clientWidth;
    const ink = getComputedStyle(this.element);
    const left = drawRowLabels(this, ink);
    this.size = cellSizes(this, this.width - left - 2);
    drawRowLabels(this, ink);
    drawColumnLabels(this, ink);
    this.drawCells(ink);
    this.drawLegend();
  }

  drawCells(ink) {
    const [wide, high] = this.size;
    const context = sized(this.main, this.cols * wide, this.rows * high);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.source, 0, 0, this.cols * wide, this.rows * high);
    if (wide >= 12 && high >= 12) {
      context.fillStyle = ink.getPropertyValue("--panel");
      for (let c = 1; c < this.cols; c += 1) context.fillRect(c * wide - 0.5, 0, 1, this.rows * high);
      for (let r = 1; r < this.rows; r += 1) context.fillRect(0, r * high - 0.5, this.cols * wide, 1);
    }
    const { pick } = this.options;
    const paper = ink.getPropertyValue("--panel");
    if (pick) this.outline(context, pick, paper, ink.getPropertyValue("--accent"), 2.5);
    if (this.cursor && String(this.cursor) !== String(pick)) {
      this.outline(context, this.cursor, paper, ink.getPropertyValue("--ink"), 1.5);
    }
  }

  /** A frame around a cell, within a lighter one: it is seen on every colour. */
  outline(context, [row, column], paper, colour, thick) {
    const [wide, high] = this.size;
    const more = Math.max(0, 4 - Math.min(wide, high) / 2);
    const frame = (width, beyond) => {
      context.lineWidth = width;
      context.strokeRect(column * wide - beyond, row * high - beyond, wide + 2 * beyond, high + 2 * beyond);
    };
    context.strokeStyle = paper;
    frame(thick + 2, more);
    context.strokeStyle = colour;
    frame(thick, more);
  }

  drawLegend() {
    const table = this.scale === "signed" ? "signed" : "positive";
    const stops = Array.from({ length: 13 }, (_, i) => `rgb(${rgb(table, i / 12).join(" ")})`);
    const ends = this.scale === "signed" ? [-this.most, 0, this.most] : [0, this.most];
    clear(
      this.legend,
      h("span", { class: "heatmap-colours", style: { background: `linear-gradient(to right, ${stops.join(",")})` } }),
      h("span", { class: "heatmap-ends" }, ends.map((one) => h("span", {}, num(one, 2)))),
    );
  }

  resized() {
    if (Math.abs(this.element.clientWidth - this.width) > 4) this.draw();
  }

  cellAt(event) {
    const box = this.main.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * this.rows);
    const column = Math.floor(((event.clientX - box.left) / box.width) * this.cols);
    return [clamp(row, this.rows), clamp(column, this.cols)];
  }

  hover(event) {
    const cell = this.cellAt(event);
    showTip(this.named(cell), event.clientX, event.clientY);
    this.tell(cell);
  }

  leave() {
    hideTip();
    this.tell(this.cursor);
  }

  choose(row, column) {
    this.cursor = [row, column];
    this.drawCells(getComputedStyle(this.element));
    this.tell(this.cursor);
    this.options.onPick?.(row, column, this.values[row * this.cols + column]);
  }

  key(event) {
    if (event.key in MOVES) {
      const [down, right] = MOVES[event.key];
      const [row, column] = this.cursor ?? [0, 0];
      const step = event.shiftKey ? 10 : 1;
      this.cursor = this.cursor
        ? [clamp(row + down * step, this.rows), clamp(column + right * step, this.cols)]
        : [0, 0];
      this.drawCells(getComputedStyle(this.element));
      this.intoSight();
      this.tell(this.cursor);
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor) {
      this.choose(...this.cursor);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  intoSight() {
    const [wide, high] = this.size;
    const [row, column] = this.cursor;
    const box = this.scroller;
    const [x, y] = [column * wide, row * high];
    const [roomX, roomY] = [box.clientWidth - this.left.clientWidth, box.clientHeight - this.top.clientHeight];
    if (x < box.scrollLeft) box.scrollLeft = x;
    else if (x + wide > box.scrollLeft + roomX) box.scrollLeft = x + wide - roomX;
    if (y < box.scrollTop) box.scrollTop = y;
    else if (y + high > box.scrollTop + roomY) box.scrollTop = y + high - roomY;
  }

  named([row, column]) {
    const { rowLabels, colLabels, rowTitle = "row", colTitle = "column", format } = this.options;
    const value = this.values[row * this.cols + column];
    const told = format ? format(value, row, column) : num(value, 4);
    const at = (labels, title, i) => (labels?.[i] !== undefined ? String(labels[i]) : `${title} ${i}`);
    return `${at(rowLabels, rowTitle, row)} · ${at(colLabels, colTitle, column)}: ${told}`;
  }

  tell(cell) {
    this.readout.textContent = cell && this.rows && this.cols ? this.named(cell) : "";
    const value = cell ? this.values[cell[0] * this.cols + cell[1]] : "";
    this.readout.dataset.value = value;
    this.readout.dataset.cell = cell ? cell.join(",") : "";
  }

  destroy() {
    this.stop();
    this.watcher.disconnect();
    this.element.remove();
  }
}

const clamp = (i, n) => Math.min(Math.max(i, 0), n - 1);
const inside = (cell, rows, cols) => (cell && cell[0] < rows && cell[1] < cols ? cell : null);

function largest(values, scale) {
  if (scale === "unit") return 1;
  let most = 0;
  for (const value of values) if (Number.isFinite(value)) most = Math.max(most, Math.abs(value));
  return most;
}
