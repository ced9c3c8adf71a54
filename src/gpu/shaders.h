/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The shaders written in GLSL (shaders/NAME.comp at the top of the tree), for steps that are not kernels. They are
 * compiled when the library is built, and embedded in it as SPIR-V words.
 *
 * A shader's table is a structure of guint64: the GHLO_SPIRV_N_WORDS words that kernels have as well, then the words
 * listed in shaders/NAME.words, which C code includes inside the structure.
 */

#pragma once

#include "gpu/recording.h"

G_BEGIN_DECLS

/* Invocations per workgroup (GROUP in shaders/common.glsl), the most bytes of shared memory of shaders that don't adapt
 * to how much there is, and the maximum number of addresses in a table. */
enum { GHLO_GPU_SHADER_GROUP = 256, GHLO_GPU_SHADER_SHARED = 32 << 10, GHLO_GPU_MAX_ADDRESSES = 32 };

#define GHLO_GPU_SHADERS(SHADER) \
  SHADER (CHOOSE, choose) \
  SHADER (COPY, copy) \
  SHADER (CUMULATIVE, cumulative) \
  SHADER (CUMULATIVE_F64, cumulative_f64) \
  SHADER (FFT, fft) \
  SHADER (FFT_F64, fft_f64) \
  SHADER (LINALG, linalg) \
  SHADER (LOOP, loop) \
  SHADER (PERMUTE, permute) \
  SHADER (RANDOM, random) \
  SHADER (SCATTER_APPLY, scatter_apply) \
  SHADER (SCATTER_APPLY_F64, scatter_apply_f64) \
  SHADER (SCATTER_ATOMIC, scatter_atomic) \
  SHADER (SCATTER_ATOMIC_64, scatter_atomic_64) \
  SHADER (SCATTER_DIRECT, scatter_direct) \
  SHADER (SCATTER_DIRECT_F64, scatter_direct_f64) \
  SHADER (SCATTER_ELECT, scatter_elect) \
  SHADER (SCATTER_LOCATE, scatter_locate) \
  SHADER (SORT_CLEAR, sort_clear) \
  SHADER (SORT_COUNT, sort_count) \
  SHADER (SORT_MERGE, sort_merge) \
  SHADER (SORT_MOVE, sort_move) \
  SHADER (SORT_PERMUTE, sort_permute) \
  SHADER (SORT_RANK, sort_rank) \
  SHADER (SORT_RANK_ALL, sort_rank_all) \
  SHADER (SORT_SCAN, sort_scan) \
  SHADER (SORT_SHORT, sort_short)

typedef enum
{
#define SHADER(ID, name) GHLO_GPU_SHADER_##ID,
  GHLO_GPU_SHADERS (SHADER)
#undef SHADER
  GHLO_GPU_N_SHADERS
} GhloGpuShader;

/* Members of a table: its head, and what the lists of words expand to. Addresses come first in a list; an address of 0
 * means none. */
#define GHLO_GPU_TABLE_HEAD guint64 head[GHLO_SPIRV_N_WORDS];
#define WORD(name)     guint64 name;
#define WORDS(name, n) guint64 name[n];

const char         *ghlo_gpu_shader_get_name  (GhloGpuShader         shader);
/* Returns the shader's words with its specialization constants 0, 1, … set to @constants; all are unsigned integers. */
GBytes             *ghlo_gpu_shader_get_words (GhloGpuShader         shader,
                                               const guint32        *constants,
                                               guint                 n_constants);
/* Returns what @device lacks to run shaders that take up to @shared_memory bytes, as the reason of a selection, or
 * NULL. */
const char         *ghlo_gpu_shaders_obstacle (const GhloGpuDevice  *device,
                                               gsize                 shared_memory);
/* Whether @device computes in f64 as the shaders need it for results of f32. */
gboolean            ghlo_gpu_shaders_have_f64 (const GhloGpuDevice  *device);
/* Returns how many values a shader should load before it uses the first, where a GPU should load @n: processors do not
 * wait that long, and their drivers take long to compile unrolled loops. */
guint32             ghlo_gpu_shaders_ahead    (const GhloGpuDevice  *device,
                                               guint32               n);
/* Returns NULL with @error. */
GhloVulkanPipeline *ghlo_gpu_shader_compile   (GhloGpuDevice        *device,
                                               GhloGpuShader         shader,
                                               const guint32        *constants,
                                               guint                 n_constants,
                                               GError              **error);
/* Records a dispatch over @n_points points. A workgroup computes @points_per_group of them: 1, or one per invocation.
 * @table has @size bytes; its first @n_addresses words after the head are encoded places, or 0. */
void                ghlo_gpu_shader_record    (GhloGpuRecording     *recording,
                                               GhloVulkanPipeline   *pipeline,
                                               guint64               n_points,
                                               guint                 points_per_group,
                                               gconstpointer         table,
                                               gsize                 size,
                                               guint                 n_addresses);

/* Records a copy of @n_pieces pieces from @from to @to; @pipeline is the shader COPY, specialized for the size of a
 * piece. */
void ghlo_gpu_shader_copy (GhloGpuRecording   *recording,
                           GhloVulkanPipeline *pipeline,
                           GhloBufferRef       from,
                           GhloBufferRef       to,
                           gsize               n_pieces);

/* Implements GhloCommandBufferClass.count_iterations, for loops whose end depends on data; see shaders/loop.comp. */
gboolean ghlo_gpu_shader_count_iterations (GhloCommandBuffer  *commands,
                                           GhloBufferRef       predicates,
                                           guint               n,
                                           gsize               stride,
                                           GhloBufferRef       state,
                                           GhloBufferRef       report,
                                           GError            **error);
/* Implements GhloCommandBufferClass.select_branch, for branches; see shaders/choose.comp. */
gboolean ghlo_gpu_shader_select_branch    (GhloCommandBuffer  *commands,
                                           GhloBufferRef       index,
                                           gboolean            is_predicate,
                                           guint               n,
                                           GhloBufferRef      *predicates,
                                           GError            **error);

/* The number of address words in a table, given its first member that is not an address. */
#define GHLO_GPU_N_ADDRESSES(Table, first) \
  ((guint) (offsetof (Table, first) / sizeof (guint64)) - GHLO_SPIRV_N_WORDS)

G_END_DECLS
