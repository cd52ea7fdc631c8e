"""overhead.py PROGRAM [ROUNDS]: what a call from Python costs beyond the same call from C++ (PROGRAM, overhead.cpp).

One iteration of GAP-TV at 256×256 with 28 bands: as little work as there is, so that the difference can be seen. Both in turns,
one thread, its processor time, medians of 40 calls; the median of the rounds' differences.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import statistics  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402

import snapcube  # noqa: E402

CALLS = 40
camera = snapcube.Camera(snapcube.random_mask(256, 256))
shot = snapcube.simulate(snapcube.scene(), camera)
method = snapcube.Reconstructor("gap-tv", iterations=1)


def from_python() -> float:
    seconds = []
    for i in range(CALLS + 5):
        start = time.thread_time()
        cube = method.reconstruct(shot, camera)
        taken = time.thread_time() - start
        del cube
        if i >= 5:
            seconds.append(taken)
    return statistics.median(seconds)


differences = []
for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 11):
    plain = float(subprocess.run([sys.argv[1], str(CALLS)], check=True, stdout=subprocess.PIPE, text=True).stdout)
    called = from_python()
    differences.append(called - plain)
    print(f"C++ {1e3 * plain:.3f} ms, Python {1e3 * called:.3f} ms, difference {1e3 * (called - plain):+.3f} ms")
print(f"median difference {1e3 * statistics.median(differences):+.3f} ms")
