#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A viewer of programs: their inputs and outputs, how a device runs them, and how fast.

    app.py [--frames=N] [--pattern] [--fill=HOW] [--screenshot=FILE] [--close-after=MS] [PROGRAM]

A program with a picture as input and output runs on one frame after another, of a still picture
or of a test pattern; examples/models/edges.mlir is one. The inputs of any other program are filled
with numbers, and it runs on request. Outputs marked as aliased are carried into the next run. The
main loop never blocks: slow calls are asynchronous, frames that arrive during a run are dropped but
for the last, and closing the window cancels the calls under way and ends the program.
app.js and app.vala are the same program; values.* and rows.* are parts of it.
"""

from __future__ import annotations

import ctypes
import os
import sys
import types
from collections.abc import Callable, Coroutine, Generator, Sequence
from typing import Any

import gi

gi.require_version('Gdk', '4.0')
gi.require_version('Gtk', '4.0')
gi.require_version('Ghlo', '1.0')
from gi.repository import Gdk, Ghlo, Gio, GLib, GObject, Gtk  # noqa: E402

from rows import ValueRow, describe_plan, format_time, show_plan, update_step_rows  # noqa: E402
from values import Camera, describe, is_picture, make_texture, write_fill, write_summary  # noqa: E402

FILLS = ['ramp', 'random', 'zeros']
LAYOUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'viewer.ui')
FIGURES_EVERY = 500000          # microseconds between two updates of the plan's times and the values


@types.coroutine
def call(source: Any, name: str, *arguments: Any) -> Generator[Any, Any, Any]:
    """Awaits the asynchronous call NAME of an object or class and returns its result."""
    result = yield getattr(source, name + '_async'), arguments
    return getattr(source, name + '_finish')(result)


def spawn(coroutine: Coroutine[Any, Any, None], on_error: Callable[[Exception], None]) -> None:
    """Runs a coroutine in GLib's main loop; each asynchronous call resumes it when it finishes."""
    def step(_source: Any = None, result: Gio.AsyncResult | None = None) -> None:
        try:
            begin, arguments = coroutine.send(result)
        except StopIteration:
            return
        except (GLib.Error, ValueError) as error:
            return on_error(error)
        begin(*arguments, step)
    step()


class Window(Gtk.ApplicationWindow):
    # The widgets that viewer.ui names.
    header: Gtk.HeaderBar
    content: Gtk.Box
    open_button: Gtk.Button
    status_label: Gtk.Label
    title_label: Gtk.Label
    pattern_button: Gtk.ToggleButton
    run_button: Gtk.Button
    cancel_button: Gtk.Button
    progress_bar: Gtk.ProgressBar
    fill_drop_down: Gtk.DropDown
    input_list: Gtk.ListView
    output_list: Gtk.ListView
    device_drop_down: Gtk.DropDown
    memory_label: Gtk.Label
    memory_bar: Gtk.ProgressBar
    picture_box: Gtk.Box
    times_label: Gtk.Label
    plan_view: Gtk.ColumnView

    def __init__(self, app: Gtk.Application, options: dict[str, Any]) -> None:
        super().__init__(application=app, title='GHLO', default_width=940, default_height=620)
        self.options = options
        self.client = Ghlo.Client()
        self.cancellable = Gio.Cancellable()
        self.file: Gio.File | None = None
        self.program: Ghlo.Program | None = None
        self.session: Ghlo.Session | None = None
        self.device: Ghlo.Device | None = None
        self.camera: Camera | None = None
        self.dialog: Gtk.MessageDialog | Gtk.FileChooserNative | None = None
        self.helpers: dict[str, Ghlo.Executable] = {}    # programs of write_fill() and write_summary(), by text
        self.stage = ''                           # shown as status; while frames come, Waiting means idle
        self.is_lost = False                      # a run that did not finish lost the carried values
        self.is_due = False                       # a frame has come that is not processed yet
        self.tick = 0
        self.count = self.runs_left = 0           # runs_left of 0: no limit, until the window is closed
        self.make_widgets()
        self.enter('Open a program')
        self.connect('close-request', self.on_close_request)

    def make_widgets(self) -> None:
        GObject.type_ensure(Ghlo.Device)
        builder = Gtk.Builder.new_from_file(LAYOUT)
        for name in Window.__annotations__:
            setattr(self, name, builder.get_object(name))
        self.set_titlebar(self.header)
        self.set_child(self.content)
        self.pattern_button.set_active(self.options.get('pattern', False))
        self.fill_drop_down.set_model(Gtk.StringList.new([fill.capitalize() for fill in FILLS]))
        if self.options.get('fill') in FILLS:
            self.fill_drop_down.set_selected(FILLS.index(self.options['fill']))
        self.open_button.connect('clicked', self.on_open)
        self.pattern_button.connect('toggled', lambda *_: self.make_camera())
        self.run_button.connect('clicked', self.on_run)
        self.cancel_button.connect('clicked', lambda *_: self.stop('Cancelled'))
        self.fill_drop_down.connect('notify::selected', lambda *_: self.prepare_again())
        self.device_drop_down.connect('notify::selected', self.on_device)
        target = Gtk.DropTarget.new(Gio.File, Gdk.DragAction.COPY)
        target.connect('drop', self.on_drop)
        self.add_controller(target)

    # Cancel, close, errors

    def enter(self, stage: str) -> None:
        self.stage = stage
        self.status_label.set_label(stage)

    def start(self, stage: str) -> None:
        """Cancels the activity under way and begins another."""
        self.stop(stage)
        self.cancellable = Gio.Cancellable()
        self.run_button.set_sensitive(False)
        self.cancel_button.set_sensitive(True)

    def stop(self, stage: str) -> None:
        """Cancels the activity under way. Its pending calls finish with the error CANCELLED."""
        self.cancellable.cancel()
        if self.tick:
            self.remove_tick_callback(self.tick)
            self.is_lost = self.stage == 'Running'
        self.tick = 0
        self.cancel_button.set_sensitive(False)
        self.run_button.set_sensitive(self.file is not None)
        self.progress_bar.set_visible(False)
        self.enter(stage)

    def on_close_request(self, _window: Gtk.Window) -> bool:
        if 'close-after' in self.options:
            self.tell_stage()
        self.stop('Closed')
        self.close_dialog()
        return False                              # GTK closes the window without waiting for calls

    def close_dialog(self) -> None:
        if self.dialog:
            self.dialog.destroy()
        self.dialog = None

    def show_error(self, error: Exception) -> None:
        if isinstance(error, GLib.Error) and error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED):
            return
        message = getattr(error, 'message', str(error))
        self.stop('Failed')
        self.close_dialog()
        print(message, file=sys.stderr)
        headline, _, detail = message.partition('\n')
        self.dialog = Gtk.MessageDialog(
            transient_for=self, modal=True, message_type=Gtk.MessageType.ERROR,
            buttons=Gtk.ButtonsType.CLOSE, text=headline)
        # A location in the program, with a caret under the column.
        area = self.dialog.get_message_area()
        if isinstance(area, Gtk.Box):
            area.append(Gtk.Label(label=detail, selectable=True, css_classes=['monospace']))
        self.dialog.connect('response', lambda *_: self.close_dialog())
        self.dialog.present()

    # Open, compile, fill

    def on_open(self, _button: Gtk.Button) -> None:
        self.dialog = Gtk.FileChooserNative(title='Open a program', transient_for=self, modal=True,
                                            action=Gtk.FileChooserAction.OPEN)
        self.dialog.connect('response', self.on_chosen)
        self.dialog.show()

    def on_chosen(self, chooser: Gtk.FileChooserNative, response: int) -> None:
        if response == Gtk.ResponseType.ACCEPT and (file := chooser.get_file()):
            self.open(file)
        self.close_dialog()

    def on_drop(self, _target: Gtk.DropTarget, file: Gio.File, _x: float, _y: float) -> bool:
        self.open(file)
        return True

    def open(self, file: Gio.File) -> None:
        self.file = file
        self.program = self.session = None
        self.start('Loading')
        self.title_label.set_label(file.get_basename() or '')
        spawn(self.load(file, self.cancellable), self.show_error)

    def prepare_again(self) -> None:
        if self.program:
            self.session = None
            self.start('Compiling')
            spawn(self.prepare(self.cancellable), self.show_error)

    def on_run(self, _button: Gtk.Button) -> None:
        """Runs the program, after opening or preparing it where necessary."""
        if self.session:
            self.begin()
        elif self.program:
            self.prepare_again()
        elif self.file:
            self.open(self.file)

    def on_device(self, drop_down: Gtk.DropDown, _property: GObject.ParamSpec) -> None:
        if drop_down.get_selected_item() != self.device:
            self.helpers = {}
            self.prepare_again()

    async def load(self, file: Gio.File, cancellable: Gio.Cancellable) -> None:
        self.program = await call(Ghlo.Program, 'load', file, cancellable)
        if self.device_drop_down.get_model() is None:
            devices = await call(self.client, 'list_devices', cancellable)
            self.device = devices[0]              # so that selecting the first one changes nothing
            self.device_drop_down.set_model(devices)
        await self.prepare(cancellable)

    async def prepare(self, cancellable: Gio.Cancellable) -> None:
        self.enter('Compiling')
        self.progress_bar.set_visible(True)
        device = self.device_drop_down.get_selected_item()
        assert isinstance(device, Ghlo.Device)
        self.device = device
        options = Ghlo.CompileOptions(device=self.device)
        progress = Ghlo.Progress()
        progress.bind_property('fraction', self.progress_bar, 'fraction', GObject.BindingFlags.DEFAULT)
        executable = await call(self.client, 'compile', self.program, options, progress, cancellable)
        self.describe_program(executable)
        session = Ghlo.Session.new(executable)
        await self.fill_inputs(session, cancellable)
        self.session, self.is_lost, self.count = session, False, 0
        self.stop('Ready')
        if self.camera or self.options.get('frames'):
            self.begin()

    def describe_program(self, executable: Ghlo.Executable) -> None:
        self.inputs, self.outputs = executable.list_inputs(), executable.list_outputs()
        self.input_rows, self.output_rows = (
            [ValueRow(title=f'{info.get_name() or i}: {info.get_tensor_type() or info.get_kind().value_nick}')
             for i, info in enumerate(infos)] for infos in (self.inputs, self.outputs))
        for view, rows in ((self.input_list, self.input_rows), (self.output_list, self.output_rows)):
            model = Gio.ListStore.new(ValueRow)
            model.splice(0, 0, rows)
            view.set_model(Gtk.NoSelection.new(model))
        plan = executable.get_plan()
        self.step_rows = show_plan(self.plan_view, plan)
        self.heading = describe_plan(plan)
        self.times_label.set_label(self.heading)

        pictures = [i for i, info in enumerate(self.outputs) if is_picture(info)]
        self.carried = {i: info.get_aliased_input() for i, info in enumerate(self.outputs)
                        if info.get_aliased_input() >= 0 and i not in pictures}
        self.given = [i for i in range(len(self.outputs)) if i not in self.carried]    # the outputs in a result
        self.fed = next((i for i, info in enumerate(self.inputs)
                         if pictures and is_picture(info) and i not in self.carried.values()), -1)
        while child := self.picture_box.get_first_child():
            self.picture_box.remove(child)
        self.pictures = {i: Gtk.Picture() for i in pictures}
        self.input_picture = Gtk.Picture(visible=self.fed >= 0)
        for picture in (self.input_picture, *self.pictures.values()):
            self.picture_box.append(picture)
        self.picture_box.set_visible(bool(pictures))
        self.pattern_button.set_visible(self.fed >= 0)
        self.make_camera()

    def make_camera(self) -> None:
        self.camera = None
        if self.program and self.fed >= 0 and (tensor_type := self.inputs[self.fed].get_tensor_type()):
            self.camera = Camera(tensor_type, self.pattern_button.get_active())

    async def run_helper(self, text: str, buffers: Sequence[Ghlo.Buffer], cancellable: Gio.Cancellable) -> Ghlo.Result:
        """Runs one of the viewer's own small programs, compiled on first use, and returns its result."""
        executable = self.helpers.get(text)
        if executable is None:
            program = await call(Ghlo.Program, 'parse', text.encode(), 'viewer', cancellable)
            options = Ghlo.CompileOptions(device=self.device)
            executable = await call(self.client, 'compile', program, options, None, cancellable)
            self.helpers[text] = executable
        result: Ghlo.Result = await call(executable, 'execute', buffers, cancellable)
        return result

    async def fill_inputs(self, session: Ghlo.Session, cancellable: Gio.Cancellable) -> None:
        """Binds each input but the picture: tensors are filled with numbers, tokens get tokens."""
        infos = {i: info for i, info in enumerate(self.inputs) if i != self.fed}
        for i, info in infos.items():
            if info.get_kind() == Ghlo.ValueKind.TUPLE:
                raise ValueError(f'expected inputs that are tensors and tokens, found a tuple as input {i}')
        tensors = {i: tensor_type for i, info in infos.items() if (tensor_type := info.get_tensor_type())}
        self.enter('Filling')
        how = FILLS[self.fill_drop_down.get_selected()]
        text = write_fill(list(tensors.values()), how)
        filled = dict(zip(tensors, await self.run_helper(text, [], cancellable)))
        outputs = {to: i for i, to in self.carried.items()}
        for i in infos:
            buffer = filled[i] if i in filled else Ghlo.Buffer.new_token()
            if i in outputs:
                session.carry(outputs[i], i, buffer)
            else:
                session.bind_input(i, buffer)
        await self.sum_up([self.input_rows[i] for i in tensors], list(filled.values()), cancellable)
        for i in self.carried.values():
            self.input_rows[i].summary += ' at first, then carried'

    async def sum_up(self, rows: Sequence[ValueRow], buffers: Sequence[Ghlo.Buffer],
                     cancellable: Gio.Cancellable) -> None:
        """Shows a summary of each tensor's values in its row."""
        some = [(row, buffer, tensor_type) for row, buffer in zip(rows, buffers)
                if (tensor_type := buffer.get_tensor_type()) and tensor_type.get_n_elements() > 0]
        text = write_summary([each[2] for each in some])
        result = await self.run_helper(text, [each[1] for each in some], cancellable)
        for (row, _, tensor_type), numbers in zip(some, result):
            row.summary = describe(numbers.get_doubles(), tensor_type.get_n_elements())

    # Runs

    def begin(self) -> None:
        """Begins to run: once per frame, or once."""
        self.start('Waiting')
        if self.session and self.is_lost:
            self.session.reset()
        self.is_lost = False
        self.runs_left = self.options.get('frames', 0 if self.camera else 1)
        self.began = self.looked = GLib.get_monotonic_time()
        self.looked_at = self.began_at = self.count
        self.tick = self.add_tick_callback(self.on_tick)

    def on_tick(self, _window: Gtk.Widget, _clock: Gdk.FrameClock) -> bool:
        self.is_due = True
        self.run_next()
        return GLib.SOURCE_CONTINUE

    def run_next(self) -> None:
        if self.stage == 'Waiting' and self.is_due:
            self.is_due = False                   # one run, however many frames have come
            spawn(self.run(self.cancellable), self.show_error)

    async def run(self, cancellable: Gio.Cancellable) -> None:
        assert self.session                       # runs begin only after a session exists
        inputs = []
        if self.camera:
            pixels, texture = self.camera.take(self.count)
            self.input_picture.set_paintable(texture)
            self.stage = 'Uploading'
            inputs.append(await call(pixels, 'copy_to_device', self.device, cancellable))
        is_looked_at = (self.count == self.looked_at or self.runs_left == 1
                        or GLib.get_monotonic_time() - self.looked >= FIGURES_EVERY)
        self.session.set_profile(is_looked_at and self.step_rows.get_n_items() > 0)
        self.stage = 'Running'
        result = await call(self.session, 'run', inputs, cancellable)
        self.stage = 'Reading'
        outputs = dict(zip(self.given, result))
        shown = None
        for i, picture in self.pictures.items():
            pixels = await call(outputs[i], 'read', cancellable)
            picture.set_paintable(make_texture(outputs[i].get_tensor_type(), pixels))
            shown = pixels if shown is None else shown
        self.count += 1
        if is_looked_at:
            await self.show_figures(result, inputs + list(result), cancellable)
        self.stage = 'Waiting'
        self.runs_left -= 1
        if self.runs_left == 0:
            self.finish(shown)
        else:
            self.run_next()

    async def show_figures(self, result: Ghlo.Result, buffers: Sequence[Ghlo.Buffer],
                           cancellable: Gio.Cancellable) -> None:
        """Shows the times of the last run, and summaries of its inputs and outputs."""
        timing = result.get_timing()
        plan = result.get_plan()
        if plan is not None:
            update_step_rows(self.step_rows, plan, 0, max(timing.get_run(), 1e-9))
        fed = [self.input_rows[self.fed]] if self.camera else []
        await self.sum_up(fed + [self.output_rows[i] for i in self.given], buffers, cancellable)
        for i in self.carried:
            self.output_rows[i].summary = f'carried into {self.inputs[self.carried[i]].get_name() or self.carried[i]}'
        now = GLib.get_monotonic_time()
        rate = (self.count - self.looked_at) * 1e6 / max(now - self.looked, 1)
        self.status_label.set_label(f'{"Frame" if self.camera else "Run"} {self.count}'
                                    + (f', {rate:.1f} a second' if self.looked_at > self.began_at else ''))
        self.looked, self.looked_at = now, self.count

        self.times_label.set_label(f'{self.heading}, run in ' + format_time(timing.get_run()) + ''.join(
            f', {name} {format_time(time)}' for name, time in (
                ('of which reference steps', timing.get_reference()), ('upload', timing.get_upload()),
                ('download', timing.get_download())) if time > 0))
        used, peak, limit = (self.client.get_statistics().get_memory_used(),
                             self.client.get_statistics().get_memory_peak(),
                             self.device.get_memory() if self.device else 0)
        used_text, peak_text, limit_text = (GLib.format_size_full(size, GLib.FormatSizeFlags.IEC_UNITS)
                                            for size in (used, peak, limit))
        self.memory_label.set_label(f'Memory: {used_text}, at most {peak_text}, of {limit_text}')
        self.memory_bar.set_fraction(used / limit if limit > 0 else 0)

    def finish(self, shown: GLib.Bytes | None) -> None:
        """Called when the last requested run is done."""
        seconds = (GLib.get_monotonic_time() - self.began) / 1e6
        status = self.status_label.get_label()
        self.stop('Ready')
        self.status_label.set_label(status)
        if 'frames' not in self.options:
            return
        checksum = GLib.compute_checksum_for_bytes(GLib.ChecksumType.MD5, shown) if shown is not None else 'none'
        print(f'frame {self.count}, checksum {checksum}, {self.options["frames"] / seconds:.1f} a second')
        self.tell()
        # Leaves time to draw the last frame.
        GLib.timeout_add(300, self.leave)

    def tell(self) -> None:
        """Prints the contents of the lists."""
        for row in (*self.input_rows, *self.output_rows):
            print(f'{row.title}: {row.summary}')
        model: Any = self.plan_view.get_model()
        rows = [model.get_item(i).get_item() for i in range(model.get_n_items())]
        device = self.device.get_name() if self.device else 'no device'
        print(f'{len(rows)} steps on {device}, {sum(bool(row.measured) for row in rows)} measured', flush=True)

    def tell_stage(self) -> None:
        """Prints the contents of the lists, then the current stage."""
        if self.session:
            self.tell()
        print('closing:', self.stage, flush=True)

    def leave(self) -> bool:
        if 'screenshot' in self.options:
            self.save_screenshot(self.options['screenshot'])
        self.close()
        return GLib.SOURCE_REMOVE

    def save_screenshot(self, path: str) -> None:
        width, height = self.get_width(), self.get_height()
        snapshot = Gtk.Snapshot()
        Gtk.WidgetPaintable.new(self).snapshot(snapshot, width, height)
        # PyGObject 3.42 has no render nodes; a wrapper's hash is the address of its object.
        gtk = ctypes.CDLL('libgtk-4.so.1')
        for function in (gtk.gtk_snapshot_to_node, gtk.gsk_renderer_render_texture):
            function.restype = ctypes.c_void_p
        node = ctypes.c_void_p(gtk.gtk_snapshot_to_node(ctypes.c_void_p(hash(snapshot))))
        renderer = ctypes.c_void_p(hash(self.get_renderer()))
        texture = ctypes.c_void_p(gtk.gsk_renderer_render_texture(renderer, node, None))
        gtk.gdk_texture_save_to_png(texture, path.encode())


class App(Gtk.Application):
    def __init__(self) -> None:
        super().__init__(flags=Gio.ApplicationFlags.HANDLES_COMMAND_LINE | Gio.ApplicationFlags.NON_UNIQUE)
        for name, kind, text, argument in (
                ('frames', GLib.OptionArg.INT, 'Run N times and close', 'N'),
                ('pattern', GLib.OptionArg.NONE, 'Begin with the test pattern', None),
                ('fill', GLib.OptionArg.STRING, 'What inputs are filled with: ramp, random or zeros', 'HOW'),
                ('screenshot', GLib.OptionArg.STRING, 'Save a picture of the window before it closes', 'FILE'),
                ('close-after', GLib.OptionArg.INT, 'Close after so many milliseconds', 'MS')):
            self.add_main_option(name, 0, GLib.OptionFlags.NONE, kind, text, argument)

    def do_command_line(self, command_line: Gio.ApplicationCommandLine) -> int:
        options = command_line.get_options_dict().end().unpack()
        self.set_accels_for_action('window.close', ['<Control>w'])
        window = Window(self, options)
        window.present()
        if 'close-after' in options:
            GLib.timeout_add(options['close-after'], self.on_time, window)
        arguments = command_line.get_arguments()[1:]
        if arguments:
            window.open(command_line.create_file_for_arg(arguments[0]))
        return 0

    def on_time(self, window: Window) -> bool:
        window.close()
        return GLib.SOURCE_REMOVE


if __name__ == '__main__':
    sys.exit(App().run(sys.argv))
