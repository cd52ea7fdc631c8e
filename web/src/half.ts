// 16-bit floats (IEEE binary16), as the tiles hold them.

/** All 65536 values, by their bits. */
export const halfValues: Float32Array = (() => {
  const values = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits++) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    if (exponent === 0) values[bits] = sign * fraction * 2 ** -24;
    else if (exponent === 31) values[bits] = fraction ? NaN : sign * Infinity;
    else values[bits] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  return values;
})();
