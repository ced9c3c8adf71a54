# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions of the library as Python calls them: optional arguments have defaults,
arguments are converted or refused with advice on what to write instead, and an
asynchronous call without a callback can be awaited.

The functions are found in the typelib, so new functions of the library are covered.
Their signatures and documentation are in a table that the build generates
(introspection/make-stubs.py).
"""

import sys

import gi
from gi.repository import Ghlo, Gio, GLib, GObject

from . import _ghlo_arrays as _arrays
from . import _ghlo_exit as _exit
from . import _ghlo_interrupts as _interrupts

try:
    from ._ghlo_signatures import SIGNATURES
except ImportError:
    # Run from a source tree without a build.
    SIGNATURES = {}

_REQUIRED = object()

# The functions that _ghlo_direct handles when there are no arguments but the inputs.
_RUNS = ('Executable', 'execute'), ('Session', 'run')

# By class and name: functions that convert no arguments, for callers that have already converted them.
converted = {}


class _Annotation(str):
    """The text of a type, which help () shows without quotes."""

    __repr__ = str.__str__


class _Failure(GObject.Object, Gio.AsyncResult):
    """The answer to a call that could not begin: the finish function raises the error."""

    def __init__(self, error):
        super().__init__()
        self.error = error


class _Function(object):
    """One introspected function, with its arguments in the order of Python."""

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
                            if argument in self.position and callable(function)]
        self.dependent = [(self.position[argument], function, self.position[other])
                          for argument, (function, other) in
                          ((argument, pair) for argument, pair in conversions.items() if not callable(pair))]

    @staticmethod
    def _get_default(info):
        if info.may_be_null():
            return None
        interface = info.get_type().get_interface()
        if interface is not None and interface.__class__.__name__ == 'EnumInfo' and interface.is_flags():
            return 0
        return _REQUIRED

    @property
    def __signature__(self):
        """The signature that inspect.signature finds through __wrapped__. Computed on request, since inspect is
        slow to import."""
        import inspect
        namespace = {}
        exec('from __future__ import annotations\ndef function%s: ...' % SIGNATURES[self.name][0], namespace)
        signature = inspect.signature(namespace['function'])
        parameters = [parameter if parameter.annotation is parameter.empty
                      else parameter.replace(annotation=_Annotation(parameter.annotation))
                      for parameter in signature.parameters.values()]
        return signature.replace(parameters=parameters, return_annotation=_Annotation(signature.return_annotation))

    def describe(self):
        """Returns the function's signature, for error messages."""
        arguments = [name if default is _REQUIRED else '%s=%r' % (name, default)
                     for name, default in zip(self.names, self.defaults)]
        return '%s(%s)' % (self.name, ', '.join(['self'] * self.is_method + arguments))

    def bind(self, source, arguments, keywords):
        """Returns all arguments in order, converted, followed by excess ones (a callback's data)."""
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
        for i, convert, other in self.dependent:
            values[i] = convert(source, values[i], values[other])
        return values


def _define(cls, name, function, call, text):
    call.__name__ = name
    call.__qualname__ = '%s.%s' % (cls.__name__, name)
    call.__doc__ = '\n\n'.join(filter(None, [SIGNATURES.get(function.name, ('', ''))[1], text]))
    if function.name in SIGNATURES:
        call.__wrapped__ = function
    setattr(cls, name, call if function.is_method else staticmethod(call))


def _are_inputs(arguments, keywords):
    return not keywords and len(arguments) == 1 and type(arguments[0]) in (list, tuple)


def define_call(cls, name, conversions):
    """Defines a synchronous function. Ctrl-C ends a call where the function is cancellable."""
    function = _Function(cls, name, conversions)
    raw, at = function.raw, function.position.get('cancellable')

    if at is None:
        def run(*values):
            return raw(*values)
    else:
        def run(*values):
            return _interrupts.call(raw, list(values), at + function.is_method)
    converted[cls.__name__, name] = run

    if (cls.__name__, name) in _RUNS:
        def call(self, *arguments, **keywords):
            result = None
            if _are_inputs(arguments, keywords):
                result = _interrupts.run_direct(self, tuple(arguments[0]))
            return result if result is not None else run(self, *function.bind(self, arguments, keywords))
    elif function.is_method:
        def call(self, *arguments, **keywords):
            return run(self, *function.bind(self, arguments, keywords))
    else:
        def call(*arguments, **keywords):
            return run(*function.bind(None, arguments, keywords))

    _define(cls, name, function, call, '')


def _get_context():
    """Returns the context of the asyncio loop that runs in this thread, or None without one."""
    if 'asyncio' not in sys.modules:
        return None
    from . import _ghlo_asyncio
    return _ghlo_asyncio.get_context()


class _AsyncCall(object):
    """X_async of a class: takes a callback as in C, or returns an asyncio future without one.

    An error in the arguments is reported in the same way as the answer."""

    def __init__(self, cls, name, conversions):
        self.function = _Function(cls, name, conversions)
        self.raw_finish = getattr(cls, name[:-len('async')] + 'finish')
        self.at_cancellable = self.function.position['cancellable']
        self.at_callback = self.function.position['callback']
        self.is_run = (cls.__name__, name[:-len('_async')]) in _RUNS

    def finish(self, *arguments, **keywords):
        result = arguments[-1] if arguments else next(iter(keywords.values()), None)
        if isinstance(result, _Failure):
            raise result.error
        try:
            return self.raw_finish(*arguments, **keywords)
        except GLib.Error as error:
            _exit.raise_carried(error)
            raise

    def run(self, source, arguments, keywords):
        callback, data = self._find_callback(arguments, keywords)
        if callback is None:
            return self._await(source, arguments, keywords)
        try:
            self._begin(source, self._bind(source, arguments, keywords), lambda result: callback(source, result, *data))
        except Exception as error:
            self._answer_later(source, error, callback, data)
        return None

    def _find_callback(self, arguments, keywords):
        """Finds the callback and its data, even when earlier arguments are wrong."""
        if len(arguments) > self.at_callback:
            callback, data = arguments[self.at_callback], arguments[self.at_callback + 1:]
        else:
            callback, data = keywords.get('callback'), ()
        if callback is not None and not callable(callback):
            raise TypeError('expected a function or None as callback, found %r; it is %s' % (
                callback, self.function.describe()))
        return callback, data

    def _bind(self, source, arguments, keywords):
        values = self.function.bind(source, arguments, keywords)
        cancellable = values[self.at_cancellable]
        if cancellable is not None and not isinstance(cancellable, Gio.Cancellable):
            raise TypeError('expected a Gio.Cancellable or None before the callback, found %r; it is %s' % (
                cancellable, self.function.describe()))
        return values

    def _begin(self, source, values, answer):
        """Begins the call. A signal calls answer (result): memory of a function passed as callback is never freed."""
        pending, unlink = Ghlo.PendingCall(), None
        if values[self.at_cancellable] is not None:
            unlink = _interrupts.link(values[self.at_cancellable], pending)

        def on_answered(pending, result):
            # Breaks a cycle: the result keeps the call, whose handler keeps the callback, which may keep the result.
            GObject.Object.disconnect(pending, handler)
            if unlink is not None:
                unlink()
            answer(result)

        handler = GObject.Object.connect(pending, 'answered', on_answered)
        values[self.at_cancellable], values[self.at_callback:] = pending, [None]
        self.function.raw(*([source] if self.function.is_method else []), *values)
        return pending

    @staticmethod
    def _answer_later(source, error, callback, data):
        """Reports an error as the library does: in the caller's context, after the call has returned."""
        failure = _Failure(error)

        def answer(*_):
            callback(source, failure, *data)
            return GLib.SOURCE_REMOVE

        idle = GLib.idle_source_new()
        idle.set_priority(GLib.PRIORITY_DEFAULT)
        idle.set_callback(answer)
        idle.attach(GLib.MainContext.ref_thread_default())

    def _await(self, source, arguments, keywords):
        name, context = self.function.name, _get_context()
        if context is None:
            # There is no future to carry an error in the arguments either.
            self._bind(source, arguments, keywords)
            raise RuntimeError('%s without a callback is awaited in asyncio, and no loop of asyncio runs here: give '
                               'a callback, or call %s' % (name, name[:-len('_async')]))
        from . import _ghlo_asyncio

        if self.is_run and _arrays.direct is not None and _are_inputs(arguments, keywords):
            call = _ghlo_asyncio.Call(name)
            with context:
                if call.start_run(source, tuple(arguments[0])):
                    return call

        def begin(answer):
            values = self._bind(source, arguments, keywords)
            with context:
                return self._begin(source, values, answer)

        def finish(result):
            return self.finish(*([source] if self.function.is_method else []), result)

        return _ghlo_asyncio.Call(name).start(begin, finish)


def define_async(cls, name, conversions):
    """Defines X_async (…, callback) as in C, and X_async (…), which returns an asyncio future."""
    asynchronous = _AsyncCall(cls, name, conversions)
    function = asynchronous.function

    if function.is_method:
        def call(self, *arguments, **keywords):
            return asynchronous.run(self, arguments, keywords)

        def finish(self, *arguments, **keywords):
            return asynchronous.finish(self, *arguments, **keywords)
    else:
        def call(*arguments, **keywords):
            return asynchronous.run(None, arguments, keywords)

        def finish(*arguments, **keywords):
            return asynchronous.finish(*arguments, **keywords)

    _define(cls, name, function, call,
            'Without a callback this returns an asyncio future: await it. Cancelling the task that awaits it cancels '
            'the call. A mistake in the arguments is raised by await, or in the callback by %s.'
            % (name[:-len('async')] + 'finish'))
    name = name[:-len('async')] + 'finish'
    _define(cls, name, _Function(cls, name, {}), finish, '')


def define_all(module, conversions):
    """Defines every asynchronous function of the classes with its synchronous form, and the
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
