#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the wrong calls of the table from Python. Prints TAP.

    wrong_calls.py wrong-calls.json
"""

import json
import sys
import tempfile

import gi

gi.require_version('Ghlo', '1.0')
from gi.repository import Ghlo, Gio, GLib  # noqa: E402


def make_bytes(size, fill=0):
    return None if size is None else GLib.Bytes.new(bytes([fill]) * size)


def make_buffer(text, size):
    return Ghlo.Buffer.new_from_bytes(Ghlo.TensorType.parse(text), make_bytes(size))


class Table:
    def __init__(self, path):
        # A folder of our own, in which nothing is there.
        self.folder = tempfile.TemporaryDirectory()
        with open(path, encoding='utf-8') as file:
            table = json.load(file)
        self.calls = table['calls']
        self.programs = {name: Ghlo.Program.parse(GLib.Bytes.new(text.encode()), name)
                         for name, text in table['programs'].items()}
        self.programs.update({None: None, 'bare': Ghlo.Program(), 'foreign': Gio.Cancellable()})
        ones = make_buffer('tensor<2x3xf32>', 24)
        self.buffers = {
            None: None, 'ones': ones, 'wide': make_buffer('tensor<3x2xf32>', 24),
            'flat': make_buffer('tensor<6xf32>', 24), 'double': make_buffer('tensor<2x3xf64>', 48),
            'token': Ghlo.Buffer.new_token(), 'tuple': Ghlo.Buffer.new_tuple([ones, ones]),
            'released': make_buffer('tensor<2x3xf32>', 24), 'bare': Ghlo.Buffer(), 'foreign': Gio.Cancellable(),
        }
        self.buffers['released'].release()
        self.client = Ghlo.Client()

    def executable(self, name):
        return Ghlo.Executable() if name == 'bare' else self.client.compile(self.programs[name], None, None, None)

    def session(self, name):
        return Ghlo.Session() if name == 'bare' else Ghlo.Session.new(self.executable(name))

    def list(self, names):
        return names and [self.buffers[name] for name in names]

    def type(self, case):
        if 'dimensions' in case:
            return Ghlo.TensorType.new(Ghlo.ElementType.F32, case['dimensions'])
        return case['type'] and Ghlo.TensorType.parse(case['type'])

    def make_file(self, path):
        return path and Gio.File.new_for_path(path.replace('{missing}', self.folder.name))

    def find(self, case):
        """What the call is a method of, its name, and its arguments without the cancellable."""
        call = case['call']
        if call in ('parse', 'check'):
            data = bytes(case['bytes']) if 'bytes' in case else case['text'] and case['text'].encode()
            return Ghlo.Program, call, [data and GLib.Bytes.new(data), None]
        if call == 'load':
            return Ghlo.Program, call, [self.make_file(case['path'])]
        if call == 'to-text':
            return self.programs[case['program']], 'to_text', [Ghlo.TextFlags.NONE]
        if call == 'serialize':
            return self.programs[case['program']], call, [case['version']]
        if call == 'compile':
            options = {None: None, 'foreign': self.client,
                       'bare-device': Ghlo.CompileOptions(device=Ghlo.Device())}[case.get('options')]
            return self.client, call, [self.programs[case['program']], options, case.get('progress') and self.client]
        if call == 'list-devices':
            return self.client, 'list_devices', []
        if call == 'execute':
            return self.executable(case['executable']), call, [self.list(case['inputs'])]
        if call == 'run':
            return self.session(case['session']), call, [self.list(case['inputs'])]
        if call == 'copy-state':
            return self.session(case['session']), 'copy_state', [case['input']]
        if call == 'load-buffer':
            return Ghlo.Buffer, 'load', [self.make_file(case['path']), None]
        if call == 'copy-to-device':
            return self.buffers[case['buffer']], 'copy_to_device', [case['target'] and Ghlo.Device()]
        return self.buffers[case['buffer']], call, []

    def make(self, case):
        """A quick call: it has no asynchronous form and no cancellable."""
        call = case['call']
        if call == 'tuple':
            Ghlo.Buffer.new_tuple(self.list(case['members']))
        elif call == 'quantized':
            Ghlo.TensorType.new_quantized(self.type(case), case['expressed'], case['scales'], case['zero_points'],
                                          case['axis'], case['min'], case['max'])
        elif call == 'type':
            Ghlo.TensorType.parse(case['text'])
        elif call == 'bind':
            self.session(case['session']).bind_input(case['input'], self.buffers[case['buffer']])
        elif call == 'bind-name':
            self.session(case['session']).bind_input_by_name(case['input'], self.buffers[case['buffer']])
        elif call == 'carry-all':
            self.session(case['session']).carry_all(self.list(case['initial']))
        elif call == 'bind-output':
            self.session(case['session']).bind_output(case['output'], case['address'], case['size'], None)
        elif call == 'carry':
            self.session(case['session']).carry(case['output'], case['input'], self.buffers[case['buffer']])
        elif call == 'register':
            self.client.register_custom_call(case['calls'], abs)
        elif call == 'unregister':
            self.client.unregister_custom_call(case['calls'])
        elif call == 'answer':
            self.answer(case)
        elif call == 'reset':
            self.session(case['session']).reset()
        elif call == 'unbind':
            self.session(case['session']).unbind_output(case['output'])
        else:
            arguments = [self.type(case), make_bytes(case['size'], case.get('fill', 0))]
            if call == 'strided':
                Ghlo.Buffer.new_from_bytes_strided(*arguments, case['strides'])
            else:
                Ghlo.Buffer.new_from_bytes(*arguments)

    def answer(self, case):
        """Runs a program that calls a function which does something wrong."""
        def answer(_x, call):
            if case['result'] is not None:
                call.set_result(case['result'], self.buffers[case['buffer']])

        client = Ghlo.Client()
        client.register_custom_call('answer', answer)
        client.compile(self.programs['call'])(self.buffers['ones'])

    def run(self, case, mode):
        if case.get('only') == 'sync':
            return self.make(case)
        cancellable = Gio.Cancellable()
        if case.get('cancelled'):
            cancellable.cancel()
        owner, name, arguments = self.find(case)
        GLib.setenv('GHLO_DEVICE', case.get('device', 'auto'), True)
        if mode == 'sync':
            return getattr(owner, name)(*arguments, cancellable)
        loop, results = GLib.MainLoop(), []

        def done(_source, result):
            results.append(result)
            loop.quit()

        getattr(owner, name + '_async')(*arguments, cancellable, done)
        loop.run()
        return getattr(owner, name + '_finish')(results[0])


def complain(table, case, mode):
    """What is wrong with how a call ended; nothing when it ended as it should."""
    domain, code = case['error']
    codes = Ghlo.Error if domain == 'ghlo-error-quark' else Gio.IOErrorEnum
    try:
        table.run(case, mode)
    except GLib.Error as error:
        if not error.matches(GLib.quark_from_string(domain), getattr(codes, code)):
            return f'expected {code}, found {error.domain} {error.code}: {error.message}'
        if case.get('says', '') not in error.message:
            return f'expected a message with "{case["says"]}", found {error.message}'
        return None
    except (TypeError, ValueError) as error:
        return None if 'python' in case.get('refused', []) else f'{type(error).__name__}: {error}'
    finally:
        GLib.unsetenv('GHLO_DEVICE')
    return 'expected an error, found none'


def main():
    table = Table(sys.argv[1])
    number = failures = 0
    for mode in ['sync', 'async']:
        for case in table.calls:
            if case.get('only', mode) != mode:
                continue
            number += 1
            complaint = complain(table, case, mode)
            failures += complaint is not None
            print(f'{"not " if complaint else ""}ok {number} - {mode} {case["call"]}: {case["name"]}')
            if complaint:
                print('# ' + complaint.replace('\n', '\n# '))
    print(f'1..{number}')
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
