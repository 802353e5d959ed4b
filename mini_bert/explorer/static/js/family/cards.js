// The members of the family by year, each with what it changed.

import { clear, h, large } from "../dom.js";

/** `onPick(card)` when one is chosen. */
export function cardRow(host, { onPick }) {
  const element = h("div", { class: "family-years" });
  host.append(element);
  return {
    element,
    update(members, chosen) {
      const years = [...new Set(members.map((one) => one.year))];
      const named = new Map(members.map((one) => [one.name, one]));
      clear(
        element,
        years.map((year) =>
          h(
            "section",
            { class: "family-year" },
            h("h3", {}, year ?? "Here"),
            h(
              "div",
              { class: "family-cards" },
              members.filter((one) => one.year === year).map((one) => card(one, named, one.name === chosen, onPick)),
            ),
          ),
        ),
      );
    },
  };
}

function card(one, named, isChosen, onPick) {
  return h(
    "button",
    {
      type: "button",
      class: "family-card",
      "aria-pressed": String(isChosen),
      "data-test": "member",
      "data-member": one.name,
      onclick: () => onPick(one),
    },
    h("strong", {}, titled(one.name)),
    h(
      "small",
      { class: "note" },
      one.parent ? `from ${titled(named.get(one.parent)?.name ?? one.parent)} · ` : "",
      large(one.parameters),
      one.parent ? null : " weights",
    ),
    h("span", { class: "family-changed" }, plain(one.changed)),
    one.here.length > 0 && h("small", { class: "family-here" }, `trained here: ${one.here.join(", ")}`),
  );
}

const NAMES = {
  mini: "Mini-BERT",
  "mini-best": "Mini-BERT, best recipe",
  modern: "Mini-BERT, modern parts",
  bert: "BERT",
  roberta: "RoBERTa",
  distilbert: "DistilBERT",
  "transformer-xl": "Transformer-XL",
  gpt2: "GPT-2",
  xlnet: "XLNet",
  albert: "ALBERT",
  electra: "ELECTRA",
  deberta: "DeBERTa",
  "deberta-v2": "DeBERTa v2, v3",
};
export const titled = (name) => NAMES[name] ?? name;

/** Without the paper's name at the front: the year stands above. */
const plain = (text) => {
  const rest = text.replace(/^[^:]*\b(19|20)\d\d[^:]*:\s*/, "");
  return rest.charAt(0).toUpperCase() + rest.slice(1);
};
