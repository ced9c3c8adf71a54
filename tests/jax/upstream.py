#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""JAX's own tests, on XLA's CPU and on GHLO; see tests/jax/run.

A file of tests, or a piece of a large one, is a process for each side, first XLA's. GHLO runs what passed there; all
else than passing is a failure, a skip too. A test that ends its process or does not end counts as failed, and the next
process goes on behind it. What XLA's CPU gave is kept in a folder of results, since nothing here changes it.

With --failures-only GHLO is first, and XLA's CPU runs only what did not pass there, which takes a third of the time.
What passes on GHLO then counts as passing on XLA's CPU, which fails 2 of 1000 of these tests.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import selectors
import subprocess
import sys
import tempfile
import zlib

import jax

HERE = pathlib.Path(__file__).parent
# A test may take that long, in seconds, and a file be read, before it has begun one.
LIMIT, READING_LIMIT = 300, 900
# Bytes of a file for which there is a process of its own, and how many there are for files that have more tests than
# their size tells.
PIECE = 16 << 10
PIECES = {'export_harnesses_multi_platform_test.py': 16}
# From what message a class of failures is named.
ERROR_LINE = re.compile(r'^E\s+(\S.*)$', re.MULTILINE)


def parse_options():
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument('--upstream', type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--part', type=int, default=0)
    parser.add_argument('--x64', action='store_true')
    parser.add_argument('--devices', type=int, default=1)
    parser.add_argument('--files', default='*_test')
    parser.add_argument('--failures-only', action='store_true')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    cache = pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache')
    parser.add_argument('--results', type=pathlib.Path, default=cache / 'ghlo-tests' / f'upstream-{jax.__version__}')
    return parser.parse_known_args()[0]


def read_exclusions(x64):
    """Pairs of a pattern of tests' ids and why they are left out, with 64-bit types or without."""
    lines = (HERE / 'excluded.txt').read_text().splitlines()
    others = '#', 'x32:' if x64 else 'x64:'
    return [tuple(re.sub('^x(32|64):', '', line).split(maxsplit=1)) for line in lines
            if line and not line.startswith(others)]


def is_excluded(identifier, exclusions):
    return any(fnmatch.fnmatchcase(identifier, pattern) for pattern, _ in exclusions)


# The tests of a file whose ids fall to an index below the count of its pieces.
Piece = collections.namedtuple('Piece', 'file index count')


class Side:
    """A back end that the tests run on, and why files cannot be read there."""

    def __init__(self, name, options):
        self.name = name
        self.options = options
        self.broken = {}
        self.environment = {
            **os.environ,
            'JAX_PLATFORMS': 'cpu' if name == 'cpu' else f'{name},cpu',
            'JAX_NUM_CPU_DEVICES': str(options.devices),
            'JAX_PJRT_CLIENT_CREATE_OPTIONS': f'devices:{options.devices}',
            'JAX_ENABLE_X64': str(int(options.x64)),
            'PYTHONPATH': os.pathsep.join(filter(None, [str(HERE), os.environ.get('PYTHONPATH')])),
            'PYTHONDONTWRITEBYTECODE': '1',
        }

    def run(self, piece, wanted=None):
        """Runs the tests of a piece, those that are wanted or all, by as many processes as it takes."""
        done = {}
        while True:
            with tempfile.NamedTemporaryFile('w', suffix='.json') as settings:
                json.dump({'source': str(self.options.upstream), 'every': self.options.every, 'seed': self.options.seed,
                           'part': self.options.part, 'piece': piece.index, 'pieces': piece.count,
                           'wanted': wanted, 'done': sorted(done)}, settings)
                settings.flush()
                unended = self.run_process(piece.file, settings.name, done)
            if unended is None:
                break
            identifier, message = unended
            done[identifier] = ('crashed', message)
        return done

    def run_process(self, file, settings, done):
        """Adds to what is done. The test that did not end, and why; None where all did."""
        reader, writer = os.pipe()
        command = [sys.executable, '-m', 'pytest', '-q', '-p', 'upstream_plugin', '-p', 'no:cacheprovider',
                   '-c', os.devnull, '--rootdir=.', '--import-mode=importlib', '--tb=short', file]
        environment = {**self.environment, 'GHLO_UPSTREAM': settings, 'GHLO_UPSTREAM_PIPE': str(writer)}
        nowhere = subprocess.DEVNULL
        with subprocess.Popen(command, cwd=self.options.upstream, env=environment, pass_fds=[writer],
                              stdin=nowhere, stdout=nowhere, stderr=nowhere) as process:
            os.close(writer)
            begun = None
            for report in read_reports(reader):
                if report is None:
                    process.kill()
                    break
                if 'broken' in report:
                    self.broken[file] = report['message']
                elif 'begun' in report:
                    begun = report['begun']
                elif 'ended' in report:
                    done[report['ended']] = (report['outcome'], report['message'])
                    begun = None
            else:
                status = process.wait()
                return None if begun is None else (begun, f'the process ended with {status}')
        if begun is None:
            self.broken[file] = f'did not begin a test within {READING_LIMIT} s'
            return None
        return begun, f'did not end within {LIMIT} s'


def read_reports(reader):
    """What a process reports until it closes the pipe; None when it takes too long."""
    limit = READING_LIMIT
    rest = b''
    with open(reader, 'rb', buffering=0) as pipe, selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if not selector.select(limit):
                yield None
                return
            data = pipe.read(65536)
            if not data:
                return
            *lines, rest = (rest + data).split(b'\n')
            for line in lines:
                limit = LIMIT
                yield json.loads(line)


class Known:
    """What XLA's CPU gave for a piece of a file, in a folder of results."""

    def __init__(self, options):
        facts = json.dumps([jax.__version__, options.every, options.seed, options.part, options.x64, options.devices,
                            {name: value for name, value in os.environ.items() if name.startswith('JAX_NUM_GEN')},
                            options.failures_only])
        self.folder = options.results / f'{zlib.crc32(facts.encode()):08x}'
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / 'facts.json').write_text(facts + '\n')

    def path(self, piece):
        return self.folder / f"{piece.file.replace('/', '-')}-{piece.index}-{piece.count}.json"

    def read(self, piece):
        """Outcomes by test; None where there are none yet."""
        try:
            return json.loads(self.path(piece).read_text())
        except FileNotFoundError:
            return None

    def write(self, piece, outcomes):
        temporary = self.path(piece).with_suffix('.new')
        temporary.write_text(json.dumps(outcomes, indent=0))
        temporary.replace(self.path(piece))


def name_failure(message):
    """A line by which failures of one cause are the same, near enough."""
    lines = ERROR_LINE.findall(message) or message.splitlines() or ['']
    return re.sub(r'0x[0-9a-f]+|\d+', 'N', lines[0])[:160]


def run_both(piece, sides, known):
    """What passes on XLA's CPU, and the outcome of each of them on GHLO that has one."""
    cpu, ours = sides
    expected = known.read(piece)
    if expected is None:
        expected = cpu.run(piece)
        known.write(piece, expected)
    passed = [identifier for identifier, (outcome, _) in expected.items() if outcome == 'passed']
    return passed, ours.run(piece, passed) if passed else {}


def run_failures(piece, sides, known):
    """The same, where what passes on GHLO is taken to pass on XLA's CPU, which runs the rest."""
    cpu, ours = sides
    found = ours.run(piece)
    if piece.file in ours.broken:
        return run_both(piece, sides, known)
    expected = known.read(piece) or {}
    doubtful = {identifier for identifier, (outcome, _) in found.items() if outcome != 'passed'}
    unknown = sorted(doubtful - expected.keys())
    if unknown:
        expected.update(cpu.run(piece, unknown))
        known.write(piece, expected)
    passed = [identifier for identifier in found
              if identifier not in doubtful or expected.get(identifier, ('missing',))[0] == 'passed']
    return passed, found


def run_piece(piece, sides, known, exclusions):
    """A line of the table: the file, how many are wanted and excluded, and each failure's id, outcome and message."""
    run = run_failures if sides[0].options.failures_only else run_both
    passed, found = run(piece, sides, known)
    wanted = [identifier for identifier in passed if not is_excluded(identifier, exclusions)]
    failures = []
    for identifier in wanted:
        outcome, message = found.get(identifier, ('missing', sides[1].broken.get(piece.file, 'it is not collected')))
        if outcome != 'passed':
            failures.append((identifier, outcome, message))
    return piece.file, len(wanted), len(passed) - len(wanted), failures


def add_pieces(results):
    """A line for each file."""
    lines = {}
    for file, wanted, excluded, failures in results:
        before = lines.get(file, (0, 0, []))
        lines[file] = before[0] + wanted, before[1] + excluded, before[2] + failures
    return [(file, *line) for file, line in sorted(lines.items())]


def report(results, output):
    """The table by file, classes of failures, and the rate; False where a test failed."""
    classes = collections.defaultdict(list)
    n_wanted = n_excluded = n_failed = 0
    for file, wanted, excluded, failures in add_pieces(results):
        n_wanted, n_excluded, n_failed = n_wanted + wanted, n_excluded + excluded, n_failed + len(failures)
        if wanted or excluded:
            print(f'| {file} | {wanted - len(failures)} | {wanted} | {excluded} |', file=output)
        for identifier, outcome, message in failures:
            classes[f'{outcome}: {name_failure(message)}'].append(identifier)
    for cause, identifiers in sorted(classes.items(), key=lambda pair: -len(pair[1])):
        print(f'# {len(identifiers)} × {cause}', file=output)
        for identifier in identifiers:
            print(f'#   {identifier}', file=output)
    if n_wanted + n_excluded == 0:
        print("# no test passes on XLA's CPU: the copy of JAX's sources is incomplete, or its packages are missing",
              file=output)
        return False
    rate = 100 * (n_wanted - n_failed) / max(n_wanted, 1)
    print(f"# {n_wanted - n_failed} of {n_wanted} as on XLA's CPU: {rate:.2f} %; {n_excluded} excluded "
          f'({100 * n_excluded / max(n_wanted + n_excluded, 1):.2f} %)', file=output)
    return n_failed == 0


def list_pieces(options, exclusions):
    """Those of large files first, so that none of them is the last to begin."""
    paths = sorted((options.upstream / 'tests').glob(f'{options.files}.py'),
                   key=lambda path: (path.name not in PIECES, -path.stat().st_size))
    pieces = []
    for path in paths:
        name = str(path.relative_to(options.upstream))
        count = max(1, PIECES.get(path.name, path.stat().st_size // PIECE) // options.every)
        if not is_excluded(name, exclusions):
            pieces.extend(Piece(name, index, count) for index in range(count))
    return pieces


def main():
    options = parse_options()
    exclusions = read_exclusions(options.x64)
    pieces = list_pieces(options, exclusions)
    if not pieces:
        print(f"upstream.py: no file tests/{options.files}.py in {options.upstream}: a copy of JAX's sources at "
              f'{jax.__version__} is needed', file=sys.stderr)
        return 2
    sides, known = (Side('cpu', options), Side('ghlo', options)), Known(options)
    results, failed = [], {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as executor:
        futures = [executor.submit(run_piece, piece, sides, known, exclusions) for piece in pieces]
        for n_ended, future in enumerate(concurrent.futures.as_completed(futures), 1):
            results.append(future.result())
            file, wanted, _, failures = results[-1]
            failed.update((identifier, [outcome, message]) for identifier, outcome, message in failures)
            (options.results / 'failures.json').write_text(json.dumps(failed, indent=1))
            print(f'# {n_ended}/{len(pieces)} {file}: {wanted - len(failures)} of {wanted}', file=sys.stderr,
                  flush=True)
    for name, side in (("XLA's CPU", sides[0]), ('GHLO', sides[1])):
        for file, message in sorted(side.broken.items()):
            print(f'# {file} cannot be read on {name}: {name_failure(message)}')
    return 0 if report(results, sys.stdout) else 1


if __name__ == '__main__':
    sys.exit(main())
