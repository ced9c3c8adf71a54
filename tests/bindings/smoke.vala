/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The Vala binding reads naturally: defaults, properties, error codes. It is
 * translated to C, not run.
 */

async size_t run (Bytes text, Bytes pixels) throws GLib.Error {
  var program = yield Ghlo.Program.parse_async (text);
  var client = new Ghlo.Client ();
  var options = new Ghlo.CompileOptions () { optimization_level = Ghlo.OptimizationLevel.O3 };
  var progress = new Ghlo.Progress ();
  var executable = yield client.compile_async (program, options, progress);
  var type = new Ghlo.TensorType (Ghlo.ElementType.UI8, { 2, 3 });
  var x = new Ghlo.Buffer.from_bytes_strided (type, pixels, { 4, 1 });
  var result = yield executable.execute_async ({ x });
  foreach (var info in executable.list_outputs ())
    print ("%s\n", info.to_string ());

  return (yield result.get_output (0).read_async ()).get_size ();
}

void main () {
  run.begin (new Bytes ({}), new Bytes ({}), (source, res) => {
    try {
      print ("%zu\n", run.end (res));
    } catch (IOError.CANCELLED e) {
    } catch (Ghlo.Error.PARSE e) {
      print ("The program cannot be read: %s\n", e.message);
    } catch (Error e) {
      print ("%s\n", e.message.split ("\n")[0]);
    }
  });
}
