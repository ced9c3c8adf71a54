#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library depends only on GLib and libc, has the right name, and cannot be
unloaded, since its threads continue.

    check-needed.py LIBRARY [SONAME]
"""

import re
import subprocess
import sys

ALLOWED = {
    'libglib-2.0.so.0', 'libgobject-2.0.so.0', 'libgio-2.0.so.0', 'libgmodule-2.0.so.0',
    'libm.so.6', 'libc.so.6', 'ld-linux-x86-64.so.2', 'ld-linux-aarch64.so.1',
}


def main():
    library, expected = sys.argv[1], sys.argv[2:]
    output = subprocess.run(['readelf', '-d', '-W', library], check=True, capture_output=True, text=True).stdout
    needed = set(re.findall(r'\(NEEDED\).*\[(.*)\]', output))
    names = re.findall(r'\(SONAME\).*\[(.*)\]', output)
    status = 0
    for name in sorted(needed - ALLOWED):
        print(f'{library} needs {name}, which is not on the list: ' + ', '.join(sorted(ALLOWED)))
        status = 1
    if names != expected:
        print(f'expected the sonames {expected}, found {names}')
        status = 1
    if 'NODELETE' not in output:
        print(f'{library} can be unloaded under its own threads: expected the flag NODELETE')
        status = 1
    return status


if __name__ == '__main__':
    sys.exit(main())
