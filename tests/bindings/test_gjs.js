// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The public API from JavaScript: arrays in and out, calls in all their forms, cancels,
// mistakes, and memory. Prints TAP.

import Ghlo from 'gi://Ghlo?version=1.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

const ADD = `func.func @main(%left: tensor<2x3xf32>, %right: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %left, %right : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
`;

const TWO = `func.func @main(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<i64>) {
  %0 = stablehlo.constant dense<5> : tensor<i64>
  return %x, %0 : tensor<?xi32>, tensor<i64>
}
`;

const ENDLESS = `func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0:2 = stablehlo.while(%go = %true, %i = %x) : tensor<i1>, tensor<i32>
    cond {
      stablehlo.return %go : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %i : tensor<i32>
      stablehlo.return %go, %1 : tensor<i1>, tensor<i32>
    }
  return %0#1 : tensor<i32>
}
`;

// Adds its first input to the second; gives the sum and what the second was.
const COUNTER = `func.func @main(%step: tensor<f32>, %state: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.add %state, %step : tensor<f32>
  return %0, %state : tensor<f32>, tensor<f32>
}
`;

const MIB = 1 << 20;
const {ElementType} = Ghlo;
const compile = (text, options = null) => new Ghlo.Client().compile(Ghlo.Program.parse(text), options);
const ones = Ghlo.Buffer.from_array(new Float32Array(6).fill(1), [2, 3]);
let number = 0;
let failures = 0;

function equal(found, expected) {
    const [a, b] = [found, expected].map(value => ArrayBuffer.isView(value) ? `${value.constructor.name} ${value}`
        : Array.isArray(value) ? JSON.stringify(value) : value);
    if (a !== b)
        throw new Error(`expected ${b}, found ${a}`);
}

function check(condition, message) {
    if (!condition)
        throw new Error(message);
}

// The error of a call, or of its promise.
async function caught(call) {
    try {
        await call();
    } catch (error) {
        return error;
    }
    throw new Error('expected an error, found none');
}

async function refused(call, says) {
    const error = await caught(call);
    check(error instanceof GLib.Error && error.matches(Ghlo.Error, Ghlo.Error.INVALID_ARGUMENT),
        `expected INVALID_ARGUMENT, found ${error}`);
    check(error.message.includes(says), `expected '${says}' in '${error.message}'`);
}

async function test(name, body) {
    number++;
    try {
        await body();
        print(`ok ${number} - ${name}`);
    } catch (error) {
        failures++;
        print(`not ok ${number} - ${name}`);
        print(`# ${error}\n${error.stack}`.trim().replaceAll('\n', '\n# '));
    }
}

const sleep = ms => new Promise(resolve => GLib.timeout_add(GLib.PRIORITY_DEFAULT, ms, () => {
    resolve();
    return GLib.SOURCE_REMOVE;
}));

// A line of /proc/self/status, in MiB.
function memory(line) {
    const [, contents] = GLib.file_get_contents('/proc/self/status');
    return Number(new TextDecoder().decode(contents).match(new RegExp(`${line}:\\s*(\\d+) kB`))[1]) / 1024;
}

// The objects of GLib that JavaScript knows, after a collection.
function liveObjects() {
    const [file, stream] = Gio.File.new_tmp('ghlo-XXXXXX.heap');
    stream.close(null);
    System.gc();
    System.dumpHeap(file.get_path());
    const [, contents] = file.load_contents(null);
    file.delete(null);
    return new TextDecoder().decode(contents).match(/ GObject_Object </g).length;
}

await test('typed arrays keep their element type and come back as views', () => {
    for (const [Store, name] of [[Int8Array, 'i8'], [Uint8Array, 'ui8'], [Int16Array, 'i16'], [Uint16Array, 'ui16'],
        [Int32Array, 'i32'], [Uint32Array, 'ui32'], [BigInt64Array, 'i64'], [BigUint64Array, 'ui64'],
        [Float32Array, 'f32'], [Float64Array, 'f64']]) {
        const one = Store.name.startsWith('Big') ? 1n : 1;
        const array = new Store(6).fill(one);
        const buffer = Ghlo.Buffer.from_array(array, [2, 3]);
        equal(`${buffer.tensor_type}`, `tensor<2x3x${name}>`);
        equal(buffer.to_array(), array);
        equal(`${Ghlo.Buffer.from_array(array).tensor_type}`, `tensor<6x${name}>`);
        equal(`${Ghlo.Buffer.from_array(new Store(0), [2, 0]).to_array().length}`, '0');
        equal(Ghlo.Buffer.from_array(array.subarray(2, 4)).to_array(), array.subarray(2, 4));
    }
});

await test('types that JavaScript lacks are held as their bits or values', () => {
    const bits = Ghlo.Buffer.from_array(new Uint16Array([0x3f80, 0x4000]), null, ElementType.BF16);
    equal(`${bits.tensor_type}`, 'tensor<2xbf16>');
    equal(bits.to_array(), new Uint16Array([0x3f80, 0x4000]));
    const pairs = Ghlo.Buffer.from_array(new Float32Array([1, 2, 3, 4]), [2], ElementType.COMPLEX_F32);
    equal(`${pairs.tensor_type}`, 'tensor<2xcomplex<f32>>');
    equal(pairs.to_array(), new Float32Array([1, 2, 3, 4]));
    equal(Ghlo.Buffer.from_array([true, false], null, ElementType.I1).to_array(), new Uint8Array([1, 0]));
    equal(Ghlo.Buffer.from_array([[1, -8], [7, 0]], null, ElementType.I4).to_array(), new Int8Array([1, -8, 7, 0]));
    equal(`${Ghlo.Buffer.from_array(3, null, ElementType.I64).tensor_type}`, 'tensor<i64>');
});

await test('numbers that an integer type does not hold are refused', async () => {
    const big = 1n << 63n;
    for (const [name, low, high] of [['I1', 0, 1], ['I2', -2, 1], ['I4', -8, 7], ['I8', -128, 127],
        ['I16', -32768, 32767], ['I32', -2147483648, 2147483647], ['I64', -big, big - 1n], ['UI2', 0, 3],
        ['UI4', 0, 15], ['UI8', 0, 255], ['UI16', 0, 65535], ['UI32', 0, 4294967295], ['UI64', 0n, 2n * big - 1n],
        ['INDEX', -big, big - 1n]]) {
        const type = ElementType[name];
        const good = Ghlo.Buffer.from_array([low, high, 0, true, 1n], null, type);
        equal(`${Array.from(good.to_array())}`, `${[low, high, 0, 1, 1]}`);
        const mlir = name === 'INDEX' ? 'index' : name.toLowerCase();
        const executable = compile(`func.func @main(%x: tensor<2x${mlir}>) -> tensor<2x${mlir}> {
            return %x : tensor<2x${mlir}>\n}`);
        for (const wrong of [1.7, NaN, Infinity, -0.5, 1e30, BigInt(high) + 1n, BigInt(low) - 1n]) {
            await refused(() => Ghlo.Buffer.from_array([0, wrong], null, type), `found ${wrong} at element 1`);
            await refused(() => Ghlo.Buffer.from_array([[0], [wrong]], null, type), `found ${wrong} at element 1`);
            await refused(() => Ghlo.Buffer.from_array(wrong, null, type), `found ${wrong} at element 0`);
            await refused(() => executable.execute([[0, wrong]]), `found ${wrong} at element 1`);
            await refused(() => executable.execute_async([[0, wrong]]), `found ${wrong} at element 1`);
        }
        await refused(() => Ghlo.Buffer.from_array(new Float32Array([1.7]), null, type), 'Array.from (array)');
        await refused(() => Ghlo.Buffer.from_array(Array.from(new Float32Array([1.5])), null, type), 'found 1.5');
    }
    const int64 = new Ghlo.TensorType(ElementType.I64, [1]);
    for (const wrong of [1.7, NaN, 2 ** 53, 1n << 60n, 'a'])
        await refused(() => Ghlo.Buffer.new_from_int64s(int64, [wrong]), `found ${wrong}`);
    equal(Ghlo.Buffer.new_from_int64s(int64, [7n]).to_array(), new BigInt64Array([7n]));
    await refused(() => Ghlo.Buffer.new_from_doubles(int64, [1.7]), 'found 1.7');
    await refused(() => Ghlo.Buffer.new_from_doubles(int64, ['a']), 'found a string');
    for (const ragged of [[[1, 2], [3, 4, 5], [6]], [1, [2]], [[1], 2], [[[1]], [2]]])
        await refused(() => Ghlo.Buffer.from_array(ragged, null, ElementType.I32), 'rows of one length');
    const result = compile(ADD).execute([ones, ones]);
    for (const wrong of [0.5, NaN, '0'])
        await refused(() => result.get_output(wrong), `found ${wrong}`);
});

await test('numbers become floats that JavaScript lacks', () => {
    for (const [name, bits] of [['BF16', new Uint16Array([0x3f80, 0x4000])], ['F16', new Uint16Array([0x3c00, 0x4000])],
        ['F8E5M2', new Uint8Array([0x3c, 0x40])], ['F8E4M3FN', new Uint8Array([0x38, 0x40])]]) {
        const type = ElementType[name];
        for (const numbers of [[1, 2], [1n, 2], new Float32Array([1, 2]), new Float64Array([1, 2]), bits]) {
            const buffer = Ghlo.Buffer.from_array(numbers, [2, 1], type);
            equal(buffer.to_array(), bits);
            equal(buffer.tensor_type.shape, [2, 1]);
        }
        equal(Ghlo.Buffer.from_array([[1, 2]], null, type).tensor_type.shape, [1, 2]);
        const mlir = name.toLowerCase().replace('e', 'E').replace('m', 'M').replace('fn', 'FN');
        equal(compile(`func.func @main(%x: tensor<2x${mlir}>) -> tensor<2x${mlir}> {
            return %x : tensor<2x${mlir}>\n}`).execute([[1, 2]]).get_output(0).to_array(), bits);
    }
});

await test('a view shows the memory itself and outlives the release', () => {
    const buffer = Ghlo.Buffer.from_array(new Float32Array([1, 2, 3]));
    const [a, b] = [buffer.to_array(), buffer.to_array()];
    a[0] = 7;
    equal(b[0], 7);
    buffer.release();
    equal(b, new Float32Array([7, 2, 3]));
});

function throws(call) {
    try {
        call();
    } catch (error) {
        return error;
    }
    return new Error('nothing was thrown');
}

// Bytes of memory that the process has.
const resident = () =>
    Number(new TextDecoder().decode(GLib.file_get_contents('/proc/self/statm')[1]).split(' ')[1]) * 4096;

await test('what shows the memory takes none', () => {
    const buffer = Ghlo.Buffer.new_zeros(Ghlo.TensorType.parse('33554432xf32'));
    const before = resident();
    const [array, view] = [buffer.to_array(), buffer.view()];
    equal([array.length, view.length, view.at(33554431)], [33554432, 33554432, 0]);
    check(resident() - before < (32 << 20), `${resident() - before} bytes for two views of 128 MiB`);
    buffer.release();
});

await test('a NaN is a number for JavaScript, whatever its bits', () => {
    const bits = new BigUint64Array([0xffffe00000000000n, 0xfff8000000000001n, 0x7ff0000000000001n]);
    const type = Ghlo.TensorType.parse('3xf64');
    const numbers = Ghlo.Buffer.new_from_bytes(type, new Uint8Array(bits.buffer)).get_doubles();
    System.gc();
    equal(numbers, [NaN, NaN, NaN]);
    const halves = Ghlo.Buffer.from_array(new Uint16Array([0xffff, 0x7f81]), null, ElementType.BF16).get_doubles();
    System.gc();
    equal(halves, [NaN, NaN]);
});

await test('a view that is only read', () => {
    const buffer = Ghlo.Buffer.from_array(new Float32Array([1, 2, 3, 4, 5, 6]), [2, 3]);
    const view = buffer.view();
    equal([view.shape, view.length, view.at(1, 0), [...view]], [[2, 3], 6, 4, [1, 2, 3, 4, 5, 6]]);
    for (const write of [() => (view[0] = 7), () => (view.length = 0), () => (view.shape[0] = 7),
        () => (view.at = null)])
        check(throws(write) instanceof TypeError, 'a view was written to');
    buffer.release();
    equal([...view], [1, 2, 3, 4, 5, 6]);
    for (const [indices, says] of [[[0], 'expected 2 indices, found 1'],
        [[2, 0], 'from 0 to 1 for dimension 0, found 2'],
        [[0, -1], 'found -1'], [[0, 0.5], 'found 0.5'], [[0, 'a'], 'found a']]) {
        const error = throws(() => view.at(...indices));
        check(error.message.includes(says) && error.matches(Ghlo.Error, Ghlo.Error.INVALID_ARGUMENT), error.message);
    }
    for (const name of ['BF16', 'F16', 'F8E5M2', 'F8E4M3FN', 'F8E3M4', 'F6E2M3FN', 'F4E2M1FN', 'F64']) {
        const numbers = Ghlo.Buffer.from_array([0.5, -1.5, 3], null, ElementType[name]);
        equal([...numbers.view()], [0.5, -1.5, 3]);
    }
    equal([...Ghlo.Buffer.from_array([1, 2, 3, 4], [2], ElementType.COMPLEX_F32).view()], [[1, 2], [3, 4]]);
    equal(Ghlo.Buffer.from_array([7n], [], ElementType.I64).view().at(), 7n);
    check(throws(() => Ghlo.Buffer.new_token().view()).message.includes('tensor'), 'a token has elements');
});

await test('tensor types compare and print', () => {
    const type = new Ghlo.TensorType(ElementType.F32, [2, 3]);
    equal(`${type}`, 'tensor<2x3xf32>');
    equal(type.shape, [2, 3]);
    check(type.equals(Ghlo.TensorType.parse('tensor<2x3xf32>')), 'equal types differ');
    check(!type.equals(Ghlo.TensorType.new(ElementType.F32, [3, 2])), 'other types are equal');
    check(!type.equals(null) && !type.equals('tensor<2x3xf32>'), 'a string is equal to a type');
    check(type instanceof Ghlo.TensorType, 'a type is no instance of its class');
    equal(`${new Ghlo.TensorType(ElementType.I1)}`, 'tensor<i1>');
    equal(`${compile(ADD).list_inputs()}`, 'left: tensor<2x3xf32>,right: tensor<2x3xf32>');
});

await test('padded rows', () => {
    const type = new Ghlo.TensorType(ElementType.UI8, [2, 3]);
    const buffer = Ghlo.Buffer.new_from_bytes_strided(type, new Uint8Array([1, 2, 3, 0, 4, 5, 6]), [4, 1]);
    equal(buffer.to_array(), new Uint8Array([1, 2, 3, 4, 5, 6]));
});

await test('blocking calls, with what may be left out', () => {
    const executable = compile(ADD);
    const result = executable.execute([ones, ones]);
    equal(result.length, 1);
    const [total] = result;
    equal(total.to_array(), new Float32Array(6).fill(2));
    equal(executable.execute([[[1, 2, 3], [4, 5, 6]], new Float32Array(6).fill(1)], null).get_output(0).to_array(),
        new Float32Array([2, 3, 4, 5, 6, 7]));
    for (const n of [0, 1, 5]) {
        const [x, five] = compile(TWO).execute([new Int32Array(n).fill(n)]);
        equal(x.to_array(), new Int32Array(n).fill(n));
        equal(five.to_array(), new BigInt64Array([5n]));
    }
    const options = new Ghlo.CompileOptions({optimizationLevel: Ghlo.OptimizationLevel.O3});
    check(new Ghlo.Client().compile(executable.program, options) instanceof Ghlo.Executable, 'no executable');
    equal(new Ghlo.Client().list_devices().get_item(0).kind, Ghlo.DeviceKind.CPU);
    const [device, again] = [0, 0].map(i => new Ghlo.Client().list_devices().get_item(i));
    const other = new Ghlo.Client().list_devices().get_item(1);
    check(device.equals(again) && device.hash() === again.hash(), 'a device differs from itself');
    check(!device.equals(other) && !device.equals('cpu'), 'different devices are equal');
    equal(device.model, device.get_model());
    equal(device.vector_level, device.get_vector_level());
    check(device.get_memory_used() <= device.get_memory_peak(), 'more memory is used than ever was');
    const text = executable.program.to_text(Ghlo.TextFlags.STRIP_LOCATIONS);
    equal(Ghlo.Program.parse(text).to_text(Ghlo.TextFlags.STRIP_LOCATIONS), text);
});

await test('inputs by their names', async () => {
    const executable = compile(ADD.replace('stablehlo.add', 'stablehlo.subtract'));
    const five = new Float32Array(6).fill(5);
    const four = new Float32Array(6).fill(4);
    equal(executable.execute({left: five, right: ones}).get_output(0).to_array(), four);
    const [difference] = await executable.execute_async({right: ones, left: five});
    equal(difference.to_array(), four);
    for (const [inputs, says] of [[{left: ones, rihgt: ones}, "(left, right), found 'rihgt'"],
        [{left: ones}, 'expected inputs left, right, found none for right'], [{}, 'found none for left']]) {
        await refused(() => executable.execute(inputs), says);
        await refused(() => executable.execute_async(inputs), says);
    }
    const session = Ghlo.Session.new(executable);
    session.bind_input('right', ones);
    session.carry(0, 'left', five);
    session.run();
    equal(session.copy_state('left').to_array(), four);
    for (const call of [() => session.bind_input('middle', ones), () => session.carry(0, 'middle', ones),
        () => session.copy_state('middle'), () => session.copy_state_async('middle')])
        await refused(call, "(left, right), found 'middle'");
});

// The marks that jax.jit (step, donate_argnums=(0, 1)) writes.
const TRAIN = `func.func @main(%w: tensor<2xf32> {tf.aliasing_output = 0 : i32},
    %m: tensor<2xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<2xf32>, %rate: tensor<f32>)
    -> (tensor<2xf32> {jax.result_info = "weights"}, tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.add %m, %x : tensor<2xf32>
  %1 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<2xf32>
  %3 = stablehlo.add %w, %2 : tensor<2xf32>
  return %3, %0, %w : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
`;

await test('a session takes what an executable takes', async () => {
    const session = Ghlo.Session.new(compile(TRAIN));
    session.bind_input('rate', 0.5);
    session.carry('weights', 'w', [1, 1]);
    equal(session.list_inputs().map(info => [info.get_name(), info.get_index()]), [['m', 1], ['x', 2]]);
    for (const inputs of [[[1, 2], [3, 4]], {m: [1, 2], x: [3, 4]}, {x: [3, 4], m: new Float32Array([1, 2])}])
        equal((await session.run_async(inputs)).get_output(0).to_array(), new Float32Array([4, 6]));
    await refused(() => session.run([[1, 2]]), 'expected 2 inputs');
    await refused(() => session.run({m: [1, 2]}), 'expected inputs m, x, found none for x');
    await refused(() => session.run({m: [1, 2], w: [1, 2]}), "(m, x), found 'w'");
    await refused(() => session.run([[1, 2], new Int32Array(2)]), "input 2 ('x'), found tensor<2xi32>");
    await refused(() => session.carry('sum', 'w', [1, 1]), "an output of this program (weights, 1, 2), found 'sum'");
    session.bind_input_by_name('m', [0, 0]);
    await refused(() => session.bind_input_by_name('n', [0, 0]), "(w, m, x, rate), found 'n'");
});

await test('all that the program marks is carried', async () => {
    const session = Ghlo.Session.new(compile(TRAIN));
    session.bind_input('rate', 1);
    session.bind_input('w', [1, 2]);
    await refused(() => session.carry_all(), "marked inputs that nothing is bound to (1 ('m')), or");
    await refused(() => session.carry_all({w: [1, 2]}), "(m), found 'w'");
    session.carry_all({m: [0, 0]});
    equal(session.run({x: [1, 1]}).get_output(0).to_array(), new Float32Array([1, 2]));
    equal(session.run({x: [1, 1]}).get_output(0).to_array(), new Float32Array([2, 3]));
    equal(session.copy_state('w').to_array(), new Float32Array([4, 5]));
    session.reset();
    equal(session.copy_state('w').to_array(), new Float32Array([1, 2]));
    session.carry_all();
    for (const again of [{w: [1, 1], m: [0, 0]}, [[1, 1], [0, 0]]]) {
        session.carry_all(again);
        equal(session.copy_state('w').to_array(), new Float32Array([1, 1]));
        session.run({x: [1, 1]});
    }
    await refused(() => session.carry_all({w: [1, 1]}), 'expected inputs w, m, found none for');
    await refused(() => session.carry_all([[1, 1]]), 'expected 2 inputs (w, m), found 1');
    const other = Ghlo.Session.new(compile(TRAIN));
    other.carry_all([[5, 5], [0, 0]]);
    equal(other.copy_state('w').to_array(), new Float32Array([5, 5]));
    await refused(() => Ghlo.Session.new(compile(ADD)).carry_all(), 'no mark');
});

await test('quantized types', () => {
    const text = 'tensor<2x!quant.uniform<i8<-127:127>:f32:0, {5.000000e-01:-3,2.500000e-01}>>';
    const stored = Ghlo.TensorType.parse('2xi8');
    const type = Ghlo.TensorType.new_quantized(stored, ElementType.F32, [0.5, 0.25], [-3, 0], 0, -127, 127);
    equal(`${type}`, text);
    check(type.equals(Ghlo.TensorType.parse(text)), 'a type differs from its spelling');
    equal(`${Ghlo.TensorType.new_quantized(stored, ElementType.BF16, 2, 7)}`,
        'tensor<2x!quant.uniform<i8:bf16, 2.000000e+00:7>>');
    equal([type.get_element_type(), type.get_expressed_type(), type.get_quantized_axis()],
        [ElementType.I8, ElementType.F32, 0]);
    equal([type.get_scales(), type.get_zero_points()], [[0.5, 0.25], [-3, 0]]);
    equal([type.get_storage_min(), type.get_storage_max()], [-127, 127]);
    const executable = compile(`func.func @main(%x: ${text}) -> tensor<2xf32> {
  %0 = stablehlo.uniform_dequantize %x : (${text}) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}`);
    const quantized = Ghlo.Buffer.new_from_int64s(type, [1, -4]);
    equal(quantized.to_array(), new Int8Array([1, -4]));
    equal(executable.execute([quantized]).get_output(0).to_array(), new Float32Array([2, -1]));
});

await test('files by their paths', async () => {
    const [file, stream] = Gio.File.new_tmp('ghlo-XXXXXX.mlir');
    stream.close(null);
    file.replace_contents(ADD, null, false, Gio.FileCreateFlags.NONE, null);
    const path = file.get_path();
    equal(Ghlo.Program.load(path).list_inputs().length, 2);
    equal((await Ghlo.Program.load_async(path)).list_inputs().length, 2);
    ones.save(`${path}.npy`);
    equal(Ghlo.Buffer.load(`${path}.npy`).to_array(), ones.to_array());
    Gio.File.new_for_path(`${path}.npy`).delete(null);
    file.delete(null);
});

await test('objects print what they are', () => {
    const executable = compile(ADD);
    const types = '(left: tensor<2x3xf32>,right: tensor<2x3xf32>) -> (tensor<2x3xf32>)';
    equal(`${executable}`, `[Ghlo.Executable ${types}]`);
    equal(`${Ghlo.Program.parse(ADD, 'add.mlir')}`, `[Ghlo.Program add.mlir ${types}]`);
    equal(`${Ghlo.Session.new(executable)}`, `[Ghlo.Session ${types}]`);
    equal(`${executable.execute([ones, ones])}`, '[Ghlo.Result (tensor<2x3xf32>)]');
    check(`${new Ghlo.Client().list_devices().get_item(0)}`.startsWith('[Ghlo.Device '), 'a device says nothing');
    for (const type of [Ghlo.Buffer, Ghlo.Program, Ghlo.Executable, Ghlo.Session, Ghlo.Result, Ghlo.Device])
        check(`${new type()}`.length > 0, 'a bare object says nothing');
});

await test('numbers of floats that JavaScript lacks', () => {
    for (const name of ['BF16', 'F16', 'F8E5M2', 'F8E4M3FN', 'F32', 'F64']) {
        const buffer = Ghlo.Buffer.from_array([0.5, -1.5, 3], null, ElementType[name]);
        equal(Array.from(buffer.get_doubles()), [0.5, -1.5, 3]);
    }
});

await test('promises, from load to read', async () => {
    const [file, stream] = Gio.File.new_tmp('ghlo-XXXXXX.mlir');
    stream.close(null);
    file.replace_contents(ADD, null, false, Gio.FileCreateFlags.NONE, null);
    const program = await Ghlo.Program.load_async(file);
    file.delete(null);
    const [progress, client, seen] = [new Ghlo.Progress(), new Ghlo.Client(), []];
    progress.connect('notify::fraction', () => seen.push(progress.fraction));
    const executable = await client.compile_async(program, null, progress);
    equal(seen[seen.length - 1], 1);
    const [total] = await executable.execute_async([ones, ones]);
    const bytes = await total.read_async(null);
    // Not get_size (), which in GJS 1.74 keeps a reference for ever, of any GBytes.
    equal(bytes.toArray().length, 24);
    equal((await client.list_devices_async()).get_n_items(), client.list_devices().get_n_items());
    equal(await program.to_text_async(), program.to_text());
    equal(await executable.dump_async(Ghlo.DumpStage.PARSED), program.to_text());
    equal(executable.report.get_n_operations_before(), 4);
    equal((await Ghlo.Program.check_async('func.func')).get_n_items(), 1);
});

await test('forms: written as artifacts and read back', async () => {
    const program = Ghlo.Program.parse(ADD);
    equal(program.format, Ghlo.ProgramFormat.TEXT);
    equal(program.producer, null);
    for (const version of [null, '1.13.0']) {
        const artifact = await program.serialize_async(version);
        for (const data of [artifact, artifact.toArray()]) {
            const again = await Ghlo.Program.parse_async(data, 'add.mlirbc');
            equal(again.get_format(), Ghlo.ProgramFormat.PORTABLE_ARTIFACT);
            equal(again.artifact_version, version ?? '1.20.0');
            equal(again.to_text(), program.to_text());
        }
    }
    equal(program.serialize().get_size(), program.serialize(null).get_size());
    await refused(() => program.serialize_async('2.0.0'), "found '2.0.0'");
    const error = await caught(() => Ghlo.Program.parse(program.serialize().toArray().slice(0, 100), 'cut'));
    check(error.matches(Ghlo.Error, Ghlo.Error.PARSE) && error.message.startsWith('cut: at byte '), error.message);
});

await test('plans by step', async () => {
    const executable = compile(ADD);
    const [step] = executable.get_plan();
    equal([step.operation, step.bytes, step.n_runs, step.steps], ['stablehlo.add', 72, 0, null]);
    check(step.measurement < 0 && executable.get_plan().toString().includes(`${step}`), `${step}`);
    const {reason} = executable.get_plan();
    equal(reason === null, GLib.getenv('GHLO_DEVICE') !== null);
    check(reason === null || `${executable.get_plan()}`.startsWith(`auto: ${reason}\n`), reason);
    const cost = executable.get_cost();
    equal([cost.get_operations(), cost.get_bytes(), cost.is_exact()], [6, 72, true]);
    const session = Ghlo.Session.new(executable);
    equal((await session.run_async([ones, ones])).get_plan(), null);
    session.profile = true;
    const plan = (await session.run_async([ones, ones])).get_plan();
    equal([plan.profiled, plan.length, plan.get_item(0).n_runs], [true, 1, 1]);
    check([...plan][0].measurement > 0, `${[...plan]}`);
    const endless = compile(ENDLESS, new Ghlo.CompileOptions({disabledPasses: ['fuse-loops']})).get_plan();
    const loop = [...endless].find(({operation}) => operation === 'stablehlo.while');
    check(loop.estimate < 0, 'a loop without end has an estimate');
    equal(loop.steps.get_item(0).operation, 'stablehlo.add');
});

await test('sessions: inputs bound, state carried, a cancelled run', async () => {
    const session = Ghlo.Session.new(compile(COUNTER));
    session.bind_input(0, 2);
    session.carry(0, 1, new Float32Array([10]));
    for (const expected of [10, 12, 14]) {
        const [before] = await session.run_async();
        equal(before.to_array(), new Float32Array([expected]));
    }
    equal((await session.copy_state_async(1)).to_array(), new Float32Array([16]));
    session.reset();
    equal(session.run().get_output(0).to_array(), new Float32Array([10]));
    await refused(() => session.run_async([1]), 'expected 0 inputs');
    await refused(() => session.run_async([new Float32Array(1)]), 'expected 0 inputs');
    await refused(() => session.bind_input(0, new Float32Array(3)), 'found tensor<3xf32>');
    // Only a language that knows where its arrays lie can have outputs written there.
    await refused(() => session.bind_output(1, new Float32Array(1)), 'take the output of the result');
    session.unbind_output(1);

    const [cancellable, long] = [new Gio.Cancellable(), Ghlo.Session.new(compile(ENDLESS))];
    long.carry(0, 0, 1);
    const outcome = caught(() => long.run_async([], cancellable));
    await sleep(20);
    cancellable.cancel();
    check((await outcome).matches(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED), 'not cancelled');
    await refused(() => long.run_async(), 'reset');
});

await test('custom calls that functions of JavaScript answer', async () => {
    const program = Ghlo.Program.parse(`func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>) {
  %0 = stablehlo.create_token : !stablehlo.token
  %1:2 = stablehlo.custom_call @f(%x, %0) {backend_config = "3"}
         : (tensor<2xf32>, !stablehlo.token) -> (tensor<2xf32>, tensor<i32>)
  return %1#0, %1#1 : tensor<2xf32>, tensor<i32>
}
`);
    const own = new Ghlo.Client();
    const answer = async f => {
        own.register_custom_call('f', f);
        const exe = own.compile(program);
        const [a, b] = exe.execute([[1, 2]]);
        const [c, d] = await exe.execute_async([[1, 2]]);
        equal([...c.to_array(), ...d.to_array()], [...a.to_array(), ...b.to_array()]);
        return [...a.to_array(), ...b.to_array()];
    };
    const kept = [];
    equal(await answer((x, token, call) => {
        equal(token.get_kind(), Ghlo.ValueKind.TOKEN);
        equal(call.get_target(), 'f');
        kept.push(x);
        return [x.map(number => number * Number(call.get_backend_config())), 7];
    }), [3, 6, 7]);
    equal(kept.map(x => [...x]), [[1, 2], [1, 2]]);
    for (const [f, says] of [
        [() => {
            throw new RangeError('too far');
        }, 'RangeError: too far'],
        [() => {
            throw new GLib.Error(Ghlo.Error, Ghlo.Error.DATA, 'of its own');
        }, "@f': of its own"],
        [() => null, 'expected an array of 2 results (tensor<2xf32>,tensor<i32>), found 0'],
        [() => [[1, 2], 1.5], 'found 1.5 at element 0'],
        [() => ['text', 1], 'expected a Ghlo.Buffer as result 0, found a string'],
        [() => [[1, 2, 3], 1], 'expected tensor<2xf32> as result 0 of the function'],
    ]) {
        // eslint-disable-next-line no-await-in-loop
        const message = await answer(f).then(() => 'no error', error => error.message);
        check(message.startsWith("<program>:3:10: 'stablehlo.custom_call @f': ") && message.includes(says), message);
    }
    for (const [name, f, says] of [['f', 7, 'a function'], [7, () => 0, 'the name'], ['Qr', () => 0, "found 'Qr'"]]) {
        let message = 'no error';
        try {
            own.register_custom_call(name, f);
        } catch (error) {
            ({message} = error);
        }
        check(message.includes(says), message);
    }
    own.unregister_custom_call('f');
    const message = await own.compile_async(program).then(() => 'no error', error => error.message);
    check(message.includes("expected a known call target, found 'f'"), message);
    check(message.includes('Registered targets: none'), message);
});

await test('files of NumPy', async () => {
    const [file, stream] = Gio.File.new_tmp('ghlo-XXXXXX.npy');
    stream.close(null);
    await ones.save_async(file);
    const again = await Ghlo.Buffer.load_async(file);
    file.delete(null);
    equal(`${again.tensor_type}`, 'tensor<2x3xf32>');
    equal(again.to_array(), ones.to_array());
});

await test('a callback instead of a promise', () => new Promise((resolve, reject) => {
    const executable = compile(ADD);
    executable.execute_async([ones, ones], null, (source, result) => {
        try {
            const [total] = source.execute_finish(result);
            equal(total.to_array(), new Float32Array(6).fill(2));
            resolve();
        } catch (error) {
            reject(error);
        }
    });
}));

await test('every asynchronous call of every class gives a promise', async () => {
    let n = 0;
    for (const name of Object.getOwnPropertyNames(Ghlo)) {
        for (const [target, source] of [[Ghlo[name], Ghlo[name]], [Ghlo[name]?.prototype, null]]) {
            for (const call of Object.getOwnPropertyNames(target ?? {}).filter(each => each.endsWith('_async'))) {
                const outcome = target[call].call(source ?? new Ghlo[name]());
                check(outcome instanceof Promise, `${name}.${call} gave ${outcome}`);
                await outcome.catch(() => {});
                n++;
            }
        }
    }
    check(n >= 7, `${n} calls`);
});

await test('many runs at once', async () => {
    const executable = compile(ADD);
    const sums = await Promise.all(Array.from({length: 100}, (_, i) =>
        executable.execute_async([ones, new Float32Array(6).fill(i)])));
    sums.forEach(([total], i) => equal(total.to_array()[0], i + 1));
});

const huge = `func.func @main(%x: tensor<f32>) -> tensor<f32> {\n${Array.from({length: 10000}, (_, i) =>
    `  %${i} = stablehlo.add %${i > 0 ? i - 1 : 'x'}, %x : tensor<f32>\n`).join('')}  return %9999 : tensor<f32>\n}\n`;
const [hugeFile, hugeStream] = Gio.File.new_tmp('ghlo-XXXXXX.mlir');
hugeStream.close(null);
hugeFile.replace_contents(huge, null, false, Gio.FileCreateFlags.NONE, null);
const hugeProgram = Ghlo.Program.parse(huge);
const endless = compile(ENDLESS);

for (const [stage, call] of Object.entries({
    load: cancellable => Ghlo.Program.load_async(hugeFile, cancellable),
    parse: cancellable => Ghlo.Program.parse_async(huge, null, cancellable),
    check: cancellable => Ghlo.Program.check_async(huge, null, cancellable),
    'to text': cancellable => hugeProgram.to_text_async(0, cancellable),
    compile: cancellable => new Ghlo.Client().compile_async(hugeProgram, null, null, cancellable),
    'list devices': cancellable => new Ghlo.Client().list_devices_async(cancellable),
    execute: cancellable => endless.execute_async([1], cancellable),
    read: cancellable => ones.read_async(cancellable),
})) {
    // eslint-disable-next-line no-await-in-loop
    await test(`cancel: ${stage}`, async () => {
        // A read of host memory is over at once.
        const moments = {execute: ['before', 'at once', 'during'], read: ['before']};
        for (const when of moments[stage] ?? ['before', 'at once']) {
            const cancellable = new Gio.Cancellable();
            if (when === 'before')
                cancellable.cancel();
            const outcome = caught(() => call(cancellable));
            if (when === 'during')
                await sleep(20);
            cancellable.cancel();
            const error = await outcome;
            check(error instanceof GLib.Error && error.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED),
                `${when}: expected CANCELLED, found ${error}`);
        }
    });
}
hugeFile.delete(null);

await test('a cancelled run is answered within 50 ms', async () => {
    let best = Infinity;
    for (let i = 0; i < 5; i++) {
        const cancellable = new Gio.Cancellable();
        const outcome = caught(() => endless.execute_async([1], cancellable));
        await sleep(10);
        const start = GLib.get_monotonic_time();
        cancellable.cancel();
        await outcome;
        best = Math.min(best, (GLib.get_monotonic_time() - start) / 1000);
    }
    check(best < 50, `${best} ms`);
});

await test('errors carry code, place and caret', async () => {
    const error = await caught(() => Ghlo.Program.parse(ADD.replace('%right :', '%rihgt :'), 'model.mlir'));
    check(error instanceof Ghlo.Error && error.matches(Ghlo.Error, Ghlo.Error.PARSE), `${error}`);
    const [headline, ...detail] = error.message.split('\n');
    check(headline.startsWith('model.mlir:2:'), headline);
    check(detail.join('\n').includes('^'), `${detail}`);
    const [finding] = Ghlo.Program.check(ADD.replace('%right :', '%rihgt :'), 'model.mlir');
    equal(finding.line, 2);
    check(`${finding}`.startsWith('model.mlir:2:'), `${finding}`);
});

await test('mistakes say what to write instead', async () => {
    const executable = compile(ADD);
    const type = new Ghlo.TensorType(ElementType.F32, [2, 3]);
    const floats = new Float32Array(6);
    await refused(() => Ghlo.Buffer.new_from_bytes(type, floats), 'from_array');
    await refused(() => Ghlo.Buffer.new_from_bytes(type, [1, 2, 3, 4, 5, 6]), 'from_array');
    await refused(() => Ghlo.Buffer.new_from_bytes(type, new GLib.Bytes(new Uint8Array(6))), 'expected 24 bytes');
    await refused(() => new Ghlo.TensorType(ElementType.F32, [2.7]), '2.7');
    await refused(() => Ghlo.TensorType.new(ElementType.F32, [-2]), 'dimensions of 0 and above');
    await refused(() => Ghlo.TensorType.new(ElementType.F32, Array(70).fill(1)),
        'expected at most 64 dimensions, found 70');
    await refused(() => Ghlo.Buffer.from_array(floats, [2, 4]), 'second argument');
    await refused(() => Ghlo.Buffer.from_array([1, 2]), 'typed array');
    await refused(() => Ghlo.Buffer.from_array([1, 'b'], null, ElementType.I32), 'found a string');
    await refused(() => Ghlo.Buffer.from_array(new Int32Array(1), null, ElementType.BF16), 'bits');
    await refused(() => Ghlo.Buffer.from_array(new Float64Array(6), [2, 3], ElementType.F32), 'Float32Array.from');
    await refused(() => Ghlo.Program.parse(42), 'a program is text');
    await refused(() => new Ghlo.Buffer().to_array(), 'tensor');
    for (const [inputs, says] of [
        [[ones], 'expected 2 inputs'],
        [ones, 'write [x]'],
        [floats, 'write [x]'],
        [[ones, null], 'input 1'],
        [[ones, executable], 'from_array'],
        [[ones, 'ones'], 'from_array'],
        [[ones, new Float64Array(6)], 'found tensor<2x3xf64>'],
        [[ones, new Float32Array(5)], 'found tensor<5xf32>'],
        [[ones, [[1, 2], [3, 4], [5, 6]]], 'found tensor<3x2xf32>'],
        [[ones, new Ghlo.Buffer()], 'input 1'],
    ]) {
        await refused(() => executable.execute(inputs), says);
        await refused(() => executable.execute_async(inputs), says);
    }
});

// Every asynchronous function: what it is called on, and its name.
function* listAsync() {
    for (const type of Object.getOwnPropertyNames(Ghlo).map(name => Ghlo[name])) {
        if (typeof type !== 'function' || type.$gtype === undefined)
            continue;
        for (const name of Object.getOwnPropertyNames(type).filter(each => each.endsWith('_async')))
            yield [type, name];
        for (const name of Object.getOwnPropertyNames(type.prototype ?? {}).filter(each => each.endsWith('_async')))
            yield [new type(), name];
    }
}

await test('a mistake in the arguments of an asynchronous call arrives where its answer would', async () => {
    const executable = compile(ADD);
    let seen = 0;
    for (const [target, name] of listAsync()) {
        // Its arguments are wrong, and there are too many of them.
        for (const [wrong, n] of [[Symbol('wrong'), 1], [{}, 1], [executable, 1], [null, 9], [1.7, 9]]) {
            const args = Array(n).fill(wrong);
            let call = null;
            try {
                call = target[name](...args);
            } catch (error) {
                throw new Error(`${name} threw at the call: ${error}`);
            }
            check(call instanceof Promise, `${name} gave no promise`);
            check(await caught(() => call) !== null, `${name} took anything`);
            const answers = [];
            const returned = target[name](...args, (_source, result) => answers.push(result));
            check(returned === undefined && answers.length === 0, `${name} answered before it returned`);
            while (answers.length === 0)
                await sleep(1);
            check(await caught(() => target[name.replace('_async', '_finish')](answers[0])) !== null,
                `${name} took anything`);
            seen++;
        }
    }
    check(seen > 40, `only ${seen} calls`);
});

await test('a released buffer is refused, a released result gone', async () => {
    const executable = compile(ADD);
    const result = executable.execute([ones, ones]);
    const [total] = result;
    result.release();
    result.release();
    equal(total.get_host_bytes(), null);
    await refused(() => executable.execute([ones, total]), 'released');
    await refused(() => executable.execute_async([ones, total]), 'released');
    await refused(() => total.to_array(), 'host memory');
    await refused(() => total.read_async(null), 'released');
});

const copier = compile(`func.func @main(%x: tensor<${2 * MIB}xf32>) -> tensor<${2 * MIB}xf32> {
  return %x : tensor<${2 * MIB}xf32>
}`);
const frame = Ghlo.Buffer.from_array(new Float32Array(2 * MIB));

await test('1,000 runs leave nothing behind', async () => {
    const executable = compile(ADD.replaceAll('2x3', '512x512').replace('stablehlo.add %left, %right',
        'stablehlo.bitcast_convert %left').replace(': tensor<512x512xf32>\n  return',
        ': (tensor<512x512xf32>) -> tensor<512x512xf32>\n  return'));
    const picture = Ghlo.Buffer.from_array(new Float32Array(512 * 512), [512, 512]);
    const objects = liveObjects();
    const before = memory('VmRSS');
    for (let i = 0; i < 1000; i++) {
        const result = i % 2 ? executable.execute([picture, picture])
            : await executable.execute_async([picture, picture]);
        equal(result.get_output(0).to_array().length, 512 * 512);
    }
    await sleep(10);
    const added = liveObjects() - objects;
    check(added < 20, `${added} objects more than before`);
    const grown = memory('VmRSS') - before;
    check(grown < 200, `${grown} MiB more than before`);
});

for (const [name, n, use] of [
    ['nothing released', 600, () => {}],
    ['outputs shown and released', 600, result => {
        result.get_output(0).get_host_bytes();
        result.release();
    }],
    ['inputs made for each', 100, () => Ghlo.Buffer.from_array(new Float32Array(2 * MIB))],
    ['all released', 100, result => result.release()],
]) {
    // eslint-disable-next-line no-await-in-loop
    await test(`${n} frames of 8 MiB stay under 500 MiB: ${name}`, async () => {
        for (let i = 0; i < n; i++)
            use(await copier.execute_async([frame]));
        check(memory('VmHWM') < 500, `${memory('VmHWM')} MiB at most`);
    });
}
print(`# ${memory('VmHWM').toFixed(0)} MiB at most`);
print(`1..${number}`);
System.exit(failures > 0 ? 1 : 0);
