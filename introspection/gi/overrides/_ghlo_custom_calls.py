# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python functions that handle a program's custom calls. They are called on threads of the library."""

import inspect
import os
import traceback

from gi.repository import Ghlo, GLib

from . import _ghlo_exit as _exit
from ._ghlo_arguments import to_buffer

_HERE = os.path.dirname(__file__)


def _wants_call(function):
    try:
        return 'call' in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _get_operand(call, i, info):
    buffer = call.get_operand(i)
    if info.get_tensor_type() is None:
        return buffer
    try:
        import numpy as np
    except ImportError:
        return buffer
    return np.asarray(buffer)


def _set_results(call, results):
    infos = call.list_results()
    if len(infos) == 1 and not (isinstance(results, tuple) and len(results) == 1):
        results = (results,)
    results = () if results is None else results
    if not isinstance(results, (tuple, list)) or len(results) != len(infos):
        raise TypeError('expected %d results (%s) in a tuple, found %s' % (
            len(infos), ', '.join(map(str, infos)),
            len(results) if isinstance(results, (tuple, list)) else type(results).__name__))
    for i, (info, value) in enumerate(zip(infos, results)):
        if value is not None:
            call.set_result(i, to_buffer(info, value, 'result'))


def _to_error(error):
    """Makes the error for the library: line 1 as Python prints the exception, then where it was raised. What is no
    Exception, as a KeyboardInterrupt, is raised again by the call that began the run."""
    text = ''.join(traceback.format_exception_only(type(error), error)).strip()
    where = ''.join(traceback.format_list(frame for frame in traceback.extract_tb(error.__traceback__)
                                          if os.path.dirname(frame.filename) != _HERE)).rstrip()
    message = '%s\n%s' % (text, where) if where else text
    if not isinstance(error, Exception):
        return _exit.carry(error, message)
    return GLib.Error.new_literal(Ghlo.error_quark(), message, Ghlo.Error.INVALID_ARGUMENT)


def wrap(function):
    """Returns the function that the library calls: passes operands to function, and its results to the call."""
    if not callable(function):
        raise TypeError('expected a function to answer the custom call, found %s' % type(function).__name__)
    wants_call = _wants_call(function)

    def answer(call, *_):
        try:
            operands = [_get_operand(call, i, info) for i, info in enumerate(call.list_operands())]
            _set_results(call, function(*operands, **({'call': call} if wants_call else {})))
        except GLib.Error:
            raise
        except BaseException as error:
            raise _to_error(error) from error
        finally:
            _exit.hold_back()
        return True

    return answer
