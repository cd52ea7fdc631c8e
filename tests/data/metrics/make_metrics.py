#!/usr/bin/env python3
"""Expected values for tests/metrics/reference_test.cpp, by the definitions, slowly.

    ./make_metrics.py > expected.tsv

Each pair of cubes comes from a formula in doubles that the test repeats; both round it to float32.
check.m computes some of the values again with Octave.
"""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.signal import convolve2d

SIZES = [(1, 1, 1), (2, 7, 5), (1, 11, 11), (3, 13, 17), (2, 32, 32), (4, 37, 41), (1, 127, 33)]


def make_pair(bands, height, width):
    """Ramps from −0.1 to 1.1, and the same with errors up to ±0.15; some pixels equal, some black."""
    image = np.empty((bands, height, width))
    truth = np.empty((bands, height, width))
    state = 12345
    for b in range(bands):
        for y in range(height):
            for x in range(width):
                state = (state * 1664525 + 1013904223) % 2**32
                noise = state / 2**32 - 0.5
                ramp = (x * (b + 3) + y * (2 * b + 1)) % 37 / 36
                truth[b, y, x] = ramp * 1.2 - 0.1
                image[b, y, x] = truth[b, y, x] + 0.3 * noise
                if (x // 4 + y // 4) % 5 == 0:  # exact
                    image[b, y, x] = truth[b, y, x]
                if (x + y) % 11 == 0 and x > y:  # black in one, in the other, in both
                    if y % 3 != 0:
                        truth[b, y, x] = 0
                    if y % 3 != 1:
                        image[b, y, x] = 0
    return image.astype(np.float32), truth.astype(np.float32)


def values(cube, protocol, psnr):
    if protocol == "toolbox":
        return np.rint(cube * np.float32(256)).astype(float) if psnr else cube.astype(float)
    clamped = np.clip(cube.astype(float), 0, 1)
    return np.floor(255 * clamped + 0.5) if protocol == "uint8" else clamped


def psnr(image, truth, protocol):
    peak = 1 if protocol == "float" else 255
    result = []
    for p, q in zip(values(image, protocol, True), values(truth, protocol, True)):
        mse = np.mean((p - q) ** 2)
        result.append(100 if mse == 0 else 10 * np.log10(peak**2 / mse))
    return result


def ssim(image, truth, protocol):
    peak = 255 if protocol == "uint8" else 1
    c1, c2 = (0.01 * peak) ** 2, (0.03 * peak) ** 2
    r = np.arange(-5, 6)
    window = np.exp(-(r[:, None] ** 2 + r[None, :] ** 2) / (2 * 1.5**2))
    window /= window.sum()
    pad = 5 if protocol == "toolbox" else 0
    mean = lambda v: convolve2d(np.pad(v, pad), window, "valid")
    result = []
    for p, q in zip(values(image, protocol, False), values(truth, protocol, False)):
        mp, mq = mean(p), mean(q)
        vp, vq, cov = mean(p * p) - mp**2, mean(q * q) - mq**2, mean(p * q) - mp * mq
        result.append(np.mean((2 * mp * mq + c1) * (2 * cov + c2) / ((mp**2 + mq**2 + c1) * (vp + vq + c2))))
    return result


def sam(image, truth):
    """tan of the angle = |p∧q|/(p·q), |p∧q|² = Σ_{i<j} (p_i·q_j − p_j·q_i)²; acos would lose small angles."""
    p = image.reshape(len(image), -1).astype(float)
    q = truth.reshape(len(truth), -1).astype(float)
    use = p.any(0) & q.any(0)
    p, q = p[:, use], q[:, use]
    wedge = sum((p[i] * q[j] - p[j] * q[i]) ** 2 for i in range(len(p)) for j in range(i))
    return np.degrees(np.arctan2(np.sqrt(wedge), (p * q).sum(0))).mean()


def ergas(image, truth):
    mse = ((image - truth.astype(float)) ** 2).mean((1, 2))
    return 100 * np.sqrt(np.mean(mse / truth.mean((1, 2), dtype=float) ** 2))


def rmse(image, truth):
    return np.sqrt(np.mean((255 * image.astype(float) - 255 * truth.astype(float)) ** 2))


def uiqi(image, truth):
    """From the means and unbiased variances of the paper, not from sums."""
    p = sliding_window_view(image.astype(float), (32, 32), (1, 2)).reshape(-1, 1024)
    q = sliding_window_view(truth.astype(float), (32, 32), (1, 2)).reshape(-1, 1024)
    mp, mq = p.mean(1), q.mean(1)
    cov = ((p - mp[:, None]) * (q - mq[:, None])).sum(1) / 1023
    return np.mean(4 * cov * mp * mq / ((p.var(1, ddof=1) + q.var(1, ddof=1)) * (mp**2 + mq**2)))


def correlation(image, truth):
    """Of the lower right quarter."""
    _, h, w = image.shape
    cut = (slice(None), slice(h // 2, None), slice(w // 2, None))
    return np.corrcoef(image[cut].mean((1, 2), dtype=float), truth[cut].mean((1, 2), dtype=float))[0, 1]


def main():
    print("# bands\theight\twidth\tmeasure\tprotocol\tband (- for all)\tvalue")
    for size in SIZES:
        image, truth = make_pair(*size)

        def put(measure, protocol, band, value):
            print(*size, measure, protocol, band, repr(float(value)), sep="\t")

        for protocol in ("toolbox", "uint8", "float"):
            measures = [("psnr", psnr)]
            if protocol == "toolbox" or min(size[1:]) >= 11:
                measures.append(("ssim", ssim))
            for name, measure in measures:
                per_band = measure(image, truth, protocol)
                for band, value in enumerate(per_band):
                    put(name, protocol, band, value)
                put(name, protocol, "-", np.mean(per_band))
        put("sam", "-", "-", sam(image, truth))
        put("ergas", "-", "-", ergas(image, truth))
        put("rmse", "-", "-", rmse(image, truth))
        if min(size[1:]) >= 32:
            put("uiqi", "-", "-", uiqi(image, truth))
        if size[0] > 2:
            put("correlation", "-", "-", correlation(image, truth))


main()
