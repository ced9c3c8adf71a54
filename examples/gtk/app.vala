/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A window that runs a model on a picture, frame after frame.
 *
 *     app [--frames=N] [--close-after=MS] [MODEL]
 *
 * The model takes a picture and a frame number, and gives a picture and the next
 * frame number; examples/models/edges.mlir is one. Nothing here waits: each slow call
 * is a yield, a frame that comes while the last one is being processed is dropped,
 * and closing the window cancels what is going on and leaves.
 * app.py and app.js are the same program.
 */

extern const string PICTURE;      /* the path of picture.png */

class Window : Gtk.ApplicationWindow {
  public string stage = "Open a model";         /* while frames come: Waiting, or what is being done */

  private Gtk.Label status = new Gtk.Label ("Open a model");
  private Gtk.Button cancel_button = new Gtk.Button.with_mnemonic ("_Cancel") { sensitive = false };
  private Gtk.Picture picture = new Gtk.Picture () { vexpand = true };
  private Gtk.ProgressBar bar = new Gtk.ProgressBar ();

  private Ghlo.Client client = new Ghlo.Client ();
  private Cancellable cancellable = new Cancellable ();
  private Ghlo.Device device;
  private Ghlo.Session session;
  private Gtk.FileChooserNative? chooser = null;
  private uint tick = 0;
  private int frames_left;        /* 0: until the window is closed */

  private int width;
  private int height;
  private int64[] strides;
  private Bytes pixels;
  private Ghlo.TensorType picture_type;

  public Window (Gtk.Application application, int frames) throws Error {
    Object (application: application, title: "GHLO", default_width: 480, default_height: 520);
    frames_left = frames;
    make_widgets ();
    load_picture ();
    close_request.connect (on_close_request);
  }

  private void make_widgets () {
    var open_button = new Gtk.Button.with_mnemonic ("_Open…");
    open_button.clicked.connect (choose);
    cancel_button.clicked.connect (() => stop ("Cancelled"));
    var header = new Gtk.HeaderBar ();
    header.pack_start (open_button);
    header.pack_end (cancel_button);
    set_titlebar (header);

    var box = new Gtk.Box (Gtk.Orientation.VERTICAL, 6) {
      margin_top = 6, margin_bottom = 6, margin_start = 6, margin_end = 6
    };
    box.append (picture);
    box.append (bar);
    box.append (status);
    set_child (box);
  }

  private void load_picture () throws Error {
    var pixbuf = new Gdk.Pixbuf.from_file (PICTURE);
    width = pixbuf.width;
    height = pixbuf.height;
    pixels = pixbuf.read_pixel_bytes ();
    strides = { pixbuf.rowstride, 3, 1 };      /* rows are padded to four bytes */
    picture_type = new Ghlo.TensorType (Ghlo.ElementType.UI8, { height, width, 3 });
    show_picture (pixels, pixbuf.rowstride);
  }

  private void show_picture (Bytes pixels, size_t stride) {
    picture.paintable = new Gdk.MemoryTexture (width, height, Gdk.MemoryFormat.R8G8B8, pixels, stride);
  }

  /* Cancel, close, errors */

  private void enter (string stage) {
    this.stage = stage;
    status.label = stage;
  }

  /* Ends what is going on, for something else to begin. */
  private void start (string stage) {
    stop (stage);
    cancellable = new Cancellable ();
    cancel_button.sensitive = true;
  }

  /* Nothing of what is going on comes back after this, but for errors that say so. */
  private void stop (string stage) {
    cancellable.cancel ();
    if (tick != 0)
      remove_tick_callback (tick);
    tick = 0;
    cancel_button.sensitive = false;
    enter (stage);
  }

  private bool on_close_request () {
    stop ("Closed");
    if (chooser != null)
      chooser.destroy ();
    return false;                              /* GTK closes the window; nobody waits */
  }

  private void show_error (Error error) {
    stop ("Failed");
    printerr ("%s\n", error.message);
    var lines = error.message.split ("\n", 2);
    var dialog = new Gtk.MessageDialog (this, Gtk.DialogFlags.MODAL | Gtk.DialogFlags.DESTROY_WITH_PARENT,
                                        Gtk.MessageType.ERROR, Gtk.ButtonsType.CLOSE, "%s", lines[0]);
    /* A place in the program, with a caret under a column. */
    ((Gtk.Box) dialog.message_area).append (new Gtk.Label (lines[1] ?? "") {
      selectable = true, css_classes = { "monospace" }
    });
    dialog.response.connect (() => dialog.destroy ());
    dialog.present ();
  }

  /* Open, load, compile */

  private void choose () {
    chooser = new Gtk.FileChooserNative ("Open a model", this, Gtk.FileChooserAction.OPEN, null, null) {
      modal = true
    };
    chooser.response.connect ((response) => {
      if (response == Gtk.ResponseType.ACCEPT)
        open.begin (chooser.get_file ());
      chooser.destroy ();
      chooser = null;
    });
    chooser.show ();
  }

  public async void open (File file) {
    start ("Loading");
    try {
      yield prepare (file, cancellable);
    } catch (IOError.CANCELLED error) {
    } catch (Error error) {
      show_error (error);
    }
  }

  private async void prepare (File file, Cancellable cancellable) throws Error {
    var program = yield Ghlo.Program.load_async (file, cancellable);
    enter ("Compiling");
    var progress = new Ghlo.Progress ();
    progress.bind_property ("fraction", bar, "fraction");
    var executable = yield client.compile_async (program, null, progress, cancellable);
    device = executable.device;
    session = new Ghlo.Session (executable);
    var number_type = new Ghlo.TensorType (Ghlo.ElementType.I32, null);
    var zero = new Ghlo.Buffer.from_bytes (number_type, new Bytes ({ 0, 0, 0, 0 }));
    session.carry (1, 1, zero);                /* the next frame number becomes the frame number */
    enter ("Waiting");
    tick = add_tick_callback (on_tick);
  }

  /* Frames */

  private bool on_tick () {
    if (stage == "Waiting")                    /* otherwise this frame is dropped */
      process_frame.begin ();
    return Source.CONTINUE;
  }

  private async void process_frame () {
    try {
      yield process (cancellable);
    } catch (IOError.CANCELLED error) {
    } catch (Error error) {
      show_error (error);
    }
  }

  private async void process (Cancellable cancellable) throws Error {
    var input = new Ghlo.Buffer.from_bytes_strided (picture_type, pixels, strides);
    stage = "Uploading";
    var uploaded = yield input.copy_to_device_async (device, cancellable);
    stage = "Running";
    var result = yield session.run_async ({ uploaded }, cancellable);
    stage = "Reading";
    var shown = yield result.get_output (0).read_async (cancellable);
    show_picture (shown, 3 * width);
    var number = yield session.copy_state_async (1, cancellable);
    var count = *(int32*) (yield number.read_async (cancellable)).get_data ();
    status.label = "Frame %d".printf (count);
    stage = "Waiting";
    frames_left--;
    if (frames_left == 0) {
      print ("frame %d, checksum %s\n", count, Checksum.compute_for_bytes (ChecksumType.MD5, shown));
      close ();
    }
  }
}

class App : Gtk.Application {
  public App () {
    Object (flags: ApplicationFlags.HANDLES_COMMAND_LINE | ApplicationFlags.NON_UNIQUE);
    add_main_option ("frames", 0, 0, OptionArg.INT, "Process N frames and close", "N");
    add_main_option ("close-after", 0, 0, OptionArg.INT, "Close after so many milliseconds", "MS");
  }

  public override int command_line (ApplicationCommandLine command_line) {
    var options = command_line.get_options_dict ();
    int frames = 0, milliseconds = 0;
    options.lookup ("frames", "i", out frames);
    try {
      var window = new Window (this, frames);
      window.present ();
      if (options.lookup ("close-after", "i", out milliseconds))
        Timeout.add (milliseconds, () => on_time (window));
      var arguments = command_line.get_arguments ();
      if (arguments.length > 1)
        window.open.begin (command_line.create_file_for_arg (arguments[1]));
    } catch (Error error) {
      printerr ("%s\n", error.message);
      return 1;
    }
    return 0;
  }

  private bool on_time (Window window) {
    print ("closing: %s\n", window.stage);
    stdout.flush ();
    window.close ();
    return Source.REMOVE;
  }

  public static int main (string[] arguments) {
    return new App ().run (arguments);
  }
}
