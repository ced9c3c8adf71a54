/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Specialization constants are set in the words themselves, so that pipelines are known by words alone.
 */

#include "vulkan/shaders.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

#include "vulkan/pipelines.h"
#include "vulkan/spirv/spirv.h"

/* Made of shaders/NAME.comp by the build: an array of words each. */
#include "shaders/choose.h"
#include "shaders/copy.h"
#include "shaders/cumulative.h"
#include "shaders/cumulative_f64.h"
#include "shaders/fft.h"
#include "shaders/linalg.h"
#include "shaders/loop.h"
#include "shaders/random.h"
#include "shaders/scatter_apply.h"
#include "shaders/scatter_apply_f64.h"
#include "shaders/scatter_direct.h"
#include "shaders/scatter_direct_f64.h"
#include "shaders/scatter_locate.h"
#include "shaders/sort_clear.h"
#include "shaders/sort_count.h"
#include "shaders/sort_merge.h"
#include "shaders/sort_move.h"
#include "shaders/sort_permute.h"
#include "shaders/sort_rank.h"
#include "shaders/sort_rank_all.h"
#include "shaders/sort_scan.h"
#include "shaders/sort_short.h"

enum { HEADER_WORDS = 5, MAX_CONSTANTS = 8 };

typedef struct
{
  const char    *name;
  const guint32 *words;
  gsize          size;          /* bytes */
} Row;

static const Row rows[] = {
#define SHADER(ID, name) [GHLO_VULKAN_SHADER_##ID] = { #name, ghlo_shader_##name, sizeof ghlo_shader_##name },
  GHLO_VULKAN_SHADERS (SHADER)
#undef SHADER
};

const char *
ghlo_vulkan_shader_get_name (GhloVulkanShader shader)
{
  return rows[shader].name;
}

/* Decorations stand before constants. */
static void
specialize (guint32       *words,
            gsize          n,
            const guint32 *constants,
            guint          n_constants)
{
  guint32 ids[MAX_CONSTANTS] = { 0 };

  g_assert (n_constants <= MAX_CONSTANTS);
  for (gsize i = HEADER_WORDS; i < n; i += words[i] >> SpvWordCountShift)
    {
      guint32 op = words[i] & SpvOpCodeMask;

      if (op == SpvOpDecorate && words[i + 2] == SpvDecorationSpecId && words[i + 3] < n_constants)
        ids[words[i + 3]] = words[i + 1];
      for (guint k = 0; op == SpvOpSpecConstant && k < n_constants; k++)
        if (words[i + 2] == ids[k])
          words[i + 3] = constants[k];
      if (op == SpvOpFunction)
        break;
    }
}

GBytes *
ghlo_vulkan_shader_get_words (GhloVulkanShader  shader,
                              const guint32    *constants,
                              guint             n_constants)
{
  guint32 *words = g_memdup2 (rows[shader].words, rows[shader].size);

  specialize (words, rows[shader].size / sizeof *words, constants, n_constants);

  return g_bytes_new_take (words, rows[shader].size);
}

const char *
ghlo_vulkan_shaders_obstacle (const GhloVulkanDevice *device)
{
  if (!device->features.v12.storageBuffer8BitAccess || !device->features.v11.storageBuffer16BitAccess)
    return "the device does not load integers of 8 or 16 bits";
  if (device->limits.maxComputeWorkGroupInvocations < GHLO_VULKAN_SHADER_GROUP
      || device->limits.maxComputeWorkGroupSize[0] < GHLO_VULKAN_SHADER_GROUP)
    return "the device's workgroups are too small";

  return NULL;
}

gboolean
ghlo_vulkan_shaders_have_f64 (const GhloVulkanDevice *device)
{
  const guint64 *nearly = device->measured.nearly;

  return (nearly[GHLO_NODE_ADD] & nearly[GHLO_NODE_MULTIPLY] & nearly[GHLO_NODE_DIVIDE] & nearly[GHLO_NODE_CONVERT])
         >> GHLO_ELEMENT_TYPE_F64 & 1;
}

VkPipeline
ghlo_vulkan_shader_compile (GhloVulkanDevice  *device,
                            GhloVulkanShader   shader,
                            const guint32     *constants,
                            guint              n_constants,
                            GError           **error)
{
  g_autoptr (GBytes) words = ghlo_vulkan_shader_get_words (shader, constants, n_constants);

  return ghlo_vulkan_pipelines_get (device->pipelines, words, error);
}

void
ghlo_vulkan_shader_record (GhloVulkanRecording *recording,
                           VkPipeline           pipeline,
                           guint64              n_points,
                           guint                points_each,
                           gconstpointer        table,
                           gsize                size,
                           guint                n_addresses)
{
  GhloVulkanAccess accesses[GHLO_VULKAN_MAX_ADDRESSES];
  GhloVulkanDispatch dispatch = {
    .name = "shader", .pipeline = pipeline, .n_points = n_points, .points_each = points_each, .most_groups = G_MAXUINT,
    .words = table, .n_words = (guint) (size / sizeof (guint64)), .accesses = accesses,
  };

  g_assert (n_addresses <= GHLO_VULKAN_MAX_ADDRESSES);
  for (guint i = GHLO_SPIRV_N_WORDS; i < GHLO_SPIRV_N_WORDS + n_addresses; i++)
    if (dispatch.words[i] != 0)
      accesses[dispatch.n_accesses++] = ghlo_vulkan_recording_all (recording, i, dispatch.words[i]);
  ghlo_vulkan_recording_dispatch (recording, &dispatch);
}

typedef struct
{
  GHLO_VULKAN_TABLE_HEAD
#include "shaders/copy.words"
} CopyTable;

void
ghlo_vulkan_shader_copy (GhloVulkanRecording *recording,
                         VkPipeline           pipeline,
                         GhloStepPlace        from,
                         GhloStepPlace        to,
                         gsize                n_pieces)
{
  const CopyTable table = { .from = ghlo_vulkan_number (from), .to = ghlo_vulkan_number (to), .n_pieces = n_pieces };

  ghlo_vulkan_shader_record (recording, pipeline, n_pieces, GHLO_VULKAN_SHADER_GROUP, &table, sizeof table,
                             GHLO_VULKAN_N_ADDRESSES (CopyTable, n_pieces));
}

typedef struct
{
  GHLO_VULKAN_TABLE_HEAD
#include "shaders/loop.words"
} LoopTable;

#define LOOP_WORD(member) ((guint) (offsetof (LoopTable, member) / sizeof (guint64)))

/* Words that gates are parts of are cleared. */
gboolean
ghlo_vulkan_shader_tally (gpointer       recording,
                          GhloStepPlace  gates,
                          guint          n,
                          gsize          stride,
                          GhloStepPlace  state,
                          GhloStepPlace  report,
                          GError       **error)
{
  enum { WORD = sizeof (guint32) };
  GhloVulkanDevice *device = ghlo_vulkan_recording_get_device (recording);
  const LoopTable table = { .stride = stride, .n = n };
  const GhloVulkanAccess accesses[] = {
    { LOOP_WORD (gates), gates, -(gates.offset % WORD), (n - 1) * stride + WORD, TRUE },
    { LOOP_WORD (state), state, 0, GHLO_STEP_LOOP_STATE, TRUE },
    { LOOP_WORD (report), report, 0, GHLO_STEP_LOOP_REPORT, TRUE },
  };
  const GhloVulkanDispatch dispatch = {
    .name = "loop", .pipeline = ghlo_vulkan_shader_compile (device, GHLO_VULKAN_SHADER_LOOP, NULL, 0, error),
    .n_points = 1, .points_each = 1, .most_groups = 1, .words = (const guint64 *) &table,
    .n_words = sizeof table / sizeof (guint64), .accesses = accesses,
    .n_accesses = report.buffer != GHLO_STEP_NONE ? 3 : 2,
  };

  if (dispatch.pipeline != VK_NULL_HANDLE)
    ghlo_vulkan_recording_dispatch (recording, &dispatch);

  return dispatch.pipeline != VK_NULL_HANDLE;
}

typedef struct
{
  GHLO_VULKAN_TABLE_HEAD
#include "shaders/choose.words"
} ChooseTable;

#define CHOOSE_WORD(member) ((guint) (offsetof (ChooseTable, member) / sizeof (guint64)))

gboolean
ghlo_vulkan_shader_choose (gpointer        recording,
                           GhloStepPlace   index,
                           gboolean        is_predicate,
                           guint           n,
                           GhloStepPlace  *gates,
                           GError        **error)
{
  GhloVulkanDevice *device = ghlo_vulkan_recording_get_device (recording);
  const VkPipeline pipeline = ghlo_vulkan_shader_compile (device, GHLO_VULKAN_SHADER_CHOOSE, NULL, 0, error);
  const GhloStepPlace outer = ghlo_vulkan_recording_gate (recording, (GhloStepPlace) { GHLO_STEP_NONE, 0 });
  const ChooseTable table = { .is_predicate = is_predicate, .n = n };
  GhloVulkanAccess accesses[] = {
    { CHOOSE_WORD (index), index, 0, is_predicate ? 1 : sizeof (gint32), FALSE },
    { CHOOSE_WORD (gates), ghlo_vulkan_recording_add_gates (recording, n), 0, n * GHLO_STEP_GATE_STRIDE, TRUE },
    { CHOOSE_WORD (outer), outer, 0, 1, FALSE },
  };
  const GhloVulkanDispatch dispatch = {
    .name = "choose", .pipeline = pipeline, .n_points = 1, .points_each = 1, .most_groups = 1,
    .words = (const guint64 *) &table, .n_words = sizeof table / sizeof (guint64), .accesses = accesses,
    .n_accesses = outer.buffer != GHLO_STEP_NONE ? 3 : 2,
  };

  *gates = accesses[1].place;
  if (pipeline != VK_NULL_HANDLE)
    ghlo_vulkan_recording_dispatch (recording, &dispatch);
  ghlo_vulkan_recording_gate (recording, outer);

  return pipeline != VK_NULL_HANDLE;
}
