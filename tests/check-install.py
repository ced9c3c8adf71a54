#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs into an empty folder, and uses only the installed files.

    check-install.py BUILD_ROOT MESON INTROSPECTION(0|1) VAPI(0|1) SAY_VARIABLES COMPILER...

Paths contain the API version wherever two versions would collide. A C program builds with
pkg-config alone, and Python, GJS and Vala find their files with only the environment
variables that the installation asks for. SAY_VARIABLES is the script that prints these.
"""

import fnmatch
import glob
import os
import shutil
import subprocess
import sys
import sysconfig
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

VALA = '''void main () {
  print ("%u\\n", new Ghlo.Client ().list_devices ().get_n_items ());
}
'''

HEADERS = '''buffer client compile-options compile-report cost custom-call device diagnostic enum-types enums error
    executable pending-call plan plan-step program progress result session statistics tensor-type timing value-info
    version version-macros'''.split()


JAVASCRIPT = '''imports.gi.versions.Ghlo = '1.0';
const {Ghlo} = imports.gi;
if (`${Ghlo.Buffer.from_array (new Float32Array (2)).tensor_type}` !== 'tensor<2xf32>')
    imports.system.exit (1);
'''


def expected(build, introspection, vapi):
    yield from (f'*/include/ghlo-1.0/ghlo/ghlo-{name}.h' for name in HEADERS)
    yield from ['*/include/ghlo-1.0/ghlo/ghlo.h', '*/bin/ghlo', '*/lib/*libghlo-1.0.so.0.*', '*/lib/*libghlo-1.0.so.0',
                '*/lib/*libghlo-1.0.so', '*/pkgconfig/ghlo-1.0.pc']
    if os.path.exists(os.path.join(build, 'src', 'cpu', 'emit', 'libghlo-llvm.so')):
        yield '*/lib/*ghlo-1.0/libghlo-llvm.so'
    if introspection:
        yield from ['*/share/gir-1.0/Ghlo-1.0.gir', '*/girepository-1.0/Ghlo-1.0.typelib', '*/gi/overrides/Ghlo.py',
                    '*/gi/overrides/_ghlo_signatures.py', '*/gi-stubs/repository/Ghlo.pyi',
                    '*/share/gjs-1.0/overrides/Ghlo.js']
        if glob.glob(os.path.join(build, 'introspection', 'direct', 'gi', 'overrides', '*.so')):
            yield '*/gi/overrides/_ghlo_direct.abi3.so'
    if vapi:
        yield from ['*/share/vala/vapi/ghlo-1.0.vapi', '*/share/vala/vapi/ghlo-1.0.deps']


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise SystemExit(f'{" ".join(command)} failed:\n{done.stdout}{done.stderr}')
    return done.stdout


def found_without_variables(has_ldconfig):
    """Folders in which things are looked for by themselves, by the variable that would name more."""
    triplet = sysconfig.get_config_var('MULTIARCH')
    libraries = [f'/lib/{triplet}', f'/usr/lib/{triplet}', '/lib', '/usr/lib']
    if has_ldconfig:
        libraries += ['/usr/local/lib', f'/usr/local/lib/{triplet}']
    return {
        'LD_LIBRARY_PATH': libraries,
        'PATH': ['/usr/local/bin', '/usr/bin', '/bin'],
        'PKG_CONFIG_PATH': run(['pkg-config', '--variable=pc_path', 'pkg-config']).strip().split(':'),
        'XDG_DATA_DIRS': ['/usr/local/share', '/usr/share'],
        'GI_TYPELIB_PATH': [f'/usr/lib/{triplet}/girepository-1.0', '/usr/lib/girepository-1.0'],
        'PYTHONPATH': run(['/usr/bin/python3', '-c', 'import site; print (*site.getsitepackages())']).split(),
    }


def make_environment(root, lines):
    """What a shell has after these lines, if the root were the system's."""
    folders = found_without_variables('sudo ldconfig' in lines)
    exports = [line for line in lines if line.startswith('export ')]
    said = run(['sh', '-c', '\n'.join(['unset ' + ' '.join(folders), *exports, '/usr/bin/env'])])
    said = dict(line.split('=', 1) for line in said.splitlines() if '=' in line)
    environment = dict(os.environ)
    for variable, own in folders.items():
        below = [root + folder for folder in said.get(variable, '').split(':') + own
                 if folder and os.path.isdir(root + folder)]
        # Data and programs of the system are needed too.
        system = own if variable in ('PATH', 'XDG_DATA_DIRS') else []
        environment[variable] = ':'.join(below + system)
    return environment


def check_said(script):
    """Lines for a prefix where nothing is found by itself, and none for the system's."""
    kinds = {'programs': 'bin', 'library': 'lib', 'pkgconfig': 'lib/pkgconfig', 'data': 'share',
             'typelib': 'lib/girepository-1.0', 'python': 'lib/python3/dist-packages'}
    said = {}
    for prefix in ('/usr', '/opt/ghlo'):
        arguments = [f'{kind}={prefix}/{folder}' for kind, folder in kinds.items()]
        said[prefix] = run(['/usr/bin/python3', script, prefix, *arguments, 'found-typelibs=/usr/lib/girepository-1.0'])
    for variable in found_without_variables(False):
        if f'export {variable}="/opt/ghlo/' not in said['/opt/ghlo']:
            yield f'nothing was said of {variable} for /opt/ghlo'
    if said['/usr']:
        yield 'expected nothing to be said for /usr, found' + said['/usr']


def check_c(root, compiler, environment):
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
    run(['ghlo', 'devices'], env=environment)


def check_bindings(root, introspection, vapi, environment):
    if introspection:
        run(['/usr/bin/python3', '-c', PYTHON], env=environment)
        if shutil.which('gjs'):
            run(['gjs', '-c', JAVASCRIPT], env=environment)
    if vapi and shutil.which('valac'):
        path = os.path.join(root, 'program.vala')
        with open(path, 'w') as file:
            file.write(VALA)
        run(['valac', '-C', '--pkg=ghlo-1.0', '-d', root, path], env=environment)


def main():
    build, meson = sys.argv[1:3]
    introspection, vapi = (argument == '1' for argument in sys.argv[3:5])
    script, *compiler = sys.argv[5:]
    with tempfile.TemporaryDirectory() as root:
        output = run([meson, 'install', '-C', build, '--no-rebuild'], env={**os.environ, 'DESTDIR': root})
        files = [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names]
        missing = [pattern for pattern in expected(build, introspection, vapi) if not fnmatch.filter(files, pattern)]
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

        wrong = list(check_said(script))
        if wrong:
            print(*wrong, sep='\n')
            return 1
        environment = make_environment(root, [line.strip() for line in output.splitlines()])
        check_c(root, compiler, environment)
        check_bindings(root, introspection, vapi, environment)
    return 0


if __name__ == '__main__':
    sys.exit(main())
