// Canvases in CSS pixels.

/** A canvas of so many CSS pixels, sharp on every screen. */
export function sized(canvas, width, height) {
  const ratio = Math.min(devicePixelRatio || 1, 3);
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  return context;
}
