#!/usr/bin/env python3
"""agreement.py WHAT PROGRAM MODEL.safetensors MODEL.onnx SHOT.npy MASK.npy: do the engine and ONNX Runtime make the same cube?

Windows and buckets are chosen by comparing numbers. A choice that hangs on the last bits turns out either way, in either of
them, and for a measurement that differs by a millionth perhaps otherwise. So every pixel must agree, to 1e-5 of the largest
value, for the measurement or else for one of a few that are so close to it; what is wrong in an export is so in all of them.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

DRAWS = 8
NEAR = 1e-6

what, program, weights, graph, shot, mask = sys.argv[1:]
runner = pathlib.Path(__file__).with_name("onnx_run.js")


def both(measurement):
    with tempfile.TemporaryDirectory() as folder:
        near, ours, theirs = (f"{folder}/{name}.npy" for name in ("shot", "ours", "theirs"))
        np.save(near, measurement.astype(np.float32))
        subprocess.run([program, "reconstruct", near, "--mask", mask, "--model", weights, "-o", ours, "--type", "f32",
                        "--quiet"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["node", runner, graph, f"measurement={near}", f"mask={mask}", f"cube={theirs}"], check=True)
        return np.load(ours), np.load(theirs)


def differences(measurement):
    ours, theirs = both(measurement)
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    return np.abs(ours - theirs).max(axis=2), np.abs(ours).max()


measurement = np.load(shot)
least, top = differences(measurement)
limit = 1e-5 * top
print(f"{what}: largest difference {least.max():.1e}, of values up to {top:.2g}", end="", flush=True)
if (least > limit).any():
    print(f"; {(least > limit).mean():.2%} of the pixels beyond {limit:.0e}", end="", flush=True)
    random = np.random.RandomState(1)
    draws = 0
    while (least > limit).any() and draws < DRAWS:
        draws += 1
        near = measurement * (1 + NEAR * random.uniform(-1, 1, measurement.shape))
        least = np.minimum(least, differences(near)[0])
    print(f", {(least > limit).mean():.2%} with {draws} measurements as close as {NEAR:.0e} (up to {least.max():.1e})", end="")
print()
sys.exit(bool((least > limit).any()))
