// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What makes Ghlo read naturally in JavaScript. GJS applies this file by itself when
// Ghlo is imported.
//
// Calls: every X_async without a callback returns a promise, arguments at the end of
// a slow call may be left out, a result unpacks: const [y] = await exe.execute_async ([x]).
// A mistake in the arguments of X_async rejects its promise, or is thrown by X_finish.
// By name: exe.execute ({x, y}), session.run ({x}), session.bind_input ('x', buffer), session.carry_all ({w, b}).
// Data: Ghlo.Buffer.from_array (array, shape) copies a typed array into a buffer,
// buffer.to_array () shows a buffer's memory as one, and buffer.view () as numbers that
// are only read: view.at (row, column). Mistakes that the language makes
// easy are a Ghlo.Error of code INVALID_ARGUMENT that says what to write instead.

const {Gio, GLib, GObject} = imports.gi;
const System = imports.system;

const MIB = 1 << 20;

// Bytes in buffers that JavaScript was given and did not release, after which its
// collector is told: it sees a wrapper of a few bytes and not the memory behind.
const COLLECT_AFTER = 128 * MIB;

// What a byte of an array that is copied into a buffer weighs in that sum. The array is
// the engine's own memory, and GJS 1.74 drops callbacks, also those of GIO, that arrive
// while the engine collects in slices, which it begins at some 60 MiB of such arrays: a
// promise would never settle. A whole collection before that forestalls it.
const ARRAY_WEIGHT = 4;

// Element type, the typed array that holds its elements, how many numbers of that
// array make one element, and whether such an array has this type unless told
// otherwise. Floats of 16 bits and fewer are their bits; plain numbers and other floats
// become them by rounding.
const ELEMENTS = [
    ['I1', Uint8Array, 1, false],
    ['I2', Int8Array, 1, false],
    ['I4', Int8Array, 1, false],
    ['I8', Int8Array, 1, true],
    ['I16', Int16Array, 1, true],
    ['I32', Int32Array, 1, true],
    ['I64', BigInt64Array, 1, true],
    ['UI2', Uint8Array, 1, false],
    ['UI4', Uint8Array, 1, false],
    ['UI8', Uint8Array, 1, true],
    ['UI16', Uint16Array, 1, true],
    ['UI32', Uint32Array, 1, true],
    ['UI64', BigUint64Array, 1, true],
    ['F4E2M1FN', Uint8Array, 1, false],
    ['F6E2M3FN', Uint8Array, 1, false],
    ['F6E3M2FN', Uint8Array, 1, false],
    ['F8E3M4', Uint8Array, 1, false],
    ['F8E4M3', Uint8Array, 1, false],
    ['F8E4M3FN', Uint8Array, 1, false],
    ['F8E4M3FNUZ', Uint8Array, 1, false],
    ['F8E4M3B11FNUZ', Uint8Array, 1, false],
    ['F8E5M2', Uint8Array, 1, false],
    ['F8E5M2FNUZ', Uint8Array, 1, false],
    ['F8E8M0FNU', Uint8Array, 1, false],
    ['BF16', Uint16Array, 1, false],
    ['F16', Uint16Array, 1, false],
    ['F32', Float32Array, 1, true],
    ['F64', Float64Array, 1, true],
    ['COMPLEX_F32', Float32Array, 2, false],
    ['COMPLEX_F64', Float64Array, 2, false],
    ['INDEX', BigInt64Array, 1, false],
];

// Dimensions that a tensor may have.
const MAX_RANK = 64;

const FROM_ARRAY = 'use Ghlo.Buffer.from_array (array, shape)';

let Ghlo;
const elements = new Map();      // by element type: {name, elementType, Store, width}
const natural = new Map();       // by constructor: the same

function mistake(message) {
    return new Ghlo.Error({code: Ghlo.Error.INVALID_ARGUMENT, message});
}

function describe(value) {
    if (value === null || value === undefined)
        return 'nothing';
    const name = value instanceof GObject.Object
        ? value.constructor.$gtype?.name
        : typeof value === 'object' ? value.constructor?.name : typeof value;
    return `${/^[AEIO]/i.test(name) ? 'an' : 'a'} ${name ?? 'object'}`;
}

// What GJS itself refuses becomes an error like those of the library.
function guarded(call) {
    try {
        return call();
    } catch (error) {
        if (error instanceof GLib.Error)
            throw error;
        throw mistake(error.message);
    }
}

// The memory behind wrappers. A buffer counts from when it was handed out until it
// is released or the collector was told; afterwards nobody knows which ones are left.

let handedOut = 0;
let collections = 0;
const countedIn = new WeakMap();     // buffer or result: the number of collections before
const shown = new WeakSet();         // buffers whose bytes JavaScript holds: a release frees nothing

function weigh(size) {
    handedOut += size;
    if (handedOut <= COLLECT_AFTER)
        return;
    handedOut = 0;
    collections++;
    System.gc();
}

function count(object, size) {
    countedIn.set(object, collections);
    weigh(size);
}

function discount(buffer) {
    if (countedIn.get(buffer) === collections && !shown.has(buffer))
        handedOut -= Number(buffer.get_size());
    countedIn.delete(buffer);
}

// The output of a result counts with it.
function inherit(result, buffer) {
    if (buffer !== null && countedIn.has(result) && !countedIn.has(buffer))
        countedIn.set(buffer, countedIn.get(result));
    return buffer;
}

function* outputsOf(result) {
    for (let i = 0; i < result.get_n_outputs(); i++)
        yield result.get_output(i);
}

function sizeOf(object) {
    if (object instanceof Ghlo.Buffer)
        return Number(object.get_size());
    let size = 0;
    for (const output of outputsOf(object))
        size += Number(output.get_size());
    return size;
}

function handOut(object) {
    if (object instanceof Ghlo.Buffer || object instanceof Ghlo.Result)
        count(object, sizeOf(object));
    return object;
}

// Arrays

const isTyped = value => ArrayBuffer.isView(value) && !(value instanceof DataView);
const isNumeric = value => ['number', 'bigint', 'boolean'].includes(typeof value);
const isPlain = value => Array.isArray(value) || isNumeric(value);
const product = shape => shape.reduce((a, b) => a * b, 1);

function shapeOf(value) {
    const shape = [];
    for (; Array.isArray(value); [value] = value)
        shape.push(value.length);
    return shape;
}

function checkShape(shape, what = 'dimensions') {
    const wrong = Array.isArray(shape) || isTyped(shape)
        ? Array.from(shape).find(size => typeof size !== 'bigint' && !Number.isSafeInteger(size))
        : shape;
    if (wrong !== undefined)
        throw mistake(`expected ${what} as an array of whole numbers, found ${String(wrong)}`);
    return Array.from(shape, Number);
}

function makeType(elementType, shape = []) {
    const dimensions = checkShape(shape ?? []);
    if (dimensions.length > MAX_RANK)
        throw mistake(`expected at most ${MAX_RANK} dimensions, found ${dimensions.length}`);
    const type = guarded(() => makeType.original(elementType, dimensions));
    if (type === null) {
        throw mistake('expected an element type and dimensions of 0 and above, or -1 where one is open, ' +
            `found ${elements.get(elementType)?.name ?? elementType} and [${dimensions.join(', ')}]`);
    }
    return type;
}

// The least and the greatest number of an integer type, as BigInts; null for the others.
function rangeOf(name) {
    const [, sign, digits] = name.match(/^(U?)I(\d+)$/) ?? [null, '', name === 'INDEX' ? '64' : ''];
    if (digits === '')
        return null;
    const bits = BigInt(digits);
    return sign !== '' || bits === 1n ? [0n, (1n << bits) - 1n] : [-(1n << bits - 1n), (1n << bits - 1n) - 1n];
}

const isWhole = number => typeof number !== 'number' || Number.isInteger(number);

// Numbers for elements of a type, each of which it holds: typed arrays would cut 1.7 to 1 and 300 to 44.
function checkNumbers(flat, name) {
    const range = rangeOf(name);
    flat.forEach((number, i) => {
        if (!isNumeric(number))
            throw mistake(`expected numbers for elements of type ${name}, found ${describe(number)}`);
        if (range !== null && !(isWhole(number) && BigInt(number) >= range[0] && BigInt(number) <= range[1])) {
            throw mistake(`expected whole numbers from ${range[0]} to ${range[1]} for elements of type ${name}, ` +
                `found ${number} at element ${i}`);
        }
    });
    return flat;
}

// Rows of one length, down to numbers; others would move numbers to other rows.
function checkRows(value, shape, depth = 0) {
    if (!Array.isArray(value) ? depth !== shape.length : depth === shape.length || value.length !== shape[depth])
        throw mistake('expected numbers in rows of one length, found rows of several');
    if (Array.isArray(value))
        value.forEach(row => checkRows(row, shape, depth + 1));
}

const isSmallFloat = ({name, width, Store}) => /^B?F/.test(name) && width * Store.BYTES_PER_ELEMENT < 4;
const isFloatArray = value => value instanceof Float32Array || value instanceof Float64Array;

// Numbers as the typed array that holds elements of this type.
function store(value, element) {
    const {Store, name} = element;
    if (value instanceof Store || Store === Uint8Array && value instanceof Uint8ClampedArray)
        return value;
    if (isTyped(value)) {
        const instead = rangeOf(name) !== null ? 'give Array.from (array), whose numbers are checked'
            : isSmallFloat(element) ? `give Array.from (array) for numbers, or their bits as a ${Store.name}`
                : `use ${Store.name}.from (array)`;
        throw mistake(`expected a ${Store.name} for elements of type ${name}, found a ${value.constructor.name}: ` +
            instead);
    }
    const flat = checkNumbers([value].flat(Infinity), name);
    return Store.from(flat, Store.BYTES_PER_ELEMENT === 8 && Store !== Float64Array ? BigInt : Number);
}

// Floats that no typed array holds are rounded by the library.
function fromNumbers(numbers, dimensions, element) {
    const flat = Array.from(isTyped(numbers) ? numbers : checkNumbers([numbers].flat(Infinity), element.name), Number);
    weigh(flat.length * ARRAY_WEIGHT);
    return Ghlo.Buffer.new_from_doubles(makeType(element.elementType, dimensions), flat);
}

function fromArray(array, shape = null, elementType = null) {
    if (array instanceof Ghlo.Buffer)
        return array;
    const element = elementType !== null ? elements.get(elementType) : natural.get(array?.constructor);
    if (element === undefined || !isTyped(array) && !isPlain(array)) {
        throw mistake('expected a typed array such as new Float32Array ([1, 2]), or numbers and an element type, ' +
            `found ${describe(array)}`);
    }
    if (Array.isArray(array))
        checkRows(array, shapeOf(array));
    if (isSmallFloat(element) && (isPlain(array) || isFloatArray(array))) {
        const dimensions = shape !== null ? checkShape(shape) : isTyped(array) ? [array.length] : shapeOf(array);
        return fromNumbers(array, dimensions, element);
    }
    const numbers = store(array, element);
    const n = numbers.length / element.width;
    const dimensions = shape !== null ? checkShape(shape) : isTyped(array) ? [n] : shapeOf(array);
    const type = makeType(element.elementType, dimensions);
    if (product(dimensions) !== n) {
        throw mistake(`expected ${product(dimensions) * element.width} numbers for ${type}, found ${numbers.length}: ` +
            'the shape is the second argument of from_array');
    }
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    weigh(numbers.byteLength * ARRAY_WEIGHT);
    return Ghlo.Buffer.new_from_bytes(type, bytes);
}

// A view of the buffer's own memory, never to be written to. What a device has is read.
function toArray(buffer) {
    const type = buffer.get_tensor_type();
    const bytes = type !== null && buffer.get_device() !== null ? buffer.read(null) : buffer.get_host_bytes();
    if (type === null || bytes === null)
        throw mistake(`expected a buffer with a tensor in host memory, found ${buffer} without`);
    const {Store} = elements.get(type.get_element_type());
    const data = bytes.toArray();
    return new Store(data.buffer, data.byteOffset, data.byteLength / Store.BYTES_PER_ELEMENT);
}

// A float that JavaScript lacks, by its bits: all that there are, as the library tells them, once for each type.
const smallFloats = new Map();

function listSmallFloats({elementType, Store, name}) {
    if (!smallFloats.has(elementType)) {
        const bits = name.startsWith('F4') ? 4 : name.startsWith('F6') ? 6 : Store.BYTES_PER_ELEMENT * 8;
        const all = Store.from({length: 2 ** bits}, (_, i) => i);
        const type = makeType(elementType, [all.length]);
        const buffer = Ghlo.Buffer.new_from_bytes(type, new Uint8Array(all.buffer));
        smallFloats.set(elementType, buffer.get_doubles());
    }
    return smallFloats.get(elementType);
}

// A buffer's elements as numbers, out of its own memory and without a way to write there. It keeps the memory, also
// when the buffer is released.
class View {
    #data;
    #read;

    constructor(buffer) {
        const type = buffer.get_tensor_type();
        const data = this.#data = toArray(buffer);
        const element = elements.get(type.get_element_type());
        if (isSmallFloat(element)) {
            const numbers = listSmallFloats(element);
            this.#read = i => numbers[data[i]];
        } else if (element.width === 2) {
            this.#read = i => [data[2 * i], data[2 * i + 1]];
        } else {
            this.#read = i => data[i];
        }
        Object.defineProperties(this, {
            shape: {value: Object.freeze([...type.shape]), enumerable: true},
            length: {value: data.length / element.width, enumerable: true},
        });
        Object.freeze(this);
    }

    // The element at an index for each dimension; complex ones as [real, imaginary].
    at(...indices) {
        if (indices.length !== this.shape.length)
            throw mistake(`expected ${this.shape.length} indices, found ${indices.length}`);
        let offset = 0;
        indices.forEach((index, i) => {
            if (!Number.isInteger(index) || index < 0 || index >= this.shape[i]) {
                throw mistake(`expected an index from 0 to ${this.shape[i] - 1} for dimension ${i}, ` +
                    `found ${String(index)}`);
            }
            offset = offset * this.shape[i] + index;
        });
        return this.#read(offset);
    }

    // Row by row.
    *[Symbol.iterator]() {
        for (let i = 0; i < this.length; i++)
            yield this.#read(i);
    }
}

// Arguments

function toBytes(data, instead) {
    if (data instanceof Uint8Array || data instanceof GLib.Bytes)
        return data;
    throw mistake(`expected GLib.Bytes or a Uint8Array, found ${describe(data)}: ${instead}`);
}

const toFile = file => typeof file === 'string' ? Gio.File.new_for_path(file) : file;

function toText(text) {
    if (typeof text === 'string')
        return new TextEncoder().encode(text);
    return toBytes(text, 'a program is text, or bytes of a file');
}

// An input keeps its own element type, so that the error of a wrong one names it, and
// takes the program's shape where it has as many elements.
function toInput(value, index, info, what = 'input') {
    if (value instanceof Ghlo.Buffer)
        return value;
    const type = info?.get_tensor_type() ?? null;
    if (!isTyped(value) && !(isPlain(value) && type !== null)) {
        throw mistake(`expected a Ghlo.Buffer as ${what} ${index}, found ${describe(value)}: ` +
            FROM_ARRAY);
    }
    const wanted = type !== null ? elements.get(type.get_element_type()) : undefined;
    const asked = isPlain(value) || wanted !== undefined && value instanceof wanted.Store;
    const element = asked ? wanted : natural.get(value.constructor);
    const n = (isTyped(value) ? value.length : product(shapeOf(value))) / element.width;
    const fits = type !== null && type.is_static() && type.get_n_elements() === n;
    const shape = fits && (isTyped(value) || shapeOf(value).length === 1) ? type.shape : null;
    return fromArray(value, shape, element.elementType);
}

const describeNames = infos => infos.map((info, i) => info.get_name() ?? `${i}`).join(', ') || 'none';

// The number of the input or output of this name, among these.
function findName(infos, name, what = 'an input') {
    const index = infos.findIndex(info => info.get_name() === name);
    if (index < 0)
        throw mistake(`expected the name of ${what} of this program (${describeNames(infos)}), found '${name}'`);
    return index;
}

// All inputs in the program's order, out of an object with their names.
function arrange(named, infos) {
    const list = Array(infos.length);
    for (const [name, value] of Object.entries(named))
        list[findName(infos, name)] = value;
    const missing = infos.findIndex((_info, i) => !(i in list));
    if (missing >= 0)
        throw mistake(`expected inputs ${describeNames(infos)}, found none for ${infos[missing]}`);
    return list;
}

const isNamed = inputs => typeof inputs === 'object' && inputs !== null &&
    Object.getPrototypeOf(inputs) === Object.prototype;

function toInputs(inputs, infos) {
    if (inputs === null || inputs === undefined)
        return [];
    if (isNamed(inputs) && (infos()?.length > 0 || Object.keys(inputs).length === 0))
        return toInputs(arrange(inputs, infos()), infos);
    if (isTyped(inputs) || typeof inputs === 'string' || typeof inputs[Symbol.iterator] !== 'function')
        throw mistake(`expected an array of inputs, found ${describe(inputs)}: write [x]`);
    const list = [...inputs];
    const described = list.every(input => input instanceof Ghlo.Buffer) ? null : infos();
    if (described !== null && described.length !== list.length)
        throw mistake(`expected ${described.length} inputs (${describeNames(described)}), found ${list.length}`);
    return list.map((input, i) => toInput(input, described?.[i].get_index() ?? i, described?.[i]));
}

const toList = numbers => Array.isArray(numbers) || isTyped(numbers) ? Array.from(numbers) : null;

// Whole numbers that GJS hands on as they are: it makes one of anything, and doubles of BigInts.
function toInt64s(numbers) {
    return toList(numbers)?.map((number, i) => {
        if (!isNumeric(number) || !Number.isSafeInteger(Number(number))) {
            throw mistake(`expected whole numbers within ±${Number.MAX_SAFE_INTEGER}, found ${String(number)} at ` +
                `element ${i}: give others to from_array`);
        }
        return Number(number);
    }) ?? numbers;
}

function toDoubles(numbers) {
    const list = toList(numbers);
    return list === null ? numbers : checkNumbers(list, 'F64').map(Number);
}

function toIndex(index, session = null, isOutput = false) {
    if (typeof index === 'string' && session !== null) {
        const {executable} = session;
        return isOutput ? findName(executable?.list_outputs() ?? [], index, 'an output')
            : findName(executable?.list_inputs() ?? [], index);
    }
    if (!Number.isInteger(index))
        throw mistake(`expected the number of an input or output, found ${String(index)}`);
    return index;
}

// An input of a session's executable by its number.
function toBound(session, index, value) {
    return toInput(value, index, session.executable?.list_inputs()[index]);
}

// The inputs that carry_all takes these initial values for: the marked ones that have no value, or all of them.
function listMarked(session, initial) {
    const marked = new Set((session.executable?.list_outputs() ?? []).map(output => output.get_aliased_input()));
    const [free, every] = [session.list_inputs(), session.executable?.list_inputs() ?? []]
        .map(infos => infos.filter(info => marked.has(info.get_index())));
    const names = isNamed(initial) ? Object.keys(initial) : [];
    const given = isNamed(initial) ? names.length : initial?.length;
    return given > free.length && names.every(name => every.some(info => info.get_name() === name)) ? every : free;
}

// By class and call: what becomes of the arguments, in both forms of the call.
const ARGUMENTS = {
    'Buffer.new_from_bytes': (_self, type, bytes) => [type, toBytes(bytes, FROM_ARRAY)],
    'Buffer.new_from_bytes_strided': (_self, type, bytes, strides) =>
        [type, toBytes(bytes, FROM_ARRAY), checkShape(strides, 'strides')],
    'Buffer.new_from_int64s': (_self, type, numbers) => [type, toInt64s(numbers)],
    'Buffer.new_from_doubles': (_self, type, numbers) => [type, toDoubles(numbers)],
    'Buffer.new_tuple': (_self, members) => [toInputs(members, () => null)],
    'Program.load': (_self, file, ...rest) => [toFile(file), ...rest],
    'Buffer.load': (_self, file, ...rest) => [toFile(file), ...rest],
    'Buffer.save': (_self, file, ...rest) => [toFile(file), ...rest],
    'Program.parse': (_self, text, ...rest) => [toText(text), ...rest],
    'Program.check': (_self, text, ...rest) => [toText(text), ...rest],
    'Executable.execute': (self, inputs, ...rest) => [toInputs(inputs, () => self.list_inputs()), ...rest],
    'Session.run': (self, inputs, ...rest) => [toInputs(inputs, () => self.list_inputs()), ...rest],
    'Session.bind_input': (self, input, value, ...rest) => {
        const index = toIndex(input, self);
        return [index, toBound(self, index, value), ...rest];
    },
    // Without an executable it is for the library to say so.
    'Session.bind_input_by_name': (self, name, value) =>
        [name, self.executable !== null ? toBound(self, toIndex(`${name}`, self), value) : value],
    'Session.carry_all': (self, initial) => [toInputs(initial, () => listMarked(self, initial))],
    'Session.copy_state': (self, input, ...rest) => [toIndex(input, self), ...rest],
    // Scale and zero point of a whole tensor may stand alone.
    'TensorType.new_quantized': (_self, stored, expressedType, scales, zeroPoints = null, axis = -1, ...range) =>
        [stored, expressedType, toDoubles([scales].flat()),
            zeroPoints === null ? null : toInt64s([zeroPoints].flat()), axis, range[0] ?? 0, range[1] ?? 0],
    'Session.unbind_output': (self, index) => [toIndex(index, self, true)],
    // GJS tells nobody where a typed array lies, and cannot call the function.
    'Session.bind_output': () => {
        throw mistake('JavaScript cannot have an output written to an array, since it does not say where one lies: ' +
            'take the output of the result');
    },
    'Session.carry': (self, output, input, value, ...rest) => {
        const index = toIndex(input, self);
        return [toIndex(output, self, true), index, toBound(self, index, value), ...rest];
    },
};

function prepare(self, key, args, n) {
    const all = Array.from({length: Math.max(n, args.length)}, (_, i) => args[i] ?? null);
    return key in ARGUMENTS ? ARGUMENTS[key](self, ...all) : all;
}

// The answer of a call that could not begin: its finish throws the error.
class Failure {
    constructor(error) {
        this.error = error;
    }
}

// One slow call: its blocking form, and its asynchronous one with and without callback.
function wrapCall(target, className, name) {
    const {[name]: sync, [`${name}_async`]: begin, [`${name}_finish`]: finish} = target;
    const key = `${className}.${name}`;

    target[`${name}_finish`] = function (result) {
        if (result instanceof Failure)
            throw result.error;
        return handOut(finish.call(this, result));
    };
    target[`${name}_async`] = function (...args) {
        const callback = typeof args[args.length - 1] === 'function' ? args.pop() : null;
        const start = done => {
            // GJS would take no notice of a callback behind too many.
            if (args.length >= begin.length)
                throw mistake(`expected ${begin.length - 1} arguments at most for ${name}_async, found ${args.length}`);
            return guarded(() => begin.call(this, ...prepare(this, key, args, begin.length - 1), done));
        };
        if (callback !== null) {
            try {
                return start(callback);
            } catch (error) {
                const source = typeof this === 'function' ? null : this;
                GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
                    callback(source, new Failure(error));
                    return GLib.SOURCE_REMOVE;
                });
                return undefined;
            }
        }
        return new Promise((resolve, reject) => {
            start((_source, result) => {
                try {
                    resolve(target[`${name}_finish`].call(this, result));
                } catch (error) {
                    reject(error);
                }
            });
        });
    };
    if (sync !== undefined) {
        target[name] = function (...args) {
            return handOut(guarded(() => sync.call(this, ...prepare(this, key, args, sync.length))));
        };
    }
}

// A quick call: what it makes counts, what it is given is converted.
function wrapQuickCall(target, className, name) {
    const original = target[name];
    target[name] = function (...args) {
        return handOut(guarded(() => original.apply(this, prepare(this, `${className}.${name}`, args, 0))));
    };
}

function wrapCalls(target, className) {
    const names = Object.getOwnPropertyNames(target);
    for (const name of names.filter(each => each.startsWith('new_') || `${className}.${each}` in ARGUMENTS)) {
        if (!names.includes(`${name}_async`))
            wrapQuickCall(target, className, name);
    }
    for (const name of names.filter(each => each.endsWith('_async')).map(each => each.slice(0, -'_async'.length))) {
        if (names.includes(`${name}_finish`))
            wrapCall(target, className, name);
    }
}

// The types

function extendTensorType() {
    const {TensorType} = Ghlo;
    const {prototype} = TensorType;
    makeType.original = TensorType.new.bind(TensorType);
    // Both ways to write it check what they are given: GJS cuts 2.7 to 2.
    Ghlo.TensorType = new Proxy(TensorType, {
        construct: (_target, args) => makeType(...args),
        get: (target, name) => name === 'new' ? makeType : target[name],
    });
    prototype.toString = prototype.to_string;
    prototype.equals = function (other) {
        return other instanceof TensorType && this.equal(other);
    };
    Object.defineProperty(prototype, 'shape', {
        get() {
            return this.get_dimensions() ?? [];
        },
    });
}

function extendBuffer() {
    const {Buffer} = Ghlo;
    const {prototype} = Buffer;
    const {release} = prototype;

    Buffer.from_array = fromArray;
    prototype.to_array = function () {
        return toArray(this);
    };
    prototype.view = function () {
        return new View(this);
    };
    const {get_host_bytes: getHostBytes} = prototype;
    for (const name of ['get_host_bytes', 'read', 'read_async']) {
        const original = prototype[name];
        prototype[name] = function (...args) {
            shown.add(this);
            // The copy that it has in host memory from then on.
            if (original !== getHostBytes && this.get_device() !== null && getHostBytes.call(this) === null)
                weigh(sizeOf(this));
            return original.apply(this, args);
        };
    }
    prototype.release = function () {
        discount(this);
        release.call(this);
    };
    prototype.toString = function () {
        return `[Ghlo.Buffer ${this.get_tensor_type() ?? 'without elements'}]`;
    };
}

// Custom calls. A function gets the operands, typed arrays that must not be written to, and then the call; it
// returns the result, or an array of several.

function giveResults(call, results) {
    const infos = call.list_results();
    const list = infos.length === 1 ? [results] : results ?? [];
    if (!Array.isArray(list) || list.length !== infos.length) {
        throw mistake(`expected an array of ${infos.length} results (${infos}), found ` +
            `${Array.isArray(list) ? list.length : describe(list)}`);
    }
    list.forEach((value, i) => {
        if (value !== null && value !== undefined)
            call.set_result(i, toInput(value, i, infos[i], 'result'));
    });
}

function answerCall(call, answer) {
    try {
        const operands = call.list_operands().map((info, i) => {
            const buffer = call.get_operand(i);
            return info.get_tensor_type() !== null ? toArray(buffer) : buffer;
        });
        giveResults(call, answer(...operands, call));
        return true;
    } catch (error) {
        throw error instanceof GLib.Error ? error : mistake(`${error}\n${error?.stack ?? ''}`.trim());
    }
}

// JavaScript runs in one thread: functions are called in its loop, or directly in a synchronous call.
function extendClient() {
    const {prototype} = Ghlo.Client;
    const {register_custom_call: register} = prototype;

    prototype.register_custom_call = function (target, answer) {
        if (typeof target !== 'string' || typeof answer !== 'function') {
            throw mistake('expected the name that the program calls and a function, found ' +
                `${describe(target)} and ${describe(answer)}`);
        }
        const context = GLib.MainContext.ref_thread_default();
        return guarded(() => register.call(this, target, call => answerCall(call, answer), context));
    };
}

function extendDevice() {
    Ghlo.Device.prototype.equals = function (other) {
        return other instanceof Ghlo.Device && this.equal(other);
    };
}

function extendResult() {
    const {prototype} = Ghlo.Result;
    const {get_output: getOutput, get_outputs: getOutputs, release} = prototype;

    prototype.get_output = function (index) {
        return inherit(this, guarded(() => getOutput.call(this, toIndex(index))));
    };
    prototype.get_outputs = function () {
        return (getOutputs.call(this) ?? []).map(output => inherit(this, output));
    };
    prototype.release = function () {
        for (const output of outputsOf(this))
            discount(output);
        countedIn.delete(this);
        release.call(this);
    };
    prototype[Symbol.iterator] = function () {
        return outputsOf(this);
    };
    Object.defineProperty(prototype, 'length', {
        get() {
            return this.get_n_outputs();
        },
    });
}

function extendPlan() {
    const {prototype} = Ghlo.Plan;

    prototype[Symbol.iterator] = function* () {
        for (let index = 0; index < this.get_n_items(); index++)
            yield this.get_item(index);
    };
    Object.defineProperty(prototype, 'length', {
        get() {
            return this.get_n_items();
        },
    });
}

const describeProgram = program => `(${program.list_inputs()}) -> (${program.list_outputs()})`;

function extendStrings() {
    for (const [type, describeObject] of [
        [Ghlo.Result, result => `(${result.get_outputs().map(output => output.get_tensor_type() ?? 'no tensor')})`],
        [Ghlo.Program, program => `${program.name ?? ''} ${describeProgram(program)}`.trim()],
        [Ghlo.Executable, describeProgram],
        [Ghlo.Device, device => `${device.name}`],
        [Ghlo.Session, session => session.executable !== null ? describeProgram(session.executable) : 'of nothing'],
    ]) {
        type.prototype.toString = function () {
            return `[Ghlo.${type.name.replace('Ghlo_', '')} ${describeObject(this)}]`;
        };
    }
}

function _init() {
    Ghlo = this;
    for (const [name, Store, width, isNatural] of ELEMENTS) {
        const element = {name, elementType: Ghlo.ElementType[name], Store, width};
        elements.set(element.elementType, element);
        if (isNatural)
            natural.set(Store, element);
    }
    natural.set(Uint8ClampedArray, elements.get(Ghlo.ElementType.UI8));

    for (const name of Object.getOwnPropertyNames(Ghlo)) {
        const type = Ghlo[name];
        if (typeof type !== 'function' || type.$gtype === undefined)
            continue;
        wrapCalls(type, name);
        wrapCalls(type.prototype, name);
    }
    extendTensorType();
    extendBuffer();
    extendClient();
    extendDevice();
    extendResult();
    extendPlan();
    for (const {prototype} of [Ghlo.ValueInfo, Ghlo.Diagnostic, Ghlo.CompileReport, Ghlo.Plan, Ghlo.PlanStep])
        prototype.toString = prototype.to_string;
    extendStrings();
}
