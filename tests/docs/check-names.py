#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks that what the pages name in backticks exists.

    check-names.py SOURCE_ROOT

Reads README.md, CONTRIBUTING.md and all pages under docs. Every file, every folder and every ghlo_*, Ghlo* or GHLO_*
name must be in the tree. docs/architecture.md has at most 3,500 words, and each row of its table "Where to add what"
has as many files as it says. Each folder of src has a row in CONTRIBUTING's table of tests, and these tests exist. The
check first proves on pages of its own that it finds what is wrong.
"""

import fnmatch
import pathlib
import re
import sys

MAX_WORDS = 3500
OWN_NAME = pathlib.Path(__file__).name

# Folders and files at the top that names are looked up in. Pages do not count: they would prove their own names.
TOP = ('src', 'shaders', 'tests', 'introspection', 'examples', 'docs', '.github', 'meson.build', 'meson_options.txt',
       'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'NEWS', 'CODEOWNERS', 'COPYING', '.clang-tidy', '.clang-format',
       '.editorconfig')
TEXT = {'.c', '.h', '.in', '.def', '.py', '.js', '.vala', '.vapi', '.build', '.txt', '.comp', '.glsl', '.words',
        '.mlir', '.sh', '.map', '.symbols', ''}

# What is named and is not in the tree, with the reason.
EXCEPTIONS = [
    # page, name, reason
    ('docs/jax-tests.md', '*_test.py', "JAX's own tests"),
    ('docs/guides/getting-started.md', 'gi-stubs/repository/Ghlo.pyi', 'where the stub file is installed'),
    ('docs/guides/getting-started.md', 'scale.c', "a file of the reader's"),
    ('docs/releasing.md', 'ghlo-version.h', 'made by the build'),
]
PLACEHOLDERS = re.compile(r'(?<![A-Z])(?:NAME|FOLDER|FAMILY|KIND)(?![A-Z])')
# Pages about one folder of src: a file without a folder is one of that folder.
INTERNALS = re.compile(r'^docs/internals/(\w+)\.md$')

FENCED = re.compile(r'^```.*?^```|^~~~.*?^~~~|<!--.*?-->', re.M | re.S)
TICKS = re.compile(r'`([^`\n]+(?:\n[^`\n]+)?)`')
SYMBOL = re.compile(r'(?<![\w/.-])((?:ghlo_|GHLO_)\w+|Ghlo[A-Z]\w+)(\*?)')
# A file of the project, by its kind.
FILE = re.compile(r'^[\w./*-]*[\w*-]\.(?:c|h|def|comp|glsl|words|py|build|map|symbols)$')
WORD = re.compile(r'\w+')
# What build files put before the names of tests that they make of tables.
PREFIXES = {'conformance-', 'fake-', 'pjrt-', 'jax-', 'lapack-'}
ROW = re.compile(r'^\| ([^|]+) \| ([^|]+) \| (\d+) \|', re.M)


class Tree:
    """The files and folders below the root, and the words that stand in them."""

    def __init__(self, root):
        self.paths, self.words = set(), set()
        for name in TOP:
            top = root / name
            for path in (top, *top.rglob('*')) if top.is_dir() else (top,):
                where = path.relative_to(root)
                if not path.exists() or any(part.startswith(('build', '__pycache__')) and (root / where).is_dir()
                                            for part in where.parts[:1] + where.parts[-1:]):
                    continue
                self.paths.add(str(where))
                if path.is_file() and path.suffix in TEXT and where.parts[0] != 'docs' and path.name != OWN_NAME:
                    self.words.update(WORD.findall(path.read_text(encoding='utf-8', errors='replace')))
        self.suffixes = {}
        for path in self.paths:
            parts = path.split('/')
            for i in range(len(parts)):
                self.suffixes.setdefault('/'.join(parts[i:]), []).append(path)
        # What the tests' build files name in quotes, alone or behind a folder: tests and suites.
        self.tests = {match for path in sorted((root / 'tests').rglob('meson.build'))
                      for match in re.findall(r"(?<=['/])[\w-]+(?=')", path.read_text(encoding='utf-8'))}
        self.folders = {path.split('/')[-1] for path in self.paths if (root / path).is_dir()}

    def has_path(self, name, folder=None):
        name = PLACEHOLDERS.sub('*', name.removeprefix('./').rstrip('/'))
        if '*' not in name:
            return any(folder is None or path.startswith(folder) for path in self.suffixes.get(name, ()))
        return any(fnmatch.fnmatchcase(path, name) or fnmatch.fnmatchcase(path, '*/' + name) for path in self.paths)

    def has_symbol(self, name, is_prefix):
        if is_prefix or name.endswith('_'):
            return any(word.startswith(name) for word in self.words)
        if PLACEHOLDERS.search(name):
            return bool(fnmatch.filter(self.words, PLACEHOLDERS.sub('*', name)))
        return name in self.words


def is_exception(page, name):
    return any(page == where and fnmatch.fnmatchcase(name, pattern) for where, pattern, _ in EXCEPTIONS)


def check_names(tree, page, text):
    about = INTERNALS.match(page)
    folder = f'src/{about[1]}/' if about and f'src/{about[1]}' in tree.paths else None
    for quoted in TICKS.findall(FENCED.sub('', text)):
        for name, star in SYMBOL.findall(quoted):
            if not tree.has_symbol(name, star):
                yield f'{page}: the name {name} is not in the tree'
        for word in quoted.split():
            word = word.strip('(),;:"\'')
            is_folder = '/' in word and re.fullmatch(r'[\w./*-]+', word) and word.split('/')[0] in tree.folders
            if (FILE.match(word) or is_folder) and not is_exception(page, word) \
                    and not tree.has_path(word, folder if '/' not in word else None):
                yield f'{page}: the file or folder {word} is not in {folder or "the tree"}'


def check_rows(tree, page, text):
    """The rows of the table: what is added, the files that it touches, and how many these are."""
    section = re.search(r'^## Where to add what\n(.*?)(?=^## |\Z)', text, re.M | re.S)
    rows = ROW.findall(section[1]) if section else []
    if not rows:
        yield f'{page}: there is no table of where to add what'
    for what, files, stated in rows:
        names = TICKS.findall(files)
        if len(set(names)) != int(stated):
            yield f'{page}: {what} is said to touch {stated} files, and {len(names)} are named'
        for name in names:
            if not tree.has_path(name):
                yield f'{page}: {what} touches {name}, which is not in the tree'


def check_commands(tree, page, text):
    """The table of which tests belong to a change: each folder of src has a row, and the tests exist."""
    section = re.search(r'^## Tests\n(.*?)(?=^## |\Z)', text, re.M | re.S)
    rows = re.findall(r'^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$', section[1] if section else '', re.M)
    folders = {name for row in rows for name in TICKS.findall(row[0])}
    for path in sorted(tree.paths):
        if re.fullmatch(r'src/\w+', path) and path not in folders:
            yield f'{page}: no row says which tests belong to {path}'
    for _, commands in rows:
        for name in ' '.join(TICKS.findall(commands)).split():
            if name != '--suite' and not any(name.endswith(test) and (name == test or name[:-len(test)] in PREFIXES)
                                             for test in tree.tests):
                yield f'{page}: there is no test or suite {name}'


def check_words(page, text):
    n_words = len(text.split())
    if page != 'proof':
        print(f'{page} has {n_words} words, of at most {MAX_WORDS}')
    if n_words > MAX_WORDS:
        yield f'{page}: {n_words} words, at most {MAX_WORDS} expected'


def prove(tree):
    """What the checks do not find on pages that are wrong, or find on one that is right."""
    table = '## Where to add what\n\n| what | files | n |\n|---|---|--:|\n| a thing | {} | {} |\n'
    right = '`src/ir/ops.def`, `ghlo_ir_op_new ()`, `GHLO_ERROR_*`, `GhloBuffer`, `f16/f32`, `cpu/step-NAME.c`'
    wrong = ('`src/ir/none.def`', '`nothing-of-this.c`', '`ghlo_ir_op_old ()`', '`GHLO_ERRATUM`', '`GhloBuffoon`',
             '`cpu/nowhere/`')
    if found := list(check_names(tree, 'proof', right)):
        yield f'the check refuses a right page: {found}'
    for text in wrong:
        if not list(check_names(tree, 'proof', text)):
            yield f'the check does not find {text}'
    if not list(check_names(tree, 'docs/internals/cpu.md', '`run-plan.c`')):
        yield 'the check takes the file of one folder for that of another'
    if list(check_rows(tree, 'proof', table.format('`src/ir/ops.def`', 1))):
        yield 'the check refuses a right table'
    for row in (('`src/ir/ops.def`', 2), ('`src/ir/none.def`', 1)):
        if not list(check_rows(tree, 'proof', table.format(*row))):
            yield f'the check does not find the row {row}'
    commands = ''.join(f'| `{path}` | tests | `plan` |\n' for path in tree.paths if re.fullmatch(r'src/\w+', path))
    for row, n_findings in (('', 0), ('| any | tests | `plan no-test` |\n', 1)):
        if len(list(check_commands(tree, 'proof', f'## Tests\n\n{commands}{row}'))) != n_findings:
            yield f'the check expects other findings than {n_findings} of the row {row}'
    if not list(check_commands(tree, 'proof', '## Tests\n')):
        yield 'the check does not miss the row of a folder'
    if not list(check_words('proof', 'word ' * (MAX_WORDS + 1))):
        yield 'the check does not count words'


def main():
    root = pathlib.Path(sys.argv[1])
    tree = Tree(root)
    pages = [root / 'README.md', root / 'CONTRIBUTING.md', *sorted((root / 'docs').rglob('*.md'))]
    findings = list(prove(tree))
    for path in pages:
        text, page = path.read_text(encoding='utf-8'), str(path.relative_to(root))
        findings += check_names(tree, page, text)
        if page == 'docs/architecture.md':
            findings += [*check_words(page, text), *check_rows(tree, page, text)]
        if page == 'CONTRIBUTING.md':
            findings += check_commands(tree, page, text)
    for page, name, _ in EXCEPTIONS:
        if not re.search(fnmatch.translate(f'*{name}*'), (root / page).read_text(encoding='utf-8')):
            findings.append(f'{page} does not name the exception {name}')
    print('\n'.join(findings) if findings else f'{len(pages)} pages name what exists')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
