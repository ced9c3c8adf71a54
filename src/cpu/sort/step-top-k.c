/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of chlo.top_k: the largest elements in the total order; equal ones are ordered by position. While a long
 * row is read, only elements that may still be among the k largest are kept.
 */

#include "base/sizes.h"
#include "cpu/finish.h"
#include "cpu/sort/keys.h"
#include "cpu/sort/numbers.h"
#include "cpu/steps.h"
#include "runtime/parallel.h"

#include <string.h>

/* ROOM: candidates besides twice k. MIN_PART: fewest elements of a part of a row. CHECK_EVERY: chunks of ranks
 * between two checks for cancellation. */
enum { ROOM = 1024, MIN_PART = 1 << 16, CHECK_EVERY = 4096, MAX_PARTS = 256 };

/* Nanoseconds to read an element, and to sort one of the k largest. */
#define LOOK_COST 1.5
#define SORT_COST 40.0

typedef struct _TopK TopK;
typedef struct _Run  Run;

/* The functions for numbers of one width. */
typedef struct
{
  guint size;
  /* Finds the k smallest numbers of a part of a row, and sets *@numbers to them, in order. FALSE when cancelled. */
  gboolean (*select) (const TopK        *self,
                      const guint8      *from,
                      gint64             stride,
                      gsize              begin,
                      gsize              end,
                      guint8           **numbers,
                      guint8            *spare,
                      const GhloMonitor *monitor);
  /* Finds the k smallest of the k smallest of all parts, which are adjacent. */
  void     (*unite)  (const TopK        *self,
                      guint8           **numbers,
                      guint8            *spare);
  guint64  (*position)  (gconstpointer      numbers,
                         gsize              i);
} Width;

struct _TopK
{
  GhloSortKey    key;
  const Width   *width;
  gsize          n, k, n_rows;
  gsize          capacity;      /* numbers in a buffer of candidates */
  gboolean       threads_share_rows;    /* otherwise they share the parts of a row */
  gsize          n_parts;
  gsize          scratch;       /* bytes for one thread or part: two buffers */
  gsize          all_scratch;   /* bytes for all threads or parts, and for the numbers that they find */
  double         nanoseconds;   /* for a row */
};

struct _Run
{
  const TopK        *top_k;
  const GhloView    *operand, *values, *indices;
  guint8            *scratch;
  gsize              row;
  guint8            *found[MAX_PARTS];    /* the numbers found in each part of the row */
  const GhloMonitor *monitor;
  gint               stopped;             /* atomic */
};

#define DEFINE_WIDTH(NAME, NUMBER, LOW) \
  static void \
  sort_##NAME (const TopK *self, \
               guint8    **numbers, \
               guint8     *spare) \
  { \
    NUMBER *sorted; \
    \
    /* Not cancellable, since sorting k numbers is quick. */ \
    ghlo_cpu_sort_##NAME ((gpointer) *numbers, (gpointer) spare, self->k, 0, 8 * sizeof (NUMBER), NULL, &sorted); \
    *numbers = (guint8 *) sorted; \
  } \
  \
  static gboolean \
  select_##NAME (const TopK        *self, \
                 const guint8      *from, \
                 gint64             stride, \
                 gsize              begin, \
                 gsize              end, \
                 guint8           **numbers, \
                 guint8            *spare, \
                 const GhloMonitor *monitor) \
  { \
    NUMBER *kept = (gpointer) *numbers, limit = ~(NUMBER) 0; \
    guint64 ranks[GHLO_CPU_SORT_CHUNK]; \
    gsize n_kept = 0, k = MIN (self->k, end - begin), checked = 0; \
    \
    for (gsize i = begin; i < end; i += GHLO_CPU_SORT_CHUNK) \
      { \
        gsize n = MIN (GHLO_CPU_SORT_CHUNK, end - i); \
        \
        if (++checked % CHECK_EVERY == 0 && ghlo_monitor_cancelled (monitor, NULL)) \
          return FALSE; \
        ghlo_cpu_sort_key_rank (&self->key, from + (gint64) i * stride, stride, NULL, n, FALSE, ranks); \
        for (gsize j = 0; j < n; j++) \
          { \
            NUMBER number = (NUMBER) ranks[j] << LOW | (i + j); \
            \
            kept[n_kept] = number; \
            n_kept += number < limit; \
          } \
        if (n_kept + GHLO_CPU_SORT_CHUNK > self->capacity) \
          { \
            ghlo_cpu_select_##NAME (kept, (gpointer) spare, n_kept, k); \
            n_kept = k; \
            limit = kept[0]; \
            for (gsize j = 1; j < k; j++) \
              limit = MAX (limit, kept[j]); \
          } \
      } \
    if (n_kept > k) \
      ghlo_cpu_select_##NAME (kept, (gpointer) spare, n_kept, k); \
    sort_##NAME (self, numbers, spare); \
    return TRUE; \
  } \
  \
  static void \
  unite_##NAME (const TopK *self, \
                guint8    **numbers, \
                guint8     *spare) \
  { \
    ghlo_cpu_select_##NAME ((gpointer) *numbers, (gpointer) spare, self->n_parts * self->k, self->k); \
    sort_##NAME (self, numbers, spare); \
  } \
  \
  static guint64 \
  position_##NAME (gconstpointer numbers, \
                   gsize         i) \
  { \
    return (guint32) ((const NUMBER *) numbers)[i]; \
  }

DEFINE_WIDTH (u64, guint64, 32)
DEFINE_WIDTH (u128, GhloCpuU128, 64)

static const Width widths[] = {
  { sizeof (guint64), select_u64, unite_u64, position_u64 },
  { sizeof (GhloCpuU128), select_u128, unite_u128, position_u128 },
};

/* A row is split where each part finds few numbers compared with how many it reads. */
static void
choose_parts (TopK *self)
{
  gsize n_workers = MIN (ghlo_parallel_n_workers (), MAX_PARTS);

  self->n_parts = 1;
  self->threads_share_rows = self->n_rows >= n_workers || self->n / n_workers < MIN_PART
                             || self->k > self->n / n_workers / 8;
  if (!self->threads_share_rows)
    self->n_parts = n_workers;
}

static gboolean
find_scratch (TopK *self)
{
  gsize bytes, offset, *all = &self->all_scratch;

  self->scratch = 0;
  if (!ghlo_size_reserve (&self->scratch, &offset, self->capacity, 2 * self->width->size))
    return FALSE;
  bytes = self->threads_share_rows ? 0 : 2 * self->n_parts * self->k * self->width->size;

  return ghlo_size_mul (all, self->scratch, self->threads_share_rows ? ghlo_parallel_n_workers () : self->n_parts)
         && ghlo_size_add (all, *all, bytes);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  TopK *self = step;
  const GhloView *operand = &request->operands[0], *values = &request->results[0];
  gsize count;

  self->key.descending = TRUE;
  if (operand->rank == 0 || ghlo_element_type_is_complex (operand->element_type)
      || request->results[1].element_type != GHLO_ELEMENT_TYPE_I32 || values->element_type != operand->element_type
      || !ghlo_sort_key_init (&self->key, operand->element_type))
    return "elements of its types cannot be sorted";
  if (!ghlo_shape_count (values->dimensions, values->rank, &count))
    return "its results have too many elements";
  self->n = (gsize) operand->dimensions[operand->rank - 1];
  self->k = (gsize) values->dimensions[values->rank - 1];
  self->n_rows = self->k > 0 ? count / self->k : 0;
  if (self->k > self->n || self->n > G_MAXINT32)
    return "its rows are too long, or have fewer than k elements";

  self->width = &widths[self->key.size > 4];
  choose_parts (self);
  self->capacity = MIN (2 * self->k + ROOM, self->n) + GHLO_CPU_SORT_CHUNK;
  self->nanoseconds = LOOK_COST * (double) self->n + SORT_COST * (double) self->k;

  return find_scratch (self) ? NULL : "its rows are too long";
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const TopK *self = step;

  selection->scratch = self->all_scratch;
}

static const guint8 *
find_row (const Run *run,
          gsize      row)
{
  const GhloView *view = run->operand;
  const guint8 *from = view->data;

  for (guint i = view->rank - 1; i > 0; i--)
    {
      from += (gint64) (row % (gsize) view->dimensions[i - 1]) * view->strides[i - 1];
      row /= (gsize) view->dimensions[i - 1];
    }

  return from;
}

static void
store_row (const Run    *run,
           gsize         row,
           gconstpointer numbers)
{
  const TopK *self = run->top_k;
  const guint8 *from = find_row (run, row);
  gint64 stride = run->operand->strides[run->operand->rank - 1];
  gsize size = self->key.element_size;
  guint8 *to = run->values->data + row * self->k * size, *indices = run->indices->data + row * self->k * 4;

  for (gsize i = 0; i < self->k; i++)
    {
      gint32 position = (gint32) self->width->position (numbers, i);

      memcpy (to + i * size, from + position * stride, size);
      memcpy (indices + 4 * i, &position, 4);
    }
}

static gboolean
select_part (Run     *run,
             gsize    row,
             gsize    part,
             guint8  *scratch,
             guint8 **found)
{
  const TopK *self = run->top_k;
  gsize begin = ghlo_cpu_sort_part_begin (self->n, self->n_parts, part);
  gsize end = ghlo_cpu_sort_part_begin (self->n, self->n_parts, part + 1);

  *found = scratch;
  if (self->width->select (self, find_row (run, row), run->operand->strides[run->operand->rank - 1],
                           begin, end, found, scratch + self->scratch / 2, run->monitor))
    return TRUE;
  g_atomic_int_set (&run->stopped, TRUE);

  return FALSE;
}

static void
run_rows (gpointer data,
          gsize    begin,
          gsize    end,
          guint    worker)
{
  Run *run = data;
  guint8 *found;

  for (gsize row = begin; row < end && !g_atomic_int_get (&run->stopped); row++)
    if (select_part (run, row, 0, run->scratch + worker * run->top_k->scratch, &found))
      store_row (run, row, found);
}

static void
run_parts (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  Run *run = data;

  for (gsize part = begin; part < end; part++)
    select_part (run, run->row, part, run->scratch + part * run->top_k->scratch, &run->found[part]);
}

static gboolean
split_row (Run  *run,
           gsize row)
{
  const TopK *self = run->top_k;
  gsize bytes = self->k * self->width->size;
  guint8 *all = run->scratch + self->n_parts * self->scratch, *spare = all + self->n_parts * bytes;

  run->row = row;
  if (!ghlo_parallel_for (self->n_parts, 1, self->nanoseconds, run_parts, run, run->monitor) || run->stopped)
    return FALSE;
  for (gsize part = 0; part < self->n_parts; part++)
    memcpy (all + part * bytes, run->found[part], bytes);
  self->width->unite (self, &all, spare);
  store_row (run, row, all);

  return TRUE;
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const TopK *self = compiled;
  Run run = {
    .top_k = self, .operand = &operands[0], .values = &results[0], .indices = &results[1], .scratch = scratch,
    .monitor = monitor,
  };
  gboolean done = TRUE;

  if (self->threads_share_rows)
    done = ghlo_parallel_for (self->n_rows, 1, self->nanoseconds * (double) self->n_rows, run_rows, &run, monitor)
           && !run.stopped;
  else
    for (gsize row = 0; done && row < self->n_rows; row++)
      done = split_row (&run, row);

  return ghlo_cpu_finish (done, monitor, error);
}

static char *
describe (gpointer compiled)
{
  const TopK *self = compiled;

  return g_strdup_printf ("%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT "%s", self->k, self->n,
                          self->n_parts > 1 ? ", in parts" : "");
}

const GhloStepImplementation ghlo_cpu_step_top_k = {
  .name = "top_k",
  .size = sizeof (TopK),
  .read = read_request,
  .select = fill_selection,
  .run = run,
  .describe = describe,
};
