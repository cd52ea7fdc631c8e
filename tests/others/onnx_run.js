// node onnx_run.js MODEL.onnx SHOT.npy MASK.npy CUBE.npy: runs an exported network in ONNX Runtime, to be compared with
// what `snapcube reconstruct --model` makes of the same shot. The arrays are 32-bit floats as
// `snapcube convert` writes them. Needs `npm install --ignore-scripts onnxruntime-node@1.17`.
const fs = require('fs');
const ort = require('onnxruntime-node');

function read(path) {
  const file = fs.readFileSync(path);
  const length = file.readUInt16LE(8);
  const header = file.toString('latin1', 10, 10 + length);
  if (!header.includes("'<f4'") || header.includes('True')) throw new Error(`${path}: not 32-bit floats in C order`);
  const shape = header.match(/\(([^)]*)\)/)[1].split(',').filter((s) => s.trim()).map(Number);
  const data = new Float32Array(new Uint8Array(file.subarray(10 + length)).buffer);
  return new ort.Tensor('float32', data, shape);
}

/// [bands, height, width] to height × width × bands.
function write(path, tensor) {
  const [bands, height, width] = tensor.dims;
  const turned = new Float32Array(tensor.data.length);
  for (let b = 0; b < bands; ++b) {
    for (let p = 0; p < height * width; ++p) turned[p * bands + b] = tensor.data[b * height * width + p];
  }
  let header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${height}, ${width}, ${bands}), }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8]);
  fs.writeFileSync(path, Buffer.concat([start, Buffer.from(header), Buffer.from(turned.buffer)]));
}

(async () => {
  const [model, shot, mask, cube] = process.argv.slice(2);
  const session = await ort.InferenceSession.create(model);
  const inputs = {measurement: read(shot), mask: read(mask)};
  if (!session.inputNames.includes('mask')) delete inputs.mask;
  write(cube, (await session.run(inputs)).cube);
})();
