/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rng_bit_generator.
 */

#include "gpu/shaders.h"
#include "gpu/spirv/spirv.h"
#include "gpu/steps.h"
#include "kernel/random.h"

typedef struct
{
  GHLO_GPU_TABLE_HEAD
#include "shaders/random.words"
} Table;

typedef struct
{
  GhloGpuDevice      *device;
  guint               size;       /* bytes of an element */
  GhloVulkanPipeline *pipeline;
  Table               table;      /* all but the addresses */
} Random;

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *core,
              const GhloStepRequest *request)
{
  Random *self = step;
  GhloGpuDevice *device = (GhloGpuDevice *) core;
  GhloRandom random;
  const char *reason = ghlo_random_init (&random, request->op, &request->operands[0], &request->results[1]);

  if (reason == NULL && ghlo_element_info (request->operands[0].element_type)->size < sizeof (guint32))
    reason = "its state has elements narrower than 32 bits";
  if (reason == NULL)
    reason = ghlo_gpu_shaders_obstacle (device, 0);
  if (reason != NULL)
    return reason;
  self->device = device;
  self->size = random.size;
  self->table.state_size = random.state_size;
  self->table.is_threefry = random.is_threefry;
  self->table.is_wide = random.is_wide;
  self->table.n = random.n;
  self->table.n_counts = random.n_counts;
  self->table.extent = random.extent;
  self->table.inner = random.inner;
  self->table.is_narrow = random.is_narrow;
  for (guint i = 0; random.is_narrow && i < 256; i++)
    self->table.narrow[i / 8] |= (guint64) random.narrow[i] << (i % 8 * 8);

  return NULL;
}

/* All invocations read the state, so the new one must be stored elsewhere. */
static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  selection->operands[0].dense = TRUE;
}

static gboolean
make_pipelines (gpointer                step,
                GhloDeviceCore         *device,
                const GhloStepRequest  *request,
                const GhloMonitor      *monitor,
                GError                **error)
{
  Random *self = step;

  self->pipeline = ghlo_gpu_shader_compile (self->device, GHLO_GPU_SHADER_RANDOM, &self->size, 1, error);

  return self->pipeline != NULL;
}

static gboolean
record (gpointer              compiled,
        const GhloBufferRef  *operands,
        const GhloBufferRef  *results,
        GhloBufferRef         scratch,
        gpointer              recording,
        GError              **error)
{
  const Random *self = compiled;
  Table table = self->table;

  table.state_from = ghlo_gpu_place_encode (operands[0]);
  table.state_to = ghlo_gpu_place_encode (results[0]);
  table.to = ghlo_gpu_place_encode (results[1]);
  ghlo_gpu_shader_record (recording, self->pipeline, table.n_counts + 1, GHLO_GPU_SHADER_GROUP, &table,
                          sizeof table, GHLO_GPU_N_ADDRESSES (Table, state_size));

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  const Random *self = compiled;

  return g_strdup (self->table.is_threefry ? "threefry" : "philox");
}

const GhloStepImplementation ghlo_gpu_step_random = {
  .name = "random",
  .size = sizeof (Random),
  .read = read_request,
  .select = fill_selection,
  .finish = make_pipelines,
  .record = record,
  .describe = describe,
};
