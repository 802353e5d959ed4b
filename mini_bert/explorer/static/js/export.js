// A view as a picture: everything that is seen in it, drawn once more as SVG; PNG is made from that.

import { composed } from "./export/compose.js";

const SHARPNESS = 2; // pixels of a PNG for each CSS pixel
const MOST_PIXELS = 120e6; // what browsers still give a canvas

/** A Blob: "svg" or "png". */
export async function exportView(root, kind) {
  const { markup, width, height } = composed(root);
  const picture = new Blob([markup], { type: "image/svg+xml" });
  return kind === "svg" ? picture : asPNG(picture, width, height);
}

async function asPNG(picture, width, height) {
  const scale = Math.min(SHARPNESS, Math.sqrt(MOST_PIXELS / (width * height)));
  const url = URL.createObjectURL(picture);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))), "image/png");
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
