/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The shaders that are written in GLSL (shaders/NAME.comp at the top of the tree), for steps that are no kernels. They
 * are compiled when the library is built, and lie in it as words.
 *
 * A shader's table is a structure of guint64: GHLO_SPIRV_N_WORDS words as those of kernels have them, then what
 * shaders/NAME.words lists, which is included there.
 */

#pragma once

#include "vulkan/recording.h"

G_BEGIN_DECLS

/* Invocations of a workgroup, GROUP of shaders/common.glsl; and the most addresses of a table. */
enum { GHLO_VULKAN_SHADER_GROUP = 256, GHLO_VULKAN_MAX_ADDRESSES = 32 };

#define GHLO_VULKAN_SHADERS(SHADER) \
  SHADER (CHOOSE, choose) \
  SHADER (COPY, copy) \
  SHADER (CUMULATIVE, cumulative) \
  SHADER (CUMULATIVE_F64, cumulative_f64) \
  SHADER (FFT, fft) \
  SHADER (LINALG, linalg) \
  SHADER (LOOP, loop) \
  SHADER (RANDOM, random) \
  SHADER (SCATTER_APPLY, scatter_apply) \
  SHADER (SCATTER_APPLY_F64, scatter_apply_f64) \
  SHADER (SCATTER_DIRECT, scatter_direct) \
  SHADER (SCATTER_DIRECT_F64, scatter_direct_f64) \
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
#define SHADER(ID, name) GHLO_VULKAN_SHADER_##ID,
  GHLO_VULKAN_SHADERS (SHADER)
#undef SHADER
  GHLO_VULKAN_N_SHADERS
} GhloVulkanShader;

/* A table's members: the first, and what lists of words are made of. Those that are addresses stand first; 0 is
 * none. */
#define GHLO_VULKAN_TABLE_HEAD guint64 head[GHLO_SPIRV_N_WORDS];
#define WORD(name)     guint64 name;
#define WORDS(name, n) guint64 name[n];

const char *ghlo_vulkan_shader_get_name   (GhloVulkanShader         shader);
/* Its words with @constants in the place of its specialization constants 0, 1 and so on, all of which are unsigned
 * integers. */
GBytes     *ghlo_vulkan_shader_get_words  (GhloVulkanShader         shader,
                                           const guint32           *constants,
                                           guint                    n_constants);
/* What @device lacks for any of them, as a reason of a selection; NULL: nothing. */
const char *ghlo_vulkan_shaders_obstacle  (const GhloVulkanDevice  *device);
/* Whether @device computes in f64 what shaders do in it for results of f32. */
gboolean    ghlo_vulkan_shaders_have_f64  (const GhloVulkanDevice  *device);
/* VK_NULL_HANDLE with @error. */
VkPipeline  ghlo_vulkan_shader_compile    (GhloVulkanDevice        *device,
                                           GhloVulkanShader         shader,
                                           const guint32           *constants,
                                           guint                    n_constants,
                                           GError                 **error);
/* Puts it into @recording, over @n_points points, of which a workgroup does @points_each: 1, or one in each invocation.
 * @table is @size bytes, of which @n_addresses words behind the head are numbers of places (ghlo_vulkan_number ()), or
 * 0. */
void        ghlo_vulkan_shader_record     (GhloVulkanRecording     *recording,
                                           VkPipeline               pipeline,
                                           guint64                  n_points,
                                           guint                    points_each,
                                           gconstpointer            table,
                                           gsize                    size,
                                           guint                    n_addresses);

/* Puts a copy of pieces between two places into @recording; @pipeline is of the shader COPY, for pieces of a size. */
void        ghlo_vulkan_shader_copy       (GhloVulkanRecording     *recording,
                                           VkPipeline               pipeline,
                                           GhloStepPlace            from,
                                           GhloStepPlace            to,
                                           gsize                    n_pieces);

/* What GhloStepRecorder has for loops that data ends; shaders/loop.comp says what it does. */
gboolean    ghlo_vulkan_shader_tally      (gpointer                 recording,
                                           GhloStepPlace            gates,
                                           guint                    n,
                                           gsize                    stride,
                                           GhloStepPlace            state,
                                           GhloStepPlace            report,
                                           GError                 **error);
/* And for branches; shaders/choose.comp. */
gboolean    ghlo_vulkan_shader_choose     (gpointer                 recording,
                                           GhloStepPlace            index,
                                           gboolean                 is_predicate,
                                           guint                    n,
                                           GhloStepPlace           *gates,
                                           GError                 **error);

/* How many words of a table are before its member @first, which is the first that is no address. */
#define GHLO_VULKAN_N_ADDRESSES(Table, first) \
  ((guint) (offsetof (Table, first) / sizeof (guint64)) - GHLO_SPIRV_N_WORDS)

G_END_DECLS
