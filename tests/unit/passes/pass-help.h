/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the tests of passes: programs parsed from text, passes run on a copy of them, inputs of special values, and
 * the comparison of the reference executor's results before and after.
 */

#pragma once

#include <math.h>
#include <string.h>

#include "base/element.h"
#include "base/ghlo-error.h"
#include "compiler/evaluate.h"
#include "import/import.h"
#include "ir/print/print.h"
#include "ir/verify/verify.h"
#include "passes/pass.h"
#include "reference/device.h"

/* Parses and verifies; NULL, with the reason in @error, for an invalid program. */
static inline GhloIrModule *
pass_parse (const char  *name,
            const char  *text,
            gsize        length,
            GError     **error)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new (name, text, length);
  g_autoptr (GhloIrModule) module = ghlo_import_text (text, length, GHLO_IMPORT_DEFAULT, diagnostics, NULL);

  if (module != NULL && ghlo_ir_verify (module, diagnostics, NULL))
    return g_steal_pointer (&module);
  ghlo_diagnostics_to_error (diagnostics, error);

  return NULL;
}

/* A copy with passes run on it; it must verify after each pass. */
static inline GhloIrModule *
pass_apply (GhloIrModule          *module,
            const GhloPassOptions *options,
            GhloPassReport        *report,
            GError               **error)
{
  GhloDeviceEvaluator evaluator = { .device = ghlo_reference_device () };
  g_autoptr (GhloIrModule) copy = ghlo_ir_module_copy (module);
  GhloPassOptions own = *options;

  own.verify = TRUE;
  own.evaluator = ghlo_device_evaluator (&evaluator);
  if (!ghlo_passes_run (copy, &own, NULL, report, error))
    return NULL;

  return g_steal_pointer (&copy);
}

/* Numbers that rewrite rules tend to get wrong. @seed determines which element gets which. */
static inline GhloScalar
pass_special (GhloElementType type,
              guint           number)
{
  static const double reals[] = {
    NAN, 1.5, -0.0, INFINITY, 0.0, -INFINITY, -2.5, 1, 1e-42, -1, 3.4e38, 0.5, -1e-320, 7, 0.1,
  };
  static const gint64 integers[] = {
    0, 1, -1, G_MININT64, G_MAXINT64, 2, G_MININT32, G_MAXINT32, 7, -128, 127, 3, 255, -32768, 1 << 20,
  };
  GhloScalar value = { .c = { 0, 0 } };

  switch (ghlo_element_info (type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      value.f = reals[number % G_N_ELEMENTS (reals)];
      break;
    case GHLO_ELEMENT_CLASS_COMPLEX:
      value.c.re = reals[number % G_N_ELEMENTS (reals)];
      value.c.im = reals[(number / 3) % G_N_ELEMENTS (reals)];
      break;
    case GHLO_ELEMENT_CLASS_BOOLEAN:
      value.i = (number ^ (number >> 2)) & 1;
      break;
    default:
      value.i = integers[number % G_N_ELEMENTS (integers)];
      break;
    }

  return value;
}

/* Small numbers, including halves for floats, so that most sums are not rounded. */
static inline GhloScalar
pass_ordinary (GhloElementType type,
               guint           number)
{
  GhloScalar value = { .c = { 0, 0 } };

  switch (ghlo_element_info (type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      value.f = (number % 13) * 0.37 - 2;
      break;
    case GHLO_ELEMENT_CLASS_COMPLEX:
      value.c.re = (number % 11) * 0.41 - 2;
      value.c.im = (number % 7) * 0.3 - 1;
      break;
    case GHLO_ELEMENT_CLASS_BOOLEAN:
      value.i = number % 3 == 0;
      break;
    default:
      value.i = number % 5;
      break;
    }

  return value;
}

/* An input of @type; NULL for types that have none (dynamic ones, buffers). */
static inline GhloValue *
pass_make_input (const GhloIrType *type,
                 guint             seed,
                 gboolean          special)
{
  g_autoptr (GhloTensorType) tensor = NULL;
  GhloValue *value;

  if (type->kind == GHLO_IR_TYPE_TOKEN)
    return ghlo_value_new_token ();
  if (type->kind == GHLO_IR_TYPE_TUPLE)
    {
      g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);

      for (guint i = 0; i < type->rank; i++)
        {
          GhloValue *member = pass_make_input (type->members[i], seed + i, special);

          if (member == NULL)
            return NULL;
          g_ptr_array_add (members, member);
        }
      return ghlo_value_new_tuple ((GhloValue *const *) members->pdata, members->len);
    }
  if (type->kind != GHLO_IR_TYPE_TENSOR || !ghlo_ir_type_has_static_shape (type)
      || type->element_type == GHLO_ELEMENT_TYPE_INVALID)
    return NULL;

  tensor = ghlo_ir_type_to_tensor_type (type);
  value = ghlo_value_new_tensor (tensor, NULL);
  for (gsize i = 0; value != NULL && i < value->n_elements; i++)
    ghlo_element_store (type->element_type, value->data + i * ghlo_element_info (type->element_type)->size,
                        special ? pass_special (type->element_type, seed + i)
                                : pass_ordinary (type->element_type, seed * 7 + i));

  return value;
}

/* Equal bits, or both NaN, or a difference of at most @tolerance times the larger one. */
static inline gboolean
pass_same_real (double a,
                double b,
                double tolerance)
{
  return memcmp (&a, &b, sizeof a) == 0 || (isnan (a) && isnan (b))
         || (tolerance > 0 && fabs (a - b) <= tolerance * fmax (1, fmax (fabs (a), fabs (b))));
}

/* Describes the first difference of two values; NULL when they are equal. Any NaN equals any other. */
static inline char *
pass_compare (const GhloValue *before,
              const GhloValue *after,
              double           tolerance)
{
  GhloElementType type;
  gsize size;

  if (before->kind != after->kind)
    return g_strdup ("the kinds of values differ");
  if (before->kind == GHLO_VALUE_TUPLE)
    {
      for (guint i = 0; i < before->n_members; i++)
        {
          char *difference = pass_compare (before->members[i], after->members[i], tolerance);

          if (difference != NULL)
            return difference;
        }
      return NULL;
    }
  if (before->kind != GHLO_VALUE_TENSOR)
    return NULL;
  if (before->n_bytes != after->n_bytes || before->type->element_type != after->type->element_type)
    return g_strdup ("the types of values differ");

  type = before->type->element_type;
  size = ghlo_element_info (type)->size;
  for (gsize i = 0; i < before->n_elements; i++)
    {
      GhloScalar a = ghlo_element_load (type, before->data + i * size), b;
      g_autoptr (GString) text = NULL;

      if (memcmp (before->data + i * size, after->data + i * size, size) == 0)
        continue;
      b = ghlo_element_load (type, after->data + i * size);
      if (ghlo_element_type_is_float (type) && pass_same_real (a.f, b.f, tolerance))
        continue;
      if (ghlo_element_type_is_complex (type) && pass_same_real (a.c.re, b.c.re, tolerance)
          && pass_same_real (a.c.im, b.c.im, tolerance))
        continue;
      text = g_string_new (NULL);
      g_string_append_printf (text, "element %" G_GSIZE_FORMAT " was ", i);
      ghlo_ir_append_scalar (text, type, a);
      g_string_append (text, " and is ");
      ghlo_ir_append_scalar (text, type, b);
      return g_strdup (text->str);
    }

  return NULL;
}

static inline void
pass_clear (GhloValue **values,
            guint       n)
{
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&values[i], ghlo_value_unref);
}

static inline gboolean
pass_run (GhloIrModule  *module,
          const char    *function,
          GhloValue    **inputs,
          guint          n_inputs,
          GhloValue    **outputs,
          GError       **error)
{
  GhloIrOp *op = ghlo_ir_module_find (module, function);
  g_autoptr (GhloPrepared) prepared = NULL;

  if (op == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "the function '%s' is gone", function);
      return FALSE;
    }
  prepared = ghlo_device_core_prepare (ghlo_reference_device (), module, op, NULL, NULL, error);

  return prepared != NULL && ghlo_prepared_run (prepared, NULL, inputs, n_inputs, outputs, NULL, error);
}

/* Runs one function of both modules on the same inputs. If it fails before, it may do anything after. NULL when the
 * results agree. */
static inline char *
pass_compare_runs (GhloIrModule *before,
                   GhloIrModule *after,
                   const char   *function,
                   GhloValue   **inputs,
                   guint         n_inputs,
                   double        tolerance,
                   gboolean     *ran)
{
  const GhloIrType *type = ghlo_ir_op_get (ghlo_ir_module_find (before, function), "function_type")->type;
  g_autofree GhloValue **wanted = g_new0 (GhloValue *, type->n_results + 1);
  g_autofree GhloValue **found = g_new0 (GhloValue *, type->n_results + 1);
  g_autoptr (GError) error = NULL;
  char *difference = NULL;

  *ran = pass_run (before, function, inputs, n_inputs, wanted, NULL);
  if (!*ran)
    return NULL;
  if (!pass_run (after, function, inputs, n_inputs, found, &error))
    difference = g_strdup (error->message);
  for (guint i = 0; i < type->n_results && difference == NULL; i++)
    {
      g_autofree char *detail = pass_compare (wanted[i], found[i], tolerance);

      if (detail != NULL)
        difference = g_strdup_printf ("result %u: %s", i, detail);
    }
  pass_clear (wanted, type->n_results);
  pass_clear (found, type->n_results);

  return difference;
}

/* Compares all functions that both modules have, on @n_seeds sets of generated inputs. */
static inline char *
pass_compare_modules (GhloIrModule *before,
                      GhloIrModule *after,
                      guint         n_seeds,
                      gboolean      special,
                      double        tolerance,
                      guint        *n_runs)
{
  GhloIrBlock *body = ghlo_ir_op_region_block (before->op, 0);

  for (GhloIrOp *op = body->first; op != NULL; op = op->next)
    {
      const char *name = op->kind == GHLO_OP_FUNC_FUNC ? ghlo_ir_op_get_string (op, "sym_name") : NULL;
      GhloIrBlock *block = name != NULL ? ghlo_ir_func_get_body (op) : NULL;

      if (block == NULL || ghlo_ir_module_find (after, name) == NULL)
        continue;
      for (guint seed = 0; seed < n_seeds; seed++)
        {
          g_autofree GhloValue **inputs = g_new0 (GhloValue *, block->n_arguments + 1);
          char *difference = NULL;
          gboolean ran = TRUE;

          for (guint i = 0; i < block->n_arguments && ran; i++)
            ran = (inputs[i] = pass_make_input (block->arguments[i]->type, seed * 17 + i * 5, special && seed > 0))
                  != NULL;
          if (ran)
            difference = pass_compare_runs (before, after, name, inputs, block->n_arguments, tolerance, &ran);
          pass_clear (inputs, block->n_arguments);
          *n_runs += ran;
          if (difference != NULL)
            {
              char *message = g_strdup_printf ("@%s, inputs %u: %s", name, seed, difference);

              g_free (difference);
              return message;
            }
        }
    }

  return NULL;
}
