/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A panel is done in chunks of its rows, or of its columns where those are adjacent in
 * memory; where nothing lies between them the whole panel is one row. A chunk goes
 * through all stages while it is in the first-level cache. What is made of an operand
 * for a chunk (repeated, converted) is kept for the next one that wants the same.
 */

#include "cpu/gemm/epilogue.h"

#include <string.h>

#include "cpu/move/strided.h"
#include "cpu/elementwise/compute-type.h"

enum { BUFFER = 2048 };   /* bytes */

typedef enum
{
  NONE,
  SINGLE,     /* one for all */
  RESULT,     /* one for each */
  PERIODS,    /* adjacent ones, over and over */
  RUNS,       /* each of them several times */
} Kind;

typedef struct
{
  GhloCpuElementwiseFunc loop;
  Kind                   kind;
  gboolean               is_left;
  gint64                 inner, count;
} Stage;

struct _GhloCpuEpilogue
{
  guint              n_stages;
  Stage              stages[GHLO_CPU_MAX_STAGES];
  guint              size;         /* of an element */
  gint64             chunk;        /* elements of one, at most */
  GhloCpuConvertFunc read, write;  /* nullable; from and to what is computed in */
};

/* The loop of @op, where it has one or two operands, and a result, of one type. */
static GhloCpuElementwiseFunc
find_loop (const GhloCpuComputeType *form,
           GhloIrOpKind              op)
{
  GhloScalarKind kind = ghlo_scalar_of (op);

  return ghlo_ir_op_spec (op)->n_operands <= 2 && ghlo_scalar_gives (kind, form->type, form->type)
         ? ghlo_cpu_compute_type_loop (form, kind) : NULL;
}

guint
ghlo_cpu_epilogue_takes (GhloElementType type,
                         GhloIrOpKind    op)
{
  const GhloCpuComputeType *form = ghlo_cpu_compute_type (type);

  return form != NULL && find_loop (form, op) != NULL ? ghlo_ir_op_spec (op)->n_operands : 0;
}

/* As they lie, outermost first. */
static void
order_dimensions (const GhloView *result,
                  guint          *order)
{
  for (guint d = 0; d < result->rank; d++)
    {
      guint at = d;

      for (; at > 0 && result->strides[order[at - 1]] < result->strides[d]; at--)
        order[at] = order[at - 1];
      order[at] = d;
    }
}

gboolean
ghlo_cpu_epilogue_meet (const GhloView       *operand,
                        const GhloView       *result,
                        GhloCpuEpilogueStage *stage)
{
  gint64 size = ghlo_element_info (result->element_type)->size;
  gboolean is_outer = FALSE;
  guint order[GHLO_MAX_RANK];

  stage->inner = stage->count = 1;
  if (operand->element_type != result->element_type)
    return FALSE;
  if (operand->rank == 0)
    return TRUE;
  if (operand->rank != result->rank
      || memcmp (operand->dimensions, result->dimensions, result->rank * sizeof (gint64)) != 0)
    return FALSE;
  /* From inside: where it stays, where it steps on, and where it begins again. */
  order_dimensions (result, order);
  for (guint i = result->rank; i > 0; i--)
    {
      guint d = order[i - 1];
      gint64 n = result->dimensions[d], stride = operand->strides[d];

      if (n == 1)
        continue;
      if (stride == 0 && stage->count == 1)
        stage->inner *= n;
      else if (stride == 0)
        is_outer = TRUE;
      else if (stride == size * stage->count && !is_outer)
        stage->count *= n;
      else
        return FALSE;
    }

  return TRUE;
}

static Kind
find_kind (const GhloCpuEpilogueStage *stage,
           gint64                      n)
{
  if (stage->count <= 1)
    return stage->count == 1 ? SINGLE : NONE;
  if (stage->inner > 1)
    return RUNS;

  return stage->count < n ? PERIODS : RESULT;
}

static gint64
common_divisor (gint64 a,
                gint64 b)
{
  while (b != 0)
    {
      gint64 rest = a % b;

      a = b;
      b = rest;
    }

  return a;
}

/* Pieces that are a multiple of short periods want the same of an operand each. */
static void
find_chunk (GhloCpuEpilogue *self,
            gint64           most)
{
  gint64 unit = 1;

  for (guint s = 0; s < self->n_stages; s++)
    {
      const Stage *stage = &self->stages[s];
      gint64 period = stage->kind == PERIODS || stage->kind == RUNS ? stage->inner * stage->count : 1;
      gint64 step = period / common_divisor (period, unit);

      if (period <= most && step <= most / unit)
        unit *= step;
    }
  self->chunk = most / unit * unit;
}

GhloCpuEpilogue *
ghlo_cpu_epilogue_new (GhloElementType             type,
                       gint64                      n,
                       const GhloCpuEpilogueStage *stages,
                       guint                       n_stages)
{
  const GhloCpuComputeType *form = ghlo_cpu_compute_type (type);
  g_autoptr (GhloCpuEpilogue) self = NULL;

  if (form == NULL || n_stages > GHLO_CPU_MAX_STAGES)
    return NULL;
  self = g_new0 (GhloCpuEpilogue, 1);
  self->size = ghlo_cpu_compute_type_size (form);
  self->read = ghlo_cpu_compute_type_reader (form);
  self->write = ghlo_cpu_compute_type_writer (form);
  for (guint i = 0; i < n_stages; i++)
    {
      GhloCpuElementwiseFunc loop = find_loop (form, stages[i].op);

      if (loop == NULL || (ghlo_ir_op_spec (stages[i].op)->n_operands == 1) != (stages[i].count == 0))
        return NULL;
      self->stages[self->n_stages++] = (Stage) {
        .loop = loop, .kind = find_kind (&stages[i], n), .is_left = stages[i].is_left, .inner = stages[i].inner,
        .count = stages[i].count,
      };
      if (stages[i].count == 1)
        self->stages[i].inner = MAX (n, 1);
    }
  find_chunk (self, BUFFER / ghlo_cpu_number_size (form->number));

  return g_steal_pointer (&self);
}

void
ghlo_cpu_epilogue_free (GhloCpuEpilogue *self)
{
  g_free (self);
}

/* A panel by its rows, or by its columns. */
typedef struct
{
  const GhloCpuEpilogueRun *run;
  guint8                   *data;
  gint64                    n_rows, row_stride, n, stride;      /* strides in bytes */
  gint64                    held[GHLO_CPU_MAX_STAGES];            /* what of the operand a buffer begins with */
  gint64                    n_held[GHLO_CPU_MAX_STAGES];          /* numbers in it */
  guint8                    value[BUFFER] __attribute__ ((aligned (64)));
  guint8                    apart[BUFFER] __attribute__ ((aligned (64)));    /* elements that lie so, side by side */
  guint8                    raw[BUFFER] __attribute__ ((aligned (64)));      /* elements before they are read */
  guint8                    buffers[GHLO_CPU_MAX_STAGES][BUFFER] __attribute__ ((aligned (64)));
} Rows;

static void
rows_init (Rows                    *rows,
           const GhloCpuEpilogueRun *run,
           const GhloCpuPanel       *panel)
{
  gint64 size = run->epilogue->size;

  rows->run = run;
  rows->data = panel->data;
  memset (rows->n_held, 0, sizeof (rows->n_held));
  if (panel->column_stride == size || panel->row_stride != size)
    {
      rows->n_rows = panel->n_rows;
      rows->row_stride = panel->row_stride;
      rows->n = panel->n_columns;
      rows->stride = panel->column_stride;
    }
  else
    {
      rows->n_rows = panel->n_columns;
      rows->row_stride = panel->column_stride;
      rows->n = panel->n_rows;
      rows->stride = panel->row_stride;
    }
  if (rows->n == 1)
    rows->stride = size;
  if (rows->n_rows > 1 && rows->row_stride == rows->n * rows->stride)
    {
      rows->n *= rows->n_rows;
      rows->n_rows = 1;
    }
}

/* @n adjacent elements as numbers: where they are, or in @buffer. */
static inline const guint8 *
read_numbers (const GhloCpuEpilogue *self,
              const guint8          *from,
              guint8                *buffer,
              gsize                  n)
{
  if (self->read == NULL)
    return from;
  self->read (from, buffer, n);

  return buffer;
}

/* Elements of an operand for @n of the result's from element @index on, @step apart. */
static void
gather (const GhloCpuEpilogue *self,
        const Stage           *stage,
        const guint8          *from,
        gint64                 index,
        gint64                 step,
        guint8                *to,
        gint64                 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      gint64 at = (index + i * step) / stage->inner % stage->count;

      ghlo_cpu_fill (self->size, from + at * self->size, to + i * self->size, 1);
    }
}

/* The same of a row without gaps, up to where the operand begins again. */
static gint64
repeat_once (const GhloCpuEpilogue *self,
             const Stage           *stage,
             const guint8          *from,
             gint64                 index,
             guint8                *to,
             gint64                 n)
{
  gint64 at = index / stage->inner % stage->count, done = MIN (stage->inner - index % stage->inner, n);
  gint64 runs = MIN ((n - done) / stage->inner, stage->count - at - 1);

  if (stage->inner == 1)
    {
      memcpy (to, from + at * self->size, (gsize) (runs + done) * self->size);
      return runs + done;
    }
  ghlo_cpu_fill (self->size, from + at * self->size, to, (gsize) done);
  ghlo_cpu_pack_strided (self->size, from + (at + 1) * self->size, self->size, 0, to + done * self->size, (gsize) runs,
                         (gsize) stage->inner);

  return done + runs * stage->inner;
}

/* All of it: what came once comes again after a period. */
static void
repeat (const GhloCpuEpilogue *self,
        const Stage           *stage,
        const guint8          *from,
        gint64                 index,
        guint8                *to,
        gint64                 n)
{
  gint64 most = MIN (n, stage->inner * stage->count), done = 0;

  while (done < most)
    done += repeat_once (self, stage, from, index + done, to + done * self->size, most - done);
  for (gint64 m; done < n; done += m)
    {
      m = MIN (done, n - done);
      memcpy (to + done * self->size, to, (gsize) m * self->size);
    }
}

/* The operand of stage @s for @n elements of a row without gaps. */
static const guint8 *
read_operand (Rows  *rows,
              guint   s,
              gint64  index,
              gint64  n)
{
  const GhloCpuEpilogue *self = rows->run->epilogue;
  const Stage *stage = &self->stages[s];
  const guint8 *from = rows->run->operands[s];
  guint8 *buffer = rows->buffers[s], *to = self->read != NULL ? rows->raw : buffer;
  gint64 at = 0;

  switch (stage->kind)
    {
    case NONE:
      return NULL;
    case RESULT:
      return read_numbers (self, from + index * self->size, buffer, (gsize) n);
    case PERIODS:
      at = index % stage->count;
      if (self->read == NULL && n <= stage->count - at)
        return from + at * self->size;
      break;
    case RUNS:
      /* Within one run, and across several of them. */
      at = index / stage->inner % stage->count;
      if (n > stage->inner - index % stage->inner)
        at = -1 - index % (stage->inner * stage->count);
      break;
    default:
      break;
    }
  if (rows->held[s] == at && rows->n_held[s] >= n)
    return buffer;
  rows->held[s] = at;
  rows->n_held[s] = n;
  repeat (self, stage, from, index, to, n);

  return read_numbers (self, to, buffer, (gsize) n);
}

/* The same of a row whose elements lie apart. */
static const guint8 *
gather_operand (Rows  *rows,
                guint   s,
                gint64  index,
                gint64  n)
{
  const GhloCpuEpilogue *self = rows->run->epilogue;
  guint8 *to = self->read != NULL ? rows->raw : rows->buffers[s];

  if (self->stages[s].kind == NONE)
    return NULL;
  gather (self, &self->stages[s], rows->run->operands[s], index, rows->stride / self->size, to, n);

  return read_numbers (self, to, rows->buffers[s], (gsize) n);
}

/* All stages on @n numbers, rounded to elements in @out after each; both are the same
 * where numbers are elements. */
static void
do_stages (Rows  *rows,
           guint8 *value,
           guint8 *out,
           gint64  index,
           gint64  n)
{
  const GhloCpuEpilogue *self = rows->run->epilogue;
  gboolean is_direct = rows->stride == self->size;

  for (guint s = 0; s < self->n_stages; s++)
    {
      const Stage *stage = &self->stages[s];
      const guint8 *operand = is_direct ? read_operand (rows, s, index, n) : gather_operand (rows, s, index, n);
      const guint8 *sides[2] = { stage->is_left ? operand : value, stage->is_left ? value : operand };

      stage->loop (sides, value, (gsize) n, NULL);
      if (self->write != NULL)
        self->write (value, out, (gsize) n);
      if (self->write != NULL && s + 1 < self->n_stages)
        self->read (out, value, (gsize) n);
    }
}

static void
do_chunk (Rows  *rows,
          guint8 *place,
          gint64  n)
{
  const GhloCpuEpilogue *self = rows->run->epilogue;
  gint64 index = (place - rows->run->result) / self->size;
  gboolean is_apart = rows->stride != self->size;
  guint8 *elements = is_apart ? rows->apart : place, *value = elements;

  if (is_apart)
    ghlo_cpu_pack_strided (self->size, place, 0, rows->stride, elements, 1, (gsize) n);
  if (self->read != NULL)
    {
      value = rows->value;
      self->read (elements, value, (gsize) n);
    }
  do_stages (rows, value, elements, index, n);
  if (is_apart)
    ghlo_cpu_unpack_strided (self->size, elements, place, rows->stride, (gsize) n);
}

void
ghlo_cpu_epilogue_panel (gpointer            data,
                         const GhloCpuPanel *panel)
{
  const GhloCpuEpilogueRun *run = data;
  const GhloCpuEpilogue *self = run->epilogue;
  Rows rows;

  if (self->n_stages == 0)
    return;
  rows_init (&rows, run, panel);
  for (gint64 at = 0; at < rows.n; at += self->chunk)
    for (gint64 row = 0; row < rows.n_rows; row++)
      do_chunk (&rows, rows.data + row * rows.row_stride + at * rows.stride, MIN (self->chunk, rows.n - at));
}
