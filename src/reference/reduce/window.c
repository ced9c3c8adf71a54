/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reduce_window and select_and_scatter: reductions and selections over windows that
 * slide over a padded and dilated input.
 *
 * A table of offsets for each dimension locates the elements of a window. It is
 * recomputed only when the window has moved in that dimension.
 */

#include "reference/reduce/reducer.h"
#include "reference/move/box.h"
#include "reference/custom-call.h"
#include "reference/custom-read.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"
#include "base/sizes.h"

#include <string.h>

#define CHUNK 256           /* cells gathered at once */

typedef struct
{
  guint   rank;
  gint64  input[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];   /* of the input, in elements */
  gint64  size[GHLO_MAX_RANK], step[GHLO_MAX_RANK];       /* of the window */
  gint64  base_dilation[GHLO_MAX_RANK], window_dilation[GHLO_MAX_RANK];
  gint64  low[GHLO_MAX_RANK], high[GHLO_MAX_RANK];
  gint64  output[GHLO_MAX_RANK];                          /* number of windows */
  gint64 *offsets[GHLO_MAX_RANK];                         /* of each window element, in elements; -1 for padding */
  gint64 *memory;                                         /* owned; all offsets */
  gint64  at[GHLO_MAX_RANK];                              /* the window that the offsets belong to; -1 before the
                                                           * first */
} Window;

static void
window_clear (Window *self)
{
  g_free (self->memory);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Window, window_clear)

/* The attributes that describe the window, in the order of the corresponding operands where these are
 * operands (stablehlo.dynamic_reduce_window). */
static const char *const value_names[] = {
  "window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding",
};
enum { VALUE_SIZE, VALUE_STEP, VALUE_BASE_DILATION, VALUE_WINDOW_DILATION, VALUE_PADDING, N_VALUES };

/* The values of an attribute, or of the corresponding operand of a custom call. NULL when they are omitted. */
static gint64 *
dup_values (GhloRefCall *call,
            guint        value,
            gsize       *n)
{
  const GhloValue *operand;

  if (call->op->kind != GHLO_OP_STABLEHLO_CUSTOM_CALL)
    return ghlo_ir_op_dup_ints (call->op, value_names[value], n);
  operand = call->operands[call->n_operands - N_VALUES + value];
  *n = operand->n_elements;

  return ghlo_ref_to_ints (operand);
}

/* Reads the values; where they are omitted, @fallback for each dimension. */
static gboolean
read_values (GhloRefCall *call,
             guint        value,
             guint        rank,
             gint64       fallback,
             gint64      *values,
             GError     **error)
{
  const char *name = value_names[value];
  gsize n;
  g_autofree gint64 *given = dup_values (call, value, &n);

  if (given != NULL && n != rank)
    return ghlo_ref_fail (call, error, "expected %u values of %s, found %" G_GSIZE_FORMAT, rank, name, n);
  for (guint i = 0; i < rank; i++)
    {
      values[i] = given != NULL ? given[i] : fallback;
      if (values[i] < 1)
        return ghlo_ref_fail (call, error, "expected %s of at least 1, found %" G_GINT64_FORMAT, name, values[i]);
    }
  return TRUE;
}

static gboolean
read_padding (GhloRefCall *call,
              Window      *self,
              GError     **error)
{
  gsize n;
  g_autofree gint64 *padding = dup_values (call, VALUE_PADDING, &n);

  if (padding != NULL && n != 2 * (gsize) self->rank)
    return ghlo_ref_fail (call, error, "expected %u pairs of padding", self->rank);
  for (guint i = 0; i < self->rank; i++)
    {
      self->low[i] = padding != NULL ? padding[2 * i] : 0;
      self->high[i] = padding != NULL ? padding[2 * i + 1] : 0;
    }
  return TRUE;
}

static gboolean
count_windows (GhloRefCall *call,
               Window      *self,
               guint        d,
               GError     **error)
{
  gint64 dilated = 0, padded, reach;

  if ((self->input[d] > 0 && (__builtin_mul_overflow (self->input[d] - 1, self->base_dilation[d], &dilated)
                              || __builtin_add_overflow (dilated, 1, &dilated)))
      || __builtin_add_overflow (dilated, self->low[d], &padded)
      || __builtin_add_overflow (padded, self->high[d], &padded)
      || __builtin_mul_overflow (self->size[d] - 1, self->window_dilation[d], &reach)
      || __builtin_add_overflow (reach, 1, &reach))
    return ghlo_ref_fail (call, error, "the window's sizes in dimension %u overflow", d);
  self->output[d] = padded <= 0 || reach > padded ? 0 : (padded - reach) / self->step[d] + 1;
  return TRUE;
}

static gboolean
window_init (GhloRefCall     *call,
             Window          *self,
             const GhloValue *input,
             GError         **error)
{
  self->rank = ghlo_ref_rank (input);
  memcpy (self->input, ghlo_ref_dims (input), self->rank * sizeof (gint64));
  if (!read_values (call, VALUE_SIZE, self->rank, 1, self->size, error)
      || !read_values (call, VALUE_STEP, self->rank, 1, self->step, error)
      || !read_values (call, VALUE_BASE_DILATION, self->rank, 1, self->base_dilation, error)
      || !read_values (call, VALUE_WINDOW_DILATION, self->rank, 1, self->window_dilation, error)
      || !read_padding (call, self, error))
    return FALSE;
  for (guint i = 0; i < self->rank; i++)
    if (!count_windows (call, self, i, error))
      return FALSE;
  if (input->n_elements > 0)
    ghlo_ref_strides (self->input, self->rank, self->strides);

  return TRUE;
}

/* Allocates the offset tables, when there is at least one window. */
static gboolean
window_open (GhloRefCall  *call,
             Window       *self,
             GError      **error)
{
  gsize total = 0;

  for (guint i = 0; i < self->rank; i++)
    if (!ghlo_size_add (&total, total, (gsize) self->size[i]))
      return ghlo_ref_fail (call, error, "the window's size overflows");
  self->memory = ghlo_ref_scratch (total, sizeof (gint64), error);
  if (self->memory == NULL)
    return FALSE;
  total = 0;
  for (guint i = 0; i < self->rank; i++)
    {
      self->offsets[i] = self->memory + total;
      self->at[i] = -1;
      total += (gsize) self->size[i];
    }
  return TRUE;
}

/* Moves to window @index. */
static gboolean
window_move (Window        *self,
             GhloRefCall   *call,
             const gint64  *index,
             GError       **error)
{
  for (guint d = 0; d < self->rank; d++)
    {
      gint64 *offsets = self->offsets[d];
      gint64 start;

      if (self->at[d] == index[d])
        continue;
      self->at[d] = index[d];
      start = index[d] * self->step[d];
      for (gint64 w = 0; w < self->size[d]; w++)
        {
          gint64 position;
          gboolean is_far = __builtin_sub_overflow (start + w * self->window_dilation[d], self->low[d], &position);
          /* The dilation is usually 1, and the division takes longer than everything else here. */
          gint64 element = self->base_dilation[d] == 1 ? position : position / self->base_dilation[d];

          if (is_far || position < 0 || element * self->base_dilation[d] != position || element >= self->input[d])
            offsets[w] = -1;
          else
            offsets[w] = element * self->strides[d];
          if (!ghlo_ref_work (call, 1, error))
            return FALSE;
        }
    }

  return TRUE;
}

/* The contribution of the dimensions [@first, @end) to the position of the window's element at @inner, in
 * elements; -1 when the element is padding. */
static gint64
window_offset (const Window *self,
               const gint64 *inner,
               guint         first,
               guint         end)
{
  gint64 offset = 0;

  for (guint d = first; d < end; d++)
    {
      gint64 place = self->offsets[d][inner[d]];

      if (place < 0)
        return -1;
      offset += place;
    }
  return offset;
}

typedef struct
{
  GhloRefCall    *call;
  GhloRefReducer *reduction;
  guint           n;
  gsize           cell;
  guint8        **inputs;   /* cells of every input element */
  gpointer       *chunk;    /* n times CHUNK cells */
  gsize           filled;
} WindowFold;

static gboolean
flush (WindowFold *self,
       GError    **error)
{
  gsize n = self->filled;

  self->filled = 0;

  return ghlo_ref_work (self->call, n + 1, error)
         && ghlo_ref_reducer_feed (self->reduction, (gconstpointer const *) self->chunk, n, error);
}

/* Copies @n cells of @size bytes to @to: the cells of @from at @row plus each offset, or @padding where
 * either is negative. */
static void
copy_cells (guint8       *to,
            const guint8 *from,
            const guint8 *padding,
            gint64        row,
            const gint64 *offsets,
            gsize         n,
            gsize         size)
{
  for (gsize i = 0; i < n; i++, to += size)
    {
      const guint8 *cell = row < 0 || offsets[i] < 0 ? padding : from + (gsize) (row + offsets[i]) * size;

      if (size == 8)
        memcpy (to, cell, 8);
      else
        memcpy (to, cell, sizeof (GhloScalar));
    }
}

/* Appends the elements at @row plus each offset of the last dimension to the chunk of each input. A negative @row
 * stands for a row of padding. */
static gboolean
push_row (WindowFold   *self,
          gint64        row,
          const gint64 *offsets,
          gsize         length,
          GError      **error)
{
  while (length > 0)
    {
      const gsize n = MIN (length, CHUNK - self->filled);

      for (guint i = 0; i < self->n; i++)
        copy_cells ((guint8 *) self->chunk[i] + self->filled * self->cell, self->inputs[i],
                    ghlo_ref_reducer_init_cell (self->reduction, i), row, offsets, n, self->cell);
      self->filled += n;
      offsets += n;
      length -= n;
      if (self->filled == CHUNK && !flush (self, error))
        return FALSE;
    }

  return TRUE;
}

/* Rows run along the last dimension in which the window is longer than 1. The dimensions after it have one
 * position each. */
static gboolean
fold_window (WindowFold   *self,
             const Window *window,
             gsize         index,
             GError      **error)
{
  static const gint64 only[1] = { 0 };
  gint64 inner[GHLO_MAX_RANK] = { 0 };
  guint last = MAX (window->rank, 1) - 1;
  gint64 behind;

  while (last > 0 && window->size[last] == 1)
    last--;
  behind = window_offset (window, inner, last + 1, window->rank);
  ghlo_ref_reducer_start (self->reduction);
  do
    {
      gint64 row = behind < 0 ? -1 : window_offset (window, inner, 0, last);

      if (!push_row (self, row < 0 ? -1 : row + behind, window->rank > 0 ? window->offsets[last] : only,
                     window->rank > 0 ? (gsize) window->size[last] : 1, error))
        return FALSE;
    }
  while (ghlo_ref_next_index (inner, window->size, last));
  if (!flush (self, error))
    return FALSE;
  ghlo_ref_reducer_store (self->reduction, index);
  return TRUE;
}

/* Reads all inputs as cells and allocates the chunks. Everything allocated is added to @memory. */
static gboolean
read_cells (WindowFold *self,
            GPtrArray  *memory,
            GError    **error)
{
  for (guint i = 0; i < self->n; i++)
    {
      const GhloValue *input = self->call->operands[i], *first = self->call->operands[0];

      if (ghlo_ref_rank (input) != ghlo_ref_rank (first)
          || memcmp (ghlo_ref_dims (input), ghlo_ref_dims (first), ghlo_ref_rank (first) * sizeof (gint64)) != 0)
        return ghlo_ref_fail (self->call, error, "expected inputs of one shape");
      self->inputs[i] = ghlo_ref_scratch (input->n_elements, self->cell, error);
      g_ptr_array_add (memory, self->inputs[i]);
      if (self->inputs[i] == NULL)
        return FALSE;
      for (gsize at = 0; at < input->n_elements; at += CHUNK)
        {
          const gsize n = MIN (CHUNK, input->n_elements - at);

          ghlo_ref_reducer_read (self->reduction, i, input->data + at * ghlo_ref_element_size (input), n,
                                 self->inputs[i] + at * self->cell);
          if (!ghlo_ref_work (self->call, n, error))
            return FALSE;
        }
      self->chunk[i] = g_malloc (CHUNK * self->cell);
      g_ptr_array_add (memory, self->chunk[i]);
    }
  return TRUE;
}

/* @reducer names the reducing function; NULL stands for the region. */
static gboolean
reduce_windows (GhloRefCall *call,
                guint        n,
                const char  *reducer,
                GError     **error)
{
  g_autoptr (GPtrArray) memory = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GhloRefReducer) reduction = NULL;
  g_autofree guint8 **inputs = g_new0 (guint8 *, MAX (n, 1));
  g_autofree gpointer *chunk = g_new0 (gpointer, MAX (n, 1));
  g_auto (Window) window = { 0 };
  WindowFold self = { .call = call, .n = n, .inputs = inputs, .chunk = chunk };
  gint64 index[GHLO_MAX_RANK] = { 0 };
  gsize length;

  if (!window_init (call, &window, call->operands[0], error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (ghlo_ref_result (call, i, window.output, window.rank, error) == NULL)
      return FALSE;
  if (call->results[0]->n_elements == 0)
    return TRUE;

  if (!window_open (call, &window, error))
    return FALSE;
  if (!ghlo_shape_count (window.size, window.rank, &length))
    return ghlo_ref_fail (call, error, "the window's size overflows");
  reduction = reducer != NULL
         ? ghlo_ref_reducer_new_for (call, reducer, n, length, call->operands, call->operands + n, error)
         : ghlo_ref_reducer_new (call, 0, n, length, call->operands, call->operands + n, error);
  if (reduction == NULL)
    return FALSE;

  self.reduction = reduction;
  self.cell = ghlo_ref_reducer_cell_size (reduction);
  if (!read_cells (&self, memory, error))
    return FALSE;
  for (gsize i = 0; i < call->results[0]->n_elements; i++)
    {
      if (!window_move (&window, call, index, error) || !fold_window (&self, &window, i, error))
        return FALSE;
      ghlo_ref_next_index (index, window.output, window.rank);
    }
  return TRUE;
}

gboolean
ghlo_ref_reduce_window (GhloRefCall *call,
                        GError     **error)
{
  if (call->n_operands == 0 || call->n_operands % 2 != 0)
    return ghlo_ref_fail (call, error, "expected at least one input");

  return reduce_windows (call, call->n_operands / 2, NULL, error);
}

gboolean
ghlo_ref_custom_reduce_window (GhloRefCall *call,
                               GError     **error)
{
  const GhloIrAttr *functions = ghlo_ir_op_get (call->op, "called_computations");
  guint n = MAX (call->op->n_results, 1);

  if (!ghlo_ref_custom_counts (call, 2 * n + N_VALUES, n, error))
    return FALSE;
  for (guint i = 0; i < call->n_operands; i++)
    if (i < 2 * n ? !ghlo_ref_custom_numbers (call, i, error)
                  : !ghlo_ref_custom_integers (call, i, 2 * GHLO_MAX_RANK, error))
      return FALSE;
  if (functions == NULL || functions->length != 1)
    return ghlo_ref_fail (call, error, "expected one function that reduces as called_computations");

  return reduce_windows (call, n, functions->children[0]->text, error);
}

/* Runs the body of select or scatter on two elements. */
static gboolean
run_pair (GhloRefScalarFunction *function,
          GhloScalar             a,
          GhloScalar             b,
          GhloScalar            *outcome,
          GError               **error)
{
  GhloScalar arguments[2] = { a, b };

  return ghlo_ref_scalar_function_run (function, arguments, outcome, error);
}

/* Finds the offset of the window element that @select keeps; -1 when the whole window lies in the padding. */
static gboolean
select_element (GhloRefCall           *call,
                GhloRefScalarFunction *select,
                const Window          *window,
                const GhloValue       *operand,
                gint64                *place,
                GError               **error)
{
  gint64 inner[GHLO_MAX_RANK] = { 0 };
  GhloScalar best = { 0 }, keep;

  *place = -1;
  do
    {
      gint64 at = window_offset (window, inner, 0, window->rank);

      if (!ghlo_ref_work (call, 1, error))
        return FALSE;
      if (at < 0)
        continue;
      keep.i = 0;
      if (*place >= 0 && !run_pair (select, best, ghlo_ref_load (operand, (gsize) at), &keep, error))
        return FALSE;
      if (keep.i == 0)
        {
          *place = at;
          best = ghlo_ref_load (operand, (gsize) at);
        }
    }
  while (ghlo_ref_next_index (inner, window->size, window->rank));
  return TRUE;
}

static gboolean
scatter_selected (GhloRefCall           *call,
                  Window                *window,
                  GhloRefScalarFunction *select,
                  GhloRefScalarFunction *scatter,
                  GhloValue             *result,
                  GError               **error)
{
  const GhloValue *source = call->operands[1];
  gint64 index[GHLO_MAX_RANK] = { 0 };
  gint64 place;

  for (gsize i = 0; i < source->n_elements; i++)
    {
      GhloScalar outcome;

      if (!window_move (window, call, index, error)
          || !select_element (call, select, window, call->operands[0], &place, error))
        return FALSE;
      ghlo_ref_next_index (index, window->output, window->rank);
      if (place < 0)
        continue;
      if (!run_pair (scatter, ghlo_ref_load (result, (gsize) place), ghlo_ref_load (source, i), &outcome, error))
        return FALSE;
      ghlo_ref_store (result, (gsize) place, outcome);
    }
  return TRUE;
}

gboolean
ghlo_ref_select_and_scatter (GhloRefCall *call,
                             GError     **error)
{
  const GhloValue *operand = call->operands[0];
  const GhloValue *source = call->operands[1];
  g_auto (Window) window = { 0 };
  GhloRefScalarFunction *select, *scatter;
  guint8 start[sizeof (GhloScalar)];
  GhloValue *result;
  gboolean ok = FALSE;

  if (!window_init (call, &window, operand, error))
    return FALSE;
  if (call->operands[2]->n_elements != 1)
    return ghlo_ref_fail (call, error, "expected a scalar initial value");
  if (ghlo_ref_rank (source) != window.rank)
    return ghlo_ref_fail (call, error, "expected a source of rank %u, found %u", window.rank, ghlo_ref_rank (source));
  for (guint i = 0; i < window.rank; i++)
    if (ghlo_ref_dims (source)[i] != window.output[i])
      return ghlo_ref_fail (call, error, "expected %" G_GINT64_FORMAT " source elements in dimension %u, found %"
                            G_GINT64_FORMAT, window.output[i], i, ghlo_ref_dims (source)[i]);

  result = ghlo_ref_result_like (call, 0, operand, error);
  if (result == NULL)
    return FALSE;
  /* The initial value may have another type than the result. */
  ghlo_element_store (result->type->element_type, start, ghlo_ref_load (call->operands[2], 0));
  if (!ghlo_ref_fill (call, result->data, start, ghlo_ref_element_size (result), result->n_elements, error))
    return FALSE;
  if (source->n_elements == 0)
    return TRUE;

  if (!window_open (call, &window, error))
    return FALSE;
  select = ghlo_ref_scalar_function_new (call, 0, error);
  scatter = select != NULL ? ghlo_ref_scalar_function_new (call, 1, error) : NULL;
  if (scatter != NULL)
    ok = scatter_selected (call, &window, select, scatter, result, error);
  g_clear_pointer (&select, ghlo_ref_scalar_function_free);
  g_clear_pointer (&scatter, ghlo_ref_scalar_function_free);
  return ok;
}
