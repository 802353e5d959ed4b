// The numbers that a saved page holds: tables of arrays, as the answer "tensor" cuts them.

/** A number that was not saved. */
export class NotSaved extends Error {}

export class Numbers {
  /** `load(name, of, head)` gives the table of an array, null if there is none; `names` what arrays are called. */
  constructor(load, names) {
    this.load = load;
    this.names = names;
  }

  async table(name, of, head = 0) {
    const table = await this.load(name, of, head);
    if (!table) throw new NotSaved(name);
    return table;
  }

  /** The shape of an array. */
  async shape(name, of = "value") {
    return (await this.table(name, of)).shape;
  }

  /** A factor: the numbers at some places, an index in which some axes may be lists. */
  async at(name, of, places, text = "") {
    const first = await this.table(name, of);
    const head = headOf(first, places);
    const table = head ? await this.table(name, of, head) : first;
    const count = Math.max(1, ...places.map((axis) => (Array.isArray(axis) ? axis.length : 1)));
    const read = reader(table, name);
    const values = Array.from({ length: count }, (_, k) =>
      read(places.map((axis) => (Array.isArray(axis) ? axis[k] : axis))),
    );
    return { values, text, name, of, called: this.names[of][name]?.called ?? name, places };
  }

  value = (name, places, text) => this.at(name, "value", places, text);
  weight = (name, places, text) => this.at(name, "weight", places, text);
}

/** Which head of an array is meant, 0 if it has none to choose. */
function headOf(table, places) {
  const axis = table.axes.findIndex(
    ({ kind }, i) => kind === "head" && i !== table.rows.axis && i !== table.columns.axis,
  );
  return axis < 0 ? 0 : places[axis];
}

/** A function from an index to the number there. */
function reader(table, name) {
  const row = finder(table.rows);
  const column = finder(table.columns);
  return (index) => {
    const [r, c] = [row(index), column(index)];
    if (r === undefined || c === undefined) throw new NotSaved(name);
    return table.values.at(r, c);
  };
}

function finder({ axis, index }) {
  if (axis < 0) return () => 0;
  const places = new Map(index.map((one, k) => [one, k]));
  return (whole) => places.get(whole[axis]);
}
