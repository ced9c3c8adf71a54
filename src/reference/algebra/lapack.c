/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a LAPACK routine on each matrix of a batch. Converts between the tensors of the call and
 * arrays of long doubles.
 */

#include "reference/algebra/lapack.h"

#include <math.h>

#include "base/sizes.h"
#include "reference/scalar/numbers.h"

/* For each routine, the variant for real numbers and the variant for complex ones. */
static const GhloRefLapackFunc routines[GHLO_IR_LAPACK_N_ROUTINES][2] = {
#define ROW(ID, name) [GHLO_IR_LAPACK_##ID] = { ghlo_ref_lapack_##name##_real, ghlo_ref_lapack_##name##_complex }
  ROW (POTRF, potrf), ROW (GETRF, getrf), ROW (GEQRF, geqrf), ROW (ORGQR, orgqr), ROW (ORMQR, ormqr),
  ROW (GEQP3, geqp3), ROW (SYEVD, syevd), ROW (GEEV, geev), ROW (GESDD, gesdd), ROW (GESVD, gesdd), ROW (GEES, gees),
  ROW (GEHRD, gehrd), ROW (SYTRD, sytrd), ROW (GTSV, gtsv), ROW (TRSM, trsm), ROW (QR, geqrf),
  ROW (HOUSEHOLDER, orgqr), ROW (LU, lu), ROW (EIGH, syevd), ROW (EIGH_VALUES_FIRST, syevd),
  ROW (GTSV_PERTURBED, lagts),
#undef ROW
};

/* Reads the call from the shapes of the actual operands and from the result types, as far as the program
 * states their shapes. */
static gboolean
read_call (GhloRefCall       *call,
           GhloIrLapackCall  *lapack,
           GError           **error)
{
  const GhloIrOp *op = call->op;
  g_autofree GhloIrLapackShape *shapes = g_new (GhloIrLapackShape, call->n_operands + op->n_results + 1);
  g_autofree char *problem = NULL;

  for (guint i = 0; i < call->n_operands; i++)
    {
      const GhloValue *value = call->operands[i];

      if (value->kind != GHLO_VALUE_TENSOR || value->type->quantization != NULL)
        return ghlo_ref_fail (call, error, "expected plain tensors as operands");
      shapes[i] = (GhloIrLapackShape) { value->type->element_type, ghlo_ref_rank (value), ghlo_ref_dims (value) };
    }
  for (guint i = 0; i < op->n_results; i++)
    {
      const GhloIrType *type = op->results[i].type;

      if (type->kind != GHLO_IR_TYPE_TENSOR || type->quantization != NULL)
        return ghlo_ref_fail (call, error, "expected plain tensors as results");
      shapes[call->n_operands + i] = (GhloIrLapackShape) { type->element_type, type->rank, type->dimensions };
    }
  if (ghlo_ir_lapack_read (lapack, op, shapes, shapes + call->n_operands, &problem))
    return TRUE;

  return ghlo_ref_fail (call, error, "%s", problem);
}

static gsize
count_of (const GhloIrLapackArgument *argument)
{
  return (gsize) (argument->extents[0] * argument->extents[1]);
}

/* Creates the results, and an array for each argument. Empty matrices may have extents whose product overflows. */
static gboolean
prepare (GhloRefLapack  *self,
         GError        **error)
{
  const GhloIrLapackCall *lapack = self->lapack;

  for (guint i = 0; i < lapack->n_arguments; i++)
    {
      const GhloIrLapackArgument *argument = &lapack->arguments[i];
      gint64 dimensions[GHLO_MAX_RANK];
      gsize count, size = argument->element == 'I' ? sizeof (gint64)
                          : argument->element == 'C' || (argument->element == 'T' && lapack->is_complex)
                          ? sizeof (GhloRefComplex) : sizeof (GhloRefReal);

      for (guint j = 0; j < lapack->n_batch; j++)
        dimensions[j] = lapack->batch[j];
      for (guint j = 0; j < argument->rank; j++)
        dimensions[lapack->n_batch + j] = argument->extents[j];
      if (argument->result >= 0
          && ghlo_ref_result (self->call, (guint) argument->result, dimensions, lapack->n_batch + argument->rank,
                              error) == NULL)
        return FALSE;
      if (!ghlo_shape_count (argument->extents, 2, &count))
        return ghlo_ref_fail (self->call, error, "expected matrices that fit in memory");
      self->arrays[i] = ghlo_ref_scratch_zeroed (count, size, error);
      if (self->arrays[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

static void
load (const GhloRefLapack *self,
      gsize                index)
{
  for (guint i = 0; i < self->lapack->n_arguments; i++)
    {
      const GhloIrLapackArgument *argument = &self->lapack->arguments[i];
      const GhloValue *value = argument->operand >= 0 ? self->call->operands[argument->operand] : NULL;
      gsize n = count_of (argument);

      if (value == NULL)
        continue;
      if (argument->element == 'I')
        for (gsize j = 0; j < n; j++)
          ((gint64 *) self->arrays[i])[j] = ghlo_ref_load (value, index * n + j).i;
      else
        ghlo_ref_numbers_load (value, index * n, n, self->arrays[i]);
    }
}

/* When an input is not finite, every floating-point result is NaN. */
static void
store_argument (const GhloRefLapack        *self,
                const GhloIrLapackArgument *argument,
                gpointer                    array,
                gsize                       index,
                gboolean                    is_finite)
{
  GhloValue *value = self->call->results[argument->result];
  gsize n = count_of (argument);

  for (gsize j = 0; j < n && (argument->element == 'I' || !is_finite); j++)
    if (argument->element == 'I')
      ghlo_ref_store (value, index * n + j, (GhloScalar) { .i = ((const gint64 *) array)[j] });
    else
      ghlo_ref_store (value, index * n + j, ghlo_element_type_is_complex (value->type->element_type)
                                            ? (GhloScalar) { .c = { NAN, NAN } } : (GhloScalar) { .f = NAN });
  if (argument->element != 'I' && is_finite)
    ghlo_ref_numbers_store (value, index * n, n, array);
}

static void
store (const GhloRefLapack *self,
       gsize                index,
       gboolean             is_finite)
{
  const GhloIrLapackArgument *info = ghlo_ir_lapack_argument (self->lapack, "info");

  if (info != NULL)
    *(gint64 *) ghlo_ref_lapack_array (self, "info") = self->info;
  for (guint i = 0; i < self->lapack->n_arguments; i++)
    {
      const GhloIrLapackArgument *argument = &self->lapack->arguments[i];

      if (argument->result >= 0 && argument->is_computed)
        store_argument (self, argument, self->arrays[i], index, is_finite);
    }
}

/* Whether the part of matrix a that the routine reads is finite. */
static gboolean
is_finite (const GhloRefLapack *self)
{
  const GhloIrLapackArgument *a = ghlo_ir_lapack_argument (self->lapack, "a");
  const GhloIrLapackParameter *uplo = ghlo_ir_lapack_parameter (self->lapack, "uplo");
  gconstpointer array = ghlo_ref_lapack_array (self, "a");
  gsize columns = (gsize) a->extents[1];

  for (gsize i = 0; i < count_of (a); i++)
    {
      GhloRefComplex number = self->lapack->is_complex ? ((const GhloRefComplex *) array)[i]
                                                       : (GhloRefComplex) ((const GhloRefReal *) array)[i];
      gboolean is_read = uplo == NULL
                         || (uplo->value == 'L' ? i % columns <= i / columns : i % columns >= i / columns);

      if (is_read && (!isfinite (creall (number)) || !isfinite (cimagl (number))))
        return FALSE;
    }

  return TRUE;
}

static gboolean
run (GhloRefLapack  *self,
     GError        **error)
{
  const GhloIrLapackCall *lapack = self->lapack;
  GhloRefLapackFunc func = routines[lapack->routine][lapack->is_complex != FALSE];
  gsize n;

  /* Only batches of empty matrices can have a count that overflows; there is nothing to compute for them. */
  if (!ghlo_shape_count (lapack->batch, lapack->n_batch, &n))
    n = 0;
  for (gsize i = 0; i < n; i++)
    {
      gboolean runs;

      if (!ghlo_ref_continue (self->call, error))
        return FALSE;
      load (self, i);
      runs = lapack->not_finite == 0 || is_finite (self);
      self->info = runs ? 0 : lapack->not_finite;
      if (runs && !func (self, error))
        return FALSE;
      store (self, i, runs);
    }

  return TRUE;
}

gboolean
ghlo_ref_custom_lapack (GhloRefCall *call,
                        GError     **error)
{
  GhloIrLapackCall lapack;
  GhloRefLapack self = { .call = call, .lapack = &lapack };
  gboolean ok = read_call (call, &lapack, error) && prepare (&self, error) && run (&self, error);

  for (guint i = 0; i < G_N_ELEMENTS (self.arrays); i++)
    g_free (self.arrays[i]);

  return ok;
}
