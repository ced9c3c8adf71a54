/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The public API from Vala: data in and out, calls in both forms, cancels, mistakes,
 * threads, references and memory.
 */

const string ADD = """func.func @main(%left: tensor<2x3xf32>, %right: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %left, %right : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
""";

const string ENDLESS = """func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0:2 = stablehlo.while(%go = %true, %i = %x) : tensor<i1>, tensor<i32>
    cond {
      stablehlo.return %go : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %i : tensor<i32>
      stablehlo.return %go, %1 : tensor<i1>, tensor<i32>
    }
  return %0#1 : tensor<i32>
}
""";

/* Adds its first input to the second; gives the sum and what the second was. */
const string COUNTER = """func.func @main(%step: tensor<f32>, %state: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.add %state, %step : tensor<f32>
  return %0, %state : tensor<f32>, tensor<f32>
}
""";

const int N_THREADS = 8;
const double MIB = 1048576;

Ghlo.Buffer make_buffer (string type, float[] values) throws Error {
  unowned uint8[] data = (uint8[]) values;

  data.length = (int) (values.length * sizeof (float));

  return new Ghlo.Buffer.from_bytes (Ghlo.TensorType.parse (type), new Bytes (data));
}

Ghlo.Buffer filled (float value) throws Error {
  return make_buffer ("tensor<2x3xf32>", { value, value, value, value, value, value });
}

float first (Ghlo.Buffer buffer) throws Error {
  var bytes = buffer.read ();
  unowned uint8[] data = bytes.get_data ();

  return *((float *) data);
}

Ghlo.Program parse (string text, string? name = null) throws Error {
  return Ghlo.Program.parse (new Bytes (text.data), name);
}

Ghlo.Executable compile (string text) throws Error {
  return new Ghlo.Client ().compile (parse (text));
}

/* A line of /proc/self/status, in MiB. */
double memory (string line) {
  string contents;

  try {
    FileUtils.get_contents ("/proc/self/status", out contents);
  } catch (FileError e) {
    error ("%s", e.message);
  }

  return double.parse (contents.split (line + ":")[1].strip ()) / 1024;
}

delegate void Body () throws Error;

/* A mistake ends in that error, which says so. */
void refuse (string says, Body body) {
  try {
    body ();
  } catch (Ghlo.Error.INVALID_ARGUMENT e) {
    assert_true (says in e.message);
    return;
  } catch (Error e) {
    assert_cmpstr (e.message, CompareOperator.EQ, says);
  }
  assert_not_reached ();
}

void test_types () {
  try {
    var type = new Ghlo.TensorType (Ghlo.ElementType.F32, { 2, 3 });

    assert_cmpstr (type.to_string (), CompareOperator.EQ, "tensor<2x3xf32>");
    assert_true (type.equal (Ghlo.TensorType.parse ("tensor<2x3xf32>")));
    assert_true (type.get_dimensions ().length == 2 && type.get_dimensions ()[1] == 3);
    assert_cmpstr (new Ghlo.TensorType (Ghlo.ElementType.I1).to_string (), CompareOperator.EQ, "tensor<i1>");
  } catch (Error e) {
    error ("%s", e.message);
  }
}

void test_calls () {
  try {
    var executable = compile (ADD);
    var one = filled (1);
    var result = executable.execute ({ one, filled (2) });

    assert_true (result.get_n_outputs () == 1 && result.get_n_items () == 1);
    assert_true (first (result.get_output (0)) == 3);
    assert_cmpstr (result.get_outputs ()[0].tensor_type.to_string (), CompareOperator.EQ, "tensor<2x3xf32>");
    assert_cmpstr (executable.list_inputs ()[1].to_string (), CompareOperator.EQ, "right: tensor<2x3xf32>");

    var rows = new Ghlo.Buffer.from_bytes_strided (new Ghlo.TensorType (Ghlo.ElementType.UI8, { 2, 3 }),
                                                   new Bytes ({ 1, 2, 3, 0, 4, 5, 6 }), { 4, 1 });
    assert_true (rows.get_host_bytes ().compare (new Bytes ({ 1, 2, 3, 4, 5, 6 })) == 0);
  } catch (Error e) {
    error ("%s", e.message);
  }
}

/* Runs an asynchronous test in a main loop. */
delegate void Begin (AsyncReadyCallback callback);
delegate void End (AsyncResult result) throws Error;

void await (Begin begin, End end) {
  var loop = new MainLoop (MainContext.ref_thread_default ());

  begin ((source, result) => {
    try {
      end (result);
    } catch (Error e) {
      error ("%s", e.message);
    }
    loop.quit ();
  });
  loop.run ();
}

async void road () throws Error {
  FileIOStream stream;
  var file = File.new_tmp ("ghlo-XXXXXX.mlir", out stream);
  var progress = new Ghlo.Progress ();
  double seen = -1;

  stream.output_stream.write_all (ADD.data, null);
  stream.close ();
  progress.notify["fraction"].connect (() => {
    assert_true (progress.fraction >= seen);
    seen = progress.fraction;
  });

  var program = yield Ghlo.Program.load_async (file);
  file.delete ();
  assert_true ((yield Ghlo.Program.parse_async (new Bytes (ADD.data))).name != "");
  assert_true ((yield Ghlo.Program.check_async (new Bytes ("func.func".data))).get_n_items () == 1);
  assert_true ("stablehlo.add" in yield program.to_text_async ());
  var client = new Ghlo.Client ();
  assert_true ((yield client.list_devices_async ()).get_n_items () >= 2);
  var options = new Ghlo.CompileOptions () { optimization_level = Ghlo.OptimizationLevel.O3 };
  var executable = yield client.compile_async (program, options, progress);
  assert_true (seen == 1);
  var result = yield executable.execute_async ({ filled (1), filled (4) });
  assert_true (first (result.get_output (0)) == 5);
  assert_true ((yield result.get_output (0).read_async ()).get_size () == 24);
}

void test_async () {
  await ((callback) => road.begin (callback), (result) => road.end (result));
}

async void run_formats () throws Error {
  var program = parse (ADD);
  assert_true (program.format == Ghlo.ProgramFormat.TEXT);
  assert_true (program.producer == null && program.artifact_version == null);

  var newest = yield program.serialize_async ();
  assert_true (newest.compare (program.serialize ()) == 0);
  var again = yield Ghlo.Program.parse_async (program.serialize ("1.13.0"), "add.mlirbc");
  assert_true (again.format == Ghlo.ProgramFormat.PORTABLE_ARTIFACT);
  assert_true (again.artifact_version == "1.13.0");
  assert_true (again.get_producer () == "StableHLO_v1.13.0");
  assert_true (again.to_text () == program.to_text ());
  refuse ("found '2.0.0'", () => { program.serialize ("2.0.0"); });
  try {
    Ghlo.Program.parse (new Bytes.from_bytes (newest, 0, 100), "cut");
    assert_not_reached ();
  } catch (Ghlo.Error.PARSE e) {
    assert_true (e.message.has_prefix ("cut: at byte "));
  }
}

void test_devices () {
  try {
    var devices = new Ghlo.Client ().list_devices ();
    var others = new Ghlo.Client ().list_devices ();
    var device = (Ghlo.Device) devices.get_item (0), again = (Ghlo.Device) others.get_item (0);

    assert_true (device.equal (again));
    assert_true (device.hash () == again.hash ());
    assert_false (device.equal ((Ghlo.Device) others.get_item (1)));
    assert_true (device.model == device.get_model ());
    assert_true (device.vector_level == again.vector_level);
  } catch (Error error) {
    assert_not_reached ();
  }
}

void test_formats () {
  await ((callback) => run_formats.begin (callback), (result) => run_formats.end (result));
}

int n_released = 0;

void count_release (void* data) {
  AtomicInt.inc (ref n_released);
}

async void run_session () throws Error {
  var session = new Ghlo.Session (compile (COUNTER));

  session.bind_input (0, make_buffer ("tensor<f32>", { 2 }));
  session.carry (0, 1, make_buffer ("tensor<f32>", { 10 }));
  for (int i = 0; i < 3; i++) {
    var result = yield session.run_async ({});
    assert_true (first (result.get_output (0)) == 10 + 2 * i);
  }
  assert_true (first (yield session.copy_state_async (1)) == 16);
  session.reset ();
  assert_true (first (session.run ({}).get_output (0)) == 10);

  float[] before = { 0 };
  session.bind_output (1, (uintptr) before, sizeof (float), count_release);
  assert_true ((yield session.run_async ({})).get_n_outputs () == 0);
  assert_true (before[0] == 12);
  assert_true (n_released == 0);
  session.unbind_output (1);
  assert_true (n_released == 1);
  session.bind_output (1, (uintptr) before, sizeof (float));
  session.run ({});
  assert_true (before[0] == 14);

  var endless = new Ghlo.Session (compile (ENDLESS));
  var cancellable = new Cancellable ();
  endless.carry (0, 0, new Ghlo.Buffer.from_bytes (Ghlo.TensorType.parse ("tensor<i32>"), new Bytes ({ 3, 0, 0, 0 })));
  Timeout.add (20, () => { cancellable.cancel (); return Source.REMOVE; });
  try {
    yield endless.run_async ({}, cancellable);
    assert_not_reached ();
  } catch (IOError.CANCELLED e) {
  }
  refuse ("reset", () => { endless.run ({}); });
}

// The marks that jax.jit (step, donate_argnums=(0,)) writes.
const string TRAIN = """func.func @main(%w: tensor<f32> {tf.aliasing_output = 1 : i32}, %x: tensor<f32>)
    -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.add %w, %x : tensor<f32>
  return %w, %0 : tensor<f32>, tensor<f32>
}
""";

void carry_all () throws Error {
  var session = new Ghlo.Session (compile (TRAIN));

  assert_true (session.list_inputs ().length == 2);
  session.bind_input_by_name ("w", make_buffer ("tensor<f32>", { 10 }));
  session.carry_all ();
  assert_true (session.list_inputs ().length == 1);
  assert_true (session.list_inputs ()[0].get_index () == 1);
  for (int i = 0; i < 3; i++) {
    var result = session.run ({ make_buffer ("tensor<f32>", { 2 }) });
    assert_true (result.get_n_outputs () == 1);
    assert_true (first (result.get_output (0)) == 10 + 2 * i);
  }

  var other = new Ghlo.Session (compile (TRAIN));
  other.carry_all ({ make_buffer ("tensor<f32>", { 5 }) });
  assert_true (first (other.copy_state (0)) == 5);
}

void test_carry_all () {
  try {
    carry_all ();
  } catch (Error error) {
    assert_not_reached ();
  }
}

// Floats that the language lacks come out as doubles.
void numbers () throws Error {
  foreach (var name in new string[] { "bf16", "f16", "f8E5M2", "f8E4M3FN", "f4E2M1FN", "f64" }) {
    var buffer = new Ghlo.Buffer.from_doubles (Ghlo.TensorType.parse (@"3x$name"), { 0.5, -1.5, 3 });
    var values = buffer.get_doubles ();

    assert_true (values.length == 3 && values[0] == 0.5 && values[1] == -1.5 && values[2] == 3);
  }
}

void test_numbers () {
  try {
    numbers ();
  } catch (Error error) {
    assert_not_reached ();
  }
}

void quantized () throws Error {
  var stored = Ghlo.TensorType.parse ("2xi8");
  var type = new Ghlo.TensorType.quantized (stored, Ghlo.ElementType.F32, { 0.5, 0.25 }, { -3, 0 }, 0);
  string text = "tensor<2x!quant.uniform<i8:f32:0, {5.000000e-01:-3,2.500000e-01}>>";
  var executable = compile (@"func.func @main(%x: $text) -> tensor<2xf32> {
  %0 = stablehlo.uniform_dequantize %x : ($text) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}");

  assert_true (type.to_string () == text);
  assert_true (type.equal (Ghlo.TensorType.parse (text)));
  assert_true (type.get_scales ()[1] == 0.25);
  assert_true (type.get_zero_points ()[0] == -3);
  assert_true (type.get_expressed_type () == Ghlo.ElementType.F32);
  assert_true (type.get_storage_max () == 127);
  var result = executable.execute ({ new Ghlo.Buffer.from_int64s (type, { 1, -4 }) });
  assert_true (first (result.get_output (0)) == 2);
  assert_true (new Ghlo.TensorType.quantized (stored, Ghlo.ElementType.F32, { 2 }).get_quantized_axis () == -1);
}

void test_quantized () {
  try {
    quantized ();
  } catch (Error error) {
    assert_not_reached ();
  }
}

void test_session () {
  await ((callback) => run_session.begin (callback), (result) => run_session.end (result));
}

void test_profile () {
  try {
    var executable = compile (COUNTER);
    var plan = executable.get_plan ();
    var session = new Ghlo.Session (executable) { profile = true };
    Ghlo.Buffer[] inputs = { make_buffer ("tensor<f32>", { 2 }), make_buffer ("tensor<f32>", { 10 }) };
    var measured = session.run (inputs).get_plan ();

    assert_true (plan.get_n_items () == 1 && !plan.profiled && plan.n_steps == 1);
    assert_true ((plan.reason == null) == (Environment.get_variable ("GHLO_DEVICE") != null));
    assert_true (plan.reason == null || plan.to_string ().has_prefix ("auto: " + plan.reason + "\n"));
    var step = (Ghlo.PlanStep) plan.get_item (0);
    assert_true (step.operation == "stablehlo.add" && step.bytes == 12 && step.steps == null);
    assert_true (step.measurement < 0 && step.n_runs == 0);
    step = (Ghlo.PlanStep) measured.get_item (0);
    assert_true (measured.profiled && step.n_runs == 1 && step.measurement > 0);
    session.profile = false;
    assert_true (session.run (inputs).get_plan () == null);
    assert_true (executable.get_cost ().get_operations () == 1 && executable.get_cost ().get_bytes () == 16);
  } catch (Error e) {
    error ("%s", e.message);
  }
}

/* Both before the call and in the middle of it. */
async void cancel_all () throws Error {
  var text = new StringBuilder ("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n");
  for (int i = 0; i < 30000; i++)
    text.append ("  %%%d = stablehlo.add %%%s, %%x : tensor<f32>\n".printf (i, i == 0 ? "x" : (i - 1).to_string ()));
  text.append ("  return %29999 : tensor<f32>\n}\n");
  var bytes = new Bytes (text.str.data);
  var program = Ghlo.Program.parse (bytes);
  var client = new Ghlo.Client ();
  var endless = compile (ENDLESS);
  var three = new Ghlo.Buffer.from_bytes (Ghlo.TensorType.parse ("tensor<i32>"), new Bytes ({ 3, 0, 0, 0 }));
  FileIOStream stream;
  var file = File.new_tmp ("ghlo-XXXXXX.mlir", out stream);
  stream.output_stream.write_all (text.str.data, null);
  stream.close ();
  int cancelled = 0;

  for (int stage = 0; stage < 8; stage++) {
    for (int late = 0; late < 2; late++) {
      var cancellable = new Cancellable ();

      if (late == 0 || stage == 7)
        cancellable.cancel ();
      else
        Timeout.add (stage == 6 ? 20 : 0, () => { cancellable.cancel (); return Source.REMOVE; }, Priority.HIGH);
      try {
        switch (stage) {
        case 0: yield Ghlo.Program.load_async (file, cancellable); break;
        case 1: yield Ghlo.Program.parse_async (bytes, null, cancellable); break;
        case 2: yield Ghlo.Program.check_async (bytes, null, cancellable); break;
        case 3: yield program.to_text_async (Ghlo.TextFlags.NONE, cancellable); break;
        case 4: yield client.compile_async (program, null, null, cancellable); break;
        case 5: yield client.list_devices_async (cancellable); break;
        case 6: yield endless.execute_async ({ three }, cancellable); break;
        case 7: yield three.read_async (cancellable); break;
        }
        /* What takes no time may be over first. */
        assert_true (late == 1 && (stage == 4 || stage == 5));
      } catch (IOError.CANCELLED e) {
        cancelled++;
      }
    }
  }
  file.delete ();
  assert_true (cancelled >= 14);
}

void test_cancel () {
  await ((callback) => cancel_all.begin (callback), (result) => cancel_all.end (result));
}

/* The best of some attempts, since a machine may be busy. */
async void cancel_soon () throws Error {
  var endless = compile (ENDLESS);
  var three = new Ghlo.Buffer.from_bytes (Ghlo.TensorType.parse ("tensor<i32>"), new Bytes ({ 3, 0, 0, 0 }));
  int64 best = int64.MAX;

  for (int i = 0; i < 5; i++) {
    var cancellable = new Cancellable ();
    int64 start = 0;

    Timeout.add (10, () => {
      start = get_monotonic_time ();
      cancellable.cancel ();
      return Source.REMOVE;
    });
    try {
      yield endless.execute_async ({ three }, cancellable);
      assert_not_reached ();
    } catch (IOError.CANCELLED e) {
      best = int64.min (best, get_monotonic_time () - start);
    }
  }
  assert_true (best < 50000);
}

void test_cancel_soon () {
  await ((callback) => cancel_soon.begin (callback), (result) => cancel_soon.end (result));
}

void test_errors () {
  try {
    parse (ADD.replace ("%right :", "%rihgt :"), "model.mlir");
    assert_not_reached ();
  } catch (Ghlo.Error.PARSE e) {
    string[] lines = e.message.split ("\n");

    assert_true (lines[0].has_prefix ("model.mlir:2:"));
    assert_true ("^" in lines[2]);
  } catch (Error e) {
    error ("%s", e.message);
  }
}

void test_mistakes () {
  try {
    var executable = compile (ADD);
    var one = filled (1);
    var released = filled (1);
    var flat = make_buffer ("tensor<6xf32>", { 1, 2, 3, 4, 5, 6 });

    released.release ();
    refuse ("expected 2 inputs", () => { executable.execute ({ one }); });
    refuse ("expected 2 inputs", () => { executable.execute (null); });
    refuse ("released", () => { executable.execute ({ one, released }); });
    refuse ("found tensor<6xf32>", () => { executable.execute ({ one, flat }); });
    refuse ("expected 24 bytes", () => { make_buffer ("tensor<2x3xf32>", { 1 }); });
    refuse ("released", () => { released.read (); });
    assert_null (released.get_host_bytes ());
  } catch (Error e) {
    error ("%s", e.message);
  }
}

/* Threads that share an executable, half of them with a main context of their own. */
async void run_many (Ghlo.Executable executable, int number) throws Error {
  for (int i = 0; i < 100; i++) {
    var result = yield executable.execute_async ({ filled (number), filled (i) });
    assert_true (first (result.get_output (0)) == number + i);
  }
}

/* A function answers a program's call in memory that it is given, and with a buffer; what it throws is passed on. */
void test_custom_calls () {
  const string TEXT = """func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = {factor = 3.0 : f32}}
         : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
""";
  var client = new Ghlo.Client ();
  int n_calls = 0;

  try {
    var x = make_buffer ("tensor<4xf32>", { 1, 2, 3, 4 });

    client.register_custom_call ("f", (call) => {
      unowned uint8[] source = call.get_operand_data (0);
      unowned uint8[] target = call.get_result_data (0);
      double factor = call.get_attributes ().lookup_value ("factor", VariantType.DOUBLE).get_double ();

      assert (source.length == 16 && target.length == 16);
      for (int i = 0; i < 4; i++)
        ((float[]) target)[i] = ((float[]) source)[i] * (float) factor;
      call.set_result (1, call.get_operand (0));
      n_calls++;

      return true;
    });
    var result = client.compile (parse (TEXT)).execute ({ x });

    assert (first (result.get_output (0)) == 3);
    assert (first (result.get_output (1)) == 1);
    assert (n_calls == 1);
  } catch (Error e) {
    error ("%s", e.message);
  }

  try {
    client.register_custom_call ("f", (call) => {
      throw new IOError.NOT_FOUND ("no such thing");
    });
    client.compile (parse (TEXT)).execute ({ make_buffer ("tensor<4xf32>", { 1, 2, 3, 4 }) });
    assert_not_reached ();
  } catch (IOError.NOT_FOUND e) {
    assert (e.message == "<program>:2:10: 'stablehlo.custom_call @f': no such thing");
  } catch (Error e) {
    error ("%s", e.message);
  }

  try {
    client.register_custom_call ("Qr", (call) => { return true; });
    assert_not_reached ();
  } catch (Ghlo.Error.INVALID_ARGUMENT e) {
    assert (e.message.contains ("found 'Qr'"));
  } catch (Error e) {
    error ("%s", e.message);
  }

  try {
    client.unregister_custom_call ("f");
    client.compile (parse (TEXT));
    assert_not_reached ();
  } catch (Ghlo.Error.UNSUPPORTED e) {
    assert (e.message.contains ("expected a known call target, found 'f'"));
  } catch (Error e) {
    error ("%s", e.message);
  }
}

void test_threads () {
  try {
    var executable = compile (ADD);
    Thread<bool>[] threads = {};

    for (int i = 0; i < N_THREADS; i++) {
      int number = i;

      threads += new Thread<bool> ("user", () => {
        var context = new MainContext ();

        context.push_thread_default ();
        try {
          if (number % 2 == 0)
            await ((callback) => run_many.begin (executable, number, callback), (result) => run_many.end (result));
          for (int j = 0; j < 100; j++)
            assert_true (first (executable.execute ({ filled (number), filled (j) }).get_output (0)) == number + j);
        } catch (Error e) {
          error ("%s", e.message);
        }
        context.pop_thread_default ();
        return true;
      });
    }
    foreach (var thread in threads)
      thread.join ();
  } catch (Error e) {
    error ("%s", e.message);
  }
}

int n_gone = 0;

void count_gone (Object object) {
  AtomicInt.inc (ref n_gone);
}

async void run_counted () throws Error {
  var executable = compile (ADD);
  var one = filled (1);

  for (int i = 0; i < 1000; i++) {
    var buffer = filled (i);
    var result = i % 2 == 0 ? executable.execute ({ one, buffer }) : yield executable.execute_async ({ one, buffer });

    buffer.weak_ref (count_gone);
    result.weak_ref (count_gone);
    result.get_output (0).weak_ref (count_gone);
  }
  one.weak_ref (count_gone);
  executable.weak_ref (count_gone);
}

void test_references () {
  await ((callback) => run_counted.begin (callback), (result) => run_counted.end (result));
  assert_cmpint (n_gone, CompareOperator.EQ, 3002);
}

async void run_frames () throws Error {
  string type = "tensor<2097152xf32>";
  var copier = compile ("func.func @main(%%x: %s) -> %s {\n  return %%x : %s\n}\n".printf (type, type, type));
  var frame = make_buffer (type, new float[2097152]);

  for (int i = 0; i < 600; i++) {
    var result = yield copier.execute_async ({ frame });
    assert_true (result.get_output (0).read ().get_size () == 8 * MIB);
  }
}

void test_frames () {
  await ((callback) => run_frames.begin (callback), (result) => run_frames.end (result));
  print ("# %.0f MiB at most\n", memory ("VmHWM"));
  assert_true (memory ("VmHWM") < 100);
}

void main (string[] args) {
  Test.init (ref args);
  Test.add_func ("/api/types", test_types);
  Test.add_func ("/api/calls", test_calls);
  Test.add_func ("/api/async", test_async);
  Test.add_func ("/api/devices", test_devices);
  Test.add_func ("/api/formats", test_formats);
  Test.add_func ("/api/session", test_session);
  Test.add_func ("/api/carry-all", test_carry_all);
  Test.add_func ("/api/quantized", test_quantized);
  Test.add_func ("/api/numbers", test_numbers);
  Test.add_func ("/api/profile", test_profile);
  Test.add_func ("/api/cancel", test_cancel);
  Test.add_func ("/api/cancel-soon", test_cancel_soon);
  Test.add_func ("/api/errors", test_errors);
  Test.add_func ("/api/mistakes", test_mistakes);
  Test.add_func ("/api/custom-calls", test_custom_calls);
  Test.add_func ("/api/threads", test_threads);
  Test.add_func ("/api/references", test_references);
  Test.add_func ("/memory/frames", test_frames);
  Test.run ();
}
