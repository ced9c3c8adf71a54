# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads functions and their types from a GIR file, and spells them in Python as
PyGObject calls them. Used by make-stubs.py.
"""

import keyword
import re
import xml.etree.ElementTree

CORE = '{http://www.gtk.org/introspection/core/1.0}'
GLIB = '{http://www.gtk.org/introspection/glib/1.0}'

TYPES = {
    'none': 'None',
    'utf8': 'str',
    'filename': 'str',
    'gunichar': 'str',
    'gboolean': 'bool',
    'gfloat': 'float',
    'gdouble': 'float',
    'gpointer': 'Any',
    'gconstpointer': 'Any',
    'GType': 'GObject.GType',
    'GLib.Quark': 'int',
    'GLib.DestroyNotify': 'Callable[..., object]',
}
INTEGER = re.compile(r'g?(u?(char|short|int|int8|int16|int32|int64|long|intptr)|s?size|uintptr)')
LISTS = ('GLib.List', 'GLib.SList', 'GLib.PtrArray')


def get_doc(element):
    """Returns the first paragraph of the element's documentation, with Python's spellings."""
    text = (element.findtext(CORE + 'doc') or '').split('\n\n')[0]
    text = re.sub(r'\[\w+@([\w.:-]+)\]', r'`\1`', text)
    for name, word in {'NULL': 'None', 'TRUE': 'True', 'FALSE': 'False'}.items():
        text = text.replace('%' + name, word)
    text = re.sub(r'%GHLO_ERROR_(\w+)', r'`Ghlo.Error.\1`', text)
    return re.sub(r'[@%](\w+)', r'`\1`', text)


def to_name(name):
    """Returns PyGObject's spelling of a name in the GIR."""
    name = name.replace('-', '_')
    return name + '_' if keyword.iskeyword(name) else name


class Api:
    """The namespace that the GIR describes."""

    def __init__(self, path):
        root = xml.etree.ElementTree.parse(path).getroot()
        self.namespace = root.find(CORE + 'namespace')
        self.callbacks = {element.get('name'): element for element in self.namespace.findall(CORE + 'callback')}
        self.flags = {element.get('name') for element in self.namespace.findall(CORE + 'bitfield')}
        self.owners = {child: element for element in root.iter() for child in element.findall(CORE + 'return-value')}
        self.includes = sorted({element.get('name') for element in root.findall(CORE + 'include')} | {'GLib'})

    def get_type(self, holder, result=False):
        """Returns the type of a parameter or result of a function."""
        found = self.get_bare_type(holder, result)
        # PyGObject returns an empty list for a NULL array.
        is_list = result and holder.find(CORE + 'array') is not None
        nullable = holder.get('nullable') == '1' and not is_list
        return found + ' | None' if nullable and found not in ('None', 'Any') else found

    def get_bare_type(self, holder, result):
        array, element = holder.find(CORE + 'array'), holder.find(CORE + 'type')
        if array is not None or element.get('name') in LISTS:
            inner = (element if array is None else array).find(CORE + 'type')
            if array is not None and inner.get('name') == 'guint8':
                return 'bytes'
            return f"{'list' if result else 'Sequence'}[{self.spell(inner.get('name'))}]"
        if element.get('name') == 'GLib.HashTable':
            return f"dict[{', '.join(self.spell(inner.get('name')) for inner in element)}]"
        if element.get('name') == 'Gio.ListModel':
            return f'Gio.ListModel[{get_item_type(holder, self.owners.get(holder))}]'
        return self.spell(element.get('name'))

    def spell(self, name):
        if name in TYPES:
            return TYPES[name]
        if INTEGER.fullmatch(name):
            return 'int'
        if name in self.callbacks:
            return self.spell_callback(self.callbacks[name])
        return name

    def spell_callback(self, callback):
        parameters = ', '.join(self.get_type(parameter, result=True) for parameter in get_shown(callback))
        return f'Callable[[{parameters}], {self.get_result(callback)}]'

    def get_result(self, function):
        """Returns the type of a call's result and out parameters; a tuple if there are several."""
        value = function.find(CORE + 'return-value')
        hidden = get_hidden(function, value)
        results = [] if value.get('skip') == '1' else [self.get_type(value, result=True)]
        if function.tag == CORE + 'constructor':
            # PyGObject raises an error where a constructor returns NULL.
            results = [results[0].removesuffix(' | None')]
        results += [self.get_type(parameter, result=True) for i, parameter in enumerate(get_parameters(function))
                    if parameter.get('direction', 'in') != 'in' and i not in hidden]
        if len(results) > 1 and results[0] == 'None':
            results.pop(0)
        return results[0] if len(results) == 1 else f"tuple[{', '.join(results)}]" if results else 'None'


def get_item_type(*elements):
    """Returns the item type of a list model, found in the documentation of one of the elements."""
    docs = ' '.join(element.findtext(CORE + 'doc') or '' for element in elements if element is not None)
    found = re.search(r'list(?: ?model\]?)? of\s+\[class@(?:Ghlo\.)?([\w.]+)\]', docs, re.I)
    return found[1] if found else 'Any'


def get_parameters(function):
    parameters = function.find(CORE + 'parameters')
    return [] if parameters is None else parameters.findall(CORE + 'parameter')


def get_hidden(function, value=None):
    """Returns the indices of parameters that Python hides: lengths of arrays, and data of callbacks."""
    parameters = get_parameters(function)
    hidden = {parameter.get(what) for parameter in parameters for what in ('closure', 'destroy')}
    for holder in [*parameters, value]:
        array = None if holder is None else holder.find(CORE + 'array')
        hidden.add(None if array is None else array.get('length'))
    return {int(i) for i in hidden - {None}}


def get_shown(function, with_data=False):
    """Returns the parameters that Python callers pass, optionally with the data of callbacks."""
    data = get_data(function) if with_data else set()
    hidden = get_hidden(function, function.find(CORE + 'return-value')) - data
    return [parameter for i, parameter in enumerate(get_parameters(function))
            if i not in hidden and parameter.get('direction', 'in') != 'out']


def get_data(function):
    return {int(parameter.get('closure')) for parameter in get_parameters(function) if parameter.get('closure')}


def takes_any_data(function):
    """Returns whether the data of a callback comes last: PyGObject then takes any number of arguments, else one."""
    shown = get_shown(function, with_data=True)
    return bool(shown) and shown[-1] in [get_parameters(function)[i] for i in get_data(function)]
