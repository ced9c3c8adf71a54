/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a small network call by call, then does the same inside a GLib main loop,
 * where nothing blocks: a compile with progress, a run, and a second program that
 * takes too long and is cancelled.
 *
 *   run mlp.mlir collatz.mlir
 *
 * With the library installed it builds with
 *   valac --pkg gio-2.0 --pkg ghlo-1.0 run.vala
 */

/* A buffer of that type, filled with 0.1, 0.2, … 0.9, 0.1, … */
Ghlo.Buffer make_buffer (Ghlo.TensorType type) throws Error {
  var values = new float[type.get_n_elements ()];

  for (int i = 0; i < values.length; i++)
    values[i] = 0.1f * (i % 9 + 1);
  /* The same memory as bytes, of which there are more. */
  unowned uint8[] bytes = (uint8[]) values;
  bytes.length = (int) type.get_size ();

  return new Ghlo.Buffer.from_bytes (type, new Bytes (bytes));
}

Ghlo.Buffer[] make_inputs (Ghlo.Executable executable) throws Error {
  Ghlo.Buffer[] inputs = {};

  foreach (var info in executable.list_inputs ())
    inputs += make_buffer (info.get_tensor_type ());

  return inputs;
}

void show (string title, Ghlo.Result result) throws Error {
  var output = result.get_output (0);
  var bytes = output.read ();
  var values = (float *) bytes.get_data ();

  print ("%s: %s", title, output.tensor_type.to_string ());
  for (size_t i = 0; i < bytes.get_size () / sizeof (float); i++)
    print (" %.4f", values[i]);
  print (" (%.3f ms)\n", result.get_timing ().get_run () * 1e3);
}

void call_by_call (string path) throws Error {
  var program = Ghlo.Program.load (File.new_for_commandline_arg (path));
  var executable = new Ghlo.Client ().compile (program);

  show ("call by call", executable.execute (make_inputs (executable)));
}

/* What an application's window would do. */
async void in_main_loop (string path, string slow_path) throws Error {
  var client = new Ghlo.Client ();
  var cancellable = new Cancellable ();
  var progress = new Ghlo.Progress ();

  progress.notify["fraction"].connect (() => print ("compiling: %3.0f %%\n", progress.fraction * 100));

  var program = yield Ghlo.Program.load_async (File.new_for_commandline_arg (path), cancellable);
  var executable = yield client.compile_async (program, null, progress, cancellable);
  show ("in a main loop", yield executable.execute_async (make_inputs (executable), cancellable));

  program = yield Ghlo.Program.load_async (File.new_for_commandline_arg (slow_path), cancellable);
  executable = yield client.compile_async (program, null, progress, cancellable);
  int64[] limit = { int64.MAX };
  unowned uint8[] bytes = (uint8[]) limit;
  bytes.length = (int) sizeof (int64);
  var input = new Ghlo.Buffer.from_bytes (new Ghlo.TensorType (Ghlo.ElementType.I64), new Bytes (bytes));
  Timeout.add (100, () => {
    cancellable.cancel ();
    return Source.REMOVE;
  });
  try {
    yield executable.execute_async ({ input }, cancellable);
  } catch (IOError.CANCELLED e) {
    print ("cancelled\n");
  }
}

int main (string[] args) {
  var loop = new MainLoop ();
  int status = 0;

  if (args.length != 3) {
    printerr ("usage: %s mlp.mlir collatz.mlir\n", args[0]);
    return 2;
  }
  try {
    call_by_call (args[1]);
  } catch (Ghlo.Error.PARSE e) {
    printerr ("The program cannot be read. %s\n", e.message);
    return 1;
  } catch (Error e) {
    /* The first line is for people; a place in the program may follow. */
    printerr ("%s\n", e.message);
    return 1;
  }

  in_main_loop.begin (args[1], args[2], (source, result) => {
    try {
      in_main_loop.end (result);
    } catch (Error e) {
      printerr ("%s\n", e.message);
      status = 1;
    }
    loop.quit ();
  });
  loop.run ();

  return status;
}
