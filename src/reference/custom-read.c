/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checked access to operands, results and attributes of custom calls. The verifier knows nothing about these, so a
 * kernel reads everything that it relies on through one of these functions.
 */

#include "reference/custom-read.h"

#include "reference/frame.h"

gboolean
ghlo_ref_custom_counts (const GhloRefCall  *call,
                        guint               n_operands,
                        guint               n_results,
                        GError            **error)
{
  if (call->n_operands == n_operands && call->op->n_results == n_results)
    return TRUE;

  return ghlo_ref_fail (call, error, "expected %u operands and %u results, found %u and %u", n_operands, n_results,
                        call->n_operands, call->op->n_results);
}

static gboolean
fail_operand (const GhloRefCall  *call,
              guint               index,
              const char         *expected,
              GError            **error)
{
  g_autofree char *found = ghlo_ref_value_describe (call->operands[index]);

  return ghlo_ref_fail (call, error, "expected %s as operand %u, found %s", expected, index, found);
}

/* Whether @value is a tensor that is not quantized. */
static gboolean
has_numbers (const GhloValue *value)
{
  return value->kind == GHLO_VALUE_TENSOR && value->type->quantization == NULL;
}

gboolean
ghlo_ref_custom_numbers (const GhloRefCall  *call,
                         guint               index,
                         GError            **error)
{
  return has_numbers (call->operands[index]) || fail_operand (call, index, "a tensor of numbers", error);
}

gboolean
ghlo_ref_custom_integers (const GhloRefCall  *call,
                          guint               index,
                          gsize               most,
                          GError            **error)
{
  const GhloValue *value = call->operands[index];

  return (has_numbers (value) && ghlo_element_type_is_integer (value->type->element_type)
          && value->n_elements <= most)
         || fail_operand (call, index, "a few integers", error);
}

gboolean
ghlo_ref_custom_read_integer (const GhloRefCall  *call,
                              guint               index,
                              gint64             *value,
                              GError            **error)
{
  const GhloValue *operand = call->operands[index];

  if (!has_numbers (operand) || !ghlo_element_type_is_integer (operand->type->element_type)
      || operand->n_elements != 1)
    return fail_operand (call, index, "an integer", error);
  *value = ghlo_ref_load (operand, 0).i;

  return TRUE;
}

gboolean
ghlo_ref_custom_read_predicate (const GhloRefCall  *call,
                                guint               index,
                                gboolean           *value,
                                GError            **error)
{
  const GhloValue *operand = call->operands[index];

  if (!has_numbers (operand) || operand->type->element_type != GHLO_ELEMENT_TYPE_I1 || operand->n_elements != 1)
    return fail_operand (call, index, "a boolean", error);
  *value = ghlo_ref_load (operand, 0).i != 0;

  return TRUE;
}

/* Whether @type is a tensor type of plain numbers. */
static gboolean
is_numbers (const GhloIrType *type)
{
  return (type->kind == GHLO_IR_TYPE_TENSOR || type->kind == GHLO_IR_TYPE_UNRANKED) && type->quantization == NULL;
}

static gboolean
fail_result (const GhloRefCall  *call,
             guint               index,
             const char         *expected,
             GError            **error)
{
  g_autofree char *found = ghlo_ir_type_to_string (call->op->results[index].type);

  return ghlo_ref_fail (call, error, "expected a tensor of %s as result %u, found %s", expected, index, found);
}

gboolean
ghlo_ref_custom_result_has (const GhloRefCall  *call,
                            guint               index,
                            GhloElementType     type,
                            GError            **error)
{
  const GhloIrType *result = call->op->results[index].type;

  return (is_numbers (result) && result->element_type == type)
         || fail_result (call, index, ghlo_element_info (type)->name, error);
}

gboolean
ghlo_ref_custom_result_has_integers (const GhloRefCall  *call,
                                     guint               index,
                                     GError            **error)
{
  const GhloIrType *result = call->op->results[index].type;

  return (is_numbers (result) && ghlo_element_type_is_integer (result->element_type))
         || fail_result (call, index, "integers", error);
}

gboolean
(ghlo_ref_custom_fail) (const GhloRefCall  *call,
                        char               *problem,
                        GError            **error)
{
  ghlo_ref_fail (call, error, "%s", problem);
  g_free (problem);

  return FALSE;
}
