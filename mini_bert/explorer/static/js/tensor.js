// Arrays as they travel: a typed array with its shape.

/** `data` in row-major order; `shape` like [7, 192]; `dtype` f32, f16, f64, i32, i64 or u8. */
export class Tensor {
  constructor(data, shape, dtype = "f32") {
    this.data = data;
    this.shape = shape;
    this.dtype = dtype;
  }

  /** The number at these indices; the part of fewer indices than axes. */
  at(...indices) {
    let start = 0;
    let size = this.data.length;
    indices.forEach((index, axis) => {
      size /= this.shape[axis] || 1;
      start += index * size;
    });
    if (indices.length === this.shape.length) return this.data[start];
    return new Tensor(this.data.subarray(start, start + size), this.shape.slice(indices.length), this.dtype);
  }

  get size() {
    return this.data.length;
  }

  /** Nested lists. */
  toList() {
    if (this.shape.length === 0) return this.data[0];
    if (this.shape.length === 1) return Array.from(this.data);
    return Array.from({ length: this.shape[0] }, (_, i) => this.at(i).toList());
  }
}

/** A tensor from nested lists, for numbers that were made in the page. */
export function tensor(nested) {
  const shape = [];
  for (let level = nested; Array.isArray(level) || ArrayBuffer.isView(level); level = level[0])
    shape.push(level.length);
  return new Tensor(Float64Array.from(nested.flat(Infinity)), shape, "f64");
}

/** The answer in a container: 4 bytes header length, JSON, then the arrays. */
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return withArrays(header, buffer, 4 + length);
}

function withArrays(value, buffer, start) {
  if (Array.isArray(value)) return value.map((one) => withArrays(one, buffer, start));
  if (value === null || typeof value !== "object") return value;
  if (value.$array) return read(value.$array, buffer, start);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withArrays(one, buffer, start)]));
}

const KINDS = { f32: Float32Array, f64: Float64Array, i32: Int32Array, u8: Uint8Array, f16: Uint16Array };

function read({ dtype, shape, at }, buffer, start) {
  const kind = KINDS[dtype];
  if (!kind) throw new Error(`an array of unknown kind ${dtype}`);
  const size = shape.reduce((product, n) => product * n, 1);
  const from = start + at;
  const aligned = from % kind.BYTES_PER_ELEMENT === 0;
  const data = aligned
    ? new kind(buffer, from, size)
    : new kind(buffer.slice(from, from + size * kind.BYTES_PER_ELEMENT));
  return new Tensor(dtype === "f16" ? Float32Array.from(data, half) : data, shape, dtype);
}

/** The number that 16 bits stand for (IEEE 754 binary16). */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
