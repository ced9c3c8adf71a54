#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`ghlo calibrate`: its measurements and stored results, the devices that it skips, and their effect on estimates."""

import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'conformance'))
from common import Tap, ghlo  # noqa: E402

PRODUCT = '''func.func @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.dot %x, %x : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
'''


def check(tap, folder):
    environment = {**os.environ, 'XDG_CACHE_HOME': folder, 'GHLO_CACHE': '', 'GHLO_DEVICE': ''}
    product = os.path.join(folder, 'product.mlir')
    with open(product, 'w', encoding='utf-8') as file:
        file.write(PRODUCT)

    def known():
        """The rates that the CPU's programs are estimated by."""
        return json.loads(ghlo('devices', '--json', env=environment).stdout)[0]['rates']

    def refuse(name, run, status, text):
        tap.report(run.returncode == status and text in run.stderr and run.stdout == '', name, str(run))

    guess = known()
    run = ghlo('calibrate', '--json', env=environment)
    rows = json.loads(run.stdout)
    tap.report(run.returncode == 0 and run.stderr == '' and rows[0]['device'] == 'cpu', 'all devices', str(run))
    listed = {device['name']: device for device in json.loads(ghlo('devices', '--json').stdout)}
    tap.report(not any('llvmpipe' in listed[row['device']]['title'] for row in rows), 'no software device', run.stdout)
    rates = rows[0]['rates']
    tap.report(all(rates[name] > 0 for name in rates if name not in ('uploads', 'downloads'))
               and rates['uploads'] == rates['downloads'] == 0, 'rates of the CPU', str(rates))
    tap.report(known() == rates != guess, 'they are what the device goes by', f'{guess} {known()}')

    cached = json.loads(ghlo('cache', '--json', env=environment).stdout)
    kept = [row['name'] for row in cached if row.get('rates') == 'CPU']
    tap.report(len(kept) == 1 and '  measured rates of CPU\n' in ghlo('cache', env=environment).stdout,
               'the cache tells of them', str(cached))
    with open(os.path.join(folder, 'ghlo-1.0', kept[0]), 'rb+') as file:
        file.truncate(os.path.getsize(file.name) - 8)
    tap.report(known() == guess, 'a damaged file is nothing', f'{guess} {known()}')
    chosen, asked = (ghlo('dump', '--stage=plan', *device, product, env=environment).stdout
                     for device in ([], ['--device=cpu']))
    tap.report(chosen.startswith('auto: ') and asked.startswith('plan: '), 'a plan says why it is where it is', chosen)

    refuse('no such device', ghlo('calibrate', '--device=abacus', env=environment), 2,
           "expected one of the devices 'auto', 'cpu'")
    refuse('a device without rates', ghlo('calibrate', '--device=reference', env=environment), 2,
           "expected a device that has rates, found 'reference'")
    refuse('nothing is kept', ghlo('calibrate', env={**environment, 'GHLO_CACHE': 'off'}), 1,
           'GHLO_CACHE turns off the cache on disk')
    refuse('a folder that cannot be made',
           ghlo('calibrate', '--device=cpu', env={**environment, 'XDG_CACHE_HOME': product}), 1,
           'ghlo: cpu: the measured rates could not be stored in ')


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        check(tap, folder)
    tap.finish()


if __name__ == '__main__':
    main()
