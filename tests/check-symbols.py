#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares what the library exports with the list that is checked in.

    check-symbols.py LIBRARY LIST [--update]

The test fails when a symbol is added or removed until the list is updated. Removing a
symbol breaks every program that uses it.
"""

import subprocess
import sys

# Names that others give: what loads plugins of PJRT's looks for this one.
FOREIGN = {'GetPjrtApi'}


def main():
    library, path = sys.argv[1:3]
    output = subprocess.run(['nm', '-D', '--defined-only', library], check=True, capture_output=True, text=True)
    found = sorted({line.split()[-1].split('@')[0] for line in output.stdout.splitlines()})
    if '--update' in sys.argv[3:]:
        with open(path, 'w') as file:
            file.write('\n'.join(found) + '\n')
        return 0

    with open(path) as file:
        listed = file.read().split()
    came = [name for name in found if name not in listed]
    gone = [name for name in listed if name not in found]
    for name in came:
        print(f'exported, but not listed in {path}: {name}')
    for name in gone:
        print(f'listed in {path}, but not exported: {name}')
    stray = [name for name in found if not name.startswith('ghlo_') and name not in FOREIGN]
    for name in stray:
        print(f'exported without the prefix ghlo_: {name}')
    return 1 if came or gone or stray else 0


if __name__ == '__main__':
    sys.exit(main())
