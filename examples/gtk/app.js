#!/usr/bin/env -S gjs -m
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A viewer of programs: what they take and give, how a device runs them, and how fast.
//
//     app.js [--frames=N] [--pattern] [--fill=HOW] [--screenshot=FILE] [--close-after=MS] [PROGRAM]
//
// A program that takes and gives a picture runs on one frame after the other, of a picture or of
// a test pattern; examples/models/edges.mlir is one. Any other gets its inputs filled, and runs
// when asked. What a program marks as aliased is carried from run to run. Nothing here waits:
// each slow call is awaited, of the frames that come while one is being processed the last is taken,
// and closing the window cancels what is going on and leaves.
// app.py and app.vala are the same program; values.* and rows.* are parts of it.

import Gdk from 'gi://Gdk?version=4.0';
import Ghlo from 'gi://Ghlo?version=1.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';
import {exit, programArgs, programInvocationName} from 'system';

import {ValueRow, describePlan, formatTime, showPlan, updateStepRows} from './rows.js';
import {Camera, describe, isPicture, makeTexture, writeFill, writeSummary} from './values.js';

const FILLS = ['ramp', 'random', 'zeros'];
const LAYOUT = Gio.File.new_for_uri(import.meta.url).get_parent().get_child('viewer.ui').get_path();
const FIGURES_EVERY = 500000;   // microseconds from one look at the plan's times and the values to the next

const formatSize = size => GLib.format_size_full(size, GLib.FormatSizeFlags.IEC_UNITS);

const Window = GObject.registerClass(
class Window extends Gtk.ApplicationWindow {
    _init(application, options) {
        super._init({application, title: 'GHLO', defaultWidth: 940, defaultHeight: 620});
        this._options = options;
        this._client = new Ghlo.Client();
        this._cancellable = new Gio.Cancellable();
        this._file = this._program = this._session = this._device = this._camera = this._dialog = null;
        this._helpers = new Map();                // executables of writeFill() and writeSummary(), by text
        this.stage = '';                          // while frames come: Waiting, or what is being done
        this._isLost = false;                     // the carried values, by a run that did not end
        this._isDue = false;                      // a frame came that was not processed
        this._tick = 0;
        this._count = this._runsLeft = 0;         // runsLeft of 0: until the window is closed
        this._makeWidgets();
        this._enter('Open a program');
        this.connect('close-request', () => this._onCloseRequest());
    }

    _makeWidgets() {
        GObject.type_ensure(Ghlo.Device.$gtype);
        const builder = Gtk.Builder.new_from_file(LAYOUT);
        for (const name of ['status_label', 'title_label', 'pattern_button', 'run_button', 'cancel_button',
            'progress_bar', 'fill_drop_down', 'input_list', 'output_list', 'device_drop_down', 'memory_label',
            'memory_bar', 'picture_box', 'times_label', 'plan_view'])
            this[`_${name.replace(/_(.)/g, (_match, letter) => letter.toUpperCase())}`] = builder.get_object(name);
        this.set_titlebar(builder.get_object('header'));
        this.set_child(builder.get_object('content'));
        this._patternButton.active = 'pattern' in this._options;
        this._fillDropDown.model = Gtk.StringList.new(FILLS.map(fill => fill[0].toUpperCase() + fill.slice(1)));
        if (FILLS.includes(this._options.fill))
            this._fillDropDown.selected = FILLS.indexOf(this._options.fill);
        builder.get_object('open_button').connect('clicked', () => this._choose());
        this._patternButton.connect('toggled', () => this._makeCamera());
        this._runButton.connect('clicked', () => this._onRun());
        this._cancelButton.connect('clicked', () => this._stop('Cancelled'));
        this._fillDropDown.connect('notify::selected', () => this._prepareAgain());
        this._deviceDropDown.connect('notify::selected', () => this._onDevice());
        const target = Gtk.DropTarget.new(Gio.File, Gdk.DragAction.COPY);
        target.connect('drop', (_target, file) => {
            this.open(file);
            return true;
        });
        this.add_controller(target);
    }

    // Cancel, close, errors

    _enter(stage) {
        this.stage = stage;
        this._statusLabel.label = stage;
    }

    // Ends what is going on, for something else to begin.
    _start(stage) {
        this._stop(stage);
        this._cancellable = new Gio.Cancellable();
        this._runButton.sensitive = false;
        this._cancelButton.sensitive = true;
    }

    // Nothing of what is going on comes back after this, but for errors that say so.
    _stop(stage) {
        this._cancellable.cancel();
        if (this._tick) {
            this.remove_tick_callback(this._tick);
            this._isLost = this.stage === 'Running';
        }
        this._tick = 0;
        this._cancelButton.sensitive = false;
        this._runButton.sensitive = this._file !== null;
        this._progressBar.visible = false;
        this._enter(stage);
    }

    _onCloseRequest() {
        if ('close-after' in this._options)
            this._tellStage();
        this._stop('Closed');
        this._closeDialog();
        return false;                             // GTK closes the window; nobody waits
    }

    _closeDialog() {
        this._dialog?.destroy();
        this._dialog = null;
    }

    _showError(error) {
        if (error instanceof GLib.Error && error.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED))
            return;
        this._stop('Failed');
        this._closeDialog();
        printerr(error.message);
        const [headline, ...detail] = error.message.split('\n');
        this._dialog = new Gtk.MessageDialog({
            transientFor: this, modal: true, messageType: Gtk.MessageType.ERROR,
            buttons: Gtk.ButtonsType.CLOSE, text: headline,
        });
        // A place in the program, with a caret under a column.
        this._dialog.get_message_area().append(new Gtk.Label({
            label: detail.join('\n'), selectable: true, cssClasses: ['monospace'],
        }));
        this._dialog.connect('response', () => this._closeDialog());
        this._dialog.present();
    }

    _spawn(promise) {
        promise.catch(error => this._showError(error));
    }

    // Open, compile, fill

    _choose() {
        this._dialog = new Gtk.FileChooserNative({
            title: 'Open a program', transientFor: this, modal: true, action: Gtk.FileChooserAction.OPEN,
        });
        this._dialog.connect('response', (chooser, response) => {
            if (response === Gtk.ResponseType.ACCEPT)
                this.open(chooser.get_file());
            this._closeDialog();
        });
        this._dialog.show();
    }

    open(file) {
        this._file = file;
        this._program = this._session = null;
        this._start('Loading');
        this._titleLabel.label = file.get_basename();
        this._spawn(this._load(file, this._cancellable));
    }

    _prepareAgain() {
        if (this._program === null)
            return;
        this._session = null;
        this._start('Compiling');
        this._spawn(this._prepare(this._cancellable));
    }

    // Runs, after what is still to be done for that.
    _onRun() {
        if (this._session !== null)
            this._begin();
        else if (this._program !== null)
            this._prepareAgain();
        else
            this.open(this._file);
    }

    _onDevice() {
        const device = this._deviceDropDown.selectedItem;
        if (this._device !== null && device !== null && !device.equal(this._device)) {
            this._helpers.clear();
            this._prepareAgain();
        }
    }

    async _load(file, cancellable) {
        this._program = await Ghlo.Program.load_async(file, cancellable);
        if (this._deviceDropDown.model === null) {
            const devices = await this._client.list_devices_async(cancellable);
            this._device = devices.get_item(0);   // so that nothing changes when the first one is selected
            this._deviceDropDown.model = devices;
        }
        await this._prepare(cancellable);
    }

    async _prepare(cancellable) {
        this._enter('Compiling');
        this._progressBar.visible = true;
        this._device = this._deviceDropDown.selectedItem;
        const options = new Ghlo.CompileOptions({device: this._device});
        const progress = new Ghlo.Progress();
        progress.bind_property('fraction', this._progressBar, 'fraction', GObject.BindingFlags.DEFAULT);
        const executable = await this._client.compile_async(this._program, options, progress, cancellable);
        this._describeProgram(executable);
        const session = Ghlo.Session.new(executable);
        await this._fillInputs(session, cancellable);
        [this._session, this._isLost, this._count] = [session, false, 0];
        this._stop('Ready');
        if (this._camera !== null || this._options.frames > 0)
            this._begin();
    }

    _describeProgram(executable) {
        [this._inputs, this._outputs] = [executable.list_inputs(), executable.list_outputs()];
        [this._inputRows, this._outputRows] = [this._inputs, this._outputs].map(infos => infos.map((info, i) =>
            new ValueRow({title: `${info.get_name() ?? i}: ${info.get_tensor_type()?.to_string() ?? 'no tensor'}`})));
        for (const [view, rows] of [[this._inputList, this._inputRows], [this._outputList, this._outputRows]]) {
            const model = new Gio.ListStore({itemType: ValueRow});
            model.splice(0, 0, rows);
            view.model = new Gtk.NoSelection({model});
        }
        const plan = executable.get_plan();
        this._stepRows = showPlan(this._planView, plan);
        this._heading = describePlan(plan);
        this._timesLabel.label = this._heading;

        const pictures = [...this._outputs.keys()].filter(i => isPicture(this._outputs[i]));
        this._carried = new Map([...this._outputs.entries()]
            .map(([i, info]) => [i, info.get_aliased_input()])
            .filter(([i, to]) => to >= 0 && !pictures.includes(i)));
        this._given = [...this._outputs.keys()].filter(i => !this._carried.has(i));      // what results have
        this._fed = pictures.length === 0 ? -1
            : this._inputs.findIndex((info, i) => isPicture(info) && ![...this._carried.values()].includes(i));
        while (this._pictureBox.get_first_child())
            this._pictureBox.remove(this._pictureBox.get_first_child());
        this._pictures = new Map(pictures.map(i => [i, new Gtk.Picture()]));
        this._inputPicture = new Gtk.Picture({visible: this._fed >= 0});
        for (const picture of [this._inputPicture, ...this._pictures.values()])
            this._pictureBox.append(picture);
        this._pictureBox.visible = pictures.length > 0;
        this._patternButton.visible = this._fed >= 0;
        this._makeCamera();
    }

    _makeCamera() {
        this._camera = null;
        if (this._program !== null && this._fed >= 0)
            this._camera = new Camera(this._inputs[this._fed].get_tensor_type(), this._patternButton.active);
    }

    // What a small program of the viewer's own gives.
    async _runHelper(text, buffers, cancellable) {
        let executable = this._helpers.get(text);
        if (executable === undefined) {
            const program = await Ghlo.Program.parse_async(text, 'viewer', cancellable);
            const options = new Ghlo.CompileOptions({device: this._device});
            executable = await this._client.compile_async(program, options, null, cancellable);
            this._helpers.set(text, executable);
        }
        return executable.execute_async(buffers, cancellable);
    }

    // Binds each input but the picture: tensors to numbers, tokens to tokens.
    async _fillInputs(session, cancellable) {
        const numbers = [...this._inputs.keys()].filter(i => i !== this._fed);
        for (const i of numbers) {
            if (this._inputs[i].get_kind() === Ghlo.ValueKind.TUPLE)
                throw new Error(`expected inputs that are tensors and tokens, found a tuple as input ${i}`);
        }
        const tensors = numbers.filter(i => this._inputs[i].get_kind() === Ghlo.ValueKind.TENSOR);
        this._enter('Filling');
        const how = FILLS[this._fillDropDown.selected];
        const text = writeFill(tensors.map(i => this._inputs[i].get_tensor_type()), how);
        const buffers = [...await this._runHelper(text, [], cancellable)];
        const filled = new Map(tensors.map((i, at) => [i, buffers[at]]));
        const outputs = new Map([...this._carried].map(([i, to]) => [to, i]));
        for (const i of numbers) {
            const buffer = filled.get(i) ?? Ghlo.Buffer.new_token();
            if (outputs.has(i))
                session.carry(outputs.get(i), i, buffer);
            else
                session.bind_input(i, buffer);
        }
        await this._sumUp(tensors.map(i => this._inputRows[i]), buffers, cancellable);
        for (const i of this._carried.values())
            this._inputRows[i].summary += ' at first, then carried';
    }

    // Says of each tensor what numbers it has.
    async _sumUp(rows, buffers, cancellable) {
        const some = buffers.map((buffer, i) => [rows[i], buffer, buffer.get_tensor_type()])
            .filter(([_row, _buffer, type]) => type !== null && type.get_n_elements() > 0);
        const text = writeSummary(some.map(([_row, _buffer, type]) => type));
        const result = await this._runHelper(text, some.map(([_row, buffer]) => buffer), cancellable);
        some.forEach(([row, _buffer, type], i) => {
            row.summary = describe(result.get_output(i).get_doubles(), type.get_n_elements());
        });
        result.release();
    }

    // Runs

    // Begins to run: frame after frame, or once.
    _begin() {
        this._start('Waiting');
        if (this._isLost)
            this._session.reset();
        this._isLost = false;
        this._runsLeft = this._options.frames ?? (this._camera !== null ? 0 : 1);
        this._began = this._looked = GLib.get_monotonic_time();
        this._lookedAt = this._beganAt = this._count;
        this._tick = this.add_tick_callback(() => this._onTick());
    }

    _onTick() {
        this._isDue = true;
        this._runNext();
        return GLib.SOURCE_CONTINUE;
    }

    _runNext() {
        if (this.stage === 'Waiting' && this._isDue) {
            this._isDue = false;                  // however many frames came meanwhile
            this._spawn(this._run(this._cancellable));
        }
    }

    async _run(cancellable) {
        const inputs = [];
        if (this._camera !== null) {
            const [pixels, texture] = this._camera.take(this._count);
            this._inputPicture.paintable = texture;
            this.stage = 'Uploading';
            inputs.push(await pixels.copy_to_device_async(this._device, cancellable));
        }
        const isLookedAt = this._count === this._lookedAt || this._runsLeft === 1 ||
            GLib.get_monotonic_time() - this._looked >= FIGURES_EVERY;
        this._session.profile = isLookedAt && this._stepRows.get_n_items() > 0;
        this.stage = 'Running';
        const result = await this._session.run_async(inputs, cancellable);
        this.stage = 'Reading';
        const outputs = new Map([...result].map((output, at) => [this._given[at], output]));
        let shown = null;
        for (const [i, picture] of this._pictures) {
            const pixels = await outputs.get(i).read_async(cancellable);
            picture.paintable = makeTexture(outputs.get(i).get_tensor_type(), pixels);
            shown ??= pixels;
        }
        this._count++;
        if (isLookedAt)
            await this._showFigures(result, [...inputs, ...outputs.values()], cancellable);
        // The collector does not know how large these are.
        for (const one of [...inputs, result])
            one.release();
        this.stage = 'Waiting';
        this._runsLeft--;
        if (this._runsLeft === 0)
            this._finish(shown);
        else
            this._runNext();
    }

    // Shows what the last run took, and what it was given and gave.
    async _showFigures(result, buffers, cancellable) {
        const timing = result.get_timing();
        if (result.get_plan() !== null)
            updateStepRows(this._stepRows, result.get_plan(), 0, Math.max(timing.get_run(), 1e-9));
        const fed = this._camera !== null ? [this._inputRows[this._fed]] : [];
        await this._sumUp([...fed, ...this._given.map(i => this._outputRows[i])], buffers, cancellable);
        for (const [i, to] of this._carried)
            this._outputRows[i].summary = `carried into ${this._inputs[to].get_name() ?? to}`;
        const now = GLib.get_monotonic_time();
        const rate = (this._count - this._lookedAt) * 1e6 / Math.max(now - this._looked, 1);
        this._statusLabel.label = `${this._camera !== null ? 'Frame' : 'Run'} ${this._count}${
            this._lookedAt > this._beganAt ? `, ${rate.toFixed(1)} a second` : ''}`;
        [this._looked, this._lookedAt] = [now, this._count];

        this._timesLabel.label = `${this._heading}, run in ${formatTime(timing.get_run())}${[
            ['of which reference steps', timing.get_reference()], ['upload', timing.get_upload()],
            ['download', timing.get_download()],
        ].filter(([_name, time]) => time > 0).map(([name, time]) => `, ${name} ${formatTime(time)}`).join('')}`;
        const statistics = this._client.get_statistics();
        const [used, limit] = [statistics.get_memory_used(), this._device.get_memory()];
        this._memoryLabel.label = `Memory: ${formatSize(used)}, at most ${formatSize(statistics.get_memory_peak())}, ` +
            `of ${formatSize(limit)}`;
        this._memoryBar.fraction = limit > 0 ? used / limit : 0;
    }

    // The last run that was asked for is done.
    _finish(shown) {
        const seconds = (GLib.get_monotonic_time() - this._began) / 1e6;
        const status = this._statusLabel.label;
        this._stop('Ready');
        this._statusLabel.label = status;
        if (!('frames' in this._options))
            return;
        const checksum = shown !== null ? GLib.compute_checksum_for_bytes(GLib.ChecksumType.MD5, shown) : 'none';
        print(`frame ${this._count}, checksum ${checksum}, ${(this._options.frames / seconds).toFixed(1)} a second`);
        this.tell();
        // Once the last of it is drawn.
        GLib.timeout_add(GLib.PRIORITY_DEFAULT, 300, () => this._leave());
    }

    // Prints what the lists show.
    tell() {
        for (const row of [...this._inputRows, ...this._outputRows])
            print(`${row.title}: ${row.summary}`);
        const {model} = this._planView;
        const rows = Array.from({length: model.get_n_items()}, (_, i) => model.get_item(i).get_item());
        const nMeasured = rows.filter(row => row.measured).length;
        print(`${rows.length} steps on ${this._device.get_name()}, ${nMeasured} measured`);
    }

    // Prints what is going on, and before it what the lists show.
    _tellStage() {
        if (this._session)
            this.tell();
        print(`closing: ${this.stage}`);
    }

    _leave() {
        if ('screenshot' in this._options)
            this._saveScreenshot(this._options.screenshot);
        this.close();
        return GLib.SOURCE_REMOVE;
    }

    _saveScreenshot(path) {
        const snapshot = new Gtk.Snapshot();
        new Gtk.WidgetPaintable({widget: this}).snapshot(snapshot, this.get_width(), this.get_height());
        this.get_renderer().render_texture(snapshot.to_node(), null).save_to_png(path);
    }
});

const App = GObject.registerClass(
class App extends Gtk.Application {
    _init() {
        super._init({flags: Gio.ApplicationFlags.HANDLES_COMMAND_LINE | Gio.ApplicationFlags.NON_UNIQUE});
        for (const [name, kind, text, argument] of [
            ['frames', GLib.OptionArg.INT, 'Run N times and close', 'N'],
            ['pattern', GLib.OptionArg.NONE, 'Begin with the test pattern', null],
            ['fill', GLib.OptionArg.STRING, 'What inputs are filled with: ramp, random or zeros', 'HOW'],
            ['screenshot', GLib.OptionArg.STRING, 'Save a picture of the window before it closes', 'FILE'],
            ['close-after', GLib.OptionArg.INT, 'Close after so many milliseconds', 'MS'],
        ])
            this.add_main_option(name, 0, 0, kind, text, argument);
    }

    vfunc_command_line(commandLine) {
        const options = commandLine.get_options_dict().end().recursiveUnpack();
        this.set_accels_for_action('window.close', ['<Control>w']);
        const window = new Window(this, options);
        window.present();
        if ('close-after' in options)
            GLib.timeout_add(GLib.PRIORITY_DEFAULT, options['close-after'], () => this._onTime(window));
        const [, program] = commandLine.get_arguments();
        if (program)
            window.open(commandLine.create_file_for_arg(program));
        return 0;
    }

    _onTime(window) {
        window.close();
        return GLib.SOURCE_REMOVE;
    }
});

exit(new App().run([programInvocationName, ...programArgs]));
