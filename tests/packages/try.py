"""What the package python3-snapcube can do, with nothing but its dependencies and the program."""

import urllib.request

import numpy as np

import snapcube

assert snapcube.__file__.startswith("/usr/lib/python3/dist-packages/"), snapcube.__file__
camera = snapcube.Camera(snapcube.random_mask(64, 64))
scene = snapcube.scene("chart", 64, 64)
shot = snapcube.simulate(scene, camera)
for method in ("gap-tv", "cst-s"):
    cube = snapcube.reconstruct(shot, camera, method)
    print(f"{method}: {snapcube.metrics(cube, scene).psnr:.2f} dB")
    assert snapcube.metrics(cube, scene).psnr > 20
for name in ("cube.h5", "cube.mat", "cube.tif", "cube.hdr"):
    snapcube.write(cube, name)
    assert np.array_equal(snapcube.read(name), cube), name
with snapcube.view(cube, truth=scene, open_browser=False) as viewer:
    assert b"<html" in urllib.request.urlopen(viewer.url, timeout=20).read()
