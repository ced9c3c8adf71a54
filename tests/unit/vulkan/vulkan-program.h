/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs for tests of a Vulkan device.
 */

#pragma once

#include "runtime/device.h"
#include "vulkan/device.h"

G_BEGIN_DECLS

/* The first one there is; NULL where there is none, the test being skipped then. */
GhloVulkanDevice *vulkan_program_device  (void);
/* Of a text that is right. */
GhloPrepared     *vulkan_program_prepare (GhloDeviceCore    *device,
                                          const char        *text,
                                          GError           **error);

/* Recordings that were begun, and their dispatches. */
typedef struct
{
  guint n_replays, n_dispatches, n_barriers;
} VulkanProgramReplays;

/* From now on until unwatch () what @device, which is open, is about to replay is looked at first: no barrier is
 * missing, and each is needed. One device at a time. */
void                 vulkan_program_watch   (GhloVulkanDevice *device);
VulkanProgramReplays vulkan_program_unwatch (GhloVulkanDevice *device);

/* Runs @compiled alone, with operands, then results, then the scratch at these addresses; no two of them overlap. */
void              vulkan_program_run_step (const GhloVulkanDevice       *device,
                                          const GhloStepImplementation *implementation,
                                          gpointer                      compiled,
                                          const GhloView               *operands,
                                          guint                         n_operands,
                                          const GhloView               *results,
                                          guint                         n_results,
                                          gpointer                      scratch,
                                          GError                      **error);

G_END_DECLS
