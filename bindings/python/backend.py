"""Makes a wheel that carries the tool, for `pip install .` and `pip wheel .` (PEP 517), with nothing but the standard library.

The wheel has the module and, below onyx/_tool, what `cmake --install` installs. It is built in build-wheel/ of the source tree, or taken
from the build tree that $ONYX_BUILD names.
"""

import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MODULE = SOURCE / "bindings/python/onyx"
# The wheel has only run-time files: no headers, libraries to link, and man pages.
CARRIED = re.compile(r"bin/|lib/.*libonyx\.so\.0$|share/onyx/|share/doc/onyx/")


# The command: a script of the shell, since Python takes longer to start than the tool does. It stands in bin/ of the prefix where
# the module is in lib/. Where several versions of Python have a wheel there, the first python3 on the PATH says which.
COMMAND = """#!/bin/sh
here=$(readlink -f "$0")
here=${here%/*}
found= only=
for tool in "$here"/../lib*/python3*/*-packages/onyx/_tool/bin/onyx; do
    [ -x "$tool" ] || continue
    tool=$(readlink -f "$tool") # lib64 is a link to lib
    [ "$tool" = "$only" ] || found="$found+"
    only=$tool
done
[ "$found" != + ] || exec "$only" "$@"
python=$here/python3
[ -x "$python" ] || python=python3
module=$("$python" -c 'import importlib.util as u; print(u.find_spec("onyx").submodule_search_locations[0])') || exit
exec "$module/_tool/bin/onyx" "$@"
"""


def _version():
    return (SOURCE / "VERSION").read_text().split()[0]


def _tag():
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"py3-none-{machine}"


def _metadata():
    requires = "".join(f"Requires-Dist: {name}\n" for name in ("cffi", "numpy"))
    extras = "Provides-Extra: scipy\nRequires-Dist: scipy; extra == 'scipy'\n"
    return (f"Metadata-Version: 2.1\nName: onyx\nVersion: {_version()}\nSummary: Sparse tensor expressions to a programmed Onyx CGRA\n"
            f"License: MIT\nRequires-Python: >=3.9\n{requires}{extras}Description-Content-Type: text/markdown\n\n"
            + (SOURCE / "docs/python.md").read_text())


def _packages():
    """Ends with the packages of Debian that the build needs and that are missing."""
    if not shutil.which("dpkg-query"):
        return
    lines = (SOURCE / "cmake/packages.txt").read_text().splitlines()
    status = ["dpkg-query", "-W", "-f", "${Status}"]
    missing = [name for name in lines if name and name[0] != "#" and b"ok installed" not in subprocess.run([*status, name], capture_output=True).stdout]
    if missing:
        raise SystemExit(f"onyx is built from source, and packages are missing: apt install {' '.join(missing)}")


def _install(prefix):
    """Installs by cmake into a folder."""
    build = pathlib.Path(os.environ.get("ONYX_BUILD") or SOURCE / "build-wheel")
    if "ONYX_BUILD" not in os.environ:
        _packages()
        jobs = str(os.cpu_count() or 1)
        subprocess.run(["cmake", "-S", str(SOURCE), "-B", str(build), "-DCMAKE_BUILD_TYPE=RelWithDebInfo"], check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "installed", "--parallel", jobs], check=True)
    subprocess.run(["cmake", "--install", str(build), "--prefix", str(prefix), "--strip"], check=True, stdout=subprocess.DEVNULL)


def _files(prefix):
    """The members of the wheel: (name, bytes, executable)."""
    for path in sorted(MODULE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"onyx/{path.relative_to(MODULE)}", path.read_bytes(), False
    for header in ("onyx.h", "stored.h"):
        yield f"onyx/{header}", (SOURCE / "bindings" / header).read_bytes(), False
    for path in sorted(prefix.rglob("*")):
        name = str(path.relative_to(prefix))
        if path.is_file() and CARRIED.match(name):
            yield f"onyx/_tool/{name}", path.read_bytes(), os.access(path, os.X_OK)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Installers resolve the module's packages by this file, in front of the build, as the build's packages are looked for."""
    if "ONYX_BUILD" not in os.environ:
        _packages()
    about = pathlib.Path(metadata_directory, f"onyx-{_version()}.dist-info")
    about.mkdir()
    (about / "METADATA").write_text(_metadata())
    return about.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, about = f"onyx-{_version()}-{_tag()}.whl", f"onyx-{_version()}.dist-info"
    record = []

    def put(wheel, name, data, executable=False):
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same bytes every time
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (0o100755 if executable else 0o100644) << 16
        wheel.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}")

    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w") as wheel:
        prefix = pathlib.Path(folder)
        _install(prefix)
        for file, data, executable in _files(prefix):
            put(wheel, file, data, executable)
        put(wheel, f"{about}/METADATA", _metadata().encode())
        put(wheel, f"{about}/WHEEL", f"Wheel-Version: 1.0\nGenerator: onyx\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode())
        put(wheel, f"onyx-{_version()}.data/scripts/onyx", COMMAND.encode(), True)
        put(wheel, f"{about}/RECORD", ("\n".join([*record, f"{about}/RECORD,,"]) + "\n").encode())
    return name


def get_requires_for_build_wheel(config_settings=None):
    if platform.system() != "Linux":
        raise SystemExit("onyx is built on Linux only")
    return []
