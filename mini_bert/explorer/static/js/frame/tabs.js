// The nine views as tabs: click, arrow keys, or the keys 1 to 9 anywhere outside a text box.

import { h } from "../dom.js";

export function tabs(host, views, page) {
  const ids = Object.keys(views);
  const buttons = ids.map((id, i) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        class: "tab",
        id: `tab-${id}`,
        "data-test": `tab-${id}`,
        "aria-controls": "view-panel",
        title: `${views[id].name} (key ${i + 1})`,
        onclick: () => page.set({ view: id }),
      },
      h("span", { class: "tab-number", "aria-hidden": "true" }, i + 1),
      views[id].name,
    ),
  );
  const list = h("div", { class: "tabs", role: "tablist" }, buttons);
  host.append(list);

  list.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement);
    const goal = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1 }[event.key];
    if (at < 0 || goal === undefined) return;
    event.preventDefault();
    choose((goal + ids.length) % ids.length);
    buttons[(goal + ids.length) % ids.length].focus();
  });

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable], dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return;
    choose(Number(event.key) - 1);
  });

  function choose(i) {
    page.set({ view: ids[i] });
  }

  let shown = null;
  function update(state) {
    const chosen = Object.hasOwn(views, state.view) ? state.view : ids[0];
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(ids[i] === chosen));
      button.tabIndex = ids[i] === chosen ? 0 : -1;
    });
    if (shown === chosen) return;
    shown = chosen;
    const button = buttons[ids.indexOf(chosen)];
    list.scrollTo({ left: button.offsetLeft - (list.clientWidth - button.clientWidth) / 2 });
  }

  return { update };
}
