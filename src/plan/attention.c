/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Derives the roles of dimensions from a fusion's body. Scores, logits and weights have the same dimensions in the same
 * order, except for those of size 1, so a dimension is identified by its index among the others.
 */

#include "plan/attention.h"

#include <string.h>

#include "base/sizes.h"

/* Sizes */

static GhloElementType
type_of (const GhloIrOp *op,
         guint           operand)
{
  return ghlo_ir_op_operand (op, operand)->type->element_type;
}

/* Returns the product of the sizes of the dimensions @numbers. */
static gint64
count (const GhloIrType *type,
       const gint64     *numbers,
       gsize             n)
{
  gint64 product = 1;

  for (gsize i = 0; i < n; i++)
    product *= type->dimensions[numbers[i]];

  return product;
}

static gint64
count_all (const GhloIrType *type)
{
  gint64 product = 1;

  for (guint i = 0; i < type->rank; i++)
    product *= type->dimensions[i];

  return product;
}

/* Returns the product of the sizes of lhs's dimensions that @field of a dot_general names. */
static gint64
count_named (const GhloIrOp *op,
             const char     *field)
{
  const gint64 *numbers;
  gsize n;

  numbers = ghlo_ir_struct_get_dims (ghlo_ir_op_get (op, "dot_dimension_numbers"), field, &n);

  return count (ghlo_ir_op_operand (op, 0)->type, numbers, n);
}

static gint64
count_features (const GhloIrOp *op)
{
  const GhloIrType *lhs = ghlo_ir_op_operand (op, 0)->type;

  return op->kind == GHLO_OP_STABLEHLO_DOT_GENERAL ? count_named (op, "lhs_contracting_dimensions")
                                                   : lhs->dimensions[lhs->rank - 1];
}

static gint64
count_batches (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_STABLEHLO_DOT_GENERAL ? count_named (op, "lhs_batching_dimensions") : 1;
}

/* Whether all intermediate results have at least the precision of all operands. Steps do not round to fewer bits,
 * which would show in a result with more bits. */
static gboolean
is_exact (const GhloIrAttention *attention)
{
  const guint least = MAX (ghlo_element_info (type_of (attention->scores, 0))->mantissa_bits,
                           ghlo_element_info (type_of (attention->last, 0))->mantissa_bits);

  for (guint i = 0; i < attention->n_ops; i++)
    {
      const GhloElementType type = attention->ops[i]->results[0].type->element_type;

      if (attention->ops[i] != attention->last && ghlo_element_type_is_float (type)
          && ghlo_element_info (type)->mantissa_bits < least)
        return FALSE;
    }

  return TRUE;
}

/* Steps compute in f32, or in f64 where everything is f64. */
static gboolean
is_type (GhloElementType type,
         GhloElementType operand)
{
  if (operand == GHLO_ELEMENT_TYPE_F64)
    return type == operand;

  return type == GHLO_ELEMENT_TYPE_F32 || type == GHLO_ELEMENT_TYPE_BF16 || type == GHLO_ELEMENT_TYPE_F16;
}

static const char *
check_types (const GhloIrAttention *attention)
{
  const GhloElementType type = type_of (attention->scores, 0);

  if (!is_type (type, type) || !is_type (type_of (attention->last, 0), type)
      || type_of (attention->scores, 1) != type || type_of (attention->last, 1) != type_of (attention->last, 0))
    return "its operands are not of supported types, or differ in them";
  if (!is_type (attention->scores->results[0].type->element_type, type)
      || !is_type (attention->logits->type->element_type, type)
      || !is_type (attention->last->results[0].type->element_type, type))
    return "its scores or results are of unsupported types";
  if (!is_exact (attention))
    return "it rounds intermediate results to fewer bits than its operands have";
  if (ghlo_ir_op_get (attention->scores, "algorithm") != NULL || ghlo_ir_op_get (attention->last, "algorithm") != NULL)
    return "one of its products names a dot algorithm";

  return NULL;
}

/* Rows and batches are those of the first product, whose batches may be further rows of the same keys. */
const char *
ghlo_attention_find_sizes (const GhloIrAttention *attention,
                           GhloAttentionSizes    *sizes)
{
  const GhloIrType *logits = ghlo_ir_op_operand (attention->maximum, 0)->type;
  const gint64 n_scores = count_all (attention->scores->results[0].type);
  const char *reason = check_types (attention);
  gsize n;
  g_autofree gint64 *reduced = ghlo_ir_op_dup_ints (attention->maximum, "dimensions", &n);

  if (reason != NULL)
    return reason;
  *sizes = (GhloAttentionSizes) {
    .type = type_of (attention->scores, 0), .value_type = type_of (attention->last, 0),
    .length = count (logits, reduced, n),
    .features = count_features (attention->scores), .batches = count_batches (attention->scores),
  };
  if (n_scores == 0 || sizes->features == 0 || count_all (attention->last->results[0].type) == 0)
    return "it has no elements";
  sizes->rows = n_scores / sizes->length / sizes->batches;
  sizes->columns = count_all (attention->last->results[0].type) / (n_scores / sizes->length);

  return MAX (sizes->rows, sizes->length) > G_MAXINT32 ? "it has too many rows" : NULL;
}

/* Steps */

/* A dimension of a product: its number in lhs, rhs and the result, or -1 where it is not there. */
typedef struct
{
  gint lhs, rhs, result;
} Triple;

/* The dimensions of a product: those of its result in order, then the contracted ones. */
typedef struct
{
  guint  n_results, n;
  Triple triples[2 * GHLO_MAX_RANK];
} Triples;

static void
add_pairs (Triples      *self,
           const gint64 *lhs,
           const gint64 *rhs,
           gsize         n,
           gboolean      is_result)
{
  for (gsize i = 0; i < n; i++)
    {
      self->triples[self->n++] = (Triple) { (gint) lhs[i], (gint) rhs[i], is_result ? (gint) self->n_results : -1 };
      self->n_results += is_result ? 1 : 0;
    }
}

static void
read_triples (Triples        *self,
              const GhloIrOp *op)
{
  static const char *const batch_fields[] = { "lhs_batching_dimensions", "rhs_batching_dimensions" };
  static const char *const inner_fields[] = { "lhs_contracting_dimensions", "rhs_contracting_dimensions" };
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dot_dimension_numbers");
  const gint64 last = (gint64) ghlo_ir_op_operand (op, 0)->type->rank - 1, first = 0;
  const gint64 *batch[2] = { NULL, NULL }, *inner[2] = { &last, &first };
  gsize n_batch = 0, n_inner = 1;

  *self = (Triples) { 0 };
  for (guint i = 0; i < 2 && op->kind == GHLO_OP_STABLEHLO_DOT_GENERAL; i++)
    {
      batch[i] = ghlo_ir_struct_get_dims (numbers, batch_fields[i], &n_batch);
      inner[i] = ghlo_ir_struct_get_dims (numbers, inner_fields[i], &n_inner);
    }
  add_pairs (self, batch[0], batch[1], n_batch, TRUE);
  for (guint i = 0; i < 2; i++)
    for (guint d = 0; d < ghlo_ir_op_operand (op, i)->type->rank; d++)
      if (!ghlo_dims_contain (batch[i], n_batch, d) && !ghlo_dims_contain (inner[i], n_inner, d))
        self->triples[self->n++] = (Triple) { i == 0 ? (gint) d : -1, i == 0 ? -1 : (gint) d,
                                              (gint) self->n_results++ };
  add_pairs (self, inner[0], inner[1], n_inner, FALSE);
}

static gint64
stride_of (const GhloView *view,
           gint            dimension)
{
  return dimension >= 0 ? view->strides[dimension] : 0;
}

/* What both products say of a dimension of the scores. */
typedef struct
{
  const Triple *scores;                 /* in the first product */
  const Triple *weights;                /* in the second product */
  gint64        size;
  gboolean      is_reduced;
} Pair;

/* Finds the dimensions of the scores except those of size 1. Returns their number, or 0 where the two products do
 * not agree. */
static guint
find_pairs (const GhloIrAttention *attention,
            const Triples         *first,
            const Triples         *second,
            Pair                  *pairs)
{
  const GhloIrType *scores = attention->scores->results[0].type;
  const GhloIrType *logits = ghlo_ir_op_operand (attention->maximum, 0)->type;
  const GhloIrType *weights = ghlo_ir_op_operand (attention->last, attention->weights)->type;
  gsize n_reduced;
  g_autofree gint64 *reduced = ghlo_ir_op_dup_ints (attention->maximum, "dimensions", &n_reduced);
  guint i = ghlo_ir_attention_next (scores, 0), j = ghlo_ir_attention_next (logits, 0);
  guint k = ghlo_ir_attention_next (weights, 0), n = 0;

  for (; i < scores->rank && j < logits->rank && k < weights->rank; n++)
    {
      pairs[n] = (Pair) { .scores = &first->triples[i], .size = scores->dimensions[i],
                          .is_reduced = ghlo_dims_contain (reduced, n_reduced, j) };
      for (guint t = 0; t < second->n; t++)
        if ((attention->weights == 0 ? second->triples[t].lhs : second->triples[t].rhs) == (gint) k)
          pairs[n].weights = &second->triples[t];
      if (pairs[n].weights == NULL || weights->dimensions[k] != pairs[n].size)
        return 0;
      i = ghlo_ir_attention_next (scores, i + 1);
      j = ghlo_ir_attention_next (logits, j + 1);
      k = ghlo_ir_attention_next (weights, k + 1);
    }

  return i == scores->rank && j == logits->rank && k == weights->rank ? n : 0;
}

static void
add (GhloStepAttention                *self,
     const GhloStepAttentionDimension *dimension)
{
  if (dimension->size != 1)
    self->dimensions[self->n_dimensions++] = *dimension;
}

/* Adds a dimension of the scores; @keys is the index of the first product's operand that is the keys. */
static const char *
add_pair (GhloStepAttention     *self,
          const GhloStepRequest *request,
          const Pair            *pair,
          guint                  keys,
          gint64                 stride)
{
  const GhloView *views[GHLO_ATTENTION_RESULT];
  const gint query = keys == 0 ? pair->scores->rhs : pair->scores->lhs;
  const gint key = keys == 0 ? pair->scores->lhs : pair->scores->rhs;
  const gint value = self->attention.weights == 0 ? pair->weights->rhs : pair->weights->lhs;
  GhloStepAttentionDimension dimension = { .size = pair->size, .strides[GHLO_ATTENTION_SCORES] = stride };

  for (guint i = 0; i < GHLO_ATTENTION_RESULT; i++)
    views[i] = &request->operands[self->operands[i]];
  dimension.strides[GHLO_ATTENTION_QUERIES] = stride_of (views[GHLO_ATTENTION_QUERIES], query);
  dimension.strides[GHLO_ATTENTION_KEYS] = stride_of (views[GHLO_ATTENTION_KEYS], key);
  dimension.strides[GHLO_ATTENTION_VALUES] = stride_of (views[GHLO_ATTENTION_VALUES], value);
  dimension.strides[GHLO_ATTENTION_RESULT] = stride_of (&request->results[0], pair->weights->result);
  if (pair->is_reduced != (pair->weights->result < 0))
    return "its softmax is over other dimensions than those that its second product contracts";
  if (pair->is_reduced && query >= 0)
    return "its softmax is over dimensions of the queries";
  dimension.role = pair->is_reduced ? GHLO_ATTENTION_LENGTH
                   : dimension.strides[GHLO_ATTENTION_KEYS] != 0 || dimension.strides[GHLO_ATTENTION_VALUES] != 0
                   ? GHLO_ATTENTION_BATCH : GHLO_ATTENTION_ROWS;
  add (self, &dimension);

  return NULL;
}

/* Adds the dimensions that the scores do not have. */
static void
add_others (GhloStepAttention     *self,
            const GhloStepRequest *request,
            const Triples         *first,
            const Triples         *second,
            guint                  keys)
{
  const GhloView *queries = &request->operands[self->operands[GHLO_ATTENTION_QUERIES]];
  const GhloView *others = &request->operands[self->operands[GHLO_ATTENTION_KEYS]];
  const GhloView *values = &request->operands[self->operands[GHLO_ATTENTION_VALUES]];

  for (guint t = first->n_results; t < first->n; t++)
    {
      const Triple *triple = &first->triples[t];
      const gint query = keys == 0 ? triple->rhs : triple->lhs, key = keys == 0 ? triple->lhs : triple->rhs;

      add (self, &(GhloStepAttentionDimension) {
        .role = GHLO_ATTENTION_FEATURES, .size = queries->dimensions[query],
        .strides = { [GHLO_ATTENTION_QUERIES] = queries->strides[query], [GHLO_ATTENTION_KEYS] = others->strides[key] },
      });
    }
  for (guint t = 0; t < second->n_results; t++)
    {
      const Triple *triple = &second->triples[t];
      const gint value = self->attention.weights == 0 ? triple->rhs : triple->lhs;

      if ((self->attention.weights == 0 ? triple->lhs : triple->rhs) < 0)
        add (self, &(GhloStepAttentionDimension) {
          .role = GHLO_ATTENTION_COLUMNS, .size = values->dimensions[value],
          .strides = { [GHLO_ATTENTION_VALUES] = values->strides[value],
                       [GHLO_ATTENTION_RESULT] = request->results[0].strides[triple->result] },
        });
    }
}

static const char *
read_dimensions (GhloStepAttention     *self,
                 const GhloStepRequest *request)
{
  const GhloIrAttention *attention = &self->attention;
  const gint64 size = ghlo_element_info (attention->scores->results[0].type->element_type)->size;
  Triples first, second;
  Pair pairs[GHLO_MAX_RANK];
  guint n, keys = 1, number;
  gint64 stride = size;
  const char *reason = NULL;

  read_triples (&first, attention->scores);
  read_triples (&second, attention->last);
  n = find_pairs (attention, &first, &second, pairs);
  /* The keys are the operand that has all dimensions of the softmax. */
  for (guint i = 0; i < n; i++)
    if (pairs[i].is_reduced && pairs[i].scores->rhs < 0)
      keys = 0;
  for (guint i = 0; i < GHLO_ATTENTION_RESULT; i++)
    {
      const GhloIrOp *op = i == GHLO_ATTENTION_VALUES ? attention->last : attention->scores;

      number = i == GHLO_ATTENTION_VALUES ? 1 - attention->weights : i == GHLO_ATTENTION_KEYS ? keys : 1 - keys;
      self->operands[i] = ghlo_step_request_find_operand (request, ghlo_ir_op_operand (op, number));
      if (self->operands[i] == request->n_operands)
        return "an operand of its products is not an input of the group";
    }
  if (n == 0)
    return "the dimensions of its two products do not match";
  for (guint i = n; i-- > 0;)
    {
      const gint64 own = stride;

      stride *= pairs[i].size;
      reason = reason != NULL ? reason : add_pair (self, request, &pairs[i], keys, own);
    }
  if (reason != NULL)
    return reason;
  /* Reverses the dimensions, so that the outermost come first. */
  for (guint i = 0; i < self->n_dimensions / 2; i++)
    {
      GhloStepAttentionDimension first = self->dimensions[i];

      self->dimensions[i] = self->dimensions[self->n_dimensions - 1 - i];
      self->dimensions[self->n_dimensions - 1 - i] = first;
    }
  add_others (self, request, &first, &second, keys);

  return NULL;
}

/* The kernel's buffers are the scores, the request's operands, and @output, which has an element for each score. */
static const char *
lower (const GhloStepAttention *self,
       const GhloStepRequest   *request,
       const GhloIrValue       *output,
       GhloStepEpilogue        *kernel)
{
  gint64 strides[2][GHLO_MAX_RANK];
  g_autofree GhloView *operands = g_new (GhloView, request->n_operands + 1);
  const GhloView result = ghlo_step_dense_view (output->type, strides[1]);
  const GhloKernelGroup group = {
    .body = request->body, .input_op = self->attention.scores, .output_value = output,
    .n_operands = request->n_operands + 1, .n_results = 1, .operands = operands, .results = &result,
  };
  const char *reason = NULL;

  operands[0] = ghlo_step_dense_view (self->attention.scores->results[0].type, strides[0]);
  for (guint i = 0; i < request->n_operands; i++)
    operands[i + 1] = request->operands[i];
  kernel->n_operands = request->n_operands;
  kernel->product_result = GHLO_STEP_NONE;
  ghlo_kernel_lower (&group, &kernel->lowered, &reason);

  return reason;
}

const char *
ghlo_step_attention_init (GhloStepAttention     *self,
                          const GhloStepRequest *request)
{
  const GhloIrOp *last = request->body->last->n_operands == 1 ? ghlo_ir_op_operand (request->body->last, 0)->op : NULL;
  const char *reason;

  *self = (GhloStepAttention) { 0 };
  if (last == NULL || last->block != request->body || request->n_results != 1
      || request->n_operands + 2 > GHLO_KERNEL_MAX_BUFFERS)
    return "it does not have the form of attention";
  reason = ghlo_ir_attention_match (&self->attention, last);
  if (reason == NULL)
    reason = read_dimensions (self, request);
  if (reason != NULL)
    return reason;
  self->has_kernel = self->attention.logits != &self->attention.scores->results[0];

  return self->has_kernel ? lower (self, request, self->attention.logits, &self->logits) : NULL;
}

static gboolean
widens (const GhloIrOp *op)
{
  const GhloElementInfo *to = ghlo_element_info (op->results[0].type->element_type);
  const GhloElementInfo *from = ghlo_element_info (ghlo_ir_op_operand (op, 0)->type->element_type);

  return op->kind == GHLO_OP_STABLEHLO_CONVERT && from->element_class == GHLO_ELEMENT_CLASS_FLOAT
         && to->mantissa_bits >= from->mantissa_bits && to->exponent_bits >= from->exponent_bits;
}

/* Returns the selection whose result is the logits, perhaps in another type; NULL: there is none. */
static const GhloIrOp *
find_selection (const GhloStepAttention *self)
{
  const GhloIrOp *op = self->attention.logits->op;

  while (op != self->attention.scores && widens (op))
    op = ghlo_ir_op_operand (op, 0)->op;

  return op->kind == GHLO_OP_STABLEHLO_SELECT ? op : NULL;
}

static gboolean
reads_scores (const GhloKernel *kernel)
{
  for (guint i = 0; i < kernel->n_accesses; i++)
    if (kernel->accesses[i].buffer == 0)
      return TRUE;

  return FALSE;
}

gboolean
ghlo_step_attention_find_mask (const GhloStepAttention *self,
                               const GhloStepRequest   *request,
                               GhloStepAttentionMask   *mask)
{
  const GhloIrOp *op = find_selection (self);
  const GhloIrAttr *excluded = NULL;

  if (op == NULL || ghlo_ir_op_operand (op, 0)->type->rank != op->results[0].type->rank)
    return FALSE;
  for (guint i = 1; i <= 2 && excluded == NULL; i++)
    {
      excluded = ghlo_ir_constant_get_splat (ghlo_ir_op_operand (op, i));
      mask->keeps = i == 2;
    }
  if (excluded == NULL || lower (self, request, ghlo_ir_op_operand (op, 0), &mask->kernel) != NULL)
    return FALSE;
  mask->number = ghlo_ir_dense_get (excluded, 0).f;

  return !reads_scores (mask->kernel.lowered.kernel);
}

void
ghlo_step_attention_mask_clear (GhloStepAttentionMask *mask)
{
  ghlo_step_epilogue_clear (&mask->kernel);
}

void
ghlo_step_attention_clear (GhloStepAttention *self)
{
  ghlo_step_epilogue_clear (&self->logits);
}
