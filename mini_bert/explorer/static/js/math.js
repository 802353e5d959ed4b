// Formulas: MathML as the server sends it, let in element by element.

const NAMESPACE = "http://www.w3.org/1998/Math/MathML";
const ELEMENTS = new Set(
  ("math mrow mi mn mo ms mtext mspace msub msup msubsup munder mover munderover mfrac msqrt mroot mtable mtr mtd " +
    "mstyle mpadded mphantom mfenced menclose mmultiscripts mprescripts none semantics merror").split(" "),
);
const ATTRIBUTES = new Set(
  ("display mathvariant stretchy fence separator form lspace rspace minsize maxsize symmetric largeop movablelimits " +
    "accent accentunder columnalign rowalign columnspacing rowspacing linethickness width height depth displaystyle " +
    "scriptlevel class open close separators notation dir").split(" "),
);

/** The formula as an element; what is not MathML is left out. */
export function math(markup, { display = false } = {}) {
  const parsed = new DOMParser().parseFromString(markup ?? "", "text/html");
  const found = parsed.querySelector("math");
  const made = found ? copied(found) : document.createElementNS(NAMESPACE, "math");
  if (display) made.setAttribute("display", "block");
  return made;
}

function copied(node) {
  const element = document.createElementNS(NAMESPACE, node.localName);
  for (const { name, value } of node.attributes) {
    if (ATTRIBUTES.has(name)) element.setAttribute(name, value);
  }
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) element.append(child.data);
    else if (child.nodeType === Node.ELEMENT_NODE && ELEMENTS.has(child.localName)) element.append(copied(child));
  }
  return element;
}
