#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates the Python API's descriptions for type checkers, editors and help ().

    make-stubs.py stub GIR OVERRIDES OUTPUT
    make-stubs.py signatures GIR OVERRIDES OUTPUT

GIR provides the API with types and documentation; annotations of the modules in the
folder OVERRIDES provide the differences in Python. OUTPUT becomes the stub file,
Ghlo.pyi, or a module with signature and documentation of each function that
_ghlo_calls defines.

An override replaces the function of the same name. Definitions in a block
"if TYPE_CHECKING:" are copied unchanged.
"""

import ast
import pathlib
import re
import sys
import textwrap

from gir import CORE, GLIB, Api, get_doc, get_item_type, get_shown, takes_any_data, to_name

HEAD = '# What type checkers and editors know of Ghlo; made by introspection/make-stubs.py.'
IMPORTS = '''import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, overload, type_check_only'''

# The greatest length of a line with all parameters of a function.
WIDTH = 110


class Overrides:
    """The types in the modules of the overrides."""

    def __init__(self, folder):
        self.aliases, self.classes, self.conversions = [], {}, {}
        self.imports = list(ast.parse(IMPORTS).body)
        for name in ('_ghlo_arguments', 'Ghlo'):
            path = folder / f'{name}.py'
            self.read(NamesInStub().visit(ast.parse(path.read_text(encoding='utf-8'), str(path))))

    def read(self, module):
        functions = {}
        for node in walk_statements(module):
            if isinstance(node, ast.If) and is_for_checkers(node):
                self.read_block(node)
            elif isinstance(node, ast.ClassDef) and not node.name.startswith('_'):
                self.classes[node.name] = node
            elif isinstance(node, ast.FunctionDef):
                functions[node.name] = node
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == 'CONVERSIONS':
                self.read_conversions(node.value, functions)

    def read_block(self, block):
        for node in block.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                own = isinstance(node, ast.ImportFrom) and (node.level or node.module == 'gi.repository')
                self.imports += [] if own else [node]
            else:
                self.aliases.append(ast.unparse(node))

    def write_imports(self):
        """Returns the import statements, one for each module."""
        names = {}
        for node in self.imports:
            if isinstance(node, ast.ImportFrom):
                names.setdefault(node.module, set()).update(alias.name for alias in node.names)
        yield from sorted({ast.unparse(node) for node in self.imports if isinstance(node, ast.Import)})
        yield from (f"from {module} import {', '.join(sorted(names[module]))}" for module in sorted(names))

    def read_conversions(self, table, functions):
        for key, row in zip(table.keys, table.values):
            self.conversions[ast.literal_eval(key)] = {
                ast.literal_eval(argument): functions[name_of_function(value)].args.args[1].annotation
                for argument, value in zip(row.keys, row.values)}

    def get_members(self, name):
        """Returns {name: lines} of the members that an override adds to a class or replaces."""
        members = {}
        for node in self.classes[name].body if name in self.classes else []:
            if isinstance(node, ast.If) and is_for_checkers(node):
                for inner in node.body:
                    members.setdefault(inner.name, []).extend(ast.unparse(inner).split('\n'))
            elif isinstance(node, ast.FunctionDef) and node.name not in members and not is_private(node.name):
                # A constructor that only passes properties on has no annotations for them.
                if node.name != '__init__' or not node.args.kwarg:
                    members[node.name] = list(describe_override(node))
        return members


def name_of_function(value):
    """Returns the function's name from an entry of CONVERSIONS: a function, or a pair that begins with one."""
    return value.elts[0].id if isinstance(value, ast.Tuple) else value.id


class NamesInStub(ast.NodeTransformer):
    """Removes the namespace's prefix from its own names, as the stub has them."""

    def visit_Attribute(self, node):
        self.generic_visit(node)
        return ast.Name(node.attr) if isinstance(node.value, ast.Name) and node.value.id == 'Ghlo' else node


def walk_statements(module):
    for node in module.body:
        yield node
        if isinstance(node, ast.If) and not is_for_checkers(node):
            yield from node.body


def is_for_checkers(node):
    return ast.unparse(node.test) == 'TYPE_CHECKING'


def is_private(name):
    return name.startswith('_') and not name.startswith('__')


def describe_override(node):
    for decorator in node.decorator_list:
        yield '@' + ast.unparse(decorator)
    yield from write_function(node.name, *split_arguments(node), (ast.get_docstring(node) or '').split('\n\n')[0])


def split_arguments(node):
    """Returns the function's parameters as text, and its return type."""
    given = node.args
    parameters = [ast.unparse(ast.arguments([], [argument], None, [], [], None, [])) for argument in given.args]
    for i, default in enumerate(reversed(given.defaults), 1):
        parameters[-i] += f' = {ast.unparse(default)}'
    if given.vararg:
        parameters.append(f'*{ast.unparse(given.vararg)}')
    elif given.kwonlyargs:
        parameters.append('*')
    for argument, default in zip(given.kwonlyargs, given.kw_defaults):
        parameters.append(ast.unparse(argument) + (f' = {ast.unparse(default)}' if default else ''))
    if given.kwarg:
        parameters.append(f'**{ast.unparse(given.kwarg)}')
    return parameters, ast.unparse(node.returns) if node.returns else None


def quote(text):
    """Returns the lines of a docstring."""
    lines = textwrap.dedent(text).replace('\\', '\\\\').strip().split('\n')
    return ['"""' + lines[0], *lines[1:-1], lines[-1] + '"""'] if len(lines) > 1 else [f'"""{lines[0]}"""']


def indent(lines):
    return ['    ' + line if line else '' for line in lines]


def write_function(name, parameters, result, doc=''):
    arrow = f' -> {result}' if result else ''
    line = f"def {name}({', '.join(parameters)}){arrow}:"
    head = [line] if len(line) <= WIDTH else [f'def {name}(', *indent(f'{parameter},' for parameter in parameters),
                                              f'){arrow}:']
    if not doc:
        return [*head[:-1], head[-1] + ' ...']
    return [*head, *indent(quote(doc))]


class Function:
    """A function of the GIR as Python calls it."""

    def __init__(self, api, overrides, element, owner=None):
        self.api, self.element = api, element
        self.owner = owner.get('name') if owner is not None else None
        self.name = to_name(element.get('name'))
        self.kind = element.tag.removeprefix(CORE)
        names = {method.get('name') for method in owner if method.get('name')} if owner is not None else set()
        base = re.sub('_(async|finish)$', '', element.get('name'))
        has_async = owner is not None and owner.tag == CORE + 'class' and base + '_async' in names
        conversions = overrides.conversions.get((self.owner, base), {})
        # _ghlo_calls defines functions of its own for these.
        self.is_defined = has_async or bool(conversions)
        self.is_async = has_async and self.name.endswith('_async')
        self.conversions = {} if self.name.endswith('_finish') else conversions
        self.result = api.get_result(element)
        if self.is_async:
            self.answer = api.get_result(next(e for e in owner if e.get('name') == base + '_finish'))

    def get_first(self):
        return {'method': ['self'], 'constructor': ['cls']}.get(self.kind, [])

    def get_decorators(self):
        if self.owner is None:
            return []
        return {'constructor': ['@classmethod'], 'function': ['@staticmethod']}.get(self.kind, [])

    def get_type(self, parameter):
        annotation = self.conversions.get(parameter.get('name'))
        if annotation is None:
            return self.api.get_type(parameter)
        return ast.unparse(annotation) + (' | None' if parameter.get('nullable') == '1' else '')

    def get_default(self, parameter):
        if parameter.get('nullable') == '1':
            return ' = None'
        is_flags = parameter.find(CORE + 'type') is not None and parameter[-1].get('name') in self.api.flags
        return ' = ...' if self.is_defined and is_flags else ''

    def get_parameters(self, keep_defaults=True):
        """Returns the parameters as text. PyGObject has defaults only for the last ones."""
        texts, only_defaults = [], keep_defaults
        one_data = not self.is_defined and not takes_any_data(self.element)
        for parameter in reversed(get_shown(self.element, with_data=one_data)):
            default = self.get_default(parameter)
            only_defaults = only_defaults and default != ''
            texts.append(f"{to_name(parameter.get('name'))}: {self.get_type(parameter)}"
                         + (default if only_defaults else ''))
        return [*self.get_first(), *reversed(texts)]

    def get_data(self):
        return ['*user_data: object'] if takes_any_data(self.element) else []

    def write(self):
        doc = get_doc(self.element)
        if not self.is_async:
            yield from self.get_decorators()
            yield from write_function(self.name, [*self.get_parameters(), *self.get_data()], self.result, doc)
            return
        source = self.owner if self.kind == 'method' else 'None'
        callback = f'callback: Callable[[{source}, Gio.AsyncResult], object]'
        with_data = ['callback: Callable[..., object]', 'data: object', '*more_data: object']
        for parameters, result in (
                ([*self.get_parameters()[:-1], 'callback: None = None'], f'asyncio.Future[{self.answer}]'),
                ([*self.get_parameters(False)[:-1], callback], 'None'),
                ([*self.get_parameters()[:-1], '*', callback], 'None'),
                ([*self.get_parameters(False)[:-1], *with_data], 'None')):
            yield from ['@overload', *self.get_decorators()]
            yield from write_function(self.name, parameters, result, doc)

    def get_signature(self):
        """Returns the text for inspect.signature: one signature for all forms of a call."""
        result = f'asyncio.Future[{self.answer}] | None' if self.is_async else self.result
        parameters = [parameter for parameter in self.get_parameters() if parameter != 'cls']
        if self.is_async:
            parameters[-1] = 'callback: Callable[..., object] | None = None'
        # The default of flags is 0, which type checkers do not accept.
        parameters = [parameter.replace(' = ...', ' = 0') for parameter in parameters]
        return f"({', '.join([*parameters, *self.get_data()])}) -> {result}"


class Stub:
    """The stub file, and the table of signatures."""

    def __init__(self, api, overrides):
        self.api, self.overrides = api, overrides
        self.signatures = {}
        # Type aliases that exist only in the stub are spelled out in signatures.
        self.spelled_out = dict(re.findall(r'^(_\w+): TypeAlias = (.*)$', '\n'.join(overrides.aliases), re.M))

    def write(self):
        yield from [HEAD, '', *self.overrides.write_imports(), '']
        yield from [f"from gi.repository import {', '.join(self.api.includes)}", '']
        for alias in self.overrides.aliases:
            yield from [*alias.split('\n'), '']
        writers = {'constant': self.write_constant, 'function': self.write_function, 'bitfield': self.write_enumeration,
                   'enumeration': self.write_enumeration, 'class': self.write_class, 'record': self.write_record}
        for element in self.api.namespace:
            kind = element.tag.removeprefix(CORE)
            if kind in writers and element.get('introspectable') != '0':
                yield from writers[kind](element)

    def write_signatures(self):
        yield from ['"""Signature and documentation of the functions that _ghlo_calls defines."""', '']
        yield 'SIGNATURES = {'
        for name, (signature, doc) in sorted(self.signatures.items()):
            yield f'    {name!r}: (\n        {signature!r},\n        {doc!r}),'
        yield '}'

    def write_constant(self, element):
        yield f"{element.get('name')}: Final[{self.api.get_type(element)}]"

    def write_function(self, element):
        yield from ['', *Function(self.api, self.overrides, element).write()]

    def write_enumeration(self, element):
        base = 'GObject.GFlags' if element.get('name') in self.api.flags else 'GObject.GEnum'
        members = [[f"{member.get('name').upper()} = {member.get('value')}"]
                   for member in element.findall(CORE + 'member')]
        yield from self.write_block(element, [base], members, self.get_functions(element).values())

    def get_functions(self, element):
        functions = {}
        for child in element:
            if child.tag.removeprefix(CORE) in ('constructor', 'function', 'method') \
                    and child.get('introspectable') != '0' and not child.get('moved-to'):
                function = Function(self.api, self.overrides, child, element)
                functions[function.name] = list(function.write())
                if function.is_defined:
                    self.signatures[f'{function.owner}.{function.name}'] = (
                        self.spell_out(function.get_signature()), get_doc(child))
        return functions

    def spell_out(self, signature):
        spelled = re.sub(r'\b_[A-Z]\w+', lambda found: self.spelled_out.get(found[0], found[0][1:]), signature)
        return spelled if spelled == signature else self.spell_out(spelled)

    def write_block(self, element, bases, before, members):
        """Writes a class statement; members are lists of lines."""
        name = element.get('name')
        own = self.overrides.classes.get(name)
        doc = '\n\n'.join(filter(None, [get_doc(element), own and ast.get_docstring(own)]))
        yield from ['', '', f"class {name}({', '.join(bases)}):"]
        body = [quote(doc)] if doc else []
        for member in [*body, *before, *members] or [['...']]:
            lines = indent(member)
            # No empty lines between constants.
            yield from lines if re.match(r'\s*\w+ = ', lines[0]) else [*lines, '']

    def write_members(self, element, bases, first):
        members = self.get_functions(element)
        members.update(self.overrides.get_members(element.get('name')))
        for name in self.overrides.get_members(element.get('name')):
            self.signatures.pop(f"{element.get('name')}.{name}", None)
        yield from self.write_block(element, bases, first, [members[name] for name in sorted(members)])

    def write_record(self, element):
        if not element.get(GLIB + 'is-gtype-struct-for'):
            yield from self.write_members(element, ['GObject.GBoxed'], [])

    def write_class(self, element):
        bases = [element.get('parent')]
        for implemented in element.findall(CORE + 'implements'):
            name = implemented.get('name')
            bases.append(f'{name}[{get_item_type(element)}]' if name == 'Gio.ListModel' else name)
        yield from self.write_members(element, bases, list(self.get_properties(element, bases[0])))

    def get_properties(self, element, base):
        """Writes properties as members of props, and the writable ones as arguments of the constructor."""
        properties = element.findall(CORE + 'property')
        inner, arguments = [], []
        for each in properties:
            name, found = to_name(each.get('name')), self.get_property_type(element, each)
            if each.get('writable') == '1':
                arguments.append(f'{name}: {found} = ...')
            if each.get('writable') == '1' and each.get('construct-only') != '1':
                inner.append(f'{name}: {found}')
            else:
                inner += ['@property', *write_function(name, ['self'], found)]
        if properties:
            yield ['@type_check_only', f'class Props({base}.Props):', *indent(inner)]
            yield ['@property', 'def props(self) -> Props: ...']
        yield write_function('__init__', ['self', *(['*'] if arguments else []), *arguments], 'None')

    def get_property_type(self, element, each):
        """Returns a property's type. Only the getter's annotation tells whether it may be None."""
        getter = next((method for method in element.findall(CORE + 'method')
                       if method.get('name') == each.get('getter')), None)
        return self.api.get_type(each) if getter is None else self.api.get_type(
            getter.find(CORE + 'return-value'), result=True)


def main():
    what, *paths = sys.argv[1:]
    gir, overrides, output = map(pathlib.Path, paths)
    stub = Stub(Api(gir), Overrides(overrides))
    lines = list(stub.write())
    if what == 'signatures':
        lines = stub.write_signatures()
    text = '\n'.join(line.rstrip() for line in lines)
    output.write_text(re.sub(r'\n{4,}', '\n\n\n', text).rstrip() + '\n', encoding='utf-8')


if __name__ == '__main__':
    main()
