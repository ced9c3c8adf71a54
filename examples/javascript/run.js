#!/usr/bin/env -S gjs -m
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Runs a small network call by call, then does the same inside a GLib main loop,
// where nothing blocks: a compile with progress, a run, and a second program that
// takes too long and is cancelled.
//
//   gjs -m run.js mlp.mlir collatz.mlir

import Ghlo from 'gi://Ghlo?version=1.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

// Every input filled with 0.1, 0.2, … 0.9, 0.1, …; a typed array takes the shape
// that the program wants.
function makeInputs(executable) {
    return executable.list_inputs().map(info => info.get_tensor_type().get_n_elements())
        .map(n => Float32Array.from({length: n}, (_, i) => 0.1 * (i % 9 + 1)));
}

function show(title, output) {
    const values = [...output.to_array()].map(value => value.toFixed(4));
    print(`${title}: ${output.tensor_type} ${values.join(' ')}`);
}

function callByCall(path) {
    const program = Ghlo.Program.load(Gio.File.new_for_path(path));
    const executable = new Ghlo.Client().compile(program);
    const [probabilities] = executable.execute(makeInputs(executable));
    show('call by call', probabilities);
}

// What an application's window would do.
async function inMainLoop(path, slowPath) {
    const client = new Ghlo.Client();
    const cancellable = new Gio.Cancellable();
    const progress = new Ghlo.Progress();
    progress.connect('notify::fraction', () =>
        print(`compiling: ${(progress.fraction * 100).toFixed(0)} %`));

    let program = await Ghlo.Program.load_async(Gio.File.new_for_path(path), cancellable);
    let executable = await client.compile_async(program, null, progress, cancellable);
    const result = await executable.execute_async(makeInputs(executable), cancellable);
    show('in a main loop', result.get_output(0));
    // Memory goes now, not when the collector gets to it.
    result.release();

    program = await Ghlo.Program.load_async(Gio.File.new_for_path(slowPath), cancellable);
    executable = await client.compile_async(program, null, progress, cancellable);
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, 100, () => {
        cancellable.cancel();
        return GLib.SOURCE_REMOVE;
    });
    try {
        await executable.execute_async([2n ** 62n], cancellable);
    } catch (error) {
        if (!error.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED))
            throw error;
        print('cancelled');
    }
}

if (System.programArgs.length !== 2) {
    printerr(`usage: ${System.programInvocationName} mlp.mlir collatz.mlir`);
    System.exit(2);
}
try {
    callByCall(System.programArgs[0]);
    await inMainLoop(...System.programArgs);
} catch (error) {
    // The first line is for people; a place in the program may follow.
    printerr(error.message);
    System.exit(1);
}
