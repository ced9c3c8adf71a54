#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the code of guides, and compares what it prints with what the guide says.

    run-guides.py SOURCE_ROOT BUILD_ROOT CC GUIDE.md…

Every fenced block of a language in RUNNERS is a program, and a console block is
commands with their output. Comments of the page, which readers do not see, say more
about the block that follows:

    <!-- file NAME -->      save the block under that name; with lines after the name
                            and no block, save those
    <!-- continues -->      the block goes on with the last program of its language
    <!-- before … -->       lines in front of the block, or
    <!-- after … -->        behind it, which make a program out of it
    <!-- output … -->       what the last program prints, as a block of text right
                            after it says where readers are to see it
    <!-- jax -->            the block is Python that runs where tests/jax/run has JAX, on the plugin
    <!-- shown: REASON -->  the block is not run

A program that no output is given for must print nothing. In output "…" stands for
anything within a line, and a line of its own for any lines. Programs of a page share
a folder, in which "examples" is the project's.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r'^```(\w*)\s*$')
COMMENT = re.compile(r'^<!-- ?(file|continues|before|after|output|jax|shown)\b:?[ ]*(.*?)$')
TIMEOUT = 120


class Program:
    """One program of a page: its language, lines, place, and what it should print."""

    def __init__(self, language, line):
        self.language, self.line = language, line
        self.code, self.after, self.output = [], [], []


class Page:
    """A guide: files that its programs need, and the programs."""

    def __init__(self, path):
        self.files, self.programs = {}, []
        self.notes = {}
        self.lines = path.read_text(encoding='utf-8').split('\n')
        self.at = 0
        while self.at < len(self.lines):
            line = self.lines[self.at]
            fence, comment = FENCE.match(line), COMMENT.match(line)
            if comment:
                self.read_comment(*comment.groups())
            elif fence:
                self.read_block(fence[1])
            elif line.strip():
                self.drop_notes()
            self.at += 1
        self.drop_notes()

    def drop_notes(self):
        if self.notes:
            raise SystemExit(f'line {self.at}: a comment {list(self.notes)} that no block follows')

    def read_comment(self, word, rest):
        lines = [rest]
        while not lines[-1].endswith('-->'):
            self.at += 1
            lines.append(self.lines[self.at])
        lines[-1] = lines[-1][:-3].rstrip()
        head, body = lines[0], lines[1:]
        if body and not body[-1]:
            body.pop()
        if word == 'file' and body:
            self.files[head] = body
        elif word == 'output':
            self.programs[-1].output = body
        else:
            self.notes[word] = body or head or word

    def read_block(self, language):
        start, block = self.at + 1, []
        self.at += 1
        while self.lines[self.at] != '```':
            block.append(self.lines[self.at])
            self.at += 1
        notes, self.notes = self.notes, {}
        if 'jax' in notes:
            language = 'jax'
        if 'shown' in notes:
            if not notes['shown']:
                raise SystemExit(f'line {start}: a block that is not run, and no reason')
        elif 'file' in notes:
            self.files[notes['file']] = block
        elif language == 'text' and self.programs and not self.programs[-1].output:
            self.programs[-1].output = block
        elif language == 'console':
            self.read_console(block, start)
        elif language in RUNNERS:
            self.read_program(language, block, notes, start)

    def read_program(self, language, block, notes, start):
        earlier = [program for program in self.programs if program.language == language]
        if 'continues' in notes:
            program = earlier[-1]
            self.programs.remove(program)
        else:
            program = Program(language, start)
        self.programs.append(program)
        program.code += [*notes.get('before', []), *block]
        program.after = notes.get('after', program.after)

    def read_console(self, block, start):
        for offset, line in enumerate(block):
            if line.startswith('$ '):
                self.programs.append(Program('console', start + 1 + offset))
                self.programs[-1].code = [line[2:]]
            else:
                self.programs[-1].output.append(line)


def make_environment(source, build):
    """Returns the environment in which every language uses the library in the build tree."""
    environment = dict(os.environ)

    def prepend(name, *folders):
        environment[name] = ':'.join([*map(str, folders), *filter(None, [environment.get(name)])])

    environment.setdefault('XDG_DATA_DIRS', '/usr/local/share:/usr/share')
    prepend('LD_LIBRARY_PATH', build / 'src/ghlo')
    prepend('GI_TYPELIB_PATH', build / 'introspection')
    prepend('PYTHONPATH', source / 'introspection', build / 'introspection', build / 'introspection/direct')
    prepend('GJS_PATH', source / 'introspection')
    prepend('XDG_DATA_DIRS', build / 'introspection')
    prepend('PKG_CONFIG_PATH', build / 'meson-uninstalled')
    prepend('PATH', build / 'src/tools')
    # The guides show a machine without a GPU, so that what they print depends on no driver.
    environment.update(G_DEBUG='fatal-criticals', LC_ALL='C.UTF-8', PYTHONDONTWRITEBYTECODE='1',
                       VK_LOADER_DRIVERS_DISABLE='*')
    for name in ('GHLO_DEVICE', 'GHLO_THREADS', 'GHLO_MEMORY_LIMIT'):
        environment.pop(name, None)
    return environment


def find_jax(source):
    """Returns the Python that has JAX, or nothing where there is none."""
    script = f'. {shlex.quote(str(source / "tests/jax/environment.sh"))}; [ ! -e "$jax/done" ] || echo "$jax"'
    folder = subprocess.run(['sh', '-c', script], check=True, capture_output=True, text=True).stdout.strip()
    return f'{folder}/bin/python' if folder else ''


class Runner:
    """Runs programs in a folder, with a cache there: other tests would fill a common one."""

    def __init__(self, folder, environment, compiler, source, build):
        self.folder, self.compiler, self.build = folder, compiler, build
        self.environment = environment | {'XDG_CACHE_HOME': os.path.join(folder, '.cache')}
        self.jax = find_jax(source)
        self.jax_environment = {
            **self.environment, 'GHLO_PJRT_PLUGIN': str(build / 'src/pjrt/pjrt_c_api_ghlo_plugin.so'),
            'PYTHONPATH': f'{source}/introspection/jax:{environment["PYTHONPATH"]}',
            # Suppresses JAX's warning about an unknown platform.
            'JAX_LOGGING_LEVEL': 'ERROR',
        }

    def call(self, command, merge=False, environment=None):
        """Runs a command; returns what it printed, or fails with what it complained of."""
        done = subprocess.run(command, cwd=self.folder, env=environment or self.environment, text=True, check=False,
                              timeout=TIMEOUT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT if merge else subprocess.PIPE)
        if not merge and (done.returncode != 0 or done.stderr):
            raise RuntimeError(f'status {done.returncode}\n{done.stdout}{done.stderr}')
        return done.stdout

    def save(self, name, program):
        path = self.folder / name
        path.write_text('\n'.join([*program.code, *program.after]) + '\n', encoding='utf-8')
        return str(path)

    def run_c(self, program):
        path = self.save('program.c', program)
        flags = shlex.split(self.call(['pkg-config', '--cflags', '--libs', 'ghlo-1.0']))
        self.call([*self.compiler, '-Wall', '-Wextra', '-Wno-unused-parameter', '-Werror', '-o', 'program-c', path,
                   *flags])
        return self.call(['./program-c'])

    def run_vala(self, program):
        path = self.save('program.vala', program)
        self.call(['valac', '--quiet', '--fatal-warnings', '--pkg', 'gio-2.0', '--pkg', 'ghlo-1.0', '-X', '-w',
                   '-o', 'program-vala', path])
        return self.call(['./program-vala'])

    def run_python(self, program):
        return self.call(['/usr/bin/python3', self.save('program.py', program)])

    def run_jax(self, program):
        return self.call([self.jax, self.save('program-jax.py', program)], environment=self.jax_environment)

    def run_js(self, program):
        return self.call(['gjs', '-m', self.save('program.js', program)])

    def run_console(self, program):
        return self.call(['sh', '-c', program.code[0]], merge=True)

    def why_not(self, language):
        """Returns the reason why programs of that language cannot be run here, or nothing."""
        tool, product = RUNNERS[language][1:]
        if language == 'jax' and not self.jax:
            return 'there is no JAX; tests/jax/run --install'
        if not shutil.which(tool):
            return f'there is no {tool}'
        if product and not (self.build / product).exists():
            return f'{product} was not built'
        return ''


# How to run, with which tool, on which product of the build.
RUNNERS = {
    'c': (Runner.run_c, 'pkg-config', None),
    'vala': (Runner.run_vala, 'valac', 'introspection/vala/vapi/ghlo-1.0.vapi'),
    'python': (Runner.run_python, 'python3', 'introspection/Ghlo-1.0.typelib'),
    'jax': (Runner.run_jax, 'python3', 'src/pjrt/pjrt_c_api_ghlo_plugin.so'),
    'js': (Runner.run_js, 'gjs', 'introspection/Ghlo-1.0.typelib'),
    'console': (Runner.run_console, 'ghlo', None),
}


def agrees(expected, found):
    """Returns whether the printed lines match the expected ones, where "…" stands for anything."""
    pattern = ''
    for line in expected:
        if line.strip() == '…':
            pattern += r'(?:.*\n)*?'
        else:
            pattern += '.*?'.join(re.escape(part) for part in line.rstrip().split('…')) + r'[ ]*\n'
    text = ''.join(line.rstrip() + '\n' for line in found.rstrip('\n').split('\n')) if found.strip() else ''
    return re.fullmatch(pattern, text) is not None


def check(runner, program):
    """Runs a program of a page and returns an error, or nothing."""
    try:
        found = RUNNERS[program.language][0](runner, program)
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return str(error)
    if agrees(program.output, found):
        return ''
    return '\n'.join(['expected', *program.output, 'found', found])


def main():
    source, build = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    split = next(i for i, argument in enumerate(sys.argv) if argument.endswith('.md'))
    compiler, guides = sys.argv[3:split], sys.argv[split:]
    environment = make_environment(source, build)
    os.environ['PATH'] = environment['PATH']
    number = failed = 0
    for guide in map(pathlib.Path, guides):
        page = Page(guide)
        with tempfile.TemporaryDirectory() as folder:
            runner = Runner(pathlib.Path(folder), environment, compiler, source, build)
            (runner.folder / 'examples').symlink_to(source / 'examples')
            for name, lines in page.files.items():
                (runner.folder / name).write_text('\n'.join(lines) + '\n', encoding='utf-8')
            for program in page.programs:
                number += 1
                skip = runner.why_not(program.language)
                wrong = '' if skip else check(runner, program)
                failed += bool(wrong)
                print(f"{'not ok' if wrong else 'ok'} {number} {guide.name}:{program.line} {program.language}"
                      f"{' # SKIP ' + skip if skip else ''}", flush=True)
                for line in wrong.splitlines():
                    print('#', line)
    print(f'1..{number}' if number > 0 else '1..0 # SKIP the pages have no code')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
