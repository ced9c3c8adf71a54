/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reduces a random program that fails while it still fails: results are dropped, and operations are replaced by
 * arguments that hold the reference executor's values, so that all later operations see the same numbers.
 */

#include "../passes/pass-help.h"
#include "check.h"
#include "main.h"

static gboolean
is_plain (const GhloIrValue *value)
{
  return value->type->kind == GHLO_IR_TYPE_TENSOR && value->type->quantization == NULL && value->type->bounds == NULL;
}

static void
unref_value (gpointer data)
{
  if (data != NULL)
    ghlo_value_unref (data);
}

static RandomCase *
copy_case (const RandomCase *self)
{
  RandomCase *copy = g_new0 (RandomCase, 1);

  copy->program = self->program;
  copy->module = ghlo_ir_module_copy (self->module);
  copy->rounds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < self->rounds->len; i++)
    {
      const GPtrArray *from = self->rounds->pdata[i];
      GPtrArray *round = g_ptr_array_new_with_free_func (unref_value);

      for (guint j = 0; j < self->n_inputs; j++)
        g_ptr_array_add (round, ghlo_value_ref (from->pdata[j]));
      g_ptr_array_add (copy->rounds, round);
    }

  return copy;
}

/* Replaces the case by @candidate if that still fails. */
static gboolean
try_case (RandomCase         **self,
          RandomCase          *candidate,
          const RandomSubject *subject)
{
  g_autoptr (RandomCase) owned = candidate;
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("random.mlir", "", 0);
  g_autofree char *difference = NULL;

  random_main_drop_unused (candidate->module, NULL, candidate->rounds);
  if (!ghlo_ir_verify (candidate->module, diagnostics, NULL) || !random_case_answer (candidate, NULL))
    return FALSE;
  difference = random_case_check (candidate, subject);
  if (difference == NULL)
    return FALSE;
  random_case_free (*self);
  *self = g_steal_pointer (&owned);

  return TRUE;
}

static GhloIrOp *
nth_op (GhloIrModule *module,
        guint         n)
{
  GhloIrOp *op = random_main_block (module)->first;

  for (; op != NULL && n > 0; n--)
    op = op->next;

  return op;
}

/* The results of operation @n in each round, computed by a run that returns only these. */
static GPtrArray *
values_of (const RandomCase *self,
           guint             n)
{
  g_autoptr (RandomCase) copy = copy_case (self);
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  GhloIrOp *op = nth_op (copy->module, n);
  GPtrArray *answers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);

  for (guint i = 0; i < op->n_results; i++)
    g_ptr_array_add (values, &op->results[i]);
  random_main_return (copy->module, values);
  for (guint i = 0; i < copy->rounds->len; i++)
    {
      GPtrArray *round = copy->rounds->pdata[i], *found = g_ptr_array_new ();

      g_ptr_array_set_size (found, (int) values->len);
      if (!pass_run (copy->module, "main", (GhloValue **) round->pdata, self->n_inputs, (GhloValue **) found->pdata,
                     NULL))
        g_ptr_array_set_size (found, 0);
      g_ptr_array_set_free_func (found, unref_value);
      g_ptr_array_add (answers, found);
    }

  return answers;
}

/* Replaces operation @n by arguments. */
static gboolean
try_cut (RandomCase         **self,
         guint                n,
         const RandomSubject *subject)
{
  g_autoptr (GPtrArray) answers = NULL;
  RandomCase *copy;
  GhloIrBlock *block;
  GhloIrOp *op = nth_op ((*self)->module, n);

  if (op->n_results == 0 || op->n_operands == 0)
    return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (!is_plain (&op->results[i]))
      return FALSE;
  answers = values_of (*self, n);
  copy = copy_case (*self);
  block = random_main_block (copy->module);
  op = nth_op (copy->module, n);
  for (guint i = 0; i < op->n_results; i++)
    {
      GhloIrValue *argument = ghlo_ir_block_add_argument (copy->module, block, op->results[i].type, NULL);

      argument->name = op->results[i].name;
      ghlo_ir_value_replace (&op->results[i], argument);
      for (guint j = 0; j < copy->rounds->len; j++)
        {
          const GPtrArray *found = answers->pdata[j];

          if (found->len == 0)
            {
              random_case_free (copy);
              return FALSE;
            }
          g_ptr_array_add (copy->rounds->pdata[j], ghlo_value_ref (found->pdata[i]));
        }
    }
  random_main_update (copy->module);

  return try_case (self, copy, subject);
}

static void
keep_one_result (RandomCase         **self,
                 const RandomSubject *subject)
{
  for (guint i = 0; i < (*self)->n_results; i++)
    {
      RandomCase *copy = copy_case (*self);
      g_autoptr (GPtrArray) values = g_ptr_array_new ();

      g_ptr_array_add (values, ghlo_ir_op_operand (random_main_block (copy->module)->last, i));
      random_main_return (copy->module, values);
      if (try_case (self, copy, subject))
        return;
    }
}

static void
keep_one_round (RandomCase         **self,
                const RandomSubject *subject)
{
  for (guint i = (*self)->rounds->len; i > 0 && (*self)->rounds->len > 1; i--)
    {
      RandomCase *copy = copy_case (*self);

      g_ptr_array_remove_index (copy->rounds, i - 1);
      try_case (self, copy, subject);
    }
}

static guint
count_ops (GhloIrModule *module)
{
  guint n = 0;

  for (const GhloIrOp *op = random_main_block (module)->first; op != NULL; op = op->next)
    n++;

  return n;
}

static void
append_inputs (const RandomCase *self,
               GString          *text)
{
  for (guint i = 0; i < self->rounds->len; i++)
    for (guint j = 0; j < self->n_inputs; j++)
      {
        const GhloValue *value = ((GPtrArray *) self->rounds->pdata[i])->pdata[j];

        if (value->kind != GHLO_VALUE_TENSOR)
          continue;
        g_string_append_printf (text, "// input %u is dense<", j);
        ghlo_ir_append_elements (text, value->type->element_type, value->type->dimensions, value->type->rank,
                                 value->data, FALSE);
        g_string_append (text, ">\n");
      }
}

char *
random_case_shrink (const RandomCase    *self,
                    const RandomSubject *subject)
{
  RandomCase *small = copy_case (self);
  g_autoptr (GhloIrModule) after = NULL;
  g_autofree char *difference = NULL, *before = NULL, *became = NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  if (!random_case_answer (small, NULL))
    {
      random_case_free (small);
      return g_strdup ("the program cannot be made smaller");
    }
  keep_one_round (&small, subject);
  keep_one_result (&small, subject);
  for (gboolean is_smaller = TRUE; is_smaller;)
    {
      is_smaller = FALSE;
      for (guint n = count_ops (small->module); n > 0; n--)
        if (n <= count_ops (small->module) && try_cut (&small, n - 1, subject))
          is_smaller = TRUE;
    }
  difference = random_case_check (small, subject);
  before = ghlo_ir_to_string (small->module, GHLO_IR_PRINT_DEFAULT);
  after = pass_apply (small->module, &subject->passes, NULL, NULL);
  if (after != NULL)
    became = ghlo_ir_to_string (after, GHLO_IR_PRINT_DEFAULT);
  g_string_append_printf (text, "%s\n%s", difference != NULL ? difference : "it no longer fails", before);
  append_inputs (small, text);
  if (became != NULL)
    g_string_append_printf (text, "which passes made into\n%s", became);
  random_case_free (small);

  return g_string_free (g_steal_pointer (&text), FALSE);
}
