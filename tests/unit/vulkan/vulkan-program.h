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
/* A device that is the first one, open, until the test changes what it says of itself. */
typedef struct
{
  GhloVulkanDevice device;
  GhloStepTarget   target;
} VulkanProgramCopy;

/* NULL, the test being skipped, where there is none. */
GhloVulkanDevice *vulkan_program_copy    (VulkanProgramCopy *copy);
/* For a thread: cancels what it is given after a fifth of a second. */
gpointer          vulkan_program_cancel_soon (gpointer       cancellable);
/* Of a text that is right. */
GhloPrepared     *vulkan_program_prepare (GhloDeviceCore    *device,
                                          const char        *text,
                                          GError           **error);

/* With the fusions that @device takes, but for passes in @disabled, nullable. */
GhloPrepared     *vulkan_program_fuse    (GhloVulkanDevice  *device,
                                          GhloIrModule      *module,
                                          const char *const *disabled);

/* Recordings that were begun, and their dispatches; and submissions, where they are counted. */
typedef struct
{
  guint n_replays, n_dispatches, n_barriers;
  guint n_submissions;
} VulkanProgramReplays;

/* From now on until unwatch () what @device, which is open, is about to replay is looked at first: no barrier is
 * missing, and each is needed. One device at a time. */
void                 vulkan_program_watch   (GhloVulkanDevice *device);
VulkanProgramReplays vulkan_program_unwatch (GhloVulkanDevice *device);

enum { VULKAN_PROGRAM_MAX_OUTPUTS = 4 };

/* The first device, open, which is taken to be as fast as there is, or NULL as above. */
GhloVulkanDevice    *vulkan_program_open    (void);
/* Bytes in a second, which is what plans think of it; of those that are made from now on. */
void                 vulkan_program_set_rate (GhloVulkanDevice *device,
                                             double            rate);
void                 vulkan_program_run     (GhloPrepared     *prepared,
                                             GhloValue *const *inputs,
                                             gsize             n_inputs,
                                             GhloValue       **outputs);
/* The outputs of a run, which are cleared, are to have the expected bits. */
void                 vulkan_program_compare (GhloPrepared     *prepared,
                                             GhloValue       **outputs,
                                             GhloValue       **expected);
/* Two runs at once, then one more, which takes the first one's commands, and one that is measured, against the
 * reference device. What recordings the first three begin. */
VulkanProgramReplays vulkan_program_check   (GhloVulkanDevice *device,
                                             const char       *text,
                                             GhloValue *const *inputs,
                                             gsize             n_inputs);

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
