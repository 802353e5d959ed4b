// Light or dark: as the system says, or as chosen here and remembered.

const KEY = "mini-bert-theme";
const ORDER = ["auto", "light", "dark"];

export const TOLD = { auto: "as the system", light: "light", dark: "dark" };

function remembered() {
  try {
    const found = localStorage.getItem(KEY);
    return ORDER.includes(found) ? found : "auto";
  } catch {
    return "auto"; // no storage in a private window or a file
  }
}

let chosen = remembered();
apply();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", announce);

export function themeChoice() {
  return chosen;
}

export function nextTheme() {
  chosen = ORDER[(ORDER.indexOf(chosen) + 1) % ORDER.length];
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // the choice then holds for this page alone
  }
  apply();
  announce();
  return chosen;
}

function apply() {
  if (chosen === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

function announce() {
  document.dispatchEvent(new CustomEvent("themechange"));
}
