# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds wheels from libraries of a build tree and libraries of the system.

Libraries that ours are linked with get unique names, since another GLib, of another version, may be in the same
process. It is an error when a library needs a newer C library than the wheel's tag promises, or a library that is
neither part of the base system nor in a wheel. Each wheel contains the licences of the system's packages that its
libraries come from.
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import zipfile

# The libraries that all systems of the wheel tag manylinux_2_34 have, and their newest symbol versions there.
SYSTEM = re.compile(r'(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux[\w-]*)\.so\.\d')
NEWEST = {'GLIBC': (2, 34), 'GLIBCXX': (3, 4, 29), 'CXXABI': (1, 3, 13), 'GCC': (11, 0, 0)}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(path):
    """Returns the names of the libraries that a library is linked with, without those of the base system."""
    names = re.findall(r'\(NEEDED\).*\[(.*)\]', run('readelf', '-d', '-W', path))
    return [name for name in names if not SYSTEM.fullmatch(name)]


def resolve(path):
    """Returns the paths where the loader finds the dependencies of a library, by name."""
    return dict(re.findall(r'^\s*(\S+) => (\S+) \(', run('ldd', path), re.M))


def own_name(name):
    """Returns a unique name of the same length: "libz.so.1" becomes "libz.ghlo"."""
    return re.fullmatch(r'(.*)\.so\.\d', name)[1] + '.ghlo'


def rename(path, names):
    """Changes names of libraries in place, in the string table: no section grows or moves."""
    section = re.search(r' \.dynstr +STRTAB +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ', run('readelf', '-S', '-W', path))
    start, size = (int(number, 16) for number in section.groups())
    data = path.read_bytes()
    strings = data[start:start + size]
    for name, own in names.items():
        strings = strings.replace(f'\0{name}\0'.encode(), f'\0{own}\0'.encode())
    path.write_bytes(data[:start] + strings + data[start + size:])


def check_versions(path):
    for kind, text in re.findall(r'\*UND\*.*\(?\b(GLIBC|GLIBCXX|CXXABI|GCC)_([\d.]+)\)?', run('objdump', '-T', path)):
        if tuple(map(int, text.split('.'))) > NEWEST[kind]:
            raise SystemExit(f'{path.name} needs {kind}_{text}, and the wheel is for {kind}_'
                             f'{".".join(map(str, NEWEST[kind]))} and later')


def check_links(path, expected, loaded=()):
    """Checks that the dependencies of a library are next to it, the system's or @loaded, and checks its search path."""
    missing = [name for name in needed(path) if name not in loaded and not path.with_name(name).exists()]
    paths = re.findall(r'\(R(?:UN)?PATH\).*\[(.*)\]', run('readelf', '-d', '-W', path))
    if missing or paths != expected:
        raise SystemExit(f'{path.name}: expected the library path {expected} and all dependencies in the wheel, '
                         f'found {paths}, missing {missing}')


def find_licences(source):
    """Returns the system's package that a file comes from, and the package's licence text."""
    real = source.resolve()
    for path in (source, real, pathlib.Path('/') / real.relative_to('/usr') if real.is_relative_to('/usr') else real):
        done = subprocess.run(['dpkg-query', '-S', str(path)], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            text = pathlib.Path(f'/usr/share/doc/{done.stdout.split(":")[0]}/copyright').resolve()
            return text.parent.name, text.read_bytes()
    raise SystemExit(f'cannot find the licences of {real}: expected a file of a Debian package')


def metadata(name, version, summary, lines, readme):
    head = ['Metadata-Version: 2.1', f'Name: {name}', f'Version: {version}', f'Summary: {summary}',
            'License: LGPL-2.1-or-later', 'Classifier: Programming Language :: Python :: 3',
            'Classifier: Operating System :: POSIX :: Linux', 'Requires-Python: >=3.11', *lines,
            'Description-Content-Type: text/markdown']
    return '\n'.join([*head, '', readme]).encode()


def write_archive(wheel, contents):
    """Writes an archive that is reproducible: the same contents give the same bytes."""
    record = next(name for name in contents if name.endswith('/RECORD'))
    rows = []
    with zipfile.ZipFile(wheel, 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in sorted(contents.items(), key=lambda entry: (entry[0] == record, entry[0])):
            if name == record:
                data = ''.join([*rows, f'{record},,\n']).encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
            rows.append(f'{name},sha256={digest},{len(data)}\n')
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if data.startswith(b'\x7fELF') else 0o644) << 16
            archive.writestr(entry, data)


def write(wheel, contents, about, sources, copying, entry_points=None):
    """Writes a wheel and prints its size. @about: its metadata; @sources: the system's files that it has parts of."""
    name, version, tags = re.fullmatch(r'([^-]+)-([^-]+)-(.*)', wheel.stem).groups()
    information = f'{name}-{version}.dist-info'
    contents = dict(contents)
    contents |= {f'{information}/licenses/{package}.txt': text
                 for package, text in {find_licences(source) for source in sources}}
    contents |= {
        f'{information}/METADATA': about,
        f'{information}/WHEEL': f'Wheel-Version: 1.0\nGenerator: ghlo\nRoot-Is-Purelib: false\nTag: {tags}\n'.encode(),
        f'{information}/licenses/ghlo.txt': copying.read_bytes(),
        f'{information}/RECORD': b'',
    }
    if entry_points is not None:
        contents[f'{information}/entry_points.txt'] = entry_points
    write_archive(wheel, contents)
    installed = sum(map(len, contents.values()))
    print(f'{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, installed {installed / 1e6:.1f} MB')
