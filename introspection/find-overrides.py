#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the folder of modules below a prefix that this Python searches by default.

    find-overrides.py PREFIX OTHERWISE

PyGObject finds overrides in gi/overrides of any such folder. A distribution's Python has
one for its own packages and one for what is installed locally, of different forms: on
Debian 12 /usr/lib/python3 and /usr/local/lib/python3.11. Below any other prefix there is
none, and OTHERWISE is printed.
"""

import pathlib
import site
import sys


def main():
    prefix, otherwise = map(pathlib.PurePath, sys.argv[1:])
    folders = map(pathlib.PurePath, [*site.getsitepackages(), site.getusersitepackages()])
    # /usr/local is below /usr but is a prefix of its own.
    others = [other for other in (pathlib.PurePath('/usr/local'),) if other != prefix and prefix in other.parents]
    print(next((folder for folder in folders
                if prefix in folder.parents and not any(other in folder.parents for other in others)), otherwise))


if __name__ == '__main__':
    main()
