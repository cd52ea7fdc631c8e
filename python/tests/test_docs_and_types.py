"""The tutorial runs, and types are what the stubs say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import snapcube


def code_of(page: Path) -> str:
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.M | re.S))


@pytest.fixture(scope="module")
def tutorial(source, tmp_path_factory) -> Path:
    """docs/python.md as a program."""
    path = tmp_path_factory.mktemp("tutorial") / "tutorial.py"
    path.write_text(code_of(source / "docs" / "python.md"))
    return path


def test_the_tutorial_runs(tutorial):
    shown = subprocess.run([sys.executable, tutorial.name], cwd=tutorial.parent, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    assert "is not 128×181" in shown.stdout
    assert (tutorial.parent / "spectrum.png").stat().st_size > 5000
    assert (tutorial.parent / "cube.h5").exists()


def test_the_readme_runs(source, tmp_path):
    camera = snapcube.Camera(snapcube.random_mask(48, 48))
    snapcube.write(camera.mask, tmp_path / "mask.mat", kind="mask")
    snapcube.write(snapcube.simulate(snapcube.scene("chart", 48, 48), camera), tmp_path / "shot.mat")
    program = code_of(source / "README.md") + "\nprint(cube)"
    shown = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert shown.stdout == "<snapcube.Cube 48×48, 28 bands, 453.5–648 nm>\n", shown.stderr


def test_every_public_name_is_documented():
    for name in snapcube.__all__:
        thing = getattr(snapcube, name)
        if callable(thing):
            assert thing.__doc__ and len(thing.__doc__) > 8, name


def run_tool(source, *arguments):
    pytest.importorskip("mypy")
    package = Path(snapcube.__file__).parent.parent
    environment = dict(os.environ, MYPYPATH=str(package))
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=source / "python", capture_output=True, text=True, env=environment
    )


def test_mypy_strict_is_content(source, tutorial, tmp_path):
    settings = tmp_path / "mypy.ini"
    settings.write_text(
        "[mypy]\n[mypy-xarray.*,matplotlib.*,IPython.*]\nignore_missing_imports = True\nfollow_imports = skip\n"
    )
    shown = run_tool(
        source, "mypy", "--strict", "--config-file", str(settings), "--cache-dir", str(tmp_path / "cache"),
        *map(str, (source / "python" / "snapcube").glob("*.py*")), str(tutorial),
    )
    assert shown.returncode == 0, shown.stdout + shown.stderr
