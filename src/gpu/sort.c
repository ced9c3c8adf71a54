/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lines are sorted stably by each key from the last to the first, 32 bits of a key at a time. An order holds, for each
 * place of each line, the index of the element there, counted from the end of the line if the comparator reverses equal
 * elements.
 *
 * A long line is divided into tiles. A pass counts the digits of each tile, computes prefix sums of the counts, and
 * moves the elements. These are separate dispatches, since not all devices support workgroups of a dispatch that wait
 * for each other.
 */

#include "gpu/sort.h"

#include <string.h>

#include "base/sizes.h"
#include "gpu/spirv/spirv.h"

/* SHORT and BLOCK as in the shaders. Pairs, whose keys have few bits, are sorted by digits from SHORT_PAIRS on. */
enum { SHORT = 2048, SHORT_PAIRS = 512, BLOCK = 8, WORD_BITS = 32 };

/* The maximum length of lines that may have unordered elements, since one invocation does the last merge. */
enum { MAX_PARTIAL = 1 << 15 };

/* Tiles of a line up to which each of them sums up the counts of those before it, which saves a dispatch. */
enum { FEW_TILES = 16 };

typedef struct
{
  GHLO_GPU_TABLE_HEAD
#include "shaders/sort.words"
} Table;

typedef struct
{
  const GhloGpuSort *sort;
  GhloGpuRecording  *recording;
  Table              table;
  guint64            scratch;           /* encoded place */
  guint64            order;             /* encoded place; 0: the original order */
  guint64            keys;              /* encoded place, in that order */
  guint64            result;            /* encoded place; 0: elements are not carried */
} Run;

/* The pipelines of shaders for words of 32 bits. */
enum { BY_WORD = 2 };

/* Returns the bits of a digit in a sort by @bits bits: the passes that are necessary have digits of about one size. */
static guint
choose_digits (const GhloGpuSort *self,
               guint              bits)
{
  guint most_bits = g_bit_nth_msf (self->most_digits, -1), n_passes = (guint) ghlo_size_ceil_div (bits, most_bits);

  return (guint) ghlo_size_ceil_div (bits, n_passes);
}

/* Returns the most digits that a pass has. */
static gsize
find_digits (const GhloGpuSort *self)
{
  guint bits = self->key_bits != 0 ? choose_digits (self, self->key_bits) : 0;

  for (guint i = 0; i < self->comparator->n_keys && self->key_bits == 0; i++)
    bits = MAX (bits, choose_digits (self, MIN (ghlo_sort_key_bits (&self->comparator->keys[i]), WORD_BITS)));

  return (gsize) 1 << bits;
}

static gboolean
find_scratch (GhloGpuSort *self)
{
  gsize n_all, n_totals, n_counts, n_ranks, *size = &self->scratch;
  gboolean is_partial = self->partial_keys != 0;

  if (!ghlo_size_mul (&n_all, self->n, self->n_lines) || !ghlo_size_mul (&n_totals, self->n_lines, find_digits (self))
      || !ghlo_size_mul (&n_counts, n_totals, self->n_tiles)
      || !ghlo_size_mul (&n_ranks, n_all, self->comparator->n_keys))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (!ghlo_size_reserve (size, &self->orders[i], n_all, sizeof (guint32))
        || !ghlo_size_reserve (size, &self->keys[i], n_all, sizeof (guint32))
        || (is_partial && !ghlo_size_reserve (size, &self->runs[i], n_all, sizeof (guint32))))
      return FALSE;
  if (!self->is_short && (!ghlo_size_reserve (size, &self->totals, n_totals, sizeof (guint32))
                          || !ghlo_size_reserve (size, &self->counts, n_counts, sizeof (guint32))))
    return FALSE;

  return !is_partial || (ghlo_size_reserve (size, &self->ranks, n_ranks, sizeof (guint64))
                         && ghlo_size_reserve (size, &self->flags, self->n_lines, sizeof (guint32)));
}

/* Small tiles where there would be too few for a device, large ones where shared memory has room for them, since the
 * elements of a tile with the same digit are written side by side. */
static void
choose_tile (GhloGpuSort *self)
{
  enum { LARGE_MEMORY = 46 << 10, MANY = 1 << 19 };
  const GhloVulkanDevice *device = &self->device->vulkan;

  self->tile_items = self->n < MANY ? 4 : device->shared_memory < LARGE_MEMORY ? 8 : 16;
  self->n_tiles = ghlo_size_ceil_div (self->n, self->tile_items * GHLO_GPU_SHADER_GROUP);
  /* There is a count for each subgroup and digit. */
  self->max_digits = self->n < MANY && device->shared_memory >= LARGE_MEMORY ? 1024 : 512;
  self->most_digits = MIN (self->max_digits / 32 * device->subgroup_size, self->max_digits);
}

const char *
ghlo_gpu_sort_init (GhloGpuSort              *self,
                    GhloGpuDevice            *device,
                    const GhloSortComparator *comparator,
                    gsize                     n,
                    gsize                     n_lines,
                    gsize                     inner,
                    guint                     key_bits)
{
  *self = (GhloGpuSort) {
    .device = device, .comparator = comparator, .n = n, .n_lines = n_lines, .inner = inner, .key_bits = key_bits,
    .is_short = n <= (key_bits != 0 ? SHORT_PAIRS : SHORT),
  };
  choose_tile (self);
  if (!device->vulkan.has_ballots || GHLO_GPU_SHADER_GROUP % device->vulkan.subgroup_size != 0)
    return "the device has no ballots of subgroups";
  for (guint i = 0; i < comparator->n_keys; i++)
    if (comparator->keys[i].partial)
      self->partial_keys |= 1u << i;
  if (self->partial_keys != 0 && n > MAX_PARTIAL)
    return "its comparator does not order NaN, and the sorted dimension is long";
  /* Each merged element is compared by all keys. */
  if (self->partial_keys != 0
      && !ghlo_vulkan_driver_may_iterate (device->vulkan.driver, n * (1.0 + comparator->n_keys)))
    return "its loops have more iterations than the driver supports";
  if (n > G_MAXINT32 || !find_scratch (self))
    return "it has too many elements to sort";

  return ghlo_gpu_shaders_obstacle (device, GHLO_GPU_SHADER_SHARED);
}

/* @size is the key's size, or 1 where it does not matter. */
static gboolean
compile_shader (GhloGpuSort    *self,
                GhloGpuShader   shader,
                guint32         size,
                GError        **error)
{
  GhloVulkanPipeline **pipeline = &self->pipelines[shader][g_bit_nth_msf (size, -1)];

  const guint32 constants[] = { size, self->tile_items, self->device->vulkan.subgroup_size, 0, 0, self->max_digits };

  if (*pipeline == NULL)
    *pipeline = ghlo_gpu_shader_compile (self->device, shader, constants, G_N_ELEMENTS (constants), error);

  return *pipeline != NULL;
}

gboolean
ghlo_gpu_sort_carry (GhloGpuSort *self,
                     guint        size)
{
  const GhloSortKey *key = &self->comparator->keys[0];
  gboolean carries = self->comparator->n_keys == 1 && ghlo_sort_key_bits (key) <= WORD_BITS && self->inner == 1
                     && key->size == size && key->element_size == size && self->partial_keys == 0 && !self->is_short;

  self->carried = carries ? size : 0;

  return carries;
}

gboolean
ghlo_gpu_sort_compile (GhloGpuSort  *self,
                       GError      **error)
{
  static const GhloGpuShader passes[] = { GHLO_GPU_SHADER_SORT_COUNT, GHLO_GPU_SHADER_SORT_SCAN,
                                          GHLO_GPU_SHADER_SORT_MOVE };

  for (guint i = 0; i < self->comparator->n_keys; i++)
    {
      guint32 size = self->comparator->keys[i].size;

      if (!compile_shader (self, self->is_short ? GHLO_GPU_SHADER_SORT_SHORT : GHLO_GPU_SHADER_SORT_RANK, size,
                           error)
          || (self->partial_keys != 0 && !compile_shader (self, GHLO_GPU_SHADER_SORT_RANK_ALL, size, error)))
        return FALSE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (passes); i++)
    if (!self->is_short && !compile_shader (self, passes[i], sizeof (guint32), error))
      return FALSE;
  if (self->carried != 0 && !compile_shader (self, GHLO_GPU_SHADER_SORT_MOVE, self->carried, error))
    return FALSE;

  return self->partial_keys == 0 || (compile_shader (self, GHLO_GPU_SHADER_SORT_CLEAR, 1, error)
                                     && compile_shader (self, GHLO_GPU_SHADER_SORT_MERGE, 1, error));
}

static void
dispatch (Run           *run,
          GhloGpuShader  shader,
          guint          by_size,
          guint64        n_points,
          guint          points_per_group)
{
  ghlo_gpu_shader_record (run->recording, run->sort->pipelines[shader][by_size], n_points, points_per_group,
                          &run->table, sizeof run->table, GHLO_GPU_N_ADDRESSES (Table, n));
}

static void
set_key (Run               *run,
         const GhloSortKey *key,
         const guint64     *operands)
{
  Table *table = &run->table;

  table->from = operands[key->operand];
  table->offset = key->offset;
  table->element_size = key->element_size;
  table->is_float = key->is_float;
  table->is_signed = key->is_signed;
  table->descending = key->descending;
  table->partial = key->partial;
  table->zero_equal = key->zero_equal;
  table->nan_equal = key->nan_equal;
  table->nan_bits = key->nan_bits;
  table->infinity = key->infinity;
  memset (table->byte_ranks, 0, sizeof table->byte_ranks);
  for (guint i = 0; key->size == 1 && i < 256; i++)
    table->byte_ranks[i / 8] |= (guint64) key->ranks[i] << (i % 8 * 8);
}

/* Returns whichever of the two orders is not the current one. */
static guint64
other_order (const Run *run)
{
  guint64 one = run->scratch + run->sort->orders[0];

  return run->order == one ? run->scratch + run->sort->orders[1] : one;
}

/* Runs a shader that writes a new order, which becomes the current one. */
static void
reorder (Run           *run,
         GhloGpuShader  shader,
         guint          by_size,
         guint64        n_groups)
{
  run->table.order_from = run->order;
  run->table.order_to = other_order (run);
  run->order = run->table.order_to;

  dispatch (run, shader, by_size, n_groups, 1);
}

/* The last pass, with elements that are carried. */
static void
put_result (Run     *run,
            guint64  n_groups)
{
  run->table.order_from = run->order;
  run->table.order_to = run->result;
  run->table.keys_to = 0;
  dispatch (run, GHLO_GPU_SHADER_SORT_MOVE, g_bit_nth_msf (run->sort->carried, -1), n_groups, 1);
}

guint
ghlo_gpu_sort_count_digits (const GhloGpuSort *self)
{
  return self->is_short ? 0 : 1u << choose_digits (self, self->key_bits);
}

/* Sorts long lines by the lower @bits bits of their keys, whose first digits have been counted. */
static void
sort_long (Run   *run,
           guint  bits)
{
  const GhloGpuSort *self = run->sort;
  guint64 n_groups = self->n_lines * self->n_tiles;
  guint digit_bits = choose_digits (self, bits);

  run->table.n_digits = 1u << digit_bits;
  for (guint shift = 0; shift < bits; shift += digit_bits)
    {
      guint64 one = run->scratch + self->keys[0], other = run->scratch + self->keys[1];

      run->table.shift = shift;
      run->table.keys_from = run->keys;
      run->table.keys_to = run->keys == one ? other : one;
      if (shift > 0)
        dispatch (run, GHLO_GPU_SHADER_SORT_COUNT, BY_WORD, n_groups, 1);
      if (run->table.totals != 0)
        dispatch (run, GHLO_GPU_SHADER_SORT_SCAN, BY_WORD, self->n_lines * run->table.n_digits, 1);
      if (shift + digit_bits >= bits && run->result != 0)
        put_result (run, n_groups);
      else
        reorder (run, GHLO_GPU_SHADER_SORT_MOVE, BY_WORD, n_groups);
      run->keys = run->table.keys_to;
    }
}

/* Sorts long lines by the lower @bits bits of the 32-bit ranks of the table's key. */
static void
sort_ranks (Run   *run,
            guint  by_size,
            guint  bits)
{
  run->keys = run->table.keys_to = run->scratch + run->sort->keys[0];
  run->table.shift = 0;
  run->table.n_digits = 1u << choose_digits (run->sort, bits);
  reorder (run, GHLO_GPU_SHADER_SORT_RANK, by_size, run->sort->n_lines * run->sort->n_tiles);
  sort_long (run, bits);
}

static void
sort_short (Run   *run,
            guint  by_size)
{
  const GhloGpuSort *self = run->sort;
  gsize length = 2, n_each;

  while (length < self->n)
    length *= 2;
  n_each = SHORT / length;
  run->table.width = length;

  reorder (run, GHLO_GPU_SHADER_SORT_SHORT, by_size, ghlo_size_ceil_div (self->n_lines, n_each));
}

static void
sort_by_key (Run               *run,
             const GhloSortKey *key,
             const guint64     *operands)
{
  guint bits = run->sort->key_bits != 0 ? run->sort->key_bits : ghlo_sort_key_bits (key);
  guint by_size = g_bit_nth_msf (key->size, -1);

  set_key (run, key, operands);
  for (guint low = 0; low < bits; low += WORD_BITS)
    {
      run->table.upper = low > 0;
      if (run->sort->is_short)
        sort_short (run, by_size);
      else
        sort_ranks (run, by_size, MIN (bits - low, WORD_BITS));
    }
}

/* Sorts lines with unordered elements once more, with the CPU's comparisons. */
static void
sort_partial (Run           *run,
              const guint64 *operands)
{
  const GhloGpuSort *self = run->sort;
  guint64 from = 0, to = run->scratch + self->runs[0], others = run->scratch + self->runs[1];
  gsize n_each = ghlo_size_ceil_div (self->n, BLOCK);

  dispatch (run, GHLO_GPU_SHADER_SORT_CLEAR, 0, self->n_lines, GHLO_GPU_SHADER_GROUP);
  for (guint i = 0; i < self->comparator->n_keys; i++)
    {
      set_key (run, &self->comparator->keys[i], operands);
      run->table.ranks = run->scratch + self->ranks + (guint64) i * self->n_lines * self->n * sizeof (guint64);
      dispatch (run, GHLO_GPU_SHADER_SORT_RANK_ALL, g_bit_nth_msf (self->comparator->keys[i].size, -1),
                (guint64) self->n_lines * self->n, GHLO_GPU_SHADER_GROUP);
    }
  run->table.ranks = run->scratch + self->ranks;
  for (gsize width = 1;; width = MAX (2 * width, BLOCK))
    {
      run->table.width = width;
      run->table.is_last = n_each == 1;
      run->table.order_from = from;
      run->table.order_to = n_each == 1 ? run->order : to;
      dispatch (run, GHLO_GPU_SHADER_SORT_MERGE, 0, self->n_lines * n_each, GHLO_GPU_SHADER_GROUP);
      if (n_each == 1)
        return;
      from = to;
      to = others;
      others = from;
      n_each = (n_each + 1) / 2;
    }
}

static void
begin (Run               *run,
       const GhloGpuSort *self,
       GhloGpuRecording  *recording)
{
  *run = (Run) { .sort = self, .recording = recording };
  run->table.n = self->n;
  run->table.n_lines = self->n_lines;
  run->table.inner = self->inner;
  run->table.n_tiles = self->n_tiles;
  run->table.reversed = run->table.reverses_equal = self->comparator->reverses_equal;
}

guint64
ghlo_gpu_sort_record (const GhloGpuSort *self,
                      const guint64     *operands,
                      guint64            result,
                      guint64            scratch,
                      GhloGpuRecording  *recording)
{
  Run run;

  begin (&run, self, recording);
  run.scratch = scratch;
  run.result = self->carried != 0 ? result : 0;
  run.table.carries = run.result != 0;
  run.table.counts = scratch + self->counts;
  run.table.totals = self->n_tiles > FEW_TILES ? scratch + self->totals : 0;
  run.table.flags = scratch + self->flags;
  run.table.n_keys = self->comparator->n_keys;
  run.table.partial_keys = self->partial_keys;
  for (guint i = self->comparator->n_keys; i > 0; i--)
    sort_by_key (&run, &self->comparator->keys[i - 1], operands);
  if (self->partial_keys != 0)
    sort_partial (&run, operands);

  return run.order;
}

void
ghlo_gpu_sort_pairs (const GhloGpuSort *self,
                     guint64           *keys,
                     guint64           *order,
                     guint64            scratch,
                     GhloGpuRecording  *recording)
{
  Run run;

  begin (&run, self, recording);
  run.scratch = scratch;
  run.keys = *keys;
  run.order = *order;
  run.table.counts = scratch + self->counts;
  run.table.totals = self->n_tiles > FEW_TILES ? scratch + self->totals : 0;
  if (self->is_short)
    {
      set_key (&run, &self->comparator->keys[0], &run.keys);
      run.keys = run.table.keys_to = scratch + self->keys[0];
      sort_short (&run, BY_WORD);
    }
  else
    sort_long (&run, self->key_bits);
  *keys = run.keys;
  *order = run.order;
}

GhloVulkanPipeline *
ghlo_gpu_sort_permuter (const GhloGpuSort  *self,
                        guint               size,
                        GError            **error)
{
  return ghlo_gpu_shader_compile (self->device, GHLO_GPU_SHADER_SORT_PERMUTE, (guint32[]) { size }, 1, error);
}

void
ghlo_gpu_sort_permute (const GhloGpuSort  *self,
                       GhloVulkanPipeline *permuter,
                       guint64             order,
                       guint64             operand,
                       guint64             result,
                       gsize               n_kept,
                       GhloGpuRecording   *recording)
{
  Run run;

  begin (&run, self, recording);
  run.table.order_from = order;
  run.table.from = operand;
  run.table.to = result;
  run.table.n_kept = n_kept;
  ghlo_gpu_shader_record (recording, permuter, (guint64) self->n_lines * n_kept, GHLO_GPU_SHADER_GROUP,
                          &run.table, sizeof run.table, GHLO_GPU_N_ADDRESSES (Table, n));
}
