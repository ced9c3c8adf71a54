// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The table of wrong calls, from JavaScript. Prints TAP.
//
//   gjs -m wrong-calls.js wrong-calls.json

import Ghlo from 'gi://Ghlo?version=1.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

const [, contents] = GLib.file_get_contents(System.programArgs[0]);
const table = JSON.parse(new TextDecoder().decode(contents));
const client = new Ghlo.Client();
const foreign = new Gio.Cancellable();

// A folder of our own, in which nothing is there.
const folder = GLib.dir_make_tmp('ghlo-XXXXXX');
const makeFile = path => path === null ? null : Gio.File.new_for_path(path.replace('{missing}', folder));
const makeBytes = (size, fill = 0) => size === null ? null : new Uint8Array(size).fill(fill);
const makeBuffer = (type, size) => Ghlo.Buffer.new_from_bytes(Ghlo.TensorType.parse(type), makeBytes(size));

const programs = {bare: new Ghlo.Program(), foreign};
for (const [name, text] of Object.entries(table.programs))
    programs[name] = Ghlo.Program.parse(text, name);

const ones = makeBuffer('tensor<2x3xf32>', 24);
const buffers = {
    ones,
    wide: makeBuffer('tensor<3x2xf32>', 24),
    flat: makeBuffer('tensor<6xf32>', 24),
    double: makeBuffer('tensor<2x3xf64>', 48),
    token: Ghlo.Buffer.new_token(),
    tuple: Ghlo.Buffer.new_tuple([ones, ones]),
    released: makeBuffer('tensor<2x3xf32>', 24),
    bare: new Ghlo.Buffer(),
    foreign,
};
buffers.released.release();

const options = {'bare-device': new Ghlo.CompileOptions({device: new Ghlo.Device()}), foreign};

const makeText = row => row.bytes === undefined ? row.text : Uint8Array.from(row.bytes);

const makeList = names => names?.map(name => buffers[name] ?? null) ?? null;

function makeType(row) {
    if (row.dimensions !== undefined)
        return Ghlo.TensorType.new(Ghlo.ElementType.F32, row.dimensions);
    return row.type === null ? null : Ghlo.TensorType.parse(row.type);
}

const makeExecutable = name => name === 'bare' ? new Ghlo.Executable() : client.compile(programs[name]);
const makeSession = name => name === 'bare' ? new Ghlo.Session() : Ghlo.Session.new(makeExecutable(name));

// Quick calls, which have no asynchronous form.
// Runs a program that calls a function which does something wrong.
function answer(row) {
    const own = new Ghlo.Client();
    own.register_custom_call('answer', (_x, call) => {
        if (row.result !== null)
            call.set_result(row.result, buffers[row.buffer]);
    });
    own.compile(programs.call).execute([ones]);
}

const MAKE = {
    bytes: row => Ghlo.Buffer.new_from_bytes(makeType(row), makeBytes(row.size, row.fill)),
    strided: row => Ghlo.Buffer.new_from_bytes_strided(makeType(row), makeBytes(row.size, row.fill), row.strides),
    quantized: row => Ghlo.TensorType.new_quantized(makeType(row), Ghlo.ElementType[row.expressed.toUpperCase()],
        row.scales, row.zero_points, row.axis, row.min, row.max),
    tuple: row => Ghlo.Buffer.new_tuple(makeList(row.members)),
    type: row => Ghlo.TensorType.parse(row.text),
    bind: row => makeSession(row.session).bind_input(row.input, buffers[row.buffer] ?? null),
    'bind-name': row => makeSession(row.session).bind_input_by_name(row.input, buffers[row.buffer] ?? null),
    'carry-all': row => makeSession(row.session).carry_all(makeList(row.initial)),
    'bind-output': row => makeSession(row.session).bind_output(row.output, row.address, row.size),
    carry: row => makeSession(row.session).carry(row.output, row.input, buffers[row.buffer] ?? null),
    register: row => client.register_custom_call(row.calls, () => 0),
    unregister: row => client.unregister_custom_call(row.calls),
    answer,
    reset: row => makeSession(row.session).reset(),
    unbind: row => makeSession(row.session).unbind_output(row.output),
};

// What a slow call is a method of, its name, and its arguments without the cancellable.
const FIND = {
    parse: row => [Ghlo.Program, 'parse', makeText(row), null],
    check: row => [Ghlo.Program, 'check', makeText(row), null],
    load: row => [Ghlo.Program, 'load', makeFile(row.path)],
    'to-text': row => [programs[row.program], 'to_text', Ghlo.TextFlags.NONE],
    serialize: row => [programs[row.program], 'serialize', row.version],
    compile: row => [client, 'compile', programs[row.program] ?? null, options[row.options] ?? null,
        row.progress === undefined ? null : foreign],
    'list-devices': () => [client, 'list_devices'],
    execute: row => [makeExecutable(row.executable), 'execute', makeList(row.inputs)],
    run: row => [makeSession(row.session), 'run', makeList(row.inputs)],
    'copy-state': row => [makeSession(row.session), 'copy_state', row.input],
    'load-buffer': row => [Ghlo.Buffer, 'load', makeFile(row.path), null],
    'copy-to-device': row => [buffers[row.buffer], 'copy_to_device', row.target === null ? null : new Ghlo.Device()],
    read: row => [buffers[row.buffer], 'read'],
};

async function run(row, mode) {
    if (row.call in MAKE)
        return MAKE[row.call](row);
    const cancellable = new Gio.Cancellable();
    if (row.cancelled)
        cancellable.cancel();
    const [owner, name, ...rest] = FIND[row.call](row);
    GLib.setenv('GHLO_DEVICE', row.device ?? 'auto', true);
    try {
        return mode === 'sync' ? owner[name](...rest, cancellable) : await owner[`${name}_async`](...rest, cancellable);
    } finally {
        GLib.unsetenv('GHLO_DEVICE');
    }
}

// What is wrong with how a call ended; nothing when it ended as it should.
async function complain(row, mode) {
    const [domain, code] = row.error;
    const codes = domain === 'ghlo-error-quark' ? Ghlo.Error : Gio.IOErrorEnum;
    try {
        await run(row, mode);
    } catch (error) {
        if (!(error instanceof GLib.Error))
            return row.refused?.includes('javascript') ? null : `${error}`;
        if (!error.matches(codes, codes[code]))
            return `expected ${code}, found ${error.domain} ${error.code}: ${error.message}`;
        const told = error.message.includes(row.says ?? '') || row.refused?.includes('javascript');
        return told ? null : `expected '${row.says}', found ${error.message}`;
    }
    return 'expected an error, found none';
}

let number = 0;
let failures = 0;
for (const mode of ['sync', 'async']) {
    for (const row of table.calls.filter(each => (each.only ?? mode) === mode)) {
        // eslint-disable-next-line no-await-in-loop
        const complaint = await complain(row, mode);
        number++;
        failures += complaint !== null;
        print(`${complaint !== null ? 'not ' : ''}ok ${number} - ${mode} ${row.call}: ${row.name}`);
        if (complaint !== null)
            print(`# ${complaint.replaceAll('\n', '\n# ')}`);
    }
}
GLib.rmdir(folder);
print(`1..${number}`);
System.exit(failures > 0 ? 1 : 0);
