#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a wheel of the package for JAX, with the plugin and all that it needs beyond the C library.

    make-wheel.py WHEEL VERSION README PLUGIN MODULE.py…

The libraries that the plugin is linked with, and those that it opens when a program needs them, lie beside it. The
former get names of their own, which nothing else in a process has: another GLib may be there, of another version. The
latter, and what they need, are as the system has them, which others of the process may share: the plugin is linked with
what they need, so that it is there when they look for it. The plugin alone says where to look, beside itself, which
holds for all that it is linked with.

What the C library would have to be newer for than the wheel's tag says is an error. Each library comes with the
licences of the package of the system that it is from.
"""

import base64
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

# What systems have by their tag of wheels, manylinux_2_34, and up to which versions.
SYSTEM = re.compile(r'(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux[\w-]*)\.so\.\d')
NEWEST = {'GLIBC': (2, 34), 'GLIBCXX': (3, 4, 29), 'CXXABI': (1, 3, 13), 'GCC': (11, 0, 0)}
# What the plugin opens by itself, where it is found beside GLib.
OPENED = ('libdnnl.so.2', 'openblas-serial/libopenblas.so.0')
PACKAGE = 'jax_plugins/ghlo'


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(path):
    """The names of the libraries that one is linked with, without the system's own."""
    names = re.findall(r'\(NEEDED\).*\[(.*)\]', run('readelf', '-d', '-W', path))
    return [name for name in names if not SYSTEM.fullmatch(name)]


def resolve(path):
    """Where the loader finds all that a library needs, by name."""
    return dict(re.findall(r'^\s*(\S+) => (\S+) \(', run('ldd', path), re.M))


def close(roots):
    """These libraries and all that they need, by name."""
    files, left = {}, list(roots)
    while left:
        name, path = left.pop(0)
        if name not in files:
            files[name] = path
            places = resolve(path)
            left += [(other, pathlib.Path(places[other])) for other in needed(path)]
    return files


def find_opened(plugin):
    """What the plugin opens, where GLib is."""
    folder = pathlib.Path(resolve(plugin)['libglib-2.0.so.0']).resolve().parent
    return [(pathlib.Path(name).name, folder / name) for name in OPENED if (folder / name).exists()]


def own_name(name):
    """Of the same length: "libz.so.1" is "libz.ghlo"."""
    return re.fullmatch(r'(.*)\.so\.\d', name)[1] + '.ghlo'


def rename(path, names):
    """Changes names of libraries where they stand, in the table of strings: nothing grows, or moves."""
    section = re.search(r' \.dynstr +STRTAB +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ', run('readelf', '-S', '-W', path))
    start, size = (int(number, 16) for number in section.groups())
    data = path.read_bytes()
    strings = data[start:start + size]
    for name, own in names.items():
        strings = strings.replace(f'\0{name}\0'.encode(), f'\0{own}\0'.encode())
    path.write_bytes(data[:start] + strings + data[start + size:])


def bundle_linked(files, plugin, folder, helpers):
    """Copies the plugin and what it is linked with, under names of their own."""
    names = {name: own_name(name) for name in files if name != plugin.name}
    for name, source in files.items():
        path = folder / names.get(name, name)
        shutil.copyfile(source, path)
        run('strip', '--strip-unneeded', str(path))
        rename(path, names)
    # A path of the older kind holds for what those need that a library is linked with. One change at a time: patchelf
    # mixes up several.
    for name in helpers:
        run('patchelf', '--add-needed', name, str(folder / plugin.name))
    run('patchelf', '--force-rpath', '--set-rpath', '$ORIGIN', str(folder / plugin.name))


def bundle(plugin, folder):
    """Copies everything. Gives the places on the system of what is not the plugin."""
    roots = find_opened(plugin)
    linked, opened = close([(plugin.name, plugin)]), close(roots)
    bundle_linked(linked, plugin, folder, sorted(opened.keys() - dict(roots).keys()))
    for name, source in opened.items():
        shutil.copyfile(source, folder / name)
    for path in folder.iterdir():
        check_versions(path)
        check_links(path, ['$ORIGIN'] if path.name == plugin.name else [])
    return [source for source in [*linked.values(), *opened.values()] if source != plugin]


def check_versions(path):
    for kind, text in re.findall(r'\*UND\*.*\(?\b(GLIBC|GLIBCXX|CXXABI|GCC)_([\d.]+)\)?', run('objdump', '-T', path)):
        if tuple(map(int, text.split('.'))) > NEWEST[kind]:
            raise SystemExit(f'{path.name} needs {kind}_{text}, and the wheel is for {kind}_'
                             f'{".".join(map(str, NEWEST[kind]))} and later')


def check_links(path, expected):
    """That a library needs what is beside it or the system's, and looks where it is to look."""
    missing = [name for name in needed(path) if not path.with_name(name).exists()]
    paths = re.findall(r'\(R(?:UN)?PATH\).*\[(.*)\]', run('readelf', '-d', '-W', path))
    if missing or paths != expected:
        raise SystemExit(f'{path.name} looks in {paths} and needs {missing}, which are not in the wheel')


def find_licences(source):
    """The package of the system that a library is from, and its text on licences."""
    real = source.resolve()
    for path in (source, real, pathlib.Path('/') / real.relative_to('/usr') if real.is_relative_to('/usr') else real):
        done = subprocess.run(['dpkg-query', '-S', str(path)], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            text = pathlib.Path(f'/usr/share/doc/{done.stdout.split(":")[0]}/copyright').resolve()
            return text.parent.name, text.read_bytes()
    raise SystemExit(f'nobody knows the licences of {real}: expected it to be from a package of Debian')


def metadata(version, readme):
    return f'''Metadata-Version: 2.1
Name: jax-ghlo
Version: {version}
Summary: JAX on CPUs and Vulkan devices, by GHLO
License: LGPL-2.1-or-later
Classifier: Programming Language :: Python :: 3
Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.11
Requires-Dist: jax>=0.9
Description-Content-Type: text/markdown

{readme}'''


def write(wheel, contents):
    """The archive, the same for the same contents."""
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


def main():
    wheel, version, readme, plugin = pathlib.Path(sys.argv[1]), sys.argv[2], *map(pathlib.Path, sys.argv[3:5])
    information = f'jax_ghlo-{version}.dist-info'
    contents = {f'{PACKAGE}/{module.name}': module.read_bytes() for module in map(pathlib.Path, sys.argv[5:])}
    with tempfile.TemporaryDirectory() as folder:
        sources = bundle(plugin, pathlib.Path(folder))
        contents |= {f'{PACKAGE}/{path.name}': path.read_bytes() for path in pathlib.Path(folder).iterdir()}
    contents |= {f'{information}/licenses/{package}.txt': text
                 for package, text in {find_licences(source) for source in sources}}
    tag = '-'.join(wheel.stem.split('-')[2:])
    contents |= {
        f'{information}/METADATA': metadata(version, readme.read_text(encoding='utf-8')).encode(),
        f'{information}/WHEEL': f'Wheel-Version: 1.0\nGenerator: ghlo\nRoot-Is-Purelib: false\nTag: {tag}\n'.encode(),
        f'{information}/entry_points.txt': b'[jax_plugins]\nghlo = jax_plugins.ghlo\n',
        f'{information}/licenses/ghlo.txt': (readme.parent / 'COPYING').read_bytes(),
        f'{information}/RECORD': b'',
    }
    write(wheel, contents)
    installed = sum(map(len, contents.values()))
    print(f'{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, installed {installed / 1e6:.1f} MB')


if __name__ == '__main__':
    main()
