"""Measures, pictures, the viewer, training, and files in other programs."""

import io
import subprocess
import sys
import urllib.request

import matplotlib.image
import numpy as np
import pytest

import snapcube


def test_metrics_agree_with_their_formulas(scene):
    rng = np.random.default_rng(4)
    other = np.clip(scene.values + rng.normal(0, 0.02, scene.shape).astype(np.float32), 0, 1)
    scores = snapcube.metrics(other, scene, "float")
    error = (other.astype(np.float64) - scene.values) ** 2
    per_band = -10 * np.log10(error.mean(axis=(0, 1)))
    np.testing.assert_allclose(snapcube.psnr_per_band(other, scene, "float"), per_band, atol=1e-3)
    assert abs(scores.psnr - per_band.mean()) < 1e-3
    assert abs(scores.rmse - 255 * np.sqrt(error.mean())) < 1e-2
    assert 0 < snapcube.ssim_per_band(other, scene).mean() < 1


def test_a_notebook_shows_a_cube(scene):
    picture = matplotlib.image.imread(io.BytesIO(scene._repr_png_()))
    assert picture.shape == (32, 40, 3)
    np.testing.assert_array_equal(np.round(picture * 255).astype(np.uint8), snapcube.render(scene))
    grey = snapcube.Cube(scene.values)._repr_png_()
    assert matplotlib.image.imread(io.BytesIO(grey)).shape == (32, 40, 3)
    large = snapcube.Cube(np.ones((1000, 2000, 1), np.float32))._repr_png_()
    assert max(matplotlib.image.imread(io.BytesIO(large)).shape) <= 768


def test_previews(scene, shot):
    picture = snapcube.preview(scene, measurement=shot, truth=scene, title="a scene")
    assert picture.dtype == np.uint8 and picture.ndim == 3


def test_xarray_has_the_wavelengths(scene):
    pytest.importorskip("xarray")
    data = scene.to_xarray()
    assert data.dims == ("y", "x", "wavelength") and np.shares_memory(data.values, scene.values)
    np.testing.assert_array_equal(data.sel(wavelength=500, method="nearest"), scene.band(500))


def test_the_viewer_shows_arrays(scene, shot):
    with snapcube.view(scene, truth=scene, measurement=shot, names=["mine"], open_browser=False) as viewer:
        page = urllib.request.urlopen(viewer.url, timeout=20).read().decode()
        assert "<html" in page and viewer.is_open
    assert not viewer.is_open
    with pytest.raises(snapcube.InputError):
        snapcube.view(open_browser=False)
    with pytest.raises(snapcube.InputError):
        snapcube.view(scene, names=["../x"], open_browser=False)


def test_training_says_what_is_wrong(tmp_path):
    try:
        training = snapcube.train(data=tmp_path / "none", mask="binary", run=tmp_path / "run")
    except snapcube.Error as error:
        pytest.skip(str(error))
    with pytest.raises(snapcube.InputError, match="none"):
        training.wait()
    with pytest.raises(snapcube.InputError):
        snapcube.train(data="x")


def test_training_streams_its_log(tmp_path):
    folder = tmp_path / "scenes"
    folder.mkdir()
    snapcube.write(snapcube.scene("texture", 128, 128), folder / "scene.npy")
    try:
        training = snapcube.train(
            data=folder, mask="binary", run=tmp_path / "run", steps=2, crop=128, batch=1, recipe="quick", crop_height=64
        )
    except snapcube.Error as error:
        pytest.skip(str(error))
    entries = list(training)
    assert entries and any("loss" in entry for entry in entries)
    assert training.wait().is_file()


@pytest.mark.parametrize("name", ["c.mat", "c.npy", "c.npz", "c.h5", "c.hdr", "c.tif"])
def test_files_keep_cubes(name, scene, tmp_path):
    snapcube.write(scene, tmp_path / name)
    again = snapcube.read(tmp_path / name, layout="auto" if name != "c.npy" else "rows-columns-bands")
    np.testing.assert_array_equal(again, scene)
    if name != "c.npy":
        np.testing.assert_allclose(again.wavelengths, scene.wavelengths)
    assert snapcube.describe(tmp_path / name).arrays


def test_files_keep_measurements_and_masks(shot, camera, tmp_path):
    snapcube.write(shot, tmp_path / "shot.mat")
    np.testing.assert_array_equal(snapcube.read(tmp_path / "shot.mat", "measurement"), shot)
    snapcube.write(camera.mask, tmp_path / "mask.npy", kind="mask")
    np.testing.assert_array_equal(snapcube.Camera(tmp_path / "mask.npy", bands=6).mask, camera.mask)


# Neighbours: what other programs make of our files.


@pytest.mark.parametrize("type", ["f32", "u16"])
def test_spectral_python_opens_envi(scene, tmp_path, type):
    spectral = pytest.importorskip("spectral")
    snapcube.write(scene, tmp_path / "c.hdr", type=type)
    image = spectral.open_image(str(tmp_path / "c.hdr"))
    assert image.shape == scene.shape
    np.testing.assert_allclose(image.bands.centers, scene.wavelengths)
    assert image.bands.band_unit == "nm" or image.bands.band_unit.lower() == "nanometers"
    values = np.asarray(image.load(dtype=np.float64))  # divided by the scale that the header states
    np.testing.assert_allclose(values, scene, atol=1e-7 if type == "f32" else 1e-5)


def test_h5py_reads_hdf5(scene, tmp_path):
    h5py = pytest.importorskip("h5py")
    snapcube.write(scene, tmp_path / "c.h5")
    with h5py.File(tmp_path / "c.h5") as file:
        cube = file["cube"]
        np.testing.assert_array_equal(cube[()], scene.bands_first)
        np.testing.assert_array_equal(cube.attrs["wavelengths"], scene.wavelengths)
        (scale,) = cube.dims[0].values()
        np.testing.assert_array_equal(scale[()], scene.wavelengths)
    # and both libraries live in one process
    np.testing.assert_array_equal(snapcube.read(tmp_path / "c.h5"), scene)
    assert [array.name for array in snapcube.describe(tmp_path / "c.h5").arrays] == ["cube", "wavelength"]


def test_hdf5_has_the_same_bytes_every_time(scene, tmp_path):
    for name in ("a.h5", "b.h5"):
        snapcube.write(scene, tmp_path / name)
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()


def test_hdf5_without_wavelengths(scene, tmp_path):
    h5py = pytest.importorskip("h5py")
    snapcube.write(scene.values, tmp_path / "c.h5")
    with h5py.File(tmp_path / "c.h5") as file:
        names = [[scale.name for scale in axis.values()] for axis in file["cube"].dims]
    assert names == [["/band"], ["/y"], ["/x"]]
    again = snapcube.read(tmp_path / "c.h5")
    np.testing.assert_array_equal(again, scene)
    assert [array.name for array in snapcube.describe(tmp_path / "c.h5").arrays] == ["cube"]


# xarray in a process of its own: libnetcdf and h5py bring an HDF5 along that need not be ours.
XARRAY = """
import sys
import numpy as np
import xarray

for engine in ("h5netcdf", "netcdf4"):
    try:
        data = xarray.open_dataset(sys.argv[1], engine=engine)
    except (ValueError, ModuleNotFoundError) as error:
        if "engine" in str(error) or "module" in str(error):
            continue
        raise
    cube = data["cube"]
    assert cube.dims == ("wavelength", "y", "x"), cube.dims
    assert cube["wavelength"].attrs["units"] == "nm", cube["wavelength"]
    np.testing.assert_array_equal(cube["wavelength"], np.load(sys.argv[2])["wavelengths"])
    np.testing.assert_array_equal(cube.transpose("y", "x", "wavelength"), np.load(sys.argv[2])["values"])
    print(engine)
"""


def test_xarray_opens_hdf5(scene, tmp_path):
    pytest.importorskip("xarray")
    snapcube.write(scene, tmp_path / "c.h5")
    np.savez(tmp_path / "c.npz", values=scene.values, wavelengths=scene.wavelengths)
    shown = subprocess.run(
        [sys.executable, "-c", XARRAY, tmp_path / "c.h5", tmp_path / "c.npz"], capture_output=True, text=True
    )
    assert shown.returncode == 0, shown.stderr
    if not shown.stdout:
        pytest.skip("xarray reads HDF5 with neither h5netcdf nor netCDF4 here")


def test_scipy_reads_matlab(scene, tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    snapcube.write(scene, tmp_path / "c.mat")
    content = scipy_io.loadmat(tmp_path / "c.mat")
    np.testing.assert_array_equal(content["cube"], scene)
    np.testing.assert_allclose(content["wavelengths"].ravel(), scene.wavelengths)


def test_numpy_reads_npz(scene, tmp_path):
    snapcube.write(scene, tmp_path / "c.npz")
    with np.load(tmp_path / "c.npz") as content:
        values = content["cube"]
        np.testing.assert_allclose(content["wavelengths"].ravel(), scene.wavelengths)
    assert any(np.array_equal(np.transpose(values, axes), scene) for axes in ((0, 1, 2), (1, 2, 0)))


@pytest.mark.parametrize("type", ["f32", "u16", "u8"])
def test_tiff_is_a_stack_of_imagej(scene, tmp_path, type):
    """As ImageJ has it: one page a band, a description, labels of the slices."""
    tifffile = pytest.importorskip("tifffile")
    snapcube.write(scene, tmp_path / "c.tif", type=type)
    with tifffile.TiffFile(tmp_path / "c.tif") as file:
        assert file.is_imagej
        (series,) = file.series
        assert series.kind.lower() == "imagej" and series.axes == "ZYX" and series.shape == (6, 32, 40)
        values = file.asarray()
        about = file.imagej_metadata
    scale = {"f32": 1, "u16": 65535, "u8": 255}[type]
    np.testing.assert_allclose(values / scale, scene.bands_first, atol=0 if type == "f32" else 0.51 / scale)
    assert about["images"] == about["slices"] == 6
    assert about["Labels"] == [f"{wavelength:g} nm" for wavelength in scene.wavelengths]
    again = snapcube.read(tmp_path / "c.tif")
    np.testing.assert_allclose(again.wavelengths, scene.wavelengths)


def test_python_starts_the_program():
    shown = subprocess.run([sys.executable, "-m", "snapcube", "--version"], capture_output=True, text=True, check=True)
    assert snapcube.__version__ in shown.stdout
