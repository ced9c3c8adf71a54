/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cholesky and triangular_solve of f32, in blocks of rows: those on the diagonal are factored and inverted in f64, and
 * all else is products of f32.
 */

#include "base/sizes.h"
#include "gpu/shaders.h"
#include "gpu/spirv/spirv.h"
#include "gpu/steps.h"

typedef struct
{
  GHLO_GPU_TABLE_HEAD
#include "shaders/linalg.words"
} Table;

/* The maximum number of rows, which limits a run to some hundreds of dispatches. */
enum { MAX_ROWS = 8192 };

/* The layout of matrices in a tensor, in the order in which their rows are solved. */
typedef struct
{
  gint64 columns, each, offset, row_step, column_step;
} Layout;

typedef struct
{
  GhloGpuDevice *device;
  gboolean          is_cholesky, is_unit;
  gsize             batch;
  gint64            n, m;
  Layout            triangle, sides;            /* for cholesky, triangle is also the layout of the result */
  gsize             at_triangle, at_sides, at_inverses, at_failed, scratch;
  GhloVulkanPipeline *pipelines[LINALG_N_PHASES];
} Linalg;

/* Solving x op(a) = b is solving op(a)ᵀ xᵀ = bᵀ, and an upper triangle is a lower one when read from its last row and
 * column. */
static void
lay_out_solve (Linalg         *self,
               const GhloIrOp *op,
               const GhloView *sides,
               gboolean        is_lower)
{
  const gint64 n = self->n;
  const gboolean left = ghlo_ir_op_get_int (op, "left_side", 0) != 0;
  const char *word = ghlo_ir_enum_word (ghlo_ir_op_get (op, "transpose_a"));
  const gboolean is_transposed = (g_strcmp0 (word, "TRANSPOSE") == 0 || g_strcmp0 (word, "ADJOINT") == 0) != !left;

  self->is_unit = ghlo_ir_op_get_int (op, "unit_diagonal", 0) != 0;
  self->m = sides->dimensions[sides->rank - (left ? 1 : 2)];
  self->triangle = (Layout) { n, n * n, 0, is_transposed ? 1 : n, is_transposed ? n : 1 };
  self->sides = (Layout) { self->m, n * self->m, 0, left ? self->m : 1, left ? 1 : n };
  if (is_lower != is_transposed)
    return;
  self->triangle.offset = n * n - 1;
  self->triangle.row_step = -self->triangle.row_step;
  self->triangle.column_step = -self->triangle.column_step;
  self->sides.offset = (n - 1) * self->sides.row_step;
  self->sides.row_step = -self->sides.row_step;
}

static const char *
reserve_scratch (Linalg         *self,
                 const GhloView *a)
{
  const gsize n_blocks = (gsize) ghlo_ceil_div (self->n, LINALG_BLOCK);
  gsize rows, in_triangles, in_sides, in_inverses;

  if (!ghlo_shape_count (a->dimensions, a->rank - 2, &self->batch)
      || !ghlo_size_mul (&rows, self->batch, (gsize) self->n)
      || !ghlo_size_mul (&in_triangles, rows, (gsize) self->n)
      || !ghlo_size_mul (&in_sides, rows, (gsize) self->m)
      || !ghlo_size_mul (&in_inverses, self->batch, n_blocks * LINALG_BLOCK * LINALG_BLOCK)
      || !ghlo_size_reserve (&self->scratch, &self->at_triangle, in_triangles, sizeof (float))
      || !ghlo_size_reserve (&self->scratch, &self->at_sides, in_sides, sizeof (float))
      || !ghlo_size_reserve (&self->scratch, &self->at_inverses, in_inverses, sizeof (float))
      || !ghlo_size_reserve (&self->scratch, &self->at_failed, self->batch, sizeof (guint32)))
    return "it needs too much scratch memory";

  return NULL;
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *core,
              const GhloStepRequest *request)
{
  Linalg *self = step;
  GhloGpuDevice *device = (GhloGpuDevice *) core;
  const GhloView *a = &request->operands[0];
  const gboolean is_lower = ghlo_ir_op_get_int (request->op, "lower", 0) != 0;
  const char *reason = ghlo_gpu_shaders_obstacle (device, GHLO_GPU_SHADER_SHARED);

  self->device = device;
  self->is_cholesky = request->op->kind == GHLO_OP_STABLEHLO_CHOLESKY;
  if (a->element_type != GHLO_ELEMENT_TYPE_F32)
    return "only f32 is supported";
  if (!ghlo_gpu_shaders_have_f64 (device)
      || (self->is_cholesky && (device->measured.nearly[GHLO_NODE_SQRT] >> GHLO_ELEMENT_TYPE_F64 & 1) == 0))
    return "the device does not compute it with the required accuracy";
  self->n = a->dimensions[a->rank - 1];
  if (self->n > MAX_ROWS)
    return "its matrices have too many rows";
  if (self->is_cholesky)
    self->triangle = (Layout) { self->n, self->n * self->n, 0, is_lower ? self->n : 1, is_lower ? 1 : self->n };
  else
    lay_out_solve (self, request->op, &request->operands[1], is_lower);

  return reason != NULL ? reason : reserve_scratch (self, a);
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const Linalg *self = step;

  for (guint i = 0; i < request->n_operands; i++)
    selection->operands[i].dense = TRUE;
  selection->scratch = self->scratch;
}

static gboolean
make_pipelines (gpointer                step,
                GhloDeviceCore         *device,
                const GhloStepRequest  *request,
                const GhloMonitor      *monitor,
                GError                **error)
{
  Linalg *self = step;

  for (guint32 phase = 0; phase < LINALG_N_PHASES; phase++)
    {
      gboolean is_factor = phase >= LINALG_FACTOR && phase <= LINALG_UPDATE;

      is_factor |= phase == LINALG_STORE_FACTOR;
      if (phase != LINALG_LOAD && is_factor != self->is_cholesky)
        continue;
      self->pipelines[phase] = ghlo_gpu_shader_compile (self->device, GHLO_GPU_SHADER_LINALG, &phase, 1, error);
      if (self->pipelines[phase] == NULL)
        return FALSE;
    }

  return TRUE;
}

/* The state of recording a run. */
typedef struct
{
  const Linalg *self;
  gpointer      recording;
  guint64       triangle, sides, inverses, failed;      /* encoded places */
  gint64        begin, end;                     /* rows of the current block */
} Stages;

/* Adds a dispatch of @n_points for each matrix. */
static void
add (const Stages *stages,
     guint         phase,
     Table         table,
     gint64        n_points)
{
  const Linalg *self = stages->self;

  table.n = (guint64) self->n;
  table.m = (guint64) self->m;
  table.begin = (guint64) stages->begin;
  table.end = (guint64) stages->end;
  ghlo_gpu_shader_record (stages->recording, self->pipelines[phase], self->batch * (guint64) n_points,
                          phase >= LINALG_INVERT && phase <= LINALG_UPDATE ? 1 : GHLO_GPU_SHADER_GROUP, &table,
                          sizeof table, GHLO_GPU_N_ADDRESSES (Table, n));
}

static void
add_move (const Stages *stages,
          guint         phase,
          guint64       from,
          guint64       to,
          const Layout *layout)
{
  const Linalg *self = stages->self;
  const Table table = {
    .from = from, .to = to, .failed = phase == LINALG_STORE_FACTOR ? stages->failed : 0,
    .columns = (guint64) layout->columns, .each = (guint64) layout->each, .offset = (guint64) layout->offset,
    .row_step = (guint64) layout->row_step, .column_step = (guint64) layout->column_step,
    .unit = self->is_unit && layout == &self->triangle,
  };

  add (stages, phase, table, self->n * layout->columns);
}

static gint64
count_tiles (gint64 n)
{
  return ghlo_ceil_div (n, LINALG_BLOCK);
}

static void
add_solve (const Stages *stages)
{
  const Linalg *self = stages->self;
  const gint64 across = count_tiles (self->m);

  add (stages, LINALG_SOLVE, (Table) { .sides = stages->sides, .inverses = stages->inverses }, across);
  add (stages, LINALG_SUBTRACT, (Table) { .triangle = stages->triangle, .sides = stages->sides },
       count_tiles (self->n - stages->end) * across);
}

static void
add_factor (const Stages *stages)
{
  const gint64 down = count_tiles (stages->self->n - stages->end);
  const Table table = { .triangle = stages->triangle, .inverses = stages->inverses };

  add (stages, LINALG_FACTOR, (Table) { .triangle = stages->triangle, .inverses = stages->inverses,
                                        .failed = stages->failed }, 1);
  add (stages, LINALG_FACTOR_BELOW, table, down);
  add (stages, LINALG_UPDATE, (Table) { .triangle = stages->triangle }, down * (down + 1) / 2);
}

static gboolean
record (gpointer              compiled,
        const GhloBufferRef  *operands,
        const GhloBufferRef  *results,
        GhloBufferRef         scratch,
        gpointer              recording,
        GError              **error)
{
  const Linalg *self = compiled;
  const guint64 base = ghlo_gpu_place_encode (scratch), result = ghlo_gpu_place_encode (results[0]);
  Stages stages = { self, recording, base + self->at_triangle, base + self->at_sides, base + self->at_inverses,
                    base + self->at_failed, 0, 0 };

  add_move (&stages, LINALG_LOAD, ghlo_gpu_place_encode (operands[0]), stages.triangle, &self->triangle);
  if (!self->is_cholesky)
    {
      add_move (&stages, LINALG_LOAD, ghlo_gpu_place_encode (operands[1]), stages.sides, &self->sides);
      add (&stages, LINALG_INVERT, (Table) { .triangle = stages.triangle, .inverses = stages.inverses },
           count_tiles (self->n));
    }
  for (; stages.begin < self->n; stages.begin = stages.end)
    {
      stages.end = MIN (stages.begin + LINALG_BLOCK, self->n);
      if (self->is_cholesky)
        add_factor (&stages);
      else
        add_solve (&stages);
    }
  if (self->is_cholesky)
    add_move (&stages, LINALG_STORE_FACTOR, stages.triangle, result, &self->triangle);
  else
    add_move (&stages, LINALG_STORE, stages.sides, result, &self->sides);

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  const Linalg *self = compiled;

  return g_strdup_printf ("%" G_GINT64_FORMAT " blocks of %d rows", ghlo_ceil_div (self->n, LINALG_BLOCK),
                          LINALG_BLOCK);
}

const GhloStepImplementation ghlo_gpu_step_cholesky = {
  .name = "cholesky",
  .size = sizeof (Linalg),
  .read = read_request,
  .select = fill_selection,
  .finish = make_pipelines,
  .record = record,
  .describe = describe,
};

const GhloStepImplementation ghlo_gpu_step_triangular_solve = {
  .name = "triangular_solve",
  .size = sizeof (Linalg),
  .read = read_request,
  .select = fill_selection,
  .finish = make_pipelines,
  .record = record,
  .describe = describe,
};
