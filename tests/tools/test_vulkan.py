#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Machines on which Vulkan is missing or broken: the command finds the devices that work, and says so."""

import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'conformance'))
from common import Tap, ghlo  # noqa: E402

CONSTANT = 'func.func @main() -> tensor<i32> {\n  %0 = stablehlo.constant dense<7> : tensor<i32>\n' \
           '  return %0 : tensor<i32>\n}\n'


def check(tap, name, variables, why):
    """The CPU is there and Vulkan is not, whatever the command is asked, and it says why."""
    env = {**os.environ, **variables}
    listed = ghlo('devices', env=env)
    names = [line.split()[0] for line in listed.stdout.splitlines() if line and not line.startswith(' ')]
    tap.report(listed.returncode == 0 and names == ['cpu', 'reference'], f'{name}: devices',
               listed.stdout + listed.stderr)
    run = ghlo('run', '-', input=CONSTANT, env=env)
    tap.report(run.returncode == 0 and '7' in run.stdout, f'{name}: a program runs on the CPU', run.stderr)
    chosen = ghlo('run', '--device=vulkan', '-', input=CONSTANT, env=env)
    tap.report(chosen.returncode != 0 and "expected one of the devices 'auto', 'cpu', 'reference', found 'vulkan'; "
               'there are no vulkan devices: ' + why in chosen.stderr, f'{name}: the device is refused',
               chosen.stdout + chosen.stderr)
    other = ghlo('run', '--device=abacus', '-', input=CONSTANT, env=env)
    tap.report("found 'abacus'\n" in other.stderr, f'{name}: other devices need no reason', other.stderr)
    for form in [], ['--json']:
        said = ghlo('devices', *form, env=env)
        tap.report('there are no vulkan devices: ' + why in said.stderr, f'{name}: why {form}',
                   said.stdout + said.stderr)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        def write(name, text):
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            return path

        icd = {'file_format_version': '1.0.0', 'ICD': {'library_path': write('driver.so', 'no driver'),
                                                       'api_version': '1.3.0'}}
        loader = os.path.dirname(write('loader/libvulkan.so.1', 'no loader'))
        none = 'a Vulkan loader was found, but no driver that loads'
        check(tap, 'no driver', {'VK_DRIVER_FILES': os.path.join(folder, 'none.json')}, none)
        check(tap, 'a driver file that is no JSON', {'VK_DRIVER_FILES': write('text.json', 'no JSON')}, none)
        check(tap, 'a driver that is no library', {'VK_DRIVER_FILES': write('icd.json', json.dumps(icd))}, none)
        check(tap, 'a loader that does not load',
              {'LD_LIBRARY_PATH': loader + ':' + os.environ.get('LD_LIBRARY_PATH', '')}, 'there is no Vulkan loader: ')
    tap.finish()


if __name__ == '__main__':
    main()
