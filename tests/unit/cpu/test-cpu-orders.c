/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorts, top-k, cumulative reductions and random bits as steps of plans.
 */

#include "cpu-steps.h"
#include "cpu/isa/routines.h"
#include "cpu/sort/numbers.h"
#include "kernel/scalar.h"

/* Few distinct values, so that many are equal; floats include NaNs of both signs and both zeros. Integers may also be
 * of all bits, or differ only in the first and the last bits. */
static GhloValue *
new_few (const char *text,
         gboolean    with_nan)
{
  static const double special[] = { 0.0, -0.0, INFINITY, -INFINITY, 1e-40, -1e-40, NAN, -NAN };
  GhloValue *value = new_random (text, -20, 20);
  const GhloElementInfo *info = ghlo_element_info (value->type->element_type);
  const gint wide = g_test_rand_int_range (0, 3);

  for (gsize i = 0; i < value->n_elements; i++)
    {
      guint8 *data = value->data + i * info->size;
      double number = g_test_rand_int_range (0, 4) == 0 ? special[g_test_rand_int_range (0, with_nan ? 8 : 6)]
                      : g_test_rand_int_range (-9, 9);

      if (info->element_class == GHLO_ELEMENT_CLASS_FLOAT)
        ghlo_element_store (value->type->element_type, data, (GhloScalar) { .f = number });
      else if (info->element_class == GHLO_ELEMENT_CLASS_COMPLEX)
        ghlo_element_store (value->type->element_type, data, (GhloScalar) {
          .c = { number, g_test_rand_int_range (-2, 3) * number }
        });
      else if (wide > 0)
        ghlo_element_store (value->type->element_type, data, (GhloScalar) {
          .u = wide == 1 ? (guint64) (guint32) g_test_rand_int () << 32 | (guint32) g_test_rand_int ()
                         : (guint64) g_test_rand_int_range (0, 3) << (8 * info->size - 2)
                           | (guint64) g_test_rand_int_range (0, 40)
        });
    }

  return value;
}

/* Canonicalizes floats for comparison as JAX does. Returns the value's name, to be freed. */
static char *
add_canonical (GString    *text,
               const char *argument,
               const char *type,
               guint      *n)
{
  guint i = ++*n;

  g_string_append_printf (text, "    %%z%u = stablehlo.constant dense<0.0> : tensor<%s>\n"
                          "    %%n%u = stablehlo.constant dense<0x%s> : tensor<%s>\n", i, type, i,
                          g_str_equal (type, "f32") ? "7FC00000" : g_str_equal (type, "f64") ? "7FF8000000000000"
                          : g_str_equal (type, "bf16") ? "7FC0" : "7E00", type);
  g_string_append_printf (text, "    %%e%u = stablehlo.compare EQ, %s, %%z%u, FLOAT : (tensor<%s>, tensor<%s>) -> "
                          "tensor<i1>\n    %%s%u = stablehlo.select %%e%u, %%z%u, %s : tensor<i1>, tensor<%s>\n",
                          i, argument, i, type, type, i, i, i, argument, type);
  g_string_append_printf (text, "    %%d%u = stablehlo.compare NE, %s, %s, FLOAT : (tensor<%s>, tensor<%s>) -> "
                          "tensor<i1>\n    %%k%u = stablehlo.select %%d%u, %%n%u, %%s%u : tensor<i1>, tensor<%s>\n",
                          i, argument, argument, type, type, i, i, i, i, type);

  return g_strdup_printf ("%%k%u", i);
}

static gboolean
is_one_of (const char *word,
           const char *words)
{
  g_auto (GStrv) all = g_strsplit (words, " ", -1);

  return g_strv_contains ((const char *const *) all, word);
}

/* Adds a comparison of operand @operand's elements and returns its name; *@equal is the name of the value that is
 * true where they are equal. */
static char *
add_comparison (GString    *text,
                guint       operand,
                const char *type,
                gboolean    last,
                guint      *n,
                char      **equal)
{
  static const char *const directions[] = { "LT", "GT", "LE", "GE" };
  g_autofree char *a = g_strdup_printf ("%%b%u", 2 * operand), *b = g_strdup_printf ("%%b%u", 2 * operand + 1);
  const char *direction = directions[g_test_rand_int_range (0, last ? 4 : 2)];
  const char *part = strstr (type, "f32") != NULL ? "f32" : "f64", *kind = "SIGNED";

  if (g_str_has_prefix (type, "complex"))
    {
      const char *op = g_test_rand_bit () ? "real" : "imag";

      for (guint side = 0; side < 2; side++)
        {
          char **name = side == 0 ? &a : &b;
          char *value = g_strdup_printf ("%%p%u", ++*n);

          g_string_append_printf (text, "    %s = stablehlo.%s %s : (tensor<%s>) -> tensor<%s>\n", value, op, *name,
                                  type, part);
          g_free (*name);
          *name = value;
        }
      type = part;
    }
  if (is_one_of (type, "f16 bf16 f32 f64") && g_test_rand_bit ())
    {
      char *other = add_canonical (text, a, type, n);

      g_free (a);
      a = other;
      other = add_canonical (text, b, type, n);
      g_free (b);
      b = other;
    }
  if (type[0] == 'f' || type[0] == 'b')
    kind = g_test_rand_bit () ? "FLOAT" : "TOTALORDER";
  else if (is_one_of (type, "i1 ui2 ui4 ui8 ui16 ui32 ui64"))
    kind = "UNSIGNED";
  if (g_test_rand_bit ())
    {
      char *kept = a;

      a = b;
      b = kept;
    }
  ++*n;
  g_string_append_printf (text, "    %%q%u = stablehlo.compare EQ, %s, %s, %s : (tensor<%s>, tensor<%s>) -> "
                          "tensor<i1>\n", *n, a, b, kind, type, type);
  g_string_append_printf (text, "    %%c%u = stablehlo.compare %s, %s, %s, %s : (tensor<%s>, tensor<%s>) -> "
                          "tensor<i1>\n", *n, direction, a, b, kind, type, type);
  *equal = g_strdup_printf ("%%q%u", *n);

  return g_strdup_printf ("%%c%u", *n);
}

/* A comparator of up to three keys. */
static char *
new_comparator (const char *const *types,
                guint              n_operands)
{
  GString *text = g_string_new (NULL);
  guint n_keys = (guint) g_test_rand_int_range (1, (gint) MIN (n_operands, 3) + 1), first, n = 0;
  g_autofree char *rest = NULL;

  first = (guint) g_test_rand_int_range (0, (gint) (n_operands - n_keys) + 1);
  for (guint i = n_keys; i > 0; i--)
    {
      g_autofree char *equal = NULL;
      char *value = add_comparison (text, first + i - 1, types[first + i - 1], i == n_keys, &n, &equal);

      if (rest != NULL && g_test_rand_bit ())
        g_string_append_printf (text, "    %%r%u = stablehlo.select %s, %s, %s : tensor<i1>, tensor<i1>\n", n, equal,
                                rest, value);
      else if (rest != NULL)
        g_string_append_printf (text, "    %%x%u = stablehlo.and %s, %s : tensor<i1>\n"
                                "    %%r%u = stablehlo.or %s, %%x%u : tensor<i1>\n", n, equal, rest, n, value, n);
      if (rest != NULL)
        {
          g_free (value);
          value = g_strdup_printf ("%%r%u", n);
        }
      g_free (rest);
      rest = value;
    }
  g_string_append_printf (text, "    stablehlo.return %s : tensor<i1>\n", rest);

  return g_string_free (text, FALSE);
}

/* Checks that the sort's results have the expected bits. */
static gboolean
check_sort (const char        *comparator,
            const char *const *types,     /* of elements, one for each operand */
            guint              n,
            gint64             dimension,
            const char        *shape,     /* "3x5x" */
            gboolean           with_nan)
{
  g_autoptr (GString) text = g_string_new ("func.func @main("), list = g_string_new (NULL);
  GhloValue *inputs[STEP_MAX];
  gboolean taken;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *type = g_strdup_printf ("tensor<%s%s>", shape, types[i]);

      inputs[i] = new_few (type, with_nan);
      g_string_append_printf (text, "%s%%a%u: %s", i > 0 ? ", " : "", i, type);
      g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", type);
    }
  g_string_append_printf (text, ") -> (%s) {\n  %%0:%u = \"stablehlo.sort\"(", list->str, n);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%a%u", i > 0 ? ", " : "", i);
  g_string_append_printf (text, ") <{dimension = %" G_GINT64_FORMAT " : i64, is_stable = true}> ({\n  ^bb0(",
                          dimension);
  for (guint i = 0; i < 2 * n; i++)
    g_string_append_printf (text, "%s%%b%u: tensor<%s>", i > 0 ? ", " : "", i, types[i / 2]);
  g_string_append_printf (text, "):\n%s  }) : (%s) -> (%s)\n  return ", comparator, list->str, list->str);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%0#%u", i > 0 ? ", " : "", i);
  g_string_append_printf (text, " : %s\n}\n", list->str);

  if (g_test_verbose ())
    g_test_message ("%s", text->str);
  taken = step_check (text->str, "sort", inputs, n, STEP_SAME_BITS);
  for (guint i = 0; i < n; i++)
    ghlo_value_unref (inputs[i]);

  return taken;
}

static const char *const element_types[] = {
  "i1", "i2", "i4", "i8", "i16", "i32", "i64", "ui2", "ui4", "ui8", "ui16", "ui32", "ui64", "f4E2M1FN", "f6E2M3FN",
  "f8E3M4", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E8M0FNU", "f16", "bf16", "f32", "f64", "complex<f32>",
  "complex<f64>",
};

static const char *
any_type (void)
{
  return element_types[g_test_rand_int_range (0, G_N_ELEMENTS (element_types))];
}

/* A random size for the dimension, from 0 to some thousands. */
static gint
any_length (void)
{
  static const gint most[] = { 40, 40, 500, 5000 };

  return g_test_rand_int_range (0, most[g_test_rand_int_range (0, G_N_ELEMENTS (most))]);
}

static char *
any_shape (gint64 *dimension)
{
  gint n = any_length ();
  gint a = g_test_rand_int_range (1, n < 100 ? 40 : n < 1100 ? 20 : 4), b = g_test_rand_int_range (0, 4);

  switch (g_test_rand_int_range (0, 5))
    {
    case 0:
      *dimension = 0;
      return g_strdup_printf ("%dx", n);
    case 1:
      *dimension = -1;
      return g_strdup_printf ("%dx%dx", a, n);
    case 2:
      *dimension = 0;
      return g_strdup_printf ("%dx%dx", n, a);
    case 3:
      *dimension = 2;
      return g_strdup_printf ("%dx%dx%dx%dx", b, g_test_rand_int_range (1, 20), n, g_test_rand_int_range (1, 6));
    default:
      *dimension = 1;
      return g_strdup_printf ("%dx%dx%dx", b, n, a);
    }
}

static void
test_sort (void)
{
  for (guint i = 0; i < 300; i++)
    {
      const char *types[4];
      guint n = (guint) g_test_rand_int_range (1, 5);
      g_autofree char *comparator = NULL, *shape = NULL;
      gint64 dimension;

      for (guint j = 0; j < n; j++)
        types[j] = any_type ();
      comparator = new_comparator (types, n);
      shape = any_shape (&dimension);
      if (!check_sort (comparator, types, n, dimension, shape, g_test_rand_bit ()))
        g_error ("declined: %s", comparator);
    }
}

/* For a single operand only elements are moved. */
static void
test_sort_values (void)
{
  for (guint i = 0; i < 8 * G_N_ELEMENTS (element_types); i++)
    {
      const char *type = element_types[i % G_N_ELEMENTS (element_types)];
      g_autofree char *comparator = new_comparator (&type, 1), *shape = NULL;
      gint64 dimension;

      shape = any_shape (&dimension);
      if (!check_sort (comparator, &type, 1, dimension, shape, i % 3 == 0))
        g_error ("declined: %s", comparator);
    }
}

/* Lines so long that they are sorted in parts. */
static void
test_sort_parts (void)
{
  static const char *const types[] = { "f32", "i32" };

  for (guint i = 0; i < 6; i++)
    {
      g_autofree char *comparator = new_comparator (types, 1 + i % 2);

      g_assert_true (check_sort (comparator, types, 1 + i % 2, 0, i < 4 ? "150001x" : "1x140000x1x", FALSE));
    }
}

/* For its merge sort, which pivots hardly ever lead to. */
GHLO_CPU_SORT_DECLARE (again, guint64)
#define NUMBER guint64
#define FUNCTION(name) name##_again
#include "cpu/sort/template.h"

/* Fills @numbers with a pattern: random numbers, few of them, ordered ones, equal ones, or those whose first sample are
 * the least. */
static void
fill_pattern (guint64 *numbers,
              gsize    n,
              guint    pattern)
{
  for (gsize i = 0; i < n; i++)
    {
      guint64 random = (guint64) (guint32) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();

      switch (pattern)
        {
        case 0:
          numbers[i] = random;
          break;
        case 1:
          numbers[i] = random % 7 == 0 ? G_MAXUINT64 : random % 7;
          break;
        case 2:
          numbers[i] = i;
          break;
        case 3:
          numbers[i] = n - i;
          break;
        case 4:
          numbers[i] = G_MAXUINT64;
          break;
        default:
          numbers[i] = i % (n / 32) == 0 ? i : random | (guint64) 1 << 63;
        }
    }
}

static gint
compare_u64 (gconstpointer a,
             gconstpointer b,
             gpointer      data)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return x < y ? -1 : x > y;
}

/* Numbers of both widths, of which the narrow ones are the upper bits of the wide ones. */
static void
test_sort_numbers (void)
{
  static const gsize sizes[] = { 1, 2, 255, 256, 257, 512, 5000, 300000 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes) * 6; i++)
    {
      gsize n = sizes[i / 6], k = (gsize) g_test_rand_int_range (0, (gint) n + 1);
      g_autofree guint64 *numbers = g_new (guint64, n), *sorted = g_new (guint64, n), *spare = g_new (guint64, n);
      g_autofree guint64 *more_spare = g_new (guint64, n);
      g_autofree guint32 *narrow = g_new (guint32, n), *narrow_spare = g_new (guint32, n);

      fill_pattern (numbers, n, n < 64 ? 0 : i % 6);
      for (gsize j = 0; j < n; j++)
        narrow[j] = (guint32) (numbers[j] >> 32);
      memcpy (sorted, numbers, n * sizeof (guint64));
      g_assert_true (ghlo_cpu_select_u64 (sorted, spare, n, k, NULL));
      g_qsort_with_data (sorted, (gint) k, sizeof (guint64), compare_u64, NULL);
      g_qsort_with_data (sorted + k, (gint) (n - k), sizeof (guint64), compare_u64, NULL);
      memcpy (spare, numbers, n * sizeof (guint64));
      g_qsort_with_data (spare, (gint) n, sizeof (guint64), compare_u64, NULL);
      g_assert_cmpmem (sorted, n * sizeof (guint64), spare, n * sizeof (guint64));

      memcpy (spare, numbers, n * sizeof (guint64));
      g_assert_true (merge_sort_again (spare, more_spare, n, NULL));
      g_assert_cmpmem (sorted, n * sizeof (guint64), spare, n * sizeof (guint64));
      g_assert_true (ghlo_cpu_sort_u64 (numbers, spare, n, NULL));
      g_assert_cmpmem (numbers, n * sizeof (guint64), sorted, n * sizeof (guint64));
      g_assert_true (ghlo_cpu_sort_u32 (narrow, narrow_spare, n, NULL));
      for (gsize j = 0; j < n; j++)
        g_assert_cmpuint (narrow[j], ==, (guint32) (sorted[j] >> 32));
    }
}

static void
test_sort_declined (void)
{
  static const char *const comparators[] = {
    "    %c = stablehlo.compare NE, %b0, %b1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n",
    "    %c = stablehlo.compare LT, %b0, %b3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n",
    "    %s = stablehlo.add %b0, %b2 : tensor<i32>\n    %t = stablehlo.add %b1, %b3 : tensor<i32>\n"
    "    %c = stablehlo.compare LT, %s, %t, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n",
    "    %c = stablehlo.compare LT, %b0, %b1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    %e = stablehlo.compare EQ, %b2, %b3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    %d = stablehlo.compare LT, %b2, %b3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    %f = stablehlo.and %d, %e : tensor<i1>\n    %g = stablehlo.or %c, %f : tensor<i1>\n"
    "    stablehlo.return %g : tensor<i1>\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (comparators); i++)
    g_assert_false (check_sort (comparators[i], (const char *[]) { "i32", "i32" }, 2, 0, "7x", FALSE));
}

/* The elements of a search: few different ones, all equal ones, or each row in order. */
typedef enum { TOP_K_FEW, TOP_K_EQUAL, TOP_K_ASCENDING, TOP_K_DESCENDING, N_TOP_K } TopKOrder;

/* The @k largest of each of @lines times @others rows of @n elements. */
static void
check_top_k (const char *type,
             gint        lines,
             gint        others,
             gint        n,
             gint        k,
             TopKOrder   order)
{
  g_autofree char *input = g_strdup_printf ("tensor<%dx%dx%dx%s>", lines, others, n, type);
  g_autofree char *values = g_strdup_printf ("tensor<%dx%dx%dx%s>", lines, others, k, type);
  g_autofree char *indices = g_strdup_printf ("tensor<%dx%dx%dxi32>", lines, others, k);
  g_autofree char *text = NULL;
  g_autoptr (GhloValue) operand = new_few (input, TRUE);

  for (gsize i = 0; order != TOP_K_FEW && i < operand->n_elements; i++)
    {
      gint place = (gint) (i % (gsize) n);

      set_number (operand, i, order == TOP_K_EQUAL ? 3 : 100.0 * (order == TOP_K_ASCENDING ? place : n - place) / n);
    }
  text = g_strdup_printf ("func.func @main(%%a: %s) -> (%s, %s) {\n  %%0, %%1 = chlo.top_k(%%a, k = %d) : %s -> "
                          "(%s, %s)\n  return %%0, %%1 : %s, %s\n}\n", input, values, indices, k, input, values,
                          indices, values, indices);
  g_assert_true (step_check (text, "top_k", (GhloValue *[]) { operand }, 1, STEP_SAME_BITS));
}

static const char *const top_k_types[] = { "i1", "i4", "i8", "ui8", "f8E4M3FN", "i16", "bf16", "f16", "i32", "ui32",
                                           "f32", "i64", "ui64", "f64" };

static void
test_top_k (void)
{
  for (guint i = 0; i < 200; i++)
    {
      gint n = i == 0 || i == 11 ? 300000 : any_length (), k = g_test_rand_int_range (0, MIN (n, 700) + 1);
      gint lines = n > 5000 ? 1 : g_test_rand_int_range (1, 5);
      gint others = n > 1100 ? 1 : g_test_rand_int_range (0, n > 300 ? 9 : 40);

      if (n <= 5000 && g_test_rand_bit ())
        k = g_test_rand_int_range (0, n + 1);
      check_top_k (top_k_types[i % G_N_ELEMENTS (top_k_types)], lines, others, n, k, TOP_K_FEW);
    }
}

/* Rows that are sorted side by side, with as many results as registers hold, and around that. */
static void
test_top_k_short (void)
{
  static const gint counts[] = { 1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 24, 32, 33, 64, 65, 100 };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    for (guint j = 0; j < G_N_ELEMENTS (top_k_types); j++)
      {
        gint k = counts[i], more = (gint[]) { 0, 1, k - 1, k, 2 * k + 3, g_test_rand_int_range (0, 130) }[(i + j) % 6];

        check_top_k (top_k_types[j], g_test_rand_int_range (1, 4), g_test_rand_int_range (4, 100), k + more, k,
                     TOP_K_FEW);
      }
}

/* Rows in which a search finds as few elements as it can, or all. */
static void
test_top_k_search (void)
{
  static const char *const types[] = { "i8", "bf16", "i32", "f32", "i64", "f64" };
  static const gint lengths[] = { 257, 700, 5000 }, counts[] = { 1, 8, 27, 64 };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    for (guint j = 0; j < G_N_ELEMENTS (lengths); j++)
      for (guint order = TOP_K_FEW; order < N_TOP_K; order++)
        check_top_k (types[i], 1, 9, lengths[j], counts[(i + j + order) % G_N_ELEMENTS (counts)], order);
}

/* A cumulative reduction of %a starting from the constant @start, or from %s where it is NULL. */
static char *
cumulative_text (const char *type,
                 const char *op,
                 const char *start,
                 const gint  dimensions[3],
                 guint       dimension,
                 gboolean    backward)
{
  g_autofree char *tensor = g_strdup_printf ("tensor<%dx%dx%dx%s>", dimensions[0], dimensions[1], dimensions[2], type);
  g_autofree char *argument = start == NULL ? g_strdup_printf (", %%s: tensor<%s>", type) : g_strdup ("");
  g_autofree char *constant = start == NULL ? g_strdup ("")
    : g_strdup_printf ("  %%s = stablehlo.constant dense<%s> : tensor<%s>\n", start, type);
  gint sizes[3] = { 1, 1, 1 }, low[3] = { 0 }, high[3] = { 0 };

  sizes[dimension] = dimensions[dimension];
  *(backward ? &high[dimension] : &low[dimension]) = dimensions[dimension] - 1;

  return g_strdup_printf ("func.func @main(%%a: %s%s) -> %s {\n%s"
                          "  %%0 = \"stablehlo.reduce_window\"(%%a, %%s) <{padding = dense<[[%d, %d], [%d, %d], "
                          "[%d, %d]]> : tensor<3x2xi64>, window_dimensions = array<i64: %d, %d, %d>}> ({\n"
                          "  ^bb0(%%x: tensor<%s>, %%y: tensor<%s>):\n    %%z = stablehlo.%s %%x, %%y : tensor<%s>\n"
                          "    stablehlo.return %%z : tensor<%s>\n  }) : (%s, tensor<%s>) -> %s\n"
                          "  return %%0 : %s\n}\n", tensor, argument, tensor, constant, low[0], high[0],
                          low[1], high[1], low[2], high[2],
                          sizes[0], sizes[1], sizes[2], type, type, op, type, type, tensor, type, tensor, tensor);
}

/* Sizes of which the middle one or another is large, within limits, as the reference executor evaluates each window
 * separately. */
static void
any_dimensions (gint  dimensions[3],
                guint dimension)
{
  for (guint d = 0; d < 3; d++)
    dimensions[d] = g_test_rand_int_range (d == dimension ? 1 : 0, 7);
  dimensions[dimension] = g_test_rand_bit () ? g_test_rand_int_range (1, 200) : g_test_rand_int_range (1, 3000);
  if (dimension != 2 && g_test_rand_int_range (0, 4) == 0)
    dimensions[2] = g_test_rand_int_range (1, 1200);
  if (dimension == 2 && g_test_rand_int_range (0, 4) == 0)
    dimensions[0] = g_test_rand_int_range (50, 900);
  if (dimensions[0] * dimensions[1] * dimensions[2] > 6000)
    dimensions[dimension] = g_test_rand_int_range (1, 20);
}

static const struct
{
  const char *type;
  double      tolerance;
} cumulative_types[] = {
  { "i1", STEP_SAME_BITS }, { "i2", STEP_SAME_BITS }, { "i4", STEP_SAME_BITS }, { "i8", STEP_SAME_BITS },
  { "i16", STEP_SAME_BITS }, { "i32", STEP_SAME_BITS }, { "i64", STEP_SAME_BITS }, { "ui4", STEP_SAME_BITS },
  { "ui8", STEP_SAME_BITS }, { "ui16", STEP_SAME_BITS }, { "ui32", STEP_SAME_BITS }, { "ui64", STEP_SAME_BITS },
  { "f16", 8e-3 }, { "bf16", 6e-2 }, { "f32", 1e-4 }, { "f64", 1e-12 }, { "complex<f32>", 1e-4 },
  { "complex<f64>", 1e-12 },
};

/* Factors whose products are in the range of the narrowest floats, whatever the order of rounding. */
static GhloValue *
new_factors (const char *text)
{
  GhloValue *value = new_random (text, 0.9, 1.1);

  for (gsize i = 0; i < value->n_elements && ghlo_element_info (value->type->element_type)->size == 2; i++)
    set_number (value, i, g_test_rand_int_range (0, 500) == 0 ? (g_test_rand_bit () ? 2 : 0.5)
                          : g_test_rand_bit () ? 1 : -1);

  return value;
}

static void
check_cumulative (guint       type_index,
                  const char *op,
                  const char *start,
                  guint       dimension)
{
  const char *type = cumulative_types[type_index].type;
  gboolean is_order = g_str_equal (op, "maximum") || g_str_equal (op, "minimum");
  gboolean is_float = strchr (type, 'f') != NULL;
  g_autofree char *text = NULL, *tensor = NULL, *scalar = NULL;
  g_autoptr (GhloValue) operand = NULL, initial = NULL;
  gint dimensions[3];

  any_dimensions (dimensions, dimension);
  text = cumulative_text (type, op, start, dimensions, dimension, g_test_rand_bit ());
  tensor = g_strdup_printf ("tensor<%dx%dx%dx%s>", dimensions[0], dimensions[1], dimensions[2], type);
  if (is_float && !is_order)
    operand = g_str_equal (op, "add") ? new_random (tensor, -1, 1) : new_factors (tensor);
  else
    operand = new_few (tensor, TRUE);
  scalar = g_strdup_printf ("tensor<%s>", type);
  initial = new_few (scalar, FALSE);
  if (!step_check (text, "cumulative", (GhloValue *[]) { operand, initial }, start != NULL ? 1 : 2,
                   is_order ? STEP_SAME : cumulative_types[type_index].tolerance))
    g_error ("declined: %s", text);
}

static void
test_cumulative (void)
{
  static const struct { const char *op, *start, *real_start, *complex_start; } ops[] = {
    { "add", "0", "0.0", "(0.0, 0.0)" }, { "multiply", "1", "1.0", NULL }, { "xor", "0", NULL, NULL },
  };
  static const char *const any_start[] = { "maximum", "minimum", "and", "or" };

  for (guint i = 0; i < 400; i++)
    {
      guint t = (guint) g_test_rand_int_range (0, G_N_ELEMENTS (cumulative_types)), o = i % 7;
      const char *type = cumulative_types[t].type;
      gboolean is_float = strchr (type, 'f') != NULL, is_complex = type[0] == 'c';
      guint dimension = (guint) g_test_rand_int_range (0, 3);

      if (o >= 3 && !(o < 5 ? is_complex : is_float))
        check_cumulative (t, any_start[o - 3], NULL, dimension);
      else if (o < 3)
        {
          const char *start = is_complex ? ops[o].complex_start : is_float ? ops[o].real_start
                              : g_str_equal (type, "i1") ? (ops[o].start[0] == '0' ? "false" : "true") : ops[o].start;

          if (start != NULL)
            check_cumulative (t, ops[o].op, start, dimension);
        }
    }
}

/* Every pattern of a narrow float, or arbitrary wide numbers: the results include overflows, infinities and NaNs. */
static GhloValue *
new_patterns (const char *text)
{
  GhloValue *value = new_random (text, -2, 2);
  gsize size = ghlo_element_info (value->type->element_type)->size;
  guint64 mask = G_MAXUINT64 >> (64 - ghlo_element_info (value->type->element_type)->bits);

  for (gsize i = 0; size <= 2 && i < value->n_elements; i++)
    if (g_test_rand_bit ())
      {
        guint16 bits = (guint16) ((guint64) g_test_rand_int () & mask);

        memcpy (value->data + i * size, &bits, size);
      }

  return value;
}

/* Short sums, and products of narrow floats, are rounded at each step, from first to last. */
static void
test_cumulative_steps (void)
{
  static const char *const types[] = {
    "f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2",
    "f8E5M2FNUZ", "bf16", "f16", "f32", "f64",
  };

  for (guint i = 0; i < 20 * G_N_ELEMENTS (types); i++)
    {
      const char *type = types[i % G_N_ELEMENTS (types)];
      gboolean is_sum = g_test_rand_bit (), is_narrow = i % G_N_ELEMENTS (types) < G_N_ELEMENTS (types) - 2;
      gboolean is_short = is_sum || !is_narrow || g_test_rand_bit ();
      guint dimension = (guint) g_test_rand_int_range (0, 3);
      gboolean backward = is_narrow && is_short && g_test_rand_bit ();
      gint dimensions[3];
      g_autofree char *text = NULL, *tensor = NULL;
      g_autoptr (GhloValue) operand = NULL;

      for (guint d = 0; d < 3; d++)
        dimensions[d] = g_test_rand_int_range (1, 7);
      dimensions[dimension] = g_test_rand_int_range (1, !is_short ? 200 : is_narrow ? 17 : 257);
      text = cumulative_text (type, is_sum ? "add" : "multiply", is_sum ? "0.0" : "1.0", dimensions, dimension,
                              backward);
      tensor = g_strdup_printf ("tensor<%dx%dx%dx%s>", dimensions[0], dimensions[1], dimensions[2], type);
      operand = new_patterns (tensor);
      if (!step_check (text, "cumulative", (GhloValue *[]) { operand }, 1, STEP_SAME))
        g_error ("declined: %s", text);
    }
}

/* Longer than one thread's share: the reductions of whole numbers are known exactly. */
static void
check_long (const char *type,
            const char *op,
            gboolean    backward)
{
  const gint n = g_test_rand_int_range (140000, 300000), dimensions[3] = { 1, 1, n };
  gboolean is_sum = g_str_equal (op, "add");
  const char *zero = strchr (type, 'f') != NULL ? "0.0" : "0";
  g_autofree char *text = cumulative_text (type, op, is_sum ? zero : NULL, dimensions, 2, backward);
  g_autofree char *tensor = g_strdup_printf ("tensor<1x1x%dx%s>", n, type);
  g_autofree char *scalar = g_strdup_printf ("tensor<%s>", type);
  g_autoptr (GhloValue) operand = new_random (tensor, 0, 1), expected = new_random (tensor, 0, 1), start = NULL;
  g_auto (Program) program = { NULL };
  GhloValue *operands[2] = { operand };
  const GhloIrOp *op_found;
  double total = is_sum ? 0 : -3;

  for (gint i = 0; i < n; i++)
    {
      gsize at = (gsize) (backward ? n - 1 - i : i);
      gint number = is_sum ? g_test_rand_int_range (-4, 5) : g_test_rand_int_range (-100, 100 * (i / 60000) + 1);

      set_number (operand, at, number);
      total = is_sum ? total + number : MAX (total, number);
      set_number (expected, at, total);
    }
  prepare (&program, text);
  op_found = step_find_op (program.module);
  start = is_sum ? step_new_constant (op_found, 1) : new_random (scalar, 0, 1);
  if (!is_sum)
    set_number (start, 0, -3);
  operands[1] = start;
  for (guint way = 0; way < STEP_N_WAYS; way++)
    g_assert_true (step_run_one (op_found, "cumulative", operands, &expected, way, STEP_SAME_BITS));
}

static void
test_cumulative_long (void)
{
  check_long ("f32", "add", FALSE);
  check_long ("f64", "add", TRUE);
  check_long ("i32", "add", TRUE);
  check_long ("f32", "maximum", TRUE);
  check_long ("f16", "maximum", FALSE);
  check_long ("i16", "maximum", TRUE);
}

static void
test_cumulative_declined (void)
{
  const gint dimensions[3] = { 2, 9, 3 };
  g_autofree char *other_start = cumulative_text ("f32", "add", "1.0", dimensions, 1, FALSE);
  g_autofree char *unknown_start = cumulative_text ("f32", "add", NULL, dimensions, 1, FALSE);
  g_autofree char *other_body = cumulative_text ("f32", "power", "1.0", dimensions, 1, FALSE);
  g_autoptr (GhloValue) operand = new_random ("tensor<2x9x3xf32>", 0, 1), start = new_random ("tensor<f32>", 0, 1);

  g_assert_false (step_check (other_start, "cumulative", (GhloValue *[]) { operand }, 1, 0));
  g_assert_false (step_check (unknown_start, "cumulative", (GhloValue *[]) { operand, start }, 2, 0));
  g_assert_false (step_check (other_body, "cumulative", (GhloValue *[]) { operand }, 1, 0));
}

static void
test_random (void)
{
  static const char *const algorithms[] = { "THREE_FRY", "PHILOX", "DEFAULT" };
  static const char *const states[] = { "2xui64", "2xi64", "4xui32", "4xf32", "2x2xi32", "16xui8", "3xui64", "6xi32" };
  static const char *const types[] = {
    "i2", "i4", "ui2", "i8", "ui8", "i16", "ui16", "ui32", "i32", "i64", "ui64", "f16", "f32", "f64", "f8E4M3FN",
    "f4E2M1FN",
  };

  for (guint i = 0; i < 400; i++)
    {
      guint algorithm = (guint) g_test_rand_int_range (0, 3);
      const char *state = states[g_test_rand_int_range (0, algorithm == 0 ? 6 : 8)];
      const char *type = types[i % G_N_ELEMENTS (types)];
      gint64 dimension;
      g_autofree char *shape = i % 7 == 0 ? g_strdup ("") : i % 7 == 1 ? g_strdup ("3x20001x") : any_shape (&dimension);
      g_autofree char *text = NULL, *tensor = g_strdup_printf ("tensor<%s>", state);
      g_autoptr (GhloValue) initial = new_random (tensor, 0, 1);

      for (gsize j = 0; j < initial->n_bytes; j++)
        initial->data[j] = (guint8) g_test_rand_int ();
      /* The counter overflows 32 or 64 bits. */
      if (g_test_rand_bit ())
        memset (initial->data + 8, 0xff, g_test_rand_bit () ? 4 : 8);
      if (g_test_rand_bit ())
        initial->data[8] = (guint8) g_test_rand_int ();
      text = g_strdup_printf ("func.func @main(%%a: tensor<%s>) -> (tensor<%s>, tensor<%s%s>) {\n  %%0, %%1 = "
                              "stablehlo.rng_bit_generator %%a, algorithm = %s : (tensor<%s>) -> (tensor<%s>, "
                              "tensor<%s%s>)\n  return %%0, %%1 : tensor<%s>, tensor<%s%s>\n}\n", state, state, shape,
                              type, algorithms[algorithm], state, state, shape, type, state, shape, type);
      if (!step_check (text, "random", (GhloValue *[]) { initial }, 1, STEP_SAME_BITS))
        g_error ("declined: %s", text);
    }
}

/* Runs the operation of @text after it was cancelled. */
static void
check_cancelled (const char *text,
                 const char *name)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = parse (text);
  const GhloIrOp *op = step_find_op (module);
  const GhloStepImplementation *step = step_find (op, name);
  StepTensor tensors[4] = { 0 };
  GhloView views[4];
  gsize scratch_size = 0;
  gpointer compiled, scratch;

  for (guint i = 0; i < op->n_operands + op->n_results; i++)
    {
      const GhloIrType *type = i < op->n_operands ? ghlo_ir_op_operand (op, i)->type
                                                  : op->results[i - op->n_operands].type;
      g_autoptr (GhloTensorType) tensor = ghlo_ir_type_to_tensor_type (type);

      step_tensor_init (&tensors[i], tensor, FALSE);
      memset (tensors[i].view.data, 0, tensors[i].n_bytes);
      views[i] = tensors[i].view;
    }
  compiled = step_new (step, op, views, views + op->n_operands, &scratch_size);
  g_assert_nonnull (compiled);
  scratch = g_aligned_alloc (1, scratch_size + 64, 64);
  g_cancellable_cancel (cancellable);
  g_assert_false (step->run (compiled, views, views + op->n_operands, scratch, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

  ghlo_step_free (step, compiled);
  g_aligned_free (scratch);
  for (guint i = 0; i < G_N_ELEMENTS (tensors); i++)
    step_tensor_clear (&tensors[i]);
  ghlo_ir_module_unref (module);
}

static void
test_cancelled (void)
{
  static const char *const sizes[] = { "300000", "9x7" };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *type = g_strdup_printf ("tensor<%sxf32>", sizes[i]);
      const char *largest = i == 0 ? "tensor<3xf32>" : "tensor<9x3xf32>";
      const char *places = i == 0 ? "tensor<3xi32>" : "tensor<9x3xi32>";
      g_autofree char *sort = g_strdup_printf ("func.func @main(%%a: %s) -> %s {\n  %%0 = \"stablehlo.sort\"(%%a) <{"
                                               "dimension = 0 : i64}> ({\n  ^bb0(%%x: tensor<f32>, %%y: tensor<f32>):\n"
                                               "    %%c = stablehlo.compare GT, %%x, %%y, TOTALORDER : (tensor<f32>, "
                                               "tensor<f32>) -> tensor<i1>\n    stablehlo.return %%c : tensor<i1>\n"
                                               "  }) : (%s) -> %s\n  return %%0 : %s\n}\n", type, type, type, type,
                                               type);
      g_autofree char *top_k = g_strdup_printf ("func.func @main(%%a: %s) -> (%s, %s) {\n  %%0, %%1 = chlo.top_k(%%a, "
                                                "k = 3) : %s -> (%s, %s)\n  return %%0, %%1 : %s, %s\n}\n", type,
                                                largest, places, type, largest, places, largest, places);
      g_autofree char *bits = g_strdup_printf ("func.func @main(%%a: tensor<2xui64>) -> (tensor<2xui64>, %s) {\n"
                                               "  %%0, %%1 = stablehlo.rng_bit_generator %%a, algorithm = PHILOX : "
                                               "(tensor<2xui64>) -> (tensor<2xui64>, %s)\n"
                                               "  return %%0, %%1 : tensor<2xui64>, %s\n}\n", type, type, type);
      const gint dimensions[3] = { 1, i == 0 ? 1 : 9, i == 0 ? 300000 : 7 };
      g_autofree char *lesser = cumulative_text ("f32", "minimum", NULL, dimensions, i == 0 ? 2 : 1, FALSE);

      check_cancelled (sort, "sort");
      check_cancelled (top_k, "top_k");
      check_cancelled (bits, "random");
      check_cancelled (lesser, "cumulative");
    }
}

int
main (int   argc,
      char *argv[])
{
  /* The number of threads from which on long lines are sorted in parts. */
  g_setenv ("GHLO_THREADS", "5", FALSE);
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cpu-orders/sort", test_sort);
  g_test_add_func ("/cpu-orders/sort/values", test_sort_values);
  g_test_add_func ("/cpu-orders/sort/parts", test_sort_parts);
  g_test_add_func ("/cpu-orders/sort/declined", test_sort_declined);
  g_test_add_func ("/cpu-orders/sort/numbers", test_sort_numbers);
  g_test_add_func ("/cpu-orders/top-k", test_top_k);
  g_test_add_func ("/cpu-orders/top-k-short", test_top_k_short);
  g_test_add_func ("/cpu-orders/top-k-search", test_top_k_search);
  g_test_add_func ("/cpu-orders/cumulative", test_cumulative);
  g_test_add_func ("/cpu-orders/cumulative/steps", test_cumulative_steps);
  g_test_add_func ("/cpu-orders/cumulative/long", test_cumulative_long);
  g_test_add_func ("/cpu-orders/cumulative/declined", test_cumulative_declined);
  g_test_add_func ("/cpu-orders/random", test_random);
  g_test_add_func ("/cpu-orders/cancelled", test_cancelled);

  return g_test_run ();
}
