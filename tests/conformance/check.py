#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs `ghlo check` with options and folders of the test data, given after it. Skipped without a Vulkan device where
that is asked for.

    check.py DATA [OPTION…] FOLDER…
"""

import os
import subprocess
import sys

from common import COMMAND, data, ghlo


def main():
    root = data(skip_status=77)
    if '--device=vulkan' in sys.argv and 'vulkan:0' not in ghlo('devices').stdout:
        print('1..0 # SKIP there is no Vulkan device')
        sys.exit(77)
    arguments = [a if a.startswith('-') else os.path.join(root, a) for a in sys.argv[2:]]
    sys.exit(subprocess.run([*COMMAND, 'check', *arguments], check=False).returncode)


if __name__ == '__main__':
    main()
