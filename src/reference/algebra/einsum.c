/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * einsum and unary_einsum: sums of products in Einstein notation, with repeated
 * labels (diagonals) and an ellipsis for leading dimensions.
 */

#include "reference/algebra/contract.h"
#include "reference/kernels.h"

#include <string.h>

#define FIRST_ELLIPSIS 256      /* labels of the ellipsis dimensions start here and count from the right */

typedef struct
{
  guint labels[GHLO_MAX_RANK];
  guint rank;
} Term;

static gboolean
term_has (const Term *self,
          guint       label)
{
  for (guint i = 0; i < self->rank; i++)
    if (self->labels[i] == label)
      return TRUE;
  return FALSE;
}

static gboolean
term_append (Term *self,
             guint label)
{
  if (self->rank == GHLO_MAX_RANK)
    return FALSE;
  self->labels[self->rank++] = label;
  return TRUE;
}

/* Parses a term up to one of @ends. @rank is the operand's rank, from which the number of ellipsis
 * dimensions follows; -1 takes that number from *ellipsis. */
static gboolean
parse_term (const char **text,
            const char  *ends,
            gint         rank,
            guint       *ellipsis,
            Term        *term)
{
  const char *end = *text + strcspn (*text, ends);
  guint letters = 0, dots;

  for (const char *p = *text; p < end; p++)
    letters += g_ascii_isalpha (*p);
  if (rank >= 0 && (guint) rank < letters)
    return FALSE;
  dots = rank >= 0 ? (guint) rank - letters : *ellipsis;
  for (const char *p = *text; p < end; p++)
    if (g_ascii_isalpha (*p))
      {
        if (!term_append (term, (guint) *p))
          return FALSE;
      }
    else if (g_str_has_prefix (p, "..."))
      {
        for (guint i = dots; i > 0; i--)
          if (!term_append (term, FIRST_ELLIPSIS + i - 1))
            return FALSE;
        *ellipsis = MAX (*ellipsis, dots);
        p += 2;
      }
    else if (*p != ' ')
      return FALSE;
  *text = end;
  return rank < 0 || term->rank == (guint) rank;
}

/* The result of a config without "->": the ellipsis dimensions, then the labels that appear exactly once, in
 * alphabetical order. */
static void
imply_output (const Term *terms,
              guint       n_terms,
              Term       *output)
{
  for (guint label = FIRST_ELLIPSIS + GHLO_MAX_RANK; label-- > 0;)
    {
      guint seen = 0;

      for (guint t = 0; t < n_terms; t++)
        for (guint i = 0; i < terms[t].rank; i++)
          seen += terms[t].labels[i] == label;
      if (label >= FIRST_ELLIPSIS && seen > 0)
        term_append (output, label);
    }
  for (guint label = 0; label < FIRST_ELLIPSIS; label++)
    {
      guint seen = 0;

      for (guint t = 0; t < n_terms; t++)
        for (guint i = 0; i < terms[t].rank; i++)
          seen += terms[t].labels[i] == label;
      if (seen == 1)
        term_append (output, label);
    }
}

static gboolean
parse_config (GhloRefCall *call,
              Term        *terms,
              guint        n_terms,
              Term        *output,
              GError     **error)
{
  const char *config = ghlo_ir_op_get_string (call->op, "einsum_config");
  const char *text = config;
  guint ellipsis = 0;

  if (text == NULL)
    return ghlo_ref_fail (call, error, "expected an einsum config");
  for (guint t = 0; t < n_terms; t++)
    {
      if (!parse_term (&text, ",-", (gint) ghlo_ref_rank (call->operands[t]), &ellipsis, &terms[t])
          || (t + 1 < n_terms && *text != ','))
        return ghlo_ref_fail (call, error, "expected a config that fits the operands, found \"%s\"", config);
      text += t + 1 < n_terms;
    }
  if (*text == '\0')
    {
      imply_output (terms, n_terms, output);
      return TRUE;
    }
  if (!g_str_has_prefix (text, "->"))
    return ghlo_ref_fail (call, error, "expected \"->\" after the operands in \"%s\"", config);
  text += 2;
  if (!parse_term (&text, "", -1, &ellipsis, output))
    return ghlo_ref_fail (call, error, "expected labels after \"->\" in \"%s\"", config);
  return TRUE;
}

/* The extent of @label and its stride in @value. The strides of a repeated label add up, so that it walks a
 * diagonal. An extent of 1 broadcasts. */
static gboolean
measure (GhloRefCall     *call,
         const Term      *term,
         const GhloValue *value,
         guint            label,
         gint64          *extent,
         gint64          *stride,
         GError         **error)
{
  gint64 strides[GHLO_MAX_RANK] = { 0 };

  *stride = 0;
  if (value->n_elements > 0)
    ghlo_ref_strides (ghlo_ref_dims (value), ghlo_ref_rank (value), strides);
  for (guint i = 0; i < term->rank; i++)
    {
      gint64 size = ghlo_ref_dims (value)[i];

      if (term->labels[i] != label)
        continue;
      if (*extent != 1 && size != 1 && size != *extent)
        return ghlo_ref_fail (call, error, "expected one size for each label, found %" G_GINT64_FORMAT
                              " and %" G_GINT64_FORMAT, *extent, size);
      *extent = size != 1 ? size : *extent;
      *stride += size != 1 ? strides[i] : 0;
    }
  return TRUE;
}

typedef struct
{
  Term               terms[2];
  Term               output;
  GhloRefContraction contraction;
  guint              labels[3][GHLO_MAX_RANK];    /* labels of the batch, left and right axes */
} Einsum;

/* Appends one label to the axes of its role. */
static gboolean
place_label (GhloRefCall     *call,
             Einsum          *self,
             const GhloValue *rhs,
             guint            label,
             GError         **error)
{
  GhloRefAxes *axes[] = { &self->contraction.batch, &self->contraction.left, &self->contraction.right };
  gboolean in_lhs = term_has (&self->terms[0], label);
  gboolean in_rhs = term_has (&self->terms[1], label);
  gint64 extent = 1, lhs_stride, rhs_stride;
  guint role = in_lhs && in_rhs ? 0 : in_lhs ? 1 : 2;

  if (!measure (call, &self->terms[0], call->operands[0], label, &extent, &lhs_stride, error)
      || !measure (call, &self->terms[1], rhs, label, &extent, &rhs_stride, error))
    return FALSE;
  if (!term_has (&self->output, label))
    {
      if (self->contraction.contracted.rank == GHLO_MAX_RANK)
        return ghlo_ref_fail (call, error, "expected at most %d summed labels", GHLO_MAX_RANK);
      ghlo_ref_axes_append (&self->contraction.contracted, extent, lhs_stride, rhs_stride);
      return TRUE;
    }
  self->labels[role][axes[role]->rank] = label;
  ghlo_ref_axes_append (axes[role], extent, lhs_stride, rhs_stride);
  return TRUE;
}

/* Creates the result in the output's shape and sets the axes' strides in it. */
static GhloValue *
make_result (GhloRefCall *call,
             Einsum      *self,
             GError     **error)
{
  GhloRefAxes *axes[] = { &self->contraction.batch, &self->contraction.left, &self->contraction.right };
  gint64 dimensions[GHLO_MAX_RANK] = { 0 }, strides[GHLO_MAX_RANK];
  gint64 *to[GHLO_MAX_RANK] = { NULL };
  GhloValue *result;

  for (guint o = 0; o < self->output.rank; o++)
    for (guint a = 0; a < G_N_ELEMENTS (axes); a++)
      for (guint i = 0; i < axes[a]->rank; i++)
        if (self->labels[a][i] == self->output.labels[o])
          {
            dimensions[o] = axes[a]->dimensions[i];
            to[o] = &axes[a]->result[i];
          }
  for (guint o = 0; o < self->output.rank; o++)
    if (to[o] == NULL)
      {
        ghlo_ref_fail (call, error, "expected every label of the result among those of the operands");
        return NULL;
      }
  result = ghlo_ref_result (call, 0, dimensions, self->output.rank, error);
  if (result == NULL || result->n_elements == 0)
    return result;
  ghlo_ref_strides (dimensions, self->output.rank, strides);
  for (guint o = 0; o < self->output.rank; o++)
    *to[o] += strides[o];
  return result;
}

/* @rhs is the second operand, or a scalar in its place. */
static gboolean
einsum (GhloRefCall     *call,
        guint            n_terms,
        const GhloValue *rhs,
        GError         **error)
{
  g_autofree Einsum *self = g_new0 (Einsum, 1);
  GhloValue *result;

  if (!parse_config (call, self->terms, n_terms, &self->output, error))
    return FALSE;
  for (guint t = 0; t < 2; t++)
    for (guint i = 0; i < self->terms[t].rank; i++)
      {
        guint label = self->terms[t].labels[i];
        gboolean seen = t == 1 && term_has (&self->terms[0], label);

        for (guint k = 0; k < i; k++)
          seen |= self->terms[t].labels[k] == label;
        if (!seen && !place_label (call, self, rhs, label, error))
          return FALSE;
      }
  result = make_result (call, self, error);
  if (result == NULL || result->n_elements == 0)
    return result != NULL;
  return ghlo_ref_contract_values (call, &self->contraction, call->operands[0], rhs, result, error);
}

gboolean
ghlo_ref_einsum (GhloRefCall *call,
                 GError     **error)
{
  return einsum (call, 2, call->operands[1], error);
}

gboolean
ghlo_ref_unary_einsum (GhloRefCall *call,
                       GError     **error)
{
  GhloElementType element_type = call->operands[0]->type->element_type;
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (element_type, NULL, 0);
  g_autoptr (GhloValue) one = ghlo_value_new_tensor (type, error);
  GhloScalar scalar = { .i = 1 };

  if (one == NULL)
    return FALSE;
  if (ghlo_element_type_is_float (element_type))
    scalar.f = 1;
  else if (ghlo_element_type_is_complex (element_type))
    scalar = (GhloScalar) { .c = { 1, 0 } };
  ghlo_ref_store (one, 0, scalar);
  return einsum (call, 1, one, error);
}
