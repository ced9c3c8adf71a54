// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Failures of a device reach JavaScript: each call of the fake device that a call of the public API needs fails in
// turn. The call throws what the device failed with, nothing stays behind, and the next call succeeds. Prints TAP.
//
// The fake device (tests/fake) is told by the typelib "Fake" what fails.

import Fake from 'gi://Fake?version=1.0';
import Ghlo from 'gi://Ghlo?version=1.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

const ADD = `func.func @main(%left: tensor<2xi32>, %right: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.add %left, %right : tensor<2xi32>
  return %0 : tensor<2xi32>
}
`;

// Gives the state; the next one is the sum of state and step.
const COUNTER = `func.func @main(%step: tensor<2xi32>, %state: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %0 = stablehlo.add %state, %step : tensor<2xi32>
  return %state, %0 : tensor<2xi32>, tensor<2xi32>
}
`;

// The size of its output is known when it has run.
const OPEN = `func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %0 = stablehlo.add %x, %x : tensor<?xi32>
  return %0 : tensor<?xi32>
}
`;

// Nobody keeps an executable of it, so each compile has the device prepare it.
const TWICE = ADD.replace('%left, %right', '%left, %left');

const FIRST = `func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  return %x : tensor<2xi32>
}
`;

// Its executable goes with the first collection.
const SAVED = new Ghlo.Client().compile(Ghlo.Program.parse(TWICE)).serialize();

const CODES = [Ghlo.Error.DEVICE, Ghlo.Error.OUT_OF_MEMORY, Ghlo.Error.DEVICE_LOST];
const DEVICE = "the device 'fake'";
const PAIR = new Int32Array([1, 2]);
// In which a call answers, and what it leaves behind goes.
const SECONDS = GLib.getenv('GHLO_TEST_SLOW') !== null ? 100 : 10;
let number = 0;
let failures = 0;

function check(condition, message) {
    if (!condition)
        throw new Error(message);
}

const sleep = ms => new Promise(resolve => GLib.timeout_add(GLib.PRIORITY_DEFAULT, ms, () => {
    resolve();
    return GLib.SOURCE_REMOVE;
}));

// What an application has before the call that fails. PAIR is in each input, and twice PAIR in each output.
class Work {
    constructor() {
        this.client = new Ghlo.Client();
        [this.adder, this.open, this.counter] = [ADD, OPEN, COUNTER].map(text => this.compile(text));
        this.device = this.adder.get_device();
        this.host = Ghlo.Buffer.from_array(PAIR);
        this.placed = this.host.copy_to_device(this.device);
        [this.output] = this.adder.execute([this.host, this.placed]);
        this.session = this.makeSession();
        [this.cpu] = [...this.client.list_devices()].filter(device => device.kind === Ghlo.DeviceKind.CPU);
    }

    compile(text, device = null) {
        return this.client.compile(Ghlo.Program.parse(text), new Ghlo.CompileOptions({device}));
    }

    compileAsync(text, device = null) {
        return this.client.compile_async(Ghlo.Program.parse(text), new Ghlo.CompileOptions({device}));
    }

    makeSession() {
        const session = Ghlo.Session.new(this.counter);
        session.bind_input(0, this.host);
        session.carry(1, 1, this.placed);
        return session;
    }
}

// What the test calls. Each call gives twice PAIR, or what has it as its one output; it can be made again.

// A session that may have lost its state.
function runSessionAgain({session}) {
    session.reset();
    session.run();
    return session.run().get_output(0);
}

function runSession(work) {
    const session = work.makeSession();
    session.run();
    return session.run().get_output(0);
}

function copyState({session}) {
    session.reset();
    session.run();
    return session.copy_state(1);
}

// The answers of calls that go on at the same time. Throws the first error, which the others have as well, if any.
// mayFollow says that runs after the one that failed may say instead that the session's state is lost.
async function settle(calls, mayFollow = false) {
    const outcomes = await Promise.allSettled(calls);
    const errors = outcomes.filter(({status}) => status === 'rejected').map(({reason}) => reason);
    for (const error of errors.slice(1)) {
        check(error.matches(errors[0].domain, errors[0].code) ||
            mayFollow && error.matches(Ghlo.Error, Ghlo.Error.INVALID_ARGUMENT), `after ${errors[0]}: ${error}`);
    }
    if (errors.length > 0)
        throw errors[0];
    return outcomes.map(({value}) => value);
}

async function executeAsync(work) {
    const results = await settle([1, 2, 3].map(() => work.adder.execute_async([work.host, work.placed])));
    return results[2];
}

const executeWithCallback = work => new Promise((resolve, reject) => {
    work.adder.execute_async([work.host, work.placed], null, (source, result) => {
        try {
            resolve(source.execute_finish(result));
        } catch (error) {
            reject(error);
        }
    });
});

// Runs that are called before those before them have ended, and a copy of what is carried.
async function runSessionAsync(work) {
    const session = work.makeSession();
    const results = await settle([...[1, 2, 3].map(() => session.run_async()), session.copy_state_async(1)], true);
    return results[1].get_output(0);
}

async function copyStateAsync(work) {
    const session = work.makeSession();
    await session.run_async();
    return session.copy_state_async(1);
}

// The buffer that a call saves in a file.
async function savedBy(call) {
    const [file, stream] = Gio.File.new_tmp('ghlo-XXXXXX.npy');
    stream.close(null);
    try {
        await call(file);
        return Ghlo.Buffer.load(file, null, null);
    } finally {
        file.delete(null);
    }
}

const CALLS = {
    'compile': work => work.compile(TWICE),
    'compile, for the device': work => work.compile(TWICE, work.device),
    'compile_async': work => work.compileAsync(TWICE),
    'compile_async, for the device': work => work.compileAsync(TWICE, work.device),
    'load_executable': work => work.client.load_executable(SAVED, 0),
    'load_executable_async': work => work.client.load_executable_async(SAVED, 0),
    'execute': work => work.adder.execute([work.host, work.placed]),
    'execute, of arrays': work => work.adder.execute([PAIR, PAIR]),
    'execute, of an open size': work => work.open.execute([work.host]),
    'execute, on another device': work => work.compile(FIRST, work.cpu).execute([work.output]),
    'execute_async, with a callback': executeWithCallback,
    'execute_async': executeAsync,
    'execute_async, of an open size': work => work.open.execute_async([PAIR]),
    'bind_input, carry, run': runSession,
    'run, of a session that lost its state': runSessionAgain,
    'run_async': runSessionAsync,
    'copy_state': copyState,
    'copy_state_async': copyStateAsync,
    'copy_to_device': work => Ghlo.Buffer.from_array(PAIR.map(x => 2 * x)).copy_to_device(work.device),
    'copy_to_device_async': work => Ghlo.Buffer.from_array(PAIR.map(x => 2 * x)).copy_to_device_async(work.device),
    'copy_to_device, of the processor': work => work.output.copy_to_device(work.cpu),
    'read': work => work.output.read(null),
    'read_async': work => work.output.read_async(null),
    'to_array': work => work.output.to_array(),
    'save': work => savedBy(file => work.output.save(file)),
    'save_async': work => savedBy(file => work.output.save_async(file)),
};
// These take the device that is there when they are called.
const CHOOSING = ['compile', 'compile_async', 'load_executable', 'load_executable_async'];

function toNumbers(given) {
    if (given instanceof Ghlo.Executable)
        given = given.execute([PAIR, PAIR]);
    if (given instanceof Ghlo.Result)
        [given] = given;
    if (given instanceof GLib.Bytes)
        given = new Int32Array(given.toArray().slice().buffer);
    return given instanceof Ghlo.Buffer ? given.to_array() : given;
}

function checkNumbers(given) {
    check(`${toNumbers(given)}` === '2,4', `expected 2,4, found ${toNumbers(given)}`);
}

// A promise that never settles is a failure like others.
async function answer(name, work) {
    let late = 0;
    const tooLate = new Promise((_resolve, reject) => {
        late = GLib.timeout_add_seconds(GLib.PRIORITY_DEFAULT, SECONDS, () => {
            late = 0;
            reject(new Error(`no answer in ${SECONDS} seconds`));
            return GLib.SOURCE_REMOVE;
        });
    });
    try {
        return await Promise.race([CALLS[name](work), tooLate]);
    } finally {
        if (late !== 0)
            GLib.source_remove(late);
    }
}

// Neither on the device nor of the values of the process, as the client tells it.
async function checkNothingLeft() {
    const end = GLib.get_monotonic_time() + SECONDS * 1e6;
    do {
        System.gc();
        // eslint-disable-next-line no-await-in-loop
        await sleep(1);
    } while (Fake.describe_left() !== '' && GLib.get_monotonic_time() < end);
    check(Fake.describe_left() === '', `left behind: ${Fake.describe_left()}`);
    const used = new Ghlo.Client().get_statistics().get_memory_used();
    check(used === 0, `${used} bytes are left behind`);
}

const countCalls = () => Array.from({length: Fake.Call.N_CALLS}, (_, call) => Fake.count_calls(call));

// A run in which nothing fails. Gives how often it called the device, for each of the device's calls.
async function runOnce(name) {
    const count = async work => {
        const before = countCalls();
        const given = await answer(name, work);
        const after = countCalls();
        checkNumbers(given);
        return after.map((n, call) => n - before[call]);
    };
    const nCalls = await count(new Work());
    await checkNothingLeft();
    return nCalls;
}

async function checkThrows(name, work, code, says) {
    let caught = null;
    try {
        await answer(name, work);
    } catch (error) {
        caught = error;
    }
    check(caught !== null, `expected the error ${code}, found none`);
    check(caught instanceof GLib.Error && caught.matches(Ghlo.Error, code),
        `expected the error ${code}, found ${caught}`);
    check(caught.message.includes(says), `expected '${says}' in '${caught.message}'`);
}

async function failOne(name, call, n, code) {
    const fail = async work => {
        const lost = code === Ghlo.Error.DEVICE_LOST;
        Fake.fail(call, n, code);
        // What goes on beside the call that loses the device may be the first to say so.
        await checkThrows(name, work, code, lost ? DEVICE : `${DEVICE} failed to ${Fake.call_name(call)}`);
        check(Fake.has_failed(), 'nothing failed on the device');
        Fake.fail(call, 0, code);
        check(work.device.is_lost() === lost, `lost: ${work.device.is_lost()}`);
        if (lost && !CHOOSING.includes(name))
            await checkThrows(name, work, code, DEVICE);
        else
            checkNumbers(await answer(name, work));
    };
    await fail(new Work());
    await checkNothingLeft();
}

/* eslint-disable no-await-in-loop */
async function checkCall(name) {
    const nCalls = await runOnce(name);
    let nFailed = 0;
    for (let call = 0; call < Fake.Call.N_CALLS; call++) {
        for (let n = 1; n <= nCalls[call]; n++) {
            for (const code of CODES) {
                await failOne(name, call, n, code).catch(error => {
                    error.message = `${Fake.call_name(call)} ${n}, error ${code}: ${error.message}`;
                    throw error;
                });
                await runOnce(name);
                nFailed++;
            }
        }
    }
    check(nFailed > 0, 'no call of the device');
    print(`# ${name}: ${nFailed / CODES.length} calls of the device, ${nFailed} failures`);
}

await checkNothingLeft();
// What one failure leaves behind would fail all that follow.
for (const name of Object.keys(CALLS)) {
    number++;
    try {
        await checkCall(name);
        print(`ok ${number} - ${name}`);
    } catch (error) {
        failures++;
        print(`not ok ${number} - ${name}`);
        print(`# ${error}\n${error.stack}`.trim().replaceAll('\n', '\n# '));
        break;
    }
}
print(`1..${number}`);
System.exit(failures > 0 ? 1 : 0);
