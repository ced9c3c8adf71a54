/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sort, if its comparator compares keys (kernel/sort-comparator.h), and top_k.
 */

#include "base/sizes.h"
#include "gpu/shaders.h"
#include "gpu/sort.h"
#include "gpu/steps.h"

enum { MAX_OPERANDS = 32 };

typedef struct
{
  GhloSortComparator  comparator;
  GhloGpuSort         sort;
  gsize               n_kept;                         /* elements per line of the results */
  guint               n_permuted;                     /* results that are permuted operands; top_k has another result,
                                                       * their indices */
  guint               sizes[MAX_OPERANDS];            /* of their elements */
  GhloVulkanPipeline *permuters[MAX_OPERANDS];
} Sort;

static const char *
read_lines (Sort           *self,
            GhloGpuDevice  *device,
            const GhloView *operand,
            guint           dimension)
{
  gsize outer, inner;

  if (!ghlo_shape_count (operand->dimensions, dimension, &outer)
      || !ghlo_shape_count (operand->dimensions + dimension + 1, operand->rank - dimension - 1, &inner)
      || !ghlo_size_mul (&outer, outer, inner))
    return "it has too many elements";

  return ghlo_gpu_sort_init (&self->sort, device, &self->comparator, (gsize) operand->dimensions[dimension], outer,
                             inner, 0);
}

static const char *
read_sort (Sort                  *self,
           GhloGpuDevice         *device,
           const GhloStepRequest *request)
{
  gint64 dimension = ghlo_ir_op_get_int (request->op, "dimension", -1);
  const GhloView *operands = request->operands;

  if (request->n_operands == 0 || request->n_operands > MAX_OPERANDS)
    return "it has too many operands";
  if (dimension < 0)
    dimension += operands[0].rank;
  if (dimension < 0 || dimension >= operands[0].rank)
    return "its dimension is out of range";
  if (!ghlo_sort_comparator_read (&self->comparator, request->op))
    return "its comparator is not a plain comparison of elements";
  self->n_permuted = request->n_operands;
  self->n_kept = (gsize) operands[0].dimensions[dimension];

  return read_lines (self, device, &operands[0], (guint) dimension);
}

/* Orders all elements, greatest first. */
static const char *
read_top_k (Sort                  *self,
            GhloGpuDevice         *device,
            const GhloStepRequest *request)
{
  const GhloView *operand = &request->operands[0], *values = &request->results[0];

  self->comparator.n_keys = self->n_permuted = 1;
  self->comparator.keys[0].descending = TRUE;
  if (operand->rank == 0 || ghlo_element_type_is_complex (operand->element_type)
      || request->results[1].element_type != GHLO_ELEMENT_TYPE_I32 || values->element_type != operand->element_type
      || !ghlo_sort_key_init (&self->comparator.keys[0], operand->element_type))
    return "its element types cannot be sorted by keys";
  self->n_kept = (gsize) values->dimensions[values->rank - 1];
  if (values->dimensions[values->rank - 1] > operand->dimensions[operand->rank - 1])
    return "its operand's last dimension is shorter than k";

  return read_lines (self, device, operand, operand->rank - 1);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *core,
              const GhloStepRequest *request)
{
  Sort *self = step;
  GhloGpuDevice *device = (GhloGpuDevice *) core;
  const char *reason = request->op->kind == GHLO_OP_CHLO_TOP_K ? read_top_k (self, device, request)
                                                               : read_sort (self, device, request);

  for (guint i = 0; reason == NULL && i < self->n_permuted; i++)
    self->sizes[i] = ghlo_element_info (request->operands[i].element_type)->size;
  if (reason == NULL && request->op->kind == GHLO_OP_STABLEHLO_SORT && self->n_permuted == 1
      && ghlo_gpu_sort_carry (&self->sort, self->sizes[0]))
    self->n_permuted = 0;

  return reason;
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const Sort *self = step;

  for (guint i = 0; i < request->n_operands; i++)
    selection->operands[i].dense = TRUE;
  selection->scratch = self->sort.scratch;
}

static gboolean
make_pipelines (gpointer                step,
                GhloDeviceCore         *device,
                const GhloStepRequest  *request,
                const GhloMonitor      *monitor,
                GError                **error)
{
  Sort *self = step;

  if (!ghlo_gpu_sort_compile (&self->sort, error))
    return FALSE;
  for (guint i = 0; i < self->n_permuted; i++)
    {
      self->permuters[i] = ghlo_gpu_sort_permuter (&self->sort, self->sizes[i], error);
      if (self->permuters[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

static gboolean
record (gpointer              compiled,
        const GhloBufferRef  *operands,
        const GhloBufferRef  *results,
        GhloBufferRef         scratch,
        gpointer              recording,
        GError              **error)
{
  const Sort *self = compiled;
  guint64 numbers[MAX_OPERANDS], order;

  if (self->sort.n_lines == 0 || self->n_kept == 0)
    return TRUE;
  numbers[0] = ghlo_gpu_place_encode (operands[0]);
  for (guint i = 1; i < self->n_permuted; i++)
    numbers[i] = ghlo_gpu_place_encode (operands[i]);
  order = ghlo_gpu_sort_record (&self->sort, numbers, ghlo_gpu_place_encode (results[0]),
                                ghlo_gpu_place_encode (scratch), recording);
  for (guint i = 0; i < self->n_permuted; i++)
    ghlo_gpu_sort_permute (&self->sort, self->permuters[i], order, numbers[i], ghlo_gpu_place_encode (results[i]),
                           self->n_kept, recording);

  return TRUE;
}

static gboolean
record_top_k (gpointer              compiled,
              const GhloBufferRef  *operands,
              const GhloBufferRef  *results,
              GhloBufferRef         scratch,
              gpointer              recording,
              GError              **error)
{
  const Sort *self = compiled;
  guint64 operand = ghlo_gpu_place_encode (operands[0]), order;

  if (self->sort.n_lines == 0 || self->n_kept == 0)
    return TRUE;
  order = ghlo_gpu_sort_record (&self->sort, &operand, 0, ghlo_gpu_place_encode (scratch), recording);
  ghlo_gpu_sort_permute (&self->sort, self->permuters[0], order, operand, ghlo_gpu_place_encode (results[0]),
                         self->n_kept, recording);
  ghlo_gpu_sort_permute (&self->sort, self->permuters[0], order, 0, ghlo_gpu_place_encode (results[1]),
                         self->n_kept, recording);

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  const Sort *self = compiled;

  return g_strdup_printf ("%u key%s, %s", self->comparator.n_keys, self->comparator.n_keys == 1 ? "" : "s",
                          self->sort.is_short ? "in shared memory" : "by radix sort");
}

const GhloStepImplementation ghlo_gpu_step_sort = {
  .name = "sort",
  .size = sizeof (Sort),
  .read = read_request,
  .select = fill_selection,
  .finish = make_pipelines,
  .record = record,
  .describe = describe,
};

const GhloStepImplementation ghlo_gpu_step_top_k = {
  .name = "top_k",
  .size = sizeof (Sort),
  .read = read_request,
  .select = fill_selection,
  .finish = make_pipelines,
  .record = record_top_k,
  .describe = describe,
};
