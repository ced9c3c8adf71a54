/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs for tests of a Vulkan device.
 */

#pragma once

#include "execute/program.h"
#include "gpu/device.h"

G_BEGIN_DECLS

/* The first device; NULL where there is none, in which case the test is skipped. */
GhloGpuDevice *vulkan_program_device  (void);
/* An open copy of the first device, whose properties the test may change. */
typedef struct
{
  GhloGpuDevice device;
} VulkanProgramCopy;

/* NULL where there is none, in which case the test is skipped. */
GhloGpuDevice *vulkan_program_copy    (VulkanProgramCopy *copy);
/* A thread function: cancels its argument after a fifth of a second. */
gpointer          vulkan_program_cancel_soon (gpointer       cancellable);
/* Prepares @text, which must be valid. */
GhloPrepared     *vulkan_program_prepare (GhloDeviceCore    *device,
                                          const char        *text,
                                          GError           **error);

/* Prepares with the fusions that @device supports, except for the passes in @disabled, nullable. */
GhloPrepared     *vulkan_program_fuse    (GhloGpuDevice     *device,
                                          GhloIrModule      *module,
                                          const char *const *disabled);

/* The numbers of submitted recordings, of their dispatches and barriers; and of submissions, where these are
 * counted. */
typedef struct
{
  guint n_replays, n_dispatches, n_barriers;
  guint n_submissions;
} VulkanProgramReplays;

/* Until unwatch (), checks every recording that the open @device is about to replay: no barrier is missing, and each
 * is necessary. Only one device can be watched at a time. */
void                 vulkan_program_watch   (GhloGpuDevice *device);
VulkanProgramReplays vulkan_program_unwatch (GhloGpuDevice *device);

enum { VULKAN_PROGRAM_MAX_OUTPUTS = 4 };

/* The first device, opened, with the fastest rates, or NULL as above. */
GhloGpuDevice    *vulkan_program_open    (void);
/* The bytes per second that plans assume for the device; affects plans that are made later. */
void                 vulkan_program_set_rate (GhloGpuDevice *device,
                                             double            rate);
void                 vulkan_program_run     (GhloPrepared     *prepared,
                                             GhloValue *const *inputs,
                                             gsize             n_inputs,
                                             GhloValue       **outputs);
/* Checks that the outputs of a run, which are cleared, have the expected bits. */
void                 vulkan_program_compare (GhloPrepared     *prepared,
                                             GhloValue       **outputs,
                                             GhloValue       **expected);
/* Compares with the reference device two concurrent runs, then one more, which uses the first one's commands, and a
 * profiled one. Returns the recordings of the first three. */
VulkanProgramReplays vulkan_program_check   (GhloGpuDevice    *device,
                                             const char       *text,
                                             GhloValue *const *inputs,
                                             gsize             n_inputs);

/* Runs @compiled alone; the addresses are those of the operands, then the results, then the scratch, and no two
 * overlap. */
void              vulkan_program_run_step (const GhloGpuDevice       *device,
                                          const GhloStepImplementation *implementation,
                                          gpointer                      compiled,
                                          const GhloView               *operands,
                                          guint                         n_operands,
                                          const GhloView               *results,
                                          guint                         n_results,
                                          gpointer                      scratch,
                                          GError                      **error);

G_END_DECLS
