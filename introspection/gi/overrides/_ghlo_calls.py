# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions of the library as Python calls them: what may be left out has a default,
arguments become what the library takes or are refused with what to write instead,
and an asynchronous call without a callback can be awaited.

The functions are found in the typelib, so what the library gains is covered.
"""

import sys

import gi

_REQUIRED = object()


class _Function(object):
    """One introspected function: its arguments in the order of Python."""

    def __init__(self, cls, name, conversions):
        self.raw = getattr(cls, name)
        self.name = '%s.%s' % (cls.__name__, name)
        self.is_method = self.raw.is_method()
        infos = self.raw.get_arguments()
        hidden = {info.get_closure() for info in infos}
        hidden.update(info.get_type().get_array_length() for info in infos)
        shown = [info for i, info in enumerate(infos) if i not in hidden]
        self.names = [info.get_name() for info in shown]
        self.defaults = [self._get_default(info) for info in shown]
        self.position = {argument: i for i, argument in enumerate(self.names)}
        self.conversions = [(self.position[argument], function) for argument, function in conversions.items()
                            if argument in self.position]

    @staticmethod
    def _get_default(info):
        if info.may_be_null():
            return None
        interface = info.get_type().get_interface()
        if interface is not None and interface.__class__.__name__ == 'EnumInfo' and interface.is_flags():
            return 0
        return _REQUIRED

    def describe(self):
        """For help: the arguments, as they are written."""
        arguments = [name if default is _REQUIRED else '%s=%r' % (name, default)
                     for name, default in zip(self.names, self.defaults)]
        return '%s(%s)' % (self.name, ', '.join(['self'] * self.is_method + arguments))

    def bind(self, source, arguments, keywords):
        """All arguments in order, converted, then those beyond (a callback's data)."""
        values = list(arguments) + self.defaults[len(arguments):]
        for name, value in keywords.items():
            i = self.position.get(name)
            if i is None or i < len(arguments):
                raise TypeError('%s got %s argument %r; it is %s' % (
                    self.name, 'an unknown' if i is None else 'a second', name, self.describe()))
            values[i] = value
        missing = [name for name, value in zip(self.names, values) if value is _REQUIRED]
        if missing:
            raise TypeError('%s needs %r; it is %s' % (
                self.name, missing[0], self.describe()))
        for i, convert in self.conversions:
            values[i] = convert(source, values[i])
        return values


def _define(cls, name, function, call, text):
    call.__name__ = name
    call.__qualname__ = '%s.%s' % (cls.__name__, name)
    call.__doc__ = '%s\n\n%s' % (function.describe(), text)
    setattr(cls, name, call if function.is_method else staticmethod(call))


def define_call(cls, name, conversions):
    function = _Function(cls, name, conversions)

    if function.is_method:
        def call(self, *arguments, **keywords):
            return function.raw(self, *function.bind(self, arguments, keywords))
    else:
        def call(*arguments, **keywords):
            return function.raw(*function.bind(None, arguments, keywords))

    _define(cls, name, function, call, "See the library's documentation.")


def _await(function, finish, source, values):
    context = None
    if 'asyncio' in sys.modules:
        from . import _ghlo_asyncio
        context = _ghlo_asyncio.get_context()
    if context is None:
        raise RuntimeError('%s without a callback is awaited in asyncio, and no loop of asyncio runs here: give a '
                           'callback, or call %s' % (function.name, function.name[:-len('_async')]))

    at_cancellable, at_callback = function.position['cancellable'], function.position['callback']
    call = _ghlo_asyncio.Call(function.name, values[at_cancellable])

    def begin(cancellable, callback):
        values[at_cancellable], values[at_callback] = cancellable, callback
        with context:
            function.raw(*([source] if function.is_method else []), *values)

    return call.start(begin, finish)


def define_async(cls, name, conversions):
    """X_async (…, callback) as ever; X_async (…) is a future of asyncio."""
    function = _Function(cls, name, conversions)
    finish = getattr(cls, name[:-len('async')] + 'finish')
    at_cancellable, at_callback = function.position['cancellable'], function.position['callback']

    def run(source, arguments, keywords):
        values = function.bind(source, arguments, keywords)
        if callable(values[at_cancellable]):
            raise TypeError('expected a Gio.Cancellable or None before the callback, found %r; it is %s' % (
                values[at_cancellable], function.describe()))
        if values[at_callback] is not None:
            return function.raw(*([source] if function.is_method else []), *values)
        if function.is_method:
            return _await(function, finish, source, values)
        return _await(function, lambda _, result: finish(result), source, values)

    if function.is_method:
        def call(self, *arguments, **keywords):
            return run(self, arguments, keywords)
    else:
        def call(*arguments, **keywords):
            return run(None, arguments, keywords)

    _define(cls, name, function, call,
            'Without a callback this returns an asyncio future: await it. Cancelling the task that awaits it cancels '
            'the call.')


def define_all(module, conversions):
    """Every asynchronous function of the classes and its synchronous form, and the
    others for which there are conversions: {(class, function): {argument: function}}."""
    wanted = set(conversions)
    for info in gi.Repository.get_default().get_infos('Ghlo'):
        if type(info).__name__ != 'ObjectInfo':
            continue
        names = {method.get_name() for method in info.get_methods()}
        for name in names:
            if name.endswith('_async'):
                wanted.add((info.get_name(), name[:-len('_async')]))
    for class_name, name in sorted(wanted):
        cls = getattr(module, class_name, None)
        these = conversions.get((class_name, name), {})
        if cls is not None and hasattr(cls, name):
            define_call(cls, name, these)
        if cls is not None and hasattr(cls, name + '_async'):
            define_async(cls, name + '_async', these)
