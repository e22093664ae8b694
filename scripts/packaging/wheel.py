"""walduct-VERSION-py3-none-manylinux_2_31_MACHINE.whl: `pip install` puts the program on the path, for CI and tests."""
import base64
import hashlib
import zipfile
from time import gmtime

from files import DESCRIPTION, LICENSE, MACHINES, ROOT, SUMMARY, epoch

INIT = '''"""The program walduct, as a Python package: `find_walduct()` says where it lies, `python -m walduct` runs it."""
import os
import sysconfig

__version__ = "{version}"


def find_walduct():
    """The program that came with this package; FileNotFoundError when somebody removed it."""
    schemes = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))]
    # pip install --target, which has no scripts folder of its own.
    schemes.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"))
    for folder in schemes:
        path = os.path.join(folder, "walduct")
        if os.path.isfile(path):
            return path
    raise FileNotFoundError("walduct is in none of " + ", ".join(schemes))
'''
MAIN = '''import os
import sys

from walduct import find_walduct

os.execv(find_walduct(), ["walduct", *sys.argv[1:]])
'''
METADATA = """Metadata-Version: 2.1
Name: walduct
Version: {version}
Summary: {summary}
License: {license}
Keywords: postgresql,kafka,debezium,cdc,outbox
Classifier: Operating System :: POSIX :: Linux
Classifier: License :: OSI Approved :: Apache Software License
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{description}

`pip install walduct` puts the program `walduct` on the path; `python -m walduct` runs it, too.
"""
WHEEL = """Wheel-Version: 1.0
Generator: walduct scripts/package
Root-Is-Purelib: false
Tag: {tag}
"""


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def make(stage, arch, version, out):
    tag = f"py3-none-manylinux_2_31_{MACHINES[arch]}"
    info = f"walduct-{version}.dist-info"
    files = {
        "walduct/__init__.py": INIT.format(version=version).encode(),
        "walduct/__main__.py": MAIN.encode(),
        f"walduct-{version}.data/scripts/walduct": (stage / "usr/bin/walduct").read_bytes(),
        f"{info}/METADATA": METADATA.format(version=version, summary=SUMMARY, license=LICENSE, description=DESCRIPTION).encode(),
        f"{info}/WHEEL": WHEEL.format(tag=tag).encode(),
        f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    for path in sorted((stage / "usr/share/doc/walduct").glob("LICENSES.*")):
        files[f"{info}/licenses/{path.name}"] = path.read_bytes()
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    made = out / f"walduct-{version}-{tag}.whl"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, gmtime(epoch())[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            archive.writestr(entry, data)
    return made
