/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products on the CPU compared with sums computed one by one: all types, layouts and sizes, cases for each of the
 * implementations, and products with few elements or none.
 */

#include "cpu-tensors.h"

#include "cpu/gemm/convert-row.h"
#include "cpu/gemm/gemm.h"
#include "cpu/isa/level.h"
#include "runtime/parallel.h"

/* The types of the operands and the result. */
typedef struct
{
  GhloElementType lhs, rhs, result;
} Types;

static const Types all_types[] = {
#define SAME(T) { GHLO_ELEMENT_TYPE_##T, GHLO_ELEMENT_TYPE_##T, GHLO_ELEMENT_TYPE_##T }
#define MIXED(A, B, C) { GHLO_ELEMENT_TYPE_##A, GHLO_ELEMENT_TYPE_##B, GHLO_ELEMENT_TYPE_##C }
  SAME (F32), SAME (F64), SAME (BF16), SAME (F16), SAME (COMPLEX_F32), SAME (COMPLEX_F64),
  SAME (I1), SAME (I2), SAME (I4), SAME (I8), SAME (I16), SAME (I32), SAME (I64),
  SAME (UI2), SAME (UI4), SAME (UI8), SAME (UI16), SAME (UI32), SAME (UI64), SAME (INDEX),
  SAME (F8E5M2), SAME (F8E4M3FN), SAME (F8E4M3FNUZ), SAME (F6E2M3FN), SAME (F4E2M1FN), SAME (F8E8M0FNU),
  MIXED (I8, I8, I32), MIXED (UI8, I8, I32), MIXED (I4, I8, I32), MIXED (UI8, UI8, UI32), MIXED (I8, I8, I16),
  MIXED (I16, I16, I32), MIXED (I32, I32, I64), MIXED (I8, I8, I64), MIXED (UI16, I8, I32), MIXED (I1, I1, I32),
  MIXED (BF16, BF16, F32), MIXED (F16, F16, F32), MIXED (F8E4M3FN, F8E5M2, F32), MIXED (F32, BF16, F32),
  MIXED (F32, F32, F64), MIXED (F32, F64, F64), MIXED (F8E5M2, F8E5M2, BF16), MIXED (BF16, F32, BF16),
  MIXED (COMPLEX_F32, COMPLEX_F32, COMPLEX_F64),
};

typedef struct
{
  Tensor             lhs, rhs, result;
  GhloCpuGemmProblem problem;
  guint              n_batch, n_rows, n_columns, n_k;
  gint64             batch[2], rows[3], columns[3], k[3];
  gboolean           is_wide;
} Case;

static void
case_clear (Case *self)
{
  tensor_clear (&self->lhs);
  tensor_clear (&self->rhs);
  tensor_clear (&self->result);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static guint
append (gint64       *to,
        guint         at,
        const gint64 *sizes,
        guint         n)
{
  for (guint i = 0; i < n; i++)
    to[at + i] = sizes[i];

  return at + n;
}

/* The tensors are [batch, rows, k], [batch, k, columns] and [batch, rows, columns]. */
static void
case_init (Case        *self,
           const Types *types,
           guint        operand_flags,
           guint        result_flags)
{
  GhloCpuGemmProblem *p = &self->problem;
  gint64 dimensions[8];
  guint rank;

  rank = append (dimensions, append (dimensions, append (dimensions, 0, self->batch, self->n_batch),
                                     self->rows, self->n_rows), self->k, self->n_k);
  tensor_init (&self->lhs, types->lhs, rank, dimensions, operand_flags);
  rank = append (dimensions, append (dimensions, append (dimensions, 0, self->batch, self->n_batch),
                                     self->k, self->n_k), self->columns, self->n_columns);
  tensor_init (&self->rhs, types->rhs, rank, dimensions, operand_flags);
  rank = append (dimensions, append (dimensions, append (dimensions, 0, self->batch, self->n_batch),
                                     self->rows, self->n_rows), self->columns, self->n_columns);
  tensor_init (&self->result, types->result, rank, dimensions, result_flags);
  tensor_fill (&self->lhs);
  tensor_fill (&self->rhs);
  self->is_wide = ghlo_element_info (types->lhs)->bits > 32 || ghlo_element_info (types->rhs)->bits > 32
                  || ghlo_element_info (types->result)->bits > 32;

  *p = (GhloCpuGemmProblem) { types->lhs, types->rhs, types->result };
  p->n_batch = self->n_batch;
  p->n_rows = self->n_rows;
  p->n_columns = self->n_columns;
  p->n_contracted = self->n_k;
  for (guint i = 0; i < self->n_batch; i++)
    p->batch[i] = (GhloCpuGemmDimension) { self->batch[i], self->lhs.strides[i], self->rhs.strides[i],
                                           self->result.strides[i] };
  for (guint i = 0; i < self->n_rows; i++)
    p->rows[i] = (GhloCpuGemmDimension) { self->rows[i], self->lhs.strides[self->n_batch + i], 0,
                                          self->result.strides[self->n_batch + i] };
  for (guint i = 0; i < self->n_columns; i++)
    p->columns[i] = (GhloCpuGemmDimension) { self->columns[i], 0,
                                             self->rhs.strides[self->n_batch + self->n_k + i],
                                             self->result.strides[self->n_batch + self->n_rows + i] };
  for (guint i = 0; i < self->n_k; i++)
    p->contracted[i] = (GhloCpuGemmDimension) { self->k[i], self->lhs.strides[self->n_batch + self->n_rows + i],
                                                self->rhs.strides[self->n_batch + i], 0 };
}

static void
case_init_dense (Case        *self,
                 const Types *types,
                 gint64       batch,
                 gint64       m,
                 gint64       n,
                 gint64       k)
{
  self->n_batch = self->n_rows = self->n_columns = self->n_k = 1;
  self->batch[0] = batch;
  self->rows[0] = m;
  self->columns[0] = n;
  self->k[0] = k;
  case_init (self, types, TENSOR_DENSE, TENSOR_DENSE);
}

static gint64
count_of (const gint64 *sizes,
          guint         n)
{
  gint64 count = 1;

  for (guint i = 0; i < n; i++)
    count *= sizes[i];

  return count;
}

/* Transposes into rows of @m elements, one for each column. */
UNSANITIZED static GhloScalar *
transpose (const GhloScalar *elements,
           gint64            n_batch,
           gint64            m,
           gint64            n)
{
  GhloScalar *columns = g_new (GhloScalar, MAX (n_batch * m * n, 1)), *to = columns;

  for (gint64 batch = 0; batch < n_batch; batch++, elements += m * n)
    for (gint64 j = 0; j < n; j++)
      for (gint64 i = 0; i < m; i++)
        *to++ = elements[i * n + j];

  return columns;
}

/* The sums for all elements of the result, in row-major order. */
UNSANITIZED static Sum *
exact_sums (const Case *self)
{
  g_autofree GhloScalar *lhs = tensor_read (&self->lhs), *rhs = tensor_read (&self->rhs), *columns = NULL;
  gint64 n_batch = count_of (self->batch, self->n_batch), m = count_of (self->rows, self->n_rows);
  gint64 n = count_of (self->columns, self->n_columns), n_k = count_of (self->k, self->n_k);
  Sum *sums = g_new0 (Sum, MAX (n_batch * m * n, 1)), *sum = sums;

  columns = transpose (rhs, n_batch, n_k, n);
  for (gint64 row = 0; row < n_batch * m; row++)
    for (gint64 j = 0; j < n; j++)
      sum_add_products (sum++, self->lhs.type, lhs + row * n_k, columns + (row / m * n + j) * n_k, n_k);

  return sums;
}

/* The previous contents of the result are a part of the sum where the product accumulates. */
static void
check_result (const Case   *self,
              const Sum    *sums,
              const Tensor *before,
              const char   *how)
{
  gint64 index[8] = { 0 }, count = count_of (self->k, self->n_k);

  assert_untouched (&self->result);
  if (tensor_count (&self->result) == 0)
    return;
  do
    {
      Sum sum = *sums++;
      GhloScalar found = tensor_get (&self->result, index);

      if (before != NULL)
        sum_add (&sum, self->result.type, tensor_get (before, index));
      if (!sum_matches (&sum, count, self->is_wide, self->result.type, found))
        g_error ("%s: lhs %s, rhs %s, result %s, k %" G_GINT64_FORMAT ": expected %Lg (%" G_GINT64_MODIFIER "x), "
                 "found %g (%" G_GINT64_MODIFIER "x)", how, shape_text (&self->lhs), shape_text (&self->rhs),
                 shape_text (&self->result), count, sum.re, sum.wrapped, found.f, found.u);
    }
  while (tensor_next (&self->result, index));
}

static gpointer
allocate (gsize size)
{
  return g_aligned_alloc (1, MAX (size, 64), 64);
}

/* Runs the case twice: the second time accumulating into a result of random numbers. Returns the name of the
 * implementation. */
static char *
check_case (Case *self)
{
  g_autofree Sum *sums = exact_sums (self);
  g_autoptr (GError) error = NULL;
  char *how = NULL;

  for (guint accumulate = 0; accumulate < 2; accumulate++)
    {
      g_autoptr (GhloCpuGemm) gemm = NULL;
      g_auto (Tensor) before = { 0 };
      gpointer scratch;

      self->problem.accumulate = accumulate != 0;
      gemm = ghlo_cpu_gemm_prepare (&self->problem, &error);
      g_assert_no_error (error);
      if (accumulate)
        {
          tensor_fill (&self->result);
          before = self->result;
          before.memory = g_memdup2 (self->result.memory, self->result.n_bytes);
          before.data = before.memory + (self->result.data - self->result.memory);
        }
      scratch = allocate (ghlo_cpu_gemm_scratch_size (gemm));
      ghlo_cpu_gemm_run (gemm, self->lhs.data, self->rhs.data, NULL, self->result.data, scratch, NULL, NULL, NULL,
                         &error);
      g_assert_no_error (error);
      g_aligned_free (scratch);
      g_free (how);
      how = g_strdup (ghlo_cpu_gemm_describe (gemm));
      check_result (self, sums, accumulate ? &before : NULL, how);
    }

  return how;
}

static gint64
random_size (gint64 most)
{
  static const gint64 edges[] = { 0, 1, 1, 1, 2, 3 };

  if (g_test_rand_int_range (0, 5) == 0)
    return edges[g_test_rand_int_range (0, G_N_ELEMENTS (edges))];

  return g_test_rand_int_range (1, (gint) most + 1);
}

static guint
random_sizes (gint64 *sizes,
              guint   most_rank,
              gint64  most)
{
  guint n = (guint) g_test_rand_int_range (0, (gint) most_rank + 1);

  for (guint i = 0; i < n; i++)
    sizes[i] = random_size (n == 1 ? most : n == 2 ? most / 3 + 1 : most / 8 + 1);

  return n;
}

/* Every type with random shapes and layouts. */
static void
test_random (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (all_types); t++)
    for (guint i = 0; i < 40; i++)
      {
        g_auto (Case) c = { 0 };
        g_autofree char *how = NULL;
        guint flags = i % 4 == 0 ? TENSOR_DENSE : TENSOR_PERMUTED | TENSOR_GAPS | TENSOR_REVERSED;
        gint64 most = i % 8 == 7 ? 90 : 24;

        c.n_batch = random_sizes (c.batch, 2, 4);
        c.n_rows = random_sizes (c.rows, 2, most);
        c.n_columns = random_sizes (c.columns, 2, most);
        c.n_k = random_sizes (c.k, 2, most);
        case_init (&c, &all_types[t], flags | (i % 4 == 1 ? TENSOR_REPEATED : 0), flags);
        how = check_case (&c);
      }
}

typedef struct
{
  gint64      batch, m, n, k;
  gboolean    lhs_transposed, rhs_transposed, result_transposed;
  const char *how;        /* a pattern of the implementation's name, or NULL for any */
} Shape;

static void
check_shape (const Shape *shape,
             const Types *types)
{
  g_auto (Case) c = { 0 };
  g_autofree char *how = NULL;
  GhloCpuGemmProblem *p = &c.problem;
  gint64 l = ghlo_element_info (types->lhs)->size, r = ghlo_element_info (types->rhs)->size;
  gint64 o = ghlo_element_info (types->result)->size;

  case_init_dense (&c, types, shape->batch, shape->m, shape->n, shape->k);
  if (shape->lhs_transposed)
    {
      c.lhs.strides[1] = p->rows[0].lhs = l;
      c.lhs.strides[2] = p->contracted[0].lhs = l * shape->m;
    }
  if (shape->rhs_transposed)
    {
      c.rhs.strides[1] = p->contracted[0].rhs = r;
      c.rhs.strides[2] = p->columns[0].rhs = r * shape->k;
    }
  if (shape->result_transposed)
    {
      c.result.strides[1] = p->rows[0].result = o;
      c.result.strides[2] = p->columns[0].result = o * shape->m;
    }
  how = check_case (&c);
  g_test_message ("%s %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT ": %s",
                  ghlo_element_type_to_string (types->lhs), shape->batch, shape->m, shape->n, shape->k, how);
  if (shape->how != NULL && !g_pattern_match_simple (shape->how, how))
    g_error ("expected %s, found %s", shape->how, how);
}

/* Sizes around those of tiles and blocks. */
static void
test_sizes (void)
{
  static const Shape shapes[] = {
    { 1, 200, 130, 70 }, { 1, 13, 600, 800 }, { 1, 1200, 33, 9 }, { 2, 61, 67, 71 }, { 1, 97, 65, 385 },
    { 1, 128, 128, 128 }, { 1, 40, 513, 770 },
  };

  for (guint t = 0; t < G_N_ELEMENTS (all_types); t++)
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
      {
        Shape shape = shapes[s];
        guint layout = (t + s) % 8;

        /* Element-wise sums are slow: the larger cases are distributed over the types. */
        if (s > 1 && (t > 12 || (t > 1 && (s + t) % 3 != 0)))
          continue;
        shape.lhs_transposed = (layout & 1) != 0;
        shape.rhs_transposed = (layout & 2) != 0;
        shape.result_transposed = (layout & 4) != 0;
        check_shape (&shape, &all_types[t]);
      }
}

/* Few rows, or a small rhs, which tiles read in place, and every number of remaining rows and columns. */
static void
test_thin (void)
{
  static const Types types[] = { SAME (F32), SAME (F64), SAME (COMPLEX_F32), SAME (COMPLEX_F64), SAME (I32),
                                 SAME (I64), SAME (I16), MIXED (F32, F64, F64), SAME (F16), MIXED (UI8, I8, I32) };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint i = 0; i < 30; i++)
      {
        Shape shape = {
          g_test_rand_int_range (1, 3), 1 + i, g_test_rand_int_range (1, 140), g_test_rand_int_range (100, 600),
          .lhs_transposed = g_test_rand_bit (), .rhs_transposed = g_test_rand_int_range (0, 4) == 0,
          .result_transposed = g_test_rand_int_range (0, 4) == 0,
        };

        check_shape (&shape, &types[t]);
      }
}

/* Up to four vectors and a matrix of either order, whose sizes are no multiples of anything; beside them, five. */
static void
test_vectors (void)
{
  static const Types types[] = {
    SAME (F32), SAME (F64), SAME (BF16), SAME (F16), MIXED (BF16, BF16, F32), MIXED (F32, BF16, F32),
    MIXED (I8, I8, I32), MIXED (I8, UI8, I32), MIXED (UI8, I8, I32), MIXED (UI8, UI8, I32), MIXED (UI8, UI8, UI32),
    MIXED (I4, UI4, I32), MIXED (I8, I2, I16), MIXED (I4, UI2, I32), SAME (I8), SAME (UI4), SAME (I1), SAME (UI32),
  };
  static const Shape shapes[] = {
    { 1, 1, 301, 203, .how = "vector*" }, { 1, 301, 1, 203, .how = "vector*" }, { 3, 1, 4099, 65, .how = "vector*" },
    { 2, 1, 67, 1031, FALSE, TRUE, .how = "vector*" }, { 1, 515, 1, 130, TRUE, .how = "vector*" },
    { 1, 1, 1, 5000, .how = "vector*" }, { 2, 2, 519, 33, .how = "vector*" },
    { 1, 3, 67, 1031, TRUE, TRUE, .how = "vector*" }, { 3, 4, 301, 101, .how = "vector*" },
    { 1, 4, 333, 97, FALSE, TRUE, TRUE }, { 1, 301, 3, 77 }, { 1, 2, 5000, 1 }, { 1, 5, 301, 203 }, { 1, 4, 301, 0 },
    { 1, 4, 0, 301 },
  };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
      check_shape (&shapes[s], &types[t]);
}

/* Sums of 8-bit numbers are exact modulo 2^32. */
static void
test_extremes (void)
{
  enum { N = 35, K = 140001 };
  static const struct { GhloElementType type; guint8 bits; gint64 value; } extremes[] = {
    { GHLO_ELEMENT_TYPE_I8, 0x80, -128 }, { GHLO_ELEMENT_TYPE_I8, 0x7f, 127 }, { GHLO_ELEMENT_TYPE_UI8, 0xff, 255 },
  };

  for (guint l = 0; l < G_N_ELEMENTS (extremes); l++)
    for (guint r = 0; r < G_N_ELEMENTS (extremes); r++)
      for (guint transposed = 0; transposed < 2; transposed++)
        {
          g_auto (Case) c = { 0 };
          g_autoptr (GhloCpuGemm) gemm = NULL;
          gpointer scratch;

          c.n_rows = c.n_columns = c.n_k = 1;
          c.rows[0] = 2;
          c.columns[0] = N;
          c.k[0] = K;
          case_init (&c, &(Types) { extremes[l].type, extremes[r].type, GHLO_ELEMENT_TYPE_I32 }, TENSOR_DENSE,
                     TENSOR_DENSE);
          memset (c.lhs.data, extremes[l].bits, 2 * K);
          memset (c.rhs.data, extremes[r].bits, (gsize) N * K);
          if (transposed)
            {
              c.problem.contracted[0].rhs = 1;
              c.problem.columns[0].rhs = K;
            }
          gemm = ghlo_cpu_gemm_prepare (&c.problem, NULL);
          g_assert_cmpstr (ghlo_cpu_gemm_describe (gemm), ==, "vector");
          scratch = allocate (ghlo_cpu_gemm_scratch_size (gemm));
          g_assert_true (ghlo_cpu_gemm_run (gemm, c.lhs.data, c.rhs.data, NULL, c.result.data, scratch, NULL, NULL,
                                            NULL, NULL));
          g_aligned_free (scratch);
          for (guint i = 0; i < 2 * N; i++)
            g_assert_cmpuint (((const guint32 *) (gconstpointer) c.result.data)[i], ==,
                              (guint32) (extremes[l].value * extremes[r].value * K));
        }
}

/* A product of few rows has the same bits on any number of threads. */
static void
test_vector_threads (void)
{
  static const Types types[] = { SAME (F32), SAME (F64), SAME (BF16), SAME (F16), MIXED (I8, I8, I32) };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint m = 1; m <= 4; m++)
      {
        g_auto (Case) c = { 0 };
        g_autoptr (GhloCpuGemm) gemm = NULL;
        g_autofree guint8 *first = NULL;
        gpointer scratch;

        c.n_rows = c.n_columns = c.n_k = 1;
        c.rows[0] = m;
        c.columns[0] = 3001;
        c.k[0] = 1001;
        case_init (&c, &types[t], TENSOR_DENSE, TENSOR_DENSE);
        if (m % 2 == 0)
          {
            c.problem.contracted[0].rhs = c.rhs.strides[1];
            c.problem.columns[0].rhs = 1001 * c.rhs.strides[1];
          }
        gemm = ghlo_cpu_gemm_prepare (&c.problem, NULL);
        g_assert_cmpstr (ghlo_cpu_gemm_describe (gemm), ==, "vector");
        scratch = allocate (ghlo_cpu_gemm_scratch_size (gemm));
        for (guint limit = 1; limit <= 4; limit++)
          {
            ghlo_parallel_set_limit (limit);
            g_assert_true (ghlo_cpu_gemm_run (gemm, c.lhs.data, c.rhs.data, NULL, c.result.data, scratch, NULL, NULL,
                                              NULL, NULL));
            if (first == NULL)
              first = g_memdup2 (c.result.data, c.result.n_bytes);
            g_assert_cmpmem (c.result.data, c.result.n_bytes, first, c.result.n_bytes);
          }
        ghlo_parallel_set_limit (0);
        g_aligned_free (scratch);
      }
}

/* Sums over up to 256 steps of f32 are added in the specification's order. */
static void
test_order (void)
{
  g_auto (Case) c = { 0 };
  g_autofree char *how = NULL;
  float sum = 0;

  c.n_rows = c.n_columns = c.n_k = 1;
  c.rows[0] = c.columns[0] = 1;
  c.k[0] = 256;
  case_init (&c, &(Types) SAME (F32), TENSOR_DENSE, TENSOR_DENSE);
  how = check_case (&c);
  g_assert_cmpstr (how, ==, "loops");
  c.problem.accumulate = FALSE;
  {
    g_autoptr (GhloCpuGemm) gemm = ghlo_cpu_gemm_prepare (&c.problem, NULL);
    gpointer scratch = allocate (ghlo_cpu_gemm_scratch_size (gemm));

    g_assert_true (ghlo_cpu_gemm_run (gemm, c.lhs.data, c.rhs.data, NULL, c.result.data, scratch, NULL, NULL, NULL,
                                      NULL));
    g_aligned_free (scratch);
  }
  for (guint i = 0; i < 256; i++)
    {
      float product = ((float *) (gpointer) c.lhs.data)[i] * ((float *) (gpointer) c.rhs.data)[i];

      sum += product;
    }
  g_assert_cmpfloat (sum, ==, *(float *) (gpointer) c.result.data);
}

/* NaNs and infinities propagate correctly, whatever the result held before. */
static void
test_special (void)
{
  static const gint64 sizes[] = { 3, 40, 200 };
  static const Types types[] = { SAME (F32), SAME (F64), SAME (BF16), SAME (F16) };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        g_auto (Case) c = { 0 };
        g_autoptr (GhloCpuGemm) gemm = NULL;
        gint64 index[2] = { 0 };
        gpointer scratch;

        c.n_rows = c.n_columns = c.n_k = 1;
        c.rows[0] = c.columns[0] = c.k[0] = sizes[s];
        case_init (&c, &types[t], TENSOR_DENSE, TENSOR_DENSE);
        ghlo_element_store (c.lhs.type, tensor_at (&c.lhs, (gint64[]) { 1, 2 }), (GhloScalar) { .f = INFINITY });
        ghlo_element_store (c.rhs.type, tensor_at (&c.rhs, (gint64[]) { 0, 1 }), (GhloScalar) { .f = NAN });
        ghlo_element_store (c.rhs.type, tensor_at (&c.rhs, (gint64[]) { 2, 2 }), (GhloScalar) { .f = 0 });
        do
          ghlo_element_store (c.result.type, tensor_at (&c.result, index), (GhloScalar) { .f = NAN });
        while (tensor_next (&c.result, index));

        gemm = ghlo_cpu_gemm_prepare (&c.problem, NULL);
        scratch = allocate (ghlo_cpu_gemm_scratch_size (gemm));
        memset (scratch, 0xff, ghlo_cpu_gemm_scratch_size (gemm));
        g_assert_true (ghlo_cpu_gemm_run (gemm, c.lhs.data, c.rhs.data, NULL, c.result.data, scratch, NULL, NULL, NULL,
                                          NULL));
        g_aligned_free (scratch);
        do
          {
            double found = tensor_get (&c.result, index).f;
            gboolean nan = index[1] == 1 || (index[0] == 1 && index[1] == 2);

            if (nan != (isnan (found) != 0) || (!nan && (index[0] == 1) != (isinf (found) != 0)))
              g_error ("%s: found %g at %d, %d", ghlo_cpu_gemm_describe (gemm), found, (int) index[0], (int) index[1]);
          }
        while (tensor_next (&c.result, index));
      }
}

typedef struct
{
  gint   *seen;        /* for each element by its position, the number of visits */
  guint8 *result;
} Seen;

static void
see (gpointer            data,
     const GhloCpuPanel *panel)
{
  Seen *seen = data;

  for (gint64 i = 0; i < panel->n_rows; i++)
    for (gint64 j = 0; j < panel->n_columns; j++)
      {
        guint8 *at = panel->data + i * panel->row_stride + j * panel->column_stride;

        g_atomic_int_inc (&seen->seen[(at - seen->result) / 4]);
        *(float *) (gpointer) at += 1000;
      }
}

/* Every element is passed to the epilogue once, when it is complete. */
static void
test_epilogue (void)
{
  static const Shape shapes[] = {
    { 3, 300, 200, 50 }, { 3, 300, 1, 50 }, { 3, 1, 300, 50 }, { 3, 5, 5, 5 }, { 3, 70, 80, 0 },
    { 3, 300, 200, 50, .result_transposed = TRUE }, { 3, 128, 600, 700 },
  };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    {
      const Shape *shape = &shapes[s];
      g_auto (Case) c = { 0 };
      g_autoptr (GhloCpuGemm) gemm = NULL;
      g_autofree gint *counts = g_new0 (gint, 3 * shape->m * shape->n);
      gpointer scratch;
      Seen seen = { .seen = counts };
      g_autofree Sum *sums = NULL;
      gint64 index[3] = { 0 }, at = 0;

      case_init_dense (&c, &(Types) SAME (F32), shape->batch, shape->m, shape->n, shape->k);
      if (shape->result_transposed)
        {
          c.result.strides[1] = c.problem.rows[0].result = 4;
          c.result.strides[2] = c.problem.columns[0].result = 4 * shape->m;
        }
      c.problem.epilogue = see;
      seen.result = c.result.data;
      gemm = ghlo_cpu_gemm_prepare (&c.problem, NULL);
      scratch = allocate (ghlo_cpu_gemm_scratch_size (gemm));
      g_assert_true (ghlo_cpu_gemm_run (gemm, c.lhs.data, c.rhs.data, NULL, c.result.data, scratch, NULL, &seen, NULL,
                                        NULL));
      g_aligned_free (scratch);
      sums = exact_sums (&c);
      do
        {
          g_assert_cmpint (counts[at], ==, 1);
          g_assert_cmpfloat_with_epsilon (tensor_get (&c.result, index).f, (double) sums[at++].re + 1000, 1e-3);
        }
      while (tensor_next (&c.result, index));
    }
}

typedef struct
{
  const GhloCpuGemm *gemm;
  const Case        *c;
  guint8            *result;
} Runner;

static gpointer
run_often (gpointer data)
{
  const Runner *runner = data;
  gpointer scratch = allocate (ghlo_cpu_gemm_scratch_size (runner->gemm));

  for (guint i = 0; i < 5; i++)
    g_assert_true (ghlo_cpu_gemm_run (runner->gemm, runner->c->lhs.data, runner->c->rhs.data, NULL, runner->result,
                                      scratch, NULL, NULL, NULL, NULL));
  g_aligned_free (scratch);

  return NULL;
}

/* Eight threads concurrently run a product that another thread prepared. */
static void
test_threads (void)
{
  for (guint t = 0; t < 13; t++)
    for (gint64 n = 30; n <= 330; n += 300)
      {
        g_auto (Case) c = { 0 };
        g_autoptr (GhloCpuGemm) gemm = NULL;
        Runner runners[8];
        GThread *threads[8];

        case_init_dense (&c, &all_types[t], 1, n, n, n);
        gemm = ghlo_cpu_gemm_prepare (&c.problem, NULL);
        for (guint i = 0; i < 8; i++)
          {
            runners[i] = (Runner) { gemm, &c, g_malloc (c.result.n_bytes) };
            threads[i] = g_thread_new ("run", run_often, &runners[i]);
          }
        for (guint i = 0; i < 8; i++)
          {
            g_thread_join (threads[i]);
            if (memcmp (runners[i].result, runners[0].result, c.result.n_bytes) != 0)
              g_error ("%s, %d: thread %u has another answer", ghlo_cpu_gemm_describe (gemm), (int) n, i);
            if (i > 0)
              g_free (runners[i].result);
          }
        g_free (runners[0].result);
      }
}

static void
check_run (const Case   *c,
           GhloCpuGemm  *gemm,
           const guint8 *rhs)
{
  g_autofree Sum *sums = exact_sums (c);
  gpointer scratch = allocate (ghlo_cpu_gemm_scratch_size (gemm));

  g_assert_true (ghlo_cpu_gemm_run (gemm, c->lhs.data, rhs, NULL, c->result.data, scratch, NULL, NULL, NULL, NULL));
  g_aligned_free (scratch);
  check_result (c, sums, NULL, ghlo_cpu_gemm_describe (gemm));
}

/* Rows of operands whose distances are multiples of 1 KiB, which compete for the same sets of a cache. */
static void
test_conflicts (void)
{
  static const struct
  {
    gint64   batch, m, n, k;
    gboolean lhs_transposed;
  } cases[] = {
    { 1, 60, 256, 520, FALSE }, { 1, 97, 1024, 70, FALSE }, { 1, 256, 60, 400, TRUE }, { 2, 512, 256, 33, TRUE },
    { 1, 256, 256, 385, TRUE }, { 1, 7, 256, 300, FALSE }, { 1, 256, 8, 300, TRUE }, { 1, 1024, 40, 64, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Case) c = { 0 };
      g_autoptr (GhloCpuGemm) gemm = NULL;

      case_init_dense (&c, &(Types) SAME (F32), cases[i].batch, cases[i].m, cases[i].n, cases[i].k);
      if (cases[i].lhs_transposed)
        {
          c.lhs.strides[1] = c.problem.rows[0].lhs = 4;
          c.lhs.strides[2] = c.problem.contracted[0].lhs = 4 * c.rows[0];
        }
      gemm = ghlo_cpu_gemm_prepare (&c.problem, NULL);
      check_run (&c, gemm, c.rhs.data);
    }
}

/* A constant operand is packed when the product is prepared, where that pays, and always by oneDNN's matmul, and is not
 * read after that. */
static void
test_constants (void)
{
  static const struct
  {
    Types    types;
    gint64   batch, m, n, k;
    gboolean rhs_transposed, packed;
  } cases[] = {
    { SAME (F32), 1, 7, 520, 515, FALSE, TRUE }, { SAME (F32), 1, 32, 1031, 300, TRUE, TRUE },
    { SAME (F32), 2, 9, 700, 600, FALSE, FALSE }, { SAME (F32), 1, 70, 520, 515, FALSE, FALSE },
    { SAME (F32), 1, 7, 200, 300, FALSE, FALSE }, { SAME (F64), 1, 33, 301, 515, FALSE, TRUE },
    { SAME (F64), 1, 5, 400, 701, TRUE, TRUE }, { SAME (COMPLEX_F32), 1, 13, 401, 390, FALSE, TRUE },
    { SAME (COMPLEX_F64), 1, 3, 260, 270, FALSE, TRUE }, { SAME (COMPLEX_F64), 1, 20, 260, 270, TRUE, TRUE },
    { MIXED (F32, F64, F64), 1, 12, 515, 300, FALSE, TRUE }, { MIXED (BF16, F32, BF16), 1, 6, 515, 600, FALSE, TRUE },
    { MIXED (F32, BF16, F32), 1, 6, 1024, 600, FALSE, TRUE }, { MIXED (F32, BF16, F32), 1, 70, 100, 60, FALSE, FALSE },
    { MIXED (I8, I8, I32), 1, 40, 100, 1601, TRUE, TRUE }, { MIXED (UI8, I8, I32), 1, 33, 300, 2001, FALSE, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Case) c = { 0 };
      g_autoptr (GhloCpuGemm) gemm = NULL;
      g_autofree guint8 *rhs = NULL;
      gboolean packed;
      gint64 size = ghlo_element_info (cases[i].types.rhs)->size;

      case_init_dense (&c, &cases[i].types, cases[i].batch, cases[i].m, cases[i].n, cases[i].k);
      if (cases[i].rhs_transposed)
        {
          c.rhs.strides[1] = c.problem.contracted[0].rhs = size;
          c.rhs.strides[2] = c.problem.columns[0].rhs = size * c.k[0];
        }
      c.problem.rhs_data = c.rhs.data;
      c.problem.rhs_is_persistent = TRUE;
      gemm = ghlo_cpu_gemm_prepare (&c.problem, NULL);
      g_test_message ("%s", ghlo_cpu_gemm_describe (gemm));
      packed = (cases[i].packed && (ghlo_cpu_level () > GHLO_CPU_LEVEL_BASELINE
                                    || g_str_has_prefix (ghlo_cpu_gemm_describe (gemm), "panels")))
               || g_str_has_prefix (ghlo_cpu_gemm_describe (gemm), "onednn matmul");
      g_assert_cmpint (ghlo_cpu_gemm_packed_size (gemm) > 0, ==, packed);
      g_assert_cmpuint (ghlo_cpu_gemm_packed_size (gemm), <=, (gsize) (size == 1 ? 3 : 2) * c.rhs.n_bytes);
      rhs = g_malloc0 (c.rhs.n_bytes);
      check_run (&c, gemm, packed ? rhs + (c.rhs.data - c.rhs.memory) : c.rhs.data);
    }
}

/* The transposed product is computed: the constant is the left operand. Where there are a few columns, the result may
 * have adjacent rows all the same. */
static void
test_constant_left (void)
{
  static const struct
  {
    Types    types;
    gint64   columns;
    gboolean is_transposed;
  } cases[] = {
    { SAME (F32), 11, TRUE }, { SAME (BF16), 11, TRUE }, { MIXED (I8, I8, I32), 11, TRUE }, { SAME (F32), 3, FALSE },
    { SAME (F64), 4, FALSE }, { SAME (BF16), 3, FALSE }, { MIXED (BF16, BF16, F32), 2, FALSE },
    { SAME (F16), 3, FALSE }, { MIXED (I8, I8, I32), 4, FALSE }, { MIXED (UI8, I8, I32), 3, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Case) c = { 0 };
      g_autoptr (GhloCpuGemm) gemm = NULL;
      const gint64 size = ghlo_element_info (cases[i].types.result)->size;

      case_init_dense (&c, &cases[i].types, 1, 700, cases[i].columns, 600);
      if (cases[i].is_transposed)
        {
          c.result.strides[1] = c.problem.rows[0].result = size;
          c.result.strides[2] = c.problem.columns[0].result = size * 700;
        }
      c.problem.lhs_data = c.lhs.data;
      c.problem.lhs_is_persistent = TRUE;
      gemm = ghlo_cpu_gemm_prepare (&c.problem, NULL);
      g_test_message ("%s", ghlo_cpu_gemm_describe (gemm));
      if (i == 0)
        g_assert_cmpint (ghlo_cpu_gemm_packed_size (gemm) > 0, ==, ghlo_cpu_level () > GHLO_CPU_LEVEL_BASELINE);
      check_run (&c, gemm, c.rhs.data);
    }
}

/* Computes the first @m rows and @n columns of @result in place; returns whether by panels. */
static gboolean
run_part (const Case *c,
          gint64      m,
          gint64      n,
          guint8     *result)
{
  GhloCpuGemmProblem problem = c->problem;
  g_autoptr (GhloCpuGemm) gemm = NULL;
  gpointer scratch;

  problem.rows[0].size = m;
  problem.columns[0].size = n;
  gemm = ghlo_cpu_gemm_prepare (&problem, NULL);
  scratch = allocate (ghlo_cpu_gemm_scratch_size (gemm));
  g_assert_true (ghlo_cpu_gemm_run (gemm, c->lhs.data, c->rhs.data, NULL, result, scratch, NULL, NULL, NULL, NULL));
  g_aligned_free (scratch);

  return g_str_has_prefix (ghlo_cpu_gemm_describe (gemm), "panels");
}

/* Sums by panels, used for f64 and complex numbers where no library is faster, give the same bits however the result
 * is split: computing only a part of it splits it differently. */
static void
test_cuts (void)
{
  static const Types types[] = { SAME (F64), SAME (COMPLEX_F32), SAME (COMPLEX_F64), MIXED (F32, F64, F64) };
  const gint64 m = 301, n = 203, part_m = 97, part_n = 101;

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    {
      g_auto (Case) c = { 0 };
      g_autofree guint8 *whole = NULL, *part = NULL;
      gint64 size = ghlo_element_info (types[t].result)->size;

      c.n_rows = c.n_columns = c.n_k = 1;
      c.rows[0] = m;
      c.columns[0] = n;
      c.k[0] = 700;
      case_init (&c, &types[t], TENSOR_DENSE, TENSOR_DENSE);
      whole = g_malloc (c.result.n_bytes);
      part = g_malloc (c.result.n_bytes);
      if (!run_part (&c, m, n, whole) || !run_part (&c, part_m, part_n, part))
        {
          g_assert_cmpint (ghlo_cpu_level (), ==, GHLO_CPU_LEVEL_BASELINE);
          continue;
        }
      for (gint64 i = 0; i < part_m; i++)
        g_assert_cmpmem (part + i * n * size, (gsize) (part_n * size), whole + i * n * size, (gsize) (part_n * size));
    }
}

static void
test_cancel (void)
{
  g_auto (Case) c = { 0 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GhloCpuGemm) gemm = NULL;
  g_autoptr (GError) error = NULL;
  GhloMonitor monitor = { .cancellable = cancellable };
  gpointer scratch;

  case_init_dense (&c, &(Types) SAME (F32), 1, 500, 500, 500);
  gemm = ghlo_cpu_gemm_prepare (&c.problem, &error);
  scratch = allocate (ghlo_cpu_gemm_scratch_size (gemm));
  g_cancellable_cancel (cancellable);
  g_assert_false (ghlo_cpu_gemm_run (gemm, c.lhs.data, c.rhs.data, NULL, c.result.data, scratch, NULL, NULL, &monitor,
                                     &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_aligned_free (scratch);
}

static void
test_unsupported (void)
{
  static const Types types[] = {
    MIXED (F32, I32, F32), MIXED (I32, I32, F32), MIXED (F32, COMPLEX_F32, COMPLEX_F32), MIXED (I32, I32, I1),
  };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      GhloCpuGemmProblem problem = { types[i].lhs, types[i].rhs, types[i].result };
      g_autoptr (GError) error = NULL;

      g_assert_null (ghlo_cpu_gemm_prepare (&problem, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
    }
}

/* Rows that are further apart than a library's integers reach. */
static void
test_far_rows (void)
{
  static const GhloElementType types[] = {
    GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64, GHLO_ELEMENT_TYPE_COMPLEX_F32, GHLO_ELEMENT_TYPE_BF16,
    GHLO_ELEMENT_TYPE_I8,
  };
  enum { N = 64 };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint far = 0; far < 3; far++)
      {
        gint64 size = ghlo_element_info (types[t])->size, rows[3] = { N * size, N * size, N * size };
        g_autofree GhloCpuGemmProblem *problem = g_new0 (GhloCpuGemmProblem, 1);
        g_autoptr (GhloCpuGemm) gemm = NULL;
        g_autoptr (GError) error = NULL;

        rows[far] = (((gint64) 1 << 32) + N) * size;
        problem->lhs_type = problem->rhs_type = problem->result_type = types[t];
        problem->rows[problem->n_rows++] = (GhloCpuGemmDimension) { .size = N, .lhs = rows[0], .result = rows[2] };
        problem->columns[problem->n_columns++] = (GhloCpuGemmDimension) { .size = N, .rhs = size, .result = size };
        problem->contracted[problem->n_contracted++] = (GhloCpuGemmDimension) {
          .size = N, .lhs = size, .rhs = rows[1],
        };
        gemm = ghlo_cpu_gemm_prepare (problem, &error);
        g_assert_no_error (error);
        /* Of narrow numbers, oneDNN gets copies of both operands, and its sums are not in the result. */
        if (size >= 4)
          g_assert_true (g_str_has_prefix (ghlo_cpu_gemm_describe (gemm), "panels"));
      }
}

/* Every bit pattern of narrow floats, and rounding back, compared with base/element.h. */
static void
test_lines (void)
{
  static const GhloElementType types[] = { GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F16 };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    {
      g_autofree guint16 *patterns = g_new (guint16, 65536);
      g_autofree float *numbers = g_new (float, 65536);
      GhloCpuReader reader;
      GhloCpuWriter writer;

      for (guint i = 0; i < 65536; i++)
        patterns[i] = (guint16) i;
      g_assert_true (ghlo_cpu_reader_init (&reader, types[t], GHLO_CPU_F32));
      g_assert_true (ghlo_cpu_writer_init (&writer, types[t], GHLO_CPU_F32));
      ghlo_cpu_read_row (&reader, (guint8 *) patterns, 2, numbers, 65536);
      for (guint i = 0; i < 65536; i++)
        {
          GhloScalar expected = ghlo_element_load (types[t], &patterns[i]);

          g_assert_true (ghlo_scalar_equal (types[t], expected, (GhloScalar) { .f = numbers[i] }));
          g_assert_cmpint (signbit (expected.f) != 0, ==, signbit (numbers[i]) != 0);
        }
      for (guint round = 0; round < 20; round++)
        {
          for (guint i = 0; i < 65536; i++)
            {
              guint32 low = round == 0 ? 0x8000 : round == 1 ? 0x7fff : (guint32) g_test_rand_int () & 0xffff;
              guint32 bits = i << 16 | low;

              memcpy (&numbers[i], &bits, sizeof (bits));
            }
          ghlo_cpu_write_row (&writer, numbers, (guint8 *) patterns, 2, 65536);
          for (guint i = 0; i < 65536; i++)
            {
              guint16 bits = 0;
              GhloScalar scalar = { .f = numbers[i] };

              ghlo_element_store (types[t], &bits, scalar);
              if (isnan (numbers[i]) ? !isnan (ghlo_element_load (types[t], &patterns[i]).f) : bits != patterns[i])
                g_error ("%s of %a: expected %x, found %x", ghlo_element_type_to_string (types[t]), numbers[i], bits,
                         patterns[i]);
            }
        }
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  /* Several threads on any machine, so that work is split. */
  g_setenv ("GHLO_THREADS", "4", FALSE);
  g_test_message ("level %s", ghlo_cpu_level_name (ghlo_cpu_level ()));

  g_test_add_func ("/cpu-gemm/random", test_random);
  g_test_add_func ("/cpu-gemm/sizes", test_sizes);
  g_test_add_func ("/cpu-gemm/thin", test_thin);
  g_test_add_func ("/cpu-gemm/vectors", test_vectors);
  g_test_add_func ("/cpu-gemm/extremes", test_extremes);
  g_test_add_func ("/cpu-gemm/vector-threads", test_vector_threads);
  g_test_add_func ("/cpu-gemm/order", test_order);
  g_test_add_func ("/cpu-gemm/special", test_special);
  g_test_add_func ("/cpu-gemm/epilogue", test_epilogue);
  g_test_add_func ("/cpu-gemm/threads", test_threads);
  g_test_add_func ("/cpu-gemm/conflicts", test_conflicts);
  g_test_add_func ("/cpu-gemm/constants", test_constants);
  g_test_add_func ("/cpu-gemm/constant-left", test_constant_left);
  g_test_add_func ("/cpu-gemm/cuts", test_cuts);
  g_test_add_func ("/cpu-gemm/cancel", test_cancel);
  g_test_add_func ("/cpu-gemm/unsupported", test_unsupported);
  g_test_add_func ("/cpu-gemm/far-rows", test_far_rows);
  g_test_add_func ("/cpu-gemm/lines", test_lines);

  return g_test_run ();
}
