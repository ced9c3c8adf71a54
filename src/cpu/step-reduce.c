/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reduce of one operand by one known operation. Either every result is a fold of lines of
 * the operand (rows), or lines of the operand are combined element by element into lines
 * of results (columns). Where that leaves too few parts for the threads, or sums would
 * grow too long, the reduced elements are done in blocks, which are combined at the end.
 * All of this depends on shapes and strides alone, so that the order of a sum does too.
 */

#include "base/ghlo-error.h"
#include "cpu/axis.h"
#include "cpu/bring.h"
#include "cpu/form.h"
#include "cpu/level.h"
#include "cpu/steps.h"
#include "runtime/parallel.h"

#include <math.h>
#include <string.h>

/* Bytes in a nanosecond that one core reads and folds, about. */
#define READ_RATE 10.0

enum
{
  BUFFER = 4096,              /* bytes */
  LEAST_LINE = 8,             /* elements of a line that is worth a fold of its own */
  MOST_LINE = 16384,          /* results that lines are combined into at once */
  MOST_STEPS = 512,           /* additions of floats one after the other */
  PARTS = 32,                 /* enough for the threads */
  LEAST_BLOCK = 1 << 16,      /* bytes that are worth a part of their own */
  MOST_BLOCK = 1 << 24,       /* and those of the largest part */
};

typedef struct
{
  const GhloCpuForm *form;
  GhloCpuFold        fold;
  GhloCpuFoldFunc    fold_line;
  GhloCpuLineFunc    combine;
  guint8             identity[8];     /* a number that changes none */
  guint              size;            /* of an element */
  guint              number_size;
  gint64             first;           /* bytes from the operand's data to where both axes begin */
  GhloCpuAxis        kept, reduced;
  gboolean           by_columns;
  gboolean           is_direct;       /* results are computed in their own place */
  gint64             n_blocks;
  double             nanoseconds;
} Step;

static const struct
{
  GhloIrOpKind op;
  GhloCpuFold  fold;
  GhloCpuLine  line;
} folds[] = {
  { GHLO_OP_STABLEHLO_ADD, GHLO_CPU_FOLD_ADD, GHLO_CPU_LINE_ADD },
  { GHLO_OP_STABLEHLO_AND, GHLO_CPU_FOLD_AND, GHLO_CPU_LINE_AND },
  { GHLO_OP_STABLEHLO_MAXIMUM, GHLO_CPU_FOLD_MAXIMUM, GHLO_CPU_LINE_MAXIMUM },
  { GHLO_OP_STABLEHLO_MINIMUM, GHLO_CPU_FOLD_MINIMUM, GHLO_CPU_LINE_MINIMUM },
  { GHLO_OP_STABLEHLO_MULTIPLY, GHLO_CPU_FOLD_MULTIPLY, GHLO_CPU_LINE_MULTIPLY },
  { GHLO_OP_STABLEHLO_OR, GHLO_CPU_FOLD_OR, GHLO_CPU_LINE_OR },
  { GHLO_OP_STABLEHLO_XOR, GHLO_CPU_FOLD_XOR, GHLO_CPU_LINE_XOR },
};

/* The one operation of a computation of two scalars, in either order: all of them
 * commute. */
static GhloIrOpKind
find_operation (const GhloIrOp  *reduce,
                GhloElementType  type)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (reduce, 0);
  const GhloIrOp *op, *end;
  const GhloIrValue *x, *y;

  if (block == NULL || block->n_arguments != 2 || block->first == NULL || block->first->next != block->last)
    return GHLO_OP_INVALID;
  op = block->first;
  end = block->last;
  if (op->n_operands != 2 || op->n_results != 1 || end->n_operands != 1
      || ghlo_ir_op_operand (end, 0) != &op->results[0] || op->results[0].type->element_type != type)
    return GHLO_OP_INVALID;
  x = ghlo_ir_op_operand (op, 0);
  y = ghlo_ir_op_operand (op, 1);
  if (x == y || x->block != block || y->block != block || x->op != NULL || y->op != NULL
      || x->type->element_type != type || y->type->element_type != type
      || x->type->quantization != NULL || y->type->quantization != NULL)
    return GHLO_OP_INVALID;

  return op->kind;
}

static gboolean
choose_loops (Step         *self,
              GhloIrOpKind  kind)
{
  const GhloCpuLines *lines = ghlo_cpu_lines ();

  for (guint i = 0; i < G_N_ELEMENTS (folds); i++)
    if (folds[i].op == kind)
      {
        self->fold = folds[i].fold;
        self->fold_line = lines->folds[self->form->number][folds[i].fold];
        self->combine = lines->loops[self->form->number][folds[i].line];
        return self->fold_line != NULL && self->combine != NULL;
      }

  return FALSE;
}

/* Of a sum the negative zero: the positive one would change it. */
static void
set_identity (Step *self)
{
  GhloElementType type = self->form->is_read ? GHLO_ELEMENT_TYPE_F32 : self->form->type;
  const GhloElementInfo *info = ghlo_element_info (type);
  gboolean is_float = info->element_class == GHLO_ELEMENT_CLASS_FLOAT;
  gboolean is_signed = info->element_class == GHLO_ELEMENT_CLASS_SIGNED;
  guint64 most = G_MAXUINT64 >> (64 - info->bits + is_signed);
  GhloScalar value = { .u = 0 };

  switch (self->fold)
    {
    case GHLO_CPU_FOLD_ADD:
      value.f = is_float ? -0.0 : value.f;
      break;
    case GHLO_CPU_FOLD_MULTIPLY:
      if (is_float)
        value.f = 1;
      else
        value.u = 1;
      break;
    case GHLO_CPU_FOLD_MAXIMUM:
      if (is_float)
        value.f = -INFINITY;
      else
        value.u = is_signed ? ~most : 0;
      break;
    case GHLO_CPU_FOLD_MINIMUM:
      if (is_float)
        value.f = INFINITY;
      else
        value.u = most;
      break;
    case GHLO_CPU_FOLD_AND:
      value.u = G_MAXUINT64;
      break;
    default:
      break;
    }
  ghlo_element_store (type, self->identity, value);
}

typedef struct
{
  gint64 size, stride;
} Dimension;

/* The reduced dimensions may be walked in any order and direction: largest steps first,
 * forwards. */
static void
order_reduced (Step      *self,
               Dimension *dimensions,
               guint      n)
{
  for (guint i = 0; i < n; i++)
    if (dimensions[i].stride < 0)
      {
        self->first += dimensions[i].stride * (dimensions[i].size - 1);
        dimensions[i].stride = -dimensions[i].stride;
      }
  for (guint i = 1; i < n; i++)
    for (guint j = i; j > 0 && dimensions[j - 1].stride < dimensions[j].stride; j--)
      {
        Dimension first = dimensions[j - 1];

        dimensions[j - 1] = dimensions[j];
        dimensions[j] = first;
      }
}

static gboolean
make_axis (GhloCpuAxis     *axis,
           const Dimension *dimensions,
           guint            n,
           GError         **error)
{
  gint64 sizes[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];

  for (guint i = 0; i < n; i++)
    {
      sizes[i] = dimensions[i].size;
      strides[i] = dimensions[i].stride;
    }

  return ghlo_cpu_axis_init (axis, sizes, strides, n, error);
}

static gboolean
split_dimensions (Step            *self,
                  const GhloIrOp  *op,
                  const GhloView  *operand,
                  GError         **error)
{
  Dimension kept[GHLO_MAX_RANK], reduced[GHLO_MAX_RANK];
  gboolean is_reduced[GHLO_MAX_RANK] = { FALSE }, is_empty = FALSE;
  guint n_kept = 0, n_reduced = 0;
  gsize n;
  g_autofree gint64 *dimensions = ghlo_ir_op_dup_ints (op, "dimensions", &n);

  for (gsize i = 0; i < n; i++)
    if (dimensions[i] >= 0 && dimensions[i] < operand->rank)
      is_reduced[dimensions[i]] = TRUE;
  for (guint d = 0; d < operand->rank; d++)
    {
      Dimension dimension = { operand->dimensions[d], operand->strides[d] };

      is_empty |= dimension.size == 0;
      if (dimension.size != 1 && is_reduced[d])
        reduced[n_reduced++] = dimension;
      else if (dimension.size != 1)
        kept[n_kept++] = dimension;
    }
  if (!is_empty)
    order_reduced (self, reduced, n_reduced);

  return make_axis (&self->kept, kept, n_kept, error) && make_axis (&self->reduced, reduced, n_reduced, error);
}

static void
choose_way (Step *self)
{
  gint64 kept = self->kept.count, reduced = self->reduced.count;
  double bytes = (double) kept * (double) reduced * self->size;
  gboolean is_long = self->reduced.inner >= LEAST_LINE || kept < LEAST_LINE;
  double line, parts, blocks = 1;

  if (self->reduced.stride == self->size)
    self->by_columns = !is_long;
  else
    self->by_columns = self->kept.stride == self->size ? kept > 1 : kept >= reduced;

  line = self->by_columns ? (double) MIN (self->kept.inner, MOST_LINE) : 1;
  parts = (double) kept / line;
  if (parts < PARTS)
    blocks = MIN (PARTS / MAX (parts, 1), bytes / LEAST_BLOCK);
  if (self->by_columns && self->fold == GHLO_CPU_FOLD_ADD && ghlo_element_type_is_float (self->form->type))
    blocks = MAX (blocks, (double) reduced / MOST_STEPS);
  blocks = MAX (blocks, (double) reduced * self->size / MOST_BLOCK);
  self->n_blocks = CLAMP ((gint64) blocks, 1, MAX (reduced, 1));
  self->is_direct = self->n_blocks == 1 && !self->form->is_read;
  self->nanoseconds = bytes / READ_RATE
                      + (self->by_columns ? (double) reduced * parts * 5 : (double) (self->n_blocks * kept) * 15);
}

static void
release (gpointer prepared)
{
  Step *self = prepared;

  ghlo_cpu_axis_clear (&self->kept);
  ghlo_cpu_axis_clear (&self->reduced);
  g_free (self);
}

static gboolean
is_plain (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->quantization == NULL;
}

static gpointer
prepare (const GhloIrOp  *op,
         const GhloView  *operands,
         const GhloView  *results,
         gsize           *scratch,
         GError         **error)
{
  const GhloCpuForm *form = op->n_operands == 2 ? ghlo_cpu_form (operands[0].element_type) : NULL;
  Step *self;

  if (form == NULL || !is_plain (ghlo_ir_op_operand (op, 0)->type) || !is_plain (op->results[0].type)
      || operands[1].element_type != form->type || results[0].element_type != form->type)
    return NULL;
  self = g_new0 (Step, 1);
  self->form = form;
  self->size = ghlo_cpu_form_size (form);
  self->number_size = ghlo_cpu_number_size (form->number);
  if (!choose_loops (self, find_operation (op, form->type)) || !split_dimensions (self, op, &operands[0], error))
    {
      release (self);
      return NULL;
    }
  set_identity (self);
  choose_way (self);
  if (!self->is_direct
      && (!ghlo_size_mul (scratch, (gsize) self->n_blocks, (gsize) self->kept.count)
          || !ghlo_size_mul (scratch, *scratch, self->number_size)))
    {
      release (self);
      return NULL;
    }

  return self;
}

typedef struct
{
  const Step   *self;
  const guint8 *operand;       /* where both axes begin */
  guint8       *result;
  guint8       *numbers;       /* of blocks, one after the other; the result where it is direct */
  guint8        start[8];      /* the initial value as a number */
} Run;

/* @n elements as adjacent numbers: where they are, or in @buffer. */
static const guint8 *
read_numbers (const Step   *self,
              const guint8 *from,
              gint64        stride,
              guint8       *buffer,
              gsize         n)
{
  guint8 raw[BUFFER / 2] __attribute__ ((aligned (64)));

  if (stride != self->size)
    {
      guint8 *to = self->form->is_read ? raw : buffer;

      ghlo_cpu_bring_lines (self->size, from, 0, stride, to, 1, n);
      from = to;
    }
  if (!self->form->is_read)
    return from;
  ghlo_cpu_form_reader (self->form) (from, buffer, n);

  return buffer;
}

/* The most elements that are read at once. */
static gint64
find_chunk (const Step *self,
            gint64      stride)
{
  return stride == self->size && !self->form->is_read ? G_MAXINT64 : BUFFER / self->number_size;
}

/* Folds reduced elements [begin, end) of one result. */
static void
fold_row (const Step   *self,
          const guint8 *row,
          gint64        begin,
          gint64        end,
          guint8       *number)
{
  guint8 buffer[BUFFER] __attribute__ ((aligned (64)));
  gint64 chunk = find_chunk (self, self->reduced.stride);

  for (gint64 at = begin; at < end;)
    {
      gint64 n = MIN (ghlo_cpu_axis_run_end (&self->reduced, at, end) - at, chunk);
      const guint8 *from = row + ghlo_cpu_axis_at (&self->reduced, at);

      self->fold_line (read_numbers (self, from, self->reduced.stride, buffer, (gsize) n), (gsize) n, number);
      at += n;
    }
}

/* Combines reduced elements [begin, end) of @n results that follow each other in the
 * operand. */
static void
combine_lines (const Step   *self,
               const guint8 *line,
               gint64        n,
               gint64        begin,
               gint64        end,
               guint8       *numbers)
{
  guint8 buffer[BUFFER] __attribute__ ((aligned (64)));
  gint64 chunk = find_chunk (self, self->kept.stride);

  for (gint64 first = 0; first < n; first += MIN (chunk, n - first))
    {
      gsize m = (gsize) MIN (chunk, n - first);
      guint8 *to = numbers + first * self->number_size;

      for (gint64 at = begin; at < end; at++)
        {
          const guint8 *from = line + ghlo_cpu_axis_at (&self->reduced, at) + first * self->kept.stride;
          const guint8 *sides[2] = { to, read_numbers (self, from, self->kept.stride, buffer, m) };

          self->combine (sides, to, m, NULL);
        }
    }
}

/* Results [begin, end) of a block's. */
static void
fold_block (const Run *run,
            gint64     block,
            gint64     begin,
            gint64     end,
            gint64     first,
            gint64     last)
{
  const Step *self = run->self;
  guint8 *numbers = run->numbers + (block * self->kept.count + begin) * self->number_size;

  for (gint64 k = begin; k < end; k++, numbers += self->number_size)
    {
      memcpy (numbers, self->is_direct ? run->start : self->identity, self->number_size);
      fold_row (self, run->operand + ghlo_cpu_axis_at (&self->kept, k), first, last, numbers);
    }
}

static void
combine_block (const Run *run,
               gint64     block,
               gint64     begin,
               gint64     end,
               gint64     first,
               gint64     last)
{
  const Step *self = run->self;

  for (gint64 k = begin, n; k < end; k += n)
    {
      guint8 *numbers = run->numbers + (block * self->kept.count + k) * self->number_size;

      n = MIN (ghlo_cpu_axis_run_end (&self->kept, k, end) - k, MOST_LINE);
      ghlo_cpu_repeat (self->number_size, self->is_direct ? run->start : self->identity, numbers, (gsize) n);
      combine_lines (self, run->operand + ghlo_cpu_axis_at (&self->kept, k), n, first, last, numbers);
    }
}

/* Of the reduced elements. */
static inline gint64
block_begin (const Step *self,
             gint64      block)
{
  if (self->n_blocks == 1)
    return block * self->reduced.count;

  return (gint64) ((__int128) self->reduced.count * block / self->n_blocks);
}

/* Results are counted over all blocks. */
static void
reduce_part (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Run *run = data;
  const Step *self = run->self;
  gint64 kept = self->kept.count, block = (gint64) begin / kept, k = (gint64) begin % kept;

  for (gint64 at = (gint64) begin, end_k; at < (gint64) end; at += end_k - k, k = 0, block++)
    {
      gint64 first = block_begin (self, block), last = block_begin (self, block + 1);

      end_k = MIN (kept, k + (gint64) end - at);
      if (self->by_columns)
        combine_block (run, block, k, end_k, first, last);
      else
        fold_block (run, block, k, end_k, first, last);
    }
}

/* Blocks into results, with the initial value. */
static void
finish_part (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Run *run = data;
  const Step *self = run->self;
  gsize chunk = BUFFER / self->number_size;
  guint8 buffer[BUFFER] __attribute__ ((aligned (64)));

  for (gsize at = begin; at < end; at += chunk)
    {
      gsize n = MIN (chunk, end - at);
      guint8 *result = run->result + at * self->size, *to = self->form->is_read ? buffer : result;

      ghlo_cpu_repeat (self->number_size, run->start, to, n);
      for (gint64 block = 0; block < self->n_blocks; block++)
        {
          const guint8 *sides[2] = {
            to, run->numbers + ((gsize) (block * self->kept.count) + at) * self->number_size,
          };

          self->combine (sides, to, n, NULL);
        }
      if (self->form->is_read)
        ghlo_cpu_form_writer (self->form) (buffer, result, n);
    }
}

static gboolean
run (gpointer            prepared,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Step *self = prepared;
  gsize kept = (gsize) self->kept.count, all = kept * (gsize) self->n_blocks;
  double each = self->nanoseconds / MAX ((double) all, 1);
  gsize grain = self->by_columns ? MIN (MAX ((gsize) self->kept.inner, 256), MOST_LINE) : (gsize) (2000 / each) + 1;
  Run data = {
    .self = self, .operand = operands[0].data + self->first, .result = results[0].data,
    .numbers = self->is_direct ? results[0].data : scratch,
  };

  if (kept == 0)
    return TRUE;
  if (self->form->is_read)
    ghlo_cpu_form_reader (self->form) (operands[1].data, data.start, 1);
  else
    memcpy (data.start, operands[1].data, self->size);
  if (ghlo_parallel_for (all, grain, self->nanoseconds, reduce_part, &data, monitor)
      && (self->is_direct
          || ghlo_parallel_for (kept, 1024, (double) all * 0.2, finish_part, &data, monitor)))
    return TRUE;

  return !ghlo_monitor_cancelled (monitor, error);
}

static char *
describe (gpointer prepared)
{
  const Step *self = prepared;

  return g_strdup_printf ("%s of %s, %s, blocks: %" G_GINT64_FORMAT, self->by_columns ? "columns" : "rows",
                          self->form->name, ghlo_cpu_level_name (ghlo_cpu_level ()), self->n_blocks);
}

const GhloCodeKernel ghlo_cpu_step_reduce = {
  .name = "reduce",
  .takes = ghlo_cpu_takes_any,
  .prepare = prepare,
  .run = run,
  .release = release,
  .describe = describe,
};
