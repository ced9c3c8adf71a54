#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The two official tests that check what a run prints: their CHECK lines must be
found in what `ghlo run` prints, in order, CHECK-NEXT on the line that follows."""

import os
import re

from common import Tap, data, ghlo


def checks(path, prefix):
    """(is_next, text) of each line "// PREFIX: text"."""
    pattern = re.compile(rf'//\s*{prefix}(-NEXT)?(\{{LITERAL\}})?:(.*)')
    with open(path, encoding='utf-8') as file:
        for line in file:
            found = pattern.search(line)
            if found:
                yield bool(found[1]), ' '.join(found[3].split())


def compare(output, wanted):
    """What is missing, or an empty string. White space counts as one space."""
    lines = [' '.join(line.split()) for line in output.splitlines()]
    place = -1
    for is_next, text in wanted:
        candidates = [place + 1] if is_next else range(place + 1, len(lines))
        place = next((i for i in candidates if i < len(lines) and text in lines[i]), None)
        if place is None:
            return f'expected "{text}" in\n{output}'
    return ''


def main():
    folder = data('conformance', 'interpret')
    tap = Tap()

    printing = os.path.join(folder, 'printing.mlir')
    for form, prefix in (('tensor', 'CHECK'), ('dense', 'CHECK-DENSE')):
        # Functions without a main run when they are the only public one.
        run = ghlo('run', '--split-input', '--full', f'--format={form}', printing)
        wanted = [c for c in checks(printing, prefix)]
        tap.report(not (detail := run.stderr or compare(run.stdout, wanted)), f'printing, as {form}', detail)

    arguments = os.path.join(folder, 'api_input_arguments.mlir')
    run = ghlo('run', arguments, '--input=dense<1> : tensor<2xi32>', '--input=dense<2> : tensor<2xi32>')
    tap.report(not (detail := run.stderr or compare(run.stdout, checks(arguments, 'CHECK'))),
               'api_input_arguments', detail)
    for wrong in ('not_array', '4.0 : f32'):
        run = ghlo('run', arguments, '--input=' + wrong, '--input=zeros')
        tap.report(run.returncode != 0 and 'input 0' in run.stderr, f'api_input_arguments refuses {wrong}', run.stderr)
    tap.finish()


if __name__ == '__main__':
    main()
