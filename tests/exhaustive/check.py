#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""exhaustive-functions on small ranges: what it finds does not depend on how often it is ended and continued.

    check.py PROGRAM
"""

import os
import re
import subprocess
import sys
import tempfile

RANGE = '--range=3fff0000:40010000'    # about 2, and across the border of two pieces


def run(*arguments):
    done = subprocess.run([sys.argv[1], '--threads=2', *arguments], capture_output=True, text=True, check=False)
    # Without the seconds.
    return done.returncode, re.sub(r'\d+ s$', '', done.stdout, flags=re.MULTILINE), done.stderr


def check(number, is_good, what):
    print(f'{"ok" if is_good else "not ok"} {number} - {what}')
    return is_good


def main():
    print('1..6')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'state')
        whole = run(RANGE, 'tanh', 'log')
        good = check(1, whole[0] == 0 and 'ulp' in whole[1] and 'nearest' in whole[1], f'a range: {whole[1]}'
                     .replace('\n', ' '))
        kept = run(RANGE, f'--state={path}', 'tanh', 'log')
        with open(path, encoding='utf-8') as file:
            lines = file.read().splitlines()
        good &= check(2, kept[:2] == whole[:2] and len(lines) == 4, f'{len(lines)} pieces are kept')
        # The last line is cut off, as by a process that ends, and another is of other nodes.
        words = lines[1].split()
        words[1] = '1234'
        with open(path, 'w', encoding='utf-8') as file:
            file.write('\n'.join([lines[0], ' '.join(words), lines[2], lines[3][:-2]]))
        again = run(RANGE, f'--state={path}', 'tanh', 'log')
        with open(path, encoding='utf-8') as file:
            n_lines = len(file.read().splitlines())
        good &= check(3, again[:2] == whole[:2] and n_lines == 6, f'two are measured again: {n_lines} lines')
        # What the file says is believed.
        with open(path, 'w', encoding='utf-8') as file:
            file.write('\n'.join(re.sub(r' \d+ \.$', ' 131072 .', line) for line in lines))
        changed = run(RANGE, f'--state={path}', 'tanh')
        good &= check(4, '-100.0000 %' in changed[1], f'pieces of the file count: {changed[1]}'.replace('\n', ' '))
        good &= check(5, run('--range=2:1')[0] == 1 and run('--other')[0] == 1, 'wrong options are refused')
        one = run('--range=3fff8000:40000000', '--every=32768', '--state=' + path + '-1', 'log')
        with open(path + '-1', encoding='utf-8') as file:
            word = file.read().split()[5]
        good &= check(6, one[0] == 0 and word == '3fff8000', f'one argument alone is taken: {word}')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
