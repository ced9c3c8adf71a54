#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The installed headers compile alone, as C and as C++.

    check-headers.py BUILD_ROOT SOURCE_ROOT COMPILER...

The umbrella header must be enough for a program that calls the library, any other
must refuse to be included without it, and none may need more than GIO.
"""

import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM = '''#include <ghlo/ghlo.h>

int
main (void)
{
  GhloClient *client = ghlo_client_new ();
  GhloElementType element_type = GHLO_ELEMENT_TYPE_F32;

  g_object_unref (client);

  return (int) ghlo_element_type_get_size (element_type) != 4 || !GHLO_CHECK_VERSION (0, 1, 0)
         || ghlo_get_version () == NULL || GHLO_TYPE_DEVICE_KIND == 0;
}
'''


def main():
    build, source = sys.argv[1:3]
    compiler = sys.argv[3:]
    done = subprocess.run(['pkg-config', '--cflags', 'gio-2.0'], check=True, capture_output=True, text=True)
    flags = done.stdout.split()
    for root in (source, build):
        flags += [f'-I{root}/src', f'-I{root}/src/base', f'-I{root}/src/ghlo']
    warnings = ['-Wall', '-Wextra', '-Werror', '-Wno-unused-parameter']
    languages = [('C11', compiler + ['-x', 'c', '-std=c11', '-Wstrict-prototypes'])]
    cxx = shutil.which('c++')
    if cxx:
        languages += [(std, [cxx, '-x', 'c++', f'-std={std}']) for std in ('c++11', 'c++17')]
    else:
        print('no C++ compiler: C alone is checked')

    status = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'program')
        for name, command in languages:
            with open(path, 'w') as file:
                file.write(PROGRAM)
            done = subprocess.run(command + warnings + flags + ['-fsyntax-only', path], capture_output=True, text=True)
            if done.returncode != 0:
                print(f'<ghlo/ghlo.h> does not compile as {name}:\n{done.stderr}')
                status = 1
        for header in sorted(os.listdir(os.path.join(source, 'src', 'ghlo'))):
            if not header.endswith('.h') or header.endswith('-private.h') or header == 'ghlo.h':
                continue
            with open(path, 'w') as file:
                file.write(f'#include <ghlo/{header}>\n')
            done = subprocess.run(languages[0][1] + flags + ['-fsyntax-only', path], capture_output=True, text=True)
            if 'Only <ghlo/ghlo.h> can be included directly' not in done.stderr:
                print(f'<ghlo/{header}> does not ask for <ghlo/ghlo.h>')
                status = 1
    return status


if __name__ == '__main__':
    sys.exit(main())
