#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs into an empty folder, and uses what lies there and nothing else.

    check-install.py BUILD_ROOT MESON INTROSPECTION(0|1) VAPI(0|1) COMPILER...

The layout carries the API version wherever another one would collide; a C program
builds by pkg-config alone; Python and GJS find typelib and override.
"""

import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM = '''#include <ghlo/ghlo.h>
int
main (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GListModel) devices = ghlo_client_list_devices (client, NULL, NULL);
  return devices == NULL;
}
'''

PYTHON = '''import gi
gi.require_version('Ghlo', '1.0')
from gi.repository import Ghlo
assert str(Ghlo.TensorType.parse('tensor<2xf32>')) == 'tensor<2xf32>'
assert callable(Ghlo.Buffer.from_numpy)
'''

HEADERS = '''buffer client compile-options compile-report device diagnostic enum-types enums error executable plan
program progress result session statistics tensor-type timing value-info version version-macros'''.split()


JAVASCRIPT = '''imports.gi.versions.Ghlo = '1.0';
const {Ghlo} = imports.gi;
if (`${Ghlo.Buffer.from_array (new Float32Array (2)).tensor_type}` !== 'tensor<2xf32>')
    imports.system.exit (1);
'''


def expected(introspection, vapi):
    yield from (f'*/include/ghlo-1.0/ghlo/ghlo-{name}.h' for name in HEADERS)
    yield from ['*/include/ghlo-1.0/ghlo/ghlo.h', '*/bin/ghlo', '*/lib/*libghlo-1.0.so.0.*', '*/lib/*libghlo-1.0.so.0',
                '*/lib/*libghlo-1.0.so', '*/pkgconfig/ghlo-1.0.pc']
    if introspection:
        yield from ['*/share/gir-1.0/Ghlo-1.0.gir', '*/girepository-1.0/Ghlo-1.0.typelib', '*/gi/overrides/Ghlo.py',
                    '*/share/gjs-1.0/overrides/Ghlo.js']
    if vapi:
        yield from ['*/share/vala/vapi/ghlo-1.0.vapi', '*/share/vala/vapi/ghlo-1.0.deps']


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise SystemExit(f'{" ".join(command)} failed:\n{done.stdout}{done.stderr}')
    return done.stdout


def find(files, pattern):
    return os.path.dirname(fnmatch.filter(files, pattern)[0])


def main():
    build, meson = sys.argv[1:3]
    introspection, vapi = (argument == '1' for argument in sys.argv[3:5])
    compiler = sys.argv[5:]
    with tempfile.TemporaryDirectory() as root:
        run([meson, 'install', '-C', build, '--no-rebuild'], env={**os.environ, 'DESTDIR': root})
        files = [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names]
        missing = [pattern for pattern in expected(introspection, vapi) if not fnmatch.filter(files, pattern)]
        private = [path for path in files if path.endswith('-private.h')]
        headers = len(fnmatch.filter(files, '*/include/*.h'))
        for pattern in missing:
            print(f'not installed: {pattern}')
        for path in private:
            print(f'installed, but private: {path}')
        if headers != len(HEADERS) + 1:
            print(f'expected {len(HEADERS) + 1} headers, found {headers}')
        if missing or private or headers != len(HEADERS) + 1:
            return 1

        library = find(files, '*/lib/*libghlo-1.0.so.0')
        environment = {**os.environ, 'LD_LIBRARY_PATH': library,
                       'PKG_CONFIG_PATH': find(files, '*/pkgconfig/ghlo-1.0.pc')}
        flags = run(['pkg-config', '--cflags', '--libs', 'ghlo-1.0'], env=environment).split()
        # Only what was installed moves below the root; the system's own headers and libraries stay.
        prefix = run(['pkg-config', '--variable=prefix', 'ghlo-1.0'], env=environment).strip()
        flags = [flag[:2] + root + flag[2:]
                 if flag[2:].startswith(prefix + '/') and os.path.exists(root + flag[2:]) else flag
                 for flag in flags]
        path = os.path.join(root, 'program')
        with open(path + '.c', 'w') as file:
            file.write(PROGRAM)
        run(compiler + ['-Wall', '-Werror', '-o', path, path + '.c'] + flags)
        run([path], env=environment)
        if introspection:
            environment['GI_TYPELIB_PATH'] = find(files, '*/girepository-1.0/Ghlo-1.0.typelib')
            environment['PYTHONPATH'] = find(files, '*/gi/overrides/Ghlo.py')[:-len('/gi/overrides')]
            run(['/usr/bin/python3', '-c', PYTHON], env=environment)
            if shutil.which('gjs'):
                overrides = find(files, '*/share/gjs-1.0/overrides/Ghlo.js')
                environment['XDG_DATA_DIRS'] = overrides[:-len('/gjs-1.0/overrides')]
                run(['gjs', '-c', JAVASCRIPT], env=environment)
    return 0


if __name__ == '__main__':
    sys.exit(main())
