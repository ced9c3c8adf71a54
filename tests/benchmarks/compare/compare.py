#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs side by side on GHLO, XLA and IREE: one process, calls interleaved, answers
compared before times count. Prints ratios of medians (above 1: GHLO is faster), with the
share of the machine's roofline that each reaches, and means by group.
"""

import argparse
import glob
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time

import numpy as np

from runners import PEERS, Ghlo

TOOL = os.environ.get('GHLO_TOOL', 'ghlo')
CAP = 4.0
EMPTY = 'func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n'


def make_inputs(specs, kind):
    """Uniform in [0.1, 1], or normal with signs and zeros; integers in [0, 10); true."""
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
    """What does not agree, or an empty string."""
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
    """Outputs that the peer gives in a smaller type of the same kind, as "float32 for float64"."""
    return [f'{b.dtype} for {a.dtype}' for a, b in zip(found, expected)
            if a.dtype.kind == b.dtype.kind and b.dtype.itemsize < a.dtype.itemsize]


def in_peer_types(found, expected):
    """What was found in the types of a peer that computes in narrower ones."""
    return [a.astype(b.dtype) if narrower([a], [b]) else a for a, b in zip(found, expected)] + found[len(expected):]


def in_f64(text):
    """The program with f64 in place of f32, constants in hexadecimal included."""
    def widen(match):
        value = np.array([int(match.group(1), 16)], np.uint32).view(np.float32).astype(np.float64)
        return f'dense<0x{value.view(np.uint64)[0]:016X}> : tensor<{match.group(2)}f64>'
    text = re.sub(r'dense<0x([0-9A-Fa-f]{8})> : tensor<((?:\d+x)*)f32>', widen, text)
    return re.sub(r'\bf32\b|(?<=x)f32\b', 'f64', text)


def compute_in_f64(text, inputs, peers):
    """The answer of the first peer that computes in f64 when it is asked to, or None: IREE takes
    f64 for f32."""
    for peer in peers:
        try:
            runner = peer(in_f64(text))
            runner.bind([a.astype(np.float64) if a.dtype == np.float32 else a for a in inputs])
            runner.call()
            outputs = runner.outputs()
        except Exception:  # pylint: disable=broad-except
            continue
        if not any(output.dtype == np.float32 for output in outputs):
            return outputs
    return None


def judge(text, inputs, wrong, runners, peers):
    """Of two answers that differ, whether GHLO's is further than the peer's from that in f64,
    where a peer computes it: sums that cancel make f32 answers differ that are as good."""
    exact = compute_in_f64(text, inputs, peers)
    if exact is None:
        return f'{wrong}; not judged: no peer computes in f64'
    errors = [max(float(np.nanmax(np.abs(a - b))) / max(float(np.nanmax(np.abs(b))), 1e-300)
                  for a, b in zip(runner.outputs(), exact) if b.size) for runner in runners]
    verdict = 'as good' if errors[0] <= 2 * errors[1] else 'WRONG'
    return f'{wrong}; {verdict}: from f64 {runners[0].name} is {errors[0]:.2g} away, {runners[1].name} {errors[1]:.2g}'


def time_interleaved(runners, seconds):
    """Medians of calls that take turns, in seconds by name."""
    samples = {runner.name: [] for runner in runners}
    for runner in runners:
        runner.call()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(samples[runners[0].name]) < 3:
        for runner in runners:
            start = time.perf_counter()
            runner.call()
            samples[runner.name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in samples.items()}


def reason(error):
    """The line that says why, of a message that may have many: a compiler's first error."""
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
    """Those that run the program once: a peer that does not is said, and left out."""
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
    """Those whose times may be compared: a peer that computes in narrower types does less."""
    kept = runners[:1]
    for runner in runners[1:]:
        types = narrower(runners[0].outputs(), runner.outputs())
        if types:
            problems.append(f'{runner.name} computes in {", ".join(sorted(set(types)))}: its time does not count')
        else:
            kept.append(runner)
    return kept


def measure(text, specs, options):
    """Answers compared on both kinds of inputs, then times on the first."""
    runners, problems = make_runners(text, options)
    for kind in ('normal', 'uniform'):
        inputs = make_inputs(specs, kind)
        runners = run_all(runners, inputs, problems)
        for runner in runners[1:]:
            found, expected = runners[0].outputs(), runner.outputs()
            wrong = difference(in_peer_types(found, expected), expected)
            if wrong:
                peers = [type(runner)] + [PEERS[peer] for peer in options.peers if PEERS[peer] is not type(runner)]
                problems.append(f'{kind} inputs: not as {runner.name}: '
                                + judge(text, inputs, wrong, [runners[0], runner], peers))
        runners = leave_out_narrower(runners, problems)
    return {'seconds': time_interleaved(runners, options.time), 'problems': problems,
            'reference_share': runners[0].reference_share() if not options.peers_only else None,
            'compile_seconds': {runner.name: runner.compile_seconds for runner in runners}}


def machine_rates(options):
    """Bytes a second copied and operations a second in products, the best of what the
    command and XLA reach."""
    about = json.loads(subprocess.run([TOOL, 'bench', '--format=json'], capture_output=True, check=True).stdout)
    products = about['product_operations_per_s']
    if 'xla' in options.peers:
        text = ('func.func @main(%a: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {\n'
                '  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : '
                '(tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>\n'
                '  return %0 : tensor<2048x2048xf32>\n}\n')
        runner = PEERS['xla'](text)
        runner.bind([np.ones((2048, 2048), np.float32)])
        products = max(products, 2 * 2048**3 / time_interleaved([runner], 1)[runner.name])
    return about['copy_bytes_per_s'], products


def describe(path):
    run = subprocess.run([TOOL, 'info', '--json', path], capture_output=True, check=True)
    return json.loads(run.stdout)


def is_view(about):
    """Whether outputs may share storage with inputs: nothing is computed or moved."""
    return set(about['operation_counts']) <= {'func.func', 'func.return', 'stablehlo.reshape'}


def group_of(name):
    return name.split('-')[0]


def mean_of(ratios):
    return math.exp(statistics.fmean(math.log(min(max(r, 1 / CAP), CAP)) for r in ratios))


def report(results, names):
    """Shares of the roofline, GHLO's share of time in reference steps, and how much slower
    than GHLO each peer is."""
    print(f"{'program':16}{'attainable':>12}{'GHLO':>8}{'in ref':>8}" + ''.join(f'{n:>8}{"ratio":>8}' for n in names))
    for name, result in results.items():
        least, seconds = result['least_seconds'], result['seconds']
        ours = seconds.get('GHLO', math.nan)
        share = result['reference_share']
        line = f'{name:16}{least * 1e6:9.1f} us{least / ours:8.3f}' + (' ' * 8 if share is None else f'{share:8.0%}')
        for peer in names:
            line += f'{least / seconds[peer]:8.3f}{seconds[peer] / ours:8.2f}' if peer in seconds else ' ' * 16
        print(line + ('   (a view; not counted)' if result['view'] else ''))
        for problem in result['problems']:
            print(f'    {problem}')


def report_groups(results, names):
    print(f"\n{'group':8}{'in ref':>8}" + ''.join(f'{n + " mean":>12}{"worst":>8}' for n in names))
    groups = sorted({group_of(name) for name in results}, key=[group_of(name) for name in results].index)
    for group in [*groups, 'all']:
        members = [r for name, r in results.items() if group in (group_of(name), 'all') and not r['view']]
        if not members:
            continue
        line = f"{group:8}{statistics.fmean(r['reference_share'] for r in members):8.0%}"
        for peer in names:
            ratios = [r['seconds'][peer] / r['seconds']['GHLO'] for r in members if peer in r['seconds']]
            line += f'{mean_of(ratios):12.2f}{min(ratios):8.2f}' if ratios else ' ' * 20
        print(line)


def duration(seconds):
    return f'{seconds * 1e3:.3g} ms' if seconds >= 1e-3 else f'{seconds * 1e6:.3g} µs'


def write_markdown(path, results, names, copy, products):
    """What each program must do, what bounds it, and where the peers stand."""
    lines = [f'| program | MB | MFLOP in products | bound by | attainable | {" | ".join(names)} |',
             '|---|--:|--:|---|--:|' + '--:|' * len(names)]
    for name, result in results.items():
        cost, least = result['cost'], result['least_seconds']
        bound = 'products' if cost['product_operations'] / products > cost['bytes'] / copy else 'memory'
        shares = [f"{least / result['seconds'][peer]:.2f}" if peer in result['seconds'] else '–' for peer in names]
        lines.append(f"| {name} | {cost['bytes'] / 1e6:.3g} | {round(cost['product_operations'] / 1e6, 1):g} | {bound} "
                     f"| {duration(least)} | {' | '.join(shares)} |")
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')


def plot(results, names, path):
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(16, 6))
    for offset, name in enumerate(['GHLO', *names]):
        values = [r['least_seconds'] / r['seconds'][name] if name in r['seconds'] else 0 for r in results.values()]
        axes.bar(np.arange(len(values)) + offset * 0.28, values, 0.28, label=name)
    axes.set_xticks(np.arange(len(results)) + 0.28, results, rotation=90, fontsize=7)
    axes.set_ylabel('share of the roofline')
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('programs', nargs='*', help='names or patterns of programs (all)')
    parser.add_argument('--data', required=True, help='the folder with index.json and the programs')
    parser.add_argument('--device', help="GHLO's device (its own choice)")
    parser.add_argument('--peers', default='xla,iree', type=lambda text: text.split(','))
    parser.add_argument('--peers-only', action='store_true', help='leave GHLO out: where the peers stand')
    parser.add_argument('--time', default=2.0, type=float, help='seconds for each program (2)')
    parser.add_argument('--json', help='save the results')
    parser.add_argument('--markdown', help='write a table of the programs and where the peers stand')
    parser.add_argument('--plot', help='draw shares of the roofline')
    options = parser.parse_args()

    with open(os.path.join(options.data, 'index.json'), encoding='utf-8') as file:
        index = json.load(file)
    wanted = [name for name in index if not options.programs
              or any(glob.fnmatch.fnmatch(name, pattern) for pattern in options.programs)]
    copy, products = machine_rates(options)
    print(f'machine: {copy / 1e9:.1f} GB/s copied, {products / 1e9:.0f} GFLOP/s in f32 products')
    empty = measure(EMPTY, [['float32', []]], options)['seconds']
    print('empty program: ' + ', '.join(f'{name} {seconds * 1e6:.1f} us' for name, seconds in empty.items()))

    results = {}
    for name in wanted:
        path = os.path.join(options.data, f'{name}.mlir')
        about = describe(path)
        with open(path, encoding='utf-8') as file:
            results[name] = measure(file.read(), index[name], options)
        cost = about['cost']
        results[name]['least_seconds'] = max(cost['bytes'] / copy, cost['product_operations'] / products)
        results[name]['view'] = is_view(about)
        results[name]['cost'] = cost
        print(f'  {name}', file=sys.stderr)
    names = [PEERS[peer].name for peer in options.peers]
    report(results, names)
    if not options.peers_only:
        report_groups(results, names)
    if options.json:
        with open(options.json, 'w', encoding='utf-8') as file:
            json.dump({'copy': copy, 'products': products, 'empty': empty, 'programs': results}, file, indent=1)
    if options.markdown:
        write_markdown(options.markdown, results, names, copy, products)
    if options.plot:
        plot(results, names, options.plot)


if __name__ == '__main__':
    main()
