#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each file that is installed is in one of the packages for Debian.

    check-packaging.py SOURCE_ROOT BUILD_ROOT

make-debian makes the tree to build the packages from. Files that a build without bindings
or documentation does not install may be missing.
"""

import fnmatch
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def installed(build):
    """Returns the installed files as paths below /usr, without installed tests, which no package has."""
    info = build / 'meson-info'
    options = json.loads((info / 'intro-buildoptions.json').read_text())
    prefix = next(option['value'] for option in options if option['name'] == 'prefix')
    for path in json.loads((info / 'intro-installed.json').read_text()).values():
        name = 'usr' + path.removeprefix(prefix)
        if 'installed-tests' not in name:
            yield re.sub(r'/python3\.\d+/', '/python3/', name)


def packaged(debian):
    """Patterns of files, by package."""
    for path in sorted(debian.glob('*.install')):
        yield path.name.removesuffix('.install'), path.read_text().split()


def check(source, build, debian):
    packages = dict(packaged(debian))
    control = set(re.findall(r'^Package: (.*)$', (debian / 'control').read_text(), re.M))
    if control != set(packages):
        yield f'packages of control are {sorted(control)}, those with files {sorted(packages)}'
    for name in installed(build):
        found = [package for package, patterns in packages.items()
                 if any(fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name, pattern + '/*')
                        for pattern in patterns)]
        if len(found) != 1:
            yield f'{name} is in {", ".join(found) or "no package"}'
    if (source / 'debian').exists():
        yield 'debian/ is in the source itself'


def main():
    source, build = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as output:
        subprocess.run([source / 'docs/packaging/make-debian', '--source-only', f'--output={output}'], check=True)
        wrong = list(check(source, build, pathlib.Path(output) / 'ghlo/debian'))
    print(*wrong, sep='\n')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
