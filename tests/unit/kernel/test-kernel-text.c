/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels as text: printed kernels parse to equal kernels with the same names and print the same again, for the files
 * in tests/kernels and for every node; invalid text gives an error with its position.
 */

#include "good-kernels.h"
#include "kernel/text.h"
#include "random-kernel.h"

#include "base/ghlo-error.h"

#include <string.h>

static GhloKernel *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  GhloKernel *kernel = ghlo_kernel_parse (text, strlen (text), &error);

  g_assert_no_error (error);

  return kernel;
}

static void
assert_same_names (const GhloKernel *a,
                   const GhloKernel *b)
{
  g_assert_cmpstr (a->name, ==, b->name);
  for (guint i = 0; i < a->n_axes; i++)
    {
      g_assert_cmpstr (a->axes[i].name, ==, b->axes[i].name);
      g_assert_cmpint (a->axes[i].extent, ==, b->axes[i].extent);
    }
  for (guint i = 0; i < a->n_buffers; i++)
    {
      g_assert_cmpstr (a->buffers[i].name, ==, b->buffers[i].name);
      g_assert_cmpint (a->buffers[i].size, ==, b->buffers[i].size);
    }
  for (guint i = 0; i < a->n_temporaries; i++)
    g_assert_cmpstr (a->temporaries[i].name, ==, b->temporaries[i].name);
}

static void
assert_round_trip (const GhloKernel *kernel)
{
  g_autofree char *text = ghlo_kernel_print (kernel);
  g_autofree GhloKernel *again = parse (text);
  g_autofree char *text_again = ghlo_kernel_print (again);

  g_assert_true (ghlo_kernel_equal (kernel, again));
  assert_same_names (kernel, again);
  g_assert_cmpstr (text, ==, text_again);
}

/* Parses text that must be in the printed form. */
static GhloKernel *
parse_canonical (const char *text)
{
  GhloKernel *kernel = parse (text);
  g_autofree char *printed = ghlo_kernel_print (kernel);

  g_assert_cmpstr (printed, ==, text);
  assert_round_trip (kernel);

  return kernel;
}

/* Calls @func with the text of each file in tests/kernels. */
static void
foreach_file (void (*func) (const char *text))
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "kernels", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  const char *name;
  guint n = 0;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *text = NULL;

      g_test_message ("%s", name);
      g_file_get_contents (path, &text, NULL, &error);
      g_assert_no_error (error);
      func (text);
      n++;
    }
  g_assert_cmpuint (n, >=, 15);
}

static void
check_golden (const char *text)
{
  g_free (parse_canonical (text));
}

static void
test_golden (void)
{
  foreach_file (check_golden);
}

/* The kernels that the checker's tests build by calls. */
static void
test_good (void)
{
  for (guint i = 0; i < n_good_kernels; i++)
    {
      g_autofree GhloKernel *kernel = good_kernel (good_kernels[i].name);

      g_test_message ("%s", good_kernels[i].name);
      assert_round_trip (kernel);
    }
}

static void
test_random (void)
{
  for (guint i = 0; i < 2000; i++)
    {
      guint64 seed = g_test_rand_int ();
      g_autofree GhloKernel *kernel = random_kernel (seed, i % 2 == 0 ? RANDOM_KERNEL_FUNCTIONS : 0);

      g_test_message ("seed %" G_GUINT64_FORMAT, seed);
      assert_round_trip (kernel);
    }
}

/* A text truncated anywhere is not a kernel, and the error has a position. */
static void
check_truncated (const char *text)
{
  for (gsize i = 0; i + 1 < strlen (text); i++)
    {
      g_autofree char *part = g_memdup2 (text, MAX (i, 1));
      g_autoptr (GError) error = NULL;

      g_assert_null (ghlo_kernel_parse (part, i, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_PARSE);
      g_assert_true (g_regex_match_simple ("^kernel:\\d+:\\d+: expected .*, found .*", error->message, 0, 0));
    }
}

static void
test_truncated (void)
{
  foreach_file (check_truncated);
}

/* Changes one byte of each text: whatever is still a kernel is printed and parsed. */
static void
check_changed (const char *text)
{
  static const char bytes[] = "0123456789%@$\"\\{}[](),:=+-*#.exif \n\xff";
  gsize size = strlen (text);

  for (guint i = 0; i < 2000; i++)
    {
      g_autofree char *changed = g_memdup2 (text, size);
      g_autoptr (GError) error = NULL;
      g_autofree GhloKernel *kernel = NULL;

      changed[g_test_rand_int_range (0, size)] = bytes[g_test_rand_int_range (0, sizeof bytes)];
      kernel = ghlo_kernel_parse (changed, size, &error);
      if (kernel != NULL)
        assert_round_trip (kernel);
      else
        g_assert_true (g_error_matches (error, GHLO_ERROR, GHLO_ERROR_PARSE)
                       || g_error_matches (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT)
                       || g_error_matches (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED));
    }
}

static void
test_changed (void)
{
  foreach_file (check_changed);
}

/* A type that operands of @kind may have. */
static GhloElementType
operand_type (GhloNodeKind kind)
{
  const GhloNodeSpec *spec = ghlo_node_spec (kind);
  GhloElementType type = spec->operand_type;

  for (guint i = GHLO_ELEMENT_TYPE_I1; type == GHLO_ELEMENT_TYPE_INVALID; i++)
    if ((ghlo_node_types (i) & spec->operand_types) != 0)
      type = i;

  return type;
}

static GhloElementType
result_type (GhloNodeKind kind)
{
  const GhloNodeSpec *spec = ghlo_node_spec (kind);

  if (spec->result_types != 0)
    return kind == GHLO_NODE_CONVERT ? GHLO_ELEMENT_TYPE_F64 : GHLO_ELEMENT_TYPE_UI8;

  return spec->result_type != GHLO_ELEMENT_TYPE_INVALID ? spec->result_type : operand_type (kind);
}

/* Appends a node of @kind with constants for operands. */
static void
append_node (GString      *text,
             GhloNodeKind  kind,
             guint        *n)
{
  const GhloNodeSpec *spec = ghlo_node_spec (kind);
  guint first = *n;

  for (guint i = 0; i < spec->n_operands; i++)
    {
      GhloElementType type = kind == GHLO_NODE_SELECT && i == 0 ? GHLO_ELEMENT_TYPE_I1 : operand_type (kind);

      g_string_append_printf (text, "    %%%u = constant %s %s\n", (*n)++, ghlo_element_info (type)->name,
                              type == GHLO_ELEMENT_TYPE_I1 ? "true" : "1");
    }
  g_string_append_printf (text, "    %%%u = %s %s", (*n)++, spec->name, ghlo_element_info (result_type (kind))->name);
  for (guint i = 0; i < spec->n_operands; i++)
    g_string_append_printf (text, " %%%u", first + i);
  g_string_append (text, "\n");
}

static const char leaves[] =
  "kernel nodes {\n"
  "  parallel row 4\n"
  "  axis column 8\n"
  "  buffer x 128\n"
  "  buffer y 16 written\n"
  "  temporary first f32\n"
  "  temporary sum f32\n"
  "  access @0 f32 x [row * 32 + column * 4]\n"
  "  access @1 f32 x [column * 4 + 32 * guard (row - 1, end 4)]\n"
  "  access @2 f32 y [row * 4]\n"
  "  points {\n"
  "    %0 = constant f32 1\n"
  "    store %0 to first\n"
  "  }\n"
  "  points [column] {\n"
  "    fold $0 sum f32 from 0\n"
  "    %1 = axis i32 column\n"
  "    %2 = extent ui8 row\n"
  "    %3 = load f32 @0\n"
  "    %4 = load f32 @1 else %3\n"
  "    %5 = inside i1 @1\n"
  "    %6 = temporary f32 first\n"
  "    %7 = left f32 $0\n"
  "    %8 = add f32 %7 %4\n"
  "    %9 = divide f32 %8 %4 bounded\n"
  "    %10 = divide f32 %8 %4 approximate\n"
  "    %11 = divide f32 %8 %4 narrow\n";

/* Every row of the table of nodes. */
static void
test_nodes (void)
{
  g_autoptr (GString) text = g_string_new (leaves);
  g_autofree GhloKernel *kernel = NULL;
  gboolean seen[GHLO_N_NODES] = { FALSE };
  guint n = 12;

  for (guint kind = 0; kind < GHLO_N_NODES; kind++)
    if (ghlo_node_spec (kind)->role != GHLO_NODE_LEAF)
      append_node (text, kind, &n);
  g_string_append_printf (text, "    update $0 %%8\n    merge {\n      %%%u = left f32 $0\n      %%%u = right f32 $0\n"
                          "      %%%u = add f32 %%%u %%%u\n      update $0 %%%u\n    }\n  }\n"
                          "  points {\n    %%%u = temporary f32 sum\n    store %%%u to @2\n  }\n}\n",
                          n, n + 1, n + 2, n, n + 1, n + 2, n + 3, n + 3);
  kernel = parse_canonical (text->str);
  g_assert_cmpuint (kernel->n_nodes, ==, n + 4);
  for (guint i = 0; i < kernel->n_nodes; i++)
    seen[kernel->nodes[i].kind] = TRUE;
  for (guint kind = 0; kind < GHLO_N_NODES; kind++)
    {
      g_test_message ("%s", ghlo_node_spec (kind)->name);
      g_assert_true (seen[kind]);
    }
}

/* The meaning of a text that is not in the printed form. */
static void
test_meaning (void)
{
  static const char text[] =
    "# anything\n"
    "kernel k{parallel i 4 runtime axis j 6 axis k 3 # more\r\n"
    "\tbuffer x 1000 written buffer y 1000 temporary s ui16 [ k ,j ] access @0 i32 x [4]\n"
    "  access @1 ui16 y [-2 + j * 3 + i * 2 - i - j + i * 11 + 402 - 8 * guard (j * 3 + %0 + 7 - i, step 2, end 9)\n"
    "                    + 0 * clamp (-1, end 3)]\n"
    "  points [j] { %0 = constant i8 0x1 %1 = load ui16 @1 } }\n";
  g_autofree GhloKernel *kernel = parse (text);
  const GhloKernelAccess *access;
  const GhloKernelTerm *term;

  g_assert_cmpuint (kernel->n_accesses, ==, 2);
  g_assert_cmpuint (kernel->temporaries[0].axes, ==, 6);
  g_assert_true (kernel->axes[0].is_parallel && kernel->axes[0].is_runtime);
  g_assert_false (kernel->axes[1].is_parallel || kernel->axes[1].is_runtime);
  g_assert_true (kernel->buffers[0].is_written);
  g_assert_false (kernel->buffers[1].is_written);
  access = &kernel->accesses[1];
  g_assert_cmpint (access->type, ==, GHLO_ELEMENT_TYPE_UI16);
  g_assert_cmpuint (access->buffer, ==, 1);
  g_assert_cmpint (access->offset, ==, 400);
  g_assert_cmpint (access->strides[0], ==, 12);
  g_assert_cmpint (access->strides[1], ==, 2);
  g_assert_cmpuint (access->n_terms, ==, 2);
  term = &kernel->terms[access->first_term];
  g_assert_cmpuint (term[0].node, ==, 0);
  g_assert_false (term[0].clamps);
  g_assert_cmpint (term[0].offset, ==, 7);
  g_assert_cmpint (term[0].step, ==, 2);
  g_assert_cmpint (term[0].end, ==, 9);
  g_assert_cmpint (term[0].stride, ==, -8);
  g_assert_cmpint (term[0].strides[0], ==, -1);
  g_assert_cmpint (term[0].strides[1], ==, 3);
  g_assert_cmpuint (term[1].node, ==, GHLO_KERNEL_NONE);
  g_assert_true (term[1].clamps);
  g_assert_cmpint (term[1].offset, ==, -1);
  g_assert_cmpint (term[1].step, ==, 1);
  g_assert_cmpint (term[1].end, ==, 3);
  assert_round_trip (kernel);
}

/* Builds the kernel of the text below by calls. */
static GhloKernel *
build_fold (void)
{
  GhloKernelBuilder *builder = ghlo_kernel_builder_new ("rows");
  g_autoptr (GError) error = NULL;
  gint64 strides[GHLO_KERNEL_MAX_AXES] = { 512, 4 };
  guint x, y, most, in, out, fold, node;
  GhloKernel *kernel;

  ghlo_kernel_add_axis (builder, "row", 16, TRUE, TRUE);
  ghlo_kernel_add_axis (builder, "column", 128, FALSE, FALSE);
  x = ghlo_kernel_add_buffer (builder, "x", 8192, FALSE);
  y = ghlo_kernel_add_buffer (builder, "y", 64, TRUE);
  most = ghlo_kernel_add_temporary (builder, "most", GHLO_ELEMENT_TYPE_F32, 0);
  in = ghlo_kernel_add_access (builder, x, GHLO_ELEMENT_TYPE_F32, 0, strides);
  strides[0] = 4;
  strides[1] = 0;
  out = ghlo_kernel_add_access (builder, y, GHLO_ELEMENT_TYPE_F32, 0, strides);
  ghlo_kernel_begin_points (builder, 1 << 1);
  ghlo_kernel_set_order (builder, 64, 8);
  fold = ghlo_kernel_add_fold (builder, GHLO_ELEMENT_TYPE_F32, most, 0xff800000);
  node = ghlo_kernel_add_load (builder, GHLO_ELEMENT_TYPE_F32, in, GHLO_KERNEL_NONE);
  ghlo_kernel_add_leaf (builder, GHLO_NODE_LEFT, GHLO_ELEMENT_TYPE_F32, fold);
  node = ghlo_kernel_add_node (builder, GHLO_NODE_MAXIMUM, GHLO_ELEMENT_TYPE_F32, node + 1, node, GHLO_KERNEL_NONE);
  ghlo_kernel_set_update (builder, fold, node);
  ghlo_kernel_begin_merge (builder);
  node = ghlo_kernel_add_leaf (builder, GHLO_NODE_LEFT, GHLO_ELEMENT_TYPE_F32, fold);
  ghlo_kernel_add_leaf (builder, GHLO_NODE_RIGHT, GHLO_ELEMENT_TYPE_F32, fold);
  node = ghlo_kernel_add_node (builder, GHLO_NODE_MAXIMUM, GHLO_ELEMENT_TYPE_F32, node, node + 1, GHLO_KERNEL_NONE);
  ghlo_kernel_set_merge (builder, fold, node);
  ghlo_kernel_end_block (builder);
  ghlo_kernel_begin_points (builder, 0);
  node = ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, GHLO_ELEMENT_TYPE_F32, most);
  ghlo_kernel_store (builder, node, out);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (builder, &error);
  g_assert_no_error (error);

  return kernel;
}

static const char built[] =
  "kernel rows {\n"
  "  parallel row 16 runtime\n"
  "  axis column 128\n"
  "  buffer x 8192\n"
  "  buffer y 64 written\n"
  "  temporary most f32\n"
  "  access @0 f32 x [row * 512 + column * 4]\n"
  "  access @1 f32 y [row * 4]\n"
  "  points [column] chains 64 split 8 {\n"
  "    fold $0 most f32 from -inf\n"
  "    %0 = load f32 @0\n"
  "    %1 = left f32 $0\n"
  "    %2 = maximum f32 %1 %0\n"
  "    update $0 %2\n"
  "    merge {\n"
  "      %3 = left f32 $0\n"
  "      %4 = right f32 $0\n"
  "      %5 = maximum f32 %3 %4\n"
  "      update $0 %5\n"
  "    }\n"
  "  }\n"
  "  points {\n"
  "    %6 = temporary f32 most\n"
  "    store %6 to @1\n"
  "  }\n"
  "}\n";

static void
test_built (void)
{
  g_autofree GhloKernel *kernel = build_fold ();
  g_autofree GhloKernel *parsed = parse_canonical (built);

  g_assert_true (ghlo_kernel_equal (kernel, parsed));
  assert_same_names (kernel, parsed);
}

typedef struct
{
  const char *type, *text;
  guint64     bits;
  const char *printed;          /* NULL: printed as given */
} Constant;

static const Constant constants[] = {
  { "i1", "true", 1 },
  { "i1", "false", 0 },
  { "i1", "0x1", 1, "true" },
  { "i8", "-128", 0x80 },
  { "i8", "127", 0x7f },
  { "i16", "-1", 0xffff },
  { "i32", "0xffffffff", 0xffffffff, "-1" },
  { "i64", "-9223372036854775808", G_GUINT64_CONSTANT (0x8000000000000000) },
  { "i64", "9223372036854775807", G_MAXINT64 },
  { "ui8", "255", 0xff },
  { "ui64", "18446744073709551615", G_MAXUINT64 },
  { "f32", "0", 0 },
  { "f32", "-0", 0x80000000 },
  { "f32", "0.1", 0x3dcccccd },
  { "f32", "16777216.5", 0x4b800000, "16777216" },
  { "f32", "512.000", 0x44000000, "512" },
  { "f32", "100000", 0x47c35000, "1e+05" },
  { "f32", "12340000", 0x4b3c4b20, "12340000" },
  { "f32", "1e-45", 1 },
  { "f32", "1E-60", 0, "0" },
  { "f32", "3.4028235e+38", 0x7f7fffff },
  { "f32", "-inf", 0xff800000 },
  { "f32", "0x7fc00000", 0x7fc00000 },
  { "f32", "0xff800001", 0xff800001 },
  { "f32", "0x3f800000", 0x3f800000, "1" },
  { "f64", "0.1", G_GUINT64_CONSTANT (0x3fb999999999999a) },
  { "f64", "5e-324", 1 },
  { "f64", "1.7976931348623157e+308", G_GUINT64_CONSTANT (0x7fefffffffffffff) },
  { "f64", "inf", G_GUINT64_CONSTANT (0x7ff0000000000000) },
  { "f64", "0x7ff8000000000000", G_GUINT64_CONSTANT (0x7ff8000000000000) },
  { "f64", "123456789012345678901234567890", G_GUINT64_CONSTANT (0x45f8ee90ff6c373e), "1.2345678901234568e+29" },
};

static char *
write_constant (const char *type,
                const char *constant)
{
  return g_strdup_printf ("kernel k {\n  points {\n    %%0 = constant %s %s\n  }\n}\n", type, constant);
}

static void
test_constants (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (constants); i++)
    {
      const Constant *constant = &constants[i];
      g_autofree char *text = write_constant (constant->type, constant->text);
      g_autofree char *expected = write_constant (constant->type, constant->printed != NULL ? constant->printed
                                                                                          : constant->text);
      g_autofree GhloKernel *kernel = parse (text);
      g_autofree char *printed = ghlo_kernel_print (kernel);

      g_assert_cmphex (kernel->nodes[0].bits, ==, constant->bits);
      g_assert_cmpstr (printed, ==, expected);
      assert_round_trip (kernel);
    }
}

/* Floats of all magnitudes. */
static void
test_random_constants (void)
{
  for (guint i = 0; i < 20000; i++)
    {
      gboolean is_double = i % 2;
      guint64 bits = (guint32) g_test_rand_int ();
      g_autofree char *hex = NULL, *text = NULL, *printed = NULL;
      g_autofree GhloKernel *kernel = NULL, *again = NULL;

      if (is_double)
        bits = bits << 32 | (guint32) g_test_rand_int ();
      hex = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", bits);
      text = write_constant (is_double ? "f64" : "f32", hex);
      kernel = parse (text);
      g_assert_cmphex (kernel->nodes[0].bits, ==, bits);
      printed = ghlo_kernel_print (kernel);
      again = parse (printed);
      g_assert_cmphex (again->nodes[0].bits, ==, bits);
    }
}

typedef struct
{
  const char *text, *message;
} Wrong;

/* Cases that begin with a newline are placed after these declarations, on line 3. */
#define BEGINNING "kernel k { parallel i 4 axis j 4 axis t 2 axis t 2 buffer x 64 buffer y 64 written\n" \
                  "temporary a f32 temporary a f32 temporary b f32 temporary p i1 access @0 f32 x [i * 4]"

static const Wrong wrongs[] = {
  { "", "1:1: expected 'kernel', found the end of the text" },
  { "  # only this", "1:14: expected 'kernel', found the end of the text" },
  { "kernels", "1:1: expected 'kernel', found 'kernels'" },
  { "kernel 3", "1:8: expected the name of a kernel, found '3'" },
  { "kernel \"k", "1:8: expected the name of a kernel, found a name without a closing quote" },
  { "kernel \"\\q\"", "1:8: expected the name of a kernel, found a name with an unknown escape" },
  { "kernel \"\\00\"", "1:8: expected the name of a kernel, found a name with an unknown escape" },
  { "kernel k\n[", "2:1: expected '{', found '['" },
  { "kernel k {\n\n  axes", "3:3: expected a declaration, a block or '}', found 'axes'" },
  { "kernel k {} }", "1:13: expected the end of the text, found '}'" },
  { "kernel k { ?", "1:12: expected a declaration, a block or '}', found a character that cannot begin a token" },
  { "\nparallel", "3:9: expected the name of an axis, found the end of the text" },
  { "\naxis n", "3:7: expected an integer, found the end of the text" },
  { "\naxis n 99999999999999999999", "3:8: expected an integer that fits in 64 bits, found '99999999999999999999'" },
  { "\naxis n 9223372036854775808", "3:8: expected an integer that fits in 64 bits, found '9223372036854775808'" },
  { "\naxis n 12x", "3:8: expected an integer, found a number that runs into a letter" },
  { "\naxis n 1.5", "3:8: expected an integer, found '1.5'" },
  { "\nbuffer 1", "3:8: expected the name of a buffer, found '1'" },
  { "\ntemporary n f16", "3:13: expected a type that nodes can have, found 'f16'" },
  { "\ntemporary n i4", "3:13: expected a type that nodes can have, found 'i4'" },
  { "\ntemporary n f32 [i, i]", "3:21: expected each axis once, found 'i'" },
  { "\ntemporary n f32 [x]", "3:18: expected the name of an axis declared before, found 'x'" },
  { "\ntemporary n f32 [i", "3:19: expected ']', found the end of the text" },
  { "\ntemporary n f32 [t]", "3:18: expected a colon and a number after the name of more than one axis, found 't'" },
  { "\ntemporary n f32 [t:1]", "3:20: expected the number of the axis of that name, found '1'" },
  { "\ntemporary n f32 [t:4]", "3:20: expected the number of the axis of that name, found '4'" },
  { "\naccess @0", "3:8: expected '@1', found '@0'" },
  { "\naccess @1 f32 z", "3:15: expected the name of a buffer declared before, found 'z'" },
  { "\naccess @1 f32 x []", "3:18: expected the name of an axis, found ']'" },
  { "\naccess @1 f32 x [3 * i]", "3:22: expected 'clamp' or 'guard', found 'i'" },
  { "\naccess @1 f32 x [i * j]", "3:22: expected an integer, found 'j'" },
  { "\naccess @1 f32 x [i * -4]", "3:22: expected an integer, found '-'" },
  { "\naccess @1 f32 x [i * 0x4]", "3:22: expected an integer, found '0x4'" },
  { "\naccess @1 f32 x [%0]", "3:18: expected an axis, an offset or a term, found '%0'" },
  { "\naccess @1 f32 x [i * 9223372036854775807 + i]", "3:44: expected a sum that fits in 64 bits, found 'i'" },
  { "\naccess @1 f32 x [4 * clamp (%0 + %1, end 3)]",
    "3:34: expected an axis or an offset, since a term adds one node, found '%1'" },
  { "\naccess @1 f32 x [4 * clamp (%9000, end 3)]", "3:29: expected the number of an earlier node, found '%9000'" },
  { "\naccess @1 f32 x [4 * clamp (i end 3)]", "3:31: expected ',', found 'end'" },
  { "\naccess @1 f32 x [4 * guard (i, step 2 end 3)]", "3:39: expected ',', found 'end'" },
  { "\naccess @1 f32 x [4 * guard (i, 3)]", "3:32: expected 'end', found '3'" },
  { "\naccess @1 f32 x [4 * guard (2 * guard (i, end 1), end 2)]", "3:31: expected ',', found '*'" },
  { "\npoints [j] chains 0 {", "3:19: expected from 1 to 256 chains, found '0'" },
  { "\npoints [j] chains 65537 {", "3:19: expected from 1 to 256 chains, found '65537'" },
  { "\npoints split {", "3:14: expected an integer, found '{'" },
  { "\npoints { %", "3:10: expected a node, 'fold', 'update', 'store', 'merge' or '}', "
               "found '%', '@' or '$' without a number" },
  { "\npoints { %1 = ", "3:10: expected '%0', found '%1'" },
  { "\npoints { %0 add", "3:13: expected '=', found 'add'" },
  { "\npoints { %0 = plus f32", "3:15: expected the name of a node, found 'plus'" },
  { "\npoints { %0 = add %0", "3:19: expected a type that nodes can have, found '%0'" },
  { "\npoints { %0 = negate f32 %0", "3:26: expected the number of an earlier node, found '%0'" },
  { "\npoints { %0 = add f32 @0", "3:23: expected '%' and the number of a node, found '@0'" },
  { "\npoints { %0 = load f32 @1", "3:24: expected the number of an earlier access, found '@1'" },
  { "\npoints { %0 = load f32 x", "3:24: expected '@' and the number of an access, found 'x'" },
  { "\npoints { %0 = left f32 $0", "3:24: expected the number of an earlier fold, found '$0'" },
  { "\npoints { %0 = left f32 0", "3:24: expected '$' and the number of a fold, found '0'" },
  { "\npoints { %0 = temporary f32 c", "3:29: expected the name of a temporary declared before, found 'c'" },
  { "\npoints { %0 = axis i32 4", "3:24: expected the name of an axis, found '4'" },
  { "\npoints { %0 = constant i8 128", "3:27: expected a constant of type i8, found '128'" },
  { "\npoints { %0 = constant ui8 -1", "3:28: expected a constant of type ui8, found '-'" },
  { "\npoints { %0 = constant i32 1.5", "3:28: expected a constant of type i32, found '1.5'" },
  { "\npoints { %0 = constant i1 1", "3:27: expected a constant of type i1, found '1'" },
  { "\npoints { %0 = constant i32 inf", "3:28: expected a constant of type i32, found 'inf'" },
  { "\npoints { %0 = constant f32 1e39", "3:28: expected a constant of type f32, found '1e39'" },
  { "\npoints { %0 = constant f32 0x100000000", "3:28: expected a constant of type f32, found '0x100000000'" },
  { "\npoints { fold $1", "3:15: expected '$0', found '$1'" },
  { "\npoints { fold $0 b f32 0", "3:24: expected 'from', found '0'" },
  { "\npoints { store b", "3:16: expected '%' and the number of a node, found 'b'" },
  { "\npoints { %0 = constant f32 1 store %0 a:1", "3:39: expected 'to', found 'a'" },
  { "\npoints { %0 = constant f32 1 store %0 to a:2",
    "3:44: expected the number of the temporary of that name, found '2'" },
  { "\npoints { fold $0 b f32 from 1 %0 = left f32 $0 } points { update $0 %0",
    "3:66: expected a fold of these points, found '$0'" },
  { "\npoints { merge { store", "3:18: expected a node, 'update' or '}', found 'store'" },
  { "\npoints { merge { } store", "3:20: expected '}', found 'store'" },
  { "\npoints { points {", "3:10: expected a node, 'fold', 'update', 'store', 'merge' or '}', found 'points'" },
  { "\nloop i { axis", "3:10: expected a block or '}', found 'axis'" },
  { "\nloop j { points { } carry b from b by b", "3:21: expected a block or '}', found 'carry'" },
  { "\nloop { }", "3:6: expected the name of an axis, found '{'" },
  { "\nwhile p { } }", "3:13: expected 'do', found '}'" },
  { "\nwhen p { carry b to", "3:18: expected 'from', found 'to'" },
  { "\nproduct b [i] [j] [t:2] = @0 x b", "3:30: expected '*', found 'x'" },
  { "\nproduct b [i] [j] [t:2] = @1 * b", "3:27: expected the number of an earlier access, found '@1'" },
  { "\nproduct b [i] [j] = @0 * b", "3:19: expected '[', found '='" },
};

static void
test_wrong (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrongs); i++)
    {
      const char *text = wrongs[i].text;
      g_autofree char *whole = g_strconcat (*text == '\n' ? BEGINNING : "", text, NULL);
      g_autofree char *expected = g_strconcat ("kernel:", wrongs[i].message, NULL);
      g_autoptr (GError) error = NULL;
      g_auto (GStrv) lines = NULL;

      g_assert_null (ghlo_kernel_parse (whole, strlen (whole), &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_PARSE);
      lines = g_strsplit (error->message, "\n", 2);
      g_assert_cmpstr (lines[0], ==, expected);
      g_assert_nonnull (strchr (lines[1], '^'));
    }
}

/* @n copies of @part, with "#" replaced by the number, between a beginning and an end. */
static void
assert_too_large (guint       n,
                  const char *beginning,
                  const char *part,
                  const char *end,
                  const char *what)
{
  g_autoptr (GString) text = g_string_new (beginning);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_auto (GStrv) pieces = g_strsplit (part, "#", -1);
      g_autofree char *line = g_strjoinv (number, pieces);

      g_string_append (text, line);
    }
  g_string_append (text, end);
  g_test_message ("%s", what);
  g_assert_null (ghlo_kernel_parse (text->str, text->len, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_true (g_str_has_suffix (error->message, what));
}

static void
test_too_large (void)
{
  assert_too_large (9, "kernel k {", "parallel a# 1 ", "}", "too many axes");
  assert_too_large (65, "kernel k {", "buffer b# 4 ", "}", "too many buffers");
  assert_too_large (257, "kernel k {", "temporary t# f32 ", "}", "too many temporaries");
  assert_too_large (257, "kernel k { buffer x 4 ", "access @# f32 x [0] ", "}", "too many accesses");
  assert_too_large (257, "kernel k { axis i 4 buffer x 4 access @0 f32 x [0", " + 4 * guard (i, end #)", "] }",
                    "too many terms of accesses");
  assert_too_large (100000, "kernel k { axis i 4 buffer x 4 access @0 f32 x [0", " + 4 * guard (i, end #)", "] }",
                    "too many terms of accesses");
  assert_too_large (129, "kernel k {", "points { } ", "}", "too many blocks");
  assert_too_large (9, "kernel k { temporary p i1 ", "when p { ", "}", "too many nested blocks");
  assert_too_large (100000, "kernel k { temporary p i1 ", "when p { ", "}", "too many nested blocks");
  assert_too_large (257, "kernel k { temporary p i1 when p {", "carry p from p by p ", "} }",
                    "too many carried temporaries");
  assert_too_large (65, "kernel k { temporary t f32 points {", "fold $# t f32 from 0 ", "} }", "too many folds");
  assert_too_large (257, "kernel k { temporary t f32 points { %0 = constant f32 0 ", "store %0 to t ", "} }",
                    "too many stores");
  assert_too_large (8193, "kernel k { points {", "%# = constant f32 0 ", "} }", "too many nodes");
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/kernel-text/golden", test_golden);
  g_test_add_func ("/kernel-text/good", test_good);
  g_test_add_func ("/kernel-text/random", test_random);
  g_test_add_func ("/kernel-text/truncated", test_truncated);
  g_test_add_func ("/kernel-text/changed", test_changed);
  g_test_add_func ("/kernel-text/nodes", test_nodes);
  g_test_add_func ("/kernel-text/meaning", test_meaning);
  g_test_add_func ("/kernel-text/built", test_built);
  g_test_add_func ("/kernel-text/constants", test_constants);
  g_test_add_func ("/kernel-text/random-constants", test_random_constants);
  g_test_add_func ("/kernel-text/wrong", test_wrong);
  g_test_add_func ("/kernel-text/too-large", test_too_large);

  return g_test_run ();
}
