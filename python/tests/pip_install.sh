#!/usr/bin/env bash
# pip_install.sh PYTHON SOURCE_DIR BUILD_DIR: `pip install .` into a virtual environment without a network, from a build that is
# there; the module and the program then work without the build tree, and find their models.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" -m venv --system-site-packages "$work/venv"
export PIP_DISABLE_PIP_VERSION_CHECK=1 SNAPCUBE_BUILD_DIR=$3
unset PYTHONPATH SNAPCUBE_MODELS
"$work/venv/bin/pip" install --quiet --no-index --no-build-isolation "$2"
cd "$work"
venv/bin/python - "$work" <<'PYTHON'
import sys
import snapcube

assert snapcube.__file__.startswith(sys.argv[1]), snapcube.__file__
model = {m.name: m for m in snapcube.models()}["cst-s"]
assert model.path.startswith(sys.argv[1]), model.path
camera = snapcube.Camera(snapcube.random_mask(64, 64))
scene = snapcube.scene("chart", 64, 64)
cube = snapcube.reconstruct(snapcube.simulate(scene, camera), camera)
print(f"{snapcube.__version__}: {snapcube.metrics(cube, scene).psnr:.2f} dB with {model.path}")
PYTHON
timeout 60 venv/bin/snapcube models | grep -F "$work" # the program of the wheel finds them, too
if readelf -d venv/lib/python3*/site-packages/snapcube/_core*.so | grep -F "$3"; then exit 1; fi
venv/bin/pip uninstall --quiet --yes snapcube
if find venv -name '*snapcube*' | grep .; then exit 1; fi
