/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Statistics of the operations and element types that occurred in random programs, and the loop over many programs.
 */

#include "../passes/pass-help.h"
#include "check.h"
#include "crash-note.h"

enum { N_ELEMENTS = GHLO_ELEMENT_TYPE_INDEX + 1, MAX_FAILURES = 10 };

/* Operations that the reference executor runs and random programs exclude, and why. */
static const char *const left_out[][2] = {
  { "stablehlo.infeed", "needs a host that feeds; tests/programs/processes.mlir" },
  { "stablehlo.outfeed", "gives to the host" },
  { "stablehlo.send", "pairs of processes that wait for each other" },
  { "stablehlo.recv", "pairs of processes that wait for each other" },
  { "interpreter.print", "gives nothing" },
  { "interpreter.probe", "writes files" },
  { "check.", "gives nothing" },
};

static guint counts[GHLO_N_OPS][N_ELEMENTS];
static guint64 n_trusted[RANDOM_BITS + 1];    /* results by what is known about their numbers */

static void
count_op (const GhloIrOp *op)
{
  const GhloIrType *type = op->n_operands > 0 ? ghlo_ir_op_operand (op, 0)->type
                           : op->n_results > 0 ? op->results[0].type : NULL;
  guint element = type != NULL && type->kind == GHLO_IR_TYPE_TENSOR ? type->element_type : GHLO_ELEMENT_TYPE_INVALID;

  counts[op->kind][element]++;
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (const GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        count_op (inner);
}

void
random_coverage_add (const GhloIrModule *module)
{
  count_op (module->op);
}

static guint
count_of (guint  kind,
          guint *n_elements)
{
  guint total = 0;

  *n_elements = 0;
  for (guint i = 0; i < N_ELEMENTS; i++)
    {
      total += counts[kind][i];
      *n_elements += i != GHLO_ELEMENT_TYPE_INVALID && counts[kind][i] > 0;
    }

  return total;
}

void
random_coverage_print (gboolean is_verbose)
{
  guint n_ops = 0, n_pairs = 0;

  for (guint kind = 1; kind < GHLO_N_OPS; kind++)
    {
      guint n_elements, n = count_of (kind, &n_elements);
      g_autoptr (GString) line = g_string_new (NULL);

      n_ops += n > 0;
      n_pairs += n_elements;
      if (!is_verbose || n == 0)
        continue;
      g_string_append_printf (line, "%-40s %8u", ghlo_ir_op_spec (kind)->name, n);
      for (guint i = 1; i < N_ELEMENTS; i++)
        if (counts[kind][i] > 0)
          g_string_append_printf (line, " %s:%u", ghlo_element_info (i)->name, counts[kind][i]);
      g_test_message ("%s", line->str);
    }
  g_test_message ("%u operations, %u pairs of operation and element type", n_ops, n_pairs);
  g_test_message ("results: %" G_GUINT64_FORMAT " exact, %" G_GUINT64_FORMAT " equal, %" G_GUINT64_FORMAT " near, %"
                  G_GUINT64_FORMAT " free", n_trusted[RANDOM_BITS], n_trusted[RANDOM_EQUAL], n_trusted[RANDOM_NEAR],
                  n_trusted[RANDOM_NONE]);
}

static gboolean
is_left_out (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (left_out); i++)
    if (strcmp (name, left_out[i][0]) == 0
        || (g_str_has_suffix (left_out[i][0], ".") && g_str_has_prefix (name, left_out[i][0])))
      return TRUE;

  return FALSE;
}

char *
random_coverage_missing (void)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint kind = 1; kind < GHLO_N_OPS; kind++)
    {
      const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);
      guint n_elements;

      if (strcmp (spec->reference, "none") != 0 && !is_left_out (spec->name) && count_of (kind, &n_elements) == 0)
        g_string_append_printf (text, " %s", spec->name);
    }

  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

static gboolean
check_one (guint32              seed,
           const RandomOptions *options,
           const RandomSubject *subjects,
           guint                n_subjects)
{
  g_autoptr (RandomProgram) program = random_program_new (seed, options);
  g_autofree char *text = random_program_to_text (program);
  g_autoptr (GError) error = NULL;
  g_autoptr (RandomCase) test = random_case_new (program, text, 2, &error);

  if (test == NULL)
    {
      g_test_message ("seed %u: %s\n%s", seed, error->message, text);
      return FALSE;
    }
  random_coverage_add (test->module);
  for (guint i = 0; i < test->n_results; i++)
    n_trusted[test->numbers[i].trust]++;
  for (guint i = 0; i < n_subjects; i++)
    {
      g_autofree char *difference = random_case_check (test, &subjects[i]), *small = NULL;

      if (difference == NULL)
        continue;
      small = random_case_shrink (test, &subjects[i]);
      g_test_message ("seed %u, %s: %s\nmade smaller: %s", seed, subjects[i].name, difference, small);
      return FALSE;
    }

  return TRUE;
}

gboolean
random_check_programs (guint32              seed,
                       guint                n,
                       const RandomOptions *options,
                       const RandomSubject *subjects,
                       guint                n_subjects,
                       gboolean             is_verbose)
{
  guint n_failures = 0;

  for (guint i = 0; i < n && n_failures < MAX_FAILURES; i++)
    {
      RandomOptions own = *options;

      /* A fourth of the programs may compute values that are well defined on a single executor only. */
      own.is_loose |= (seed + i) % 4 == 0;
      crash_note ("the program of seed", seed + i);
      if (!check_one (seed + i, &own, subjects, n_subjects))
        n_failures++;
      if (is_verbose && (i + 1) % 1000 == 0)
        g_test_message ("%u programs", i + 1);
    }
  return n_failures == 0;
}
