"""Arrays in and out: shapes, types, strides, and what is refused."""

import pickle

import numpy as np
import pytest

import snapcube
from snapcube import InputError


def reference_forward(cube, mask, offsets):
    """y[r, c] = Σ_b mask[r, c − o_b] · x[r, c − o_b, b], written down once more in NumPy."""
    rows, columns, bands = cube.shape
    y = np.zeros((rows, columns + int(max(offsets))))
    for b in range(bands):
        at = int(offsets[b])
        y[:, at : at + columns] += cube[:, :, b] * mask
    return y


def scattered(values, rng):
    """The same values under other strides: axes in any order, gaps, either direction."""
    order = rng.permutation(values.ndim)
    gaps = rng.integers(1, 3, values.ndim)
    memory = np.full([n * g for n, g in zip(np.array(values.shape)[order], gaps)], np.nan, np.float32)
    view = memory[tuple(slice(None, None, g) for g in gaps)].transpose(np.argsort(order))
    view = view[tuple(slice(None, None, s) for s in rng.choice([-1, 1], values.ndim))]
    view[...] = values
    return view


def test_any_shape_and_strides_give_the_same():
    rng = np.random.default_rng(5)
    for _ in range(150):
        rows, columns, bands = rng.integers(1, 9, 3)
        step = int(rng.integers(0, 4))
        mask = rng.random((rows, columns), np.float32)
        cube = rng.random((rows, columns, bands), np.float32)
        camera = snapcube.Camera(scattered(mask, rng), bands=bands, step=step)
        measurement = camera.forward(scattered(cube, rng))
        np.testing.assert_allclose(measurement, reference_forward(cube, mask, camera.offsets), rtol=1e-5)
        method = snapcube.Reconstructor("gap-tv", iterations=2)
        np.testing.assert_array_equal(
            method.reconstruct(scattered(measurement, rng), camera), method.reconstruct(measurement, camera)
        )


def test_random_arrays_are_taken_or_refused():
    """Random shapes, types, strides and values in every place that takes an array: a result or an InputError."""
    rng = np.random.default_rng(11)
    good = snapcube.Camera(rng.random((6, 7), np.float32), bands=3)
    method = snapcube.Reconstructor("gap-tv", iterations=1)
    calls = [
        lambda a, b: snapcube.Camera(a, bands=3),
        lambda a, b: snapcube.Camera(a, offsets=b),
        lambda a, b: snapcube.Cube(a, b),
        lambda a, b: good.forward(a),
        lambda a, b: good.adjoint(a),
        lambda a, b: good.shift_back(a),
        lambda a, b: good.misfit(a, b),
        lambda a, b: snapcube.simulate(a, good),
        lambda a, b: method.reconstruct(a, good),
        lambda a, b: snapcube.metrics(a, b),
        lambda a, b: snapcube.psnr_per_band(a, b),
        lambda a, b: snapcube.render(snapcube.Cube(a, np.linspace(450, 650, a.shape[-1] if a.ndim else 1))),
        lambda a, b: snapcube.preview(snapcube.Cube(a, [450, 550, 650]), measurement=b),
        lambda a, b: snapcube.Cube(a, [450, 550, 650]).resample(b),
        lambda a, b: snapcube.Cube(a)._repr_png_(),
    ]
    shapes = [(), (0,), (3,), (5, 0), (6, 7), (6, 11), (1, 1), (6, 7, 3), (1, 7, 3), (6, 0, 3), (6, 7, 3, 1), (2**20, 0)]
    kinds = ["f4", "f8", ">f4", "f2", "i8", "u1", "bool", "c8", "O", "U3", "M8[s]"]
    refused = taken = 0

    def anything():
        array = np.zeros(shapes[rng.integers(len(shapes))], kinds[min(rng.integers(16), 10) if rng.random() < 0.3 else 0])
        if array.dtype == np.float32:
            array = scattered(rng.random(array.shape, np.float32), rng) if array.ndim and array.size else array
            if array.size and rng.random() < 0.1:
                array[(0,) * array.ndim] = rng.choice([np.nan, np.inf, -np.inf, -1, 3e38])
        return np.broadcast_to(array[:1], array.shape) if array.ndim and array.size and rng.random() < 0.1 else array

    for _ in range(2000):
        try:
            calls[rng.integers(len(calls))](anything(), anything())
            taken += 1
        except InputError as error:
            assert str(error)
            refused += 1
    assert taken > 100 and refused > 500


def test_results_are_float32_rows_columns_bands(shot, camera, scene):
    assert shot.dtype == np.float32 and shot.shape == camera.detector_shape == (32, 50)
    cube = snapcube.reconstruct(shot, camera, "gap-tv", iterations=2)
    assert cube.shape == camera.shape == scene.shape == (32, 40, 6)
    assert cube.dtype == np.float32
    np.testing.assert_array_equal(cube.wavelengths, camera.wavelengths)


def test_nothing_is_copied_on_the_way_out(shot, camera):
    cube = snapcube.reconstruct(shot, camera, "gap-tv", iterations=2)
    assert np.shares_memory(np.asarray(cube), cube.values)
    assert np.shares_memory(cube.bands_first, cube.values)
    assert cube.bands_first.shape == (6, 32, 40) and cube.bands_first.flags.c_contiguous
    assert np.from_dlpack(cube).shape == cube.shape
    own = np.zeros((4, 5, 3), np.float32)
    assert np.shares_memory(snapcube.Cube(own).values, own)
    assert np.shares_memory(snapcube.Cube(own.transpose(2, 0, 1), bands_first=True).values, own)


def test_arrays_outlive_what_they_came_from(shot, camera):
    band = snapcube.reconstruct(shot, camera, "gap-tv", iterations=2).band(500)
    for _ in range(20):
        snapcube.reconstruct(shot, camera, "gap-tv", iterations=1)
    assert np.isfinite(band).all()


@pytest.mark.parametrize("kind", ["float64", "float16", ">f4", "int16", "uint8", "bool"])
def test_other_types_are_converted(kind):
    mask = (np.arange(48).reshape(6, 8) % 3 > 0).astype(kind)
    camera = snapcube.Camera(mask, bands=2)
    np.testing.assert_array_equal(camera.mask, mask.astype(np.float32))


def test_buffers_and_dlpack_are_taken():
    class Tensor:
        """What a tensor of another library looks like: DLPack and nothing else."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, stream=None):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    mask = np.random.default_rng(1).random((6, 8), np.float32)
    expected = snapcube.Camera(mask, bands=2).mask
    for same in (memoryview(mask), Tensor(mask), mask.tolist(), snapcube.Camera(mask, bands=2).mask):
        np.testing.assert_array_equal(snapcube.Camera(same, bands=2).mask, expected)


def test_unaligned_values_are_taken():
    packed = np.zeros((6, 8), dtype=[("tag", "u1"), ("value", "<f4")])
    packed["value"] = np.random.default_rng(2).random((6, 8))
    np.testing.assert_array_equal(snapcube.Camera(packed["value"], bands=2).mask, packed["value"])


@pytest.mark.parametrize(
    "mask",
    [
        np.ones(5),
        np.ones((2, 3, 4, 5)),
        np.ones((2, 3, 4)),
        np.float32(3),
        np.ones((0, 4)),
        np.full((3, 4), np.nan),
        np.full((3, 4), np.inf),
        np.full((3, 4), 1e300),
        -np.ones((3, 4)),
        np.ones((3, 4), complex),
        np.full((3, 4), "x"),
        np.full((3, 4), None),
        [[1, 2], [3]],
        None,
        object(),
        b"mask",
        {"mask": 1},
    ],
)
def test_bad_masks_are_refused(mask):
    with pytest.raises(InputError):
        snapcube.Camera(mask, bands=3)


def test_errors_have_parts(shot, camera, tmp_path):
    with pytest.raises(ValueError) as wrong:
        snapcube.reconstruct(shot[:, :-1], camera, "gap-tv")
    assert (wrong.value.file, wrong.value.found) == (None, "32×49") and wrong.value.expected.startswith("32×50")
    with pytest.raises(InputError) as wrong:
        snapcube.Cube(np.ones((2, 2, 3)), [400, 500])
    assert (wrong.value.field, wrong.value.expected, wrong.value.found) == ("wavelengths", "one for each of 3 bands", "2")
    missing = str(tmp_path / "none.npy")
    with pytest.raises(InputError) as wrong:
        snapcube.read(missing)
    assert wrong.value.file == missing
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00 nothing")
    with pytest.raises(InputError) as wrong:
        snapcube.read(tmp_path / "bad.npy")
    assert wrong.value.file == str(tmp_path / "bad.npy") and wrong.value.expected
    again = pickle.loads(pickle.dumps(wrong.value))
    assert str(again) == str(wrong.value) and again.found == wrong.value.found


def test_bad_arguments_are_refused(shot, camera, scene):
    for call in (
        lambda: snapcube.Camera(np.ones((4, 4)), bands=0),
        lambda: snapcube.Camera(np.ones((4, 4)), bands=2.5),
        lambda: snapcube.Camera(np.ones((4, 4)), bands=2**40),
        lambda: snapcube.Camera(np.ones((4, 4)), axis="diagonal"),
        lambda: snapcube.Camera(np.ones((4, 4)), axis=3),
        lambda: snapcube.Camera(np.ones((4, 4)), bands=3, offsets=[0, 1]),
        lambda: snapcube.Camera(np.ones((4, 4)), offsets=[0, np.nan]),
        lambda: snapcube.Camera(np.ones((4, 4)), wavelengths=["red"]),
        lambda: snapcube.Camera(np.ones((4, 4)), wavelengths=np.array([500 + 1j, 600])),
        lambda: snapcube.Camera(np.ones((4, 4)), wavelengths=np.zeros(2, "M8[s]")),
        lambda: snapcube.Camera(np.ones((4, 4)), offsets="12"),
        lambda: snapcube.simulate(scene[:-1], camera),
        lambda: snapcube.simulate(scene, camera, noise="loud"),
        lambda: snapcube.simulate(scene, camera, noise=3),
        lambda: snapcube.simulate(scene, camera, seed=-1),
        lambda: snapcube.reconstruct(shot, "camera"),
        lambda: snapcube.reconstruct(shot, camera, "gap-vt"),
        lambda: snapcube.reconstruct(shot, camera, "gap-tv", iteration=3),
        lambda: snapcube.reconstruct(shot, camera, "gap-tv", iterations=[3]),
        lambda: snapcube.reconstruct(shot, camera, iterations=3),
        lambda: snapcube.reconstruct(shot, camera, 5),
        lambda: snapcube.reconstruct(np.full_like(shot, np.nan), camera, "gap-tv"),
        lambda: snapcube.metrics(scene, scene[:-1]),
        lambda: snapcube.metrics(scene, scene, "decibel"),
        lambda: snapcube.scene("nothing"),
        lambda: snapcube.scene("chart", 0),
        lambda: snapcube.random_mask(density=2.0),
        lambda: snapcube.random_mask(kind="blue"),
        lambda: snapcube.render(snapcube.Cube(np.ones((4, 4, 3)))),
        lambda: snapcube.read("x\0.npy"),
        lambda: snapcube.read("x.npy", "cubes"),
        lambda: scene.resample([100, 200]),
        lambda: snapcube.Cube(np.ones((2, 2, 2))).band(500),
    ):
        with pytest.raises(InputError):
            call()


def test_a_cube_is_an_array_with_wavelengths(scene):
    assert repr(scene) == "<snapcube.Cube 32×40, 6 bands, 450–650 nm>"
    assert isinstance(scene - scene, np.ndarray) and not (scene - scene).any()
    assert np.add(scene, 1).shape == scene.shape and np.mean(scene) == scene.values.mean()
    np.testing.assert_array_equal(scene.band(491), scene[:, :, 1])
    again = pickle.loads(pickle.dumps(scene))
    np.testing.assert_array_equal(again, scene)
    np.testing.assert_array_equal(again.wavelengths, scene.wavelengths)
    middle = scene.resample([470.0])
    np.testing.assert_allclose(middle[:, :, 0], (scene[:, :, 0] + scene[:, :, 1]) / 2, atol=1e-6)


def test_a_camera_can_be_sent_to_another_process(camera, scene):
    again = pickle.loads(pickle.dumps(camera))
    assert repr(again) == repr(camera) == "<snapcube.Camera 32×40, 6 bands 2 pixels apart along the columns>"
    np.testing.assert_array_equal(again.forward(scene), camera.forward(scene))


def test_forward_and_adjoint_are_adjoint(camera):
    rng = np.random.default_rng(3)
    x = rng.random(camera.shape, np.float32)
    y = rng.random(camera.detector_shape, np.float32)
    left = np.vdot(camera.forward(x).astype(np.float64), y)
    right = np.vdot(x, np.asarray(camera.adjoint(y)).astype(np.float64))
    assert abs(left - right) < 1e-4 * abs(left)


def test_a_mask_for_each_band():
    rng = np.random.default_rng(6)
    masks = rng.random((8, 9, 3), np.float32)
    cube = rng.random((8, 9, 3), np.float32)
    camera = snapcube.Camera(masks)
    assert camera.bands == 3
    expected = np.zeros(camera.detector_shape)
    for b in range(3):
        expected[:, 2 * b : 2 * b + 9] += masks[:, :, b] * cube[:, :, b]
    np.testing.assert_allclose(camera.forward(cube), expected, rtol=1e-5)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(camera)).forward(cube), camera.forward(cube))
