#!/usr/bin/python3
"""Makes the ENVI, TIFF and PNG files of this folder, with programs other than Snapcube.

Debian 12: apt-get install python3-numpy python3-gdal gdal-bin python3-spectral python3-tifffile python3-pil
Run it in this folder. README.md lists what comes out; the tests compute the same values by formula.
"""
import os
import struct
import subprocess
import zlib

import numpy as np
import spectral.io.envi
import tifffile
from osgeo import gdal
from PIL import Image

gdal.UseExceptions()
GDAL_TYPE = {"uint8": gdal.GDT_Byte, "uint16": gdal.GDT_UInt16, "int16": gdal.GDT_Int16, "uint32": gdal.GDT_UInt32,
             "int32": gdal.GDT_Int32, "float32": gdal.GDT_Float32, "float64": gdal.GDT_Float64}


def pattern(dtype, bands, height, width):
    """bands × height × width; the formulas of tests/io/pattern.h."""
    b, y, x = np.meshgrid(np.arange(bands), np.arange(height), np.arange(width), indexing="ij")
    small = (31 * b + 7 * y + 3 * x) % 251
    large = (3001 * b + 701 * y + 307 * x) % 65521
    name = np.dtype(dtype).name
    if name == "uint8":
        return small.astype(dtype)
    if name == "int8":
        return (small - 125).astype(dtype)
    if name.startswith("uint"):
        return large.astype(dtype)
    if name.startswith("int"):
        return (large - 32760).astype(dtype)
    return (large / 65536.0).astype(dtype)


def bits(height, width):
    y, x = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    return ((3 * y + 5 * x) % 7 < 3)


def gdal_write(driver, path, data, options):
    bands, height, width = data.shape
    memory = gdal.GetDriverByName("MEM").Create("", width, height, bands, GDAL_TYPE[data.dtype.name])
    for i in range(bands):
        memory.GetRasterBand(i + 1).WriteArray(data[i])
    gdal.GetDriverByName(driver).CreateCopy(path, memory, options=options)
    memory = None
    if os.path.exists(path + ".aux.xml"):
        os.remove(path + ".aux.xml")


def envi():
    gdal_write("ENVI", "gdal_bsq.img", pattern("uint16", 3, 5, 7), ["INTERLEAVE=BSQ"])
    gdal_write("ENVI", "gdal_bil", pattern("float32", 3, 5, 7), ["INTERLEAVE=BIL"])
    gdal_write("ENVI", "gdal_bip.raw", pattern("uint8", 3, 5, 7), ["INTERLEAVE=BIP", "SUFFIX=ADD"])
    gdal_write("ENVI", "gdal_one.dat", pattern("int16", 1, 5, 7), [])
    gdal_write("ENVI", "gdal_double.bsq", pattern("float64", 2, 5, 7), [])
    gdal_write("ENVI", "gdal_long.bil", pattern("int32", 2, 5, 7), ["INTERLEAVE=BIL"])
    cube = np.moveaxis(pattern("uint16", 3, 5, 7), 0, 2)
    spectral.io.envi.save_image("spectral_big.hdr", cube, byteorder=1, interleave="bip", ext=".raw", force=True,
                                metadata={"wavelength": ["453.5", "500", "648"], "wavelength units": "Nanometers"})
    spectral.io.envi.save_image("spectral_um.hdr", cube.astype("f4") * 2, byteorder=1, interleave="bil", ext=".img",
                                force=True, metadata={"wavelength": [0.4535, 0.5, 0.648],
                                                      "wavelength units": "Micrometers",
                                                      "reflectance scale factor": 131072})


def tiff():
    stack = pattern("uint16", 4, 19, 21)
    tifffile.imwrite("imagej.tif", stack, imagej=True)
    tifffile.imwrite("imagej_one_page.tif", stack, imagej=True, truncate=True)
    tifffile.imwrite("imagej_float.tif", pattern("float32", 4, 19, 21).reshape(2, 2, 19, 21), imagej=True,
                     metadata={"axes": "ZCYX"})
    tifffile.imwrite("shaped_one_page.tif", stack, truncate=True, photometric="minisblack")
    tifffile.imwrite("planar_tiled.tif", pattern("float64", 3, 19, 21), planarconfig="separate", tile=(16, 16),
                     compression="zlib", photometric="rgb", metadata=None)
    tifffile.imwrite("contig_big_endian.tif", np.moveaxis(stack, 0, 2), planarconfig="contig", byteorder=">",
                     photometric="minisblack", rowsperstrip=5, metadata=None)
    tifffile.imwrite("bigtiff_signed.tif", pattern("int32", 3, 19, 21), bigtiff=True, photometric="minisblack",
                     metadata=None)
    tifffile.imwrite("white_is_zero.tif", 65535 - pattern("uint16", 1, 19, 21)[0], photometric="miniswhite",
                     metadata=None)
    tifffile.imwrite("half.tif", pattern("float16", 2, 19, 21), photometric="minisblack", metadata=None)

    gdal_write("GTiff", "gdal_lzw.tif", stack, ["COMPRESS=LZW", "PREDICTOR=2", "TILED=YES", "BLOCKXSIZE=16",
                                                "BLOCKYSIZE=16"])
    gdal_write("GTiff", "gdal_float.tif", pattern("float32", 4, 19, 21), ["COMPRESS=DEFLATE", "PREDICTOR=3",
                                                                         "INTERLEAVE=PIXEL"])
    gdal_write("GTiff", "gdal_zstd.tif", pattern("uint8", 5, 19, 21), ["COMPRESS=ZSTD", "INTERLEAVE=BAND"])
    gdal_write("GTiff", "gdal_overview.tif", pattern("uint16", 1, 38, 42), [])
    subprocess.run(["gdaladdo", "-q", "--config", "GDAL_TIFF_OVR_BLOCKSIZE", "64", "gdal_overview.tif", "2"], check=True)
    gdal_write("GTiff", "gdal_jpeg.tif", np.full((3, 16, 16), 100, "uint8"), ["COMPRESS=JPEG", "PHOTOMETRIC=YCBCR",
                                                                             "INTERLEAVE=PIXEL"])

    pages = [Image.fromarray(band) for band in pattern("uint8", 3, 19, 21)]
    pages[0].save("pil_pages.tif", save_all=True, append_images=pages[1:], compression="packbits")
    Image.fromarray(bits(19, 21)).save("pil_mask.tif", compression="group4")
    Image.fromarray(pattern("float32", 1, 19, 21)[0]).save("pil_float.tif")
    small = pattern("uint8", 4, 19, 21)
    Image.fromarray(np.moveaxis(small, 0, 2), "RGBA").save("pil_rgba.tif", compression="tiff_lzw")
    pages[0].convert("P").save("pil_palette.tif")
    pages[0].save("pil_differing.tif", save_all=True, append_images=[pages[1].crop((0, 0, 9, 8))])


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def packed_rows(pixels, depth):
    """Filter byte and big-endian, left-aligned pixels for each row."""
    out = b""
    for row in pixels:
        if depth == 16:
            packed = row.astype(">u2").tobytes()
        else:
            flat = (row[:, None] >> np.arange(depth - 1, -1, -1)) & 1
            packed = np.packbits(flat.reshape(-1).astype("uint8")).tobytes()
        out += b"\0" + packed
    return out


def png_by_hand(path, pixels, depth, interlaced):
    """Grey, straight from the PNG specification: Pillow writes neither 2 nor 4 bits of grey, nor Adam7."""
    height, width = pixels.shape
    passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    if not interlaced:
        passes = [(0, 0, 1, 1)]
    data = b""
    for top, left, down, right in passes:
        part = pixels[top::down, left::right]
        if part.size:
            data += packed_rows(part, depth)
    header = struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 1 if interlaced else 0)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data, 9))
                + chunk(b"IEND", b""))


def png():
    small = pattern("uint8", 1, 13, 17)[0]
    large = pattern("uint16", 1, 13, 17)[0]
    mask = bits(13, 17)
    Image.fromarray(small).save("grey8.png")
    Image.fromarray(large).save("grey16.png")
    Image.fromarray(mask).save("grey1.png")
    Image.fromarray(small).convert("RGB").save("rgb_grey.png")
    Image.fromarray(np.dstack([small, small, small + 1])).save("rgb_colour.png")
    Image.fromarray(small).convert("LA").save("grey_alpha.png")
    palette = Image.fromarray(small).convert("P")
    palette.putpalette([i // 3 for i in range(768)])
    palette.save("palette_grey.png")
    palette.putpalette([(i * 7) % 256 for i in range(768)])
    palette.save("palette_colour.png")
    png_by_hand("grey2.png", small % 4, 2, False)
    png_by_hand("grey4.png", small % 16, 4, False)
    png_by_hand("interlaced8.png", small, 8, True)
    png_by_hand("interlaced16.png", large, 16, True)
    png_by_hand("interlaced1.png", mask.astype("uint8"), 1, True)
    assert (np.asarray(Image.open("interlaced8.png")) == small).all()
    assert (np.asarray(Image.open("interlaced16.png")) == large).all()
    assert (np.asarray(Image.open("interlaced1.png")) == mask).all()
    assert (np.asarray(Image.open("grey4.png").convert("L")) == small % 16 * 17).all()


if __name__ == "__main__":
    envi()
    tiff()
    png()
