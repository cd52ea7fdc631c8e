"""Reconstructions: progress, Ctrl-C, threads, models, and the bar."""

import io
import json
import logging
import os
import signal
import sys
import threading
import time
import types

import numpy as np
import pytest

import snapcube


def test_it_reconstructs(shot, camera, scene):
    cube = snapcube.reconstruct(shot, camera, "gap-tv")
    assert snapcube.metrics(cube, scene).psnr > 20
    assert camera.misfit(cube, shot) < 0.1


def test_the_model_is_found_and_used():
    names = {model.name: model for model in snapcube.models()}
    assert names["cst-s"].bands == 28 and not names["cst-s"].error
    camera = snapcube.Camera(snapcube.random_mask(64, 64))
    scene = snapcube.scene("chart", 64, 64)
    shot = snapcube.simulate(scene, camera)
    model = snapcube.Reconstructor()
    assert model.method == "cst-s" and model.fits(camera)
    cube = model.reconstruct(shot, camera)
    np.testing.assert_array_equal(cube, snapcube.reconstruct(shot, camera))
    assert model.sparsity_map is not None and model.sparsity_map.values.shape == (64, 64)


def write_prism(path, channels):
    """Weights of a Prism-S that has learnt nothing, in a file: the length of its header, the header, the tensors."""

    def convolution(outputs, inputs, side):
        return outputs, inputs, side, side

    shapes = {"error.weight": convolution(1, channels, 1), "error.bias": (1,)}
    for stage in range(4):
        name = f"stages.{stage}."
        shapes[name + "eta"] = shapes[name + "mu"] = (1,)
        shapes[name + "input.weight"] = convolution(channels, (3 if stage == 0 else 5) * channels, 1)
        shapes[name + "output.weight"] = convolution(channels, channels, 3)
        for level, (down, up) in enumerate([(1, 1), (1, 1), (2, 0)]):
            wide = channels << level
            for part, count in (("down", down), ("up", up)):
                for block in range(count):
                    for half in range(2):
                        shapes[f"{name}{part}.{level}.{block}.{half}.weight"] = convolution(wide, wide, 3)
            if level < 2:
                shapes[f"{name}halve.{level}.weight"] = convolution(2 * wide, wide, 4)
                shapes[f"{name}double.{level}.weight"] = convolution(2 * wide, wide, 2)
                shapes[f"{name}double.{level}.bias"] = (wide,)
    random = np.random.default_rng(1)
    config = {"variant": "prism-s", "bands": channels, "step": 2, "scale": "sum", "wavelengths": []}
    header, data = {"__metadata__": {"snapcube": json.dumps(config)}}, b""
    for name, shape in shapes.items():
        values = random.normal(0, 0.1, shape).astype(np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def test_prism_expects_an_error(tmp_path, shot, camera):
    write_prism(tmp_path / "prism.safetensors", 4)
    model = snapcube.Reconstructor(str(tmp_path / "prism.safetensors"))
    assert model.method == "prism-s" and model.expected_error is None
    cube = model.reconstruct(shot, camera)
    error = model.expected_error
    assert cube.shape == (32, 40, 6) and error.shape == (32, 40)
    assert (error >= 0).all() and error.max() > 0
    before = error.copy()
    model.reconstruct(2 * shot, camera)
    np.testing.assert_array_equal(error, before)  # a copy of its own
    np.testing.assert_allclose(model.expected_error, 2 * before, rtol=1e-5)
    assert snapcube.Reconstructor("gap-tv").expected_error is None


def test_another_camera_gets_gap_tv(shot, camera, caplog):
    with caplog.at_level(logging.INFO, "snapcube"):
        cube = snapcube.reconstruct(shot, camera)
    assert "gap-tv" in caplog.text
    np.testing.assert_array_equal(cube, snapcube.reconstruct(shot, camera, "gap-tv"))


def test_methods_have_parameters():
    methods = {method.name: method for method in snapcube.methods()}
    assert {"gap-tv", "twist", "desci"} <= set(methods)
    assert "iterations" in [parameter.name for parameter in methods["gap-tv"].parameters]


def test_progress_is_told_and_can_stop(shot, camera):
    told = []
    snapcube.reconstruct(shot, camera, "gap-tv", iterations=5, progress=told.append)
    assert [p.iteration for p in told] == [0, 1, 2, 3, 4] and told[0].total == 5 and told[-1].residual < 1
    with pytest.raises(snapcube.Interrupted):
        snapcube.reconstruct(shot, camera, "gap-tv", progress=lambda p: p.iteration < 3)


def test_what_a_progress_function_raises_comes_out(shot, camera):
    method = snapcube.Reconstructor("gap-tv")

    def bad(progress):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        method.reconstruct(shot, camera, progress=bad)
    with pytest.raises(snapcube.InputError, match="within"):
        method.reconstruct(shot, camera, progress=lambda p: method.reconstruct(shot, camera) is not None)
    method.reconstruct(shot, camera)


def test_ctrl_c_stops_it():
    camera = snapcube.Camera(snapcube.random_mask(256, 256))
    shot = snapcube.simulate(snapcube.scene(), camera)
    threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        snapcube.reconstruct(shot, camera, "gap-tv", iterations=100000)
    assert time.monotonic() - start < 20


def test_other_threads_run_meanwhile():
    camera = snapcube.Camera(snapcube.random_mask(128, 128))
    shot = snapcube.simulate(snapcube.scene("chart", 128, 128), camera)
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    start = time.monotonic()
    snapcube.reconstruct(shot, camera, "gap-tv", iterations=50)
    end = time.monotonic()
    done.set()
    ticker.join()
    assert sum(start < t < end for t in ticks) > 5


def test_threads_share_a_reconstructor(shot, camera):
    method = snapcube.Reconstructor("gap-tv", iterations=5)
    wanted = np.asarray(method.reconstruct(shot, camera))
    wrong = []

    def work():
        for _ in range(10):
            if not np.array_equal(method.reconstruct(shot, camera), wanted):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_bar_is_drawn_on_request_and_taken_away(shot, camera, monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    snapcube.reconstruct(shot, camera, "gap-tv", iterations=3)
    assert screen.getvalue() == ""  # nobody is looking
    snapcube.reconstruct(shot, camera, "gap-tv", iterations=3, progress=True)
    assert "gap-tv" in screen.getvalue() and screen.getvalue().endswith("\r\x1b[K")


def test_a_notebook_has_one_bar_that_is_updated(shot, camera, monkeypatch):
    class ZMQInteractiveShell:
        """What get_ipython() gives in a notebook's kernel."""

    class Handle:
        def update(self, content, raw):
            shown.append(content["text/plain"])

    def display(content, raw, display_id):
        shown.append(content["text/plain"])
        return Handle()

    shown = []
    notebook = types.ModuleType("IPython")
    notebook.get_ipython = ZMQInteractiveShell
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    snapcube.reconstruct(shot, camera, "gap-tv", iterations=3, progress=True)
    assert "gap-tv" in shown[0] and "%" in shown[0] and shown[-1] == "gap-tv: done"


def test_noise_is_seeded(scene, camera):
    first = snapcube.simulate(scene, camera, "shot11+gaussian:0.01", 7)
    np.testing.assert_array_equal(first, snapcube.simulate(scene, camera, "shot11+gaussian:0.01", 7))
    assert not np.array_equal(first, snapcube.simulate(scene, camera, "shot11+gaussian:0.01", 8))


def test_a_scene_is_resampled_to_the_camera(camera):
    fine = snapcube.scene("chart", 32, 40, wavelengths=np.linspace(440, 660, 23))
    same = snapcube.simulate(fine.resample(camera.wavelengths), camera)
    np.testing.assert_array_equal(snapcube.simulate(fine, camera), same)
