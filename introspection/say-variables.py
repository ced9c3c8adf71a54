#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints, at the end of an installation, the variables that are needed to find the installed files.

    say-variables.py PREFIX KIND=FOLDER…

KIND is programs, library, pkgconfig, data, typelib or python; found-typelibs is the
folder that libgirepository searches. Prints lines for a shell, one for each folder that
is not searched by default, and nothing where there are none. Looks at the system's
configuration and not at the environment, since an installation seldom runs in the
environment of a user.
"""

import glob
import os
import pathlib
import site
import subprocess
import sys
import sysconfig


def linker_folders(path='/etc/ld.so.conf'):
    """Returns the folders whose libraries are found once ldconfig has run."""
    try:
        lines = pathlib.Path(path).read_text(encoding='utf-8').split('\n')
    except OSError:
        return
    for line in lines:
        words = line.split('#')[0].split()
        if words[:1] == ['include']:
            for pattern in words[1:]:
                for name in sorted(glob.glob(str(pathlib.Path(path).parent / pattern))):
                    yield from linker_folders(name)
        else:
            yield from words


def pkgconfig_folders():
    try:
        done = subprocess.run(['pkg-config', '--variable=pc_path', 'pkg-config'], capture_output=True, text=True,
                              check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return done.stdout.strip().split(':')


def needs_ldconfig(folder):
    """Returns whether the linker finds libraries of that folder only through its cache."""
    triplet = sysconfig.get_config_var('MULTIARCH') or ''
    return folder not in {top + name for top in ('/lib', '/usr/lib') for name in ('', '64', '/' + triplet)}


def prepend(variable, folder, otherwise=''):
    """Returns a line that prepends the folder to the variable, or to its default when it is unset."""
    rest = f'${{{variable}:-{otherwise}}}' if otherwise else f'${{{variable}:+:${variable}}}'
    return f'export {variable}="{folder}{":" if otherwise else ""}{rest}"'


def library_line(folder):
    if not needs_ldconfig(folder):
        return None
    return 'sudo ldconfig' if folder in linker_folders() else prepend('LD_LIBRARY_PATH', folder)


def make_lines(folders):
    """Returns the lines for these folders, which are given by kind."""
    known = {
        'programs': ['/usr/local/bin', '/usr/bin', '/bin'],
        'pkgconfig': pkgconfig_folders(),
        'data': ['/usr/local/share', '/usr/share'],
        'typelib': [folders.get('found-typelibs')],
        'python': [*site.getsitepackages(), site.getusersitepackages()],
    }
    variables = {
        'programs': ('PATH',),
        'pkgconfig': ('PKG_CONFIG_PATH',),
        'data': ('XDG_DATA_DIRS', '/usr/local/share:/usr/share'),
        'typelib': ('GI_TYPELIB_PATH',),
        'python': ('PYTHONPATH',),
    }
    lines = [library_line(folders['library'])]
    lines += [prepend(variable[0], folders[kind], *variable[1:]) for kind, variable in variables.items()
              if kind in folders and folders[kind] not in known[kind]]
    return [line for line in lines if line]


def shown(process):
    """Returns the process' first output stream that is not a file, or None. Meson buffers its output, and writes it to
    a file at the end, over anything that others have appended."""
    for number in 1, 2:
        output = f'/proc/{process}/fd/{number}'
        if not os.path.isfile(output):
            return output
    return None


def say(text):
    """Prints the text. In an installation it goes to meson's own output, since meson hides its scripts' output."""
    if 'MESON_INSTALL_PREFIX' in os.environ and (output := shown(os.getppid())):
        try:
            with open(output, 'a', encoding='utf-8') as file:
                file.write(text)
            return
        except OSError:
            pass
    print(text, end='')


def main():
    prefix = sys.argv[1]
    lines = make_lines(dict(argument.split('=', 1) for argument in sys.argv[2:]))
    if lines:
        head = f'GHLO below {prefix} is found after these lines; each new shell needs those with export:'
        say('\n'.join(['', head, '', *(f'  {line}' for line in lines), '', '']))


if __name__ == '__main__':
    main()
