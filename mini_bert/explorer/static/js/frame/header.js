// The slim bar on top: name, model, theme, export, link.

import { clear, h } from "../dom.js";
import { isFile } from "../source.js";
import { exportMenu } from "./export_menu.js";
import { takeModel } from "./places.js";
import { nextTheme, themeChoice, TOLD } from "./theme.js";

const KEYS = [
  ["1 … 9", "the views"],
  ["← →", "from piece to piece, from tab to tab, from cell to cell"],
  ["m", "hide or show the piece in focus"],
  ["/", "to the sentence"],
  ["Enter", "choose the cell or word in focus"],
];

export function header(host, page) {
  const picker = h("select", {
    id: "model-picker",
    "data-test": "model-picker",
    onchange: () => takeModel(page, picker.value),
  });
  const theme = h("button", { type: "button", class: "button quiet", "data-test": "theme", onclick: switchTheme });
  const help = h(
    "dialog",
    { class: "help", "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h(
      "dl",
      {},
      KEYS.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]),
    ),
    h("form", { method: "dialog" }, h("button", { class: "button" }, "Close")),
  );
  host.append(
    h(
      "a",
      { class: "brand", href: "#", title: "Begin anew" },
      h("span", { class: "brand-mark", "aria-hidden": "true" }),
      "Mini-BERT",
      h("span", { class: "brand-more" }, " explorer"),
    ),
    h("label", { class: "model-picker", for: "model-picker" }, h("span", {}, "Model"), picker),
    h(
      "div",
      { class: "header-tools" },
      theme,
      h(
        "button",
        { type: "button", class: "button quiet", title: "Keys", "aria-label": "Keys", onclick: openHelp },
        "?",
      ),
      exportMenu(page),
    ),
    help,
  );
  document.addEventListener("keydown", (event) => {
    if (event.key === "?" && !event.target.closest?.("input, textarea, select, dialog")) openHelp();
  });

  function openHelp() {
    help.showModal();
  }

  function switchTheme() {
    nextTheme();
    showTheme();
  }

  function showTheme() {
    const told = `Colours: ${TOLD[themeChoice()]}`;
    clear(theme, { auto: "◐", light: "☀", dark: "☾" }[themeChoice()]);
    theme.title = `${told}. Click to change.`;
    theme.setAttribute("aria-label", told);
  }

  let listed = "";
  function update(state) {
    showTheme();
    const options = page
      .models()
      .filter((one) => one.trained !== false || one.name === state.model)
      .map((one) => [one.default ? "" : one.name, one.name]);
    if (options.length && !page.model()) options.push([state.model, `${state.model} (not here)`]);
    const key = JSON.stringify(options);
    if (key !== listed) {
      listed = key;
      clear(
        picker,
        options.map(([value, told]) => h("option", { value }, told)),
      );
      picker.disabled = isFile || options.length < 2;
    }
    picker.value = page.model()?.default ? "" : state.model;
  }

  return { update };
}
