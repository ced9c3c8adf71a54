/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading bytecode: hand-made files, valid and invalid.
 */

#include "bytecode-file.h"
#include "bytecode-read.h"
#include "ir/verify/verify.h"
#include "reference/device.h"

/* The indices of the entries with which every file here begins. */
enum { OP_MODULE, OP_FUNC, OP_RETURN, OP_TEST, OP_CONSTANT };
enum { ATTR_UNKNOWN };
enum { TYPE_I1 };

/* The parts of an operation. */
enum
{
  ATTRS = 1 << 0, RESULTS = 1 << 1, OPERANDS = 1 << 2, SUCCESSORS = 1 << 3, REGIONS = 1 << 4, USE_LISTS = 1 << 5,
  PROPERTIES = 1 << 6,
};

enum { UNKNOWN_LOC = 15, ISOLATED = 1, HAS_ARGUMENTS = 1 };

static BytecodeFile *
new_file (guint version)
{
  BytecodeFile *file = bytecode_file_new (version);
  guint func = bytecode_file_dialect (file, "func");
  guint test = bytecode_file_dialect (file, "test");
  guint stablehlo = bytecode_file_dialect (file, "stablehlo");

  bytecode_file_op (file, 0, "module");
  bytecode_file_op (file, func, "func");
  bytecode_file_op (file, func, "return");
  bytecode_file_op (file, test, "op");
  bytecode_file_op (file, stablehlo, "constant");
  ADD_ATTR (file, V (UNKNOWN_LOC));
  ADD_TYPE (file, V (0), V (1 << 2));

  return file;
}

/* A module with one region of @blocks. */
static void
put_module (BytecodeFile *file,
            const guint8 *blocks,
            gsize         size)
{
  PUT (file->ir, V (1 << 1), V (OP_MODULE), REGIONS, V (ATTR_UNKNOWN), V (1 << 1 | ISOLATED));
  if (file->version >= 2)
    bytecode_file_put_section (file->ir, 4, blocks, size);
  else
    g_byte_array_append (file->ir, blocks, size);
}

#define PUT_MODULE(file, ...) put_module (file, (const guint8[]) { __VA_ARGS__ }, sizeof (guint8[]) { __VA_ARGS__ })

static GhloIrModule *
read_good (BytecodeFile *file)
{
  g_autoptr (GBytes) bytes = bytecode_file_finish (file);

  return read_good_bytes (bytes);
}

/* Reads the file and compares its generic form, without locations. */
static void
check_good (BytecodeFile *file,
            const char   *expected)
{
  g_autoptr (GhloIrModule) module = read_good (file);

  check_text (module, GHLO_IR_PRINT_GENERIC | GHLO_IR_PRINT_STRIP_LOCATIONS, expected);
}

static void
check_bad_bytes (GBytes     *bytes,
                 int         code,
                 const char *message)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", NULL, 0);
  g_autoptr (GhloIrModule) module = read_bytes (bytes, GHLO_IMPORT_DEFAULT, diagnostics);
  const GhloFinding *finding;

  g_assert_null (module);
  g_assert_cmpuint (diagnostics->findings->len, ==, 1);
  finding = g_ptr_array_index (diagnostics->findings, 0);
  g_assert_cmpstr (finding->message, ==, message);
  g_assert_cmpint (finding->code, ==, code);
}

static void
check_bad (BytecodeFile *file,
           int           code,
           const char   *message)
{
  g_autoptr (GBytes) bytes = bytecode_file_finish (file);

  check_bad_bytes (bytes, code, message);
}

/* The same for files with unknown operations. */
static void
check_bad_foreign (BytecodeFile *file,
                   const char   *message)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", NULL, 0);
  g_autoptr (GBytes) bytes = bytecode_file_finish (file);
  g_autoptr (GhloIrModule) module = read_bytes (bytes, GHLO_IMPORT_ALLOW_UNREGISTERED, diagnostics);

  g_assert_null (module);
  g_assert_cmpstr (((const GhloFinding *) g_ptr_array_index (diagnostics->findings, 0))->message, ==, message);
}

static void
check_bad_data (gconstpointer data,
                gsize         size,
                int           code,
                const char   *message)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);

  check_bad_bytes (bytes, code, message);
}

#define CHECK_BAD_DATA(data, code, message) check_bad_data (data, sizeof (data) - 1, code, message)

static void
test_header (void)
{
  CHECK_BAD_DATA ("ML\xef", GHLO_ERROR_PARSE, "at byte 0, in the header: expected 4 more bytes, found 3");
  CHECK_BAD_DATA ("MLIR\x0d", GHLO_ERROR_PARSE, "at byte 0, in the header: expected MLIR bytecode, which begins with"
                  " the bytes 4d 4c ef 52, found 4d 4c 49 52");
  CHECK_BAD_DATA ("ML\xefR\x0fx\0", GHLO_ERROR_UNSUPPORTED, "at byte 4, in the header: expected MLIR bytecode of a"
                  " version up to 6, found version 7");
  CHECK_BAD_DATA ("ML\xefR\x0dproducer", GHLO_ERROR_PARSE, "at byte 5, in the header: expected text that ends with a"
                  " zero byte, found no zero byte");
  CHECK_BAD_DATA ("ML\xefR\x0dx\0", GHLO_ERROR_PARSE, "at byte 7, in the list of sections: expected the string"
                  " section, found the end of the file");
}

static void
test_sections (void)
{
  CHECK_BAD_DATA ("ML\xefR\x0dx\0\x09\x03\x01", GHLO_ERROR_PARSE,
                  "at byte 7, in the list of sections: expected the id of a top-level section, found 9");
  CHECK_BAD_DATA ("ML\xefR\x0dx\0\x07\x03\x01", GHLO_ERROR_PARSE,
                  "at byte 7, in the list of sections: expected the id of a top-level section, found 7");
  CHECK_BAD_DATA ("ML\xefR\x0dx\0\x00\x03\x01\x00\x03\x01", GHLO_ERROR_PARSE,
                  "at byte 10, in the list of sections: expected each section once, found the string section again");
  CHECK_BAD_DATA ("ML\xefR\x0dx\0\x04\x09\x01", GHLO_ERROR_PARSE,
                  "at byte 9, in the list of sections: expected 4 more bytes, found 1");
  CHECK_BAD_DATA ("ML\xefR\x0dx\0\x84\x03\x09\xcb\x00\x01", GHLO_ERROR_PARSE,
                  "at byte 11, in the list of sections: expected the byte 0xcb of padding, found 0x00");
}

/* Every section of a file except the first is aligned, in the opposite order. */
static void
test_aligned (void)
{
  g_autoptr (BytecodeFile) file = new_file (4);
  g_autoptr (GBytes) bytes = NULL, aligned = NULL;
  g_autoptr (GhloIrModule) module = NULL;
  GByteArray *out = g_byte_array_new ();
  const guint8 *data, *starts[8];
  guint n = 0;
  gsize size;

  PUT_MODULE (file, V (1), V (1), V (1 << 1), V (OP_TEST), RESULTS, V (ATTR_UNKNOWN), V (1), V (TYPE_I1));
  bytes = bytecode_file_finish (file);
  data = g_bytes_get_data (bytes, &size);
  for (const guint8 *at = data + 10; at < data + size; at += 2 + (at[1] >> 1))
    {
      g_assert_true (at[1] & 1);
      starts[n++] = at;
    }
  g_byte_array_append (out, data, 10);
  while (n > 0)
    {
      const guint8 *at = starts[--n];

      PUT (out, at[0] | 0x80, at[1], V (8));
      while (out->len % 8 != 0)
        PUT (out, 0xcb);
      g_byte_array_append (out, at + 2, at[1] >> 1);
    }
  aligned = g_byte_array_free_to_bytes (out);
  module = read_good_bytes (aligned);
  check_text (module, GHLO_IR_PRINT_GENERIC | GHLO_IR_PRINT_STRIP_LOCATIONS,
              "\"builtin.module\"() ({\n  %0 = \"test.op\"() : () -> i1\n}) : () -> ()\n");
}

static void
test_dialect_versions (void)
{
  g_autoptr (BytecodeFile) file = new_file (4);
  g_autoptr (GBytes) bytes = NULL, versioned = NULL;
  g_autoptr (GhloIrModule) module = NULL;
  GByteArray *out = g_byte_array_new ();
  const guint8 *data;
  gsize size;

  PUT_MODULE (file, V (0));
  bytes = bytecode_file_finish (file);
  data = g_bytes_get_data (bytes, &size);
  /* After the header: the dialect section, its size, the number of dialects, the first dialect. */
  g_assert_cmpuint (data[10], ==, 1);
  g_byte_array_append (out, data, 11);
  PUT (out, data[11] + (3 << 1), data[12], data[13] | V (1), 7, V (1), 99);
  g_byte_array_append (out, data + 14, size - 14);
  versioned = g_byte_array_free_to_bytes (out);
  module = read_good_bytes (versioned);
  check_text (module, GHLO_IR_PRINT_DEFAULT, "module {\n}\n");
}

static void
test_strings (void)
{
  /* Two strings of 1 and 4 bytes in 3 bytes of data; and a string without its terminating zero. */
  CHECK_BAD_DATA ("ML\xefR\x01x\0\x01\x03\x01\x02\x01\x03\x05\x01\x01\x04\x03\x01\x00\x0d\x05\x03\x09""ab\0",
                  GHLO_ERROR_PARSE,
                  "at byte 23, in the string section: expected a string of 1 to 2 bytes, found one of 4");
  CHECK_BAD_DATA ("ML\xefR\x01x\0\x01\x03\x01\x02\x01\x03\x05\x01\x01\x04\x03\x01\x00\x0b\x03\x07""abc",
                  GHLO_ERROR_PARSE,
                  "at byte 22, in the string section: expected a string that ends with a zero byte, found 0x63");
  /* The last string overlaps the first one's size. */
  CHECK_BAD_DATA ("ML\xefR\x01x\0\x01\x03\x01\x02\x01\x03\x05\x01\x01\x04\x03\x01\x00\x0b\x05\x07\x03\x01\x00",
                  GHLO_ERROR_PARSE, "at byte 23, in the string section: expected 1 more byte, found 0");
}

/* Uses before definitions, across blocks and in a nested region. */
static void
test_forward_references (void)
{
  for (guint version = 0; version <= 6; version++)
    {
      g_autoptr (BytecodeFile) file = new_file (version);

      PUT_MODULE (file, V (2), V (3),
                  V (2 << 1),
                  V (OP_TEST), OPERANDS | RESULTS, V (ATTR_UNKNOWN), V (1), V (TYPE_I1), V (2), V (1), V (2),
                  V (OP_TEST), OPERANDS | REGIONS, V (ATTR_UNKNOWN), V (1), V (0), V (1 << 1),
                    V (1), V (1), V (1 << 1),
                      V (OP_TEST), OPERANDS | RESULTS, V (ATTR_UNKNOWN), V (1), V (TYPE_I1), V (2), V (2), V (0),
                  V (1 << 1),
                  V (OP_TEST), RESULTS, V (ATTR_UNKNOWN), V (2), V (TYPE_I1), V (TYPE_I1));
      check_good (file,
                  "\"builtin.module\"() ({\n"
                  "  %0 = \"test.op\"(%1#0, %1#1) : (i1, i1) -> i1\n"
                  "  \"test.op\"(%0) ({\n"
                  "    %2 = \"test.op\"(%1#1, %0) : (i1, i1) -> i1\n"
                  "  }) : (i1) -> ()\n"
                  "^bb1:\n"
                  "  %1:2 = \"test.op\"() : () -> (i1, i1)\n"
                  "}) : () -> ()\n");
    }
}

static void
test_unresolved_references (void)
{
  g_autoptr (BytecodeFile) file = new_file (4);

  PUT_MODULE (file, V (1), V (2), V (1 << 1),
              V (OP_TEST), OPERANDS | RESULTS, V (ATTR_UNKNOWN), V (1), V (TYPE_I1), V (1), V (1));
  check_bad_foreign (file, "at byte 67, in the IR section: expected value 1 to be defined in the region that it belongs"
                           " to, found no definition of it");
}

static void
test_too_many_values (void)
{
  g_autoptr (BytecodeFile) few = new_file (4), many = new_file (4), used = new_file (4);

  PUT_MODULE (few, V (1), V (0), V (1 << 1), V (OP_TEST), RESULTS, V (ATTR_UNKNOWN), V (1), V (TYPE_I1));
  check_bad_foreign (few, "at byte 65, in the IR section: expected 0 values in the region, found more");
  PUT_MODULE (many, V (1), V (60), V (1 << 1), V (OP_TEST), RESULTS, V (ATTR_UNKNOWN), V (1), V (TYPE_I1));
  check_bad_foreign (many, "at byte 58, in the IR section: expected as many values as the IR section can hold,"
                           " found 60");
  PUT_MODULE (used, V (1), V (1), V (1 << 1), V (OP_TEST), OPERANDS, V (ATTR_UNKNOWN), V (1), V (1));
  check_bad_foreign (used, "at byte 64, in the IR section: expected the index of a value, of which there are 1,"
                           " found 1");
}

/* Value numbers are reused after a region, and an isolated region starts at 0. */
static void
test_numbering (void)
{
  g_autoptr (BytecodeFile) file = new_file (4);

  PUT_MODULE (file, V (1), V (1), V (3 << 1),
              V (OP_TEST), RESULTS, V (ATTR_UNKNOWN), V (1), V (TYPE_I1),
              V (OP_TEST), REGIONS, V (ATTR_UNKNOWN), V (2 << 1),
                V (1), V (1), V (1 << 1 | HAS_ARGUMENTS), V (1), V (TYPE_I1 << 1), 0,
                  V (OP_TEST), OPERANDS, V (ATTR_UNKNOWN), V (2), V (1), V (0),
                V (1), V (1), V (1 << 1 | HAS_ARGUMENTS), V (1), V (TYPE_I1 << 1 | 1), V (ATTR_UNKNOWN), 0,
                  V (OP_TEST), OPERANDS, V (ATTR_UNKNOWN), V (2), V (1), V (0),
              V (OP_TEST), REGIONS, V (ATTR_UNKNOWN), V (1 << 1 | ISOLATED), 4, V (12),
                V (1), V (1), V (1 << 1 | HAS_ARGUMENTS), V (1), V (TYPE_I1 << 1), 0,
                  V (OP_TEST), OPERANDS, V (ATTR_UNKNOWN), V (2), V (0), V (0));
  check_good (file,
              "\"builtin.module\"() ({\n"
              "  %0 = \"test.op\"() : () -> i1\n"
              "  \"test.op\"() ({\n"
              "  ^bb0(%arg0: i1):\n"
              "    \"test.op\"(%arg0, %0) : (i1, i1) -> ()\n"
              "  }, {\n"
              "  ^bb0(%arg0: i1):\n"
              "    \"test.op\"(%arg0, %0) : (i1, i1) -> ()\n"
              "  }) : () -> ()\n"
              "  \"test.op\"() ({\n"
              "  ^bb0(%arg0: i1):\n"
              "    \"test.op\"(%arg0, %arg0) : (i1, i1) -> ()\n"
              "  }) : () -> ()\n"
              "}) : () -> ()\n");
}

/* The orders of uses of results and of arguments are ignored. */
static void
test_use_lists (void)
{
  g_autoptr (BytecodeFile) file = new_file (4);

  PUT_MODULE (file, V (1), V (4), V (3 << 1 | HAS_ARGUMENTS), V (1), V (TYPE_I1 << 1), 1,
                V (2 << 1), V (1), V (0),
              V (OP_TEST), RESULTS | USE_LISTS, V (ATTR_UNKNOWN), V (1), V (TYPE_I1), V (2 << 1), V (1), V (0),
              V (OP_TEST), RESULTS | USE_LISTS, V (ATTR_UNKNOWN), V (2), V (TYPE_I1), V (TYPE_I1),
                V (1), V (1), V (2 << 1 | 1), V (0), V (1),
              V (OP_TEST), OPERANDS, V (ATTR_UNKNOWN), V (4), V (0), V (1), V (1), V (3));
  check_good (file,
              "\"builtin.module\"() ({\n"
              "^bb0(%arg0: i1):\n"
              "  %0 = \"test.op\"() : () -> i1\n"
              "  %1:2 = \"test.op\"() : () -> (i1, i1)\n"
              "  \"test.op\"(%arg0, %0, %0, %1#1) : (i1, i1, i1, i1) -> ()\n"
              "}) : () -> ()\n");
}

static void
test_successors (void)
{
  g_autoptr (BytecodeFile) file = new_file (4);

  PUT_MODULE (file, V (1), V (0), V (1 << 1), V (OP_TEST), SUCCESSORS, V (ATTR_UNKNOWN), V (1), V (0));
  check_bad_foreign (file, "at byte 63, in the IR section: expected an operation without successors,"
                           " found 'builtin.unregistered' with some");
}

static void
test_unregistered (void)
{
  g_autoptr (BytecodeFile) file = new_file (6), known = new_file (6), shape = new_file (6);
  guint shape_dialect = bytecode_file_dialect (shape, "shape");
  guint i32 = ADD_TYPE (file, V (0), V2 (32 << 2)), name, key, value, dictionary, shape_op;

  name = bytecode_file_string (file, "x");
  key = ADD_ATTR (file, V (2), V (name));
  value = ADD_ATTR (file, V (8), V (i32), V (14));
  dictionary = ADD_ATTR (file, V (1), V (1), V (key), V (value));
  PUT_MODULE (file, V (1), V (0), V (1 << 1), V (OP_TEST), ATTRS, V (ATTR_UNKNOWN), V (dictionary));
  check_good (file, "\"builtin.module\"() ({\n  \"test.op\"() {x = 7 : i32} : () -> ()\n}) : () -> ()\n");
  check_bad (file, GHLO_ERROR_UNSUPPORTED,
             "at byte 87, in the IR section: expected a known operation, found 'test.op'");

  /* An operation of a dialect that has rows must have one. */
  shape_op = bytecode_file_op (shape, shape_dialect, "frobnicate");
  PUT_MODULE (shape, V (1), V (0), V (1 << 1), V (shape_op), 0, V (ATTR_UNKNOWN));
  check_bad_foreign (shape, "at byte 67, in the IR section: expected a known operation, found 'shape.frobnicate'");

  /* Properties in the encoding of an operation that this reader does not know. */
  ADD_PROPERTIES (known, V (0));
  PUT_MODULE (known, V (1), V (0), V (1 << 1), V (OP_TEST), PROPERTIES, V (ATTR_UNKNOWN), V (0));
  check_bad_foreign (known, "at byte 133, in the property section: expected properties of a known operation,"
                            " found those of 'test.op'");
}

/* One packed resource shared by many constants, each of which is eight times as large unpacked. */
static void
test_unpacked_resources (void)
{
  g_autoptr (BytecodeFile) file = new_file (4);
  g_autoptr (GByteArray) array = g_byte_array_new (), blocks = g_byte_array_new ();
  g_autofree guint8 *data = g_malloc (20000);
  guint weights = bytecode_file_string (file, "w"), name = bytecode_file_string (file, "x"), key, value, dictionary;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", NULL, 0);
  g_autoptr (GhloIrModule) module = NULL;

  memset (data, 0x55, 20000);
  file->resource_offsets = g_byte_array_new ();
  file->resources = g_byte_array_new ();
  PUT (file->resource_offsets, V (0), V (0), V (1), V (weights));
  bytecode_file_put_varint (file->resource_offsets, 20004);
  PUT (file->resource_offsets, 0);
  PUT (file->resources, V (1));
  bytecode_file_put_varint (file->resources, 20000);
  g_byte_array_append (file->resources, data, 20000);
  while (file->resources->len < 20004)
    PUT (file->resources, 0);
  key = ADD_ATTR (file, V (2), V (name));
  PUT (array, V (0), V (40));
  for (guint i = 0; i < 40; i++)
    {
      g_autoptr (GByteArray) type = g_byte_array_new ();

      /* tensor<1x…x160000xi1>, with a different rank each time. */
      PUT (type, V (13), V (i + 1));
      for (guint j = 0; j < i; j++)
        PUT (type, V (2));
      bytecode_file_put_varint (type, 160000 << 1);
      PUT (type, V (TYPE_I1));
      value = ADD_ATTR (file, V (16), V (bytecode_file_type (file, type->data, type->len)), V (0));
      PUT (array, V (value));
    }
  value = bytecode_file_attr (file, array->data, array->len);
  dictionary = ADD_ATTR (file, V (1), V (1), V (key), V (value));
  PUT (blocks, V (1), V (0), V (1 << 1), V (OP_TEST), ATTRS, V (ATTR_UNKNOWN), V (dictionary));
  put_module (file, blocks->data, blocks->len);
  bytes = bytecode_file_finish (file);
  module = read_bytes (bytes, GHLO_IMPORT_ALLOW_UNREGISTERED, diagnostics);
  g_assert_null (module);
  g_assert_nonnull (strstr (((const GhloFinding *) g_ptr_array_index (diagnostics->findings, 0))->message,
                            "bytes when unpacked"));
}

/* Operations share a dictionary until one of them is changed. */
static void
test_shared_attributes (void)
{
  g_autoptr (BytecodeFile) file = new_file (6);
  g_autoptr (GhloIrModule) module = NULL;
  guint name = bytecode_file_string (file, "x"), key, dictionary;
  GhloIrOp *first, *second;

  key = ADD_ATTR (file, V (2), V (name));
  dictionary = ADD_ATTR (file, V (1), V (1), V (key), V (key));
  PUT_MODULE (file, V (1), V (0), V (2 << 1),
              V (OP_TEST), ATTRS, V (ATTR_UNKNOWN), V (dictionary),
              V (OP_TEST), ATTRS, V (ATTR_UNKNOWN), V (dictionary));
  module = read_good (file);
  first = module->op->regions[0].first->first;
  second = first->next;
  g_assert_true (first->discardable == second->discardable);
  ghlo_ir_op_set (module, first, "x", ghlo_ir_attr_unit (module));
  ghlo_ir_op_set (module, first, "a", ghlo_ir_attr_unit (module));
  ghlo_ir_op_set (module, first, "z", ghlo_ir_attr_unit (module));
  check_text (module, GHLO_IR_PRINT_GENERIC,
              "\"builtin.module\"() ({\n"
              "  \"test.op\"() {a, x, z} : () -> ()\n"
              "  \"test.op\"() {x = \"x\"} : () -> ()\n"
              "}) : () -> ()\n");
}

static void
test_cancelled (void)
{
  g_autoptr (BytecodeFile) file = new_file (4);
  g_autoptr (GByteArray) blocks = g_byte_array_new ();
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", NULL, 0);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GBytes) bytes = NULL;

  PUT (blocks, V (1), V (0));
  bytecode_file_put_varint (blocks, 10000 << 1);
  for (guint i = 0; i < 10000; i++)
    PUT (blocks, V (OP_TEST), 0, V (ATTR_UNKNOWN));
  put_module (file, blocks->data, blocks->len);
  bytes = bytecode_file_finish (file);
  g_cancellable_cancel (cancellable);
  module = ghlo_import_bytecode (bytes, GHLO_IMPORT_ALLOW_UNREGISTERED, diagnostics, &monitor, NULL);
  g_assert_null (module);
  g_assert_cmpuint (diagnostics->n_errors, ==, 0);
}

/* A file location inside @n others; returns the index of the outermost. */
static guint
add_locations (BytecodeFile *file,
               guint         n)
{
  guint name = bytecode_file_string (file, "f.py"), text, inner;

  text = ADD_ATTR (file, V (2), V (name));
  inner = ADD_ATTR (file, V (11), V (text), V (3), V (4));
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();

      PUT (bytes, V (10), V (text + 1));
      bytecode_file_put_varint (bytes, inner);
      inner = bytecode_file_attr (file, bytes->data, bytes->len);
    }

  return inner;
}

static GhloIrModule *
read_deep (guint n)
{
  g_autoptr (BytecodeFile) file = new_file (4);
  g_autoptr (GByteArray) blocks = g_byte_array_new ();

  PUT (blocks, V (1), V (0), V (1 << 1), V (OP_TEST), 0);
  bytecode_file_put_varint (blocks, add_locations (file, n));
  put_module (file, blocks->data, blocks->len);

  return read_good (file);
}

static guint
location_depth (const GhloIrModule *module)
{
  const GhloIrLocation *location = module->op->regions[0].first->first->location;
  guint depth = 0;

  for (; location->kind == GHLO_IR_LOCATION_CALL_SITE; location = location->children[1])
    depth++;

  return depth;
}

static void
test_locations (void)
{
  g_autoptr (GhloIrModule) few = read_deep (300), many = read_deep (20000);
  g_autoptr (BytecodeFile) cycle = new_file (4), wrong = new_file (4);
  g_autoptr (GhloIrModule) copy = NULL, again = NULL;
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  g_autofree char *text = NULL;

  g_assert_cmpuint (location_depth (few), ==, 300);
  g_assert_cmpuint (location_depth (many), >, 300);
  g_assert_cmpuint (location_depth (many), <=, GHLO_MAX_LOCATION_NESTING);

  /* The module can be copied, printed and parsed. */
  copy = ghlo_ir_module_copy (many);
  text = ghlo_ir_to_string (copy, GHLO_IR_PRINT_DEFAULT);
  diagnostics = ghlo_diagnostics_new ("test", text, strlen (text));
  again = ghlo_import_text (text, strlen (text), GHLO_IMPORT_ALLOW_UNREGISTERED, diagnostics, NULL);
  g_assert_nonnull (again);

  ADD_ATTR (cycle, V (10), V (0), V (1));
  PUT_MODULE (cycle, V (1), V (0), V (1 << 1), V (OP_TEST), 0, V (1));
  check_bad_foreign (cycle, "at byte 49, in the attribute section: expected an attribute that does not contain itself,"
                             " found a cycle");
  ADD_ATTR (wrong, V (7));
  PUT_MODULE (wrong, V (1), V (0), V (1 << 1), V (OP_TEST), 0, V (1));
  check_bad_foreign (wrong, "at byte 66, in the IR section: expected a location, found a unit attribute");
}

/* Nested arrays: @n levels, each with @width references to the level below. */
static void
put_arrays (BytecodeFile *file,
            guint         n,
            guint         width)
{
  guint name = bytecode_file_string (file, "a"), key, inner, dictionary;
  g_autoptr (GByteArray) blocks = g_byte_array_new (), bytes = g_byte_array_new ();

  key = ADD_ATTR (file, V (2), V (name));
  inner = ADD_ATTR (file, V (7));
  for (guint i = 0; i < n; i++)
    {
      g_byte_array_set_size (bytes, 0);
      PUT (bytes, V (0), V (width));
      for (guint j = 0; j < width; j++)
        bytecode_file_put_varint (bytes, inner);
      inner = bytecode_file_attr (file, bytes->data, bytes->len);
    }
  g_byte_array_set_size (bytes, 0);
  PUT (bytes, V (1), V (1), V (key));
  bytecode_file_put_varint (bytes, inner);
  dictionary = bytecode_file_attr (file, bytes->data, bytes->len);
  PUT (blocks, V (1), V (0), V (1 << 1), V (OP_TEST), ATTRS, V (ATTR_UNKNOWN));
  bytecode_file_put_varint (blocks, dictionary);
  put_module (file, blocks->data, blocks->len);
}

static void
test_nesting (void)
{
  g_autoptr (BytecodeFile) few = new_file (4), deep = new_file (4), deeper = new_file (4), wide = new_file (4);
  g_autoptr (GhloIrModule) module = NULL;

  put_arrays (few, 200, 1);
  module = read_good (few);
  put_arrays (deep, 400, 1);
  check_bad_foreign (deep, "at byte 2159, in the attribute section: expected at most 256 levels of nesting,"
                           " found more");
  put_arrays (deeper, 100000, 1);
  check_bad_foreign (deeper, "at byte 780996, in the attribute section: expected at most 256 levels of nesting,"
                             " found more");
  put_arrays (wide, 40, 2);
  check_bad_foreign (wide, "at byte 228, in the attribute section: expected at most 10976 parts, nested ones"
                           " included, found 16383");
}

static void
test_text_entries (void)
{
  g_autoptr (BytecodeFile) good = new_file (4), bad = new_file (4);
  guint type;

  type = bytecode_file_text_type (good, "!test.kind<4>");
  PUT_MODULE (good, V (1), V (1), V (1 << 1), V (OP_TEST), RESULTS, V (ATTR_UNKNOWN), V (1), V (type));
  check_good (good, "\"builtin.module\"() ({\n  %0 = \"test.op\"() : () -> !test.kind<4>\n}) : () -> ()\n");

  type = bytecode_file_text_type (bad, "tensor<4x");
  PUT_MODULE (bad, V (1), V (1), V (1 << 1), V (OP_TEST), RESULTS, V (ATTR_UNKNOWN), V (1), V (type));
  check_bad_foreign (bad, "at byte 51, in the attribute section: expected the text of a type, found 'tensor<4x'"
                          " (type:1:10: expected a type, found the end of the text)");
}

/* Checks a file of one operation with one attribute, which is refused. */
static void
check_bad_attr (BytecodeFile *file,
                guint         attr,
                int           code,
                const char   *message)
{
  guint name = bytecode_file_string (file, "a"), key, dictionary;

  key = ADD_ATTR (file, V (2), V (name));
  dictionary = ADD_ATTR (file, V (1), V (1), V (key), V (attr));
  PUT_MODULE (file, V (1), V (0), V (1 << 1), V (OP_FUNC), ATTRS, V (ATTR_UNKNOWN), V (dictionary));
  check_bad (file, code, message);
}

#define CHECK_BAD_ATTR(code, message, ...) \
  G_STMT_START { \
    g_autoptr (BytecodeFile) file_ = new_file (4); \
    check_bad_attr (file_, ADD_ATTR (file_, __VA_ARGS__), code, message); \
  } G_STMT_END

static void
test_bad_attributes (void)
{
  g_autoptr (BytecodeFile) file = new_file (4);

  CHECK_BAD_ATTR (GHLO_ERROR_UNSUPPORTED, "at byte 55, in the attribute section: expected an attribute that StableHLO"
                  " has, found a sparse constant", V (20), V (0));
  CHECK_BAD_ATTR (GHLO_ERROR_UNSUPPORTED, "at byte 55, in the attribute section: expected an attribute that StableHLO"
                  " has, found a distinct attribute", V (21), V (0));
  CHECK_BAD_ATTR (GHLO_ERROR_UNSUPPORTED, "at byte 55, in the attribute section: expected the code of a builtin"
                  " attribute, up to 22, found 23", V (23), V (0));
  CHECK_BAD_ATTR (GHLO_ERROR_PARSE, "at byte 56, in the attribute section: expected the end of an attribute,"
                  " found 2 more bytes", V (7), V (0), V (0));
  CHECK_BAD_ATTR (GHLO_ERROR_PARSE, "at byte 56, in the attribute section: expected the index of a type,"
                  " of which there are 1, found 9", V (6), V (9));
  CHECK_BAD_ATTR (GHLO_ERROR_PARSE, "at byte 56, in the attribute section: expected a string, found a location",
                  V (4), V (ATTR_UNKNOWN));
  CHECK_BAD_ATTR (GHLO_ERROR_PARSE, "at byte 56, in the attribute section: expected a tensor type with static"
                  " dimensions for a constant, found i1", V (18), V (TYPE_I1), V (1), 0);
  CHECK_BAD_ATTR (GHLO_ERROR_PARSE, "at byte 56, in the attribute section: expected the data of 3 elements of i1,"
                  " found 2 bytes", V (17), V (TYPE_I1), V (3), V (2), 0, 0);
  check_bad_attr (file, bytecode_file_foreign_attr (file, 2, (const guint8[]) { 1 }, 1), GHLO_ERROR_UNSUPPORTED,
                  "at byte 55, in the attribute section: expected an attribute of a dialect whose encoding is known,"
                  " found one of 'test'");
}

/* The verifier's errors are located at a byte, or at the source location where that is known. */
static void
test_places (void)
{
  g_autoptr (BytecodeFile) file = new_file (4);
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", NULL, 0);
  g_autofree char *message = NULL;
  guint location = add_locations (file, 1);

  PUT_MODULE (file, V (1), V (1), V (1 << 1), V (OP_CONSTANT), RESULTS, V (location), V (1), V (TYPE_I1));
  module = read_good (file);
  g_assert_false (ghlo_ir_verify (module, diagnostics, NULL));
  message = ghlo_diagnostics_format (diagnostics, g_ptr_array_index (diagnostics->findings, 0));
  g_assert_cmpstr (message, ==, "test: at byte 78 (f.py:3:4): 'stablehlo.constant' op expected result #0 ('output') to"
                   " be a statically shaped ranked tensor of i1, signed integer, unsigned integer, float, complex,"
                   " per-tensor quantized, per-axis quantized, found i1");
}

/* A function that returns a constant of two f32, whose data are at any offset. */
static void
check_constant (guint n_before)
{
  g_autoptr (BytecodeFile) file = new_file (4);
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", NULL, 0);
  g_autoptr (GhloValue) output = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  const float expected[] = { 1.5f, -2 };
  g_autoptr (GhloPrepared) prepared = NULL;
  guint f32, tensor, function, keys[3], values[3], dictionary, constant, body;
  g_autofree char *producer = g_strnfill (n_before, 'x');

  file->producer = producer;
  f32 = ADD_TYPE (file, V (5));
  tensor = ADD_TYPE (file, V (13), V (1), V (2 << 1), V (f32));
  function = ADD_TYPE (file, V (2), V (0), V (1), V (tensor));
  keys[0] = ADD_ATTR (file, V (2), V (bytecode_file_string (file, "value")));
  keys[1] = ADD_ATTR (file, V (2), V (bytecode_file_string (file, "sym_name")));
  keys[2] = ADD_ATTR (file, V (2), V (bytecode_file_string (file, "function_type")));
  values[0] = ADD_ATTR (file, V (18), V (tensor), V (8), 0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0);
  values[1] = ADD_ATTR (file, V (2), V (bytecode_file_string (file, "main")));
  values[2] = ADD_ATTR (file, V (6), V (function));
  constant = ADD_ATTR (file, V (1), V (1), V (keys[0]), V (values[0]));
  dictionary = ADD_ATTR (file, V (1), V (2), V (keys[1]), V (values[1]), V (keys[2]), V (values[2]));
  body = 4 + 6 + 5;
  PUT_MODULE (file, V (1), V (0), V (1 << 1),
              V (OP_FUNC), ATTRS | REGIONS, V (ATTR_UNKNOWN), V (dictionary), V (1 << 1 | ISOLATED), 4, V (body - 1),
                V (1), V (1), V (2 << 1),
                V (OP_CONSTANT), ATTRS | RESULTS, V (ATTR_UNKNOWN), V (constant), V (1), V (tensor),
                V (OP_RETURN), OPERANDS, V (ATTR_UNKNOWN), V (1), V (0));
  bytes = bytecode_file_finish (file);
  module = read_good_bytes (bytes);
  g_assert_true (ghlo_ir_verify (module, diagnostics, NULL));

  prepared = ghlo_device_core_prepare (ghlo_reference_device (), module, ghlo_ir_module_get_entry (module), NULL,
                                       NULL, &error);
  g_assert_no_error (error);
  ghlo_prepared_run (prepared, NULL, NULL, 0, &output, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (output->data, output->n_bytes, expected, sizeof expected);
}

static void
test_misaligned_constant (void)
{
  for (guint i = 0; i < 8; i++)
    check_constant (i);
}

/* A resource at a multiple of its alignment, and one that consists of a key alone. */
static void
test_resources (void)
{
  g_autoptr (BytecodeFile) file = new_file (4), missing = new_file (4);
  guint i32, tensor, name, key, value, dictionary;

  bytecode_file_string (file, "weights");
  i32 = ADD_TYPE (file, V (0), V2 (32 << 2));
  tensor = ADD_TYPE (file, V (13), V (1), V (2 << 1), V (i32));
  name = bytecode_file_string (file, "x");
  key = ADD_ATTR (file, V (2), V (name));
  value = ADD_ATTR (file, V (16), V (tensor), V (0));
  dictionary = ADD_ATTR (file, V (1), V (1), V (key), V (value));
  PUT_MODULE (file, V (1), V (0), V (1 << 1), V (OP_TEST), ATTRS, V (ATTR_UNKNOWN), V (dictionary));
  file->resource_offsets = g_byte_array_new ();
  file->resources = g_byte_array_new ();
  PUT (file->resource_offsets, V (0), V (0), V (1), V (bytecode_file_string (file, "weights")), V (10), 0);
  PUT (file->resources, V (1), V (8), 1, 0, 0, 0, 2, 0, 0, 0);
  check_good (file,
              "\"builtin.module\"() ({\n"
              "  \"test.op\"() {x = dense_resource<weights> : tensor<2xi32>} : () -> ()\n"
              "}) : () -> ()\n"
              "\n{-#\n  dialect_resources: {\n    builtin: {\n"
              "      weights: \"0x400000000100000002000000\"\n    }\n  }\n#-}\n");

  i32 = ADD_TYPE (missing, V (0), V2 (32 << 2));
  tensor = ADD_TYPE (missing, V (13), V (1), V (2 << 1), V (i32));
  value = ADD_ATTR (missing, V (16), V (tensor), V (0));
  missing->resource_offsets = g_byte_array_new ();
  missing->resources = g_byte_array_new ();
  PUT (missing->resource_offsets, V (0), V (0), V (1), V (bytecode_file_string (missing, "weights")), V (0), 0);
  check_bad_attr (missing, value, GHLO_ERROR_DATA, "at byte 63, in the attribute section: expected the data of the"
                  " resource 'weights' in this file, found none");
}

/* A constant of 2^40 numbers in a resource of two numbers that states @stated bytes. */
static void
check_stated_sizes (guint64     stated,
                    const char *message)
{
  g_autoptr (BytecodeFile) file = new_file (4);
  g_autoptr (GByteArray) type = g_byte_array_new ();
  guint i32 = ADD_TYPE (file, V (0), V2 (32 << 2)), tensor, value;

  PUT (type, V (13), V (1));
  bytecode_file_put_varint (type, G_GUINT64_CONSTANT (1) << 41);
  PUT (type, V (i32));
  tensor = bytecode_file_type (file, type->data, type->len);
  value = ADD_ATTR (file, V (16), V (tensor), V (0));
  file->resource_offsets = g_byte_array_new ();
  file->resources = g_byte_array_new ();
  PUT (file->resources, V (1));
  bytecode_file_put_varint (file->resources, stated);
  PUT (file->resources, 1, 0, 0, 0, 2, 0, 0, 0);
  PUT (file->resource_offsets, V (0), V (0), V (1), V (bytecode_file_string (file, "weights")),
       V (file->resources->len), 0);
  check_bad_attr (file, value, GHLO_ERROR_PARSE, message);
}

/* Neither a type nor a resource causes memory to be allocated for a size that is only stated. */
static void
test_stated_sizes (void)
{
  check_stated_sizes (8, "at byte 63, in the attribute section: expected the data of 1099511627776 elements of i32,"
                      " found 8 bytes");
  check_stated_sizes (G_GUINT64_CONSTANT (1) << 42, "at byte 118, in the resource section: expected 4398046511104"
                      " more bytes, found 8");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bytecode/container/header", test_header);
  g_test_add_func ("/bytecode/container/sections", test_sections);
  g_test_add_func ("/bytecode/container/aligned", test_aligned);
  g_test_add_func ("/bytecode/container/dialect-versions", test_dialect_versions);
  g_test_add_func ("/bytecode/container/strings", test_strings);
  g_test_add_func ("/bytecode/container/resources", test_resources);
  g_test_add_func ("/bytecode/container/stated-sizes", test_stated_sizes);
  g_test_add_func ("/bytecode/container/unpacked-resources", test_unpacked_resources);
  g_test_add_func ("/bytecode/values/forward-references", test_forward_references);
  g_test_add_func ("/bytecode/values/unresolved-references", test_unresolved_references);
  g_test_add_func ("/bytecode/values/too-many", test_too_many_values);
  g_test_add_func ("/bytecode/values/numbering", test_numbering);
  g_test_add_func ("/bytecode/values/use-lists", test_use_lists);
  g_test_add_func ("/bytecode/operations/successors", test_successors);
  g_test_add_func ("/bytecode/operations/unregistered", test_unregistered);
  g_test_add_func ("/bytecode/operations/shared-attributes", test_shared_attributes);
  g_test_add_func ("/bytecode/operations/cancelled", test_cancelled);
  g_test_add_func ("/bytecode/operations/places", test_places);
  g_test_add_func ("/bytecode/operations/misaligned-constant", test_misaligned_constant);
  g_test_add_func ("/bytecode/entries/locations", test_locations);
  g_test_add_func ("/bytecode/entries/nesting", test_nesting);
  g_test_add_func ("/bytecode/entries/text", test_text_entries);
  g_test_add_func ("/bytecode/entries/bad-attributes", test_bad_attributes);

  return g_test_run ();
}
