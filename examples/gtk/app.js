#!/usr/bin/env -S gjs -m
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A window that runs a model on a picture, frame after frame.
//
//     app.js [--frames=N] [--close-after=MS] [MODEL]
//
// The model takes a picture and a frame number, and gives a picture and the next
// frame number; examples/models/edges.mlir is one. Nothing here waits: each slow call
// is a promise, a frame that comes while the last one is being processed is dropped,
// and closing the window cancels what is going on and leaves.
// app.py and app.vala are the same program.

import Gdk from 'gi://Gdk?version=4.0';
import GdkPixbuf from 'gi://GdkPixbuf';
import Ghlo from 'gi://Ghlo?version=1.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';
import {exit, programArgs, programInvocationName} from 'system';

const PICTURE = Gio.File.new_for_uri(import.meta.url).get_parent().get_child('picture.png').get_path();

const Window = GObject.registerClass(
class Window extends Gtk.ApplicationWindow {
    _init(application, frames) {
        super._init({application, title: 'GHLO', defaultWidth: 480, defaultHeight: 520});
        this._framesLeft = frames;                // 0: until the window is closed
        this._client = new Ghlo.Client();
        this._cancellable = new Gio.Cancellable();
        this._session = null;
        this._dialog = null;
        this._tick = 0;
        this.stage = 'Open a model';              // while frames come: Waiting, or what is being done
        this._makeWidgets();
        this._loadPicture();
        this.connect('close-request', () => this._onCloseRequest());
    }

    _makeWidgets() {
        const openButton = new Gtk.Button({label: '_Open…', useUnderline: true});
        openButton.connect('clicked', () => this._choose());
        this._cancelButton = new Gtk.Button({label: '_Cancel', useUnderline: true, sensitive: false});
        this._cancelButton.connect('clicked', () => this._stop('Cancelled'));
        const header = new Gtk.HeaderBar();
        header.pack_start(openButton);
        header.pack_end(this._cancelButton);
        this.set_titlebar(header);

        this._picture = new Gtk.Picture({vexpand: true});
        this._bar = new Gtk.ProgressBar();
        this._status = new Gtk.Label({label: this.stage});
        const box = new Gtk.Box({
            orientation: Gtk.Orientation.VERTICAL, spacing: 6,
            marginTop: 6, marginBottom: 6, marginStart: 6, marginEnd: 6,
        });
        for (const widget of [this._picture, this._bar, this._status])
            box.append(widget);
        this.set_child(box);
    }

    _loadPicture() {
        const pixbuf = GdkPixbuf.Pixbuf.new_from_file(PICTURE);
        this._width = pixbuf.get_width();
        this._height = pixbuf.get_height();
        this._pixels = pixbuf.read_pixel_bytes();
        this._strides = [pixbuf.get_rowstride(), 3, 1];    // rows are padded to four bytes
        this._pictureType = Ghlo.TensorType.new(Ghlo.ElementType.UI8, [this._height, this._width, 3]);
        this._showPicture(this._pixels, pixbuf.get_rowstride());
    }

    _showPicture(pixels, stride) {
        this._picture.paintable = Gdk.MemoryTexture.new(this._width, this._height, Gdk.MemoryFormat.R8G8B8,
            pixels, stride);
    }

    // Cancel, close, errors

    _enter(stage) {
        this.stage = stage;
        this._status.label = stage;
    }

    // Ends what is going on, for something else to begin.
    _start(stage) {
        this._stop(stage);
        this._cancellable = new Gio.Cancellable();
        this._cancelButton.sensitive = true;
    }

    // Nothing of what is going on comes back after this, but for errors that say so.
    _stop(stage) {
        this._cancellable.cancel();
        if (this._tick)
            this.remove_tick_callback(this._tick);
        this._tick = 0;
        this._cancelButton.sensitive = false;
        this._enter(stage);
    }

    _onCloseRequest() {
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

    // Open, load, compile

    _choose() {
        this._dialog = new Gtk.FileChooserNative({
            title: 'Open a model', transientFor: this, modal: true, action: Gtk.FileChooserAction.OPEN,
        });
        this._dialog.connect('response', (chooser, response) => {
            if (response === Gtk.ResponseType.ACCEPT)
                this.open(chooser.get_file());
            this._closeDialog();
        });
        this._dialog.show();
    }

    open(file) {
        this._start('Loading');
        this._prepare(file, this._cancellable).catch(error => this._showError(error));
    }

    async _prepare(file, cancellable) {
        const program = await Ghlo.Program.load_async(file, cancellable);
        this._enter('Compiling');
        const progress = new Ghlo.Progress();
        progress.bind_property('fraction', this._bar, 'fraction', GObject.BindingFlags.DEFAULT);
        const executable = await this._client.compile_async(program, null, progress, cancellable);
        this._device = executable.get_device();
        this._session = Ghlo.Session.new(executable);
        // The next frame number becomes the frame number; at first it is 0.
        this._session.carry(1, 1, Ghlo.Buffer.from_array(new Int32Array(1), []));
        this._enter('Waiting');
        this._tick = this.add_tick_callback(() => this._onTick());
    }

    // Frames

    _onTick() {
        if (this.stage === 'Waiting')             // otherwise this frame is dropped
            this._processFrame(this._cancellable).catch(error => this._showError(error));
        return GLib.SOURCE_CONTINUE;
    }

    async _processFrame(cancellable) {
        const pixels = Ghlo.Buffer.new_from_bytes_strided(this._pictureType, this._pixels, this._strides);
        this.stage = 'Uploading';
        const uploaded = await pixels.copy_to_device_async(this._device, cancellable);
        this.stage = 'Running';
        const result = await this._session.run_async([uploaded], cancellable);
        this.stage = 'Reading';
        const shown = await result.get_output(0).read_async(cancellable);
        this._showPicture(shown, 3 * this._width);
        const number = await this._session.copy_state_async(1, cancellable);
        const [count] = number.to_array();
        this._status.label = `Frame ${count}`;
        // The collector does not know how large these are.
        for (const one of [pixels, uploaded, result, number])
            one.release();
        this.stage = 'Waiting';
        this._framesLeft--;
        if (this._framesLeft === 0) {
            const checksum = GLib.compute_checksum_for_bytes(GLib.ChecksumType.MD5, shown);
            print(`frame ${count}, checksum ${checksum}`);
            this.close();
        }
    }
});

const App = GObject.registerClass(
class App extends Gtk.Application {
    _init() {
        super._init({flags: Gio.ApplicationFlags.HANDLES_COMMAND_LINE | Gio.ApplicationFlags.NON_UNIQUE});
        this.add_main_option('frames', 0, 0, GLib.OptionArg.INT, 'Process N frames and close', 'N');
        this.add_main_option('close-after', 0, 0, GLib.OptionArg.INT, 'Close after so many milliseconds', 'MS');
    }

    vfunc_command_line(commandLine) {
        const options = commandLine.get_options_dict().end().recursiveUnpack();
        const window = new Window(this, options['frames'] ?? 0);
        window.present();
        if ('close-after' in options)
            GLib.timeout_add(GLib.PRIORITY_DEFAULT, options['close-after'], () => this._onTime(window));
        const [, model] = commandLine.get_arguments();
        if (model)
            window.open(commandLine.create_file_for_arg(model));
        return 0;
    }

    _onTime(window) {
        print(`closing: ${window.stage}`);
        window.close();
        return GLib.SOURCE_REMOVE;
    }
});

exit(new App().run([programInvocationName, ...programArgs]));
