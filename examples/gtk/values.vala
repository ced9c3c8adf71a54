/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What programs take and give: pictures, numbers that fill an input, summaries of values.
 *
 * Inputs are filled and values summed up by small programs in StableHLO, on the device where the
 * values are: however large they are, the main loop has nothing to do.
 */

extern const string FOLDER;     /* where picture.png and viewer.ui are */

const int SMALLEST = 16;        /* rows and columns; less is no picture */
const int FIRST = 4;            /* numbers that a summary shows */
const int OPEN_SIZE = 4;        /* what the viewer takes for a dimension that the program leaves open */

/* Whether an input or output is a picture: rows, columns, and red, green, blue. */
bool is_picture (Ghlo.ValueInfo info) {
  unowned var type = info.get_tensor_type ();
  if (type == null)
    return false;
  unowned var shape = type.get_dimensions ();
  var is_right = type.get_element_type () == Ghlo.ElementType.UI8 || type.get_element_type () == Ghlo.ElementType.F32;
  return is_right && shape.length == 3 && shape[0] >= SMALLEST && shape[1] >= SMALLEST && shape[2] == 3;
}

/* A picture to show, of rows that begin every so many bytes, or follow one another. */
Gdk.Texture make_texture (Ghlo.TensorType type, Bytes data, size_t stride = 0) {
  var height = (int) type.get_dimensions ()[0], width = (int) type.get_dimensions ()[1];
  var is_float = type.get_element_type () == Ghlo.ElementType.F32;
  return new Gdk.MemoryTexture (width, height, is_float ? Gdk.MemoryFormat.R32G32B32_FLOAT : Gdk.MemoryFormat.R8G8B8,
                                data, stride > 0 ? stride : width * (is_float ? 12 : 3));
}

/* Pictures of one type: a still one, or those of a camera that turns before a test pattern. */
class Camera {
  private Ghlo.TensorType type;
  private int height;
  private int width;
  private bool is_pattern;
  private int size = 1;           /* of an element, in bytes */
  private int stride;
  private Bytes bytes;

  public Camera (Ghlo.TensorType type, bool is_pattern) throws Error {
    this.type = type;
    this.is_pattern = is_pattern;
    height = (int) type.get_dimensions ()[0];
    width = (int) type.get_dimensions ()[1];
    bytes = is_pattern ? make_pattern () : load_picture ();
    if (type.get_element_type () == Ghlo.ElementType.F32) {
      unowned var data = bytes.get_data ();
      var floats = new uint8[data.length * sizeof (float)];
      for (var i = 0; i < data.length; i++)
        ((float*) floats)[i] = data[i] / 255.0f;
      size = 4;
      stride *= 4;
      bytes = new Bytes.take ((owned) floats);
    }
  }

  private Bytes load_picture () throws Error {
    var pixbuf = new Gdk.Pixbuf.from_file (FOLDER + "/picture.png");
    if (pixbuf.width != width || pixbuf.height != height)
      pixbuf = pixbuf.scale_simple (width, height, Gdk.InterpType.BILINEAR);
    stride = pixbuf.rowstride;                  /* rows are padded to four bytes */
    return pixbuf.read_pixel_bytes ();
  }

  /* Bars of eight colours over a ramp of greys, twice side by side. */
  private Bytes make_pattern () {
    stride = 6 * width;
    var data = new uint8[height * stride];
    for (var row = 0; row < height; row++) {
      for (var i = 0; i < 2 * width; i++) {
        var column = i % width, bar = 7 - column * 8 / width, grey = (uint8) (column * 255 / width);
        var at = row * stride + 3 * i;
        var is_bar = row < height * 3 / 4;
        data[at] = is_bar ? (uint8) ((bar >> 1 & 1) * 255) : grey;
        data[at + 1] = is_bar ? (uint8) ((bar >> 2 & 1) * 255) : grey;
        data[at + 2] = is_bar ? (uint8) ((bar & 1) * 255) : grey;
      }
    }
    return new Bytes.take ((owned) data);
  }

  /* The picture of this number: the buffer for the program, and the texture to show. */
  public Ghlo.Buffer take (int number, out Gdk.Texture texture) throws Error {
    var column = is_pattern ? 2 * number % width : 0;
    var begin = column * 3 * size;
    var data = new Bytes.from_bytes (bytes, begin, bytes.get_size () - begin);
    texture = make_texture (type, data, stride);
    return new Ghlo.Buffer.from_bytes_strided (type, data, { stride, 3 * size, size });
  }
}

/* The text of a program, of types of arguments and of results with their values. */
string write_program (string[] arguments, string[] types, string[] values, string lines) {
  var taken = new string[arguments.length];
  for (var i = 0; i < arguments.length; i++)
    taken[i] = "%%x%d: %s".printf (i, arguments[i]);
  var given = string.joinv (", ", types);
  var returned = types.length > 0 ? " %s : %s".printf (string.joinv (", ", values), given) : "";
  return "func.func @main(%s) -> (%s) {\n%s  return%s\n}\n".printf (string.joinv (", ", taken), given, lines, returned);
}

string[] as_strings (Ghlo.TensorType[] types) {
  string[] texts = {};
  foreach (unowned var type in types)
    texts += type.to_string ();
  return texts;
}

/* A program that makes a tensor of each type: of zeros, a ramp from 0 to 1 (integers count
 * from 0), or scattered numbers from 0 to 1 (integers to 255). */
string write_fill (Ghlo.TensorType[] types, string how) {
  var lines = new StringBuilder ();
  string[] results = {}, values = {};
  for (var i = 0; i < types.length; i++) {
    int64[] shape = types[i].get_dimensions ();
    int64 n = 1;
    for (var j = 0; j < shape.length; j++) {
      shape[j] = shape[j] < 0 ? OPEN_SIZE : shape[j];
      n *= shape[j];
    }
    var whole = new Ghlo.TensorType (Ghlo.ElementType.UI32, shape).to_string ();
    var real = new Ghlo.TensorType (Ghlo.ElementType.F32, shape).to_string ();
    var result = new Ghlo.TensorType (types[i].get_element_type (), shape).to_string ();
    var element = types[i].get_element_type ().to_string ();
    var text = @"
  %a# = stablehlo.iota dim = 0 : @flat
  %b# = stablehlo.constant dense<$(how == "zeros" ? "0" : "2654435769")> : @flat
  %c# = stablehlo.multiply %a#, %b# : @flat
  %d# = stablehlo.add %c#, %b# : @flat
  %e# = stablehlo.constant dense<15> : @flat
  %o# = stablehlo.shift_right_logical %d#, %e# : @flat
  %f# = stablehlo.xor %d#, %o# : @flat
  %g# = stablehlo.multiply %f#, %b# : @flat
  %h# = stablehlo.constant dense<24> : @flat
  %j# = stablehlo.shift_right_logical %g#, %h# : @flat
  %k# = stablehlo.reshape %$(how == "ramp" ? "a" : "j")# : (@flat) -> $whole
";
    if (element.has_prefix ("i") || element.has_prefix ("u")) {
      text += @"  %r# = stablehlo.convert %k# : ($whole) -> $result\n";
    } else {
      var most = how == "ramp" ? int64.max (n - 1, 1) : 255;
      text += @"  %l# = stablehlo.convert %k# : ($whole) -> $real
  %m# = stablehlo.constant dense<$most.0> : $real
  %n# = stablehlo.divide %l#, %m# : $real
  %r# = stablehlo.convert %n# : ($real) -> $result
";
    }
    lines.append (text.replace ("@flat", @"tensor<$(n)xui32>").replace ("#", @"$i"));
    results += result;
    values += @"%r$i";
  }
  return write_program ({}, results, values, lines.str);
}

/* A program that gives, of each tensor, the least, the greatest and the mean number, and the first ones. */
string write_summary (Ghlo.TensorType[] types) {
  var lines = new StringBuilder ("""
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
""");
  string[] results = {}, values = {};
  for (var i = 0; i < types.length; i++) {
    var n = types[i].get_n_elements ();
    var real = new Ghlo.TensorType (Ghlo.ElementType.F32, types[i].get_dimensions ()).to_string ();
    var first = int64.min (n, FIRST);
    var text = @"
  %a# = stablehlo.convert %x# : ($(types[i].to_string ())) -> $real
  %b# = stablehlo.reshape %a# : ($real) -> @flat
";
    string[] reductions = { "c high minimum", "d low maximum", "e zero add" };
    foreach (unowned var reduction in reductions) {
      var words = reduction.split (" ");
      text += @"
  %$(words[0])# = stablehlo.reduce(%b# init: %$(words[1])) applies stablehlo.$(words[2]) across dimensions = [0]
    : (@flat, tensor<f32>) -> tensor<f32>
  %$(words[0])$(words[0])# = stablehlo.reshape %$(words[0])# : (tensor<f32>) -> tensor<1xf32>
";
    }
    text += @"
  %f# = stablehlo.constant dense<$n.0> : tensor<1xf32>
  %g# = stablehlo.divide %ee#, %f# : tensor<1xf32>
  %h# = stablehlo.slice %b# [0:$first] : (@flat) -> tensor<$(first)xf32>
  %r# = stablehlo.concatenate %cc#, %dd#, %g#, %h#, dim = 0
    : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<$(first)xf32>) -> tensor<$(3 + first)xf32>
";
    lines.append (text.replace ("@flat", @"tensor<$(n)xf32>").replace ("#", @"$i"));
    results += @"tensor<$(3 + first)xf32>";
    values += @"%r$i";
  }
  return write_program (as_strings (types), results, values, lines.str);
}

/* What write_summary() gives of a tensor of N elements, in words. */
string describe (double[] numbers, int64 n) {
  string[] texts = {};
  foreach (var number in numbers)
    texts += "%.4g".printf (number);
  var first = string.joinv (", ", texts[3:texts.length]);
  return n <= FIRST ? first : @"$(texts[0]) to $(texts[1]), mean $(texts[2]): $first, …";
}
