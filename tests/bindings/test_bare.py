#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every class of the typelib made without its constructor survives every method.

No class or method is named here, so new ones in the typelib are tested too. Each
method is called twice, with None wherever that is allowed and with a value for every
argument. It must return or raise an error of the library; an async one must call
back. Run under G_DEBUG=fatal-criticals, so that a critical ends the process.
"""

import faulthandler
import os
import sys
import tempfile
import unittest

import gi

gi.require_version('Ghlo', '1.0')
from gi._gi import Direction, ObjectInfo, Repository, TypeTag  # noqa: E402
from gi.repository import Ghlo, Gio, GLib, GObject  # noqa: E402

faulthandler.enable()

DOMAINS = ('ghlo-error-quark', 'g-io-error-quark')
LIMIT = 10          # seconds for a callback

NUMBERS = {getattr(TypeTag, name) for name in (
    'INT8', 'UINT8', 'INT16', 'UINT16', 'INT32', 'UINT32', 'INT64', 'UINT64', 'FLOAT', 'DOUBLE')}

# Not there, since its folder is ours.
FOLDER = tempfile.TemporaryDirectory()
MISSING = os.path.join(FOLDER.name, 'missing')

# What has no value that works for every class of its kind.
SAMPLES = {
    'GLib.Bytes': lambda: GLib.Bytes.new(b'sample'),
    'GLib.DestroyNotify': lambda: lambda *_: None,
    'GLib.MainContext': lambda: GLib.MainContext.new(),
    'Gio.File': lambda: Gio.File.new_for_path(MISSING),
    'Gio.Cancellable': lambda: Gio.Cancellable(),
    'Ghlo.CustomCallFunction': lambda: lambda *_: False,
    'Ghlo.TensorType': lambda: Ghlo.TensorType.parse('tensor<2xf32>'),
    'GObject.Object': lambda: GObject.Object(),
}


def sample(type_info):
    """A value of a type; an unknown type is a failure, so that it gets one."""
    tag = type_info.get_tag()
    if tag in NUMBERS:
        return 0
    if tag == TypeTag.BOOLEAN:
        return False
    if tag in (TypeTag.UTF8, TypeTag.FILENAME):
        return 'sample'
    if tag == TypeTag.ARRAY:
        return [sample(type_info.get_param_type(0))]
    if tag == TypeTag.INTERFACE:
        info = type_info.get_interface()
        name = '%s.%s' % (info.get_namespace(), info.get_name())
        if name in SAMPLES:
            return SAMPLES[name]()
        if isinstance(info, ObjectInfo):
            return GObject.new(info.get_g_type())
        if hasattr(info, 'get_values'):
            return getattr(Ghlo, info.get_name())(0)
        raise AssertionError('no sample of type %s' % name)
    raise AssertionError('no sample of type tag %s' % tag)


def type_of(argument):
    # The name of later versions of PyGObject first.
    return getattr(argument, 'get_type_info', argument.get_type)()


def is_callback(argument):
    info = type_of(argument)
    return info.get_tag() == TypeTag.INTERFACE and info.get_interface().get_name() == 'AsyncReadyCallback'


def array_lengths(arguments):
    """The arguments that bindings fill in from another one."""
    hidden = set()
    for argument in arguments:
        info = type_of(argument)
        if info.get_tag() == TypeTag.ARRAY:
            hidden.add(info.get_array_length())
        hidden.add(argument.get_closure())
    return hidden


def given(method):
    """The arguments that Python code gives."""
    arguments = method.get_arguments()
    hidden = array_lengths(arguments)
    return [argument for i, argument in enumerate(arguments)
            if i not in hidden and argument.get_direction() != Direction.OUT]


def call(function, *arguments):
    try:
        function(*arguments)
    except GLib.Error as error:
        assert error.domain in DOMAINS, '%s of domain %s' % (error.message, error.domain)
        assert error.message


def call_async(target, method, arguments):
    """Calls, and waits for the callback; finishes in it."""
    loop = GLib.MainLoop()
    answers = []

    def on_ready(_source, result, *_):
        answers.append(result)
        loop.quit()

    def on_timeout():
        loop.quit()
        return GLib.SOURCE_REMOVE

    timeout = GLib.timeout_add_seconds(LIMIT, on_timeout)
    getattr(target, method.get_name())(*[on_ready if a is on_ready_mark else a for a in arguments])
    loop.run()
    assert answers, '%s did not call back' % method.get_name()
    GLib.source_remove(timeout)
    call(getattr(target, method.get_name()[:-len('async')] + 'finish'), answers[0])


on_ready_mark = object()


def methods(info):
    for method in info.get_methods():
        if method.is_method() and not method.get_name().endswith('_finish'):
            yield method


class Bare(unittest.TestCase):
    def try_class(self, info):
        for method in methods(info):
            for full in (False, True):
                with self.subTest(method=method.get_name(), full=full):
                    target = GObject.new(info.get_g_type())
                    arguments = [
                        on_ready_mark if is_callback(a)
                        else None if a.may_be_null() and not full
                        else sample(type_of(a))
                        for a in given(method)]
                    if on_ready_mark in arguments:
                        call_async(target, method, arguments)
                    else:
                        call(getattr(target, method.get_name()), *arguments)

    def test_there_are_classes(self):
        self.assertGreater(len(CLASSES), 8)
        self.assertGreater(sum(len(list(methods(info))) for info in CLASSES), 60)


CLASSES = [info for info in Repository.get_default().get_infos('Ghlo')
           if isinstance(info, ObjectInfo) and not info.get_abstract()]

for class_info in CLASSES:
    setattr(Bare, 'test_' + class_info.get_name(), lambda self, info=class_info: self.try_class(info))

if __name__ == '__main__':
    sys.exit(not unittest.main(exit=False).result.wasSuccessful())
