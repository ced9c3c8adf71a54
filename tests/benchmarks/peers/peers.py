#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whole models on GHLO beside ONNX Runtime, OpenVINO, PyTorch, XLA, IREE and llama.cpp on a processor: the same
random weights, answers compared with PyTorch's in f32, calls in turns in one process for each model and type. Prints a
table as Markdown: milliseconds of a call, and the best peer's time divided by GHLO's, above 1 where GHLO is faster,
with geometric means by type; what has failed; and with --first the seconds from a process's start to its first result,
its memory, and the size of what is installed. A system that is not installed is said and left out.
"""

import argparse
import collections
import fnmatch
import hashlib
import importlib.metadata
import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import others

HERE = os.path.dirname(os.path.abspath(__file__))
OWN = 'GHLO'
TYPES = ('f32', 'bf16', 'int8', 'int4')
# What answers may differ by from those of PyTorch in f32, in norm. Random weights leave little of int4.
TOLERANCES = {'f32': 1e-3, 'bf16': 0.1, 'int8': 0.3, 'int4': 1.0}
MODULES = {'ghlo': 'ctypes', 'xla': 'jax', 'torch': 'torch', 'torch-compile': 'torch', 'ort': 'onnxruntime',
           'openvino': 'openvino', 'iree': 'iree.compiler', 'llama.cpp': 'xllamacpp'}


def parse_options():
    parser = argparse.ArgumentParser(prog='run', description=__doc__, epilog='--build=DIR, the build tree whose GHLO '
                                     'is measured (build), --install, which makes the environment of the systems, and '
                                     '--python=PROGRAM, which has them, are options of the script around this one.')

    def listed(text):
        return text.split(',')
    parser.add_argument('--models', default=['*'], type=listed,
                        help='names or patterns with commas between them, "quick" for a few (all); "list" lists them')
    parser.add_argument('--types', default=list(TYPES), type=listed, help=f'of {",".join(TYPES)} (all)')
    parser.add_argument('--systems', default=others.DEFAULT, type=listed,
                        help=f'of {",".join(others.SYSTEMS)} ({",".join(others.DEFAULT)})')
    parser.add_argument('--batch', default=1, type=int, help='images, sequences or rows of a call (1)')
    parser.add_argument('--threads', default=2, type=int, help='of each system, on as many cores (2)')
    parser.add_argument('--time', default=1.5, type=float, help='seconds of calls for each system and model (1.5)')
    parser.add_argument('--limit', default=900, type=float,
                        help='seconds after which the process of a model, with its compiles, is given up (900)')
    parser.add_argument('--first', default=0, type=int, metavar='ROUNDS',
                        help='first results of as many processes of each system (0)')
    parser.add_argument('--spellings', action='store_true',
                        help='instead, a layer of BERT on GHLO as torchax, torch_xla and two ways of JAX write it')
    parser.add_argument('--folder', help='where the models are kept (in the cache folder)')
    parser.add_argument('--output', metavar='FILE', help='save the results as JSON')
    parser.add_argument('--compare', nargs=2, metavar='FILE', help='instead, compare two files of --output')
    options = parser.parse_args()
    for name, known in (('types', TYPES), ('systems', others.SYSTEMS)):
        if not set(getattr(options, name)) <= set(known):
            parser.error(f'expected --{name} of {",".join(known)}, found {",".join(getattr(options, name))}')
    return options


def is_there(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def default_folder():
    """By what the models follow from."""
    cache, total = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), hashlib.sha256()
    for name in ('models', 'in_jax', 'in_gguf', 'prepare', 'stored'):
        with open(os.path.join(HERE, f'{name}.py'), 'rb') as file:
            total.update(file.read())
    return os.path.join(cache, 'ghlo-tests', f'peers-models-{total.hexdigest()[:12]}')


def choose_models(patterns):
    import models
    patterns = [one for pattern in patterns for one in (models.QUICK if pattern == 'quick' else [pattern])]
    names = [name for name in models.MODELS if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
    if not names:
        raise SystemExit(f'--models is of quick, {", ".join(models.MODELS)}')
    return {name: models.MODELS[name] for name in names}


def run_script(script, *arguments, limit=None, environment=None):
    """Standard output of a script in a process, and how it ended: a status, or None where it was given up."""
    command = [sys.executable, os.path.join(HERE, script), *map(str, arguments)]
    variables = {**os.environ, 'CUDA_VISIBLE_DEVICES': '', 'GHLO_DEVICE': 'cpu', **(environment or {})}
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as process:
        try:
            return process.communicate(timeout=limit)[0], process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            return process.communicate()[0], None


def prepare(folder, model, batch, kinds):
    """Writes the types of a model that are not there. Returns what could not be written, in lines that begin with the
    type."""
    def notes_of(kind):
        return os.path.join(folder, f'{kind}.txt')
    missing = [kind for kind in kinds if not os.path.exists(notes_of(kind))]
    if missing:
        os.makedirs(folder, exist_ok=True)
        text, status = run_script('prepare.py', folder, model.name, batch, *missing)
        if status != 0:
            return [f'{kind}: prepare.py ended with {status}' for kind in missing]
        for kind in missing:
            with open(notes_of(kind), 'w', encoding='utf-8') as file:
                file.writelines(line + '\n' for line in text.splitlines() if line.startswith(kind))
    lines = []
    for kind in kinds:
        with open(notes_of(kind), encoding='utf-8') as file:
            lines += file.read().splitlines()
    return lines


def parse_lines(text):
    lines = []
    for line in text.splitlines():
        if line.startswith('{'):
            try:
                lines.append(json.loads(line))
            except ValueError:
                pass    # a line that a system wrote, or was interrupted in
    return lines


def measure_steady(folder, kind, options, systems):
    """Calls of all systems in turns. One that ends the process, or does not come to an end, is left out of another."""
    systems, result = list(systems), {'systems': {}, 'problems': {}}
    while systems:
        text, status = run_script('measure.py', 'steady', folder, kind, options.threads, options.time, *systems,
                                  limit=options.limit)
        lines = parse_lines(text)
        for line in lines:
            if 'problem' in line:
                result['problems'][line['system']] = line['problem']
            elif 'system' in line:
                result['systems'][line['system']] = {'ready': line['ready'], 'difference': line['difference']}
        samples = next((line['samples'] for line in lines if 'samples' in line), None)
        if samples is not None:
            for name, times in samples.items():
                result['systems'][name].update(median=statistics.median(times), least=min(times), calls=len(times))
            break
        lost = next((line['begins'] for line in reversed(lines) if 'begins' in line), None) or systems[-1]
        reason = 'it took too long' if status is None else f'it ended the process with {status}'
        result['problems'][others.SYSTEMS[lost].name] = reason
        systems.remove(lost)
    result['systems'] = {name: one for name, one in result['systems'].items() if 'median' in one}
    return result


def measure_first(folder, kind, options, systems):
    """Least seconds and memory by system, and by state of GHLO's cache, of processes in turns."""
    found = collections.defaultdict(list)
    for _ in range(options.first):
        for system in systems:
            with tempfile.TemporaryDirectory() as cache:
                for state in ('cold', 'warm') if system == 'ghlo' else ('',):
                    text, _ = run_script('measure.py', 'first', folder, kind, options.threads, time.time(), system,
                                         limit=options.limit, environment={'XDG_CACHE_HOME': cache} if state else None)
                    name = f'{others.SYSTEMS[system].name} {state}'.strip()
                    found[name] += [line for line in parse_lines(text) if 'seconds' in line]
    return {name: {'seconds': min(one['seconds'] for one in results),
                   'memory': max(one['memory'] for one in results),
                   'libraries': max(one['libraries'] for one in results)} for name, results in found.items() if results}


def is_wrong(one, kind):
    """Whether the answer of a system differs too much. Where it is not compared, it is taken to be right."""
    return one['difference'] is not None and one['difference'] > TOLERANCES[kind]


def best_peer(result, kind):
    """The name of the fastest other system whose answer is right, or None."""
    right = [name for name, one in result['systems'].items() if name != OWN and not is_wrong(one, kind)]
    return min(right, key=lambda name: result['systems'][name]['median'], default=None)


def ratio_to_best(result, kind, figure='median'):
    """The best peer's time divided by GHLO's, or None."""
    best = best_peer(result, kind)
    if best is None or OWN not in result['systems']:
        return None
    return result['systems'][best][figure] / result['systems'][OWN][figure]


def geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def split_key(key):
    return tuple(key.rsplit(' ', 1))


def by_type(results):
    """Ratios of each type, in the order of types."""
    ratios = collections.defaultdict(list)
    for key, result in results.items():
        _, kind = split_key(key)
        ratio = ratio_to_best(result, kind)
        if ratio is not None:
            ratios[kind].append(ratio)
    return {kind: ratios[kind] for kind in TYPES if kind in ratios}


def milliseconds(seconds):
    """Three digits, or all before the point."""
    return f'{seconds * 1e3:.0f}' if seconds >= 0.1 else f'{seconds * 1e3:.3g}'


def describe_steady(results):
    names = [name for name in dict.fromkeys(system.name for system in others.SYSTEMS.values())
             if any(name in result['systems'] for result in results.values())]
    lines = [f'| model | {" | ".join(names)} | best peer / {OWN} | by least | {OWN} differs by |',
             '|---|' + '--:|' * (len(names) + 3)]
    for key, result in results.items():
        _, kind = split_key(key)
        best, cells = best_peer(result, kind), []
        for name in names:
            one = result['systems'].get(name)
            mark = '' if one is None else '!' if is_wrong(one, kind) else '*' if name == best else ''
            cells.append('–' if one is None else f'{milliseconds(one["median"])}{mark}')
        ratios = [ratio_to_best(result, kind, figure) for figure in ('median', 'least')]
        cells += ['–' if ratios[0] is None else f'{ratios[0]:.2f} {best}',
                  '–' if ratios[1] is None else f'{ratios[1]:.2f}',
                  f'{result["systems"][OWN]["difference"]:.1g}' if OWN in result['systems'] else '–']
        lines.append(f'| {key} | {" | ".join(cells)} |')
    for kind, ratios in by_type(results).items():
        lines.append(f'| geometric mean, {kind}, {len(ratios)} models |{" |" * len(names)} {geometric_mean(ratios):.2f}'
                     ' | | |')
    return '\n'.join(lines) + '\n\n`*` the best peer, `!` an answer that differs too much: its time does not count.'


def describe_first(results):
    names = list(dict.fromkeys(name for result in results.values() for name in result.get('first', {})))
    lines = ['| seconds to the first result, MB of memory | ' + ' | '.join(names) + ' |', '|---|' + '--:|' * len(names)]
    for key, result in results.items():
        found = result.get('first', {})
        cells = [f'{found[name]["seconds"]:.2f}, {found[name]["memory"] / 1e6:.0f}' if name in found else '–'
                 for name in names]
        lines.append(f'| {key} | {" | ".join(cells)} |')
    return '\n'.join(lines)


def installed_bytes(packages):
    """The size of the files of packages; 0 where none is installed."""
    total, seen = 0, set()
    for package in packages:
        try:
            files = importlib.metadata.distribution(package).files or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for path in map(os.path.realpath, (file.locate() for file in files)):
            if path not in seen and os.path.isfile(path):
                seen.add(path)
                total += os.path.getsize(path)
    return total


def describe_sizes(results, systems):
    """What is installed: of GHLO, the libraries that its processes have had."""
    own = max((one['libraries'] for result in results.values() for name, one in result.get('first', {}).items()
               if name.startswith(OWN)), default=0)
    sizes = {OWN: own, **{others.SYSTEMS[name].name: installed_bytes(others.SYSTEMS[name].packages) for name in systems
                          if others.SYSTEMS[name].packages}}
    return 'installed, MB: ' + ', '.join(f'{name} {size / 1e6:.0f}' for name, size in sizes.items() if size)


def compare_files(paths):
    """How GHLO's ratio to its best peer has changed, the worst change first."""
    both = []
    for path in paths:
        with open(path, encoding='utf-8') as file:
            both.append(json.load(file)['results'])
    rows = []
    for key in both[0].keys() & both[1].keys():
        ratios = [ratio_to_best(results[key], split_key(key)[1]) for results in both]
        if None not in ratios:
            times = [milliseconds(results[key]['systems'][OWN]['median']) for results in both]
            rows.append((ratios[1] / ratios[0], key, times, ratios))
    lines = [f'| model | {OWN} before, ms | after | best peer / {OWN} before | after | change |',
             '|---|--:|--:|--:|--:|--:|']
    lines += [f'| {key} | {times[0]} | {times[1]} | {ratios[0]:.2f} | {ratios[1]:.2f} | {change:.2f} |'
              for change, key, times, ratios in sorted(rows)]
    return '\n'.join(lines)


def measure_models(options, systems):
    folder, results = options.folder or default_folder(), {}
    for name, model in choose_models(options.models).items():
        kinds = [kind for kind in TYPES if kind in options.types and kind in model.types]
        here = os.path.join(folder, f'{name}-b{options.batch}')
        notes = prepare(here, model, options.batch, kinds)
        for kind in kinds:
            key = f'{name} {kind}'
            results[key] = measure_steady(here, kind, options, systems)
            results[key]['notes'] = [note for note in notes if note.startswith(kind)]
            if options.first > 0:
                results[key]['first'] = measure_first(here, kind, options, systems)
            ratio = ratio_to_best(results[key], kind)
            print(f'  {key}: {"–" if ratio is None else f"{ratio:.2f}"}', file=sys.stderr, flush=True)
            save(options, results)
    return results


def save(options, results):
    if options.output:
        versions = {package: importlib.metadata.version(package) for system in others.SYSTEMS.values()
                    for package in system.packages[:1] if installed_bytes([package])}
        with open(options.output, 'w', encoding='utf-8') as file:
            json.dump({'threads': options.threads, 'batch': options.batch, 'versions': versions, 'results': results},
                      file, indent=1)


def report(results, systems, with_first):
    print(describe_steady(results))
    if with_first:
        print('\n' + describe_first(results) + '\n\n' + describe_sizes(results, systems))
    for key, result in results.items():
        for note in result['notes']:
            print(f'{key}: not written: {note}')
        for name, problem in result['problems'].items():
            print(f'{key}: {name}: {problem}')


def main():
    options = parse_options()
    if options.compare:
        print(compare_files(options.compare))
        return
    for name in [name for name in options.systems if not is_there(MODULES[name])]:
        print(f'{others.SYSTEMS[name].name} is not installed', file=sys.stderr)
    systems = [name for name in options.systems if is_there(MODULES[name])]
    missing = [module for module in ('torch', 'jax') if not is_there(module)]
    if missing:
        raise SystemExit(f'the models are made by {" and ".join(missing)}: use --install')
    if options.models == ['list']:
        import models
        print('\n'.join(f'{name}: {", ".join(model.types)}' for name, model in models.MODELS.items()))
    elif options.spellings:
        import spellings
        spellings.report(options)
    else:
        report(measure_models(options, systems), systems, options.first > 0)


if __name__ == '__main__':
    main()
