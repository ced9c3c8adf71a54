/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The steps of dynamic_slice and dynamic_update_slice. The latter writes into its operand where possible, and
 * otherwise also copies the elements that are not replaced, or, where these are many short rows, all of them first.
 */

#include "cpu/move/move.h"
#include "cpu/move/segments.h"

/* Rows with fewer bytes, of which a part is replaced, are copied completely. */
enum { SHORT_ROW = 1024 };

typedef struct
{
  GhloCpuCopy copy;      /* of the update */
  gboolean    has_short_rows;
} Update;

/* Reads the start of a slice of @sizes in a tensor of @dimensions, from the index operands from @first on. */
static void
read_starts (const GhloView *operands,
             guint           first,
             const gint64   *dimensions,
             const gint64   *sizes,
             guint           rank,
             gint64         *starts)
{
  for (guint d = 0; d < rank; d++)
    starts[d] = CLAMP (ghlo_cpu_moves_index (&operands[first + d]), 0, dimensions[d] - sizes[d]);
}

static gint64
offset_of (const gint64 *starts,
           const gint64 *strides,
           guint         rank)
{
  gint64 offset = 0;

  for (guint d = 0; d < rank; d++)
    offset += starts[d] > 0 ? starts[d] * strides[d] : 0;

  return offset;
}

/* Returns why not every slice with the shape of @slice fits into @operand, or NULL. */
static const char *
find_misfit (const GhloView *operand,
             const GhloView *slice,
             guint           n_starts)
{
  if (slice->rank != operand->rank || n_starts != operand->rank)
    return "its slice and its operand have different ranks";
  for (guint d = 0; d < slice->rank; d++)
    if (slice->dimensions[d] > operand->dimensions[d])
      return "its slice is larger than its operand";

  return NULL;
}

static const char *
read_slice (gpointer               step,
            GhloDeviceCore        *device,
            const GhloStepRequest *request)
{
  const GhloView *result = &request->results[0];
  const char *reason = find_misfit (&request->operands[0], result, request->n_operands - 1);

  if (reason == NULL)
    ghlo_cpu_copy_init (step, result->rank, result->dimensions, result->element_type, request->operands[0].strides,
                        result->element_type, result->strides);

  return reason;
}

static gboolean
run_slice (gpointer            compiled,
           const GhloView     *operands,
           const GhloView     *results,
           gpointer            scratch,
           const GhloMonitor  *monitor,
           GError            **error)
{
  guint rank = results[0].rank;
  gint64 starts[GHLO_MAX_RANK];

  read_starts (operands, 1, operands[0].dimensions, results[0].dimensions, rank, starts);

  return ghlo_cpu_finish (ghlo_cpu_copy_run (compiled, operands[0].data + offset_of (starts, operands[0].strides, rank),
                                             results[0].data, monitor), monitor, error);
}

/* Whether an update replaces at most half of the result, and only parts of short rows. */
static gboolean
replaces_short_rows (const GhloView *result,
                     const GhloView *update)
{
  gint64 row = (gint64) ghlo_element_info (result->element_type)->size;
  guint d = result->rank;

  if (2 * ghlo_view_count (update) > ghlo_view_count (result))
    return FALSE;
  for (; d > 0 && update->dimensions[d - 1] == result->dimensions[d - 1]; d--)
    row *= result->dimensions[d - 1];

  return d > 1 && row * result->dimensions[d - 1] < SHORT_ROW;
}

static const char *
read_update (gpointer               step,
             GhloDeviceCore        *device,
             const GhloStepRequest *request)
{
  Update *self = step;
  const GhloView *update = &request->operands[1], *result = &request->results[0];
  const char *reason = request->n_operands < 2 ? "it has no update"
                       : find_misfit (&request->operands[0], update, request->n_operands - 2);

  if (reason == NULL)
    {
      ghlo_cpu_copy_init (&self->copy, update->rank, update->dimensions, update->element_type, update->strides,
                          result->element_type, result->strides);
      self->has_short_rows = replaces_short_rows (result, update);
    }

  return reason;
}

static void
select_update (gpointer               step,
               const GhloStepRequest *request,
               GhloStepSelection     *selection)
{
  selection->operands[0].in_place = 0;
  /* For the segments that are needed where the result does not share the operand's memory. */
  selection->scratch = ghlo_cpu_segments_size (2 * request->results[0].rank + 1);
}

static gboolean
run_update (gpointer            compiled,
            const GhloView     *operands,
            const GhloView     *results,
            gpointer            scratch,
            const GhloMonitor  *monitor,
            GError            **error)
{
  const Update *self = compiled;
  guint rank = results[0].rank;
  GhloCpuSegments *segments = scratch;
  gint64 starts[GHLO_MAX_RANK], at;
  const gboolean is_in_place = results[0].data == operands[0].data;
  gboolean done = TRUE;

  read_starts (operands, 2, results[0].dimensions, operands[1].dimensions, rank, starts);
  at = offset_of (starts, results[0].strides, rank);
  ghlo_cpu_segments_init (segments);
  if (!is_in_place && self->has_short_rows)
    ghlo_cpu_segments_add (segments, &results[0], results[0].dimensions, 0, operands[0].strides, 0, 0);
  else if (!is_in_place)
    {
      ghlo_cpu_segments_add_around (segments, &results[0], starts, operands[1].dimensions, 0, operands[0].strides);
      ghlo_cpu_segments_add (segments, &results[0], operands[1].dimensions, 1, operands[1].strides, 0, at);
    }
  if (!is_in_place)
    done = ghlo_cpu_segments_run (segments, operands, results[0].data, monitor);
  if (done && (is_in_place || self->has_short_rows))
    done = ghlo_cpu_copy_run (&self->copy, operands[1].data, results[0].data + at, monitor);

  return ghlo_cpu_finish (done, monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_dynamic_slice = {
  .name = "dynamic_slice",
  .size = sizeof (GhloCpuCopy),
  .read = read_slice,
  .run = run_slice,
};

const GhloStepImplementation ghlo_cpu_step_dynamic_update_slice = {
  .name = "dynamic_update_slice",
  .size = sizeof (Update),
  .read = read_update,
  .select = select_update,
  .run = run_update,
};
