/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The three batch normalizations, by the formulas of the specification. They
 * compute in doubles (sums in long doubles) and round once at the end.
 */

#include "base/sizes.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"

#include <math.h>

#define CHECK_EVERY 65536

typedef struct
{
  GhloRefCall *call;
  gsize        features, inner, n;      /* element i belongs to feature i / inner % features */
  double       epsilon;
  double       count;                   /* elements per feature */
  GPtrArray   *memory;                  /* owned; arrays of doubles */
  GError      *failure;
} Norm;

static void
norm_clear (Norm *self)
{
  g_clear_pointer (&self->memory, g_ptr_array_unref);
  g_clear_error (&self->failure);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Norm, norm_clear)

static gboolean
norm_init (Norm        *self,
           GhloRefCall *call,
           GError     **error)
{
  const GhloValue *operand = call->operands[0];
  gint64 feature = ghlo_ir_op_get_int (call->op, "feature_index", 0);

  self->call = call;
  self->memory = g_ptr_array_new_with_free_func (g_free);
  if (feature < 0 || feature >= ghlo_ref_rank (operand))
    return ghlo_ref_fail (call, error, "expected a feature index below the rank %u, found %" G_GINT64_FORMAT,
                          ghlo_ref_rank (operand), feature);
  self->features = (gsize) ghlo_ref_dims (operand)[feature];
  self->n = operand->n_elements;
  self->inner = 1;
  if (self->n > 0 && !ghlo_shape_count (ghlo_ref_dims (operand) + feature + 1,
                                        ghlo_ref_rank (operand) - (guint) feature - 1, &self->inner))
    return ghlo_ref_fail (call, error, "the number of elements overflows");
  self->count = self->features > 0 ? (double) self->n / (double) self->features : 0;
  self->epsilon = ghlo_ir_op_get_real (call->op, "epsilon", 0);
  for (guint i = 1; i < call->n_operands; i++)
    {
      gboolean whole = ghlo_ref_rank (call->operands[i]) == ghlo_ref_rank (operand) && i == 4
                       && call->op->kind == GHLO_OP_STABLEHLO_BATCH_NORM_GRAD;

      if (call->operands[i]->n_elements != (whole ? self->n : self->features))
        return ghlo_ref_fail (call, error, "expected %" G_GSIZE_FORMAT " elements in operand %u, found %"
                              G_GSIZE_FORMAT, whole ? self->n : self->features, i, call->operands[i]->n_elements);
    }
  return TRUE;
}

static inline gsize
feature_of (const Norm *self,
            gsize       index)
{
  return index / self->inner % self->features;
}

/* The numbers of an operand, and memory for @n numbers. NULL after a failure, which self->failure keeps. */
static double *
operand_reals (Norm *self,
               guint index)
{
  double *reals = self->failure == NULL ? ghlo_ref_value_reals (self->call->operands[index], &self->failure) : NULL;

  g_ptr_array_add (self->memory, reals);
  return reals;
}

static double *
room (Norm *self,
      gsize n)
{
  double *reals = self->failure == NULL ? ghlo_ref_scratch (n, sizeof (double), &self->failure) : NULL;

  g_ptr_array_add (self->memory, reals);
  return reals;
}

static gboolean
failed (Norm    *self,
        GError **error)
{
  if (self->failure == NULL)
    return FALSE;
  g_propagate_error (error, g_steal_pointer (&self->failure));
  return TRUE;
}

/* For each feature, the sum of a[i] * (b[i] - offset). A NULL @b stands for a factor of one, a NULL @offset
 * for no offset. */
static gboolean
feature_sums (Norm         *self,
              const double *a,
              const double *b,
              const double *offset,
              double       *sums,
              GError      **error)
{
  g_autofree long double *totals = ghlo_ref_scratch_zeroed (self->features, sizeof (long double), error);

  if (totals == NULL)
    return FALSE;
  for (gsize i = 0; i < self->n; i++)
    {
      gsize f = feature_of (self, i);
      long double x = a[i];

      if (b != NULL)
        x *= (long double) b[i] - (offset != NULL ? offset[f] : 0);
      totals[f] += x;
      if (i % CHECK_EVERY == 0 && !ghlo_ref_continue (self->call, error))
        return FALSE;
    }
  for (gsize f = 0; f < self->features; f++)
    sums[f] = (double) totals[f];
  return TRUE;
}

/* Normalizes @x in place. */
static gboolean
normalize (Norm         *self,
           double       *x,
           const double *scale,
           const double *offset,
           const double *mean,
           const double *variance,
           GError      **error)
{
  for (gsize i = 0; i < self->n; i++)
    {
      gsize f = feature_of (self, i);

      x[i] = scale[f] * ((x[i] - mean[f]) / sqrt (variance[f] + self->epsilon)) + offset[f];
      if (i % CHECK_EVERY == 0 && !ghlo_ref_continue (self->call, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
store_result (Norm            *self,
              guint            index,
              const GhloValue *like,
              const double    *reals,
              GError         **error)
{
  GhloValue *result = ghlo_ref_result_like (self->call, index, like, error);

  if (result == NULL)
    return FALSE;
  ghlo_ref_value_set_reals (result, reals);
  return TRUE;
}

gboolean
ghlo_ref_batch_norm_inference (GhloRefCall *call,
                               GError     **error)
{
  g_auto (Norm) self = { 0 };
  double *x, *scale, *offset, *mean, *variance;

  if (!norm_init (&self, call, error))
    return FALSE;
  x = operand_reals (&self, 0);
  scale = operand_reals (&self, 1);
  offset = operand_reals (&self, 2);
  mean = operand_reals (&self, 3);
  variance = operand_reals (&self, 4);
  return !failed (&self, error)
         && normalize (&self, x, scale, offset, mean, variance, error)
         && store_result (&self, 0, call->operands[0], x, error);
}

/* The mean and the biased variance: the mean of the squared distances from the mean, without Bessel's correction. */
static gboolean
moments (Norm         *self,
         const double *x,
         double       *mean,
         double       *variance,
         GError      **error)
{
  if (!feature_sums (self, x, NULL, NULL, mean, error))
    return FALSE;
  for (gsize f = 0; f < self->features; f++)
    {
      mean[f] /= self->count;
      variance[f] = 0;
    }
  g_assert (self->n == 0 || self->features > 0);
  for (gsize i = 0; i < self->n; i++)
    {
      gsize f = feature_of (self, i);
      double distance = x[i] - mean[f];

      variance[f] += distance * distance;
      if (i % CHECK_EVERY == 0 && !ghlo_ref_continue (self->call, error))
        return FALSE;
    }
  for (gsize f = 0; f < self->features; f++)
    variance[f] /= self->count;
  return TRUE;
}

gboolean
ghlo_ref_batch_norm_training (GhloRefCall *call,
                              GError     **error)
{
  g_auto (Norm) self = { 0 };
  double *x, *scale, *offset, *mean, *variance;

  if (!norm_init (&self, call, error))
    return FALSE;
  x = operand_reals (&self, 0);
  scale = operand_reals (&self, 1);
  offset = operand_reals (&self, 2);
  mean = room (&self, self.features);
  variance = room (&self, self.features);
  return !failed (&self, error)
         && moments (&self, x, mean, variance, error)
         && normalize (&self, x, scale, offset, mean, variance, error)
         && store_result (&self, 0, call->operands[0], x, error)
         && store_result (&self, 1, call->operands[1], mean, error)
         && store_result (&self, 2, call->operands[1], variance, error);
}

gboolean
ghlo_ref_batch_norm_grad (GhloRefCall *call,
                          GError     **error)
{
  g_auto (Norm) self = { 0 };
  double *x, *scale, *mean, *variance, *grad, *grad_scale, *grad_offset, *product;

  if (!norm_init (&self, call, error))
    return FALSE;
  x = operand_reals (&self, 0);
  scale = operand_reals (&self, 1);
  mean = operand_reals (&self, 2);
  variance = operand_reals (&self, 3);
  grad = operand_reals (&self, 4);
  grad_scale = room (&self, self.features);
  grad_offset = room (&self, self.features);
  product = room (&self, self.features);
  if (failed (&self, error)
      || !feature_sums (&self, grad, NULL, NULL, grad_offset, error)
      || !feature_sums (&self, grad, x, mean, product, error))
    return FALSE;

  for (gsize f = 0; f < self.features; f++)
    grad_scale[f] = product[f] / sqrt (variance[f] + self.epsilon);
  g_assert (self.n == 0 || self.features > 0);
  for (gsize i = 0; i < self.n; i++)
    {
      gsize f = feature_of (&self, i);
      double spread = variance[f] + self.epsilon;
      double centered = grad[i] * self.count - grad_offset[f] - product[f] * (x[i] - mean[f]) / spread;

      x[i] = scale[f] / sqrt (spread) / self.count * centered;
      if (i % CHECK_EVERY == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
    }
  return store_result (&self, 0, call->operands[0], x, error)
         && store_result (&self, 1, call->operands[1], grad_scale, error)
         && store_result (&self, 2, call->operands[1], grad_offset, error);
}
