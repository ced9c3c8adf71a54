/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     test-narrow-types [--device=NAME]
 *
 * Element types of up to 8 bits on a device, the CPU unless --device names another: every pattern converted to every
 * other type and back, and taken as the bits of others, every pair of patterns in each operation that is rounded once,
 * and moved, reduced or multiplied. The bits are the reference executor's, before and after fusion, in strips and in
 * machine code, and no step runs on the reference executor.
 */

#include "../passes/pass-help.h"

#include "compiler/devices.h"
#include "compiler/optimize.h"
#include "cpu/device.h"
#include "runtime/place.h"
#ifdef GHLO_HAS_VULKAN
#include "gpu/core.h"
#endif

const GhloDeviceFinder ghlo_device_registry[] = {
  { ghlo_cpu_find_devices },
#ifdef GHLO_HAS_VULKAN
  { ghlo_gpu_find_devices, ghlo_gpu_may_exist },
#endif
  { ghlo_reference_find_devices },
  { NULL }
};

enum { MAX_RESULTS = 40 };

static char *device_name;
static GhloDeviceCore *device;

static gboolean
is_narrow (GhloElementType type)
{
  return ghlo_element_info (type)->bits <= 8 && type != GHLO_ELEMENT_TYPE_INVALID;
}

static const char *
name_of (GhloElementType type)
{
  return ghlo_element_type_to_string (type);
}

/* Programs under construction: one argument, and results that are added one by one. */
typedef struct
{
  GString *body, *types, *names;
  guint    n_results;
} Text;

static Text
text_begin (void)
{
  return (Text) { g_string_new (NULL), g_string_new (NULL), g_string_new (NULL), 0 };
}

/* Adds "%rN = OPERATION", a result of type @type. */
static void G_GNUC_PRINTF (3, 4)
text_add (Text       *self,
          const char *type,
          const char *operation,
          ...)
{
  const char *comma = self->n_results > 0 ? ", " : "";
  va_list arguments;

  va_start (arguments, operation);
  g_string_append_printf (self->body, "  %%r%u = ", self->n_results);
  g_string_append_vprintf (self->body, operation, arguments);
  g_string_append_c (self->body, '\n');
  va_end (arguments);
  g_string_append_printf (self->types, "%s%s", comma, type);
  g_string_append_printf (self->names, "%s%%r%u", comma, self->n_results++);
  g_assert_cmpuint (self->n_results, <=, MAX_RESULTS);
}

static char *
text_end (Text       *self,
          const char *argument)
{
  char *text = g_strdup_printf ("func.func @main(%%a: %s) -> (%s) {\n%s  return %s : %s\n}\n", argument,
                                self->types->str, self->body->str, self->names->str, self->types->str);

  g_string_free (self->body, TRUE);
  g_string_free (self->types, TRUE);
  g_string_free (self->names, TRUE);

  return text;
}

static void
compare (const GhloValue *expected,
         const GhloValue *found,
         guint            result,
         const char      *text)
{
  const GhloElementType type = expected->type->element_type;
  const gsize size = ghlo_element_info (type)->size;

  for (gsize i = 0; i < expected->n_elements; i++)
    {
      GhloScalar a = ghlo_element_load (type, expected->data + i * size);
      GhloScalar b = ghlo_element_load (type, found->data + i * size);
      g_autoptr (GString) was = NULL;

      if (memcmp (expected->data + i * size, found->data + i * size, size) == 0
          || (ghlo_element_type_is_float (type) && isnan (a.f) && isnan (b.f))
          || (ghlo_element_type_is_complex (type) && isnan (a.c.re) && isnan (b.c.re)))
        continue;
      was = g_string_new (NULL);
      ghlo_ir_append_scalar (was, type, a);
      g_string_append (was, " and is ");
      ghlo_ir_append_scalar (was, type, b);
      g_error ("%s\nresult %u, element %" G_GSIZE_FORMAT " was %s", text, result, i, was->str);
    }
}

static void
run (GhloPrepared *prepared,
     GhloValue    *input,
     GhloValue   **expected,
     guint         n_results,
     const char   *text)
{
  GhloValue *found[MAX_RESULTS] = { NULL };
  g_autoptr (GError) error = NULL;

  ghlo_prepared_run (prepared, NULL, &input, 1, found, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n_results; i++)
    {
      ghlo_value_fetch (found[i], NULL, &error);
      g_assert_no_error (error);
      compare (expected[i], found[i], i, text);
    }
  pass_clear (found, n_results);
}

static void
check_level (GhloIrModule *module,
             guint         level,
             GhloValue    *input,
             GhloValue   **expected,
             guint         n_results,
             const char   *text)
{
  const GhloPassOptions passes = { .level = level };
  const GhloOptimizeOptions optimize = { .level = level };
  GhloPrepareOptions options = ghlo_devices_get_options ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloIrModule) copy = pass_apply (module, &passes, NULL, &error);
  g_autoptr (GhloPrepared) prepared = NULL;
  GhloRunFigures figures;

  g_assert_no_error (error);
  ghlo_fuse (copy, device, &optimize, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  prepared = ghlo_device_core_prepare (device, copy, ghlo_ir_module_find (copy, "main"), &options, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ghlo_prepared_measure (prepared, &figures));
  /* Reductions start with a constant, which is part of their kernels after fusion only. */
  if (level > 0 && figures.n_fallback_steps > 0)
    {
      g_autofree char *plan = ghlo_prepared_describe (prepared);

      g_error ("%s\n%u steps on the reference executor at O%u:\n%s", text, figures.n_fallback_steps, level, plan);
    }
  run (prepared, input, expected, n_results, text);
  ghlo_prepared_wait_for_code (prepared, NULL, &error);
  g_assert_no_error (error);
  run (prepared, input, expected, n_results, text);
}

/* Takes @given. */
static void
check (char      *given,
       GhloValue *input)
{
  g_autofree char *text = given;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloIrModule) module = pass_parse ("narrow.mlir", text, strlen (text), &error);
  GhloValue *expected[MAX_RESULTS] = { NULL };
  guint n_results;

  if (module == NULL)
    g_error ("%s\n%s", text, error->message);
  n_results = ghlo_ir_func_get_body (ghlo_ir_module_find (module, "main"))->last->n_operands;
  pass_run (module, "main", &input, 1, expected, &error);
  g_assert_no_error (error);
  for (guint level = 0; level <= 2; level += 2)
    check_level (module, level, input, expected, n_results, text);
  pass_clear (expected, n_results);
}

/* Inputs */

static GhloValue *
new_value (GhloElementType type,
           const gint64   *dimensions,
           guint           rank)
{
  g_autoptr (GhloTensorType) tensor = ghlo_tensor_type_new (type, dimensions, rank);
  g_autoptr (GError) error = NULL;
  GhloValue *value = ghlo_value_new_tensor (tensor, &error);

  g_assert_no_error (error);

  return value;
}

/* Stores the element with these bits. */
static void
set_bits (GhloValue *value,
          gsize      i,
          guint64    bits)
{
  const GhloElementType type = value->type->element_type;
  const GhloElementInfo *info = ghlo_element_info (type);
  guint8 *element = value->data + i * info->size;

  if (ghlo_element_type_is_float (type))
    ghlo_element_store (type, element, (GhloScalar) { .f = ghlo_float_from_bits (type, bits) });
  else
    ghlo_element_store (type, element, (GhloScalar) { .u = bits });
  if (ghlo_element_type_is_float (type) && info->size <= 2)
    memcpy (element, &(guint16) { GUINT16_TO_LE ((guint16) bits) }, info->size);
}

/* All patterns of a type of up to 16 bits, in @rows rows. */
static GhloValue *
new_patterns (GhloElementType type,
              gint64          rows)
{
  const gint64 n = (gint64) 1 << ghlo_element_info (type)->bits, dimensions[] = { rows, n / rows };
  GhloValue *value = rows == 1 ? new_value (type, &n, 1) : new_value (type, dimensions, 2);

  for (gint64 i = 0; i < n; i++)
    set_bits (value, (gsize) i, (guint64) i);

  return value;
}

static void
add_around (GArray *numbers,
            double  x)
{
  const double around[] = { x, nextafter (x, INFINITY), nextafter (x, -INFINITY),
                            nextafterf ((float) x, INFINITY), nextafterf ((float) x, -INFINITY) };

  g_array_append_vals (numbers, around, G_N_ELEMENTS (around));
}

/* The numbers of all narrow formats, the midpoints between adjacent ones, and the neighbours of both. */
static GhloValue *
new_floats (GhloElementType type)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (double));
  const double special[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e-42, -1e-42, 3e38, -3e38, 1e300, 1e-300 };
  GhloValue *value;
  gint64 n;

  g_array_append_vals (numbers, special, G_N_ELEMENTS (special));
  for (GhloElementType narrow = 1; narrow < GHLO_ELEMENT_TYPE_INDEX; narrow++)
    for (guint bits = 0; is_narrow (narrow) && bits < 1u << ghlo_element_info (narrow)->bits; bits++)
      if (ghlo_element_type_is_float (narrow))
        {
          double x = ghlo_float_from_bits (narrow, bits), next = ghlo_float_from_bits (narrow, bits + 1);

          add_around (numbers, x);
          add_around (numbers, isfinite (next) ? (x + next) / 2 : x * 1.25);
        }
      else
        add_around (numbers, (double) bits / 2 - 64);
  n = numbers->len;
  value = new_value (type, &n, 1);
  for (gint64 i = 0; i < n; i++)
    ghlo_element_store (type, value->data + i * ghlo_element_info (type)->size,
                        (GhloScalar) { .f = g_array_index (numbers, double, i) });

  return value;
}

/* Sums of two powers of two, their negatives, and the neighbours of all of them: ties, at all sizes. */
static GhloValue *
new_integers (GhloElementType type)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint64));
  GhloValue *value;
  gint64 n;

  for (guint i = 0; i < 64; i++)
    for (guint j = 0; j <= i; j++)
      for (gint k = -1; k <= 1; k++)
        {
          guint64 number = (1ull << i) + (1ull << j) + (guint64) k, other = -number;

          g_array_append_val (numbers, number);
          g_array_append_val (numbers, other);
        }
  n = numbers->len;
  value = new_value (type, &n, 1);
  for (gint64 i = 0; i < n; i++)
    set_bits (value, (gsize) i, g_array_index (numbers, guint64, i));

  return value;
}

static GhloValue *
new_numbers (GhloElementType type)
{
  if (ghlo_element_info (type)->bits <= 16)
    return new_patterns (type, 1);

  return ghlo_element_type_is_float (type) ? new_floats (type) : new_integers (type);
}

/* Tests */

static void
test_conversions (gconstpointer data)
{
  const GhloElementType from = GPOINTER_TO_UINT (data);
  g_autoptr (GhloValue) input = new_numbers (from);
  g_autofree char *argument = g_strdup_printf ("tensor<%" G_GSIZE_FORMAT "x%s>", input->n_elements, name_of (from));
  Text text = text_begin ();

  for (GhloElementType to = 1; to < GHLO_ELEMENT_TYPE_INDEX; to++)
    if (is_narrow (from) || is_narrow (to))
      {
        g_autofree char *type = g_strdup_printf ("tensor<%" G_GSIZE_FORMAT "x%s>", input->n_elements, name_of (to));

        text_add (&text, type, "stablehlo.convert %%a : (%s) -> %s", argument, type);
      }
  check (text_end (&text, argument), input);
}

static void
add_operations (Text       *text,
                const char *names,
                guint       n_operands,
                const char *type)
{
  g_auto (GStrv) all = g_strsplit (names, " ", -1);

  for (guint i = 0; all[i] != NULL; i++)
    text_add (text, type, "stablehlo.%s %s : %s", all[i], n_operands == 1 ? "%x" : "%x, %y", type);
}

/* Every pair of patterns. */
static void
test_operations (gconstpointer data)
{
  const GhloElementType element = GPOINTER_TO_UINT (data);
  const gboolean is_float = ghlo_element_type_is_float (element);
  const gboolean is_signed = is_float || ghlo_element_info (element)->element_class == GHLO_ELEMENT_CLASS_SIGNED;
  const guint n = 1u << ghlo_element_info (element)->bits;
  g_autoptr (GhloValue) input = new_patterns (element, 1);
  g_autofree char *argument = g_strdup_printf ("tensor<%ux%s>", n, name_of (element));
  g_autofree char *type = g_strdup_printf ("tensor<%ux%ux%s>", n, n, name_of (element));
  g_autofree char *truth = g_strdup_printf ("tensor<%ux%uxi1>", n, n);
  Text text = text_begin ();

  g_string_append_printf (text.body, "  %%x = stablehlo.broadcast_in_dim %%a, dims = [0] : (%s) -> %s\n"
                          "  %%y = stablehlo.broadcast_in_dim %%a, dims = [1] : (%s) -> %s\n"
                          "  %%less = stablehlo.compare LT, %%x, %%y : (%s, %s) -> %s\n",
                          argument, type, argument, type, type, type, truth);
  add_operations (&text, "add subtract multiply divide remainder maximum minimum", 2, type);
  if (is_signed)
    add_operations (&text, "abs sign", 1, type);
  if (is_float)
    add_operations (&text, "negate floor ceil round_nearest_even round_nearest_afz sqrt", 1, type);
  else
    {
      add_operations (&text, "and or xor shift_left shift_right_arithmetic shift_right_logical", 2, type);
      add_operations (&text, "negate not popcnt count_leading_zeros", 1, type);
      text_add (&text, type, "chlo.mulhi %%x, %%y : %s, %s -> %s", type, type, type);
    }
  text_add (&text, truth, "stablehlo.compare EQ, %%x, %%y : (%s, %s) -> %s", type, type, truth);
  text_add (&text, type, "stablehlo.select %%less, %%x, %%y : %s, %s", truth, type);
  text_add (&text, type, "stablehlo.clamp %%y, %%x, %%y : %s", type);
  check (text_end (&text, argument), input);
}

static void
test_moves (gconstpointer data)
{
  enum { ROWS = 4 };
  const GhloElementType element = GPOINTER_TO_UINT (data);
  const char *name = name_of (element), *one = ghlo_element_type_is_float (element) ? "1.0" : "1";
  const guint n = (1u << ghlo_element_info (element)->bits) / ROWS;
  g_autoptr (GhloValue) input = new_patterns (element, ROWS);
  g_autofree char *argument = g_strdup_printf ("tensor<%ux%ux%s>", ROWS, n, name);
  g_autofree char *padded = g_strdup_printf ("tensor<%ux%ux%s>", ROWS + 3, n + 2, name);
  g_autofree char *joined = g_strdup_printf ("tensor<%ux%ux%s>", ROWS + 1, n, name);
  g_autofree char *row = g_strdup_printf ("tensor<1x%ux%s>", n, name);
  g_autofree char *sum = g_strdup_printf ("tensor<%ux%s>", n, name);
  const char *const reductions[] = { "add", "multiply", "maximum", "minimum" };
  Text text = text_begin ();

  g_string_append_printf (text.body, "  %%one = stablehlo.constant dense<%s> : tensor<%s>\n"
                          "  %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
                          "  %%last = stablehlo.slice %%a [%u:%u, %u:%u] : (%s) -> tensor<1x1x%s>\n"
                          "  %%scalar = stablehlo.reshape %%last : (tensor<1x1x%s>) -> tensor<%s>\n"
                          "  %%start = stablehlo.convert %%scalar : (tensor<%s>) -> tensor<i32>\n"
                          "  %%row = stablehlo.dynamic_slice %%a, %%start, %%zero, sizes = [1, %u] : (%s, tensor<i32>, "
                          "tensor<i32>) -> %s\n",
                          one, name, ROWS - 1, ROWS, n - 1, n, argument, name, name, name, name, n, argument, row);
  text_add (&text, padded, "stablehlo.pad %%a, %%scalar, low = [1, 2], high = [2, 0], interior = [0, 0] : (%s, "
            "tensor<%s>) -> %s", argument, name, padded);
  text_add (&text, joined, "stablehlo.concatenate %%row, %%a, dim = 0 : (%s, %s) -> %s", row, argument, joined);
  text_add (&text, argument, "stablehlo.iota dim = 1 : %s", argument);
  for (guint i = 0; i < G_N_ELEMENTS (reductions); i++)
    text_add (&text, sum, "stablehlo.reduce(%%a init: %%one) applies stablehlo.%s across dimensions = [0] : (%s, "
              "tensor<%s>) -> %s", reductions[i], argument, name, sum);
  if (!ghlo_element_type_is_float (element))
    {
      g_autofree char *same = g_strdup_printf ("tensor<%ux%ux%s>", n, n, name);
      g_autofree char *wide = g_strdup_printf ("tensor<%ux%uxi32>", n, n);

      text_add (&text, same, "stablehlo.dot_general %%a, %%a, contracting_dims = [0] x [0] : (%s, %s) -> %s", argument,
                argument, same);
      text_add (&text, wide, "stablehlo.dot_general %%a, %%a, contracting_dims = [0] x [0] : (%s, %s) -> %s", argument,
                argument, wide);
    }
  check (text_end (&text, argument), input);
}

/* Adds what @from becomes as @to. Where elements are joined, the operand has several copies of the patterns. */
static void
add_bitcast (Text            *text,
             gsize            n,
             GhloElementType  from,
             GhloElementType  to)
{
  enum { COPIES = 192 };
  const guint from_bits = ghlo_element_info (from)->bits, to_bits = ghlo_element_info (to)->bits;
  g_autofree char *operand = NULL, *result = NULL, *copies = NULL;

  if (from_bits >= to_bits)
    {
      operand = g_strdup_printf ("tensor<%" G_GSIZE_FORMAT "x%s>", n, name_of (from));
      result = from_bits == to_bits ? g_strdup_printf ("tensor<%" G_GSIZE_FORMAT "x%s>", n, name_of (to))
               : g_strdup_printf ("tensor<%" G_GSIZE_FORMAT "x%ux%s>", n, from_bits / to_bits, name_of (to));
      text_add (text, result, "stablehlo.bitcast_convert %%a : (%s) -> %s", operand, result);
      return;
    }
  copies = g_strdup_printf ("tensor<%" G_GSIZE_FORMAT "x%ux%s>", n, COPIES, name_of (from));
  operand = g_strdup_printf ("tensor<%" G_GSIZE_FORMAT "x%ux%s>", n * COPIES * from_bits / to_bits,
                             to_bits / from_bits, name_of (from));
  result = g_strdup_printf ("tensor<%" G_GSIZE_FORMAT "x%s>", n * COPIES * from_bits / to_bits, name_of (to));
  g_string_append_printf (text->body, "  %%c%u = stablehlo.broadcast_in_dim %%a, dims = [0] : (tensor<%" G_GSIZE_FORMAT
                          "x%s>) -> %s\n  %%o%u = stablehlo.reshape %%c%u : (%s) -> %s\n", text->n_results, n,
                          name_of (from), copies, text->n_results, text->n_results, copies, operand);
  text_add (text, result, "stablehlo.bitcast_convert %%o%u : (%s) -> %s", text->n_results, operand, result);
}

static void
test_bitcasts (gconstpointer data)
{
  const GhloElementType from = GPOINTER_TO_UINT (data);
  const guint from_bits = ghlo_element_info (from)->bits;
  g_autoptr (GhloValue) input = new_numbers (from);
  g_autofree char *argument = g_strdup_printf ("tensor<%" G_GSIZE_FORMAT "x%s>", input->n_elements, name_of (from));
  Text text = text_begin ();

  for (GhloElementType to = 1; to < GHLO_ELEMENT_TYPE_INDEX; to++)
    {
      const guint to_bits = ghlo_element_info (to)->bits;

      if (!ghlo_element_type_is_complex (to) && (from_bits % 8 != 0 || to_bits % 8 != 0)
          && MAX (from_bits, to_bits) % MIN (from_bits, to_bits) == 0)
        add_bitcast (&text, input->n_elements, from, to);
    }
  check (text_end (&text, argument), input);
}

static void
add_test (const char     *name,
          GhloElementType type,
          GTestDataFunc   test)
{
  g_autofree char *path = g_strdup_printf ("/narrow/%s/%s", name, name_of (type));

  g_test_add_data_func (path, GUINT_TO_POINTER (type), test);
}

int
main (int    argc,
      char **argv)
{
  const GOptionEntry entries[] = { { "device", 0, 0, G_OPTION_ARG_STRING, &device_name, NULL, NULL },
                                   G_OPTION_ENTRY_NULL };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_ignore_unknown_options (context, TRUE);
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_parse (context, &argc, &argv, NULL);
  g_test_init (&argc, &argv, NULL);
  device = ghlo_devices_find (device_name != NULL ? device_name : "cpu");
  for (GhloElementType type = 1; device != NULL && type < GHLO_ELEMENT_TYPE_INDEX; type++)
    {
      if (ghlo_element_type_is_complex (type))
        continue;
      add_test ("conversions", type, test_conversions);
      add_test ("bitcasts", type, test_bitcasts);
      if (!is_narrow (type) || type == GHLO_ELEMENT_TYPE_I1)
        continue;
      add_test ("operations", type, test_operations);
      add_test ("moves", type, test_moves);
    }

  return g_test_run ();
}
