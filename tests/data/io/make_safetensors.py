"""foreign.safetensors: a valid file that looks as little as possible like ours. Needs NumPy."""
import json
import struct

import numpy as np

# Element i of a tensor is (i − 3) / 4; exact in all float types.
def ramp(count):
    return (np.arange(count) - 3) / 4


def bfloat(values):
    return (values.astype("<f4").view("<u4") >> 16).astype("<u2")


# By name, not by alignment: the F32 after it starts at an odd byte.
parts = [
    ("a.bool", "BOOL", [3], np.array([1, 0, 1], "u1")),
    ("b.single", "F32", [2, 3], ramp(6).astype("<f4")),
    ("c.half", "F16", [7], ramp(7).astype("<f2")),
    ("d.brain", "BF16", [5], bfloat(ramp(5))),
    ("e.empty", "F64", [0, 4], np.zeros(0)),
    ("f.scalar", "F64", [], np.array(0.1, "<f8")),
    ("g.i64", "I64", [2], np.array([-1, 2], "<i8")),
    ("h.i8", "I8", [2, 1], np.array([-1, 2], "i1")),
    ("gr\u00fcn \u2200 \U0001f332", "I16", [1], np.array([-2], "<i2")),
]
header = {}
data = b""
for name, dtype, shape, values in parts:
    raw = values.tobytes()
    header[name] = {"data_offsets": [len(data), len(data) + len(raw)], "shape": shape, "dtype": dtype}
    data += raw
# Listed backwards, the metadata last, everything beyond ASCII escaped, and with white space.
listed = dict(reversed(header.items()))
listed["__metadata__"] = {"format": "np", "note": "\u00e9\"\\\n"}
text = json.dumps(listed, indent=1).encode()
with open("foreign.safetensors", "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
