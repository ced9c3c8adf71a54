#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Has this project as a subproject of a small one in C and, where the vapi is made, Vala.

    check-subproject.py SOURCE_ROOT BUILD_ROOT MESON VAPI(0|1) COMPILER...

The dependency has headers, version and vapi, and nothing is built that such a project does
not need. The C program is compiled there and linked with the library of BUILD_ROOT, since
another build of the library takes minutes; with GHLO_TEST_SLOW=1 everything is built there.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

MESON_BUILD = '''project('small', 'c', version: '1')
ghlo_dep = dependency('ghlo-1.0', version: '>= 0.1', fallback: 'ghlo')
executable('small', 'small.c', dependencies: ghlo_dep)
if {vapi}
  add_languages('vala', native: false)
  vapi = ghlo_dep.type_name() == 'internal' ? [subproject('ghlo').get_variable('ghlo_vapi')] : []
  executable('small-vala', 'small.vala',
    dependencies: [dependency('gio-2.0'), ghlo_dep, vapi],
  )
  message('vapidir ' + ghlo_dep.get_variable('vapidir'))
endif
'''

C = '''#include <ghlo/ghlo.h>
int
main (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GListModel) devices = ghlo_client_list_devices (client, NULL, NULL);

  return devices == NULL || g_list_model_get_n_items (devices) == 0;
}
'''

VALA = '''int main () throws Error {
  return new Ghlo.Client ().list_devices ().get_n_items () > 0 ? 0 : 1;
}
'''


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise SystemExit(f'{" ".join(map(str, command))} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}')
    return done.stdout


def write_project(folder, source, vapi):
    (folder / 'subprojects').mkdir()
    (folder / 'subprojects/ghlo').symlink_to(source)
    (folder / 'meson.build').write_text(MESON_BUILD.format(vapi='true' if vapi else 'false'))
    (folder / 'small.c').write_text(C)
    (folder / 'small.vala').write_text(VALA)


def check_targets(targets, vapi):
    names = {target['name'] for target in targets if target['build_by_default']}
    programs = {target['name'] for target in targets if target['type'] == 'executable'}
    # What the library is built with is one of its own.
    wanted = {'small', 'small-vala', 'print-loops'} if vapi else {'small', 'print-loops'}
    if programs != wanted:
        yield f'expected no program but {wanted}, found {programs}'
    if names & {'reference', 'ghlo.1'}:
        yield 'the reference or the manual page is built'


def check_whole(build, vapi):
    run('ninja', '-C', build)
    for name in ['small', 'small-vala'] if vapi else ['small']:
        run(build / name)


def check_small(build, library, compiler, vapi):
    run('ninja', '-C', build, 'small.p/small.c.o')
    flags = run('pkg-config', '--libs', 'gio-2.0').split()
    run(*compiler, '-o', build / 'small', build / 'small.p/small.c.o', f'-L{library}', '-lghlo-1.0', *flags)
    run(build / 'small', env={**os.environ, 'LD_LIBRARY_PATH': str(library)})
    if vapi and 'ghlo-1.0.vapi' not in run('ninja', '-C', build, '-t', 'commands', 'small-vala'):
        yield 'the program in Vala is not given the vapi'


def main():
    source, root = map(pathlib.Path, sys.argv[1:3])
    meson, vapi, compiler = sys.argv[3], sys.argv[4] == '1', sys.argv[5:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        build = folder / 'build'
        write_project(folder, source, vapi)
        output = run(meson, 'setup', build, folder, env={**os.environ, 'CC': ' '.join(compiler)})
        wrong = list(check_targets(json.loads(run(meson, 'introspect', '--targets', build)), vapi))
        if vapi and f'vapidir {build}' not in output:
            wrong.append('the dependency does not tell of its vapidir')
        if os.environ.get('GHLO_TEST_SLOW') == '1':
            check_whole(build, vapi)
        else:
            wrong += check_small(build, root / 'src/ghlo', compiler, vapi)
    print(*wrong, sep='\n')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
