#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs `ghlo check` with options and folders of the test data, given after it.

    check.py DATA [OPTION…] FOLDER…
"""

import os
import subprocess
import sys

from common import TOOL, data


def main():
    root = data(skip_status=77)
    arguments = [a if a.startswith('-') else os.path.join(root, a) for a in sys.argv[2:]]
    sys.exit(subprocess.run([TOOL, 'check', *arguments], check=False).returncode)


if __name__ == '__main__':
    main()
