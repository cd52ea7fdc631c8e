// node onnx_run.js MODEL.onnx NAME=ARRAY.npy…: runs an exported network in ONNX Runtime, to be compared with what
// `snapcube reconstruct --model` makes of the same shot. A NAME that is an input of the network is read (one that it
// does not have is passed over), one that is an output is written. The arrays are 32-bit floats as `snapcube convert`
// writes them, cubes height × width × bands. Needs `npm install --ignore-scripts onnxruntime-node@1.17`.
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

/// [bands, height, width] to height × width × bands; images as they are.
function write(path, tensor) {
  let [height, width] = tensor.dims;
  let data = tensor.data;
  let shape = `${height}, ${width}`;
  if (tensor.dims.length === 3) {
    let bands;
    [bands, height, width] = tensor.dims;
    data = new Float32Array(tensor.data.length);
    for (let b = 0; b < bands; ++b) {
      for (let p = 0; p < height * width; ++p) data[p * bands + b] = tensor.data[b * height * width + p];
    }
    shape = `${height}, ${width}, ${bands}`;
  }
  let header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape}), }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8]);
  fs.writeFileSync(path, Buffer.concat([start, Buffer.from(header), Buffer.from(data.buffer)]));
}

(async () => {
  const [model, ...files] = process.argv.slice(2);
  const session = await ort.InferenceSession.create(model);
  const inputs = {};
  const outputs = {};
  for (const file of files) {
    const [name, path] = file.split('=', 2);
    if (session.inputNames.includes(name)) inputs[name] = read(path);
    if (session.outputNames.includes(name)) outputs[name] = path;
  }
  const results = await session.run(inputs);
  for (const name of Object.keys(outputs)) write(outputs[name], results[name]);
})();
