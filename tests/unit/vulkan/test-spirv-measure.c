/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Devices that compute like the interpreter except for one fault: the measurement must find that fault and no other.
 */

#include "base/bits.h"
#include "gpu/spirv/measure.h"
#include "gpu/spirv/probe.h"
#include "kernel/evaluate.h"
#include "kernel/text.h"

#include <locale.h>
#include <math.h>
#include <string.h>

#define F32 GHLO_ELEMENT_TYPE_F32
#define F64 GHLO_ELEMENT_TYPE_F64

/* The result of a faulty device for one @row of numbers of @type, where others give @bits. */
typedef guint64 (*Fault) (const GhloProbeRow *row,
                          GhloElementType     type,
                          const guint64      *operands,
                          guint64             bits);

/* The probe whose kernel is @kernel. */
static GhloProbe *
find_probe (const GhloKernel *kernel)
{
  g_autoptr (GhloProbe) widened = ghlo_probe_new_widened ();

  if (ghlo_kernel_equal (widened->kernel, kernel))
    return g_steal_pointer (&widened);
  for (guint type = 0; type <= F64; type++)
    for (guint of_constants = 0; of_constants < 2; of_constants++)
      {
        gboolean is_float = ghlo_node_types (type) == GHLO_NODE_TYPES_F;
        g_autoptr (GhloProbe) probe = NULL;

        if (ghlo_node_types (type) == 0 || (of_constants && !is_float))
          continue;
        probe = of_constants ? ghlo_probe_new_constants (type) : ghlo_probe_new (type, ghlo_node_all_types ());
        if (ghlo_kernel_equal (probe->kernel, kernel))
          return g_steal_pointer (&probe);
      }
  g_assert_not_reached ();
}

static guint64
element (const GhloKernelMemory *memory,
         GhloElementType         type,
         gsize                   at)
{
  return ghlo_node_load (type, (const guint8 *) memory->data + at * ghlo_element_info (type)->size);
}

static gboolean
run_with_fault (gpointer                 fault,
                const GhloKernel        *kernel,
                GBytes                  *words,
                const GhloKernelMemory  *memory,
                GError                 **error)
{
  g_autoptr (GhloProbe) probe = find_probe (kernel);

  g_assert_cmpuint (g_bytes_get_size (words), >, 0);
  g_assert_true (ghlo_kernel_interpret (kernel, NULL, memory, NULL, error));
  for (guint i = 0; i < probe->n_rows; i++)
    for (gsize j = 0; j < GHLO_PROBE_POINTS; j++)
      {
        const GhloProbeRow *row = &probe->rows[i];
        const GhloKernelMemory *results = &memory[GHLO_PROBE_OPERANDS + i];
        guint64 operands[GHLO_PROBE_OPERANDS], bits = element (results, row->type, j);

        for (guint k = 0; k < GHLO_PROBE_OPERANDS; k++)
          operands[k] = element (&memory[k], probe->type, j);
        bits = (*(Fault *) fault) (row, probe->type, operands, bits);
        ghlo_node_store (row->type, (guint8 *) results->data + j * ghlo_element_info (row->type)->size, bits);
      }

  return TRUE;
}

static GhloSpirvDevice
measure (Fault fault)
{
  GhloSpirvFloats promises = { 0 };
  g_autoptr (GError) error = NULL;
  GhloSpirvDevice device;

  ghlo_spirv_measure (&device, ghlo_node_all_types (), &promises, run_with_fault, &fault, &error);
  g_assert_no_error (error);

  return device;
}

/* Checks that @kind is inexact for exactly the types in the bit set @types. */
static void
check_inexact (const GhloSpirvDevice *device,
               GhloNodeKind           kind,
               guint64                types,
               guint64                nearly)
{
  g_assert_cmphex (device->exact[kind], ==, device->types & ~types);
  g_assert_cmphex (device->nearly[kind], ==, device->types & ~(types & ~nearly));
}

static guint64
no_fault (const GhloProbeRow *row,
          GhloElementType     type,
          const guint64      *operands,
          guint64             bits)
{
  return bits;
}

static void
test_exact (void)
{
  GhloSpirvDevice device = measure (no_fault);

  for (guint kind = 0; kind < GHLO_N_NODES; kind++)
    check_inexact (&device, kind, 0, 0);
  g_assert_true (device.floats.fuses[0] && device.floats.fuses[1] && device.floats.folds_exactly);
  g_assert_true (device.floats.rounds[0] && device.floats.rounds[1]);
  g_assert_true (device.floats.takes_roots[0] && device.floats.takes_roots[1]);
  g_assert_true (device.floats.shortens_quotients);
}

static guint64
flush (const GhloProbeRow *row,
       GhloElementType     type,
       const guint64      *operands,
       guint64             bits)
{
  gboolean is_arithmetic = row->kind == GHLO_NODE_ADD || row->kind == GHLO_NODE_FMA;

  return is_arithmetic && type == F32 && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

static void
test_subnormals (void)
{
  const guint64 f32 = (guint64) 1 << F32;
  GhloSpirvDevice device = measure (flush);

  check_inexact (&device, GHLO_NODE_ADD, f32, f32);
  check_inexact (&device, GHLO_NODE_FMA, f32, f32);
  check_inexact (&device, GHLO_NODE_MULTIPLY, 0, 0);
  g_assert_true (device.floats.fuses[0] && device.floats.folds_exactly);
}

/* Values below the smallest normal number before rounding are flushed, even if they round to it. */
static guint64
flush_before_rounding (const GhloProbeRow *row,
                       GhloElementType     type,
                       const guint64      *operands,
                       guint64             bits)
{
  return row->kind == GHLO_NODE_FMA && type == F32 && (bits & 0x7fffffff) <= 0x00800000 ? bits & 0x80000000 : bits;
}

static void
test_tiny (void)
{
  const guint64 f32 = (guint64) 1 << F32;
  GhloSpirvDevice device = measure (flush_before_rounding);

  check_inexact (&device, GHLO_NODE_FMA, f32, f32);
  g_assert_true (device.floats.fuses[0]);
}

/* A result that is the smallest normal number becomes the zero of the other sign. */
static guint64
lose_smallest (const GhloProbeRow *row,
               GhloElementType     type,
               const guint64      *operands,
               guint64             bits)
{
  return row->kind == GHLO_NODE_FMA && type == F32 && bits == 0x00800000 ? 0x80000000 : bits;
}

static void
test_lost (void)
{
  GhloSpirvDevice device = measure (lose_smallest);

  check_inexact (&device, GHLO_NODE_FMA, (guint64) 1 << F32, 0);
  g_assert_false (device.floats.fuses[0] || device.floats.shortens_quotients);
}

static guint64
round_twice (const GhloProbeRow *row,
             GhloElementType     type,
             const guint64      *operands,
             guint64             bits)
{
  guint64 sum[3] = { 0, operands[2], 0 };

  /* Skips the rows in which some operands are constants. */
  if (row->kind != GHLO_NODE_FMA || row->operands != 7)
    return bits;
  sum[0] = ghlo_node_evaluate (GHLO_NODE_MULTIPLY, type, type, operands);

  return ghlo_node_evaluate (GHLO_NODE_ADD, type, type, sum);
}

static void
test_rounding (void)
{
  GhloSpirvDevice device = measure (round_twice);
  const guint64 both = (guint64) 1 << F32 | (guint64) 1 << F64;

  g_assert_false (device.floats.fuses[0] || device.floats.fuses[1]);
  g_assert_true (device.floats.folds_exactly);
  check_inexact (&device, GHLO_NODE_FMA, both, 0);
  check_inexact (&device, GHLO_NODE_ADD, 0, 0);
}

/* Integers between -1 and 0 have no sign, as in lavapipe on processors without AVX-512. */
static guint64
forget_signs (const GhloProbeRow *row,
              GhloElementType     type,
              const guint64      *operands,
              guint64             bits)
{
  return row->kind == GHLO_NODE_TRUNCATE && type == F64 && bits == (guint64) 1 << 63 ? 0 : bits;
}

static void
test_integers (void)
{
  GhloSpirvDevice device = measure (forget_signs);

  g_assert_true (device.floats.rounds[0] && !device.floats.rounds[1]);
  check_inexact (&device, GHLO_NODE_TRUNCATE, (guint64) 1 << F64, 0);
  check_inexact (&device, GHLO_NODE_FLOOR, 0, 0);
}

/* A square root is one ULP too large, until it is corrected. */
static guint64
round_up_roots (const GhloProbeRow *row,
                GhloElementType     type,
                const guint64      *operands,
                guint64             bits)
{
  return row->kind == GHLO_NODE_SQRT && type == F32 && operands[0] == 0x40000000 ? bits + 1 : bits;
}

static void
test_roots (void)
{
  GhloSpirvDevice device = measure (round_up_roots);

  g_assert_true (!device.floats.takes_roots[0] && device.floats.takes_roots[1]);
  check_inexact (&device, GHLO_NODE_SQRT, (guint64) 1 << F32, 0);
}

/* The zero of a product with a constant loses its sign. */
static guint64
fold_zero (const GhloProbeRow *row,
           GhloElementType     type,
           const guint64      *operands,
           guint64             bits)
{
  gboolean is_negative_zero = bits == (guint64) 1 << (ghlo_element_info (type)->bits - 1);

  return row->kind == GHLO_NODE_MULTIPLY && row->operands == 1 && is_negative_zero ? 0 : bits;
}

static void
test_constants (void)
{
  GhloSpirvDevice device = measure (fold_zero);

  g_assert_false (device.floats.folds_exactly);
  g_assert_true (device.floats.fuses[0] && device.floats.fuses[1]);
}

/* Comparing a widened 32-bit number with a 64-bit constant is wrong for some number, as in lavapipe of Mesa 22.3. */
static guint64
compare_widened (const GhloProbeRow *row,
                 GhloElementType     type,
                 const guint64      *operands,
                 guint64             bits)
{
  gboolean is_comparison = row->kind == GHLO_NODE_CONVERT && row->type == GHLO_ELEMENT_TYPE_I1 && row->operands == 0;

  return is_comparison && operands[0] == 1 ? 0 : bits;
}

/* Hiding operands does not help on such a device: it converts nothing, though it compares other integers. */
static void
test_widened (void)
{
  GhloSpirvDevice device = measure (compare_widened);

  g_assert_false (device.floats.folds_exactly);
  check_inexact (&device, GHLO_NODE_CONVERT, (guint64) 1 << GHLO_ELEMENT_TYPE_I32, 0);
  check_inexact (&device, GHLO_NODE_LESS, 0, 0);
}

/* No number is taken for a NaN. */
static guint64
forget_nan (const GhloProbeRow *row,
            GhloElementType     type,
            const guint64      *operands,
            guint64             bits)
{
  return row->kind == GHLO_NODE_NOT_EQUAL && type == F32 && row->operands == 1 ? 0 : bits;
}

static void
test_nan (void)
{
  GhloSpirvDevice device = measure (forget_nan);

  g_assert_true (device.floats.folds_exactly);
  check_inexact (&device, GHLO_NODE_NOT_EQUAL, (guint64) 1 << F32, 0);
  check_inexact (&device, GHLO_NODE_EQUAL, 0, 0);
}

/* A quotient of f64 has a wrong last bit now and then; dividing the least 16-bit integer gives something else. */
static guint64
divide_badly (const GhloProbeRow *row,
              GhloElementType     type,
              const guint64      *operands,
              guint64             bits)
{
  if (row->kind != GHLO_NODE_DIVIDE)
    return bits;
  if (type == F64)
    return operands[0] % 64 == 1 && isnormal (ghlo_double_of_bits (bits)) ? bits ^ 1 : bits;

  return type == GHLO_ELEMENT_TYPE_I16 && operands[0] == 0x8000 && operands[1] == 0xffff ? 0x7fff : bits;
}

static void
test_division (void)
{
  GhloSpirvDevice device = measure (divide_badly);

  check_inexact (&device, GHLO_NODE_DIVIDE, (guint64) 1 << F64 | (guint64) 1 << GHLO_ELEMENT_TYPE_I16, 0);
  check_inexact (&device, GHLO_NODE_REMAINDER, 0, 0);
}

static void
check_find (const GhloSpirvDevice *device,
            const char            *text,
            GhloNodeKind           expected)
{
  g_autoptr (GError) error = NULL;
  g_autofree GhloKernel *kernel = ghlo_kernel_parse (text, strlen (text), &error);
  GhloElementType type;

  g_assert_no_error (error);
  g_assert_cmpuint (ghlo_spirv_find_inexact (device, kernel, TRUE, &type), ==, expected);
  g_assert_true (expected == GHLO_N_NODES || type == F64);
}

/* Kernels are excluded because of their nodes, products because of the FMA that they contain. */
static void
test_find (void)
{
  static const char *divides =
    "kernel k {\n  parallel i 8\n  buffer x 64\n  buffer y 64 written\n  access @0 f64 x [i * 8]\n"
    "  access @1 f64 y [i * 8]\n  points {\n    %0 = load f64 @0\n    %1 = divide f64 %0 %0\n    store %1 to @1\n"
    "  }\n}\n";
  static const char *multiplies =
    "kernel k {\n  parallel i 8\n  axis j 2\n  buffer x 72\n  buffer y 64 written\n  temporary t f64\n"
    "  access @0 f64 x [i * 8 + j * 8]\n  access @1 f64 y [i * 8]\n  product t [] [] [j] = @0 * @0\n"
    "  points {\n    %0 = temporary f64 t\n    store %0 to @1\n  }\n}\n";
  GhloSpirvDevice bad = measure (divide_badly), twice = measure (round_twice);

  check_find (&bad, divides, GHLO_NODE_DIVIDE);
  check_find (&twice, divides, GHLO_N_NODES);
  check_find (&bad, multiplies, GHLO_N_NODES);
  check_find (&twice, multiplies, GHLO_NODE_FMA);
  bad.types &= ~((guint64) 1 << F64);
  check_find (&bad, multiplies, GHLO_NODE_TEMPORARY);
}

int
main (int    argc,
      char **argv)
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/spirv/measure/exact", test_exact);
  g_test_add_func ("/spirv/measure/subnormals", test_subnormals);
  g_test_add_func ("/spirv/measure/tiny", test_tiny);
  g_test_add_func ("/spirv/measure/lost", test_lost);
  g_test_add_func ("/spirv/measure/rounding", test_rounding);
  g_test_add_func ("/spirv/measure/integers", test_integers);
  g_test_add_func ("/spirv/measure/roots", test_roots);
  g_test_add_func ("/spirv/measure/constants", test_constants);
  g_test_add_func ("/spirv/measure/widened", test_widened);
  g_test_add_func ("/spirv/measure/nan", test_nan);
  g_test_add_func ("/spirv/measure/division", test_division);
  g_test_add_func ("/spirv/measure/find", test_find);

  return g_test_run ();
}
