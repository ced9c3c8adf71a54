/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How products read operands that lie in memory in other orders than tiles need: loops that pack them, and copies of
 * those whose batches alternate.
 */

#include "cpu/gemm/separate.h"

#include <string.h>

#include "base/element.h"
#include "cpu/isa/packs.h"

typedef struct
{
  GhloCpuPack     pack;
  GhloElementType type;
  guint           depth;        /* rows of a group */
} Kind;

static const Kind kinds[] = {
  { GHLO_CPU_PACK_4, GHLO_ELEMENT_TYPE_F32, 1 }, { GHLO_CPU_PACK_8, GHLO_ELEMENT_TYPE_F64, 1 },
  { GHLO_CPU_PACK_BF16, GHLO_ELEMENT_TYPE_BF16, 1 }, { GHLO_CPU_PACK_F16, GHLO_ELEMENT_TYPE_F16, 1 },
  { GHLO_CPU_PACK_I8, GHLO_ELEMENT_TYPE_I8, 2 }, { GHLO_CPU_PACK_U8, GHLO_ELEMENT_TYPE_UI8, 2 },
};

/* A packed number: a double, or the bits of a float or of a pair. */
static GhloScalar
read_packed (const Kind   *kind,
             const guint8 *packed,
             gsize         at)
{
  return kind->pack == GHLO_CPU_PACK_8 ? ghlo_element_load (GHLO_ELEMENT_TYPE_F64, packed + 8 * at)
         : kind->depth == 2            ? ghlo_element_load (GHLO_ELEMENT_TYPE_UI32, packed + 4 * at)
                                       : ghlo_element_load (GHLO_ELEMENT_TYPE_F32, packed + 4 * at);
}

static void
check_pack (const Kind *kind,
            gsize       n_rows,
            gsize       n_first,
            gsize       n,
            gsize       width)
{
  const gsize size = ghlo_element_info (kind->type)->size, number = kind->pack == GHLO_CPU_PACK_8 ? 8 : 4;
  const gsize n_groups = ghlo_size_ceil_div (n_rows, kind->depth), step = (n + 3) * size;
  const gsize n_bytes = (n_rows - 1) * step + n * size;
  g_autofree guint8 *from = g_malloc (n_bytes), *to = g_malloc0 (n_groups * width * number);
  GhloCpuPackFunc pack = ghlo_cpu_find_pack (kind->pack);

  /* Small numbers, so that none is NaN. */
  for (gsize i = 0; i < n_bytes; i++)
    from[i] = (guint8) g_test_rand_int_range (0, kind->depth == 2 ? 256 : 64);
  pack (from, (gint64) step, n_first, n_rows - n_first, n, width, to);
  if (n_first < n_rows)
    pack (from + n_first * step, (gint64) step, n_rows - n_first, 0, n, width,
          to + n_first / kind->depth * width * number);
  for (gsize i = 0; i < n_rows; i += kind->depth)
    for (gsize j = 0; j < n; j++)
      {
        const GhloScalar found = read_packed (kind, to, i / kind->depth * width + j);
        const GhloScalar first = ghlo_element_load (kind->type, from + i * step + j * size);

        if (kind->depth == 2)
          {
            const guint64 second = i + 1 < n_rows
                                   ? ghlo_element_load (kind->type, from + (i + 1) * step + j * size).u : 0;

            g_assert_cmphex (found.u, ==, (first.u & 0xffff) | (second & 0xffff) << 16);
          }
        else
          g_assert_cmpfloat (found.f, ==, first.f);
      }
}

/* The source ends with the last element, and the result with the last group. */
static void
test_packs (void)
{
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    for (gsize n = 1; n <= 33; n++)
      for (gsize n_rows = 1; n_rows <= 9; n_rows++)
        check_pack (&kinds[kind], n_rows, n_rows > 4 ? 4 : n_rows, n, n + n % 3);
}

/* A product [batch, m, k] × [batch, k, n] of f32, of which lhs has the given strides in elements. */
static void
problem_init (GhloCpuGemmProblem *self,
              gint64              batch,
              gint64              rows,
              gint64              k)
{
  const gint64 size = sizeof (float);

  *self = (GhloCpuGemmProblem) {
    GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F32,
    .n_batch = 1, .n_rows = 1, .n_columns = 1, .n_contracted = 1,
  };
  self->batch[0] = (GhloCpuGemmDimension) { 6, batch * size, 20 * size, 12 * size };
  self->rows[0] = (GhloCpuGemmDimension) { 3, rows * size, 0, 4 * size };
  self->columns[0] = (GhloCpuGemmDimension) { 4, 0, size, size };
  self->contracted[0] = (GhloCpuGemmDimension) { 5, k * size, 4 * size, 0 };
}

static void
test_separate (void)
{
  const gsize lhs = G_STRUCT_OFFSET (GhloCpuGemmDimension, lhs);
  g_autofree GhloCpuGemmProblem *p = g_new (GhloCpuGemmProblem, 1);
  g_autofree GhloCpuSeparation *separation = NULL;
  float from[90], to[90];

  problem_init (p, 1, 30, 6);
  g_assert_true (ghlo_cpu_batches_alternate (p, lhs));
  g_assert_false (ghlo_cpu_batches_alternate (p, G_STRUCT_OFFSET (GhloCpuGemmDimension, rhs)));
  separation = ghlo_cpu_separate_batches (p, lhs);
  g_assert_nonnull (separation);
  g_assert_cmpuint (separation->size, >=, sizeof (to));
  g_assert_cmpint (p->batch[0].lhs, ==, 60);
  g_assert_cmpint (p->rows[0].lhs, ==, 20);
  g_assert_cmpint (p->contracted[0].lhs, ==, 4);
  for (guint i = 0; i < G_N_ELEMENTS (from); i++)
    from[i] = (float) i;
  g_assert_true (ghlo_cpu_copy_run (&separation->copy, (gconstpointer) from, (gpointer) to, NULL));
  for (guint batch = 0; batch < 6; batch++)
    for (guint row = 0; row < 3; row++)
      for (guint k = 0; k < 5; k++)
        g_assert_cmpfloat (to[batch * 15 + row * 5 + k], ==, from[batch + row * 30 + k * 6]);
}

/* What follows each other, overlaps, repeats or is empty stays where it is. */
static void
test_together (void)
{
  const gint64 strides[][3] = { { 15, 5, 1 }, { 15, 1, 3 }, { 0, 1, 3 }, { 1, 1, 6 }, { 1, 2, 3 } };
  const gsize lhs = G_STRUCT_OFFSET (GhloCpuGemmDimension, lhs);
  g_autofree GhloCpuGemmProblem *p = g_new (GhloCpuGemmProblem, 1);

  for (guint i = 0; i < G_N_ELEMENTS (strides); i++)
    {
      problem_init (p, strides[i][0], strides[i][1], strides[i][2]);
      g_assert_null (ghlo_cpu_separate_batches (p, lhs));
    }
  problem_init (p, 1, 30, 6);
  p->contracted[0].size = 0;
  g_assert_null (ghlo_cpu_separate_batches (p, lhs));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu-layouts/packs", test_packs);
  g_test_add_func ("/cpu-layouts/separate", test_separate);
  g_test_add_func ("/cpu-layouts/together", test_together);

  return g_test_run ();
}
