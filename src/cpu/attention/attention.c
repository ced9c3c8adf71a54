/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prepares attention: merges the dimensions of each role into one axis, chooses how products are computed, and cuts
 * rows and keys into blocks.
 */

#include "cpu/attention/attention.h"

#include "base/sizes.h"
#include "cpu/gemm/dot-general.h"
#include "cpu/gemm/gemm-private.h"
#include "kernel/lower.h"
#include "runtime/parallel.h"

#include <float.h>

enum
{
  /* Scores of a block, which stay in the L2 cache; rows, which share what is packed for them; and keys, along which
   * rows of scores are computed. Blocks have fewer rows where that makes enough tasks. */
  MOST_SCORES = 65536, MOST_ROWS = 256, LEAST_ROWS = 48, MOST_KEYS = 256, LEAST_KEYS = 32,
  /* Numbers of a block's keys and values. */
  MOST_PACKED = 65536,
  /* Rows up to which reading keys and values in place, for GHLO_CPU_MAX_VECTORS rows at a time, is faster than packing
   * them. */
  MOST_VECTORS = 2 * GHLO_CPU_MAX_VECTORS,
  /* The most bytes of keys and values that are packed ahead. */
  MOST_AHEAD = 1 << 26,
  /* The largest head, for which a block of the least keys is small enough. */
  MOST_FEATURES = 1024,
};

/* The least attention that is faster as one step: keys, and scores of all heads; for rows that are vectors, keys and
 * multiply-adds. For up to GHLO_CPU_MAX_VECTORS rows: the most heads, and the least keys. */
enum { LEAST_LENGTH = 256, LEAST_SCORES = 1 << 18, LEAST_VECTOR_LENGTH = 2048, FEW_HEADS = 2, LONG = 8192 };
#define LEAST_VECTOR_STEPS 0x1p24
/* The most scores of all heads that are stored where a library's products are faster. */
#define MOST_STORED 0x1p26

/* Approximate nanoseconds for the softmax of one score besides the kernel, and bytes per second of keys and values that
 * are read in place. */
#define SCORE_TIME 1.0
#define READ_RATE  12e9

/* Obstacles */

/* Whether the keys are the innermost dimensions of the logits, as a kernel along a row of them requires. */
static gboolean
has_inner_keys (const GhloIrAttention *attention)
{
  const GhloIrType *logits = ghlo_ir_op_operand (attention->maximum, 0)->type;
  gsize n;
  g_autofree gint64 *reduced = ghlo_ir_op_dup_ints (attention->maximum, "dimensions", &n);
  gboolean has_other = FALSE;

  for (guint i = logits->rank; i > 0; i--)
    if (!ghlo_dims_contain (reduced, n, i - 1))
      has_other |= logits->dimensions[i - 1] != 1;
    else if (has_other && logits->dimensions[i - 1] != 1)
      return FALSE;

  return TRUE;
}

static const char *
check_sizes (const GhloIrAttention *attention)
{
  GhloAttentionSizes sizes;
  const char *reason = ghlo_attention_find_sizes (attention, &sizes);

  if (reason != NULL)
    return reason;
  if (MAX (sizes.features, sizes.columns) > MOST_FEATURES)
    return "its heads have too many features";

  return attention->logits != &attention->scores->results[0] && !has_inner_keys (attention)
         ? "the keys are not the innermost dimension of its logits" : NULL;
}

/* Whether separate steps are as fast: their scores stay in a cache, or are few next to the keys and values that all
 * steps read. They have no loop for five vectors and more, and do not divide a sum over keys among threads. */
static gboolean
is_small (const GhloIrAttention *attention)
{
  GhloAttentionSizes sizes;
  double n_steps;

  if (ghlo_attention_find_sizes (attention, &sizes) != NULL)
    return TRUE;
  n_steps = (double) sizes.batches * (double) sizes.rows * (double) sizes.length
            * (double) (sizes.features + sizes.columns);
  if (sizes.rows <= GHLO_CPU_MAX_VECTORS)
    return sizes.batches > FEW_HEADS || sizes.length < LONG;
  if (sizes.rows <= MOST_VECTORS)
    return sizes.length < LEAST_VECTOR_LENGTH || n_steps < LEAST_VECTOR_STEPS;

  return sizes.length < LEAST_LENGTH || sizes.batches * sizes.rows < LEAST_SCORES / sizes.length;
}

/* Whether tiles multiply pairs. */
static gboolean
is_paired (GhloElementType type)
{
  return type == GHLO_ELEMENT_TYPE_BF16 && ghlo_cpu_routines ()->bf16_row_tiles != NULL;
}

/* How fast tiles multiply, relative to f32. */
static double
get_speed (GhloElementType type)
{
  return type == GHLO_ELEMENT_TYPE_F64 ? 0.5 : is_paired (type) ? 2 : 1;
}

/* Whether a library has units for matrices of this type, which leave the tiles of this step behind; not for so many
 * scores that memory counts more. */
static gboolean
has_faster_products (const GhloIrAttention *attention)
{
  g_autofree GhloCpuGemmProblem *problem = g_new (GhloCpuGemmProblem, 1);
  g_autoptr (GhloCpuGemm) gemm = NULL;
  GhloAttentionSizes sizes;
  double n_scores;

  if (ghlo_attention_find_sizes (attention, &sizes) != NULL || !ghlo_cpu_dot_read_dense (problem, attention->scores))
    return FALSE;
  gemm = ghlo_cpu_gemm_choose (problem, NULL);
  n_scores = (double) sizes.batches * (double) sizes.rows * (double) sizes.length;

  return gemm != NULL && n_scores < MOST_STORED
         && ghlo_cpu_gemm_nanoseconds (gemm) * ghlo_cpu_rate () * get_speed (sizes.type)
            < n_scores * (double) sizes.features * 1e9;
}

static const char *
find_obstacle (GhloIrAttention       *attention,
               const GhloIrOp *const *ops,
               guint                  n_ops)
{
  const char *reason = ghlo_ir_attention_match (attention, ops[n_ops - 1]);

  if (reason == NULL)
    reason = check_sizes (attention);
  for (guint i = 0; i < n_ops && reason == NULL; i++)
    if (ops[i] != attention->scores && ops[i] != attention->last)
      reason = ghlo_kernel_obstacle (ops[i]);

  return reason;
}

const char *
ghlo_cpu_attention_obstacle (const GhloIrOp *const *ops,
                             guint                  n_ops)
{
  GhloIrAttention attention;

  return find_obstacle (&attention, ops, n_ops);
}

const char *
ghlo_cpu_attention_declines (const GhloIrOp *const *ops,
                             guint                  n_ops)
{
  GhloIrAttention attention;
  const char *reason = find_obstacle (&attention, ops, n_ops);

  return reason == NULL && (is_small (&attention) || has_faster_products (&attention)) ? "separate steps are as fast"
                                                                                        : reason;
}

/* Reading */

static void
merge_dimensions (GhloCpuAttention *self,
                  guint             role)
{
  gint64 sizes[4 * GHLO_MAX_RANK], strides[4 * GHLO_MAX_RANK];
  guint n = 0;

  self->counts[role] = 1;
  for (guint i = 0; i < self->step.n_dimensions; i++)
    if (self->step.dimensions[i].role == role)
      {
        sizes[n++] = self->step.dimensions[i].size;
        self->counts[role] *= self->step.dimensions[i].size;
      }
  for (guint tensor = 0; tensor < GHLO_ATTENTION_N_TENSORS; tensor++)
    {
      n = 0;
      for (guint i = 0; i < self->step.n_dimensions; i++)
        if (self->step.dimensions[i].role == role)
          strides[n++] = self->step.dimensions[i].strides[tensor];
      ghlo_cpu_axis_init (&self->axes[role][tensor], sizes, strides, n);
    }
}

static void
set_types (GhloCpuAttention *self)
{
  const GhloIrAttention *attention = &self->step.attention;
  const GhloElementType type = ghlo_ir_op_operand (attention->scores, 0)->type->element_type;
  const GhloElementType value_type = ghlo_ir_op_operand (attention->last, 0)->type->element_type;

  self->arithmetic = type == GHLO_ELEMENT_TYPE_F64 ? GHLO_CPU_F64 : GHLO_CPU_F32;
  self->number = type == GHLO_ELEMENT_TYPE_F64 ? GHLO_CPU_NUMBER_F64 : GHLO_CPU_NUMBER_F32;
  self->number_size = (gint64) ghlo_cpu_arithmetic_size (self->arithmetic);
  self->key.is_paired = is_paired (type);
  self->value.is_paired = is_paired (value_type);
  ghlo_cpu_reader_init (&self->query_reader, type, self->arithmetic);
  ghlo_cpu_reader_init (&self->key.reader, type, self->arithmetic);
  ghlo_cpu_reader_init (&self->value.reader, value_type, self->arithmetic);
  ghlo_cpu_reader_init (&self->logit_reader, attention->logits->type->element_type, self->arithmetic);
  ghlo_cpu_writer_init (&self->score_writer, attention->scores->results[0].type->element_type, self->arithmetic);
  ghlo_cpu_writer_init (&self->result_writer, attention->last->results[0].type->element_type, self->arithmetic);
}

/* Whether @op computes in f32 the number that it is given, times a factor that *@scale is multiplied with. */
static gboolean
read_scale (const GhloIrOp  *op,
            double          *scale)
{
  const GhloIrAttr *factor = NULL;
  double number;

  if (op->results[0].type->element_type != GHLO_ELEMENT_TYPE_F32
      || ghlo_ir_op_operand (op, 0)->type->element_type != GHLO_ELEMENT_TYPE_F32)
    return FALSE;
  if (op->kind == GHLO_OP_STABLEHLO_RESHAPE)
    return TRUE;
  if (op->kind == GHLO_OP_STABLEHLO_MULTIPLY || op->kind == GHLO_OP_STABLEHLO_DIVIDE)
    factor = ghlo_ir_constant_get_splat (ghlo_ir_op_operand (op, 1));
  if (factor == NULL || *scale != 1)
    return FALSE;
  number = ghlo_ir_dense_get (factor, 0).f;
  *scale = op->kind == GHLO_OP_STABLEHLO_MULTIPLY ? number : 1 / number;

  return *scale >= FLT_MIN && *scale <= FLT_MAX;
}

/* Drops the kernel where logits are only the scores times a positive factor, which takes no pass of its own. */
static void
find_scale (GhloCpuAttention *self)
{
  const GhloIrAttention *attention = &self->step.attention;
  double scale = 1;

  self->scale = 1;
  if (!self->step.has_kernel || self->number != GHLO_CPU_NUMBER_F32)
    return;
  for (const GhloIrOp *op = attention->logits->op; op != attention->scores; op = ghlo_ir_op_operand (op, 0)->op)
    if (!read_scale (op, &scale))
      return;
  self->scale = (float) scale;
  self->step.has_kernel = FALSE;
  ghlo_step_epilogue_clear (&self->step.logits);
}

static const char *
init_kernel (GhloCpuAttention *self)
{
  const GhloCpuAxis *keys = &self->axes[GHLO_ATTENTION_LENGTH][GHLO_ATTENTION_SCORES];
  const char *reason;

  if (!self->step.has_kernel)
    return NULL;
  if (keys->count > 1 && (!ghlo_cpu_axis_is_uniform (keys) || keys->stride != self->score_writer.size))
    return "the keys are not the innermost dimension of its logits";
  reason = ghlo_cpu_kernel_init (&self->kernel, self->step.logits.lowered.kernel, TRUE);
  self->is_in_place = self->score_writer.type == self->logit_reader.type
                      && ghlo_lowered_kernel_in_place (&self->step.logits.lowered, 0) != GHLO_STEP_NONE;

  return reason;
}

/* Where all keys of a block may be masked, and products are worth more than a look at the mask and the values. */
static void
init_mask (GhloCpuAttention      *self,
           const GhloStepRequest *request)
{
  self->has_mask = self->step.has_kernel && self->counts[GHLO_ATTENTION_ROWS] >= LEAST_ROWS
                   && ghlo_step_attention_find_mask (&self->step, request, &self->mask)
                   && ghlo_cpu_kernel_init (&self->mask_kernel, self->mask.kernel.lowered.kernel, TRUE) == NULL;
}

/* Planning */

/* Finds how vectors are multiplied with a tensor whose elements are adjacent along @k or along @outer. */
static gboolean
find_vectors (GhloCpuAttention       *self,
              guint                   tensor,
              guint                   outer_role,
              guint                   k_role,
              GhloCpuAttentionFactor *factor)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  const GhloCpuAxis *outer = &self->axes[outer_role][tensor], *k = &self->axes[k_role][tensor];
  GhloCpuVector kind;

  if (!ghlo_cpu_find_vector (factor->reader.type, self->arithmetic, &kind)
      || !ghlo_cpu_axis_is_uniform (outer) || !ghlo_cpu_axis_is_uniform (k))
    return FALSE;
  factor->multiply = k->stride == factor->reader.size ? routines->dot[kind] : routines->add[kind];
  factor->stride = k->stride == factor->reader.size ? outer->stride : k->stride;

  return k->stride == factor->reader.size || outer->stride == factor->reader.size;
}

/* Whether the rows of a block can follow each other in scratch as they do among all scores, so that the kernel runs
 * once on all of them. */
static gboolean
has_compact_rows (const GhloCpuAttention *self)
{
  const GhloCpuAxis *rows = &self->axes[GHLO_ATTENTION_ROWS][GHLO_ATTENTION_SCORES];
  const gint64 length = self->counts[GHLO_ATTENTION_LENGTH];

  return !self->has_vectors && self->keys == length && self->is_in_place && self->score_writer.same
         && ghlo_cpu_axis_is_uniform (rows) && rows->stride == length * self->score_writer.size;
}

/* Pairs of bf16 are packed like those of integers of as many bits. */
static void
init_tiles (GhloCpuAttention       *self,
            guint                   tensor,
            guint                   outer_role,
            guint                   k_role,
            GhloCpuAttentionFactor *factor)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  const guint width = routines->tiles[self->arithmetic].columns;

  factor->tiles = factor->is_paired ? routines->bf16_row_tiles : routines->row_tiles[self->arithmetic];
  ghlo_cpu_packer_init (&factor->packer, factor->is_paired ? GHLO_ELEMENT_TYPE_I16 : factor->reader.type,
                        factor->is_paired ? GHLO_CPU_I16 : self->arithmetic, width,
                        &self->axes[outer_role][tensor], &self->axes[k_role][tensor]);
}

/* Chooses between vectors and tiles, and how each product is computed. */
static void
choose (GhloCpuAttention *self)
{
  self->has_vectors = self->counts[GHLO_ATTENTION_ROWS] <= MOST_VECTORS
                      && find_vectors (self, GHLO_ATTENTION_KEYS, GHLO_ATTENTION_LENGTH, GHLO_ATTENTION_FEATURES,
                                       &self->key)
                      && find_vectors (self, GHLO_ATTENTION_VALUES, GHLO_ATTENTION_COLUMNS, GHLO_ATTENTION_LENGTH,
                                       &self->value);
  if (self->has_vectors)
    self->key.is_paired = self->value.is_paired = FALSE;
  else if (self->key.is_paired)
    ghlo_cpu_reader_init (&self->query_reader, GHLO_ELEMENT_TYPE_I16, GHLO_CPU_I16);
  init_tiles (self, GHLO_ATTENTION_KEYS, GHLO_ATTENTION_LENGTH, GHLO_ATTENTION_FEATURES, &self->key);
  init_tiles (self, GHLO_ATTENTION_VALUES, GHLO_ATTENTION_COLUMNS, GHLO_ATTENTION_LENGTH, &self->value);
}

/* The time of all products on one thread. */
static double
estimate (const GhloCpuAttention *self)
{
  const double n_heads = (double) self->counts[GHLO_ATTENTION_BATCH];
  const double length = (double) self->counts[GHLO_ATTENTION_LENGTH];
  const double n_features = (double) self->counts[GHLO_ATTENTION_FEATURES];
  const double n_columns = (double) self->counts[GHLO_ATTENTION_COLUMNS];
  const double n_scores = n_heads * length * (double) self->counts[GHLO_ATTENTION_ROWS];
  const double key_rate = ghlo_cpu_rate () * get_speed (self->key.reader.type);
  const double value_rate = ghlo_cpu_rate () * get_speed (self->value.reader.type);
  const double products = 2 * n_scores * (n_features / key_rate + n_columns / value_rate) * 1e9;
  const double reading = n_heads * length * (n_features * self->key.reader.size + n_columns * self->value.reader.size)
                         / READ_RATE * 1e9;

  return MAX (products, reading)
         + n_scores * (SCORE_TIME + (self->step.has_kernel ? self->kernel.schedule.cost : 0));
}

/* Cuts rows into blocks and keys into parts so that there are enough tasks, by shape only. */
static void
cut (GhloCpuAttention *self)
{
  const GhloCpuTiles *tiles = &ghlo_cpu_routines ()->tiles[self->arithmetic];
  const gint64 n_rows = self->counts[GHLO_ATTENTION_ROWS], length = self->counts[GHLO_ATTENTION_LENGTH];
  const gint64 size = self->counts[GHLO_ATTENTION_FEATURES] + self->counts[GHLO_ATTENTION_COLUMNS];
  const gint64 wanted = (gint64) ghlo_cpu_count_tasks (self->nanoseconds);
  const gint64 n_heads = self->counts[GHLO_ATTENTION_BATCH];
  gint64 keys = MOST_KEYS, most_rows;

  while (!self->has_vectors && keys > LEAST_KEYS && keys * size > MOST_PACKED)
    keys /= 2;
  self->keys = MIN (keys, length);
  most_rows = MIN (MOST_ROWS, MOST_SCORES / self->keys);
  self->n_row_blocks = ghlo_ceil_div (n_rows, most_rows);
  if (n_heads * self->n_row_blocks < wanted)
    self->n_row_blocks = CLAMP (ghlo_ceil_div (wanted, n_heads), self->n_row_blocks,
                                MAX (ghlo_ceil_div (n_rows, LEAST_ROWS), self->n_row_blocks));
  /* Whole tiles, unless that would be more than the most: then blocks of rows and of keys begin together, as it is best
   * for a causal mask. */
  self->rows = ghlo_ceil_div (n_rows, self->n_row_blocks);
  if (ghlo_round_up (self->rows, tiles->heights[0]) <= most_rows)
    self->rows = MIN (n_rows, ghlo_round_up (self->rows, tiles->heights[0]));
  self->n_row_blocks = ghlo_ceil_div (n_rows, self->rows);
  self->n_parts = CLAMP (wanted / (n_heads * self->n_row_blocks), 1, ghlo_ceil_div (length, self->keys));
  self->part = ghlo_round_up (ghlo_ceil_div (length, self->n_parts), self->keys);
  self->n_parts = ghlo_ceil_div (length, self->part);
}

/* Places the arrays of a worker. Blocks are bounded, so that nothing overflows. */
static void
place (GhloCpuAttention *self)
{
  GhloCpuAttentionScratch *scratch = &self->scratch;
  const gint64 n_features = self->counts[GHLO_ATTENTION_FEATURES], n_columns = self->counts[GHLO_ATTENTION_COLUMNS];
  const GhloCpuTiles *tiles = &ghlo_cpu_routines ()->tiles[self->arithmetic];
  const gsize rows = (gsize) (self->rows * self->number_size), number = (gsize) self->number_size;
  const gsize rest = MAX (ghlo_cpu_packer_scratch (&self->key.packer, self->keys, n_features),
                          ghlo_cpu_packer_scratch (&self->value.packer, n_columns, self->keys));
  const gsize packed_keys = ghlo_cpu_packer_size (&self->key.packer, self->keys, n_features);
  const gsize packed_values = ghlo_cpu_packer_size (&self->value.packer, n_columns, self->keys);
  const gint64 n_key_blocks = self->counts[GHLO_ATTENTION_BATCH]
                              * ghlo_ceil_div (self->counts[GHLO_ATTENTION_LENGTH], self->keys);
  const struct { gsize *offset; gsize n_bytes; } arrays[] = {
    { &scratch->queries, rows * (gsize) self->query_row },
    { &scratch->packed, self->has_vectors ? 0 : MAX (packed_keys, packed_values) },
    { &scratch->rest, self->has_vectors ? 0 : rest },
    { &scratch->products, self->has_vectors ? GHLO_CPU_MAX_VECTORS * (gsize) self->sum_row * number : 0 },
    { &scratch->scores, rows * (gsize) self->score_row + (gsize) tiles->columns * number },
    { &scratch->sums, rows * (gsize) self->sum_row },
    { &scratch->maximum, rows }, { &scratch->next, rows }, { &scratch->factor, rows }, { &scratch->total, rows },
    { &scratch->part, rows },
    { &scratch->line, (gsize) MAX (self->keys, n_columns) * number },
    { &scratch->rounded, (gsize) self->keys * number }, { &scratch->logits, (gsize) self->keys * number },
    { &scratch->kernel, self->step.has_kernel ? MAX (self->kernel.scratch, self->mask_kernel.scratch) : 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    ghlo_size_reserve (&scratch->size, arrays[i].offset, arrays[i].n_bytes, 1);
  self->value.packed_at = packed_keys;
  self->packed_size = packed_keys + packed_values;
  self->packs_ahead = !self->has_vectors && self->n_row_blocks > 1
                      && n_key_blocks <= (gint64) (MOST_AHEAD / self->packed_size);
  if (self->has_mask)
    self->finite_size = ghlo_size_align ((gsize) n_key_blocks);
  self->partial_size = self->n_parts > 1 ? ghlo_size_align (rows * (gsize) (2 + self->sum_row)) : 0;
}

const char *
ghlo_cpu_attention_init (GhloCpuAttention      *self,
                         const GhloStepRequest *request)
{
  const GhloCpuTiles *tiles;
  const char *reason = ghlo_step_attention_init (&self->step, request);

  if (reason == NULL)
    reason = check_sizes (&self->step.attention);
  if (reason != NULL)
    return reason;
  for (guint role = 0; role < GHLO_ATTENTION_N_ROLES; role++)
    merge_dimensions (self, role);
  set_types (self);
  find_scale (self);
  reason = init_kernel (self);
  if (reason != NULL)
    return reason;
  init_mask (self, request);
  tiles = &ghlo_cpu_routines ()->tiles[self->arithmetic];
  choose (self);
  self->nanoseconds = estimate (self);
  cut (self);
  self->query_row = ghlo_round_up (ghlo_cpu_packer_groups (&self->key.packer, self->counts[GHLO_ATTENTION_FEATURES]),
                                   GHLO_CPU_VECTOR_PADDING / self->number_size);
  self->score_row = ghlo_round_up (self->keys, MAX (tiles->columns, GHLO_CPU_VECTOR_PADDING / self->number_size));
  self->is_compact = has_compact_rows (self);
  if (self->is_compact)
    self->score_row = self->keys;
  self->sum_row = ghlo_round_up (self->counts[GHLO_ATTENTION_COLUMNS], tiles->columns);
  place (self);

  return NULL;
}

void
ghlo_cpu_attention_clear (GhloCpuAttention *self)
{
  ghlo_cpu_kernel_clear (&self->kernel);
  ghlo_cpu_kernel_clear (&self->mask_kernel);
  ghlo_step_attention_mask_clear (&self->mask);
  ghlo_step_attention_clear (&self->step);
  for (guint role = 0; role < GHLO_ATTENTION_N_ROLES; role++)
    for (guint tensor = 0; tensor < GHLO_ATTENTION_N_TENSORS; tensor++)
      ghlo_cpu_axis_clear (&self->axes[role][tensor]);
}
