// Taking things along: this view as a picture, the page as one file, its address.

import { h } from "../dom.js";
import { exportView } from "../export.js";
import { isFile, wholePage } from "../source.js";
import { toHash } from "../state.js";

export function exportMenu(page) {
  const note = h("p", { class: "menu-note", role: "status" });
  const menu = h(
    "details",
    { class: "menu", "data-test": "export-menu" },
    h("summary", { class: "button" }, "Share"),
    h(
      "div",
      { class: "menu-list" },
      item("Copy the link to this page", "copy-link", copyLink),
      item("This view as PNG", "export-png", () => picture("png")),
      item("This view as SVG", "export-svg", () => picture("svg")),
      !isFile && item("The whole page as one HTML file", "export-html", pageAsFile),
      note,
    ),
  );
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  function item(label, test, act) {
    const button = h("button", { type: "button", class: "menu-item", "data-test": test }, label);
    button.addEventListener("click", async () => {
      button.disabled = true;
      note.textContent = "";
      try {
        note.textContent = (await act()) ?? "";
      } catch (error) {
        menu.open = false;
        page.problem(error);
      } finally {
        button.disabled = false;
      }
    });
    return button;
  }

  async function copyLink() {
    const link = location.href.replace(/#.*$/, "") + toHash(withModel(page));
    try {
      await navigator.clipboard.writeText(link);
      return "The link is copied.";
    } catch {
      prompt("The link to this page:", link);
      return "";
    }
  }

  async function picture(kind) {
    const root = document.querySelector("#view .view");
    const blob = await exportView(root, kind);
    download(blob, `mini-bert-${page.state().view}.${kind}`);
    return "Saved.";
  }

  async function pageAsFile() {
    note.textContent = "Collecting the numbers of all forward views …";
    const state = page.state();
    const blob = await wholePage({ question: page.question(), state: { ...state, hash: toHash(state) } });
    download(blob, "mini-bert-explorer.html");
    return "Saved: it opens in any browser, without this program.";
  }

  return menu;
}

/** The state, and in it the model's name: who follows a link may have another default. A file has its one model. */
function withModel(page) {
  const state = page.state();
  return isFile ? state : { ...state, model: state.model || (page.model()?.name ?? "") };
}

function download(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
