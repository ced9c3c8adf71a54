# SPDX-License-Identifier: LGPL-2.1-or-later
"""The frame of tests of JAX: functions whose names begin with test_, each of which is a line of TAP."""

import sys
import traceback


def run(module):
    """Runs the tests of a module, in their order there, and ends the process."""
    tests = [value for name, value in vars(module).items() if name.startswith('test_')]
    failed = 0
    if not tests:
        sys.exit(f'{module.__name__}: there are no tests')
    print(f'1..{len(tests)}')
    for number, test in enumerate(tests, 1):
        try:
            test()
        except Exception:    # pylint: disable=broad-exception-caught
            failed += 1
            print(f'not ok {number} {test.__name__}')
            print(*(f'# {line}' for line in traceback.format_exc().splitlines()), sep='\n', flush=True)
        else:
            print(f'ok {number} {test.__name__}', flush=True)
    sys.exit(1 if failed else 0)
