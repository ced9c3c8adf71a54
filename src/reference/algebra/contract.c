/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of matrices of any numbers. Each batch is copied into dense matrices,
 * split into planes of 8-byte numbers, multiplied, and rounded once when it is
 * written to the result.
 */

#include "reference/algebra/contract.h"

#include "reference/move/box.h"
#include "reference/algebra/gemm.h"
#include "reference/scalar/numbers.h"

#include <string.h>

/* Elements read between two checks whether to stop. */
#define PIECE ((gsize) 4096)

static gboolean
is_integral (GhloElementType type)
{
  GhloElementClass c = ghlo_element_info (type)->element_class;

  return c == GHLO_ELEMENT_CLASS_BOOLEAN || c == GHLO_ELEMENT_CLASS_SIGNED || c == GHLO_ELEMENT_CLASS_UNSIGNED;
}

/* Whether doubles hold sums of @k products of integers of these widths exactly. */
static gboolean
doubles_are_exact (guint lhs_bits,
                   guint rhs_bits,
                   gsize k)
{
  return lhs_bits + rhs_bits < 52 && k < (gsize) 1 << (52 - lhs_bits - rhs_bits);
}

GhloRefNumeric
ghlo_ref_numeric (GhloElementType lhs,
                  GhloElementType rhs,
                  GhloElementType result,
                  gsize           k)
{
  const GhloElementInfo *l = ghlo_element_info (lhs);
  const GhloElementInfo *r = ghlo_element_info (rhs);
  GhloRefNumeric numeric = { .arithmetic = GHLO_REF_DOUBLE };

  numeric.complex = l->element_class == GHLO_ELEMENT_CLASS_COMPLEX
                    || r->element_class == GHLO_ELEMENT_CLASS_COMPLEX;
  numeric.boolean = ghlo_element_info (result)->element_class == GHLO_ELEMENT_CLASS_BOOLEAN;

  numeric.integral = is_integral (lhs) && is_integral (rhs);
  if (numeric.integral)
    {
      if (!doubles_are_exact (l->bits, r->bits, k))
        numeric.arithmetic = GHLO_REF_INT;
    }
  else if (lhs == rhs && rhs == result && l->bits >= 32 && k <= ghlo_element_short_sum (result))
    {
      numeric.round_each_step = TRUE;
      numeric.round_to_f32 = l->bits == 32;
    }
  else if (l->bits > 32 || r->bits > 32)
    numeric.arithmetic = GHLO_REF_LONG;
  return numeric;
}

static void
read_complex (GhloElementType type,
              const guint8   *data,
              gsize           n,
              double         *re,
              double         *im)
{
  gsize size = ghlo_element_info (type)->size;

  if (!ghlo_element_type_is_complex (type))
    {
      ghlo_ref_read_reals (type, data, n, re);
      memset (im, 0, n * sizeof (double));
      return;
    }
  for (gsize i = 0; i < n; i++)
    {
      GhloScalar scalar = ghlo_element_load (type, data + i * size);

      re[i] = scalar.c.re;
      im[i] = scalar.c.im;
    }
}

gboolean
ghlo_ref_numeric_read (const GhloRefNumeric  *self,
                       GhloRefCall           *call,
                       GhloElementType        type,
                       const guint8          *data,
                       gsize                  n,
                       gpointer              *planes,
                       GError               **error)
{
  const gsize size = ghlo_element_info (type)->size;
  guint64 *first = planes[0], *second = planes[1];

  for (gsize at = 0; at < n; at += PIECE)
    {
      const gsize part = MIN (PIECE, n - at);

      if (self->arithmetic == GHLO_REF_INT)
        ghlo_ref_read_ints (type, data + at * size, part, (gint64 *) first + at);
      else if (self->complex)
        read_complex (type, data + at * size, part, (double *) first + at, (double *) second + at);
      else
        ghlo_ref_read_reals (type, data + at * size, part, (double *) first + at);
      if (!ghlo_ref_work (call, part, error))
        return FALSE;
    }

  return TRUE;
}

static void
write_complex (GhloElementType type,
               const double   *re,
               const double   *im,
               gsize           n,
               guint8         *data)
{
  gsize size = ghlo_element_info (type)->size;

  if (!ghlo_element_type_is_complex (type))
    {
      ghlo_ref_write_reals (type, re, n, data);
      return;
    }
  for (gsize i = 0; i < n; i++)
    ghlo_element_store (type, data + i * size, (GhloScalar) { .c = { re[i], im[i] } });
}

/* Sums of integers wrap, whichever arithmetic computed them. */
static void
write_wrapped (GhloElementType type,
               const double   *sums,
               gsize           n,
               guint8         *data)
{
  gsize size = ghlo_element_info (type)->size;

  for (gsize i = 0; i < n; i++)
    ghlo_ref_write_ints (type, &(gint64) { (gint64) sums[i] }, 1, data + i * size);
}

static gboolean
gemm_in_doubles (const GhloRefNumeric *self,
                 GhloRefCall          *call,
                 gsize                 m,
                 gsize                 n,
                 gsize                 k,
                 gpointer const       *a,
                 gpointer const       *b,
                 GhloElementType       type,
                 guint8               *result,
                 GError              **error)
{
  g_autofree double *re = ghlo_ref_scratch_zeroed (m * n, sizeof (double), error);
  g_autofree double *im = re != NULL && self->complex ? ghlo_ref_scratch_zeroed (m * n, sizeof (double), error) : NULL;

  if (re == NULL || (self->complex && im == NULL))
    return FALSE;
  if (!self->complex)
    {
      if (!ghlo_ref_gemm_double (call, self->round_to_f32, m, n, k, a[0], b[0], re, error))
        return FALSE;
      if (self->boolean)
        for (gsize i = 0; i < m * n; i++)
          re[i] = re[i] != 0;
      if (self->integral && is_integral (type))
        write_wrapped (type, re, m * n, result);
      else
        ghlo_ref_write_reals (type, re, m * n, result);
      return TRUE;
    }

  if (self->round_each_step)
    {
      if (!ghlo_ref_gemm_complex (call, self->round_to_f32, m, n, k, a, b, (gpointer[]) { re, im }, error))
        return FALSE;
    }
  else
    {
      if (!ghlo_ref_gemm_double (call, FALSE, m, n, k, a[1], b[1], re, error))
        return FALSE;
      for (gsize i = 0; i < m * n; i++)
        re[i] = 0 - re[i];
      if (!ghlo_ref_gemm_double (call, FALSE, m, n, k, a[0], b[0], re, error)
          || !ghlo_ref_gemm_double (call, FALSE, m, n, k, a[0], b[1], im, error)
          || !ghlo_ref_gemm_double (call, FALSE, m, n, k, a[1], b[0], im, error))
        return FALSE;
    }
  write_complex (type, re, im, m * n, result);
  return TRUE;
}

static gboolean
gemm_in_longs (const GhloRefNumeric *self,
               GhloRefCall          *call,
               gsize                 m,
               gsize                 n,
               gsize                 k,
               gpointer const       *a,
               gpointer const       *b,
               GhloElementType       type,
               guint8               *result,
               GError              **error)
{
  gsize count = MAX (m * n, 1);
  g_autofree long double *sums = ghlo_ref_scratch_zeroed (count, sizeof (long double), error);
  g_autofree double *planes = sums != NULL ? ghlo_ref_scratch (count, 2 * sizeof (double), error) : NULL;

  if (planes == NULL)
    return FALSE;
  if (!ghlo_ref_gemm_long (call, m, n, k, a[0], b[0], 1, sums, error)
      || (self->complex && !ghlo_ref_gemm_long (call, m, n, k, a[1], b[1], -1, sums, error)))
    return FALSE;
  for (gsize i = 0; i < m * n; i++)
    planes[i] = (double) sums[i];
  if (!self->complex)
    {
      ghlo_ref_write_reals (type, planes, m * n, result);
      return TRUE;
    }

  memset (sums, 0, count * sizeof (long double));
  if (!ghlo_ref_gemm_long (call, m, n, k, a[0], b[1], 1, sums, error)
      || !ghlo_ref_gemm_long (call, m, n, k, a[1], b[0], 1, sums, error))
    return FALSE;
  for (gsize i = 0; i < m * n; i++)
    planes[count + i] = (double) sums[i];
  write_complex (type, planes, planes + count, m * n, result);
  return TRUE;
}

static gboolean
gemm_in_ints (const GhloRefNumeric *self,
              GhloRefCall          *call,
              gsize                 m,
              gsize                 n,
              gsize                 k,
              gpointer const       *a,
              gpointer const       *b,
              GhloElementType       type,
              guint8               *result,
              GError              **error)
{
  g_autofree gint64 *sums = ghlo_ref_scratch_zeroed (m * n, sizeof (gint64), error);

  if (sums == NULL)
    return FALSE;
  if (!ghlo_ref_gemm_int (call, m, n, k, a[0], b[0], (guint64 *) sums, error))
    return FALSE;

  if (is_integral (type))
    ghlo_ref_write_ints (type, sums, m * n, result);
  else
    for (gsize i = 0; i < m * n; i++)
      {
        double real = (double) sums[i];

        write_complex (type, &real, &(double) { 0 }, 1, result + i * ghlo_element_info (type)->size);
      }
  return TRUE;
}

gboolean
ghlo_ref_numeric_gemm (const GhloRefNumeric *self,
                       GhloRefCall          *call,
                       gsize                 m,
                       gsize                 n,
                       gsize                 k,
                       gpointer const       *a,
                       gpointer const       *b,
                       GhloElementType       type,
                       guint8               *result,
                       GError              **error)
{
  if (self->arithmetic == GHLO_REF_INT)
    return gemm_in_ints (self, call, m, n, k, a, b, type, result, error);
  if (self->arithmetic == GHLO_REF_LONG)
    return gemm_in_longs (self, call, m, n, k, a, b, type, result, error);
  return gemm_in_doubles (self, call, m, n, k, a, b, type, result, error);
}

void
ghlo_ref_axes_append (GhloRefAxes *self,
                      gint64       dimension,
                      gint64       lhs,
                      gint64       rhs)
{
  g_return_if_fail (self->rank < GHLO_MAX_RANK);

  self->dimensions[self->rank] = dimension;
  self->lhs[self->rank] = lhs;
  self->rhs[self->rank] = rhs;
  self->result[self->rank] = 0;
  self->rank++;
}

void
ghlo_ref_contraction_set_dense (GhloRefContraction *self)
{
  GhloRefAxes *axes[] = { &self->batch, &self->left, &self->right };
  gint64 dimensions[G_N_ELEMENTS (axes) * GHLO_MAX_RANK], strides[G_N_ELEMENTS (dimensions)];
  guint rank = 0;

  for (guint a = 0; a < G_N_ELEMENTS (axes); a++)
    for (guint i = 0; i < axes[a]->rank; i++)
      dimensions[rank++] = axes[a]->dimensions[i];
  ghlo_ref_strides (dimensions, rank, strides);
  for (guint a = G_N_ELEMENTS (axes); a-- > 0;)
    {
      rank -= axes[a]->rank;
      memcpy (axes[a]->result, strides + rank, axes[a]->rank * sizeof strides[0]);
    }
}

/* Returns G_MAXSIZE on overflow; no memory will be found for that many. */
static gsize
axes_count (const GhloRefAxes *axes)
{
  gsize count = 1;

  return ghlo_shape_count (axes->dimensions, axes->rank, &count) ? count : G_MAXSIZE;
}

/* One operand as a matrix: its own axes are the rows, the contracted axes the columns. Set up once and
 * refilled for each batch. */
typedef struct
{
  GhloElementType type;
  gsize           size;
  gsize           count;
  GhloRefBox      box;
  guint8         *dense;
  gpointer        planes[2];
} Matrix;

static void
matrix_clear (Matrix *self)
{
  g_free (self->dense);
  g_free (self->planes[0]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Matrix, matrix_clear)

static void
copy_strides (gint64       *to,
              const gint64 *from,
              guint         n)
{
  memcpy (to, from, n * sizeof (gint64));
}

static gboolean
matrix_init (Matrix               *self,
             const GhloRefNumeric *numeric,
             GhloElementType       type,
             const GhloRefAxes    *outer,
             const gint64         *outer_strides,
             const GhloRefAxes    *inner,
             const gint64         *inner_strides,
             GError              **error)
{
  gint64 dimensions[2 * GHLO_MAX_RANK], strides[2 * GHLO_MAX_RANK], dense[2 * GHLO_MAX_RANK];
  guint rank = outer->rank + inner->rank;
  guint planes = ghlo_ref_numeric_planes (numeric);

  copy_strides (dimensions, outer->dimensions, outer->rank);
  copy_strides (dimensions + outer->rank, inner->dimensions, inner->rank);
  copy_strides (strides, outer_strides, outer->rank);
  copy_strides (strides + outer->rank, inner_strides, inner->rank);
  ghlo_ref_strides (dimensions, rank, dense);

  self->type = type;
  self->size = ghlo_element_info (type)->size;
  if (!ghlo_size_mul (&self->count, axes_count (outer), axes_count (inner)))
    self->count = G_MAXSIZE;
  ghlo_ref_box_init (&self->box, self->size, rank, dimensions, dense, strides);
  self->dense = ghlo_ref_scratch (self->count, self->size, error);
  if (self->dense == NULL)
    return FALSE;
  self->planes[0] = ghlo_ref_scratch (self->count, planes * sizeof (double), error);
  if (self->planes[0] == NULL)
    return FALSE;
  self->planes[1] = (double *) self->planes[0] + (planes - 1) * self->count;
  return TRUE;
}

static gboolean
matrix_fill (Matrix               *self,
             const GhloRefNumeric *numeric,
             GhloRefCall          *call,
             const guint8         *data,
             GError              **error)
{
  return ghlo_ref_box_copy (&self->box, call, self->dense, data, error)
         && ghlo_ref_numeric_read (numeric, call, self->type, self->dense, self->count, self->planes, error);
}

typedef struct
{
  const GhloRefContraction *contraction;
  GhloRefNumeric            numeric;
  gsize                     m, n, k;
  Matrix                    a, b;
  GhloRefBox                out;       /* copies a dense [m][n] matrix into the result */
  guint8                   *product;
} Batch;

static void
batch_clear (Batch *self)
{
  matrix_clear (&self->a);
  matrix_clear (&self->b);
  g_free (self->product);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Batch, batch_clear)

static gboolean
batch_init (Batch                    *self,
            const GhloRefContraction *c,
            GError                  **error)
{
  gint64 dimensions[2 * GHLO_MAX_RANK], to[2 * GHLO_MAX_RANK], from[2 * GHLO_MAX_RANK];
  gsize size = ghlo_element_info (c->result_type)->size;
  guint rank = c->left.rank + c->right.rank;

  self->contraction = c;
  self->m = axes_count (&c->left);
  self->n = axes_count (&c->right);
  self->k = axes_count (&c->contracted);
  self->numeric = ghlo_ref_numeric (c->lhs_type, c->rhs_type, c->result_type, self->k);

  copy_strides (dimensions, c->left.dimensions, c->left.rank);
  copy_strides (dimensions + c->left.rank, c->right.dimensions, c->right.rank);
  copy_strides (to, c->left.result, c->left.rank);
  copy_strides (to + c->left.rank, c->right.result, c->right.rank);
  ghlo_ref_strides (dimensions, rank, from);
  ghlo_ref_box_init (&self->out, size, rank, dimensions, to, from);
  self->product = ghlo_ref_scratch (self->m * self->n, size, error);

  return self->product != NULL
         && matrix_init (&self->a, &self->numeric, c->lhs_type, &c->left, c->left.lhs,
                         &c->contracted, c->contracted.lhs, error)
         && matrix_init (&self->b, &self->numeric, c->rhs_type, &c->right, c->right.rhs,
                         &c->contracted, c->contracted.rhs, error);
}

static gboolean
batch_run (Batch        *self,
           GhloRefCall  *call,
           const guint8 *lhs,
           const guint8 *rhs,
           guint8       *result,
           GError      **error)
{
  return matrix_fill (&self->a, &self->numeric, call, lhs, error)
         && matrix_fill (&self->b, &self->numeric, call, rhs, error)
         && ghlo_ref_numeric_gemm (&self->numeric, call, self->m, self->n, self->k,
                                   self->a.planes, self->b.planes,
                                   self->contraction->result_type, self->product, error)
         && ghlo_ref_box_copy (&self->out, call, result, self->product, error);
}

gboolean
ghlo_ref_contract (GhloRefCall              *call,
                   const GhloRefContraction *self,
                   const guint8             *lhs,
                   const guint8             *rhs,
                   guint8                   *result,
                   GError                  **error)
{
  const GhloRefAxes *axes = &self->batch;
  gint64 index[GHLO_MAX_RANK] = { 0 };
  gint64 lhs_size = ghlo_element_info (self->lhs_type)->size;
  gint64 rhs_size = ghlo_element_info (self->rhs_type)->size;
  gint64 result_size = ghlo_element_info (self->result_type)->size;
  g_auto (Batch) batch = { 0 };

  if (axes_count (axes) == 0)
    return TRUE;
  if (!batch_init (&batch, self, error))
    return FALSE;

  for (gsize count = 0;; count++)
    {
      gint64 at_lhs = 0, at_rhs = 0, at_result = 0;

      for (guint i = 0; i < axes->rank; i++)
        {
          at_lhs += index[i] * axes->lhs[i];
          at_rhs += index[i] * axes->rhs[i];
          at_result += index[i] * axes->result[i];
        }
      if (count % 4096 == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
      if (!batch_run (&batch, call, lhs + at_lhs * lhs_size, rhs + at_rhs * rhs_size,
                      result + at_result * result_size, error))
        return FALSE;
      if (!ghlo_ref_next_index (index, axes->dimensions, axes->rank))
        return TRUE;
    }
}

const guint8 *
ghlo_ref_plain_numbers (const GhloValue *value,
                        GhloElementType *type,
                        guint8         **owned,
                        GError         **error)
{
  const GhloQuantization *quantization = value->type->quantization;
  double *reals;

  *type = value->type->element_type;
  if (quantization == NULL)
    return value->data;

  reals = ghlo_ref_value_reals (value, error);
  if (reals == NULL)
    return NULL;
  *owned = (guint8 *) reals;
  *type = GHLO_ELEMENT_TYPE_F64;
  if (ghlo_element_info (quantization->expressed)->bits <= 32)
    {
      /* f32 holds these numbers exactly, and a double holds the product of two of them exactly. Compacts in
       * place: writes stay behind the reads. */
      *type = GHLO_ELEMENT_TYPE_F32;
      for (gsize i = 0; i < value->n_elements; i++)
        {
          float number = (float) reals[i];

          memcpy (*owned + i * sizeof (number), &number, sizeof (number));
        }
    }
  return *owned;
}

gboolean
ghlo_ref_contract_values (GhloRefCall        *call,
                          GhloRefContraction *self,
                          const GhloValue    *lhs,
                          const GhloValue    *rhs,
                          GhloValue          *result,
                          GError            **error)
{
  g_autofree guint8 *owned_lhs = NULL;
  g_autofree guint8 *owned_rhs = NULL;
  g_autofree double *reals = NULL;
  const guint8 *lhs_data = ghlo_ref_plain_numbers (lhs, &self->lhs_type, &owned_lhs, error);
  const guint8 *rhs_data;

  if (lhs_data == NULL && lhs->n_elements > 0)
    return FALSE;
  rhs_data = ghlo_ref_plain_numbers (rhs, &self->rhs_type, &owned_rhs, error);
  if (rhs_data == NULL && rhs->n_elements > 0)
    return FALSE;

  self->result_type = result->type->element_type;
  if (result->type->quantization == NULL)
    return ghlo_ref_contract (call, self, lhs_data, rhs_data, result->data, error);

  self->result_type = GHLO_ELEMENT_TYPE_F64;
  reals = ghlo_ref_scratch (result->n_elements, sizeof (double), error);
  if (reals == NULL || !ghlo_ref_contract (call, self, lhs_data, rhs_data, (guint8 *) reals, error))
    return FALSE;
  ghlo_ref_value_set_reals (result, reals);
  return TRUE;
}
