#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that the documentation is complete and that its links work.

    check-pages.py SOURCE_ROOT REFERENCE GHLO

Each guide is a page with a title; links between pages, also those of README.md and
CONTRIBUTING.md to files, exist; each environment variable that the sources read, each
command and each error code is documented; the page of operations has every operation.
"""

import json
import pathlib
import re
import subprocess
import sys

LINK = re.compile(r'\]\(([^)#:\s]+)(?:#[^)]*)?\)')
FENCED = re.compile(r'^```.*?^```', re.M | re.S)


def read(path):
    return path.read_text(encoding='utf-8')


def check_links(source, reference):
    pages = [source / 'docs/architecture.md', source / 'docs/performance.md',
             *sorted((source / 'docs/guides').glob('*.md'))]
    for page in pages:
        html = reference / (page.stem + '.html')
        if not html.exists():
            yield f'{page.name} is no page of the reference'
        elif '<title>' not in read(html) or 'Unknown document' in read(html):
            yield f'{page.name} has no title'
        for link in LINK.findall(FENCED.sub('', read(page))):
            if not (reference / link).exists():
                yield f'{page.name} leads to {link}, which is not there'
    for name in ('README.md', 'CONTRIBUTING.md'):
        for link in LINK.findall(read(source / name)) + re.findall(r'`((?:docs|examples|tests|src)/[\w./-]*)`',
                                                                   read(source / name)):
            if not (source / link).exists():
                yield f'{name} names {link}, which is not there'


def check_words(what, words, *pages):
    if not words:
        yield f'no {what} was found'
    for page in pages:
        text = read(page)
        for word in sorted(words):
            if not re.search(rf'(?<![\w-]){re.escape(word)}(?![\w-])', text):
                yield f'{page.name} does not tell of the {what} {word}'


def main():
    source, reference = map(pathlib.Path, sys.argv[1:3])
    tool = sys.argv[3]
    guides = source / 'docs/guides'
    code = ''.join(read(path) for path in (source / 'src').rglob('*.c'))
    described = subprocess.run([tool, '--help'], check=True, capture_output=True, text=True).stdout
    operations = json.loads(subprocess.run([tool, 'ops', '--json'], check=True, capture_output=True, text=True).stdout)
    findings = [
        *check_links(source, reference),
        *check_words('environment variable', set(re.findall(r'getenv \("(\w+)"\)', code)),
                     guides / 'environment-variables.md'),
        *check_words('command', set(re.findall(r'^  (\w+) ', described, re.M)),
                     guides / 'command.md', source / 'docs/man/ghlo.1.rst'),
        *check_words('error', set(re.findall(r'GHLO_ERROR_(\w+),', read(source / 'src/base/ghlo-error.h'))),
                     guides / 'errors.md'),
        *check_words('operation', {row['name'] for row in operations}, reference / 'operations.html'),
    ]
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
