#!/usr/bin/env bash
# run.sh PROGRAM MAKE_MODEL FOLDER: what programs of others make of our files. Safetensors are read by a package of npm, ONNX
# files are checked by Debian's checker and run by ONNX Runtime, beside the engine. FOLDER keeps npm's packages.
# `./dev check others` installs what is needed and calls this.
set -euo pipefail
(($# == 3)) || { echo "usage: tests/others/run.sh PROGRAM MAKE_MODEL FOLDER" >&2; exit 2; }
program=$(realpath "$1")
make_model=$(realpath "$2")
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$3"
cd "$3"

packages=(onnxruntime-node@1.17.3 @jax-js/loaders@0.1.1)
if [[ $(cat installed 2>/dev/null) != "${packages[*]}" ]]; then
  echo '{"private": true}' >package.json
  npm install --ignore-scripts --silent --no-audit --no-fund "${packages[@]}"
  echo "${packages[*]}" >installed
fi
export NODE_PATH=$PWD/node_modules
snapcube() { "$program" "$@" --quiet; }

snapcube convert "$tests/data/models/zip_plain.pth" plain.safetensors
node "$tests/others/safetensors.mjs" plain.safetensors

for variant in cst-m cst-l cst-l-star cst-s; do
  "$make_model" model.safetensors 28 $variant golden
  snapcube export model.safetensors model.onnx
  /usr/bin/python3 "$tests/others/onnx_check.py" model.onnx
  # Two usable as they are; reflected on both sides; so small that a frame is enlarged for screening.
  for size in 128x128 128x192 100x150 64x64; do
    snapcube simulate --scene still-life --size $size --random-mask binary -o shot.npy --save-mask mask.npy --type f32
    /usr/bin/python3 "$tests/others/agreement.py" "$variant, $size" "$program" model.safetensors model.onnx shot.npy mask.npy
  done
done

for variant in prism-s prism-m; do
  "$make_model" model.safetensors 28 $variant
  snapcube export model.safetensors model.onnx
  /usr/bin/python3 "$tests/others/onnx_check.py" model.onnx
  echo "$variant:"
  /usr/bin/python3 "$tests/others/prism_agreement.py" "$program" model.safetensors model.onnx
done
