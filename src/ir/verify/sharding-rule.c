/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks the rule by which shardings propagate through an operation: each dimension of its operands and results is a
 * product of factors.
 */

#include "ir/verify/sharding.h"

/* The fields of sdy's op_sharding_rule. */
enum { SIZES, OPERANDS, RESULTS, REDUCTION, NEED_REPLICATION, PERMUTATION, BLOCKED };

typedef struct
{
  GhloIrModule       *module;
  const GhloSdyField *sizes;
  gsize               n_factors;
  guint32            *last_value;   /* owned; by factor, the number plus 1 of the last value that has it */
  gboolean           *in_results;   /* owned; by factor */
  guint32             n_values;     /* so far */
} Rule;

/* Checks the factors of one dimension. */
static char *
dimension_problem (Rule             *self,
                   const GhloIrAttr *attr,
                   gboolean          is_result)
{
  g_auto (GhloSdyAttr) mapping;
  gsize n;

  if (!ghlo_ir_sdy_read (&mapping, self->module, attr, GHLO_SDY_DIMENSION_MAPPING))
    return NULL;
  n = ghlo_sdy_field_n_integers (&mapping.fields[0]);
  if (n == 0)
    return g_strdup ("expected at least one factor for each dimension, found none");
  for (gsize i = 0; i < n; i++)
    {
      const gint64 factor = ghlo_ir_sdy_integer (&mapping.fields[0], i);

      if (factor < 0 || factor >= (gint64) self->n_factors)
        return g_strdup_printf ("expected one of the rule's %" G_GSIZE_FORMAT " factors, found number %"
                                G_GINT64_FORMAT, self->n_factors, factor);
      if (self->last_value[factor] == self->n_values)
        return g_strdup ("expected each factor once in a value, found one twice");
      if (n > 1 && ghlo_ir_sdy_integer (self->sizes, (gsize) factor) == 1)
        return g_strdup ("expected a factor of size 1 alone in its dimension, found it among others");
      self->last_value[factor] = self->n_values;
      self->in_results[factor] |= is_result;
    }

  return NULL;
}

static char *
value_problem (Rule             *self,
               const GhloIrAttr *attr,
               const GhloIrType *type,
               gboolean          is_result)
{
  g_auto (GhloSdyAttr) mapping;
  char *problem = NULL;
  gsize rank;

  if (!ghlo_ir_sdy_read (&mapping, self->module, attr, GHLO_SDY_TENSOR_MAPPING))
    return NULL;
  if (!ghlo_ir_type_has_static_shape (type))
    return g_strdup ("expected a tensor of static shape, found another type");
  rank = ghlo_sdy_field_n_attrs (&mapping.fields[0]);
  if (rank != type->rank)
    return g_strdup_printf ("expected factors of %u dimensions, found %" G_GSIZE_FORMAT, type->rank, rank);
  self->n_values++;
  for (gsize i = 0; problem == NULL && i < rank; i++)
    problem = dimension_problem (self, ghlo_ir_sdy_child (&mapping, 0, i), is_result);

  return problem;
}

static char *
values_problem (Rule              *self,
                const GhloIrOp    *op,
                const GhloSdyAttr *rule,
                gboolean           is_result)
{
  const guint field = is_result ? RESULTS : OPERANDS, n = is_result ? op->n_results : op->n_operands;
  const char *what = is_result ? "result" : "operand";
  const gsize n_found = ghlo_sdy_field_n_attrs (&rule->fields[field]);

  if (n_found != n || n == 0)
    return g_strdup_printf ("expected a rule for %u %ss, at least one, found one for %" G_GSIZE_FORMAT, n, what,
                            n_found);
  for (guint i = 0; i < n; i++)
    {
      const GhloIrType *type = is_result ? ghlo_ir_result_type (op, i) : ghlo_ir_operand_type (op, i);
      g_autofree char *problem = value_problem (self, ghlo_ir_sdy_child (rule, field, i), type, is_result);

      if (problem != NULL)
        return g_strdup_printf ("%s %u: %s", what, i, problem);
    }

  return NULL;
}

/* Checks a list of factors: in ascending order, each once. */
static char *
list_problem (const Rule         *self,
              const GhloSdyField *list)
{
  gint64 last = -1;

  for (gsize i = 0; i < ghlo_sdy_field_n_integers (list); i++)
    {
      const gint64 factor = ghlo_ir_sdy_integer (list, i);

      if (factor <= last || factor >= (gint64) self->n_factors)
        return g_strdup_printf ("expected factors of the rule in ascending order, found number %" G_GINT64_FORMAT,
                                factor);
      last = factor;
    }

  return NULL;
}

/* Checks the lists of special factors. A factor is in at most one of the first three. */
static char *
lists_problem (const Rule        *self,
               const GhloSdyAttr *rule)
{
  g_autofree gboolean *is_special = g_new0 (gboolean, self->n_factors + 1);
  char *problem = list_problem (self, &rule->fields[BLOCKED]);

  for (guint field = REDUCTION; problem == NULL && field <= PERMUTATION; field++)
    {
      problem = list_problem (self, &rule->fields[field]);
      for (gsize i = 0; problem == NULL && i < ghlo_sdy_field_n_integers (&rule->fields[field]); i++)
        {
          const gint64 factor = ghlo_ir_sdy_integer (&rule->fields[field], i);

          if (is_special[factor])
            problem = g_strdup ("expected a factor in one of the lists, found one in two");
          else if (field == REDUCTION && self->in_results[factor])
            problem = g_strdup ("expected a reduced factor in operands only, found one in a result");
          is_special[factor] = TRUE;
        }
    }

  return problem;
}

char *
ghlo_ir_rule_problem (GhloIrModule     *module,
                      const GhloIrOp   *op,
                      const GhloIrAttr *attr)
{
  g_autofree guint32 *last_value = NULL;
  g_autofree gboolean *in_results = NULL;
  g_auto (GhloSdyAttr) rule;
  Rule self = { .module = module };
  char *problem;

  if (!ghlo_ir_sdy_read (&rule, module, attr, GHLO_SDY_RULE))
    return g_strdup ("expected an attribute #sdy.op_sharding_rule");
  self.sizes = &rule.fields[SIZES];
  self.n_factors = ghlo_sdy_field_n_integers (self.sizes);
  self.last_value = last_value = g_new0 (guint32, self.n_factors + 1);
  in_results = g_new0 (gboolean, self.n_factors + 1);
  self.in_results = in_results;
  problem = values_problem (&self, op, &rule, FALSE);
  if (problem == NULL)
    problem = values_problem (&self, op, &rule, TRUE);
  for (gsize i = 0; problem == NULL && i < self.n_factors; i++)
    if (last_value[i] == 0)
      problem = g_strdup_printf ("expected each factor in an operand or a result, found number %" G_GSIZE_FORMAT
                                 " in none", i);

  return problem != NULL ? problem : lists_problem (&self, &rule);
}
