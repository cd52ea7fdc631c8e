#!/usr/bin/env python3
"""prism_agreement.py PROGRAM MODEL.safetensors MODEL.onnx: do the engine and ONNX Runtime make the same cubes and expected
errors, for cameras of every kind? Every value must agree to 1e-4 of the largest."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

LIMIT = 1e-4

program, weights_file, graph = sys.argv[1:]
runner = pathlib.Path(__file__).with_name("onnx_run.js")


def placed(image, position, width):
    """An image at a position on a detector that is `width` wide; fractions are split between two pixels."""
    whole = int(np.floor(position))
    fraction = position - whole
    out = np.zeros((image.shape[0], width))
    out[:, whole:whole + image.shape[1]] += (1 - fraction) * image
    if fraction > 0:
        out[:, whole + 1:whole + 1 + image.shape[1]] += fraction * image
    return out


def scene(random, bands, height, width):
    """Smooth along the spectrum, with edges in the plane."""
    y, x = np.mgrid[0:height, 0:width]
    cube = np.zeros((bands, height, width))
    for _ in range(8):
        spectrum = np.exp(-((np.arange(bands) / max(bands - 1, 1) - random.rand()) / 0.3) ** 2)
        inside = np.hypot(y - height * random.rand(), x - width * random.rand()) < 0.4 * max(height, width) * random.rand()
        cube += spectrum[:, None, None] * inside * random.rand()
    return cube + 0.05


def check(what, size, positions, per_band=False, unit=1.0, saturated=False, binned=False, closed=False):
    random = np.random.RandomState(1)
    height, width = size
    positions = np.asarray(positions, float)
    positions = positions - positions.min()
    bands = len(positions)
    detector = width + int(np.ceil(positions.max()))
    masks = (random.rand(bands if per_band else 1, height, width) < 0.5) * (0.8 + 0.2 * random.rand(height, width))
    if closed:
        masks[:, height // 2] = 0
    x = scene(random, bands, height, width)
    y = unit * sum(placed(masks[b % len(masks)] * x[b], positions[b], detector) for b in range(bands))
    y += 0.01 * y.mean() * random.rand(*y.shape)
    frame, w = y.astype(np.float32), np.ones((1, 1))
    options = []
    if saturated or binned:
        frame = np.kron(frame, np.ones((2, 2), np.float32)) if binned else frame
        top = 2 * float(frame.max())  # values come out over this
        full = random.rand(*frame.shape) < 0.02
        full[3, :12] = True
        frame[full] = 1.1 * top
        options += ["--saturation", repr(top)]
        w = 1.0 - full
        y = y / top
        if binned:
            options += ["--binning", "2"]
            known = w.reshape(height, 2, detector, 2)
            w = known.mean((1, 3))

    with tempfile.TemporaryDirectory() as folder:
        def save(name, values):
            path = f"{folder}/{name}.npy"
            np.save(path, np.ascontiguousarray(values, np.float32))
            return path

        shot = save("shot", frame)
        mask = save("mask", masks.transpose(1, 2, 0) if per_band else masks[0])
        ours, ours_error, theirs, theirs_error = (f"{folder}/{name}.npy" for name in ("a", "b", "c", "d"))
        subprocess.run([program, "reconstruct", shot, "--mask", mask, "--model", weights_file, "-o", ours, "--type", "f32",
                        "--offsets", ",".join(f"{p:.9g}" for p in positions), "--expected-error", ours_error, "--quiet",
                        *options], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["node", runner, graph, f"measurement={save('measurement', y)}", f"masks={save('masks', masks)}",
                        f"positions={save('positions', positions)}", f"weights={save('weights', w)}", f"cube={theirs}",
                        f"expected_error={theirs_error}"], check=True)
        found = []
        for a, b in ((ours, theirs), (ours_error, theirs_error)):
            a, b = np.load(a), np.load(b)
            assert a.shape == b.shape, (a.shape, b.shape)
            assert np.isfinite(a).all() and np.isfinite(b).all()
            found += [np.abs(a - b).max() / np.abs(a).max()]
    print(f"{what}: largest difference {found[0]:.1e} of the cube's largest value, {found[1]:.1e} of the expected error's")
    return max(found) <= LIMIT


even = 2.0 * np.arange(28)
curve = 54 * (np.arange(28) / 27) ** 1.4
good = [
    check("28 bands, 2 pixels apart, 64x96", (64, 96), even),
    check("a mask for each band", (64, 96), even, per_band=True),
    check("no multiple of four, other units", (50, 71), even, unit=137),
    check("three pixels wide", (5, 3), even),
    check("from the right", (48, 64), even[::-1], saturated=True),
    check("missing pixels", (64, 96), even, saturated=True),
    check("pixels of which a part is known", (48, 64), curve, binned=True),
    check("a row that is closed", (48, 64), even, closed=True),
    check("fractions, as behind a prism", (64, 96), curve),
    check("fractions from the right, a mask for each band, missing pixels", (50, 71), curve[::-1], per_band=True,
          saturated=True),
    check("half pixels", (48, 64), np.arange(28) + 0.5 * (np.arange(28) % 2)),
    check("24 bands at step 3", (48, 64), 3 * np.arange(24)),
    check("28 bands along a curve of whole pixels", (48, 64), np.round(curve)),
    check("40 bands, fractions", (48, 64), 1.3 * np.arange(40)),
    check("two bands", (48, 64), [0, 7.25]),
    check("one band", (48, 64), [0]),
]
sys.exit(not all(good))
