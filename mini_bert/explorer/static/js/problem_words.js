// What went wrong, as sentences: the program says "the text is too long; shorten it" in two parts without stops.

/** An error in two sentences: what is wrong, and what to do (which may be empty). */
export function inSentences(error) {
  if (error?.what === undefined) {
    return { what: "Something went wrong in this page.", remedy: sentence(String(error?.message ?? error)) };
  }
  return { what: sentence(error.what), remedy: sentence(error.remedy ?? "") };
}

/** The same in one line. */
export function inOneLine(error) {
  const { what, remedy } = inSentences(error);
  return remedy ? `${what} ${remedy}` : what;
}

/** A plain first word gets a capital, but no name like encoder.layers.0; at the end stands a stop. */
export function sentence(text) {
  const told = text.trim().replace(/^[a-z]+(?=[ ,:]|$)/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
  return !told || /[.!?…]["”’)]?$/.test(told) ? told : `${told}.`;
}
