#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""JAX's own tests, on XLA's CPU and on GHLO; see tests/jax/run.

A file of tests is a process for each side, first XLA's. GHLO runs what passed there; all else than passing is a
failure, a skip too. A test that ends its process or does not end counts as failed, and the next process goes on behind
it. What XLA's CPU gave is kept in a folder of results, since nothing here changes it.
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
# From what message a class of failures is named.
ERROR_LINE = re.compile(r'^E\s+(\S.*)$', re.MULTILINE)


def parse_options():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument('--upstream', type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--part', type=int, default=0)
    parser.add_argument('--x64', action='store_true')
    parser.add_argument('--devices', type=int, default=1)
    parser.add_argument('--files', default='*_test')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    cache = pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache')
    parser.add_argument('--results', type=pathlib.Path, default=cache / 'ghlo-tests' / f'upstream-{jax.__version__}')
    return parser.parse_known_args()[0]


def read_exclusions():
    """Pairs of a pattern of tests' ids and why they are left out."""
    lines = (HERE / 'excluded.txt').read_text().splitlines()
    return [tuple(line.split(maxsplit=1)) for line in lines if line and not line.startswith('#')]


def is_excluded(identifier, exclusions):
    return any(fnmatch.fnmatchcase(identifier, pattern) for pattern, _ in exclusions)


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

    def run(self, file, wanted=None):
        """Runs a file's tests, those that are wanted or all, by as many processes as it takes."""
        done = {}
        while True:
            with tempfile.NamedTemporaryFile('w', suffix='.json') as settings:
                json.dump({'source': str(self.options.upstream), 'every': self.options.every, 'seed': self.options.seed,
                           'part': self.options.part, 'wanted': wanted, 'done': sorted(done)}, settings)
                settings.flush()
                unended = self.run_process(file, settings.name, done)
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
    """What XLA's CPU gave for a file, in a folder of results."""

    def __init__(self, options):
        facts = json.dumps([jax.__version__, options.every, options.seed, options.part, options.x64, options.devices,
                            {name: value for name, value in os.environ.items() if name.startswith('JAX_NUM_GEN')}])
        self.folder = options.results / f'{zlib.crc32(facts.encode()):08x}'
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / 'facts.json').write_text(facts + '\n')

    def path(self, file):
        return self.folder / (file.replace('/', '-') + '.json')

    def read(self, file):
        try:
            return json.loads(self.path(file).read_text())
        except FileNotFoundError:
            return None

    def write(self, file, outcomes):
        temporary = self.path(file).with_suffix('.new')
        temporary.write_text(json.dumps(outcomes, indent=0))
        temporary.replace(self.path(file))


def name_failure(message):
    """A line by which failures of one cause are the same, near enough."""
    lines = ERROR_LINE.findall(message) or message.splitlines() or ['']
    return re.sub(r'0x[0-9a-f]+|\d+', 'N', lines[0])[:160]


def run_file(file, sides, known, exclusions):
    """One file on both sides: its line of the table, and for each failure its id, outcome and message."""
    cpu, ours = sides
    expected = known.read(file)
    if expected is None:
        expected = cpu.run(file)
        known.write(file, expected)
    passed = [identifier for identifier, (outcome, _) in expected.items() if outcome == 'passed']
    wanted = [identifier for identifier in passed if not is_excluded(identifier, exclusions)]
    found = ours.run(file, wanted) if wanted else {}
    failures = []
    for identifier in wanted:
        outcome, message = found.get(identifier, ('missing', ours.broken.get(file, 'the test is not collected')))
        if outcome != 'passed':
            failures.append((identifier, outcome, message))
    return file, len(wanted), len(passed) - len(wanted), failures


def report(results, output):
    """The table by file, classes of failures, and the rate; False where a test failed."""
    classes = collections.defaultdict(list)
    n_wanted = n_excluded = n_failed = 0
    for file, wanted, excluded, failures in sorted(results):
        n_wanted, n_excluded, n_failed = n_wanted + wanted, n_excluded + excluded, n_failed + len(failures)
        if wanted or excluded:
            print(f'| {file} | {wanted - len(failures)} | {wanted} | {excluded} |', file=output)
        for identifier, outcome, message in failures:
            classes[f'{outcome}: {name_failure(message)}'].append(identifier)
    for cause, identifiers in sorted(classes.items(), key=lambda pair: -len(pair[1])):
        print(f'# {len(identifiers)} × {cause}', file=output)
        for identifier in identifiers:
            print(f'#   {identifier}', file=output)
    rate = 100 * (n_wanted - n_failed) / max(n_wanted, 1)
    print(f"# {n_wanted - n_failed} of {n_wanted} as on XLA's CPU: {rate:.2f} %; {n_excluded} excluded "
          f'({100 * n_excluded / max(n_wanted + n_excluded, 1):.2f} %)', file=output)
    return n_failed == 0


def list_files(options, exclusions):
    """Those that take longest first, so that none of them is the last to begin."""
    files = list((options.upstream / 'tests').glob(f'{options.files}.py'))
    files.sort(key=lambda path: -path.stat().st_size)
    names = [str(path.relative_to(options.upstream)) for path in files]
    return [name for name in names if not is_excluded(name, exclusions)]


def main():
    options = parse_options()
    if not (options.upstream / 'tests').is_dir():
        print(f"upstream.py: no tests in {options.upstream}: a copy of JAX's sources at {jax.__version__} is needed",
              file=sys.stderr)
        return 2
    exclusions = read_exclusions()
    files = list_files(options, exclusions)
    sides, known = (Side('cpu', options), Side('ghlo', options)), Known(options)
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as executor:
        futures = [executor.submit(run_file, file, sides, known, exclusions) for file in files]
        for n_ended, future in enumerate(concurrent.futures.as_completed(futures), 1):
            results.append(future.result())
            file, wanted, _, failures = results[-1]
            print(f'# {n_ended}/{len(files)} {file}: {wanted - len(failures)} of {wanted}', file=sys.stderr, flush=True)
    failed = {identifier: [outcome, message] for *_, failures in results for identifier, outcome, message in failures}
    (options.results / 'failures.json').write_text(json.dumps(failed, indent=1))
    for name, side in (("XLA's CPU", sides[0]), ('GHLO', sides[1])):
        for file, message in sorted(side.broken.items()):
            print(f'# {file} cannot be read on {name}: {name_failure(message)}')
    return 0 if report(results, sys.stdout) else 1


if __name__ == '__main__':
    sys.exit(main())
