/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of wrong calls, from Vala. Prints TAP.
 *
 *   wrong-calls wrong-calls.json
 *
 * Vala refuses some of these when it compiles; here a nothing or another object
 * gets past it by a cast, which the build leaves unchecked.
 */

/* In the order of their numbers. */
const string[] GHLO_CODES = {
  "PARSE", "VERIFY", "UNSUPPORTED", "INVALID_ARGUMENT", "DEVICE", "DEVICE_LOST", "OUT_OF_MEMORY", "DATA", "INTERNAL"
};

Ghlo.Client client;
Json.Object programs;
Object foreign;
Ghlo.Buffer released;
Ghlo.Buffer bare;

Ghlo.Buffer make_zeros (string type) throws Error {
  var tensor_type = Ghlo.TensorType.parse (type);

  return new Ghlo.Buffer.from_bytes (tensor_type, new Bytes (new uint8[tensor_type.get_size ()]));
}

string? get_text (Json.Object row, string member) {
  return row.get_null_member (member) ? null : row.get_string_member (member);
}

Bytes? make_bytes (Json.Object row) {
  if (row.get_null_member ("size"))
    return null;
  var data = new uint8[row.get_int_member ("size")];
  Memory.set (data, (int) row.get_int_member_with_default ("fill", 0), data.length);

  return new Bytes (data);
}

Object? find_buffer (string? name) throws Error {
  switch (name) {
  case null: return null;
  case "ones": return make_zeros ("tensor<2x3xf32>");
  case "wide": return make_zeros ("tensor<3x2xf32>");
  case "flat": return make_zeros ("tensor<6xf32>");
  case "double": return make_zeros ("tensor<2x3xf64>");
  case "token": return new Ghlo.Buffer.token ();
  case "tuple": return new Ghlo.Buffer.tuple ({ make_zeros ("tensor<2x3xf32>"), make_zeros ("tensor<2x3xf32>") });
  case "released": return released;
  case "bare": return bare;
  default: return foreign;
  }
}

/* The buffers as the array that a call takes, whatever they are. */
Ghlo.Buffer?[] make_list (Json.Object row, string member) throws Error {
  Ghlo.Buffer?[] list = {};
  var names = row.get_array_member (member);

  for (uint i = 0; i < names.get_length (); i++)
    list += (Ghlo.Buffer?) find_buffer (names.get_null_element (i) ? null : names.get_string_element (i));

  return list;
}

Object? find_program (string? name) throws Error {
  if (name == null)
    return null;
  if (name == "foreign")
    return foreign;
  if (name == "bare")
    return Object.new (typeof (Ghlo.Program));

  return Ghlo.Program.parse (new Bytes (programs.get_string_member (name).data), name);
}

int64[]? make_numbers (Json.Object row, string member) {
  int64[] numbers = {};

  if (row.get_null_member (member))
    return null;
  var array = row.get_array_member (member);
  for (uint i = 0; i < array.get_length (); i++)
    numbers += array.get_int_element (i);

  return numbers;
}

Ghlo.TensorType? make_type (Json.Object row) throws Error {
  if (row.has_member ("dimensions"))
    return new Ghlo.TensorType (Ghlo.ElementType.F32, make_numbers (row, "dimensions"));
  if (row.get_null_member ("type"))
    return null;

  return Ghlo.TensorType.parse (row.get_string_member ("type"));
}

Ghlo.Executable make_executable (string name) throws Error {
  if (name == "bare")
    return (Ghlo.Executable) Object.new (typeof (Ghlo.Executable));

  return client.compile ((Ghlo.Program) find_program (name));
}

Ghlo.Session make_session (Json.Object row) throws Error {
  string name = row.get_string_member ("session");

  if (name == "bare")
    return (Ghlo.Session) Object.new (typeof (Ghlo.Session));

  return new Ghlo.Session (make_executable (name));
}

Ghlo.Buffer? get_buffer (Json.Object row) throws Error {
  return (Ghlo.Buffer?) find_buffer (get_text (row, "buffer"));
}

/* Runs a program that calls a function which does something wrong. */
void answer (Json.Object row) throws Error {
  var own = new Ghlo.Client ();

  own.register_custom_call ("answer", (call) => {
    if (!row.get_null_member ("result"))
      call.set_result ((uint) row.get_int_member ("result"), get_buffer (row));

    return true;
  });
  own.compile (Ghlo.Program.parse (new Bytes (programs.get_string_member ("call").data), null))
    .execute ({ make_zeros ("tensor<2x3xf32>") });
}

/* Quick calls, which have no asynchronous form. */
void make (Json.Object row) throws Error {
  switch (row.get_string_member ("call")) {
  case "bytes":
    new Ghlo.Buffer.from_bytes (make_type (row), make_bytes (row));
    break;
  case "strided":
    new Ghlo.Buffer.from_bytes_strided (make_type (row), make_bytes (row), make_numbers (row, "strides"));
    break;
  case "quantized":
    double[] scales = {};
    foreach (var number in make_numbers (row, "scales"))
      scales += (double) number;
    new Ghlo.TensorType.quantized (make_type (row), Ghlo.ElementType.from_string (row.get_string_member ("expressed")),
                                   scales, make_numbers (row, "zero_points"), (int) row.get_int_member ("axis"),
                                   row.get_int_member ("min"), row.get_int_member ("max"));
    break;
  case "tuple":
    new Ghlo.Buffer.tuple (make_list (row, "members"));
    break;
  case "type":
    Ghlo.TensorType.parse (row.get_string_member ("text"));
    break;
  case "bind":
    make_session (row).bind_input ((uint) row.get_int_member ("input"), get_buffer (row));
    break;
  case "bind-name":
    make_session (row).bind_input_by_name (row.get_string_member ("input"), get_buffer (row));
    break;
  case "carry-all":
    make_session (row).carry_all (make_list (row, "initial"));
    break;
  case "bind-output":
    make_session (row).bind_output ((uint) row.get_int_member ("output"), (uintptr) row.get_int_member ("address"),
                                    (size_t) row.get_int_member ("size"));
    break;
  case "carry":
    make_session (row).carry ((uint) row.get_int_member ("output"), (uint) row.get_int_member ("input"),
                              get_buffer (row));
    break;
  case "register":
    client.register_custom_call (get_text (row, "calls"), (call) => { return true; });
    break;
  case "unregister":
    client.unregister_custom_call (row.get_string_member ("calls"));
    break;
  case "answer":
    answer (row);
    break;
  case "reset":
    make_session (row).reset ();
    break;
  case "unbind":
    make_session (row).unbind_output ((uint) row.get_int_member ("output"));
    break;
  default:
    assert_not_reached ();
  }
}

Bytes? make_text (Json.Object row) {
  if (row.has_member ("bytes")) {
    uint8[] data = {};

    foreach (var number in make_numbers (row, "bytes"))
      data += (uint8) number;
    return new Bytes (data);
  }
  string? text = get_text (row, "text");

  return text != null ? new Bytes (text.data) : null;
}

async void run_text (Json.Object row, bool is_async, Cancellable cancellable) throws Error {
  Bytes? bytes = make_text (row);

  if (row.get_string_member ("call") == "parse" && is_async)
    yield Ghlo.Program.parse_async (bytes, null, cancellable);
  else if (row.get_string_member ("call") == "parse")
    Ghlo.Program.parse (bytes, null, cancellable);
  else if (is_async)
    yield Ghlo.Program.check_async (bytes, null, cancellable);
  else
    Ghlo.Program.check (bytes, null, cancellable);
}

async void run_load (Json.Object row, bool is_async, Cancellable cancellable) throws Error {
  string? path = get_text (row, "path");
  File? file = path != null ? File.new_for_path (path) : null;

  if (is_async)
    yield Ghlo.Program.load_async (file, cancellable);
  else
    Ghlo.Program.load (file, cancellable);
}

async void run_to_text (Json.Object row, bool is_async, Cancellable cancellable) throws Error {
  var program = (Ghlo.Program) find_program (get_text (row, "program"));

  if (is_async)
    yield program.to_text_async (Ghlo.TextFlags.NONE, cancellable);
  else
    program.to_text (Ghlo.TextFlags.NONE, cancellable);
}

async void run_serialize (Json.Object row, bool is_async, Cancellable cancellable) throws Error {
  var program = (Ghlo.Program) find_program (get_text (row, "program"));
  string? version = get_text (row, "version");

  if (is_async)
    yield program.serialize_async (version, cancellable);
  else
    program.serialize (version, cancellable);
}

async void run_compile (Json.Object row, bool is_async, Cancellable cancellable) throws Error {
  var program = (Ghlo.Program?) find_program (get_text (row, "program"));
  Ghlo.CompileOptions? options = null;
  Ghlo.Progress? progress = row.has_member ("progress") ? (Ghlo.Progress) foreign : null;

  switch (row.get_string_member_with_default ("options", "")) {
  case "bare-device":
    options = new Ghlo.CompileOptions () { device = (Ghlo.Device) Object.new (typeof (Ghlo.Device)) };
    break;
  case "foreign":
    options = (Ghlo.CompileOptions) foreign;
    break;
  }
  if (is_async)
    yield client.compile_async (program, options, progress, cancellable);
  else
    client.compile (program, options, progress, cancellable);
}

async void run_execute (Json.Object row, bool is_async, Cancellable cancellable) throws Error {
  Ghlo.Buffer[]? inputs = row.get_null_member ("inputs") ? null : make_list (row, "inputs");
  var executable = make_executable (row.get_string_member ("executable"));

  if (is_async)
    yield executable.execute_async (inputs, cancellable);
  else
    executable.execute (inputs, cancellable);
}

async void run_session (Json.Object row, bool is_async, Cancellable cancellable) throws Error {
  var session = make_session (row);

  if (row.has_member ("inputs") && is_async)
    yield session.run_async (make_list (row, "inputs"), cancellable);
  else if (row.has_member ("inputs"))
    session.run (make_list (row, "inputs"), cancellable);
  else if (is_async)
    yield session.copy_state_async ((uint) row.get_int_member ("input"), cancellable);
  else
    session.copy_state ((uint) row.get_int_member ("input"), cancellable);
}

async void run_load_buffer (Json.Object row, bool is_async, Cancellable cancellable) throws Error {
  string? path = get_text (row, "path");
  File? file = path != null ? File.new_for_path (path) : null;

  if (is_async)
    yield Ghlo.Buffer.load_async (file, null, cancellable);
  else
    Ghlo.Buffer.load (file, null, cancellable);
}

async void run_copy (Json.Object row, bool is_async, Cancellable cancellable) throws Error {
  Ghlo.Device? device = row.get_null_member ("target") ? null : (Ghlo.Device) Object.new (typeof (Ghlo.Device));

  if (is_async)
    yield get_buffer (row).copy_to_device_async (device, cancellable);
  else
    get_buffer (row).copy_to_device (device, cancellable);
}

async void run_read (Json.Object row, bool is_async, Cancellable cancellable) throws Error {
  var buffer = get_buffer (row);

  if (is_async)
    yield buffer.read_async (cancellable);
  else
    buffer.read (cancellable);
}

async void run (Json.Object row, bool is_async) throws Error {
  var cancellable = new Cancellable ();

  if (row.get_boolean_member_with_default ("cancelled", false))
    cancellable.cancel ();
  Environment.set_variable ("GHLO_DEVICE", row.get_string_member_with_default ("device", "auto"), true);
  switch (row.get_string_member ("call")) {
  case "parse":
  case "check": yield run_text (row, is_async, cancellable); break;
  case "load": yield run_load (row, is_async, cancellable); break;
  case "to-text": yield run_to_text (row, is_async, cancellable); break;
  case "serialize": yield run_serialize (row, is_async, cancellable); break;
  case "compile": yield run_compile (row, is_async, cancellable); break;
  case "execute": yield run_execute (row, is_async, cancellable); break;
  case "read": yield run_read (row, is_async, cancellable); break;
  case "run":
  case "copy-state": yield run_session (row, is_async, cancellable); break;
  case "load-buffer": yield run_load_buffer (row, is_async, cancellable); break;
  case "copy-to-device": yield run_copy (row, is_async, cancellable); break;
  case "list-devices":
    if (is_async)
      yield client.list_devices_async (cancellable);
    else
      client.list_devices (cancellable);
    break;
  default: make (row); break;
  }
}

/* What is wrong with how a call ended; null when it ended as it should. */
async string? complain (Json.Object row, bool is_async) {
  var expected = row.get_array_member ("error");
  string code = expected.get_string_element (1);
  string says = row.get_string_member_with_default ("says", "");

  try {
    yield run (row, is_async);
  } catch (Error e) {
    string found;

    if (e is Ghlo.Error)
      found = GHLO_CODES[e.code];
    else if (e is IOError.CANCELLED)
      found = "CANCELLED";
    else if (e is IOError.NOT_FOUND)
      found = "NOT_FOUND";
    else
      found = (e is IOError.IS_DIRECTORY) ? "IS_DIRECTORY" : e.domain.to_string ();
    if (e.domain.to_string () != expected.get_string_element (0) || found != code)
      return "expected %s, found %s: %s".printf (code, found, e.message);
    return says in e.message ? null : "expected '%s', found %s".printf (says, e.message);
  }

  return "expected an error, found none";
}

async int run_all (Json.Array rows) {
  int number = 0;
  int failures = 0;

  foreach (bool is_async in new bool[] { false, true }) {
    for (uint i = 0; i < rows.get_length (); i++) {
      var row = rows.get_object_element (i);

      if (is_async && row.has_member ("only"))
        continue;
      string? complaint = yield complain (row, is_async);
      print ("%sok %d - %s %s: %s\n", complaint != null ? "not " : "", ++number, is_async ? "async" : "sync",
             row.get_string_member ("call"), row.get_string_member ("name"));
      if (complaint != null) {
        print ("# %s\n", complaint.replace ("\n", " "));
        failures++;
      }
    }
  }
  print ("1..%d\n", number);

  return failures;
}

int main (string[] args) {
  var parser = new Json.Parser ();
  var loop = new MainLoop ();
  int failures = 1;

  client = new Ghlo.Client ();
  foreign = new Cancellable ();
  bare = (Ghlo.Buffer) Object.new (typeof (Ghlo.Buffer));
  try {
    parser.load_from_file (args[1]);
    released = make_zeros ("tensor<2x3xf32>");
  } catch (Error e) {
    error ("%s", e.message);
  }
  released.release ();
  programs = parser.get_root ().get_object ().get_object_member ("programs");
  run_all.begin (parser.get_root ().get_object ().get_array_member ("calls"), (source, result) => {
    failures = run_all.end (result);
    loop.quit ();
  });
  loop.run ();

  return failures > 0 ? 1 : 0;
}
