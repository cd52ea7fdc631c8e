#!/usr/bin/env python3
"""Writes events.tfevents, what the writer of event files must produce, and reads it back.

The format is written here once more, from its definition and with nothing but Python's struct: records as TensorFlow's
record_writer.cc frames them, messages as event.proto and summary.proto number their fields.
"""

import pathlib
import struct


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(data):
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked(length)) + data + struct.pack("<I", masked(data))


def varint(value):
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while True:
        out.append(value & 0x7F | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(out)


def field(number, value):
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, str):
        return field(number, value.encode())
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 1) + struct.pack("<d", value)


def single(number, value):
    return varint(number << 3 | 5) + struct.pack("<f", value)


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """[(number, value)] of a message; nested ones stay bytes."""
    at, found = 0, []
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        elif key & 7 == 2:
            size, at = read_varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            form, size = ("<d", 8) if key & 7 == 1 else ("<f", 4)
            value, at = struct.unpack(form, data[at : at + size])[0], at + size
        found.append((key >> 3, value))
    return found


def records(data):
    at = 0
    while at < len(data):
        (size,) = struct.unpack("<Q", data[at : at + 8])
        assert struct.unpack("<I", data[at + 8 : at + 12])[0] == masked(data[at : at + 8])
        body = data[at + 12 : at + 12 + size]
        assert struct.unpack("<I", data[at + 12 + size : at + 16 + size])[0] == masked(body)
        yield body
        at += 16 + size


def main():
    time = 1700000000.25
    png = bytes(range(256)) * 2  # its content does not matter here
    loss = field(1, field(1, "loss") + single(2, 0.0625))
    psnr = field(1, field(1, "validation/psnr") + single(2, 31.5))
    image = field(1, 48) + field(2, 300) + field(3, 3) + field(4, png)
    events = [
        field(1, time) + field(3, "brain.Event:2"),
        field(1, time) + field(2, 1001) + field(7, field(1, 1)),
        field(1, time + 1) + field(2, 1200) + field(5, loss + psnr),
        field(1, time + 2) + field(2, 5_000_000_000) + field(5, field(1, field(1, "scène 1") + field(4, image))),
    ]
    data = b"".join(record(event) for event in events)
    assert crc32c(b"123456789") == 0xE3069283
    assert list(records(data)) == events
    assert fields(events[2])[1] == (2, 1200)
    assert fields(fields(fields(events[2])[2][1])[1][1]) == [(1, b"validation/psnr"), (2, 31.5)]
    (pathlib.Path(__file__).parent / "events.tfevents").write_bytes(data)


if __name__ == "__main__":
    main()
