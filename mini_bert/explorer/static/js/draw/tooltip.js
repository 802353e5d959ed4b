// One small note beside the pointer, shared by all drawings.

let note = null;

export function showTip(text, clientX, clientY) {
  if (!note) {
    note = document.createElement("div");
    note.className = "tooltip";
    note.setAttribute("aria-hidden", "true");
    document.body.append(note);
  }
  note.textContent = text;
  note.hidden = false;
  const { width, height } = note.getBoundingClientRect();
  const left = Math.min(Math.max(clientX + 14, 6), innerWidth - width - 6);
  const top = clientY + 18 + height > innerHeight ? clientY - height - 10 : clientY + 18;
  note.style.left = `${left}px`;
  note.style.top = `${Math.max(top, 6)}px`;
}

export function hideTip() {
  if (note) note.hidden = true;
}
