#!/usr/bin/env python3
"""Files as others write them, for tests/io. Run in this folder: python3 make_arrays.py (numpy, scipy, h5py).

A cube has 4 bands of 6 x 7 pixels; its values follow from code(b, y, x) = (31 b + 7 y + 3 x) mod 251:
floats are code / 250, uint8 is code, uint16 is 257 code. An image is the cube's first band.
"""
import io
import struct
import zipfile
import zlib

import h5py
import numpy as np
import scipy.io

B, H, W = 4, 6, 7
code = np.fromfunction(lambda y, x, b: (31 * b + 7 * y + 3 * x) % 251, (H, W, B)).astype(np.int64)
cube = code / 250.0
image = cube[:, :, 0]
wavelengths = np.array([450.0, 500.0, 550.0, 650.0])


def typed(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return cube.astype(dtype)
    return (code * (257 if dtype.itemsize == 2 else 1)).astype(dtype)


# MATLAB v5
for compressed in (False, True):
    name = "scipy_compressed.mat" if compressed else "scipy_plain.mat"
    scipy.io.savemat(name, {"img": typed("f4"), "double": typed("f8"), "u8": typed("u1"), "u16": typed("u2"),
                            "mask": code[:, :, 0] % 2 == 0, "int64": code, "small": code.astype("f8"),
                            "lambda": wavelengths, "bits": code[:, :, 0] % 2},
                     do_compression=compressed)
scipy.io.savemat("scipy_odd.mat", {"complex": cube[:, :, 0] * 1j, "struct": {"a": 1.0}, "text": "hello",
                                   "cell": np.array([np.ones(2), "x"], dtype=object),
                                   "sparse": scipy.sparse.csc_matrix(np.eye(3))})
scipy.io.savemat("scipy_batch.mat", {"pred": np.stack([cube + i for i in range(3)]).astype("f4"),
                                     "meas": np.stack([image + i for i in range(3)]).astype("f4")})


def big_endian_mat(array):
    """A v5 file as a big-endian machine wrote it; scipy cannot."""
    def element(kind, data):
        return struct.pack(">II", kind, len(data)) + data + b"\0" * (-len(data) % 8)
    body = element(6, struct.pack(">II", 7, 0)) + element(5, struct.pack(">3i", *array.shape))
    body += struct.pack(">HH", 3, 1) + b"c\0\0\0"
    body += element(7, array.astype(">f4").tobytes(order="F"))
    return b"MATLAB 5.0 MAT-file".ljust(124, b" ") + b"\x01\x00MI" + struct.pack(">II", 14, len(body)) + body


open("big_endian.mat", "wb").write(big_endian_mat(cube))

# MATLAB v7.3: HDF5 behind 512 bytes of header, dimensions reversed, the class in an attribute
with h5py.File("matlab73.mat", "w", userblock_size=512) as f:
    def matlab(name, array, matlab_class):
        d = f.create_dataset(name, data=array)
        d.attrs["MATLAB_class"] = np.string_(matlab_class)
        return d
    matlab("img", np.transpose(typed("f4")), "single")
    matlab("u16", np.transpose(typed("u2")), "uint16")
    mask = matlab("mask", np.transpose((code[:, :, 0] % 2 == 0).astype("u1")), "logical")
    mask.attrs["MATLAB_int_decode"] = np.int32(1)
    matlab("wavelengths", wavelengths.reshape(4, 1), "double")
    matlab("text", np.frombuffer("hi".encode("utf-16le"), "u2").reshape(2, 1), "char")
    cell = f.create_dataset("cell", (1, 1), dtype=h5py.ref_dtype)
    cell.attrs["MATLAB_class"] = np.string_("cell")
    f.create_group("#refs#").create_dataset("a", data=np.ones((2, 2)))
with open("matlab73.mat", "r+b") as f:
    f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124, b" ") + b"\x00\x02IM")

# HDF5 as h5py writes it
with h5py.File("h5py.h5", "w") as f:
    bhw = np.transpose(cube, (2, 0, 1))
    d = f.create_dataset("cube", data=bhw.astype("f4"), compression="gzip", chunks=(1, 4, 5), shuffle=True)
    d.attrs["wavelengths"] = wavelengths
    f.create_dataset("scene/half", data=bhw.astype("f2"))
    f.create_dataset("scene/big", data=bhw.astype(">f8"))
    f.create_dataset("scene/u16", data=np.transpose(typed(">u2"), (2, 0, 1)))
    f.create_dataset("mask", data=code[:, :, 0] % 2 == 0)
    f.create_dataset("records", data=np.zeros(3, dtype=[("a", "f4"), ("b", "i4")]))
    f.create_dataset("text", data="hello")
with h5py.File("h5py_links.h5", "w") as f:
    f.create_dataset("inside", data=image)
    f["outside"] = h5py.ExternalLink("h5py.h5", "/cube")
    f["soft"] = h5py.SoftLink("/inside")
    f["loop"] = f["/"]
    f.create_dataset("raw", (6, 7), "u1", external=[("make_arrays.py", 0, 42)])
    layout = h5py.VirtualLayout((6, 7), "f4")
    layout[...] = h5py.VirtualSource("h5py.h5", "cube", (4, 6, 7))[0]
    f.create_virtual_dataset("virtual", layout)
with h5py.File("h5py_short_chunk.h5", "w") as f:
    d = f.create_dataset("short", (6, 7), "f4", compression="gzip", chunks=(6, 7))
    d.id.write_direct_chunk((0, 0), zlib.compress(b"\0" * 40))
    d = f.create_dataset("lzf", (6, 7), "f4", compression="lzf", chunks=(6, 7))
    d[...] = image
with h5py.File("h5py_absurd.h5", "w") as f:
    f.create_dataset("cube", (100000, 100000, 100), "f4", chunks=(1, 64, 64))

# NumPy
for descr in ("<f2", "<f4", ">f4", "<f8", ">f8", "|u1", "<u2", ">u2"):
    name = descr.translate(str.maketrans({"<": "little_", ">": "big_", "|": ""}))
    np.save(f"numpy_{name}.npy", typed(descr).astype(descr))
np.save("numpy_fortran.npy", np.asfortranarray(cube.astype("f4")))
np.save("numpy_i8.npy", code)
np.save("numpy_bool.npy", code[:, :, 0] % 2 == 0)
for version in ((2, 0), (3, 0)):
    with open(f"numpy_version{version[0]}.npy", "wb") as f:
        np.lib.format.write_array(f, cube.astype("f4"), version=version)
np.save("numpy_object.npy", np.array([{}, None], dtype=object), allow_pickle=True)
np.save("numpy_structured.npy", np.zeros((6, 7), dtype=[("a", "<f4"), ("b", "<i4")]))
np.save("numpy_complex.npy", image.astype("c8"))
np.savez("numpy_stored.npz", cube=cube.astype("f4"), mask=code[:, :, 0] % 2 == 0, wavelengths=wavelengths)
np.savez_compressed("numpy_deflated.npz", a=cube.astype("f4"), b=cube.astype("f4") / 2)
with zipfile.ZipFile("numpy_twice.npz", "w") as z:
    for values in (typed("f4"), typed("u1")):
        with z.open(zipfile.ZipInfo("a.npy"), "w") as f:
            np.save(f, values)
# An entry that claims far more than it holds
with zipfile.ZipFile("absurd.npz", "w", zipfile.ZIP_DEFLATED) as z:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f4", "fortran_order": False, "shape": (100000, 100000, 100)})
    z.writestr("cube.npy", header.getvalue() + b"\0" * 1000)


# MATLAB v5 files that claim what they do not hold
def element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def matrix(matlab_class, dims, rest):
    body = element(6, struct.pack("<II", matlab_class, 0)) + element(5, struct.pack(f"<{len(dims)}i", *dims))
    return element(14, body + struct.pack("<HH", 1, 1) + b"x\0\0\0" + rest)


def compressed(data):
    packed = zlib.compress(data)
    return struct.pack("<II", 15, len(packed)) + packed


head = b"MATLAB 5.0 MAT-file".ljust(124, b" ") + b"\x00\x01IM"
whole = matrix(7, (H, W, B), element(7, cube.astype("f4").tobytes(order="F")))
fields = struct.pack("<HHI", 5, 4, 32) + element(1, b"a".ljust(32, b"\0") + b"b".ljust(32, b"\0"))
bad = {
    "short_stream": compressed(whole[:-200]),
    "short_values": matrix(7, (H, W, B), element(7, bytes(400))),
    "cut_stream": struct.pack("<II", 15, len(compressed(whole)) // 2) + compressed(whole)[8:][:len(compressed(whole)) // 2],
    "huge_double": matrix(6, (30000, 30000), element(9, bytes(16))),
    "huge_double_compressed": compressed(matrix(6, (20000, 20000), struct.pack("<II", 9, 3200000000))),
    "huge_struct": compressed(matrix(2, (30000, 30000), fields)),
    "negative": matrix(6, (-1, 5), element(9, bytes(40))),
}
flipped = bytearray(compressed(whole))
flipped[len(flipped) // 2] ^= 0x55
bad["flipped_stream"] = bytes(flipped)
for name, content in bad.items():
    open(f"bad_{name}.mat", "wb").write(head + content)
