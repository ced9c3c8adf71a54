#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that the documentation is complete and that its links work.

    check-pages.py SOURCE_ROOT REFERENCE GHLO

Each guide is a page with a title; links between pages exist, and so do the files that README.md,
CONTRIBUTING.md, SECURITY.md, NEWS, docs/releasing.md and the issue templates name; each environment
variable that the sources read, each command and each error code is documented; the page of operations
has every operation; NEWS and Debian's changelog begin with the version of meson.build; CODEOWNERS'
patterns match something.
"""

import json
import pathlib
import re
import subprocess
import sys

LINK = re.compile(r'\]\(([^)#:\s]+)(?:#[^)]*)?\)')
# A file of the source tree, as prose and commands name it.
NAMED = re.compile(r'(?<![\w./-])(?:\./)?((?:docs|examples|introspection|tests|src)/[\w./-]*\w)')
# What the build puts into such a folder.
BUILT = {'examples/example-gtk'}
# Stands for what a change chooses.
PLACEHOLDER = re.compile(r'\b(?:NAME|FOLDER|FAMILY)\b')
FENCED = re.compile(r'^```.*?^```', re.M | re.S)
# Changes, which may be of new files; check-examples.py applies them.
EXAMPLE = re.compile(r'^```diff\n.*?^```$', re.M | re.S)


def read(path):
    return path.read_text(encoding='utf-8')


def check_links(source, reference):
    pages = [*(source / f'docs/{name}.md' for name in ('architecture', 'performance', 'releasing')),
             *sorted((source / 'docs/guides').glob('*.md')), *sorted((source / 'docs/internals').glob('*.md'))]
    for page in pages:
        html = reference / (page.stem + '.html')
        if not html.exists():
            yield f'{page.name} is no page of the reference'
        elif '<title>' not in read(html) or 'Unknown document' in read(html):
            yield f'{page.name} has no title'
        for link in LINK.findall(FENCED.sub('', read(page))):
            if not (reference / link).exists():
                yield f'{page.name} leads to {link}, which is not there'
    others = [*(source / name for name in ('README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'NEWS')),
              *(source / '.github/ISSUE_TEMPLATE').glob('*.md')]
    for page in others:
        for link in LINK.findall(read(page)):
            if not (source / link).exists():
                yield f'{page.name} leads to {link}, which is not there'
    for page in (*pages, *others):
        for name in NAMED.findall(EXAMPLE.sub('', read(page))):
            if name not in BUILT and not PLACEHOLDER.search(name) and not (source / name).exists():
                yield f'{page.name} names {name}, which is not there'


def check_releases(source):
    version = re.search(r"^  version: '(.*)',$", read(source / 'meson.build'), re.M)[1]
    if not re.match(rf'{re.escape(version)} \((in development|\d{{4}}-\d\d-\d\d)\)\n=+\n', read(source / 'NEWS')):
        yield f'NEWS does not begin with version {version}'
    if not read(source / 'docs/packaging/debian/changelog').startswith(f'ghlo ({version}) '):
        yield f'the changelog for Debian does not begin with version {version}'


def check_owners(source):
    for line in read(source / 'CODEOWNERS').splitlines():
        pattern, *owners = line.split() or ['#']
        if not pattern.startswith('#') and pattern != '*':
            if not owners or not pattern.startswith('/') or not (source / pattern[1:]).exists():
                yield f'CODEOWNERS: {pattern} matches nothing, or nobody owns it'


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
        *check_releases(source),
        *check_owners(source),
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
