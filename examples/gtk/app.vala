/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A viewer of programs: what they take and give, how a device runs them, and how fast.
 *
 *     app [--frames=N] [--pattern] [--fill=HOW] [--screenshot=FILE] [--close-after=MS] [PROGRAM]
 *
 * A program that takes and gives a picture runs on one frame after the other, of a picture or of
 * a test pattern; examples/models/edges.mlir is one. Any other gets its inputs filled, and runs
 * when asked. What a program marks as aliased is carried from run to run. Nothing here waits:
 * each slow call is a yield, of the frames that come while one is being processed the last is taken,
 * and closing the window cancels what is going on and leaves.
 * app.py and app.js are the same program; values.* and rows.* are parts of it.
 */

const int64 FIGURES_EVERY = 500000;   /* microseconds from one look at the plan's times and the values to the next */

const string[] FILLS = { "ramp", "random", "zeros" };

string format_memory (uint64 size) {
  return format_size (size, FormatSizeFlags.IEC_UNITS);
}

class Window : Gtk.ApplicationWindow {
  private string stage = "";      /* while frames come: Waiting, or what is being done */

  private Options options;
  private Ghlo.Client client = new Ghlo.Client ();
  private Cancellable cancellable = new Cancellable ();
  private File? file = null;
  private Ghlo.Program? program = null;
  private Ghlo.Session? session = null;
  private Ghlo.Device? device = null;
  private Camera? camera = null;
  private Gtk.FileChooserNative? chooser = null;
  private HashTable<string, Ghlo.Executable> helpers     /* of write_fill() and write_summary(), by text */
    = new HashTable<string, Ghlo.Executable> (str_hash, str_equal);
  private bool is_lost = false;   /* the carried values, by a run that did not end */
  private bool is_due = false;    /* a frame came that was not processed */
  private uint tick = 0;
  private int count = 0;
  private int runs_left = 0;      /* 0: until the window is closed */
  private int64 began;            /* the first of these runs, and the last look at figures: when, and at which run */
  private int began_at;
  private int64 looked;
  private int looked_at;

  private Ghlo.ValueInfo[] inputs;
  private Ghlo.ValueInfo[] outputs;
  private int[] carried_from;     /* of each input, the output that is carried into it, or -1 */
  private int[] given;            /* the outputs that results have */
  private int fed;                /* the input that takes pictures, or -1 */
  private ListStore input_rows;
  private ListStore output_rows;
  private ListStore step_rows;
  private string heading;         /* of the plan */
  private Gtk.Picture input_picture;
  private Gtk.Picture[] pictures; /* of each output, or null */

  private Gtk.Label status_label;
  private Gtk.Label title_label;
  private Gtk.Label memory_label;
  private Gtk.Label times_label;
  private Gtk.Button run_button;
  private Gtk.Button cancel_button;
  private Gtk.ToggleButton pattern_button;
  private Gtk.DropDown fill_drop_down;
  private Gtk.DropDown device_drop_down;
  private Gtk.ProgressBar progress_bar;
  private Gtk.ProgressBar memory_bar;
  private Gtk.ListView input_list;
  private Gtk.ListView output_list;
  private Gtk.ColumnView plan_view;
  private Gtk.Box picture_box;

  public Window (Gtk.Application application, Options options) {
    Object (application: application, title: "GHLO", default_width: 940, default_height: 620);
    this.options = options;
    make_widgets ();
    enter ("Open a program");
    close_request.connect (on_close_request);
  }

  private void make_widgets () {
    typeof (Ghlo.Device).ensure ();
    typeof (ValueRow).ensure ();
    typeof (StepRow).ensure ();
    var builder = new Gtk.Builder.from_file (FOLDER + "/viewer.ui");
    status_label = (Gtk.Label) builder.get_object ("status_label");
    title_label = (Gtk.Label) builder.get_object ("title_label");
    memory_label = (Gtk.Label) builder.get_object ("memory_label");
    times_label = (Gtk.Label) builder.get_object ("times_label");
    run_button = (Gtk.Button) builder.get_object ("run_button");
    cancel_button = (Gtk.Button) builder.get_object ("cancel_button");
    pattern_button = (Gtk.ToggleButton) builder.get_object ("pattern_button");
    fill_drop_down = (Gtk.DropDown) builder.get_object ("fill_drop_down");
    device_drop_down = (Gtk.DropDown) builder.get_object ("device_drop_down");
    progress_bar = (Gtk.ProgressBar) builder.get_object ("progress_bar");
    memory_bar = (Gtk.ProgressBar) builder.get_object ("memory_bar");
    input_list = (Gtk.ListView) builder.get_object ("input_list");
    output_list = (Gtk.ListView) builder.get_object ("output_list");
    plan_view = (Gtk.ColumnView) builder.get_object ("plan_view");
    picture_box = (Gtk.Box) builder.get_object ("picture_box");
    set_titlebar ((Gtk.Widget) builder.get_object ("header"));
    set_child ((Gtk.Widget) builder.get_object ("content"));
    pattern_button.active = options.pattern;
    fill_drop_down.model = new Gtk.StringList ({ "Ramp", "Random", "Zeros" });
    for (var i = 0; i < FILLS.length; i++) {
      if (options.fill == FILLS[i])
        fill_drop_down.selected = i;
    }
    ((Gtk.Button) builder.get_object ("open_button")).clicked.connect (choose);
    pattern_button.toggled.connect (make_camera);
    run_button.clicked.connect (on_run);
    cancel_button.clicked.connect (() => stop ("Cancelled"));
    fill_drop_down.notify["selected"].connect (prepare_again);
    device_drop_down.notify["selected"].connect (on_device);
    var target = new Gtk.DropTarget (typeof (File), Gdk.DragAction.COPY);
    target.on_drop.connect ((file, x, y) => {
      open ((File) file.get_object ());
      return true;
    });
    ((Gtk.Widget) this).add_controller (target);
  }

  /* Cancel, close, errors */

  private void enter (string stage) {
    this.stage = stage;
    status_label.label = stage;
  }

  /* Ends what is going on, for something else to begin. */
  private void start (string stage) {
    stop (stage);
    cancellable = new Cancellable ();
    run_button.sensitive = false;
    cancel_button.sensitive = true;
  }

  /* Nothing of what is going on comes back after this, but for errors that say so. */
  private void stop (string stage) {
    cancellable.cancel ();
    if (tick != 0) {
      remove_tick_callback (tick);
      is_lost = this.stage == "Running";
    }
    tick = 0;
    cancel_button.sensitive = false;
    run_button.sensitive = file != null;
    progress_bar.visible = false;
    enter (stage);
  }

  private bool on_close_request () {
    if (options.has_close_after)
      tell_stage ();
    stop ("Closed");
    if (chooser != null)
      chooser.destroy ();
    return false;                              /* GTK closes the window; nobody waits */
  }

  private void show_error (Error error) {
    stop ("Failed");
    printerr ("%s\n", error.message);
    var lines = error.message.split ("\n", 2);
    var dialog = new Gtk.MessageDialog (this, Gtk.DialogFlags.MODAL, Gtk.MessageType.ERROR, Gtk.ButtonsType.CLOSE,
                                        "%s", lines[0]);
    /* A place in the program, with a caret under a column. */
    ((Gtk.Box) dialog.message_area).append (new Gtk.Label (lines[1] ?? "") {
      selectable = true, css_classes = { "monospace" }
    });
    dialog.response.connect (() => dialog.destroy ());
    dialog.present ();
  }

  /* Open, compile, fill */

  private void choose () {
    chooser = new Gtk.FileChooserNative ("Open a program", this, Gtk.FileChooserAction.OPEN, null, null) {
      modal = true
    };
    chooser.response.connect ((response) => {
      if (response == Gtk.ResponseType.ACCEPT)
        open (chooser.get_file ());
      chooser.destroy ();
      chooser = null;
    });
    chooser.show ();
  }

  public void open (File file) {
    this.file = file;
    program = null;
    session = null;
    start ("Loading");
    title_label.label = file.get_basename ();
    prepare.begin (file, cancellable);
  }

  private void prepare_again () {
    if (program == null)
      return;
    session = null;
    start ("Compiling");
    prepare.begin (null, cancellable);
  }

  /* Runs, after what is still to be done for that. */
  private void on_run () {
    if (session != null)
      begin ();
    else if (program != null)
      prepare_again ();
    else
      open (file);
  }

  private void on_device () {
    var selected = (Ghlo.Device?) device_drop_down.selected_item;
    if (device != null && selected != null && !selected.equal (device)) {
      helpers.remove_all ();
      prepare_again ();
    }
  }

  /* Loads the program of a file, if there is one, and makes it ready to run. */
  private async void prepare (File? file, Cancellable cancellable) {
    try {
      if (file != null)
        yield load (file, cancellable);
      yield compile (cancellable);
    } catch (IOError.CANCELLED error) {
    } catch (Error error) {
      show_error (error);
    }
  }

  private async void load (File file, Cancellable cancellable) throws Error {
    program = yield Ghlo.Program.load_async (file, cancellable);
    if (device_drop_down.model == null) {
      var devices = yield client.list_devices_async (cancellable);
      device = (Ghlo.Device) devices.get_item (0);     /* so that nothing changes when the first one is selected */
      device_drop_down.model = devices;
    }
  }

  private async void compile (Cancellable cancellable) throws Error {
    enter ("Compiling");
    progress_bar.visible = true;
    device = (Ghlo.Device) device_drop_down.selected_item;
    var settings = new Ghlo.CompileOptions () { device = device };
    var progress = new Ghlo.Progress ();
    progress.bind_property ("fraction", progress_bar, "fraction");
    var executable = yield client.compile_async (program, settings, progress, cancellable);
    describe_program (executable);
    var filled = new Ghlo.Session (executable);
    yield fill_inputs (filled, cancellable);
    session = filled;
    is_lost = false;
    count = 0;
    stop ("Ready");
    if (camera != null || options.has_frames)
      begin ();
  }

  private ListStore list_values (Gtk.ListView view, Ghlo.ValueInfo[] infos) {
    var rows = new ListStore (typeof (ValueRow));
    for (var i = 0; i < infos.length; i++) {
      unowned var type = infos[i].get_tensor_type ();
      var name = infos[i].get_name () ?? @"$i";
      rows.append (new ValueRow (@"$name: $(type != null ? type.to_string () : "no tensor")"));
    }
    view.model = new Gtk.NoSelection (rows);
    return rows;
  }

  private void describe_program (Ghlo.Executable executable) {
    inputs = executable.list_inputs ();
    outputs = executable.list_outputs ();
    input_rows = list_values (input_list, inputs);
    output_rows = list_values (output_list, outputs);
    var plan = executable.get_plan ();
    step_rows = show_plan (plan_view, plan);
    heading = describe_plan (plan);
    times_label.label = heading;

    while (picture_box.get_first_child () != null)
      picture_box.remove (picture_box.get_first_child ());
    input_picture = new Gtk.Picture ();
    picture_box.append (input_picture);
    carried_from = new int[inputs.length];
    for (var i = 0; i < inputs.length; i++)
      carried_from[i] = -1;
    given = {};
    pictures = new Gtk.Picture[outputs.length];
    var has_pictures = false;
    for (var i = 0; i < outputs.length; i++) {
      var to = outputs[i].get_aliased_input ();
      if (is_picture (outputs[i])) {
        pictures[i] = new Gtk.Picture ();
        picture_box.append (pictures[i]);
        has_pictures = true;
      }
      if (to >= 0 && pictures[i] == null)
        carried_from[to] = i;
      else
        given += i;
    }
    fed = -1;
    for (var i = 0; i < inputs.length && has_pictures && fed < 0; i++)
      fed = is_picture (inputs[i]) && carried_from[i] < 0 ? i : -1;
    input_picture.visible = fed >= 0;
    picture_box.visible = has_pictures;
    pattern_button.visible = fed >= 0;
    make_camera ();
  }

  private void make_camera () {
    camera = null;
    if (program == null || fed < 0)
      return;
    try {
      camera = new Camera (inputs[fed].get_tensor_type (), pattern_button.active);
    } catch (Error error) {
      show_error (error);
    }
  }

  /* What a small program of the viewer's own gives. */
  private async Ghlo.Result run_helper (string text, Ghlo.Buffer[] buffers, Cancellable cancellable) throws Error {
    var executable = helpers[text];
    if (executable == null) {
      var helper = yield Ghlo.Program.parse_async (new Bytes (text.data), "viewer", cancellable);
      var settings = new Ghlo.CompileOptions () { device = device };
      executable = yield client.compile_async (helper, settings, null, cancellable);
      helpers[text] = executable;
    }
    return yield executable.execute_async (buffers, cancellable);
  }

  /* Binds each input but the picture: tensors to numbers, tokens to tokens. */
  private async void fill_inputs (Ghlo.Session session, Cancellable cancellable) throws Error {
    Ghlo.TensorType[] types = {};
    ValueRow[] rows = {};
    for (var i = 0; i < inputs.length; i++) {
      if (inputs[i].get_kind () == Ghlo.ValueKind.TUPLE)
        throw new IOError.NOT_SUPPORTED ("expected inputs that are tensors and tokens, found a tuple as input %d", i);
      if (i == fed || inputs[i].get_kind () != Ghlo.ValueKind.TENSOR)
        continue;
      types += inputs[i].get_tensor_type ();
      rows += (ValueRow) input_rows.get_item (i);
    }
    enter ("Filling");
    var how = FILLS[fill_drop_down.selected];
    var result = yield run_helper (write_fill (types, how), {}, cancellable);
    var next = 0;
    for (var i = 0; i < inputs.length; i++) {
      if (i == fed)
        continue;
      var is_tensor = inputs[i].get_kind () == Ghlo.ValueKind.TENSOR;
      var buffer = is_tensor ? result.get_output (next++) : new Ghlo.Buffer.token ();
      if (carried_from[i] >= 0)
        session.carry (carried_from[i], i, buffer);
      else
        session.bind_input (i, buffer);
    }
    yield sum_up (rows, result.get_outputs (), cancellable);
    for (var i = 0; i < inputs.length; i++) {
      if (carried_from[i] >= 0)
        ((ValueRow) input_rows.get_item (i)).summary += " at first, then carried";
    }
  }

  /* Says of each tensor what numbers it has. */
  private async void sum_up (ValueRow[] rows, Ghlo.Buffer[] buffers, Cancellable cancellable) throws Error {
    Ghlo.Buffer[] some = {};
    ValueRow[] some_rows = {};
    Ghlo.TensorType[] types = {};
    for (var i = 0; i < buffers.length; i++) {
      unowned var type = buffers[i].get_tensor_type ();
      if (type == null || type.get_n_elements () == 0)
        continue;
      some += buffers[i];
      some_rows += rows[i];
      types += type;
    }
    var result = yield run_helper (write_summary (types), some, cancellable);
    for (var i = 0; i < some.length; i++)
      some_rows[i].summary = describe (result.get_output (i).get_doubles (), types[i].get_n_elements ());
  }

  /* Runs */

  /* Begins to run: frame after frame, or once. */
  private void begin () {
    start ("Waiting");
    try {
      if (is_lost)
        session.reset ();
    } catch (Error error) {
      show_error (error);
      return;
    }
    is_lost = false;
    runs_left = options.has_frames ? options.frames : camera != null ? 0 : 1;
    began = looked = get_monotonic_time ();
    looked_at = began_at = count;
    tick = add_tick_callback (on_tick);
  }

  private bool on_tick () {
    is_due = true;
    run_next ();
    return Source.CONTINUE;
  }

  private void run_next () {
    if (stage == "Waiting" && is_due) {
      is_due = false;                          /* however many frames came meanwhile */
      run.begin ();
    }
  }

  private async void run () {
    try {
      yield process (cancellable);
    } catch (IOError.CANCELLED error) {
    } catch (Error error) {
      show_error (error);
    }
  }

  private async void process (Cancellable cancellable) throws Error {
    Ghlo.Buffer[] taken = {};
    if (camera != null) {
      Gdk.Texture texture;
      var pixels = camera.take (count, out texture);
      input_picture.paintable = texture;
      stage = "Uploading";
      taken += yield pixels.copy_to_device_async (device, cancellable);
    }
    var is_looked_at = count == looked_at || runs_left == 1 || get_monotonic_time () - looked >= FIGURES_EVERY;
    session.profile = is_looked_at && step_rows.get_n_items () > 0;
    stage = "Running";
    var result = yield session.run_async (taken, cancellable);
    stage = "Reading";
    Bytes? shown = null;
    for (var i = 0; i < given.length; i++) {
      var picture = pictures[given[i]];
      if (picture == null)
        continue;
      unowned var output = result.get_output (i);
      var pixels = yield output.read_async (cancellable);
      picture.paintable = make_texture (output.get_tensor_type (), pixels);
      shown = shown ?? pixels;
    }
    count++;
    if (is_looked_at)
      yield show_figures (result, taken, cancellable);
    stage = "Waiting";
    runs_left--;
    if (runs_left == 0)
      finish (shown);
    else
      run_next ();
  }

  /* Shows what the last run took, and what it was given and gave. */
  private async void show_figures (Ghlo.Result result, Ghlo.Buffer[] taken, Cancellable cancellable) throws Error {
    unowned var timing = result.get_timing ();
    if (result.get_plan () != null)
      update_step_rows (step_rows, result.get_plan (), 0, double.max (timing.get_run (), 1e-9));
    Ghlo.Buffer[] buffers = taken;
    ValueRow[] rows = {};
    if (camera != null)
      rows += (ValueRow) input_rows.get_item (fed);
    for (var i = 0; i < given.length; i++) {
      rows += (ValueRow) output_rows.get_item (given[i]);
      buffers += result.get_output (i);
    }
    yield sum_up (rows, buffers, cancellable);
    for (var to = 0; to < inputs.length; to++) {
      if (carried_from[to] >= 0)
        ((ValueRow) output_rows.get_item (carried_from[to])).summary
          = @"carried into $(inputs[to].get_name () ?? @"$to")";
    }
    var now = get_monotonic_time ();
    var rate = (count - looked_at) * 1e6 / int64.max (now - looked, 1);
    status_label.label = @"$(camera != null ? "Frame" : "Run") $count"
                         + (looked_at > began_at ? ", %.1f a second".printf (rate) : "");
    looked = now;
    looked_at = count;

    var times = heading + ", run in " + format_time (timing.get_run ());
    string[] names = { "of which reference steps", "upload", "download" };
    double[] seconds = { timing.get_reference (), timing.get_upload (), timing.get_download () };
    for (var i = 0; i < names.length; i++)
      times += seconds[i] > 0 ? @", $(names[i]) $(format_time (seconds[i]))" : "";
    times_label.label = times;
    var statistics = client.get_statistics ();
    var used = statistics.get_memory_used (), limit = device.memory;
    memory_label.label = "Memory: %s, at most %s, of %s".printf (
      format_memory (used), format_memory (statistics.get_memory_peak ()), format_memory (limit));
    memory_bar.fraction = limit > 0 ? (double) used / limit : 0;
  }

  /* The last run that was asked for is done. */
  private void finish (Bytes? shown) {
    var seconds = (get_monotonic_time () - began) / 1e6;
    var status = status_label.label;
    stop ("Ready");
    status_label.label = status;
    if (!options.has_frames)
      return;
    var checksum = shown != null ? Checksum.compute_for_bytes (ChecksumType.MD5, shown) : "none";
    print ("frame %d, checksum %s, %.1f a second\n", count, checksum, options.frames / seconds);
    tell ();
    /* Once the last of it is drawn. */
    Timeout.add (300, leave);
  }

  /* Prints what the lists show. */
  private void tell () {
    foreach (var list in new ListModel[] { input_rows, output_rows }) {
      for (var i = 0; i < list.get_n_items (); i++) {
        var row = (ValueRow) list.get_item (i);
        print ("%s: %s\n", row.title, row.summary);
      }
    }
    var model = plan_view.model;
    var n_measured = 0;
    for (var i = 0; i < model.get_n_items (); i++) {
      var row = (StepRow) ((Gtk.TreeListRow) model.get_item (i)).get_item ();
      n_measured += row.measured != null && row.measured != "" ? 1 : 0;
    }
    print ("%u steps on %s, %d measured\n", model.get_n_items (), device.name, n_measured);
  }

  /* Prints what is going on, and before it what the lists show. */
  private void tell_stage () {
    if (session != null)
      tell ();
    print ("closing: %s\n", stage);
    stdout.flush ();
  }

  private bool leave () {
    if (options.screenshot != null)
      save_screenshot (options.screenshot);
    close ();
    return Source.REMOVE;
  }

  private void save_screenshot (string path) {
    var snapshot = new Gtk.Snapshot ();
    new Gtk.WidgetPaintable (this).snapshot (snapshot, get_width (), get_height ());
    get_renderer ().render_texture (snapshot.to_node (), null).save_to_png (path);
  }
}

class Options {
  public bool has_frames;
  public int frames = 0;
  public bool pattern = false;
  public string? fill = null;
  public string? screenshot = null;
  public bool has_close_after;
}

class App : Gtk.Application {
  public App () {
    Object (flags: ApplicationFlags.HANDLES_COMMAND_LINE | ApplicationFlags.NON_UNIQUE);
    add_main_option ("frames", 0, 0, OptionArg.INT, "Run N times and close", "N");
    add_main_option ("pattern", 0, 0, OptionArg.NONE, "Begin with the test pattern", null);
    add_main_option ("fill", 0, 0, OptionArg.STRING, "What inputs are filled with: ramp, random or zeros", "HOW");
    add_main_option ("screenshot", 0, 0, OptionArg.STRING, "Save a picture of the window before it closes", "FILE");
    add_main_option ("close-after", 0, 0, OptionArg.INT, "Close after so many milliseconds", "MS");
  }

  public override int command_line (ApplicationCommandLine command_line) {
    var given = command_line.get_options_dict ();
    var options = new Options ();
    int milliseconds = 0;
    options.has_frames = given.lookup ("frames", "i", out options.frames);
    given.lookup ("pattern", "b", out options.pattern);
    given.lookup ("fill", "s", out options.fill);
    given.lookup ("screenshot", "s", out options.screenshot);
    options.has_close_after = given.lookup ("close-after", "i", out milliseconds);
    set_accels_for_action ("window.close", { "<Control>w" });
    var window = new Window (this, options);
    window.present ();
    if (options.has_close_after)
      Timeout.add (milliseconds, () => on_time (window));
    var arguments = command_line.get_arguments ();
    if (arguments.length > 1)
      window.open (command_line.create_file_for_arg (arguments[1]));
    return 0;
  }

  private bool on_time (Window window) {
    window.close ();
    return Source.REMOVE;
  }

  public static int main (string[] arguments) {
    return new App ().run (arguments);
  }
}
