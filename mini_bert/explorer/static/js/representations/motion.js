// Going through the layers: where the words stand between two of them, and the way there in time.

import { fitted } from "../draw/scatter.js";

const DURATION = 450; // milliseconds from one layer to the next

/** The arrangement at a place between layers: `points` (L + 1, W, 2); 1.5 is half way between 1 and 2. */
export function between(points, position) {
  const low = Math.min(Math.floor(position), points.shape[0] - 1);
  const high = Math.min(low + 1, points.shape[0] - 1);
  const share = position - low;
  return (size) => {
    const from = fitted(listed(points.at(low)), size);
    if (share === 0) return from;
    const to = fitted(listed(points.at(high)), size);
    return from.map(([x, y], i) => [x + share * (to[i][0] - x), y + share * (to[i][1] - y)]);
  };
}

/** Where one word stands in each layer. */
export function pathOf(points, word) {
  return Array.from({ length: points.shape[0] }, (_, layer) => (size) => between(points, layer)(size)[word]);
}

function listed(layer) {
  return Array.from({ length: layer.shape[0] }, (_, i) => [layer.at(i, 0), layer.at(i, 1)]);
}

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Moves a number to others, smoothly unless the reader wants no motion; `draw(position)` at each step. */
export function mover(draw) {
  let position = 0;
  let frame = 0;

  function jump(to) {
    cancelAnimationFrame(frame);
    position = to;
    draw(position);
  }

  function go(to) {
    if (isStill()) return jump(to);
    cancelAnimationFrame(frame);
    const [from, began] = [position, performance.now()];
    const step = (now) => {
      const passed = Math.min(
        Math.max((now - began) / (DURATION * Math.max(Math.sqrt(Math.abs(to - from)), 0.3)), 0),
        1,
      );
      position = passed === 1 ? to : from + (to - from) * (passed * passed * (3 - 2 * passed));
      draw(position);
      if (passed < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  }

  return { jump, go, stop: () => cancelAnimationFrame(frame), at: () => position };
}
