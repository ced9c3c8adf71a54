#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares programs on GHLO, XLA and IREE: one process, interleaved calls, results compared
before anything is timed. Prints ratios of medians (above 1: GHLO is faster), with the
share of the machine's roofline that each reaches, means by group, and the steps of GHLO's
plan for programs in which a peer is faster. runners.py defines what is timed.
"""

import argparse
import glob
import json
import math
import multiprocessing
import os
import re
import statistics
import subprocess

import numpy as np

import turns
from runners import PEERS, Ghlo, GhloByJax

TOOL = os.environ.get('GHLO_TOOL', 'ghlo')
CAP = 4.0
ON_HOST = {'xla', 'jax', 'iree'}
NEGATION = ('func.func @main(%a: tensor<SIZExf32>) -> tensor<SIZExf32> {\n'
            '  %0 = stablehlo.negate %a : tensor<SIZExf32>\n  return %0 : tensor<SIZExf32>\n}\n')
PRODUCT = ('func.func @main(%a: tensor<SIZExSIZExf32>) -> tensor<SIZExSIZExf32> {\n'
           '  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : '
           '(tensor<SIZExSIZExf32>, tensor<SIZExSIZExf32>) -> tensor<SIZExSIZExf32>\n'
           '  return %0 : tensor<SIZExSIZExf32>\n}\n')


def make_empty(n_inputs, n_outputs):
    """Returns a program that only returns some of its inputs, one number each, and the specs of the inputs."""
    names = [f'%a{number}' for number in range(max(n_inputs, 1))]
    results, types = ', '.join(names[number % len(names)] for number in range(n_outputs)), ['tensor<f32>'] * n_outputs
    text = (f'func.func @main({", ".join(f"{name}: tensor<f32>" for name in names)}) -> ({", ".join(types)}) {{\n'
            f'  return {results} : {", ".join(types)}\n}}\n')
    return text, [['float32', []]] * len(names)


def make_inputs(specs, kind):
    """Makes inputs: uniform in [0.1, 1], or normal with signs and zeros; integers in [0, 10); booleans true."""
    random = np.random.default_rng(1)
    inputs = []
    for dtype, shape in specs:
        if dtype == 'bool':
            inputs.append(np.ones(shape, bool))
        elif np.dtype(dtype).kind in 'iu':
            inputs.append(random.integers(0, 10, shape).astype(dtype))
        elif kind == 'uniform':
            inputs.append(random.uniform(0.1, 1, shape).astype(dtype))
        else:
            array = np.asarray(random.standard_normal(shape))
            array[random.uniform(size=shape) < 0.05] = 0
            inputs.append(array.astype(dtype))
    return inputs


def difference(found, expected):
    """Describes the first disagreement, or returns an empty string."""
    if len(found) != len(expected):
        return f'{len(found)} outputs, expected {len(expected)}'
    for number, (a, b) in enumerate(zip(found, expected)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f'output {number} is {a.dtype}{a.shape}, expected {b.dtype}{b.shape}'
        finite = np.abs(b[np.isfinite(b)])
        atol = 1e-4 * float(finite.max()) if finite.size else 0
        if not np.allclose(a, b, rtol=1e-3, atol=atol, equal_nan=True):
            return f'output {number} differs by up to {np.nanmax(np.abs(a - b))}'
    return ''


def narrower(found, expected):
    """Lists outputs that the peer returns in a smaller type of the same kind, as "float32 for float64"."""
    return [f'{b.dtype} for {a.dtype}' for a, b in zip(found, expected)
            if a.dtype.kind == b.dtype.kind and b.dtype.itemsize < a.dtype.itemsize]


def in_peer_types(found, expected):
    """Converts our outputs to the types of a peer that computes in narrower ones."""
    return [a.astype(b.dtype) if narrower([a], [b]) else a for a, b in zip(found, expected)] + found[len(expected):]


def in_f64(text):
    """Returns the program with f64 in place of f32, including hexadecimal constants."""
    def widen(match):
        value = np.array([int(match.group(1), 16)], np.uint32).view(np.float32).astype(np.float64)
        return f'dense<0x{value.view(np.uint64)[0]:016X}> : tensor<{match.group(2)}f64>'
    text = re.sub(r'dense<0x([0-9A-Fa-f]{8})> : tensor<((?:\d+x)*)f32>', widen, text)
    return re.sub(r'\bf32\b|(?<=x)f32\b', 'f64', text)


def in_highest_precision(text):
    """Returns the program with products in full f32, where DEFAULT lets XLA round operands to TF32."""
    return re.sub(r'(?<=precision )DEFAULT(?=>)|(?<=precision = \[)DEFAULT, DEFAULT(?=\])',
                  lambda match: match.group().replace('DEFAULT', 'HIGHEST'), text)


class Exact:
    """The program in f64, on the first peer that really computes in f64: IREE demotes f64 to f32."""

    def __init__(self, text, peers):
        self.text, self.peers, self.runner = in_f64(text), list(peers), None

    def answer(self, inputs):
        """Returns the outputs, or None where no peer computes them."""
        while self.peers:
            try:
                self.runner = self.runner or self.peers[0](self.text)
                self.runner.bind([a.astype(np.float64) if a.dtype == np.float32 else a for a in inputs])
                self.runner.call()
                outputs = self.runner.outputs()
                if not any(output.dtype == np.float32 for output in outputs):
                    return outputs
            except Exception:  # pylint: disable=broad-except
                pass
            self.runner = None
            del self.peers[0]
        return None


def judge(exact, wrong, ours, peer):
    """Judges two results that differ: whether GHLO's is further from the f64 result, if there is one, than
    the peer's. With cancellation in sums, f32 results may differ although they are equally good."""
    if exact is None:
        return f'{wrong}; not judged: no peer computes in f64'
    errors = [max(float(np.nanmax(np.abs(a - b))) / max(float(np.nanmax(np.abs(b))), 1e-300)
                  for a, b in zip(runner.outputs(), exact) if b.size) for runner in (ours, peer)]
    verdict = 'as good' if errors[0] <= 2 * errors[1] else 'WRONG'
    return f'{wrong}; {verdict}: from f64 {ours.name} is {errors[0]:.2g} away, {peer.name} {errors[1]:.2g}'


def on_host(options):
    return options.device in (None, 'cpu') and set(options.peers) <= ON_HOST


def time_calls(runners, options):
    """Returns medians in seconds by name."""
    for runner in runners:
        runner.call()
    take_turns = turns.alternate if on_host(options) else turns.stretch
    samples = take_turns(runners, options.time, turns.time_call)
    return {name: statistics.median(times) for name, times in samples.items()}


def time_longer_call(runners, options):
    """Returns the seconds by which a call through JAX takes longer than through GHLO's own API, for an empty program
    with as many inputs and outputs, each after a call of the program: the program's data evicts the code that makes
    calls from the caches, and JAX has more of that code."""
    text, specs = make_empty(len(runners[0].inputs), len(runners[0].outputs()))
    before = {runner.name: runners[place - 1] for place, runner in enumerate(runners)}
    faces = run_all([face for face in make_runners(text, options)[0] if face.name in ('GHLO', GhloByJax.name)],
                    make_inputs(specs, 'uniform'), [])

    def sample(face):
        before[face.name].call()
        return turns.time_call(face)
    medians = {name: statistics.median(times)
               for name, times in turns.alternate(faces, options.time / 4, sample).items()}
    return max(medians[GhloByJax.name] - medians['GHLO'], 0)


def reason(error):
    """Returns the decisive line of an error message: a compiler's first error."""
    lines = str(error).splitlines() or [type(error).__name__]
    found = next((line for line in lines if 'error:' in line), lines[0])
    return found.strip()[:160]


def make_runners(text, options):
    runners, problems = [] if options.peers_only else [Ghlo(text, options.device)], []
    for peer in options.peers:
        try:
            runners.append(PEERS[peer](text))
        except Exception as error:  # pylint: disable=broad-except
            problems.append(f'{PEERS[peer].name} does not compile it: {reason(error)}')
    return runners, problems


def run_all(runners, inputs, problems):
    """Runs the program once on each. Returns the runners that succeed; reports a peer that fails."""
    running = []
    for number, runner in enumerate(runners):
        try:
            runner.bind(inputs)
            runner.call()
        except Exception as error:  # pylint: disable=broad-except
            if number == 0:
                raise
            problems.append(f'{runner.name} does not run it: {reason(error)}')
            continue
        running.append(runner)
    return running


def leave_out_narrower(runners, problems):
    """Returns the runners with comparable times, without peers that compute in narrower types."""
    kept = runners[:1]
    for runner in runners[1:]:
        types = narrower(runners[0].outputs(), runner.outputs())
        if types:
            problems.append(f'{runner.name} computes in {", ".join(sorted(set(types)))}: its time does not count')
        else:
            kept.append(runner)
    return kept


def measure(text, specs, options):
    """Compares results on both kinds of inputs, then measures times on the first."""
    if options.highest:
        text = in_highest_precision(text)
    runners, problems = make_runners(text, options)
    exact = Exact(text, [PEERS[peer] for peer in options.peers])
    for kind in ('normal', 'uniform'):
        inputs = make_inputs(specs, kind)
        runners = run_all(runners, inputs, problems)
        for runner in runners[1:]:
            found, expected = runners[0].outputs(), runner.outputs()
            wrong = difference(in_peer_types(found, expected), expected)
            if wrong:
                problems.append(f'{kind} inputs: not as {runner.name}: '
                                + judge(exact.answer(inputs), wrong, runners[0], runner))
        runners = leave_out_narrower(runners, problems)
    seconds = time_calls(runners, options)
    result = {'seconds': seconds, 'problems': problems, 'reference_share': None, 'steps': [],
              'compile_seconds': {runner.name: runner.compile_seconds for runner in runners}}
    if not options.peers_only:
        if GhloByJax.name in seconds and on_host(options):
            result['longer_call'] = time_longer_call(runners, options)
        result['reference_share'] = runners[0].reference_share()
        if any(seconds[name] < seconds['GHLO'] for name in rivals_of(seconds)):
            result['steps'] = [(step.seconds, step.n_runs, step.detail) for step in runners[0].steps()]
    return result


def time_program(text, shape, options):
    """Returns the median times in seconds of a program with one input, of every system that runs it."""
    runners = run_all(make_runners(text, options)[0], make_inputs([['float32', shape]], 'normal'), [])
    return time_calls(runners, options).values()


def device_rates(options):
    """Returns the device's rates. A negation reads as much as it writes. The large size of a program is measured only
    if all systems run the small one in no time: a software device may take minutes where the processor is fast."""
    def find(text, sizes, rank, work):
        for n in sizes:
            times = time_program(text.replace('SIZE', str(n)), [n] * rank, options)
            if max(times) > 2e-3:
                break
        return work(n) / min(times)
    products = in_highest_precision(PRODUCT) if options.highest else PRODUCT
    return (find(NEGATION, (1 << 20, 1 << 26), 1, lambda n: 8.0 * n),
            find(products, (512, 8192), 2, lambda n: 2.0 * n**3))


def host_rates(options):
    """Returns the processor's rates: the better of those of the command-line tool and XLA."""
    about = json.loads(subprocess.run([TOOL, 'bench', '--format=json'], capture_output=True, check=True).stdout)
    products, n = about['product_operations_per_s'], 2048
    if 'xla' in options.peers:
        alone = argparse.Namespace(**{**vars(options), 'peers': ['xla'], 'peers_only': True})
        products = max(products, 2.0 * n**3 / min(time_program(PRODUCT.replace('SIZE', str(n)), [n, n], alone)))
    return about['copy_bytes_per_s'], products


def machine_rates(options):
    """Returns the bytes copied per second, and the operations per second in f32 products."""
    return (host_rates if on_host(options) else device_rates)(options)


class Lost(RuntimeError):
    """The process of a call ended, or was killed, before its answer."""


class Apart:
    """A process that makes calls for this one. It is restarted after a call that crashes it or takes too long, so that
    such a program does not affect the results of others."""

    def __init__(self, limit):
        self.limit, self.process = limit, None

    def begin(self):
        context = multiprocessing.get_context('spawn')
        self.ours, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def end(self):
        """Ends the process and returns its exit status, negative for a signal."""
        self.process.kill()
        self.process.join()
        status, self.process = self.process.exitcode, None
        return status

    def call(self, function, *arguments):
        if self.process is None:
            self.begin()
        self.ours.send((function, arguments))
        if not self.ours.poll(self.limit):
            self.end()
            raise Lost(f'took more than {self.limit:g} s')
        try:
            result = self.ours.recv()
        except EOFError:
            self.process.join()
            raise Lost(f'ended the process, with status {self.end()}') from None
        if isinstance(result, Exception):
            raise RuntimeError(reason(result))
        return result


def serve(connection):
    """Makes the calls that arrive through a connection until it is closed."""
    while True:
        try:
            function, arguments = connection.recv()
        except EOFError:
            return
        try:
            result = function(*arguments)
        except Exception as error:  # pylint: disable=broad-except
            result = RuntimeError(reason(error))
        connection.send(result)


def describe(path):
    run = subprocess.run([TOOL, 'info', '--json', path], capture_output=True, check=True)
    return json.loads(run.stdout)


def is_view(about):
    """Returns whether outputs may share storage with inputs: nothing is computed or moved."""
    return set(about['operation_counts']) <= {'func.func', 'func.return', 'stablehlo.reshape'}


def group_of(name):
    return name.split('-')[0]


def mean_of(ratios):
    return math.exp(statistics.fmean(math.log(min(max(r, 1 / CAP), CAP)) for r in ratios))


def column(name):
    return max(len(name) + 2, 8)


def report_head(names):
    """Shares of the roofline, GHLO's share of time in reference steps, and how much slower
    than GHLO each peer is."""
    print(f"{'program':16}{'attainable':>12}{'GHLO':>8}{'in ref':>8}"
          + ''.join(f'{name:>{column(name)}}{"ratio":>8}' for name in names), flush=True)


def report(name, result, names):
    """Prints the line of a program, with notes."""
    if 'failed' in result:
        print(f"{name:16} {result['failed']}", flush=True)
        return
    least, seconds = result['least_seconds'], result['seconds']
    ours = seconds.get('GHLO', math.nan)
    share = result['reference_share']
    line = f'{name:16}{least * 1e6:9.1f} us{least / ours:8.3f}' + (' ' * 8 if share is None else f'{share:8.0%}')
    for peer in names:
        width = column(peer)
        line += (f'{least / seconds[peer]:{width}.3f}{seconds[peer] / ours:8.2f}' if peer in seconds
                 else ' ' * (width + 8))
    print(line + ('   (a view; not counted)' if result['view'] else ''), flush=True)
    for problem in result['problems']:
        print(f'    {problem}', flush=True)


def ratio_to(result, peer):
    return result['seconds'][peer] / result['seconds']['GHLO']


def rivals_of(names):
    """Lists the systems other than GHLO."""
    return [name for name in names if name not in ('GHLO', GhloByJax.name)]


def members_of(results, group):
    """Returns the results that count in a group, or in any group for "all"."""
    return [result for name, result in results.items()
            if group in (group_of(name), 'all') and 'failed' not in result and not result['view']]


def report_groups(results, names):
    print(f"\n{'group':8}{'in ref':>8}" + ''.join(f'{n + " mean":>{column(n) + 6}}{"worst":>8}' for n in names))
    for group in [*dict.fromkeys(map(group_of, results)), 'all']:
        members = members_of(results, group)
        if not members:
            continue
        line = f"{group:8}{statistics.fmean(r['reference_share'] for r in members):8.0%}"
        for peer in names:
            ratios = [ratio_to(r, peer) for r in members if peer in r['seconds']]
            width = column(peer) + 6
            line += f'{mean_of(ratios):{width}.2f}{min(ratios):8.2f}' if ratios else ' ' * (width + 8)
        print(line)


def compare_faces(results, rival, call):
    """Returns mean ratios of a rival's times to GHLO's: by its own API, by JAX, and by JAX less the longer call."""
    times = [result['seconds'] for result in results]
    less = [max(seconds[GhloByJax.name] - result.get('longer_call', call), seconds[GhloByJax.name] / 2)
            for result, seconds in zip(results, times)]
    faces = [[seconds['GHLO'] for seconds in times], [seconds[GhloByJax.name] for seconds in times], less]
    return [mean_of([seconds[rival] / ours for seconds, ours in zip(times, face)]) for face in faces]


def report_by_jax(results, rivals, call):
    """How far groups are ahead of rivals by GHLO's own face and by JAX, and how much of it is left by JAX: of all, and
    but for the seconds that a call of an empty program takes longer by JAX: among those of the program where that was
    measured, and else @call. JAX calls rivals on both sides."""
    heads = f'{"by JAX":>8}{"left":>7}{"but for calls":>15}'
    print('\n' + f'{"group":8}' + ''.join(f'{rival + " / GHLO":>{column(rival) + 8}}{heads}' for rival in rivals))
    for group in [*dict.fromkeys(map(group_of, results)), 'all']:
        line = f'{group:8}'
        for rival in rivals:
            members = [result for result in members_of(results, group)
                       if {rival, GhloByJax.name} <= set(result['seconds'])]
            if members:
                face, jax, less = compare_faces(members, rival, call)
                line += f'{face:{column(rival) + 8}.2f}{jax:8.2f}{jax / face:7.0%}{less / face:15.0%}'
            else:
                line += ' ' * (column(rival) + 8 + len(heads))
        print(line.rstrip())


def report_slower(results, names, most=4):
    """Prints programs in which a peer is faster, with the longest steps of GHLO's plan when run alone."""
    print('\nslower than a peer, and the longest steps when each is waited for:')
    for name, result in results.items():
        if not result.get('steps'):
            continue
        faster = [f'{ratio_to(result, peer):.2f} of {peer}' for peer in names
                  if peer in result['seconds'] and ratio_to(result, peer) < 1]
        steps, call = result['steps'], result['seconds']['GHLO']
        total = sum(seconds for seconds, _, _ in steps)
        print(f'{name:16}{", ".join(faster)}; a call {duration(call)}, {len(steps)} steps {duration(total)}')
        for seconds, n_runs, detail in steps[:most]:
            print(f'    {duration(seconds):>8} {seconds / max(total, 1e-12):4.0%} {n_runs:4} times {detail[:150]}')


def duration(seconds):
    return f'{seconds * 1e3:.3g} ms' if seconds >= 1e-3 else f'{seconds * 1e6:.3g} µs'


def write_markdown(path, results, names, copy, products):
    """Writes each program's work and bound, the systems' shares, and the ratios if GHLO is among the systems."""
    measured = {name: result for name, result in results.items() if 'failed' not in result}
    ours = any('GHLO' in result['seconds'] for result in measured.values())
    systems, ratios = (['GHLO', *names], names) if ours else (names, [])
    heads = [*systems, *(f'{name} / GHLO' for name in ratios)]
    lines = [f'| program | MB | MFLOP in products | bound by | attainable | {" | ".join(heads)} |',
             '|---|--:|--:|---|--:|' + '--:|' * len(heads)]
    for name, result in measured.items():
        cost, least, seconds = result['cost'], result['least_seconds'], result['seconds']
        bound = 'products' if cost['product_operations'] / products > cost['bytes'] / copy else 'memory'
        cells = [f'{least / seconds[system]:.2f}' if system in seconds else '–' for system in systems]
        cells += [f'{ratio_to(result, peer):.2f}' if peer in seconds else '–' for peer in ratios]
        lines.append(f"| {name} | {cost['bytes'] / 1e6:.3g} | {round(cost['product_operations'] / 1e6, 1):g} | {bound} "
                     f"| {duration(least)} | {' | '.join(cells)} |")
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')


def plot(results, names, path):
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(16, 6))
    results = {name: result for name, result in results.items() if 'failed' not in result}
    for offset, name in enumerate(['GHLO', *names]):
        values = [r['least_seconds'] / r['seconds'][name] if name in r['seconds'] else 0 for r in results.values()]
        axes.bar(np.arange(len(values)) + offset * 0.28, values, 0.28, label=name)
    axes.set_xticks(np.arange(len(results)) + 0.28, results, rotation=90, fontsize=7)
    axes.set_ylabel('share of the roofline')
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def measure_file(apart, path, specs, rates, options):
    """Measures a program. Returns the result or the reason for failure; retries a lost one without its last peer."""
    copy, products = rates
    about = describe(path)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    peers, lost = options.peers, []
    while True:
        try:
            result = apart.call(measure, text, specs, argparse.Namespace(**{**vars(options), 'peers': peers}))
            break
        except RuntimeError as error:
            if not isinstance(error, Lost) or len(peers) < 2:
                return {'failed': '; '.join([*lost, str(error)])}
            lost.append(f'left out {PEERS[peers[-1]].name}, with which it {error}')
            peers = peers[:-1]
    result['problems'] += lost
    cost = about['cost']
    least = max(cost['bytes'] / copy, cost['product_operations'] / products)
    return {**result, 'least_seconds': least, 'view': is_view(about), 'cost': cost}


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('programs', nargs='*', help='names or patterns of programs (all)')
    parser.add_argument('--data', required=True, help='the folder with index.json and the programs')
    parser.add_argument('--device', help="the kind of GHLO's device, cpu or vulkan (its own choice)")
    parser.add_argument('--peers', default='xla,iree', type=lambda text: text.split(','),
                        help=f'of {", ".join(PEERS)} (xla,iree)')
    parser.add_argument('--peers-only', action='store_true', help='leave GHLO out: where the peers stand')
    parser.add_argument('--highest', action='store_true', help='products in the highest precision (as programs say)')
    parser.add_argument('--time', default=2.0, type=float, help='seconds for each program (2)')
    parser.add_argument('--limit', default=300.0, type=float,
                        help='seconds after which a program, with its compiles, is given up (300)')
    parser.add_argument('--json', help='save the results')
    parser.add_argument('--markdown', help='write a table of the programs and where the systems stand')
    parser.add_argument('--plot', help='draw shares of the roofline')
    options = parser.parse_args()
    if not set(options.peers) <= set(PEERS):
        parser.error(f'expected --peers of {", ".join(PEERS)}, found {",".join(options.peers)}')
    return options


def choose_platforms(options):
    """Sets JAX's platforms for the processes started later."""
    platforms = [name for peer, name in (('cuda', 'cuda'), ('jax', 'ghlo')) if peer in options.peers]
    os.environ.setdefault('JAX_PLATFORMS', ','.join([*platforms, 'cpu']))
    if 'jax' in options.peers:
        os.environ['PJRT_NAMES_AND_LIBRARY_PATHS'] = f'ghlo:{os.environ["GHLO_PJRT_PLUGIN"]}'
        if options.device is not None:
            os.environ['GHLO_DEVICE'] = options.device


def main():
    options = parse_options()
    with open(os.path.join(options.data, 'index.json'), encoding='utf-8') as file:
        index = json.load(file)
    wanted = [name for name in index if not options.programs
              or any(glob.fnmatch.fnmatch(name, pattern) for pattern in options.programs)]
    choose_platforms(options)
    apart, names = Apart(options.limit), [PEERS[peer].name for peer in options.peers]
    copy, products = rates = apart.call(machine_rates, options)
    print(f'machine: {copy / 1e9:.1f} GB/s copied, {products / 1e9:.0f} GFLOP/s in f32 products')
    empty = apart.call(measure, *make_empty(1, 1), options)['seconds']
    print('empty program: ' + ', '.join(f'{name} {seconds * 1e6:.1f} us' for name, seconds in empty.items()))

    results = {}
    report_head(names)
    for name in wanted:
        path = os.path.join(options.data, f'{name}.mlir')
        results[name] = measure_file(apart, path, index[name], rates, options)
        report(name, results[name], names)
    if not options.peers_only:
        report_groups(results, names)
        if GhloByJax.name in names:
            report_by_jax(results, rivals_of(names), empty[GhloByJax.name] - empty['GHLO'])
        report_slower(results, rivals_of(names))
    if options.json:
        with open(options.json, 'w', encoding='utf-8') as file:
            json.dump({'copy': copy, 'products': products, 'empty': empty, 'programs': results}, file, indent=1)
    if options.markdown:
        write_markdown(options.markdown, results, names, copy, products)
    if options.plot:
        plot(results, names, options.plot)


if __name__ == '__main__':
    main()
