#!/usr/bin/env python3
"""Writes the .pth files of this folder with Python's own pickle and zipfile, laid out as torch.save lays them out.

torch itself is not needed: classes of its names stand in for what its pickles refer to. The values are those of
tests/golden.h, a formula of name and place.
"""
import collections
import io
import math
import pickle
import struct
import sys
import types
import zipfile

import numpy as np

MASK = (1 << 64) - 1


def uniform(name, count):
    seed = 0xCBF29CE484222325
    for c in name.encode():
        seed = ((seed ^ c) * 0x100000001B3) & MASK
    values = []
    for i in range(1, count + 1):
        z = (seed + i * 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        z ^= z >> 31
        values.append((z >> 40) / 2**24)
    return np.array(values)


def values_of(name, shape):
    count = math.prod(shape)
    u = uniform(name, count)
    s = 2 * u - 1
    if name.endswith(".hash_alpha"):
        v = s * math.sqrt(3)
    elif name.endswith(".hash_beta"):
        v = u
    elif len(shape) >= 2:
        v = s * math.sqrt(3 / math.prod(shape[1:]))
    elif name.endswith(".weight"):
        v = 1 + 0.1 * s
    else:
        v = 0.1 * s
    if name.endswith("attn.fn.to_out.weight"):
        v = v * 0.1
    return v.astype("f4").reshape(shape)


def network(bands, blocks, hashed):
    """Names and shapes of a CST network with one estimator, in the order of the published files."""
    shapes = {}

    def conv(name, inputs, outputs, k):
        shapes[name + ".weight"] = (outputs, inputs, k, k)

    def deconv(name, inputs):
        shapes[name + ".weight"] = (inputs, inputs // 2, 2, 2)
        shapes[name + ".bias"] = (inputs // 2,)

    def norm(name, c):
        shapes[name + ".weight"] = (c,)
        shapes[name + ".bias"] = (c,)

    def sahabs(group, stage):
        c = bands << stage
        for j in range(blocks[stage]):
            block = f"{group}.blocks.{j}"
            for part in ("to_q", "to_k", "to_v"):
                shapes[f"{block}.attn.fn.{part}.weight"] = (3 * c, c)
            shapes[f"{block}.attn.fn.to_out.weight"] = (c, 3 * c)
            norm(f"{block}.attn.norm", c)
            conv(f"{block}.ffn.fn.net.0", c, 4 * c, 1)
            conv(f"{block}.ffn.fn.net.2", 1, 4 * c, 3)
            conv(f"{block}.ffn.fn.net.4", 4 * c, c, 1)
            norm(f"{block}.ffn.norm", c)
            if hashed:
                shapes[f"{block}.attn.fn.hash_alpha"] = (bands + 2, 2)
                shapes[f"{block}.attn.fn.hash_beta"] = (2,)

    conv("fution", 2 * bands, bands, 1)
    conv("fe.in_proj", bands, bands, 1)
    for i in (0, 1):
        d = bands << i
        conv(f"fe.encoder_layers.{i}.0", d, 2 * d, 1)
        conv(f"fe.encoder_layers.{i}.1", 1, 2 * d, 3)
        conv(f"fe.encoder_layers.{i}.2", 2 * d, 2 * d, 1)
    conv("fe.bottleneck.convs.0.0", 4 * bands, 4 * bands, 3)
    conv("fe.bottleneck.convs.1.0", 4 * bands, 4 * bands, 3)
    conv("fe.bottleneck.convs.2.1", 4 * bands, 4 * bands, 1)
    conv("fe.bottleneck.project.0", 12 * bands, 4 * bands, 1)
    for i in (0, 1):
        d = bands << (2 - i)
        deconv(f"fe.decoder_layers.{i}.0", d)
        conv(f"fe.decoder_layers.{i}.1", d // 2, d, 1)
        conv(f"fe.decoder_layers.{i}.2", 1, d, 3)
        conv(f"fe.decoder_layers.{i}.3", d, d // 2, 1)
    conv("fe.out_conv2", bands, bands + 1, 3)
    for i in (0, 1):
        sahabs(f"encoder_layers.{i}.0", i)
        conv(f"encoder_layers.{i}.1", bands << i, bands << (i + 1), 4)
    sahabs("bottleneck", 2)
    for i in (0, 1):
        deconv(f"decoder_layers.{i}.0", bands << (2 - i))
        sahabs(f"decoder_layers.{i}.1", 1 - i)
    conv("out_proj", bands, bands, 3)
    return shapes


# What torch's pickles refer to.
torch = types.ModuleType("torch")
torch._utils = types.ModuleType("torch._utils")
sys.modules.update({"torch": torch, "torch._utils": torch._utils})


def stand_in(module, name):
    def function(*_):
        raise NotImplementedError

    function.__module__, function.__qualname__, function.__name__ = module.__name__, name, name
    setattr(module, name, function)
    return function


rebuild = stand_in(torch._utils, "_rebuild_tensor_v2")
rebuild_old = stand_in(torch._utils, "_rebuild_tensor")
rebuild_parameter = stand_in(torch._utils, "_rebuild_parameter")

TYPES = {"f4": "FloatStorage", "f8": "DoubleStorage", "f2": "HalfStorage", "bf": "BFloat16Storage", "i8": "LongStorage"}
for name in TYPES.values():
    setattr(torch, name, type(name, (), {"__module__": "torch"}))


class Storage:
    """Elements of one type: their bytes, little-endian or big-endian."""

    def __init__(self, kind, values, big_endian=False):
        order = ">" if big_endian else "<"
        if kind == "bf":  # the upper half of a float, cut
            data = (np.asarray(values, "f4").view("u4") >> 16).astype(order + "u2")
        else:
            data = np.asarray(values).astype(order + kind)
        self.kind, self.bytes, self.count = kind, data.tobytes(), data.size


class Tensor:
    def __init__(self, storage, offset, shape, stride, function=rebuild):
        self.parts, self.function = (storage, offset, tuple(shape), tuple(stride)), function

    def __reduce__(self):
        if self.function is rebuild_old:
            return rebuild_old, self.parts
        return rebuild, self.parts + (False, collections.OrderedDict())


class Parameter:
    def __init__(self, tensor):
        self.tensor = tensor

    def __reduce__(self):
        return rebuild_parameter, (self.tensor, True, collections.OrderedDict())


def contiguous(shape):
    stride, step = [], 1
    for extent in reversed(shape):
        stride.insert(0, step)
        step *= extent
    return stride


def plain(name, shape, kind="f4", big_endian=False):
    values = values_of(name, shape)
    return Tensor(Storage(kind, values.ravel(), big_endian), 0, shape, contiguous(shape))


def transposed(name, shape, kind="f4", big_endian=False):
    """The same values, stored with the axes the other way round, and three elements of something else in front."""
    values = values_of(name, shape)
    stored = np.concatenate([[7, 8, 9], values.T.ravel()])
    return Tensor(Storage(kind, stored, big_endian), 3, shape, contiguous(shape[::-1])[::-1])


class Pickler(pickle.Pickler):
    def __init__(self, file, protocol, legacy):
        super().__init__(file, protocol)
        self.keys, self.legacy = {}, legacy

    def persistent_id(self, obj):
        if not isinstance(obj, Storage):
            return None
        key = self.keys.setdefault(id(obj), (str(len(self.keys)), obj))[0]
        return ("storage", getattr(torch, TYPES[obj.kind]), key, "cpu", obj.count) + ((None,) if self.legacy else ())


def save_zip(path, obj, protocol=2, byteorder=None, compression=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    pickler = Pickler(stream, protocol, False)
    pickler.dump(obj)
    with zipfile.ZipFile(path, "w", compression) as archive:

        def add(name, data):
            archive.writestr(zipfile.ZipInfo("archive/" + name, (1980, 1, 1, 0, 0, 0)), data, compression)

        add("data.pkl", stream.getvalue())
        if byteorder:
            add("byteorder", byteorder)
        for key, storage in pickler.keys.values():
            add("data/" + key, storage.bytes)
        add("version", "3\n")


def save_legacy(path, obj, protocol=2):
    stream = io.BytesIO()
    pickle.dump(0x1950A86A20F9469CFC6C, stream, protocol)
    pickle.dump(1001, stream, protocol)
    pickle.dump(dict(protocol_version=1001, little_endian=True, type_sizes=dict(short=2, int=4, long=4)), stream, protocol)
    pickler = Pickler(stream, protocol, True)
    pickler.dump(obj)
    storages = dict(pickler.keys.values())
    pickle.dump(sorted(storages), stream, protocol)
    for key in sorted(storages):
        stream.write(struct.pack("<q", storages[key].count) + storages[key].bytes)
    with open(path, "wb") as file:
        file.write(stream.getvalue())


def state_dict(tensors):
    """As Module.state_dict() returns it: with the versions of the modules as an attribute."""
    result = collections.OrderedDict(tensors)
    result._metadata = collections.OrderedDict([("", {"version": 1})])
    return result


def main():
    bare = network(1, (1, 1, 1), False)
    save_zip("zip_plain.pth", state_dict((n, plain(n, s)) for n, s in bare.items()))
    save_legacy("legacy_plain.pth", state_dict((n, plain(n, s)) for n, s in bare.items()))

    # Kinds go round, each second tensor is transposed; big-endian; names as of a parallel model; a whole checkpoint.
    kinds = ["f4", "f8", "f2", "bf"]
    mixed = {}
    for i, (n, s) in enumerate(bare.items()):
        mixed["module." + n] = (transposed if i % 2 else plain)(n, s, kinds[i // 2 % 4], True)
    steps = {0: {"step": plain("step", (), "f4", True), "exp_avg": mixed["module.fution.weight"]}}
    checkpoint = {"epoch": 3, "best": 31.25, "done": False, "state_dict": state_dict(mixed),
                  "optimizer": {"state": steps, "param_groups": [{"lr": 4e-4, "betas": (0.9, 0.999), "params": [0]}]}}
    save_zip("zip_checkpoint.pth", checkpoint, 4, "big", zipfile.ZIP_DEFLATED)

    # All tensors in one storage, hash vectors among them; parameters; the oldest way to rebuild.
    hashed = network(1, (1, 2, 1), True)
    everything = Storage("f4", np.concatenate([values_of(n, s).ravel() for n, s in hashed.items()]))
    params, offset = {}, 0
    for n, s in hashed.items():
        tensor = Tensor(everything, offset, s, contiguous(s), rebuild_old)
        params[n] = Parameter(tensor) if len(params) % 2 else tensor
        offset += math.prod(s)
    save_legacy("legacy_shared.pth", {"params": params}, 4)

    # No network: what a fuzzer starts from.
    small = state_dict({"a.weight": transposed("a.weight", (2, 3)), "a.bias": plain("a.bias", (2,), "f2"),
                        "n": Tensor(Storage("i8", [5]), 0, (), ())})
    save_zip("small_zip.pth", {"model": small, "epoch": 1})
    save_legacy("small_legacy.pth", small)
    save_legacy("small_legacy4.pth", {"model": small}, 4)


main()
