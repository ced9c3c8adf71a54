#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts what docs/architecture.md promises about the tree, and fails where a number is too large.

    check-architecture.py SOURCE_ROOT

- functions: pointers to functions in the interfaces that a device implements.
- vulkan: files of src/gpu that reach Vulkan's own header by any chain of includes.
- circles: groups of files that include each other in a circle. FOO.c, FOO.h and FOO-private.h are one file here. Each
  circle is named below with the reason.
- twice: functions of one file that stand in another one too, token by token.
- lines: of src.

The check first proves on sources of its own that it finds what is wrong.
"""

import pathlib
import re
import sys

MAX_FUNCTIONS = 42
MAX_CIRCLES = 12
# Raised where what programs need grows: from 230,000 for loops in place and their kernels, from 236,000 for quantized
# types, attention and packed operands on the CPU, from 240,000 for floats that fusions widen, from 250,000 for folds
# that prefetch and rows that registers hold, from 252,000 for what GPUs stream, sort and transform in shared memory,
# and for weights of four bits.
MAX_LINES = 257_000
# Shorter functions, such as those that return one member, are alike by nature.
MIN_TOKENS = 60

# Circles: the files of each, without ending, and why they know each other.
CIRCLES = {
    frozenset({'device/fence', 'device/queue'}): 'a queue makes fences, and a fence asks its queue',
    frozenset({'device/device', 'device/step'}): 'a device has steps, and each is made for a device',
    frozenset({'ir/attr', 'ir/context', 'ir/module', 'ir/op-spec', 'ir/type'}): 'parts of one structure',
    frozenset({'ir/verify/common', 'ir/verify/from-table', 'ir/verify/sharding', 'ir/verify/verify'}):
        'the verifier calls its checks, which report to it',
    frozenset({'runtime/memory', 'runtime/storage', 'runtime/value'}): 'the account of memory knows what holds it',
    frozenset({'plan/build', 'plan/place', 'plan/plan', 'plan/work'}): 'bodies of a plan are placed and built like it',
    frozenset({'execute/run-loops', 'execute/run-recordings', 'execute/run-segments'}):
        'recordings contain loops, whose bodies are recorded',
    frozenset({'execute/compile-plan', 'execute/fallback', 'execute/program', 'execute/run-plan',
               'execute/run-spaces'}): 'a step of a plan may be a program of the reference device',
    frozenset({'reference/algebra/lapack', 'reference/algebra/matrix', 'reference/check', 'reference/custom-call',
               'reference/custom-read', 'reference/frame', 'reference/kernel', 'reference/kernels',
               'reference/process/process', 'reference/program', 'reference/scalar/numbers'}):
        'an interpreter: operations have regions, which are interpreted',
    frozenset({'vulkan/commands', 'vulkan/memory', 'vulkan/place', 'vulkan/queue'}):
        'memory is free once the queue has passed its last use, and the queue copies memory',
    frozenset({'gpu/kernel', 'gpu/pair', 'gpu/recording', 'gpu/shaders'}):
        'recordings hold kernels, and merge pairs of them',
    frozenset({'ghlo/ghlo-call', 'ghlo/ghlo-pending-call'}): 'a call that is pending is a call',
}
# Functions that stand twice, and why.
TWICE = {
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
POINTER = re.compile(r'\(\*(\w+)\) *\(')
INTERFACE = re.compile(r'^(?:typedef )?struct(?: _\w+)?\n\{\n(?P<body>(?:[^}].*\n|\n)*)\}(?: (?P<name>\w+))?;', re.M)
NAMED = re.compile(r'^struct _(\w+)\n\{\n((?:[^}].*\n|\n)*)\};', re.M)
FUNCTION = re.compile(r'^(\w+) \([^;{}]*\)\n(\{\n(?:[^}].*\n|\n)*\}\n)', re.M)
TOKEN = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\w+|[^\s\w]', re.S)


def read(root):
    """The sources below src, by their paths relative to it."""
    return {str(path.relative_to(root)): path.read_text(encoding='utf-8')
            for path in sorted(root.rglob('*')) if path.suffix in {'.c', '.h', '.def', '.in'}}


def count_functions(files):
    """The function pointers in structures of src/device's headers whose names end in Class or Implementation, and in
    that of devices which run whole programs."""
    found = []
    for path, text in files.items():
        if not path.endswith('.h') or not path.startswith(('device/', 'execute/program.')):
            continue
        for match in INTERFACE.finditer(text):
            name = match['name'] or re.match(r'struct _(\w+)', match.group(0))[1]
            if name.endswith(('Class', 'Implementation')):
                found += [f'{name}.{pointer}' for pointer in POINTER.findall(match['body'])]
    return found


def find_includes(files):
    """For each file, the files of src that it includes, and whether it includes Vulkan's header itself."""
    edges, has_vulkan = {}, set()
    for path, text in files.items():
        edges[path] = set()
        for bracket, name in INCLUDE.findall(text):
            if bracket == '<':
                if name.startswith('vulkan/'):
                    has_vulkan.add(path)
            else:
                here = str(pathlib.PurePosixPath(path).parent / name)
                edges[path] |= {candidate for candidate in (name, here) if candidate in files}
    return edges, has_vulkan


def reach_vulkan(files):
    edges, has_vulkan = find_includes(files)
    found = []
    for path in files:
        if not path.startswith('gpu/'):
            continue
        seen, todo = {path}, [path]
        while todo:
            for target in edges[todo.pop()] - seen:
                seen.add(target)
                todo.append(target)
        if seen & has_vulkan:
            found.append(path)
    return found


def find_circles(files):
    """Strongly connected groups of more than one file, by Tarjan's algorithm without recursion."""
    def unit(path):
        return re.sub(r'(?:-private)?\.[ch]$', '', path)

    edges = {}
    for path, targets in find_includes(files)[0].items():
        edges.setdefault(unit(path), set()).update(unit(target) for target in targets if unit(target) != unit(path))
    number, low, stack, on_stack, circles = {}, {}, [], set(), []
    for start in edges:
        if start in number:
            continue
        work = [(start, iter(sorted(edges[start])))]
        number[start] = low[start] = len(number)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in number:
                    number[target] = low[target] = len(number)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(sorted(edges.get(target, ())))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], number[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    group = set()
                    while node not in group:
                        member = stack.pop()
                        on_stack.discard(member)
                        group.add(member)
                    if len(group) > 1:
                        circles.append(frozenset(group))
    return circles


def find_twice(files):
    """Functions whose tokens stand in more than one file, as (name, files)."""
    places = {}
    for path, text in files.items():
        if not path.endswith('.c'):
            continue
        for name, body in FUNCTION.findall(text):
            tokens = [token for token in TOKEN.findall(body) if not token.startswith('/*')]
            if len(tokens) >= MIN_TOKENS:
                places.setdefault(' '.join(tokens), []).append((name, path))
    return [found for found in places.values() if len({path for _, path in found}) > 1]


def check(files):
    """Prints the counts; returns what is wrong."""
    problems = []
    functions = count_functions(files)
    print(f'functions in the interfaces of devices: {len(functions)}, of at most {MAX_FUNCTIONS}')
    if not 0 < len(functions) <= MAX_FUNCTIONS:
        problems.append('functions: ' + ' '.join(functions))
    vulkan = reach_vulkan(files)
    print(f"files of src/gpu that reach Vulkan's header: {len(vulkan)}")
    problems += [f'{path} includes a header with types of Vulkan' for path in vulkan]
    circles = find_circles(files)
    print(f'circles of files: {len(circles)}, of at most {MAX_CIRCLES}')
    for circle in circles:
        if circle not in CIRCLES:
            problems.append('a circle without a reason: ' + ' '.join(sorted(circle)))
    for circle in set(CIRCLES) - set(circles):
        problems.append('there is no such circle any more: ' + ' '.join(sorted(circle)))
    if len(circles) > MAX_CIRCLES:
        problems.append('too many circles')
    twice = [found for found in find_twice(files) if found[0][0] not in TWICE]
    print(f'functions that stand twice: {len(twice)}')
    problems += [f'stands twice: {", ".join(f"{name} () in {path}" for name, path in found)}' for found in twice]
    lines = sum(text.count('\n') for path, text in files.items())
    print(f'lines of src: {lines}, of at most {MAX_LINES}')
    if lines > MAX_LINES:
        problems.append('src has more lines')
    return problems


def prove():
    """Fails unless each kind of problem is found in sources made for that."""
    body = '{\n  int a = b;\n' + '  a += f (a, 1);\n' * 10 + '}\n'
    files = {
        'device/queue.h': 'typedef struct\n{\n  void (*submit) (int a);\n  int n;\n'
                          '  void (*wait) (void);\n} QueueClass;\n',
        'gpu/a.c': '#include "gpu/a.h"\n\nstatic void\nrun (int b)\n' + body,
        'gpu/a.h': '#include "vulkan/c.h"\n#include "gpu/b.h"\n',
        'gpu/b.c': '#include "gpu/b.h"\n#include "gpu/a.h"\n\nstatic void\nrun_too (int b)\n' + body,
        'gpu/b.h': '',
        'vulkan/c.h': '#include <vulkan/vulkan.h>\n',
    }
    assert count_functions(files) == ['QueueClass.submit', 'QueueClass.wait']
    assert reach_vulkan(files) == ['gpu/a.c', 'gpu/a.h', 'gpu/b.c']
    assert find_circles(files) == [frozenset({'gpu/a', 'gpu/b'})]
    assert find_twice(files) == [[('run', 'gpu/a.c'), ('run_too', 'gpu/b.c')]]


def main():
    prove()
    files = read(pathlib.Path(sys.argv[1]) / 'src')
    problems = check(files)
    print('\n'.join(problems))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
