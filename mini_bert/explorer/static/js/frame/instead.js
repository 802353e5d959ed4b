// A calm note in the place of a view, where its question has no answer: no sentence yet, or one that is too long.

import { clear, h } from "../dom.js";
import { told } from "./problems.js";

const WRONG_QUESTION = [400, 413];

/** Whether an error says that this question cannot be answered, and not that something broke on the way. */
export const isRefusal = (error) => WRONG_QUESTION.includes(error?.status);

export function instead(host) {
  const note = h("section", { class: "panel instead", role: "status", hidden: true });
  host.append(note);
  let view = null;

  function show(test, ...content) {
    note.dataset.test = test;
    clear(note, content);
    note.hidden = false;
    view.classList.add("away");
  }

  function hide() {
    delete note.dataset.test;
    clear(note);
    note.hidden = true;
    view?.classList.remove("away");
  }

  return {
    /** Takes the place of another view from now on. */
    of(root) {
      view = root;
      hide();
    },
    refused: (error) => show("problem", told(error)),
    noText: () =>
      show(
        "no-text",
        h("p", {}, h("strong", {}, "There is no sentence yet.")),
        h("p", { class: "note" }, "Type one above, or take one of the examples below the box."),
      ),
    hide,
  };
}
