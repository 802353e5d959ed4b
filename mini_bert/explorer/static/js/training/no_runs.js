// What stands in the place of a run where there is none.

import { h } from "../dom.js";

export const notSaved = () => [
  h("h2", {}, "This run is not in this file"),
  h(
    "p",
    { class: "note" },
    "A saved page holds what belongs to its sentence. Runs are shown where mini-bert explore runs.",
  ),
];

export function nothing() {
  return [
    h("h2", {}, "No run here yet"),
    h(
      "p",
      {},
      "A run is what training leaves: curves, and the model at several moments. Begin a small one in a " +
        "terminal, and it appears here while it learns:",
    ),
    h("p", {}, h("code", {}, "mini-bert demo")),
    h(
      "p",
      { class: "note" },
      "It takes two minutes. Runs in the folder ./runs of where the explorer was started are listed here, too, " +
        "and the run of the model that is shown.",
    ),
  ];
}
