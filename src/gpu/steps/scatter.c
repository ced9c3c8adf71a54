/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scatter into one tensor, and dynamic_update_slice. If items may share elements, they are sorted stably by their place
 * in the result, unless the program says that they are in order. The updates of an element are taken in blocks of
 * BLOCK, in the order of the updates tensor: up to BLOCK updates give the CPU's bits. The results of an element's other
 * blocks are updates of the next turn, which takes them in blocks again. (An item is an index with its window, or a
 * single update.)
 */

#include "base/sizes.h"
#include "gpu/combine.h"
#include "gpu/shaders.h"
#include "gpu/sort.h"
#include "gpu/spirv/spirv.h"
#include "gpu/steps.h"

typedef struct
{
  GHLO_GPU_TABLE_HEAD
#include "shaders/scatter.words"
} Table;

/* The most elements of a window that an invocation updates, and the most turns, which BLOCK and MAXINT32 limit. */
enum { MAX_WIDTH = 4, MAX_TURNS = 4 };

/* How items that may share elements are kept apart. */
typedef enum
{
  WAY_DIRECT,           /* they share none */
  WAY_ATOMIC,           /* the order of their updates does not matter */
  WAY_ELECTED,          /* the last item at each place is found, whose updates remain */
  WAY_IN_ORDER,         /* items with the same place are adjacent */
  WAY_SORTED,
} Way;

static const char *const way_names[] = { "direct", "atomic", "by the last index", "in order", "sorted" };

typedef struct
{
  GhloGpuDevice      *device;
  GhloGpuCombine      combine;
  Way                 way;
  gsize               n_bytes;          /* of the result */
  GhloSortComparator  comparator;
  GhloGpuSort         sort;
  gboolean            is_plain;         /* updates are sorted where they are */
  guint32             constant;         /* the last one of the shader that applies updates */
  /* Offsets in the scratch, behind that of the sort, and its size. */
  gsize               keys, partials[MAX_TURNS], partial_keys[MAX_TURNS], scratch;
  GhloVulkanPipeline *locate[2], *apply[2], *copy;      /* apply: for the first turn, and for others */
  Table               table;            /* all but the addresses; starts are offsets in the indices */
} Scatter;

/* The dimension numbers of a scatter. */
typedef struct
{
  const gint64 *window, *inserted, *map, *batching, *index_batching;
  gsize         n_window, n_inserted, n_map, n_batching, n_index_batching;
  gint64        vector;
} Numbers;

/* Adds a dimension of items, to the last one if it continues that. */
static gboolean
add_dim (Table  *table,
         gint64  size,
         gint64  index_stride,
         gint64  to_stride,
         gint64  update_stride)
{
  guint64 d = table->n_dims;

  if (size == 1)
    return TRUE;
  /* Dimensions of a window, for which @index_stride is 0, are added to indices. */
  if (d > 0 && index_stride != 0 && table->index_strides[d - 1] == (guint64) size * (guint64) index_stride
      && table->to_strides[d - 1] == (guint64) size * (guint64) to_stride
      && table->update_strides[d - 1] == (guint64) size * (guint64) update_stride)
    {
      table->sizes[d - 1] *= (guint64) size;
      table->index_strides[d - 1] = (guint64) index_stride;
      table->to_strides[d - 1] = (guint64) to_stride;
      table->update_strides[d - 1] = (guint64) update_stride;
      return TRUE;
    }
  if (d == MAX_DIMS)
    return FALSE;
  table->sizes[d] = (guint64) size;
  table->index_strides[d] = (guint64) index_stride;
  table->to_strides[d] = (guint64) to_stride;
  table->update_strides[d] = (guint64) update_stride;
  table->n_dims++;

  return TRUE;
}

/* Adds a dimension of the points inside an item. */
static gboolean
add_inner_dim (Table  *table,
               gint64  size,
               gint64  to_stride,
               gint64  update_stride)
{
  guint64 d = table->n_inner_dims;

  if (size == 1)
    return TRUE;
  if (d == MAX_DIMS)
    return FALSE;
  table->inner_sizes[d] = (guint64) size;
  table->inner_to_strides[d] = (guint64) to_stride;
  table->inner_update_strides[d] = (guint64) update_stride;
  table->n_inner_dims++;

  return TRUE;
}

static gboolean
read_numbers (Numbers        *self,
              const GhloIrOp *op)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "scatter_dimension_numbers");

  if (numbers == NULL)
    return FALSE;
  self->window = ghlo_ir_struct_get_dims (numbers, "update_window_dims", &self->n_window);
  self->inserted = ghlo_ir_struct_get_dims (numbers, "inserted_window_dims", &self->n_inserted);
  self->map = ghlo_ir_struct_get_dims (numbers, "scatter_dims_to_operand_dims", &self->n_map);
  self->batching = ghlo_ir_struct_get_dims (numbers, "input_batching_dims", &self->n_batching);
  self->index_batching = ghlo_ir_struct_get_dims (numbers, "scatter_indices_batching_dims", &self->n_index_batching);
  self->vector = ghlo_ir_struct_get_int (numbers, "index_vector_dim");

  return self->n_map <= MAX_DIMS;
}

/* Finds the dimension of the result for each window dimension of the updates. */
static void
find_windowed (const Numbers *numbers,
               guint          rank,
               guint         *windowed)
{
  guint n = 0;

  for (guint d = 0; d < rank && n < numbers->n_window; d++)
    if (!ghlo_dims_contain (numbers->inserted, numbers->n_inserted, d)
        && !ghlo_dims_contain (numbers->batching, numbers->n_batching, d))
      windowed[n++] = d;
}

static gint64
map_of (const Numbers *numbers,
        gint64         dimension)
{
  for (gsize i = 0; i < numbers->n_map; i++)
    if (numbers->map[i] == dimension)
      return (gint64) i;

  return -1;
}

/* Adds a dimension of the updates that corresponds to dimension @i of the indices. */
static gboolean
add_position (Table          *table,
              const Numbers  *numbers,
              const GhloView *result,
              const GhloView *indices,
              guint           i,
              gint64          update_stride)
{
  gint64 to_stride = 0;

  for (gsize b = 0; b < numbers->n_index_batching; b++)
    if (numbers->index_batching[b] == i)
      to_stride = result->strides[numbers->batching[b]];

  return add_dim (table, indices->dimensions[i], indices->strides[i], to_stride, update_stride);
}

/* Adds the dimensions of the updates. Window dimensions are inner ones, unless @is_per_update: then each update is an
 * item of its own, since windows may overlap, or extend beyond the result. */
static gboolean
read_dims (Table          *table,
           const Numbers  *numbers,
           const GhloView *result,
           const GhloView *indices,
           const GhloView *updates,
           gboolean        is_per_update)
{
  guint windowed[GHLO_MAX_RANK] = { 0 }, window = 0, position = 0;

  find_windowed (numbers, result->rank, windowed);
  for (guint o = 0; o < updates->rank; o++)
    {
      gint64 size = updates->dimensions[o], stride = updates->strides[o], part;
      guint d = windowed[MIN (window, GHLO_MAX_RANK - 1)];
      gboolean ok;

      if (!ghlo_dims_contain (numbers->window, numbers->n_window, o))
        {
          position += position == numbers->vector;
          if (!add_position (table, numbers, result, indices, position++, stride))
            return FALSE;
          continue;
        }
      window++;
      part = map_of (numbers, d);
      if (is_per_update && part >= 0 && size != 1)
        table->part_dims[part] = table->n_dims;
      if (is_per_update)
        ok = add_dim (table, size, 0, part >= 0 ? 0 : result->strides[d], stride);
      else
        ok = add_inner_dim (table, size, result->strides[d], stride);
      if (!ok)
        return FALSE;
    }

  return TRUE;
}

/* Whether windows have several elements along a dimension in which indices move them. */
static gboolean
may_overlap (const Numbers  *numbers,
             const GhloView *result,
             const GhloView *updates)
{
  guint windowed[GHLO_MAX_RANK] = { 0 }, window = 0;

  find_windowed (numbers, result->rank, windowed);
  for (guint o = 0; o < updates->rank; o++)
    if (ghlo_dims_contain (numbers->window, numbers->n_window, o) && map_of (numbers, windowed[window++]) >= 0
        && updates->dimensions[o] > 1)
      return TRUE;

  return FALSE;
}

/* Whether there is only one index vector. */
static gboolean
is_single (const Numbers  *numbers,
           const GhloView *indices)
{
  for (guint i = 0; i < indices->rank; i++)
    if (i != numbers->vector && indices->dimensions[i] != 1)
      return FALSE;

  return TRUE;
}

static void
set_indices (Table          *table,
             const GhloView *indices)
{
  const GhloElementInfo *info = ghlo_element_info (indices->element_type);

  table->index_size = info->size;
  table->index_is_signed = info->element_class == GHLO_ELEMENT_CLASS_SIGNED;
}

/* Counts items, and the points inside each. */
static const char *
count_points (Scatter        *self,
              const GhloView *result)
{
  gsize n_items = 1, n_inner = 1;

  for (guint d = 0; d < self->table.n_dims; d++)
    if (!ghlo_size_mul (&n_items, n_items, self->table.sizes[d]))
      return "it has too many updates";
  for (guint d = 0; d < self->table.n_inner_dims; d++)
    if (!ghlo_size_mul (&n_inner, n_inner, self->table.inner_sizes[d]))
      return "it has too many updates";
  self->table.n_items = n_items;
  self->table.n_inner = n_inner;
  self->n_bytes = (gsize) ghlo_view_count (result) * self->combine.size;
  if (n_items > G_MAXINT32 || self->n_bytes / self->combine.size >= G_MAXUINT32)
    return "it has too many updates, or too large a result";

  return ghlo_gpu_shaders_obstacle (self->device, GHLO_GPU_SHADER_SHARED);
}

/* Whether elements are integers with an operation that the device supports atomically. */
static gboolean
is_atomic (const GhloGpuCombine   *combine,
           const GhloVulkanDevice *device)
{
  return ((combine->size == sizeof (guint32) && device->has_ballots)
          || (combine->size == sizeof (guint64) && device->has_atomics_64))
         && combine->class <= COMBINE_SIGNED && combine->kind != COMBINE_ASSIGN && combine->kind != COMBINE_MULTIPLY;
}

/* Many updates of few elements, which would wait for each other in memory, are combined in shared memory. */
static void
choose_bins (Scatter *self)
{
  enum { MAX_BINS = 4096, MANY = 8, MAX_GROUPS = 1024 };
  gsize n = self->n_bytes / self->combine.size, n_points = self->table.n_items * self->table.n_inner;

  self->constant = self->combine.size == sizeof (guint32) && n <= MAX_BINS && n_points / MANY >= n ? (guint32) n : 1;
  self->table.n_groups = MIN (ghlo_size_ceil_div (n_points, GHLO_GPU_SHADER_GROUP),
                              self->constant > 1 ? MAX_GROUPS : G_MAXSIZE);
}

/* Finds the greatest unit of which all places of items are multiples. */
static guint64
find_unit (const Scatter *self)
{
  const Table *table = &self->table;
  guint64 unit = 0, rest;

  for (guint i = 0; i < table->n_parts + table->n_dims; i++)
    {
      guint64 stride = i < table->n_parts ? table->part_strides[i] : table->to_strides[i - table->n_parts];

      for (; stride > 0; stride = rest)
        {
          rest = unit % stride;
          unit = stride;
        }
    }

  return MAX (unit, self->combine.size);
}

/* Distributes the elements of a window. */
static void
choose_lanes (Scatter *self)
{
  enum { MAX_LANE_BITS = 8, FULL_BITS = 5 };
  Table *table = &self->table;

  while (table->lane_bits < MAX_LANE_BITS
         && table->n_inner > (guint64) (table->lane_bits < FULL_BITS ? 1 : MAX_WIDTH) << table->lane_bits)
    table->lane_bits++;
  self->constant = 1;
  while (self->constant < MAX_WIDTH && table->n_inner > (guint64) self->constant << table->lane_bits)
    self->constant *= 2;
  table->n_places = (guint64) SLOTS >> table->lane_bits;
  table->n_strips = ghlo_size_ceil_div (table->n_inner, (guint64) self->constant << table->lane_bits);
}

/* Reserves memory for what each turn leaves to the next one. */
static gboolean
find_scratch (Scatter *self)
{
  gsize n = self->table.n_items, window;

  if (!ghlo_size_mul (&window, self->table.n_inner, self->combine.size))
    return FALSE;
  for (guint i = 0; n > BLOCK && self->combine.kind != COMBINE_ASSIGN; i++)
    {
      g_assert (i < MAX_TURNS);
      n = ghlo_size_ceil_div (n, BLOCK);
      if (!ghlo_size_reserve (&self->scratch, &self->partials[i], n, window)
          || !ghlo_size_reserve (&self->scratch, &self->partial_keys[i], n, sizeof (guint32)))
        return FALSE;
    }

  return TRUE;
}

/* Whether the number of an item for each place takes little memory. */
static gboolean
may_elect (const Scatter *self)
{
  enum { FEW_PLACES = 1 << 20, MANY = 8 };

  return self->combine.kind == COMBINE_ASSIGN
         && (self->table.n_keys <= FEW_PLACES || self->table.n_keys / MANY <= self->table.n_items);
}

/* Prepares sorting the items by their keys, which are numbers of 32 bits. */
static const char *
read_sort (Scatter *self)
{
  Table *table = &self->table;
  const char *reason;

  self->comparator.n_keys = 1;
  ghlo_sort_key_init (&self->comparator.keys[0], GHLO_ELEMENT_TYPE_UI32);
  reason = ghlo_gpu_sort_init (&self->sort, self->device, &self->comparator, table->n_items, 1, 1,
                               g_bit_storage (table->n_keys));
  table->carries = table->n_inner == 1 && self->combine.size <= sizeof (guint32)
                   && self->combine.kind != COMBINE_ASSIGN && !self->sort.is_short;
  self->is_plain = table->carries && self->combine.size == sizeof (guint32) && table->n_dims == 1
                   && table->update_strides[0] == sizeof (guint32);
  self->keys = self->sort.keys[1];
  table->n_digits = ghlo_gpu_sort_count_digits (&self->sort);
  table->n_tiles = self->sort.n_tiles;
  self->scratch = self->sort.scratch;

  return reason;
}

/* Decides how items are kept apart that may share elements. */
static const char *
choose_way (Scatter  *self,
            gboolean  is_in_order)
{
  Table *table = &self->table;
  const char *reason = NULL;
  gsize n_keys = table->n_items;

  if (is_atomic (&self->combine, &self->device->vulkan))
    {
      self->way = WAY_ATOMIC;
      choose_bins (self);
      return NULL;
    }
  table->unit = find_unit (self);
  table->n_keys = ghlo_size_ceil_div (self->n_bytes, table->unit);
  if (may_elect (self))
    {
      self->way = WAY_ELECTED;
      self->constant = TRUE;
      n_keys = table->n_keys;
    }
  else
    {
      self->way = is_in_order ? WAY_IN_ORDER : WAY_SORTED;
      choose_lanes (self);
      if (self->way == WAY_SORTED)
        reason = read_sort (self);
    }
  if (reason == NULL && ((self->way != WAY_SORTED && !ghlo_size_reserve (&self->scratch, &self->keys, n_keys,
                                                                          sizeof (guint32)))
                         || (self->way != WAY_ELECTED && !find_scratch (self))))
    return "it has too many updates";

  return reason;
}

static const char *
read_scatter (Scatter               *self,
              const GhloStepRequest *request)
{
  const GhloView *result = &request->results[0], *indices = &request->operands[1], *updates = &request->operands[2];
  GhloElementType type = result->element_type;
  GhloCombiner combiner;
  Numbers numbers;
  gboolean overlaps;
  const char *reason;

  if (request->n_operands != 3 || request->n_results != 1)
    return "it scatters into more than one tensor";
  if (request->operands[0].element_type != type || updates->element_type != type)
    return "its updates have another element type than its operand";
  if (!ghlo_combiner_of_update (ghlo_ir_op_region_block (request->op, 0), type, &combiner))
    return "no shader implements its update computation";
  reason = ghlo_gpu_combine_init (&self->combine, self->device, combiner, type);
  if (reason != NULL)
    return reason;
  if (!read_numbers (&numbers, request->op))
    return "it has too many dimensions";
  set_indices (&self->table, indices);
  self->table.n_parts = numbers.n_map;
  for (guint i = 0; i < numbers.n_map; i++)
    {
      gint64 d = numbers.map[i];

      self->table.starts[i] = numbers.vector < indices->rank ? (guint64) (i * indices->strides[numbers.vector]) : 0;
      self->table.limits[i] = (guint64) (result->dimensions[d] - 1);
      self->table.part_strides[i] = (guint64) result->strides[d];
      self->table.part_dims[i] = MAX_DIMS;
    }
  overlaps = may_overlap (&numbers, result, updates);
  if (!read_dims (&self->table, &numbers, result, indices, updates, overlaps))
    return "it has too many dimensions";
  self->table.is_simple = numbers.n_map == 1 && self->table.n_dims <= 1 && self->table.part_dims[0] == MAX_DIMS;
  reason = count_points (self, result);
  if (reason != NULL || ghlo_ir_op_get_int (request->op, "unique_indices", 0) != 0 || is_single (&numbers, indices))
    return reason;

  return choose_way (self, !overlaps && numbers.n_batching == 0
                           && ghlo_ir_op_get_int (request->op, "indices_are_sorted", 0) != 0);
}

static const char *
read_update_slice (Scatter               *self,
                   const GhloStepRequest *request)
{
  const GhloView *result = &request->results[0], *update = &request->operands[1];
  Table *table = &self->table;

  ghlo_gpu_combine_init (&self->combine, self->device, GHLO_COMBINER_NONE, result->element_type);
  if (result->rank > MAX_DIMS)
    return "it has too many dimensions";
  if (update->rank != result->rank || request->n_operands != 2 + result->rank)
    return "its update has another rank than its operand";
  table->clamps = TRUE;
  table->n_parts = result->rank;
  if (result->rank > 0)
    set_indices (table, &request->operands[2]);
  for (guint d = 0; d < result->rank; d++)
    {
      if (update->dimensions[d] > result->dimensions[d])
        return "its update is larger than its operand";
      table->limits[d] = (guint64) (result->dimensions[d] - update->dimensions[d]);
      table->part_strides[d] = (guint64) result->strides[d];
      table->part_dims[d] = MAX_DIMS;
      add_inner_dim (table, update->dimensions[d], result->strides[d], update->strides[d]);
    }

  return count_points (self, result);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *core,
              const GhloStepRequest *request)
{
  Scatter *self = step;
  GhloGpuDevice *device = (GhloGpuDevice *) core;

  self->device = device;

  return request->op->kind == GHLO_OP_STABLEHLO_SCATTER ? read_scatter (self, request)
                                                        : read_update_slice (self, request);
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const Scatter *self = step;

  selection->operands[0].dense = TRUE;
  selection->operands[0].in_place = 0;
  selection->scratch = self->scratch;
}

/* Returns the number of items that an invocation locates. */
static guint32
locate_items (const Scatter *self)
{
  return self->way == WAY_SORTED ? self->sort.tile_items : 1;
}

/* Says how the updates of a turn's items are found; after the first one they are dense. */
static guint32
find_source (const Scatter *self,
             gboolean       is_first)
{
  const Table *table = &self->table;
  guint64 stride = is_first ? table->update_strides[0] : table->n_inner * self->combine.size;

  if (is_first && table->carries)
    return CARRIED;

  return (is_first && table->n_dims > 1) || stride > G_MAXUINT32 ? BY_DIMS : BY_STRIDE;
}

static gboolean
make_pipelines (gpointer                step,
                GhloDeviceCore         *device,
                const GhloStepRequest  *request,
                const GhloMonitor      *monitor,
                GError                **error)
{
  Scatter *self = step;
  gboolean is_f64 = self->combine.size == 8 && ghlo_gpu_combine_calculates (&self->combine);
  const guint32 ahead = self->constant == MAX_WIDTH ? 4 : 8;
  guint32 constants[] = { self->combine.size, self->combine.kind, self->combine.class, 0, 0,
                          MAX (self->sort.max_digits, 1), ghlo_gpu_shaders_ahead (self->device, ahead) };
  GhloGpuShader apply = is_f64 ? GHLO_GPU_SHADER_SCATTER_APPLY_F64 : GHLO_GPU_SHADER_SCATTER_APPLY;
  GhloGpuShader locate = self->way == WAY_ELECTED ? GHLO_GPU_SHADER_SCATTER_ELECT : GHLO_GPU_SHADER_SCATTER_LOCATE;

  if (self->way == WAY_DIRECT || self->way == WAY_ELECTED)
    apply = is_f64 ? GHLO_GPU_SHADER_SCATTER_DIRECT_F64 : GHLO_GPU_SHADER_SCATTER_DIRECT;
  else if (self->way == WAY_ATOMIC)
    apply = self->combine.size == 8 ? GHLO_GPU_SHADER_SCATTER_ATOMIC_64 : GHLO_GPU_SHADER_SCATTER_ATOMIC;
  for (guint i = 0; self->way >= WAY_ELECTED && i < (self->way == WAY_ELECTED ? 2 : 1); i++)
    {
      constants[3] = self->way == WAY_ELECTED ? i : locate_items (self);
      self->locate[i] = ghlo_gpu_shader_compile (self->device, locate, constants, G_N_ELEMENTS (constants), error);
      if (self->locate[i] == NULL)
        return FALSE;
    }
  if (self->way == WAY_SORTED && !ghlo_gpu_sort_compile (&self->sort, error))
    return FALSE;
  constants[3] = self->constant;
  for (guint i = 0; i < 2; i++)
    {
      constants[4] = find_source (self, i == 0);
      self->apply[i] = ghlo_gpu_shader_compile (self->device, apply, constants, G_N_ELEMENTS (constants), error);
      if (self->apply[i] == NULL)
        return FALSE;
      /* There is only one turn. */
      if (self->way < WAY_IN_ORDER || self->table.n_items <= BLOCK || self->combine.kind == COMBINE_ASSIGN)
        break;
    }
  self->copy = ghlo_gpu_shader_compile (self->device, GHLO_GPU_SHADER_COPY,
                                        (guint32[]) { MIN (self->combine.size, 8) }, 1, error);

  return self->copy != NULL;
}

static void
record_shader (GhloVulkanPipeline *pipeline,
               guint64             n_points,
               guint               points_per_group,
               const Table        *table,
               GhloGpuRecording   *recording)
{
  ghlo_gpu_shader_record (recording, pipeline, n_points, points_per_group, table, sizeof *table,
                          GHLO_GPU_N_ADDRESSES (Table, n_items));
}

/* Makes items of what a turn has left to the next one. */
static void
begin_turn (Table *table,
            gsize  size)
{
  guint64 stride = size;

  table->keys = table->partial_keys;
  table->updates = table->partials;
  table->order = table->carries = 0;
  table->n_items = ghlo_size_ceil_div (table->n_items, BLOCK);
  table->n_dims = 1;
  table->update_strides[0] = table->n_inner * size;
  for (guint64 d = table->n_inner_dims; d-- > 0; stride *= table->inner_sizes[d])
    table->inner_update_strides[d] = stride;
}

/* Writes the keys of items, which count units. */
static void
record_keys (const Scatter    *self,
             const Table      *table,
             GhloGpuRecording *recording)
{
  const gsize n_located = locate_items (self) * GHLO_GPU_SHADER_GROUP;
  Table own = *table;

  own.carries = own.carries && !self->is_plain;
  if (!own.carries)
    own.order = 0;
  for (guint i = 0; i < own.n_parts; i++)
    own.part_strides[i] /= own.unit;
  for (guint i = 0; i < own.n_dims; i++)
    own.to_strides[i] /= own.unit;
  record_shader (self->locate[0], ghlo_size_ceil_div (own.n_items, n_located), 1, &own, recording);
}

static void
record_sorted (const Scatter    *self,
               Table            *table,
               guint64           scratch,
               GhloGpuRecording *recording)
{
  table->keys = scratch + self->keys;
  table->order = table->carries ? self->is_plain ? table->updates : scratch + self->sort.orders[1] : 0;
  table->counts = table->n_digits > 0 ? scratch + self->sort.counts : 0;
  record_keys (self, table, recording);
  table->counts = 0;
  if (self->way == WAY_SORTED)
    ghlo_gpu_sort_pairs (&self->sort, &table->keys, &table->order, scratch, recording);
  for (guint i = 0;; i++)
    {
      gboolean is_last = table->n_items <= BLOCK || self->combine.kind == COMBINE_ASSIGN;

      table->partials = is_last ? 0 : scratch + self->partials[i];
      table->partial_keys = is_last ? 0 : scratch + self->partial_keys[i];
      record_shader (self->apply[MIN (i, 1)],
                     ghlo_size_ceil_div (table->n_items, table->n_places) * table->n_strips, 1, table, recording);
      if (is_last)
        return;
      begin_turn (table, self->combine.size);
    }
}

static void
record_any (const Scatter    *self,
            GhloBufferRef     operand,
            GhloBufferRef     result,
            GhloBufferRef     updates,
            Table            *table,
            GhloBufferRef     scratch,
            GhloGpuRecording *recording)
{
  table->to = ghlo_gpu_place_encode (result);
  table->updates = ghlo_gpu_place_encode (updates);
  if (self->n_bytes == 0)
    return;
  if (operand.buffer != result.buffer || operand.offset != result.offset)
    ghlo_gpu_shader_copy (recording, self->copy, operand, result, self->n_bytes / MIN (self->combine.size, 8));
  if (table->n_items == 0 || table->n_inner == 0)
    return;
  if (self->way >= WAY_IN_ORDER)
    {
      record_sorted (self, table, ghlo_gpu_place_encode (scratch), recording);
      return;
    }
  table->keys = self->way == WAY_ELECTED ? ghlo_gpu_place_encode (scratch) + self->keys : 0;
  for (guint i = 0; i < 2 && self->locate[i] != NULL; i++)
    record_shader (self->locate[i], table->n_items, GHLO_GPU_SHADER_GROUP, table, recording);
  if (self->way == WAY_ATOMIC)
    record_shader (self->apply[0], table->n_groups, 1, table, recording);
  else
    record_shader (self->apply[0], table->n_items * table->n_inner, GHLO_GPU_SHADER_GROUP, table, recording);
}

static gboolean
record (gpointer              compiled,
        const GhloBufferRef  *operands,
        const GhloBufferRef  *results,
        GhloBufferRef         scratch,
        gpointer              recording,
        GError              **error)
{
  const Scatter *self = compiled;
  Table table = self->table;

  for (guint i = 0; i < table.n_parts; i++)
    table.starts[i] += ghlo_gpu_place_encode (operands[1]);
  record_any (self, operands[0], results[0], operands[2], &table, scratch, recording);

  return TRUE;
}

static gboolean
record_update_slice (gpointer              compiled,
                     const GhloBufferRef  *operands,
                     const GhloBufferRef  *results,
                     GhloBufferRef         scratch,
                     gpointer              recording,
                     GError              **error)
{
  const Scatter *self = compiled;
  Table table = self->table;

  for (guint i = 0; i < table.n_parts; i++)
    table.starts[i] = ghlo_gpu_place_encode (operands[2 + i]);
  record_any (self, operands[0], results[0], operands[1], &table, scratch, recording);

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  const Scatter *self = compiled;

  return g_strdup (way_names[self->way]);
}

const GhloStepImplementation ghlo_gpu_step_scatter = {
  .name = "scatter",
  .size = sizeof (Scatter),
  .read = read_request,
  .select = fill_selection,
  .finish = make_pipelines,
  .record = record,
  .describe = describe,
};

const GhloStepImplementation ghlo_gpu_step_dynamic_update_slice = {
  .name = "dynamic_update_slice",
  .size = sizeof (Scatter),
  .read = read_request,
  .select = fill_selection,
  .finish = make_pipelines,
  .record = record_update_slice,
};
