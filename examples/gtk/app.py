#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A window that runs a model on a picture, frame after frame.

    app.py [--frames=N] [--close-after=MS] [MODEL]

The model takes a picture and a frame number, and gives a picture and the next frame
number; examples/models/edges.mlir is one. Nothing here waits: each slow call gives
its result in a callback, a frame that comes while the last one is being processed
is dropped, and closing the window cancels what is going on and leaves.
app.js and app.vala are the same program.
"""

import os
import sys

import gi

gi.require_version('Gdk', '4.0')
gi.require_version('Gtk', '4.0')
gi.require_version('Ghlo', '1.0')
from gi.repository import Gdk, GdkPixbuf, Ghlo, Gio, GLib, GObject, Gtk  # noqa: E402

import numpy as np  # noqa: E402

PICTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'picture.png')


class Window(Gtk.ApplicationWindow):
    def __init__(self, app, frames):
        super().__init__(application=app, title='GHLO', default_width=480, default_height=520)
        self.frames_left = frames                 # 0: until the window is closed
        self.client = Ghlo.Client()
        self.cancellable = Gio.Cancellable()
        self.session = None
        self.dialog = None
        self.tick = 0
        self.stage = 'Open a model'               # while frames come: Waiting, or what is being done
        self.make_widgets()
        self.load_picture()
        self.connect('close-request', self.on_close_request)

    def make_widgets(self):
        open_button = Gtk.Button(label='_Open…', use_underline=True)
        open_button.connect('clicked', self.on_open)
        self.cancel_button = Gtk.Button(label='_Cancel', use_underline=True, sensitive=False)
        self.cancel_button.connect('clicked', lambda *_: self.stop('Cancelled'))
        header = Gtk.HeaderBar()
        header.pack_start(open_button)
        header.pack_end(self.cancel_button)
        self.set_titlebar(header)

        self.picture = Gtk.Picture(vexpand=True)
        self.bar = Gtk.ProgressBar()
        self.status = Gtk.Label(label=self.stage)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6, margin_top=6, margin_bottom=6,
                      margin_start=6, margin_end=6)
        for widget in (self.picture, self.bar, self.status):
            box.append(widget)
        self.set_child(box)

    def load_picture(self):
        pixbuf = GdkPixbuf.Pixbuf.new_from_file(PICTURE)
        self.width, self.height = pixbuf.get_width(), pixbuf.get_height()
        self.pixels = pixbuf.read_pixel_bytes()
        self.strides = [pixbuf.get_rowstride(), 3, 1]      # rows are padded to four bytes
        self.picture_type = Ghlo.TensorType.new(Ghlo.ElementType.UI8, [self.height, self.width, 3])
        self.show_picture(self.pixels, pixbuf.get_rowstride())

    def show_picture(self, pixels, stride):
        self.picture.set_paintable(Gdk.MemoryTexture.new(self.width, self.height, Gdk.MemoryFormat.R8G8B8,
                                                         pixels, stride))

    # Cancel, close, errors

    def enter(self, stage):
        self.stage = stage
        self.status.set_label(stage)

    def start(self, stage):
        """Ends what is going on, for something else to begin."""
        self.stop(stage)
        self.cancellable = Gio.Cancellable()
        self.cancel_button.set_sensitive(True)

    def stop(self, stage):
        """Nothing of what is going on comes back after this, but for errors that say so."""
        self.cancellable.cancel()
        if self.tick:
            self.remove_tick_callback(self.tick)
        self.tick = 0
        self.cancel_button.set_sensitive(False)
        self.enter(stage)

    def on_close_request(self, _window):
        self.stop('Closed')
        self.close_dialog()
        return False                              # GTK closes the window; nobody waits

    def close_dialog(self):
        if self.dialog:
            self.dialog.destroy()
        self.dialog = None

    def show_error(self, error):
        if error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED):
            return
        self.stop('Failed')
        self.close_dialog()
        print(error.message, file=sys.stderr)
        headline, _, detail = error.message.partition('\n')
        self.dialog = Gtk.MessageDialog(
            transient_for=self, modal=True, message_type=Gtk.MessageType.ERROR,
            buttons=Gtk.ButtonsType.CLOSE, text=headline)
        # A place in the program, with a caret under a column.
        self.dialog.get_message_area().append(Gtk.Label(label=detail, selectable=True, css_classes=['monospace']))
        self.dialog.connect('response', lambda *_: self.close_dialog())
        self.dialog.present()

    # Open, load, compile

    def on_open(self, _button):
        self.dialog = Gtk.FileChooserNative(title='Open a model', transient_for=self, modal=True,
                                            action=Gtk.FileChooserAction.OPEN)
        self.dialog.connect('response', self.on_chosen)
        self.dialog.show()

    def on_chosen(self, chooser, response):
        if response == Gtk.ResponseType.ACCEPT:
            self.open(chooser.get_file())
        self.close_dialog()

    def open(self, file):
        self.start('Loading')
        Ghlo.Program.load_async(file, self.cancellable, self.on_loaded)

    def on_loaded(self, _source, result):
        try:
            program = Ghlo.Program.load_finish(result)
        except GLib.Error as error:
            return self.show_error(error)
        self.enter('Compiling')
        progress = Ghlo.Progress()
        progress.bind_property('fraction', self.bar, 'fraction', GObject.BindingFlags.DEFAULT)
        self.client.compile_async(program, None, progress, self.cancellable, self.on_compiled)

    def on_compiled(self, client, result):
        try:
            executable = client.compile_finish(result)
            self.device = executable.get_device()
            self.session = Ghlo.Session.new(executable)
            # The next frame number becomes the frame number; at first it is 0.
            self.session.carry(1, 1, Ghlo.Buffer.from_numpy(np.int32(0)))
        except GLib.Error as error:
            return self.show_error(error)
        self.enter('Waiting')
        self.tick = self.add_tick_callback(self.on_tick)

    # Frames

    def on_tick(self, _window, _clock):
        if self.stage == 'Waiting':               # otherwise this frame is dropped
            self.stage = 'Uploading'
            pixels = Ghlo.Buffer.new_from_bytes_strided(self.picture_type, self.pixels, self.strides)
            pixels.copy_to_device_async(self.device, self.cancellable, self.on_uploaded)
        return GLib.SOURCE_CONTINUE

    def on_uploaded(self, pixels, result):
        try:
            uploaded = pixels.copy_to_device_finish(result)
        except GLib.Error as error:
            return self.show_error(error)
        self.stage = 'Running'
        self.session.run_async([uploaded], self.cancellable, self.on_run)

    def on_run(self, session, result):
        try:
            (shown,) = session.run_finish(result)  # without what is carried
        except GLib.Error as error:
            return self.show_error(error)
        self.stage = 'Reading'
        shown.read_async(self.cancellable, self.on_read)

    def on_read(self, shown, result):
        try:
            self.shown = shown.read_finish(result)
        except GLib.Error as error:
            return self.show_error(error)
        self.show_picture(self.shown, 3 * self.width)
        self.session.copy_state_async(1, self.cancellable, self.on_counted)

    def on_counted(self, session, result):
        try:
            count = int(np.asarray(session.copy_state_finish(result)))
        except GLib.Error as error:
            return self.show_error(error)
        self.status.set_label(f'Frame {count}')
        self.stage = 'Waiting'
        self.frames_left -= 1
        if self.frames_left == 0:
            checksum = GLib.compute_checksum_for_bytes(GLib.ChecksumType.MD5, self.shown)
            print(f'frame {count}, checksum {checksum}')
            self.close()


class App(Gtk.Application):
    def __init__(self):
        super().__init__(flags=Gio.ApplicationFlags.HANDLES_COMMAND_LINE | Gio.ApplicationFlags.NON_UNIQUE)
        self.add_main_option('frames', 0, 0, GLib.OptionArg.INT, 'Process N frames and close', 'N')
        self.add_main_option('close-after', 0, 0, GLib.OptionArg.INT, 'Close after so many milliseconds', 'MS')

    def do_command_line(self, command_line):
        options = command_line.get_options_dict().end().unpack()
        window = Window(self, options.get('frames', 0))
        window.present()
        if 'close-after' in options:
            GLib.timeout_add(options['close-after'], self.on_time, window)
        arguments = command_line.get_arguments()[1:]
        if arguments:
            window.open(command_line.create_file_for_arg(arguments[0]))
        return 0

    def on_time(self, window):
        print('closing:', window.stage, flush=True)
        window.close()
        return GLib.SOURCE_REMOVE


if __name__ == '__main__':
    sys.exit(App().run(sys.argv))
