/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fft: transforms along the last one to three dimensions. A batch element stays in
 * long doubles from its first transform to its last, so each result is rounded
 * once.
 */

#include "reference/algebra/fourier.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"

#include <string.h>

/* Number of elements between checks whether the call is to stop. */
enum { CHECK_EVERY = 1 << 16 };

typedef enum
{
  FFT,
  IFFT,
  RFFT,
  IRFFT,
} FftType;

typedef struct
{
  GhloRefCall         *call;
  FftType              type;
  guint                n_lengths;
  gint64               lengths[GHLO_MAX_RANK];
  gint64               from[GHLO_MAX_RANK], to[GHLO_MAX_RANK];   /* transformed dimensions of operand and result */
  gsize                n_from, n_to, n_work, batch;              /* elements of one batch element: of operand and
                                                                  * result, and of the work array */
  GhloRefFourier      *plans[GHLO_MAX_RANK];                     /* owned */
  GhloRefComplexParts *work;                                     /* owned; one batch element, in the operand's or the
                                                                  * result's shape */
  GhloRefComplexParts *row;                                      /* owned; room for the longest row */
} Transform;

static void
transform_clear (Transform *self)
{
  for (guint i = 0; i < self->n_lengths; i++)
    g_clear_pointer (&self->plans[i], ghlo_ref_fourier_free);
  g_free (self->work);
  g_free (self->row);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Transform, transform_clear)

static gboolean
transform_init (Transform   *self,
                GhloRefCall *call,
                GError     **error)
{
  const char *words[] = { "FFT", "IFFT", "RFFT", "IRFFT" };
  const char *word = ghlo_ir_enum_word (ghlo_ir_op_get (call->op, "fft_type"));
  const GhloValue *operand = call->operands[0];
  guint rank = ghlo_ref_rank (operand);
  gsize n;
  g_autofree gint64 *lengths = ghlo_ir_op_dup_ints (call->op, "fft_length", &n);

  self->call = call;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_strcmp0 (word, words[i]) == 0)
      self->type = (FftType) i;
  if (n < 1 || n > rank || n > GHLO_MAX_RANK)
    return ghlo_ref_fail (call, error, "expected lengths for 1 to %u dimensions, found %" G_GSIZE_FORMAT, rank, n);
  for (gsize i = 0; i < n; i++)
    {
      gint64 extent = ghlo_ref_dims (operand)[rank - n + i];
      gint64 half = lengths[i] < 1 ? 0 : lengths[i] / 2 + 1;
      gboolean is_last = i == n - 1;

      self->lengths[i] = lengths[i];
      self->from[i] = self->type == IRFFT && is_last ? half : lengths[i];
      self->to[i] = self->type == RFFT && is_last ? half : lengths[i];
      if (lengths[i] < 0 || extent != self->from[i])
        return ghlo_ref_fail (call, error, "expected dimension %u to be %" G_GINT64_FORMAT ", found %"
                              G_GINT64_FORMAT, (guint) (rank - n + i), self->from[i], extent);
    }
  self->n_lengths = (guint) n;
  if (ghlo_element_type_is_complex (operand->type->element_type) == (self->type == RFFT))
    return ghlo_ref_fail (call, error, "expected a %s operand of %s", self->type == RFFT ? "real" : "complex", word);
  return TRUE;
}

static gboolean
prepare (Transform       *self,
         const GhloValue *result,
         GError         **error)
{
  gint64 longest = 1;

  if (!ghlo_shape_count (self->from, self->n_lengths, &self->n_from)
      || !ghlo_shape_count (self->to, self->n_lengths, &self->n_to))
    return ghlo_ref_fail (self->call, error, "the number of elements overflows");
  self->batch = result->n_elements / self->n_to;
  self->n_work = MAX (self->n_from, self->n_to);
  for (guint i = 0; i < self->n_lengths; i++)
    {
      longest = MAX (longest, self->lengths[i]);
      self->plans[i] = ghlo_ref_fourier_new (self->call, (gsize) self->lengths[i], error);
      if (self->plans[i] == NULL)
        return FALSE;
    }
  self->work = ghlo_ref_scratch (self->n_work, sizeof (GhloRefComplexParts), error);
  self->row = self->work != NULL ? ghlo_ref_scratch ((gsize) longest, sizeof (GhloRefComplexParts), error) : NULL;
  return self->row != NULL;
}

/* Copies @n numbers that are @from_step apart to places that are @to_step apart. */
static gboolean
copy (Transform                 *self,
      const GhloRefComplexParts *from,
      gsize                      from_step,
      GhloRefComplexParts       *to,
      gsize                      to_step,
      gsize                      n,
      GError                   **error)
{
  for (gsize k = 0; k < n; k++)
    {
      if (k % CHECK_EVERY == CHECK_EVERY - 1 && !ghlo_ref_continue (self->call, error))
        return FALSE;
      to[k * to_step] = from[k * from_step];
    }

  return TRUE;
}

/* Transforms all rows along dimension @d of the work array, which has shape @dimensions. */
static gboolean
run_dimension (Transform    *self,
               guint         d,
               const gint64 *dimensions,
               GError      **error)
{
  gboolean inverse = self->type == IFFT || self->type == IRFFT;
  gsize n = (gsize) dimensions[d];
  gsize outer = 1, inner = 1;

  for (guint i = 0; i < self->n_lengths; i++)
    if (i < d)
      outer *= (gsize) dimensions[i];
    else if (i > d)
      inner *= (gsize) dimensions[i];
  for (gsize l = 0; l < outer * inner; l++)
    {
      GhloRefComplexParts *first = self->work + l / inner * n * inner + l % inner;

      if (!copy (self, first, inner, self->row, 1, n, error)
          || !ghlo_ref_fourier_run (self->plans[d], inverse, self->row, error)
          || !copy (self, self->row, 1, first, inner, n, error))
        return FALSE;
    }
  return TRUE;
}

/* Transforms real rows along the last dimension. The second half of each transform is the mirrored conjugate
 * of the first and is left out. The work array has the operand's shape before and the result's shape after. */
static gboolean
run_real_rows (Transform *self,
               GError   **error)
{
  guint last = self->n_lengths - 1;
  gsize n = (gsize) self->from[last], half = (gsize) self->to[last];
  gsize rows = self->n_from / n;

  for (gsize l = 0; l < rows; l++)
    {
      if (!copy (self, self->work + l * n, 1, self->row, 1, n, error)
          || !ghlo_ref_fourier_run (self->plans[last], FALSE, self->row, error)
          || !copy (self, self->row, 1, self->work + l * half, 1, half, error))
        return FALSE;
    }
  return TRUE;
}

/* The inverse. Rows grow, so the last row goes first. */
static gboolean
run_half_rows (Transform *self,
               GError   **error)
{
  guint last = self->n_lengths - 1;
  gsize n = (gsize) self->to[last], half = (gsize) self->from[last];
  gsize rows = self->n_to / n;

  for (gsize l = rows; l-- > 0;)
    {
      const GhloRefComplexParts *from = self->work + l * half;

      if (!copy (self, from, 1, self->row, 1, half, error))
        return FALSE;
      self->row[0].im = 0;
      if (n % 2 == 0)
        self->row[n / 2].im = 0;
      for (gsize k = half; k < n; k++)
        {
          if (k % CHECK_EVERY == 0 && !ghlo_ref_continue (self->call, error))
            return FALSE;
          self->row[k] = (GhloRefComplexParts) { self->row[n - k].re, -self->row[n - k].im };
        }
      if (!ghlo_ref_fourier_run (self->plans[last], TRUE, self->row, error)
          || !copy (self, self->row, 1, self->work + l * n, 1, n, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
run_batch (Transform *self,
           GError   **error)
{
  guint n = self->n_lengths;

  switch (self->type)
    {
    case RFFT:
      if (!run_real_rows (self, error))
        return FALSE;
      for (guint d = n - 1; d-- > 0;)
        if (!run_dimension (self, d, self->to, error))
          return FALSE;
      return TRUE;
    case IRFFT:
      for (guint d = 0; d + 1 < n; d++)
        if (!run_dimension (self, d, self->from, error))
          return FALSE;
      return run_half_rows (self, error);
    default:
      for (guint d = n; d-- > 0;)
        if (!run_dimension (self, d, self->from, error))
          return FALSE;
      return TRUE;
    }
}

static gboolean
load_batch (Transform *self,
            gsize      batch,
            GError   **error)
{
  const GhloValue *operand = self->call->operands[0];

  for (gsize i = 0; i < self->n_from; i++)
    {
      GhloScalar scalar = ghlo_ref_load (operand, batch * self->n_from + i);

      if (i % CHECK_EVERY == 0 && !ghlo_ref_continue (self->call, error))
        return FALSE;
      if (self->type == RFFT)
        self->work[i] = (GhloRefComplexParts) { scalar.f, 0 };
      else
        self->work[i] = (GhloRefComplexParts) { scalar.c.re, scalar.c.im };
    }

  return TRUE;
}

static gboolean
store_batch (const Transform *self,
             GhloValue       *result,
             gsize            batch,
             GError         **error)
{
  gboolean is_real = !ghlo_element_type_is_complex (result->type->element_type);

  for (gsize i = 0; i < self->n_to; i++)
    {
      GhloScalar scalar = { 0 };

      if (i % CHECK_EVERY == 0 && !ghlo_ref_continue (self->call, error))
        return FALSE;
      if (is_real)
        scalar.f = (double) self->work[i].re;
      else
        scalar = (GhloScalar) { .c = { (double) self->work[i].re, (double) self->work[i].im } };
      ghlo_ref_store (result, batch * self->n_to + i, scalar);
    }

  return TRUE;
}

gboolean
ghlo_ref_fft (GhloRefCall *call,
              GError     **error)
{
  g_auto (Transform) self = { 0 };
  gint64 dimensions[GHLO_MAX_RANK];
  guint rank = ghlo_ref_rank (call->operands[0]);
  GhloValue *result;

  if (!transform_init (&self, call, error))
    return FALSE;
  memcpy (dimensions, ghlo_ref_dims (call->operands[0]), rank * sizeof (gint64));
  for (guint i = 0; i < self.n_lengths; i++)
    dimensions[rank - self.n_lengths + i] = self.to[i];
  result = ghlo_ref_result (call, 0, dimensions, rank, error);
  if (result == NULL || result->n_elements == 0)
    return result != NULL;

  if (!prepare (&self, result, error))
    return FALSE;
  for (gsize batch = 0; batch < self.batch; batch++)
    if (!load_batch (&self, batch, error) || !run_batch (&self, error) || !store_batch (&self, result, batch, error))
      return FALSE;

  return TRUE;
}
