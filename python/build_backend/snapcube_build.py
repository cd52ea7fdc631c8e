"""Builds wheels (PEP 517) with CMake, and needs nothing else: no setuptools, no network.

A wheel holds the package and, inside of it, a small installation: bin/snapcube, lib/libsnapcube.so.0.2 and
share/snapcube/models. The libraries that libsnapcube needs are Debian's and stay outside.

SNAPCUBE_BUILD_DIR names a build folder to use, such as build/release, in place of build/wheel.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Optional

SOURCE = Path(__file__).resolve().parents[2]
TARGETS = ["snapcube_app", "snapcube_python"]


def _version() -> str:
    header = SOURCE / "include" / "snapcube" / "version.h"
    found = re.search(r'SNAPCUBE_VERSION_STRING "([0-9.]+)"', header.read_text())
    assert found is not None
    return found.group(1)


def _tag() -> str:
    interpreter = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{interpreter}-{interpreter}-{platform}"


def _metadata() -> str:
    return "\n".join(
        [
            "Metadata-Version: 2.1",
            "Name: snapcube",
            f"Version: {_version()}",
            "Summary: Hyperspectral cubes from one snapshot of a CASSI camera",
            "License: MIT",
            "Requires-Python: >=3.9",
            "Requires-Dist: numpy",
            "Description-Content-Type: text/markdown",
            "",
            (SOURCE / "README.md").read_text(),
        ]
    )


def _run(*command: str) -> None:
    ended = subprocess.run(command, cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{ended.stdout[-8000:]}")


def _build() -> Path:
    """The build folder, with everything in it that a wheel needs."""
    build = Path(os.environ.get("SNAPCUBE_BUILD_DIR", SOURCE / "build" / "wheel")).absolute()
    if not (build / "build.ninja").exists():
        _run(
            *("cmake", "-G", "Ninja", "-S", str(SOURCE), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release"),
            *("-DSNAPCUBE_TESTS=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_Torch=ON", f"-DPython3_EXECUTABLE={_python()}"),
        )
    _run("cmake", "--build", str(build), "--target", *TARGETS)
    return build


def _python() -> str:
    """The interpreter itself, not a virtual environment's link to it, which has no headers."""
    base = Path(getattr(sys, "_base_executable", sys.executable))
    return str(base.resolve())


def _files(prefix: Path) -> dict[str, Path]:
    """Where everything of an installation goes in the wheel."""
    files: dict[str, Path] = {}
    package = next(prefix.glob("**/dist-packages/snapcube"))
    for path in sorted(package.rglob("*")):
        if path.is_file():
            files["snapcube/" + path.relative_to(package).as_posix()] = path
    files["snapcube/bin/snapcube"] = prefix / "bin" / "snapcube"
    # the name that programs ask for is a link to the file with the whole version; what it loads lies beside it
    library = next(path for path in prefix.glob("lib/**/libsnapcube.so.*") if path.is_symlink())
    for path in [library, *library.parent.glob("snapcube-*/libsnapcube-*.so")]:
        files["snapcube/lib/" + path.relative_to(library.parent).as_posix()] = path
    models = prefix / "share" / "snapcube" / "models"
    for path in sorted(models.iterdir()):
        files["snapcube/share/snapcube/models/" + path.name] = path
    return files


def _record(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def build_wheel(
    wheel_directory: str, config_settings: Optional[dict[str, Any]] = None, metadata_directory: Optional[str] = None
) -> str:
    """Writes the wheel; its file's name."""
    build = _build()
    name = f"snapcube-{_version()}-{_tag()}.whl"
    info = f"snapcube-{_version()}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        prefix = Path(folder)
        for component in ("library", "program", "python"):
            _run("cmake", "--install", str(build), "--prefix", folder, "--component", component)
        wheel = f"Wheel-Version: 1.0\nGenerator: snapcube_build\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
        texts = {
            f"{info}/METADATA": _metadata(),
            f"{info}/WHEEL": wheel,
            f"{info}/entry_points.txt": "[console_scripts]\nsnapcube = snapcube.__main__:main\n",
            f"{info}/LICENSE": (SOURCE / "LICENSE").read_text(),
        }
        record = ""
        with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for target, path in _files(prefix).items():
                content = path.read_bytes()
                entry = zipfile.ZipInfo(target, (1980, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                # pip looks at the x of files that say that they are ordinary ones
                entry.external_attr = (stat.S_IFREG | (0o755 if os.access(path, os.X_OK) else 0o644)) << 16
                archive.writestr(entry, content)
                record += _record(target, content)
            for target, text in texts.items():
                archive.writestr(zipfile.ZipInfo(target, (1980, 1, 1, 0, 0, 0)), text)
                record += _record(target, text.encode())
            archive.writestr(zipfile.ZipInfo(f"{info}/RECORD", (1980, 1, 1, 0, 0, 0)), record + f"{info}/RECORD,,\n")
    return name


def build_sdist(sdist_directory: str, config_settings: Optional[dict[str, Any]] = None) -> str:
    """Writes an archive of what git knows; its file's name."""
    top = f"snapcube-{_version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(Path(sdist_directory) / f"{top}.tar.gz", "w:gz") as archive:
        for name in sorted(listed.decode().split("\0")):
            if name and (SOURCE / name).exists():
                archive.add(SOURCE / name, f"{top}/{name}", recursive=False)
        with tempfile.NamedTemporaryFile("w", suffix="PKG-INFO") as info:
            info.write(_metadata())
            info.flush()
            archive.add(info.name, f"{top}/PKG-INFO")
    return f"{top}.tar.gz"


def get_requires_for_build_wheel(config_settings: Optional[dict[str, Any]] = None) -> list[str]:
    """Nothing from a package index: compiler and libraries are Debian's (packages.txt, core and python)."""
    return []


def get_requires_for_build_sdist(config_settings: Optional[dict[str, Any]] = None) -> list[str]:
    """Nothing."""
    return []
