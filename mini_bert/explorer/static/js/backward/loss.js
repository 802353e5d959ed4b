// The loss in large letters, with the sum that it is.

import { clear, h, num, percent } from "../dom.js";

export function drawLoss(host, { loss, asked }) {
  const one = asked[0];
  const several = asked.length > 1;
  clear(
    host,
    h(
      "p",
      { class: "loss-sum" },
      "loss = ",
      several
        ? `mean of −ln p over ${asked.length} places`
        : ["−ln p(", h("b", {}, one.answer.word), ") = −ln ", h("span", { class: "number" }, num(one.probability, 4))],
      " = ",
      h("b", { class: "loss-value number", "data-test": "loss", "data-value": loss }, num(loss, 4)),
    ),
    !several &&
      h(
        "p",
        { class: "note" },
        `The model gives “${one.answer.word}” ${percent(one.probability)}`,
        one.rank === 0 ? ": its first choice." : `, its choice number ${(one.rank + 1).toLocaleString("en-GB")}.`,
        " If it were sure, the loss would be 0.",
      ),
  );
}
