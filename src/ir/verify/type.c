/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks that a type is well formed by itself (ranks, bounds, quantization, nesting), which readers of text and
 * bytecode cannot always tell while they build the type.
 */

#include "ir/verify/from-table.h"

#include <math.h>

enum { MAX_PARTS = 1 << 16 };

/* Returns what is wrong with a quantization by itself, or NULL. */
static char *
quantization_fault (const GhloQuantization *quantization)
{
  const GhloElementInfo *expressed = ghlo_element_info (quantization->expressed);
  const GhloElementInfo *storage = ghlo_element_info (quantization->storage);
  double least, most;

  if (!ghlo_element_type_is_integer (quantization->storage) || storage->bits > 32)
    return g_strdup_printf ("a quantized type stored as integers of at most 32 bits, found storage type %s",
                            storage->name);
  if (!ghlo_element_type_is_float (quantization->expressed))
    return g_strdup_printf ("a quantized type that expresses floats, found expressed type %s", expressed->name);
  if (quantization->storage_min >= quantization->storage_max)
    return g_strdup_printf ("a quantized type whose storage minimum is below its maximum, found %" G_GINT64_FORMAT
                            " and %" G_GINT64_FORMAT, quantization->storage_min, quantization->storage_max);

  /* The smallest positive number (a subnormal) and the largest finite number of the expressed type. */
  least = ldexp (1.0, 1 - expressed->bias - expressed->mantissa_bits);
  most = expressed->specials == GHLO_FLOAT_IEEE
         ? ldexp (2.0 - ldexp (1.0, -expressed->mantissa_bits), (1 << expressed->exponent_bits) - 2 - expressed->bias)
         : ldexp (2.0, (1 << expressed->exponent_bits) - 1 - expressed->bias);
  for (guint i = 0; i < quantization->n_scales; i++)
    if (!(quantization->scales[i] >= least && quantization->scales[i] <= most))
      return g_strdup_printf ("a scale in the range of %s, found %g", expressed->name, quantization->scales[i]);

  return NULL;
}

static char *
tensor_fault (const GhloIrType *type)
{
  if (type->rank > GHLO_MAX_RANK)
    return g_strdup_printf ("a rank of at most %d, found %u", GHLO_MAX_RANK, type->rank);
  for (guint i = 0; i < type->rank; i++)
    {
      if (type->dimensions[i] < -1)
        return g_strdup_printf ("dimensions that are not negative, found %" G_GINT64_FORMAT, type->dimensions[i]);
      if (ghlo_ir_type_bound (type, i) >= 0 && type->dimensions[i] >= 0)
        return g_strdup_printf ("a bound on dynamic dimensions only, found one on dimension %u", i);
    }

  return NULL;
}

/* Returns what is wrong with @type by itself, or NULL. *@budget is the number of parts that may still be visited:
 * types share members, so a few lines of text can describe a tuple that is too large to walk. */
static char *
type_fault (const GhloIrType *type,
            guint             depth,
            guint            *budget)
{
  char *fault = NULL;
  guint n_members = 0;

  if (depth > GHLO_MAX_NESTING)
    return g_strdup_printf ("types nested at most %d deep, found more", GHLO_MAX_NESTING);
  if ((*budget)-- == 0)
    return g_strdup_printf ("a type of at most %d parts, found more", MAX_PARTS);
  if (type->kind == GHLO_IR_TYPE_TENSOR || type->kind == GHLO_IR_TYPE_MEMREF)
    fault = tensor_fault (type);
  if (fault == NULL && type->quantization != NULL)
    fault = quantization_fault (type->quantization);

  if (type->kind == GHLO_IR_TYPE_TUPLE || type->kind == GHLO_IR_TYPE_FUTURE)
    n_members = type->rank;
  else if (type->kind == GHLO_IR_TYPE_FUNCTION)
    n_members = type->rank + type->n_results;
  for (guint i = 0; i < n_members && fault == NULL; i++)
    {
      fault = type_fault (type->members[i], depth + 1, budget);
      if (fault == NULL && type->kind == GHLO_IR_TYPE_FUTURE && type->members[i]->kind != GHLO_IR_TYPE_TENSOR)
        {
          g_autofree char *member = ghlo_ir_type_to_string (type->members[i]);

          fault = g_strdup_printf ("a future of ranked tensors, found one of %s", member);
        }
    }

  return fault;
}

gboolean
ghlo_ir_verify_type (GhloIrVerifyRun  *run,
                     const GhloIrOp   *op,
                     const char       *what,
                     const GhloIrType *type)
{
  g_autofree char *fault = NULL;
  guint budget = MAX_PARTS;
  guint slot;

  if (ghlo_ir_known_fit (run, type, GHLO_IR_CAN_ANYTHING, &slot))
    return TRUE;

  fault = type_fault (type, 0, &budget);
  if (fault == NULL)
    {
      run->known_fits[slot].type = type;
      run->known_fits[slot].constraint = GHLO_IR_CAN_ANYTHING;
      return TRUE;
    }

  return ghlo_ir_verify_fail (&run->verifier, op, "expected %s, in the type of the %s", fault, what);
}
