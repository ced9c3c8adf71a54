/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sort and chlo.top_k. A stable merge sort sorts each row as a permutation; its
 * result is deterministic even if the comparator is not an ordering.
 *
 * A comparator that only compares elements of one input is recognized and replaced
 * by comparisons of keys. Any other comparator is run as it is.
 */

#include "ir/approx-top-k.h"
#include "reference/custom-call.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"

#include <string.h>

typedef struct _Sorter Sorter;

/* Whether element @a of the row sorts before @b. */
typedef gboolean (*Before) (Sorter *self,
                            gsize   a,
                            gsize   b);

struct _Sorter
{
  GhloRefCall           *call;
  Before                 before;
  gsize                  length;
  gsize                 *order;         /* owned; the permutation that sorts the row */
  gsize                 *spare;         /* owned */
  gint64                *keys;          /* owned; signed integers in sort order, or the bits of doubles */
  guint                  key_input;
  gboolean               descending;
  gboolean               partial;       /* compare keys as doubles: NaN is unordered */
  GhloRefScalarFunction *comparator;    /* owned */
  guint                  n;
  GhloScalar           **elements;      /* owned; the row of each input */
  GhloScalar            *arguments;     /* owned; 2 n */
  guint                  since_check;
  GError                *failure;       /* from the comparator or from a stop; once set, the rest of the sort is void */
};

static void
sorter_clear (Sorter *self)
{
  for (guint i = 0; i < self->n && self->elements != NULL; i++)
    g_free (self->elements[i]);
  g_free (self->order);
  g_free (self->spare);
  g_free (self->keys);
  g_free (self->elements);
  g_free (self->arguments);
  g_clear_pointer (&self->comparator, ghlo_ref_scalar_function_free);
  g_clear_error (&self->failure);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sorter, sorter_clear)

static gboolean
key_before (Sorter *self, gsize a, gsize b)
{
  return self->descending ? self->keys[a] > self->keys[b] : self->keys[a] < self->keys[b];
}

static gboolean
real_before (Sorter *self, gsize a, gsize b)
{
  double x, y;

  memcpy (&x, &self->keys[a], sizeof (x));
  memcpy (&y, &self->keys[b], sizeof (y));
  return self->descending ? x > y : x < y;
}

static gboolean
comparator_before (Sorter *self, gsize a, gsize b)
{
  GhloScalar outcome = { 0 };

  if (self->failure != NULL)
    return FALSE;
  for (guint i = 0; i < self->n; i++)
    {
      self->arguments[2 * i] = self->elements[i][a];
      self->arguments[2 * i + 1] = self->elements[i][b];
    }
  if (++self->since_check % 4096 == 0 && !ghlo_ref_continue (self->call, &self->failure))
    return FALSE;
  return ghlo_ref_scalar_function_run (self->comparator, self->arguments, &outcome, &self->failure)
         && outcome.i != 0;
}

/* Maps the bits of a float to an integer, so that integers sort in the total order of IEEE 754. */
static gint64
total_order_key (GhloElementType type,
                 const guint8   *data)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  guint64 bits = 0;
  guint64 sign = (guint64) 1 << (info->bits - 1);

  if (info->specials != GHLO_FLOAT_IEEE)
    {
      double real = ghlo_element_load (type, data).f;

      memcpy (&bits, &real, sizeof (bits));
      sign = (guint64) 1 << 63;
    }
  else
    switch (info->size)
      {
      case 1: bits = *data; break;
      case 2: { guint16 b; memcpy (&b, data, 2); bits = b; break; }
      case 4: { guint32 b; memcpy (&b, data, 4); bits = b; break; }
      default: memcpy (&bits, data, 8); break;
      }
  return bits & sign ? -1 - (gint64) (bits & (sign - 1)) : (gint64) bits;
}

static gint64
element_key (const Sorter   *self,
             GhloElementType type,
             const guint8   *data)
{
  GhloScalar scalar;
  gint64 key;

  switch (ghlo_element_info (type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      if (!self->partial)
        return total_order_key (type, data);
      scalar = ghlo_element_load (type, data);
      memcpy (&key, &scalar.f, sizeof (key));
      return key;
    case GHLO_ELEMENT_CLASS_UNSIGNED:
      return (gint64) (ghlo_element_load (type, data).u ^ ((guint64) 1 << 63));
    default:
      return ghlo_element_load (type, data).i;
    }
}

static void
merge (Sorter      *self,
       const gsize *from,
       gsize       *to,
       gsize        start,
       gsize        middle,
       gsize        end)
{
  gsize left = start, right = middle;

  /* Both halves are in order already, as is common in a sorted input. */
  if (right >= end || !self->before (self, from[right], from[right - 1]))
    {
      memcpy (to + start, from + start, (end - start) * sizeof (gsize));
      return;
    }
  for (gsize i = start; i < end; i++)
    if (left < middle && (right >= end || !self->before (self, from[right], from[left])))
      to[i] = from[left++];
    else
      to[i] = from[right++];
}

#define RUN 8

static void
insertion_sort (Sorter *self,
                gsize  *order,
                gsize   start,
                gsize   end)
{
  for (gsize i = start + 1; i < end; i++)
    {
      gsize element = order[i];
      gsize to = i;

      for (; to > start && self->before (self, element, order[to - 1]); to--)
        order[to] = order[to - 1];
      order[to] = element;
    }
}

/* Sorts the loaded row; self->order receives the permutation. */
static gboolean
sort_row (Sorter  *self,
          GError **error)
{
  gsize n = self->length;

  for (gsize i = 0; i < n; i++)
    self->order[i] = i;
  for (gsize start = 0; start < n; start += RUN)
    insertion_sort (self, self->order, start, MIN (start + RUN, n));
  for (gsize width = RUN; width < n; width *= 2)
    {
      gsize *order = self->spare;

      for (gsize start = 0; start < n; start += 2 * width)
        merge (self, self->order, self->spare, start, MIN (start + width, n), MIN (start + 2 * width, n));
      self->spare = self->order;
      self->order = order;
      if (self->failure == NULL && !ghlo_ref_continue (self->call, error))
        return FALSE;
    }
  if (self->failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->failure));
      return FALSE;
    }
  return ghlo_ref_continue (self->call, error);
}

/* The rows along one dimension. */
typedef struct
{
  gsize outer, length, inner;
} Rows;

static gboolean
find_rows (GhloRefCall     *call,
           const GhloValue *value,
           gint64           dimension,
           Rows            *rows,
           GError         **error)
{
  guint rank = ghlo_ref_rank (value);
  gint64 d = dimension < 0 ? dimension + rank : dimension;

  if (d < 0 || d >= rank)
    return ghlo_ref_fail (call, error, "expected a dimension below the rank %u, found %" G_GINT64_FORMAT,
                          rank, dimension);
  /* Where there are no rows, their length may be any number. */
  if (value->n_elements == 0)
    {
      *rows = (Rows) { 0, 0, 1 };
      return TRUE;
    }
  *rows = (Rows) { 1, (gsize) ghlo_ref_dims (value)[d], 1 };
  for (gint64 i = 0; i < rank; i++)
    if (i < d)
      rows->outer *= (gsize) ghlo_ref_dims (value)[i];
    else if (i > d)
      rows->inner *= (gsize) ghlo_ref_dims (value)[i];
  return TRUE;
}

static gboolean
sorter_alloc (Sorter  *self,
              gsize    length,
              GError **error)
{
  self->length = length;
  self->order = ghlo_ref_scratch (length, sizeof (gsize), error);
  self->spare = self->order != NULL ? ghlo_ref_scratch (length, sizeof (gsize), error) : NULL;
  if (self->spare == NULL)
    return FALSE;
  if (self->comparator == NULL)
    {
      self->keys = ghlo_ref_scratch (length, sizeof (gint64), error);
      return self->keys != NULL;
    }

  self->arguments = g_new0 (GhloScalar, 2 * (gsize) self->n);
  self->elements = g_new0 (GhloScalar *, self->n);
  for (guint i = 0; i < self->n; i++)
    {
      self->elements[i] = ghlo_ref_scratch (length, sizeof (GhloScalar), error);
      if (self->elements[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Loads the row that begins at element @first, with @step between elements. */
static void
load_row (Sorter *self,
          gsize   first,
          gsize   step)
{
  if (self->comparator == NULL)
    {
      const GhloValue *input = self->call->operands[self->key_input];
      GhloElementType type = input->type->element_type;
      gsize size = ghlo_element_info (type)->size;

      for (gsize i = 0; i < self->length; i++)
        self->keys[i] = element_key (self, type, input->data + (first + i * step) * size);
      return;
    }
  for (guint k = 0; k < self->n; k++)
    for (gsize i = 0; i < self->length; i++)
      self->elements[k][i] = ghlo_ref_load (self->call->operands[k], first + i * step);
}

/* Stores the first @count sorted elements of the row, from element @to of the result on. */
static void
store_row (const Sorter    *self,
           const GhloValue *input,
           GhloValue       *result,
           gsize            first,
           gsize            to,
           gsize            step,
           gsize            count)
{
  gsize size = ghlo_element_info (input->type->element_type)->size;

  for (gsize i = 0; i < count; i++)
    memcpy (result->data + (to + i * step) * size, input->data + (first + self->order[i] * step) * size, size);
}

/* Recognizes a comparator that consists of a single comparison. */
static gboolean
recognise_comparison (Sorter            *self,
                      const GhloIrBlock *block)
{
  const GhloIrOp *compare = block->first;
  const GhloIrValue *lhs, *rhs;
  GhloElementType type;
  const char *word;
  gint64 kind;

  if (compare == NULL || compare->kind != GHLO_OP_STABLEHLO_COMPARE || compare->next == NULL
      || compare->next != block->last || block->last->n_operands != 1
      || ghlo_ir_op_operand (block->last, 0) != &compare->results[0])
    return FALSE;
  lhs = ghlo_ir_op_operand (compare, 0);
  rhs = ghlo_ir_op_operand (compare, 1);
  if (lhs->block != block || rhs->block != block || lhs->index / 2 != rhs->index / 2 || lhs->index == rhs->index
      || lhs->type->quantization != NULL)
    return FALSE;

  type = lhs->type->element_type;
  word = ghlo_ir_enum_word (ghlo_ir_op_get (compare, "comparison_direction"));
  if (ghlo_element_type_is_complex (type) || (!g_str_equal (word, "LT") && !g_str_equal (word, "GT")))
    return FALSE;
  kind = ghlo_ir_op_get_int (compare, "compare_type", 0);
  self->partial = ghlo_element_type_is_float (type)
                  && kind != ghlo_ir_enum_from_word (GHLO_IR_ENUM_COMPARISON_TYPE, "TOTALORDER");
  self->key_input = lhs->index / 2;
  self->descending = g_str_equal (word, "GT") != (lhs->index > rhs->index);
  self->before = self->partial ? real_before : key_before;
  return TRUE;
}

static gboolean
sort_rows (Sorter     *self,
           const Rows *rows,
           gsize       count,
           GError    **error)
{
  for (gsize o = 0; o < rows->outer; o++)
    for (gsize i = 0; i < rows->inner; i++)
      {
        gsize first = o * rows->length * rows->inner + i;

        load_row (self, first, rows->inner);
        if (!sort_row (self, error))
          return FALSE;
        for (guint k = 0; k < self->n; k++)
          store_row (self, self->call->operands[k], self->call->results[k], first, o * count * rows->inner + i,
                     rows->inner, count);
      }
  return TRUE;
}

gboolean
ghlo_ref_sort (GhloRefCall *call,
               GError     **error)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (call->op, 0);
  g_auto (Sorter) self = { .call = call, .n = call->n_operands };
  Rows rows;

  if (call->n_operands == 0 || block == NULL || block->n_arguments != 2 * call->n_operands)
    return ghlo_ref_fail (call, error, "expected a comparator of two arguments for each input");
  if (!find_rows (call, call->operands[0], ghlo_ir_op_get_int (call->op, "dimension", -1), &rows, error))
    return FALSE;
  for (guint i = 0; i < call->n_operands; i++)
    {
      if (call->operands[i]->n_elements != call->operands[0]->n_elements)
        return ghlo_ref_fail (call, error, "expected inputs of one shape");
      if (ghlo_ref_result_like (call, i, call->operands[i], error) == NULL)
        return FALSE;
    }

  if (!recognise_comparison (&self, block))
    {
      self.before = comparator_before;
      self.comparator = ghlo_ref_scalar_function_new (call, 0, error);
      if (self.comparator == NULL)
        return FALSE;
    }
  return sorter_alloc (&self, rows.length, error) && sort_rows (&self, &rows, rows.length, error);
}

gboolean
ghlo_ref_custom_approx_top_k (GhloRefCall *call,
                              GError     **error)
{
  g_auto (Sorter) self = { .call = call };
  g_autofree char *problem = NULL;
  GhloIrApproxTopK top_k;
  Rows rows;

  if (!ghlo_ir_approx_top_k_read (&top_k, call->op, &problem))
    return ghlo_ref_fail (call, error, "%s", problem);
  self.n = top_k.n;
  if (!find_rows (call, call->operands[0], top_k.dimension, &rows, error))
    return FALSE;
  for (guint i = 0; i < top_k.n; i++)
    {
      const GhloIrType *type = call->op->results[i].type;

      if (ghlo_ref_result (call, i, type->dimensions, type->rank, error) == NULL)
        return FALSE;
    }
  if (!recognise_comparison (&self, top_k.comparator))
    {
      self.before = comparator_before;
      self.comparator = ghlo_ref_scalar_function_new_for (call, top_k.name, error);
      if (self.comparator == NULL)
        return FALSE;
    }

  return sorter_alloc (&self, rows.length, error) && sort_rows (&self, &rows, (gsize) top_k.count, error);
}

/* Sorts the largest elements first, in the total order; equal ones by index. */
gboolean
ghlo_ref_top_k (GhloRefCall *call,
                GError     **error)
{
  const GhloValue *operand = call->operands[0];
  g_auto (Sorter) self = { .call = call, .before = key_before, .descending = TRUE };
  gint64 k = ghlo_ir_op_get_int (call->op, "k", 0);
  gsize size = ghlo_element_info (operand->type->element_type)->size;
  gint64 dimensions[GHLO_MAX_RANK];
  guint rank = ghlo_ref_rank (operand);
  GhloValue *values, *indices;
  Rows rows;

  if (k < 0)
    return ghlo_ref_fail (call, error, "expected k of at least 0, found %" G_GINT64_FORMAT, k);
  if (ghlo_element_type_is_complex (operand->type->element_type))
    return ghlo_ref_fail (call, error, "expected elements that have an order");
  if (!find_rows (call, operand, -1, &rows, error))
    return FALSE;
  memcpy (dimensions, ghlo_ref_dims (operand), rank * sizeof (gint64));
  k = dimensions[rank - 1] = MIN (k, dimensions[rank - 1]);
  values = ghlo_ref_result (call, 0, dimensions, rank, error);
  indices = values != NULL ? ghlo_ref_result (call, 1, dimensions, rank, error) : NULL;
  if (indices == NULL || !sorter_alloc (&self, rows.length, error))
    return FALSE;

  for (gsize o = 0; o < rows.outer; o++)
    {
      load_row (&self, o * rows.length, 1);
      if (!sort_row (&self, error))
        return FALSE;
      for (gint64 i = 0; i < k; i++)
        {
          gsize to = o * (gsize) k + (gsize) i;

          memcpy (values->data + to * size, operand->data + (o * rows.length + self.order[i]) * size, size);
          ghlo_ref_store (indices, to, (GhloScalar) { .i = (gint64) self.order[i] });
        }
    }
  return TRUE;
}
