/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cumulative reductions (kernel/cumulative.h), with the same bits as on the CPU. A line whose sums are rounded at each
 * step, or that is interleaved with others, is computed by one invocation. Other long lines are split into pieces:
 * first the totals of all pieces are computed in parallel, then the prefixes before each piece, and finally the
 * results.
 */

#include "base/sizes.h"
#include "gpu/combine.h"
#include "gpu/shaders.h"
#include "gpu/spirv/spirv.h"
#include "gpu/steps.h"
#include "kernel/cumulative.h"

typedef struct
{
  GHLO_GPU_TABLE_HEAD
#include "shaders/cumulative.words"
} Table;

/* The maximum length of lines that are not split into pieces, as for the CPU's rows, and that of a line for a single
 * invocation. */
enum { SHORT_LINE = 256, MAX_LINE = 1 << 15 };

enum { N_PHASES = PHASE_RESULTS + 1 };

typedef struct
{
  GhloGpuDevice *device;
  GhloCumulative    window;
  GhloGpuCombine combine;
  gboolean          is_wider;                   /* accumulators are wider than elements, and not rounded at each step */
  gboolean          in_pieces;
  gboolean          is_staged;                  /* blocks are in shared memory */
  gsize             n_lines;
  gsize             totals, insides, chunk_totals, befores, scratch;    /* offsets in the scratch, and its size */
  GhloVulkanPipeline *pipelines[N_PHASES];
  Table             table;                      /* all but the addresses */
} Cumulative;

/* Whether accumulators are f64; elements may be f64 or f32. */
static gboolean
is_f64 (const Cumulative *self)
{
  return ghlo_gpu_combine_calculates (&self->combine) && self->window.number == GHLO_ELEMENT_TYPE_F64;
}

static gboolean
has_f64 (const Cumulative *self)
{
  const guint64 *nearly = self->device->measured.nearly;

  return (nearly[GHLO_NODE_ADD] & nearly[GHLO_NODE_MULTIPLY] & nearly[GHLO_NODE_CONVERT]) >> GHLO_ELEMENT_TYPE_F64 & 1;
}

static gboolean
find_scratch (Cumulative *self)
{
  gsize *size = &self->scratch, n_chunks, n_pieces;

  return ghlo_size_mul (&n_chunks, self->n_lines, self->table.n_chunks)
         && ghlo_size_mul (&n_pieces, self->n_lines, self->table.n_blocks)
         && ghlo_size_mul (&n_pieces, n_pieces, PIECES)
         && ghlo_size_reserve (size, &self->totals, n_pieces, sizeof (guint64))
         && ghlo_size_reserve (size, &self->insides, n_pieces, sizeof (guint64))
         && ghlo_size_reserve (size, &self->chunk_totals, n_chunks, sizeof (guint64))
         && ghlo_size_reserve (size, &self->befores, n_chunks, sizeof (guint64));
}

/* The two parts of complex numbers are interleaved lines. If the order of combining does not matter, lines are also cut
 * into pieces where the CPU does not do so. */
static const char *
read_lines (Cumulative     *self,
            const GhloView *operand)
{
  guint d = self->window.dimension;
  gsize n = (gsize) operand->dimensions[d], outer, inner;
  gboolean any_order = !ghlo_gpu_combine_calculates (&self->combine);

  if (!ghlo_shape_count (operand->dimensions, d, &outer)
      || !ghlo_shape_count (operand->dimensions + d + 1, operand->rank - d - 1, &inner)
      || !ghlo_size_mul (&inner, inner, self->window.is_complex ? 2 : 1)
      || !ghlo_size_mul (&self->n_lines, outer, inner))
    return "it has too many elements";
  self->table.n = n;
  self->table.inner = inner;
  self->table.n_blocks = ghlo_size_ceil_div (n, BLOCK);
  self->table.n_chunks = ghlo_size_ceil_div (self->table.n_blocks, CHUNK_BLOCKS);
  self->table.n_lines = self->n_lines;
  self->in_pieces = n > SHORT_LINE && (any_order || (inner == 1 && !self->window.rounds));
  self->is_staged = self->in_pieces && inner == 1;
  if (!self->in_pieces && n > MAX_LINE)
    return "the reduced dimension is long, and each sum depends on the one before";
  if (self->in_pieces && !ghlo_vulkan_driver_may_iterate (self->device->vulkan.driver, (double) self->table.n_chunks))
    return "its loops have more iterations than the driver supports";

  return !self->in_pieces || find_scratch (self) ? NULL : "it needs too much scratch memory";
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Cumulative *self = step;

  self->device = (GhloGpuDevice *) device;

  return ghlo_cumulative_read (&self->window, request->op, &request->operands[0], &request->results[0]);
}

/* Returns NULL, or why the device does not compute what was read. */
static const char *
choose_shaders (Cumulative     *self,
                const GhloView *operand)
{
  const char *reason = ghlo_gpu_combine_init (&self->combine, self->device, self->window.combiner,
                                              self->window.type);

  if (reason == NULL)
    reason = ghlo_gpu_shaders_obstacle (self->device, GHLO_GPU_SHADER_SHARED);
  if (reason != NULL)
    return reason;
  if (is_f64 (self) && !has_f64 (self))
    return "the device does not compute it with the required accuracy";
  self->is_wider = ghlo_gpu_combine_calculates (&self->combine) && !self->window.rounds
                   && ghlo_element_info (self->window.number)->size > self->combine.size;
  self->table.backward = self->window.backward;
  self->table.restarts = self->window.restarts;

  return read_lines (self, operand);
}

static gboolean
make_pipelines (gpointer                step,
                GhloDeviceCore         *device,
                const GhloStepRequest  *request,
                const GhloMonitor      *monitor,
                GError                **error)
{
  Cumulative *self = step;
  const char *reason = choose_shaders (self, &request->operands[0]);
  guint32 constants[] = { self->combine.size, self->combine.kind, self->combine.class, (guint32) self->is_wider, 0, 0,
                          ghlo_gpu_shaders_ahead (self->device, 16) };

  if (reason != NULL)
    return ghlo_step_fail (device, request, reason, error);
  for (guint phase = 0; phase < N_PHASES; phase++)
    if (self->in_pieces == (phase != PHASE_LINES))
      {
        constants[4] = phase;
        constants[5] = (guint32) self->is_staged;
        self->pipelines[phase] = ghlo_gpu_shader_compile (self->device,
                                                          is_f64 (self) ? GHLO_GPU_SHADER_CUMULATIVE_F64
                                                                        : GHLO_GPU_SHADER_CUMULATIVE,
                                                          constants, G_N_ELEMENTS (constants), error);
        if (self->pipelines[phase] == NULL)
          return FALSE;
      }

  return TRUE;
}

/* If the initial value is known, it only decides whether the step applies; the finished step does not depend on it. */
static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  Cumulative *self = step;

  selection->reason = !ghlo_cumulative_start_is_neutral (self->window.combiner, &request->operands[1])
                      ? "its initial value is not the neutral element of the reduction"
                      : choose_shaders (self, &request->operands[0]);
  selection->operands[0].dense = TRUE;
  /* Elements are read before they are overwritten, unless the sums restart, in which case they are read again. */
  if (!self->window.restarts)
    selection->operands[0].in_place = 0;
  selection->scratch = self->scratch;
}

static gboolean
record (gpointer              compiled,
        const GhloBufferRef  *operands,
        const GhloBufferRef  *results,
        GhloBufferRef         scratch,
        gpointer              recording,
        GError              **error)
{
  const Cumulative *self = compiled;
  const guint64 base = ghlo_gpu_place_encode (scratch), n_blocks = self->n_lines * self->table.n_blocks;
  const guint64 n_chunks = self->n_lines * self->table.n_chunks, n_staged = self->combine.size == 8 ? 1 : 2;
  const guint64 n_pieces = self->is_staged ? ghlo_size_ceil_div (n_blocks, n_staged) : n_blocks * PIECES;
  const guint64 n_points[] = { self->n_lines, n_pieces, n_chunks, self->n_lines, n_pieces };
  Table table = self->table;

  if (self->n_lines == 0 || table.n == 0)
    return TRUE;
  table.from = ghlo_gpu_place_encode (operands[0]);
  table.start = ghlo_gpu_place_encode (operands[1]);
  table.to = ghlo_gpu_place_encode (results[0]);
  table.totals = base + self->totals;
  table.insides = base + self->insides;
  table.chunk_totals = base + self->chunk_totals;
  table.befores = base + self->befores;
  for (guint phase = 0; phase < N_PHASES; phase++)
    if (self->pipelines[phase] != NULL)
      {
        Table own = table;
        gboolean has_groups = phase == PHASE_INSIDES || phase == PHASE_BEFORES || self->is_staged;

        /* Elements that are not accessed would count as work, by which runs are divided into pieces. */
        if (phase == PHASE_INSIDES || phase == PHASE_BEFORES)
          own.from = own.to = 0;
        ghlo_gpu_shader_record (recording, self->pipelines[phase], n_points[phase],
                                has_groups ? 1 : GHLO_GPU_SHADER_GROUP, &own, sizeof own,
                                GHLO_GPU_N_ADDRESSES (Table, n));
      }

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  const Cumulative *self = compiled;

  return g_strdup_printf ("%s%s", self->window.backward ? "backward" : "forward", self->in_pieces ? ", in pieces" : "");
}

const GhloStepImplementation ghlo_gpu_step_cumulative = {
  .name = "cumulative",
  .size = sizeof (Cumulative),
  .read = read_request,
  .select = fill_selection,
  .finish = make_pipelines,
  .record = record,
  .describe = describe,
};
