/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A panel is done in pieces of lines, a line being a row or a column, whichever is
 * adjacent: a piece goes through all stages while it is in the first-level cache.
 */

#include "cpu/epilogue.h"

#include "cpu/bring.h"
#include "cpu/form.h"

enum { BUFFER = 2048 };   /* bytes */

typedef struct
{
  GhloCpuLineFunc     loop;
  GhloCpuEpilogueKind kind;
  gboolean            is_left;
} Stage;

struct _GhloCpuEpilogue
{
  guint               n_stages;
  Stage               stages[GHLO_CPU_MAX_STAGES];
  guint               size;         /* of an element */
  gsize               chunk;        /* elements of a piece */
  GhloCpuConvertFunc  read, write;  /* nullable; from and to what is computed in */
};

static const struct
{
  GhloIrOpKind op;
  GhloCpuLine  line;
  guint        n_operands;
} lines[] = {
  { GHLO_OP_STABLEHLO_ABS, GHLO_CPU_LINE_ABS, 1 },
  { GHLO_OP_STABLEHLO_ADD, GHLO_CPU_LINE_ADD, 2 },
  { GHLO_OP_STABLEHLO_AND, GHLO_CPU_LINE_AND, 2 },
  { GHLO_OP_STABLEHLO_DIVIDE, GHLO_CPU_LINE_DIVIDE, 2 },
  { GHLO_OP_STABLEHLO_MAXIMUM, GHLO_CPU_LINE_MAXIMUM, 2 },
  { GHLO_OP_STABLEHLO_MINIMUM, GHLO_CPU_LINE_MINIMUM, 2 },
  { GHLO_OP_STABLEHLO_MULTIPLY, GHLO_CPU_LINE_MULTIPLY, 2 },
  { GHLO_OP_STABLEHLO_NEGATE, GHLO_CPU_LINE_NEGATE, 1 },
  { GHLO_OP_STABLEHLO_OR, GHLO_CPU_LINE_OR, 2 },
  { GHLO_OP_STABLEHLO_SQRT, GHLO_CPU_LINE_SQRT, 1 },
  { GHLO_OP_STABLEHLO_SUBTRACT, GHLO_CPU_LINE_SUBTRACT, 2 },
};

static gboolean
add_stage (GhloCpuEpilogue            *self,
           const GhloCpuForm          *form,
           const GhloCpuEpilogueStage *stage)
{
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    if (lines[i].op == stage->op)
      {
        GhloCpuLineFunc loop = ghlo_cpu_lines ()->loops[form->number][lines[i].line];

        self->stages[self->n_stages++] = (Stage) { loop, stage->kind, stage->is_left };

        return loop != NULL && (lines[i].n_operands == 1) == (stage->kind == GHLO_CPU_EPILOGUE_NONE);
      }

  return FALSE;
}

GhloCpuEpilogue *
ghlo_cpu_epilogue_new (GhloElementType             type,
                       const GhloCpuEpilogueStage *stages,
                       guint                       n_stages)
{
  const GhloCpuForm *form = ghlo_cpu_form (type);
  g_autoptr (GhloCpuEpilogue) self = NULL;

  if (form == NULL || n_stages > GHLO_CPU_MAX_STAGES)
    return NULL;
  self = g_new0 (GhloCpuEpilogue, 1);
  self->size = ghlo_cpu_form_size (form);
  self->chunk = BUFFER / ghlo_cpu_number_size (form->number);
  self->read = ghlo_cpu_form_reader (form);
  self->write = ghlo_cpu_form_writer (form);
  for (guint i = 0; i < n_stages; i++)
    if (!add_stage (self, form, &stages[i]))
      return NULL;

  return g_steal_pointer (&self);
}

void
ghlo_cpu_epilogue_free (GhloCpuEpilogue *self)
{
  g_free (self);
}

/* A panel by lines. */
typedef struct
{
  const GhloCpuEpilogueRun *run;
  guint8                   *data;
  gint64                    n_lines, line_stride, n, stride;   /* strides in bytes */
  gint64                    first_line, first;                 /* numbers in the whole result */
  GhloCpuEpilogueKind       along, across;                     /* operands that follow elements of a line, and lines */
  guint8                    value[BUFFER] __attribute__ ((aligned (64)));
  guint8                    raw[BUFFER] __attribute__ ((aligned (64)));
  guint8                    buffers[GHLO_CPU_MAX_STAGES][BUFFER] __attribute__ ((aligned (64)));
} Lines;

static void
lines_init (Lines                    *lines,
            const GhloCpuEpilogueRun *run,
            const GhloCpuPanel       *panel)
{
  gint64 size = run->epilogue->size;

  lines->run = run;
  lines->data = panel->data;
  if (panel->column_stride == size || panel->row_stride != size)
    {
      lines->along = GHLO_CPU_EPILOGUE_COLUMNS;
      lines->across = GHLO_CPU_EPILOGUE_ROWS;
      lines->n_lines = panel->n_rows;
      lines->line_stride = panel->row_stride;
      lines->first_line = panel->first_row;
      lines->n = panel->n_columns;
      lines->stride = panel->column_stride;
      lines->first = panel->first_column;
    }
  else
    {
      lines->along = GHLO_CPU_EPILOGUE_ROWS;
      lines->across = GHLO_CPU_EPILOGUE_COLUMNS;
      lines->n_lines = panel->n_columns;
      lines->line_stride = panel->column_stride;
      lines->first_line = panel->first_column;
      lines->n = panel->n_rows;
      lines->stride = panel->row_stride;
      lines->first = panel->first_row;
    }
}

/* @n elements @stride bytes apart as numbers: where they are, or in @buffer. */
static const guint8 *
read_piece (Lines        *lines,
            const guint8 *from,
            gint64        stride,
            guint8       *buffer,
            gsize         n)
{
  const GhloCpuEpilogue *self = lines->run->epilogue;

  if (stride != self->size)
    {
      guint8 *to = self->read != NULL ? lines->raw : buffer;

      if (stride == 0)
        ghlo_cpu_repeat (self->size, from, to, n);
      else
        ghlo_cpu_bring_lines (self->size, from, 0, stride, to, 1, n);
      from = to;
    }
  if (self->read == NULL)
    return from;
  self->read (from, buffer, n);

  return buffer;
}

/* What is the same for the pieces of all lines from element @at on. */
static void
read_common (Lines         *lines,
             gint64         at,
             gsize          n,
             const guint8 **operands)
{
  const GhloCpuEpilogue *self = lines->run->epilogue;

  for (guint s = 0; s < self->n_stages; s++)
    {
      const guint8 *from = lines->run->operands[s];

      if (self->stages[s].kind == GHLO_CPU_EPILOGUE_SINGLE)
        operands[s] = read_piece (lines, from, 0, lines->buffers[s], n);
      else if (self->stages[s].kind == lines->along)
        operands[s] = read_piece (lines, from + (lines->first + at) * self->size, self->size, lines->buffers[s], n);
    }
}

/* What is each line's own. */
static void
read_own (Lines         *lines,
          gint64         line,
          const guint8  *place,
          gsize          n,
          const guint8 **operands)
{
  const GhloCpuEpilogue *self = lines->run->epilogue;

  for (guint s = 0; s < self->n_stages; s++)
    {
      const guint8 *from = lines->run->operands[s];

      if (self->stages[s].kind == GHLO_CPU_EPILOGUE_RESULT)
        operands[s] = read_piece (lines, from + (place - lines->run->result), lines->stride, lines->buffers[s], n);
      else if (self->stages[s].kind == lines->across)
        operands[s] = read_piece (lines, from + (lines->first_line + line) * self->size, 0, lines->buffers[s], n);
    }
}

static void
do_piece (Lines               *lines,
          guint8              *place,
          gsize                n,
          const guint8 *const *operands)
{
  const GhloCpuEpilogue *self = lines->run->epilogue;
  gboolean is_direct = self->read == NULL && lines->stride == self->size;
  guint8 *value = is_direct ? place : lines->value;
  guint8 *out = lines->stride == self->size ? place : self->read != NULL ? lines->raw : lines->value;

  if (!is_direct)
    read_piece (lines, place, lines->stride, lines->value, n);
  for (guint s = 0; s < self->n_stages; s++)
    {
      const Stage *stage = &self->stages[s];
      const guint8 *sides[2] = { stage->is_left ? operands[s] : value, stage->is_left ? value : operands[s] };

      stage->loop (sides, value, n, NULL);
      if (self->write != NULL)
        self->write (value, out, n);
      if (self->write != NULL && s + 1 < self->n_stages)
        self->read (out, value, n);
    }
  if (lines->stride != self->size)
    ghlo_cpu_spread (self->size, out, place, lines->stride, n);
}

void
ghlo_cpu_epilogue_panel (gpointer            data,
                         const GhloCpuPanel *panel)
{
  const GhloCpuEpilogueRun *run = data;
  const GhloCpuEpilogue *self = run->epilogue;
  const guint8 *operands[GHLO_CPU_MAX_STAGES] = { NULL };
  Lines lines;

  if (self->n_stages == 0)
    return;
  lines_init (&lines, run, panel);
  for (gint64 at = 0; at < lines.n; at += (gint64) self->chunk)
    {
      gsize n = MIN (self->chunk, (gsize) (lines.n - at));

      read_common (&lines, at, n, operands);
      for (gint64 line = 0; line < lines.n_lines; line++)
        {
          guint8 *place = lines.data + line * lines.line_stride + at * lines.stride;

          read_own (&lines, line, place, n, operands);
          do_piece (&lines, place, n, operands);
        }
    }
}
