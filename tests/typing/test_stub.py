#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The stub file says what there is when a program runs, and all of it.

    test_stub.py STUB

Names, parameters and properties in both directions; what getters give; what help ()
shows.
"""

import ast
import inspect
import pathlib
import re
import subprocess
import sys
import unittest

import gi

gi.require_version('Ghlo', '1.0')
from gi.repository import Ghlo, Gio, GLib, GObject  # noqa: E402

import numpy as np  # noqa: E402

from gi.overrides import _ghlo_arguments  # noqa: E402

STUB = ast.parse(pathlib.Path(sys.argv.pop(1)).read_text(encoding='utf-8'))
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef) and not node.name.startswith('_')}
TYPES = {'gboolean': 'bool', 'gchararray': 'str', 'gdouble': 'float', 'gint': 'int', 'guint': 'int', 'gint64': 'int',
         'guint64': 'int', 'GStrv': 'list[str]', 'GListModel': 'Gio.ListModel'}


def name_of(node):
    """What a statement of the stub defines."""
    if isinstance(node, ast.Assign):
        return node.targets[0].id
    return node.target.id if isinstance(node, ast.AnnAssign) else getattr(node, 'name', None)


def list_members(node):
    """{name: its definitions} of a class of the stub; of an overloaded function there are several."""
    members = {}
    for inner in node.body:
        if name_of(inner) not in (None, 'Props', 'props'):
            members.setdefault(name_of(inner), []).append(inner)
    return members


def list_own(cls):
    """{name: value} of what a class has from the typelib and the overrides."""
    own = {}
    for base in reversed(cls.__mro__):
        if base.__module__ in ('gi.repository.Ghlo', 'gi.overrides.Ghlo'):
            own.update(vars(base))
    return own


def list_parameters(node):
    """(name, whether there is a default) of a function of the stub, without self and cls."""
    given = node.args
    defaults = [False] * (len(given.args) - len(given.defaults)) + [True] * len(given.defaults)
    found = [(argument.arg, default) for argument, default in zip(given.args, defaults)
             if argument.arg not in ('self', 'cls')]
    found += [('*', True)] * bool(given.vararg)
    found += [(argument.arg, default is not None) for argument, default in zip(given.kwonlyargs, given.kw_defaults)]
    return found + [('**', True)] * bool(given.kwarg)


def list_real_parameters(function):
    """The same of a function as it is: what Python says, or what PyGObject writes in its documentation."""
    if not isinstance(function, (type(Ghlo.get_version), type(Ghlo.Buffer.release))):
        kinds = {inspect.Parameter.VAR_POSITIONAL: '*', inspect.Parameter.VAR_KEYWORD: '**'}
        return [(kinds.get(parameter.kind, name), parameter.kind in kinds or parameter.default is not parameter.empty)
                for name, parameter in inspect.signature(function).parameters.items() if name not in ('self', 'cls')]
    shown = re.match(r'\w+\((.*?)\)', function.__doc__)[1]
    words = [word.strip() for word in shown.split(',') if word.strip() and word.strip() != 'self']
    return [('*', True) if word.startswith('*') else (word.split(':')[0].split('=')[0], '=' in word) for word in words]


def is_of(value, annotation):
    """Whether a value is what an annotation of the stub says."""
    if isinstance(annotation, ast.BinOp):
        return is_of(value, annotation.left) or is_of(value, annotation.right)
    if isinstance(annotation, ast.Subscript):
        kind = ast.unparse(annotation.value)
        if kind == 'tuple':
            return isinstance(value, tuple)
        items = isinstance(value, {'list': list, 'Gio.ListModel': Gio.ListModel}[kind])
        return items and all(is_of(item, annotation.slice) for item in value)
    name = ast.unparse(annotation)
    if name == 'None' or value is None:
        return name == 'None' and value is None
    if name == 'float':
        return type(value) is float
    known = {'int': int, 'str': str, 'bool': bool, 'bytes': bytes, 'memoryview': memoryview}
    return name == 'Any' or isinstance(value, known.get(name) or eval(name, {
        **{each: getattr(Ghlo, each) for each in CLASSES}, 'Gio': Gio, 'GLib': GLib, 'GObject': GObject, 'np': np}))


def make_objects():
    """One of each class, as programs have them."""
    client = Ghlo.Client()
    program = Ghlo.Program.parse('''func.func @main(%x: tensor<2xf32>, %y: tensor<f32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %x : tensor<2xf32>
  stablehlo.custom_call @keep(%x) {has_side_effect = true, backend_config = "text"} : (tensor<2xf32>) -> ()
  return %0 : tensor<2xf32>
}
''')
    calls = []
    client.register_custom_call('keep', lambda x, call: calls.append(call))
    executable = client.compile(program)
    session = Ghlo.Session(executable=executable, profile=True)
    result = session(np.ones(2, np.float32), np.float32(1))
    return [client, program, executable, session, result, result[0], client.list_devices()[0], Ghlo.CompileOptions(),
            Ghlo.Program.check('text')[0], Ghlo.Progress(), Ghlo.Buffer.new_token(), calls[0]]


class TestNames(unittest.TestCase):
    def test_module(self):
        stub = {name_of(node) for node in STUB.body} - {None}
        # What subclasses in C need is of no use here.
        real = {name for name in dir(Ghlo) if not name.startswith('_') and not name.endswith('Class')}
        self.assertEqual({name for name in stub if not name.startswith('_')}, real)

    def test_members(self):
        for name, node in CLASSES.items():
            real = list_own(getattr(Ghlo, name))
            stub = list_members(node)
            with self.subTest(name):
                self.assertEqual({member for member in stub if not member.startswith('_')},
                                 {member for member in real if not member.startswith('_')})
                missing = [member for member, value in real.items() if member.startswith('__')
                           and getattr(value, '__module__', '') == 'gi.overrides.Ghlo' and member not in stub]
                self.assertEqual(missing, [])
                for member in stub:
                    self.assertTrue(hasattr(getattr(Ghlo, name), member), member)

    def test_values(self):
        checked = 0
        for name, node in CLASSES.items():
            for inner in node.body:
                if isinstance(inner, ast.Assign):
                    self.assertEqual(int(getattr(getattr(Ghlo, name), name_of(inner))), ast.literal_eval(inner.value))
                    checked += 1
        self.assertGreater(checked, 50)

    def test_parameters(self):
        checked = 0
        for name, node in CLASSES.items():
            for member, definitions in list_members(node).items():
                function = getattr(getattr(Ghlo, name), member)
                if not isinstance(definitions[0], ast.FunctionDef) or not callable(function) \
                        or len(definitions) > 1 or member in ('__init__', '__new__'):
                    continue
                with self.subTest(f'{name}.{member}'):
                    self.assertEqual(list_parameters(definitions[0]), list_real_parameters(function))
                checked += 1
        self.assertGreater(checked, 150)

    def test_async(self):
        """With a callback and without one, by position and by name, and with data for it."""
        checked = 0
        for name, node in CLASSES.items():
            for member, definitions in list_members(node).items():
                if member.endswith('_async'):
                    with self.subTest(f'{name}.{member}'):
                        first, *others = map(list_parameters, definitions)
                        real = list_real_parameters(getattr(getattr(Ghlo, name), member))
                        self.assertEqual([*first, ('*', True)], real)
                        names = [parameter for parameter, _ in first]
                        self.assertEqual([[parameter for parameter, _ in other][:len(names)] for other in others],
                                         [names] * 3)
                        self.assertTrue(ast.unparse(definitions[0].returns).startswith('asyncio.Future['))
                    checked += 1
        self.assertGreater(checked, 8)

    def test_properties(self):
        for name, node in CLASSES.items():
            cls = getattr(Ghlo, name)
            if not issubclass(cls, GObject.Object):
                continue
            props = next((inner for inner in node.body if name_of(inner) == 'Props'), ast.parse('').body)
            stub = {name_of(inner): inner for inner in getattr(props, 'body', [])}
            real = {spec.name.replace('-', '_'): spec for spec in cls.list_properties()
                    if spec.owner_type == cls.__gtype__}
            self.assertEqual(set(stub), set(real), name)
            init = next(inner for inner in node.body if name_of(inner) == '__init__')
            self.assertEqual({argument.arg for argument in init.args.kwonlyargs},
                             {key for key, spec in real.items() if spec.flags & GObject.ParamFlags.WRITABLE})
            for key, spec in real.items():
                with self.subTest(f'{name}.{key}'):
                    changes = bool(spec.flags & GObject.ParamFlags.WRITABLE) \
                        and not spec.flags & GObject.ParamFlags.CONSTRUCT_ONLY
                    self.assertEqual(isinstance(stub[key], ast.AnnAssign), changes)
                    annotation = ast.unparse(stub[key].annotation if changes else stub[key].returns)
                    kind = spec.value_type.name
                    self.assertEqual(annotation.removesuffix(' | None').partition('[')[0],
                                     TYPES.get(kind, kind.removeprefix('Ghlo')).partition('[')[0])

    def test_types_are_known(self):
        """All has a type, and list models say of what: their documentation links it."""
        for node in ast.walk(STUB):
            if isinstance(node, ast.FunctionDef):
                arguments = [*node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
                bare = [argument.arg for argument in arguments
                        if argument and argument.arg not in ('self', 'cls') and argument.annotation is None]
                self.assertEqual(bare, [], f'in line {node.lineno}, {node.name}: give the override annotations')
                self.assertIsNotNone(node.returns, f'in line {node.lineno}, {node.name}')
        self.assertNotIn('Gio.ListModel[Any]', ast.unparse(STUB))
        for key, row in _ghlo_arguments.CONVERSIONS.items():
            for argument, convert in row.items():
                convert = convert[0] if isinstance(convert, tuple) else convert
                self.assertEqual(len(convert.__annotations__), 1, f'{key} {argument}: {convert.__name__}')


class TestValues(unittest.TestCase):
    def check(self, value, annotation, seen):
        self.assertTrue(is_of(value, annotation), f'expected {ast.unparse(annotation)}, found {value!r}')
        for each in [value, *(value if isinstance(value, (list, Gio.ListModel)) else [])]:
            self.follow(each, seen)

    def follow(self, value, seen):
        """Every getter of an object, and of what these give."""
        name = type(value).__name__
        if name not in CLASSES or (name, str(value)) in seen or isinstance(value, (int, GObject.GEnum, GObject.GFlags)):
            return
        seen.add((name, str(value)))
        for member, definitions in list_members(CLASSES[name]).items():
            node = definitions[0]
            if re.match('(get|is|has|list)_|to_string$', member) and isinstance(node, ast.FunctionDef) \
                    and not any(not default for _, default in list_parameters(node)) and 'async' not in member:
                with self.subTest(f'{name}.{member}'):
                    try:
                        found = getattr(value, member)()
                    except (GLib.Error, TypeError, ValueError):
                        # A token has no elements.
                        continue
                    self.check(found, node.returns, seen)
                    self.getters.add(f'{name}.{member}')
        props = next((inner for inner in CLASSES[name].body if name_of(inner) == 'Props'), None)
        for node in props.body if props else []:
            with self.subTest(f'{name}.props.{name_of(node)}'):
                self.check(getattr(value.props, name_of(node)), getattr(node, 'annotation', None) or node.returns, seen)

    def test_getters(self):
        self.getters, seen = set(), set()
        for value in make_objects():
            self.follow(value, seen)
        met = {name for name, _ in seen}
        self.assertGreater(len(met), 12)
        all_getters = {
            f'{name}.{member}' for name in met for member, definitions in list_members(CLASSES[name]).items()
            if member.startswith('get_') and isinstance(definitions[0], ast.FunctionDef) and len(definitions) == 1
            and not definitions[0].decorator_list and all(default for _, default in list_parameters(definitions[0]))}
        self.assertEqual(sorted(all_getters - self.getters), [])


class TestHelp(unittest.TestCase):
    def test_signature(self):
        for function, text in {
                Ghlo.Client.compile: '(self, program: Program, options: CompileOptions | None = None, '
                                     'progress: Progress | None = None, cancellable: Gio.Cancellable | None = None) '
                                     '-> Executable',
                Ghlo.Program.load: '(file: Gio.File | str | PathLike[str], cancellable: Gio.Cancellable | None = None) '
                                   '-> Program',
                Ghlo.Program.to_text_async: '(self, flags: TextFlags = 0, cancellable: Gio.Cancellable | None = None, '
                                            'callback: Callable[..., object] | None = None, *user_data: object) -> '
                                            'asyncio.Future[str] | None',
        }.items():
            self.assertEqual(str(inspect.signature(function)), text)
        self.assertEqual(list(inspect.signature(Ghlo.Client().compile).parameters),
                         ['program', 'options', 'progress', 'cancellable'])

    def test_documentation(self):
        self.assertIn('all outputs can be read', Ghlo.Executable.execute.__doc__)
        self.assertIn('await it', Ghlo.Executable.execute_async.__doc__)
        self.assertNotRegex(Ghlo.Client.compile.__doc__, '[@%]')

    def test_what_it_costs(self):
        """Signatures are made when they are asked for."""
        program = ('import sys, gi; gi.require_version ("Ghlo", "1.0"); from gi.repository import Gio; '
                   'before = "inspect" in sys.modules; from gi.repository import Ghlo; '
                   'assert before or "inspect" not in sys.modules')
        subprocess.run([sys.executable, '-c', program], check=True)


if __name__ == '__main__':
    unittest.main()
