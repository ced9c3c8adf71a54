// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What programs take and give: pictures, numbers that fill an input, summaries of values.
//
// Inputs are filled and values summed up by small programs in StableHLO, on the device where the
// values are: however large they are, the main loop has nothing to do.

import Gdk from 'gi://Gdk?version=4.0';
import GdkPixbuf from 'gi://GdkPixbuf';
import Ghlo from 'gi://Ghlo?version=1.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

const PICTURE = Gio.File.new_for_uri(import.meta.url).get_parent().get_child('picture.png').get_path();
const SMALLEST = 16;            // rows and columns; less is no picture
const FIRST = 4;                // numbers that a summary shows
const OPEN_SIZE = 4;            // what the viewer takes for a dimension that the program leaves open

// Whether an input or output is a picture: rows, columns, and red, green, blue.
export function isPicture(info) {
    const type = info.get_tensor_type();
    if (type === null || ![Ghlo.ElementType.UI8, Ghlo.ElementType.F32].includes(type.get_element_type()))
        return false;
    const [height, width, channels] = type.shape;
    return type.shape.length === 3 && Math.min(height, width) >= SMALLEST && channels === 3;
}

// A picture to show, of rows that begin every so many bytes, or follow one another.
export function makeTexture(type, data, stride = 0) {
    const [height, width] = type.shape;
    if (type.get_element_type() === Ghlo.ElementType.UI8)
        return Gdk.MemoryTexture.new(width, height, Gdk.MemoryFormat.R8G8B8, data, stride || 3 * width);
    return Gdk.MemoryTexture.new(width, height, Gdk.MemoryFormat.R32G32B32_FLOAT, data, stride || 12 * width);
}

// Pictures of one type: a still one, or those of a camera that turns before a test pattern.
export class Camera {
    constructor(type, isPattern) {
        this._type = type;
        [this._height, this._width] = type.shape;
        this._isPattern = isPattern;
        this._size = 1;                           // of an element, in bytes
        let data;
        [data, this._stride] = isPattern ? this._makePattern() : this._loadPicture();
        if (type.get_element_type() === Ghlo.ElementType.F32) {
            this._size = 4;
            this._stride *= 4;
            data = new Uint8Array(Float32Array.from(data, each => each / 255).buffer);
        }
        this._bytes = new GLib.Bytes(data);
    }

    _loadPicture() {
        let pixbuf = GdkPixbuf.Pixbuf.new_from_file(PICTURE);
        if (pixbuf.get_width() !== this._width || pixbuf.get_height() !== this._height)
            pixbuf = pixbuf.scale_simple(this._width, this._height, GdkPixbuf.InterpType.BILINEAR);
        return [pixbuf.read_pixel_bytes().toArray(), pixbuf.get_rowstride()];     // rows are padded to four bytes
    }

    // Bars of eight colours over a ramp of greys, twice side by side.
    _makePattern() {
        const [bars, greys] = [new Uint8Array(6 * this._width), new Uint8Array(6 * this._width)];
        for (let i = 0; i < 2 * this._width; i++) {
            const column = i % this._width;
            const bar = 7 - Math.floor(column * 8 / this._width);
            bars.set([1, 2, 0].map(bit => (bar >> bit & 1) * 255), 3 * i);
            greys.fill(Math.floor(column * 255 / this._width), 3 * i, 3 * i + 3);
        }
        const data = new Uint8Array(this._height * bars.length);
        const nBars = Math.floor(this._height * 3 / 4);
        for (let i = 0; i < this._height; i++)
            data.set(i < nBars ? bars : greys, i * bars.length);
        return [data, bars.length];
    }

    // The picture of this number: the buffer for the program, and the texture to show.
    take(number) {
        const column = this._isPattern ? 2 * number % this._width : 0;
        const begin = column * 3 * this._size;
        const data = this._bytes.new_from_bytes(begin, this._bytes.get_size() - begin);
        const strides = [this._stride, 3 * this._size, this._size];
        return [Ghlo.Buffer.new_from_bytes_strided(this._type, data, strides),
            makeTexture(this._type, data, this._stride)];
    }
}

const product = shape => shape.reduce((a, b) => a * b, 1);

// The text of a program, of types of arguments and of results with their values.
function writeProgram(arguments_, results, lines) {
    const taken = arguments_.map((argument, i) => `%x${i}: ${argument}`).join(', ');
    const types = results.map(([type]) => type).join(', ');
    const values = results.map(([_type, value]) => value).join(', ');
    return [`func.func @main(${taken}) -> (${types}) {`, ...lines,
        results.length > 0 ? `  return ${values} : ${types}` : '  return', '}'].join('\n');
}

// A program that makes a tensor of each type: of zeros, a ramp from 0 to 1 (integers count
// from 0), or scattered numbers from 0 to 1 (integers to 255).
export function writeFill(types, how) {
    const lines = [], results = [];
    types.forEach((type, i) => {
        const shape = type.shape.map(size => size < 0 ? OPEN_SIZE : size);
        const elementType = type.get_element_type();
        const [whole, real, result] = [Ghlo.ElementType.UI32, Ghlo.ElementType.F32, elementType].map(
            each => Ghlo.TensorType.new(each, shape).to_string());
        const n = product(shape);
        const flat = `tensor<${n}xui32>`;
        lines.push(
            `  %a${i} = stablehlo.iota dim = 0 : ${flat}`,
            `  %b${i} = stablehlo.constant dense<${how === 'zeros' ? 0 : 2654435769}> : ${flat}`,
            `  %c${i} = stablehlo.multiply %a${i}, %b${i} : ${flat}`,
            `  %d${i} = stablehlo.add %c${i}, %b${i} : ${flat}`,
            `  %e${i} = stablehlo.constant dense<15> : ${flat}`,
            `  %o${i} = stablehlo.shift_right_logical %d${i}, %e${i} : ${flat}`,
            `  %f${i} = stablehlo.xor %d${i}, %o${i} : ${flat}`,
            `  %g${i} = stablehlo.multiply %f${i}, %b${i} : ${flat}`,
            `  %h${i} = stablehlo.constant dense<24> : ${flat}`,
            `  %j${i} = stablehlo.shift_right_logical %g${i}, %h${i} : ${flat}`,
            `  %k${i} = stablehlo.reshape %${how === 'ramp' ? 'a' : 'j'}${i} : (${flat}) -> ${whole}`);
        if (/^[iu]/.test(Ghlo.ElementType.to_string(elementType))) {
            lines.push(`  %r${i} = stablehlo.convert %k${i} : (${whole}) -> ${result}`);
        } else {
            const most = how === 'ramp' ? Math.max(n - 1, 1) : 255;
            lines.push(
                `  %l${i} = stablehlo.convert %k${i} : (${whole}) -> ${real}`,
                `  %m${i} = stablehlo.constant dense<${most}.0> : ${real}`,
                `  %n${i} = stablehlo.divide %l${i}, %m${i} : ${real}`,
                `  %r${i} = stablehlo.convert %n${i} : (${real}) -> ${result}`);
        }
        results.push([result, `%r${i}`]);
    });
    return writeProgram([], results, lines);
}

// A program that gives, of each tensor, the least, the greatest and the mean number, and the first ones.
export function writeSummary(types) {
    const lines = ['  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>',
        '  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>',
        '  %zero = stablehlo.constant dense<0.0> : tensor<f32>'];
    const results = [];
    types.forEach((type, i) => {
        const n = product(type.shape);
        const real = Ghlo.TensorType.new(Ghlo.ElementType.F32, type.shape).to_string();
        const [flat, first] = [`tensor<${n}xf32>`, Math.min(n, FIRST)];
        lines.push(
            `  %a${i} = stablehlo.convert %x${i} : (${type.to_string()}) -> ${real}`,
            `  %b${i} = stablehlo.reshape %a${i} : (${real}) -> ${flat}`);
        for (const [name, initial, operation] of
            [['c', 'high', 'minimum'], ['d', 'low', 'maximum'], ['e', 'zero', 'add']]) {
            lines.push(
                `  %${name}${i} = stablehlo.reduce(%b${i} init: %${initial}) applies stablehlo.${operation} ` +
                `across dimensions = [0] : (${flat}, tensor<f32>) -> tensor<f32>`,
                `  %${name}${name}${i} = stablehlo.reshape %${name}${i} : (tensor<f32>) -> tensor<1xf32>`);
        }
        lines.push(
            `  %f${i} = stablehlo.constant dense<${n}.0> : tensor<1xf32>`,
            `  %g${i} = stablehlo.divide %ee${i}, %f${i} : tensor<1xf32>`,
            `  %h${i} = stablehlo.slice %b${i} [0:${first}] : (${flat}) -> tensor<${first}xf32>`,
            `  %r${i} = stablehlo.concatenate %cc${i}, %dd${i}, %g${i}, %h${i}, dim = 0 : (tensor<1xf32>, ` +
            `tensor<1xf32>, tensor<1xf32>, tensor<${first}xf32>) -> tensor<${3 + first}xf32>`);
        results.push([`tensor<${3 + first}xf32>`, `%r${i}`]);
    });
    return writeProgram(types.map(type => type.to_string()), results, lines);
}

// What writeSummary() gives of a tensor of N elements, in words.
export function describe(numbers, n) {
    const [least, greatest, mean, ...first] = Array.from(numbers, number => `${Number(number.toPrecision(4))}`);
    if (n <= FIRST)
        return first.join(', ');
    return `${least} to ${greatest}, mean ${mean}: ${first.join(', ')}, …`;
}
