/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A kernel under a schedule as SPIR-V 1.5 words, buffers by address. Maps over one
 * parallel axis only: what the spike needs to see that kernel and schedule are enough.
 */

#pragma once

#include "schedule.h"

G_BEGIN_DECLS

/* What the kernel is told in push constants. */
typedef struct
{
  guint64 table;        /* the address of the buffers' addresses */
  guint32 begin, end;   /* points of the axis; of this dispatch */
} SpikePushConstants;

/* Which float controls the device has; without them it may flush and contract. */
typedef struct
{
  gboolean preserves_nan;       /* SignedZeroInfNanPreserve for f32 */
  gboolean preserves_denormals;
  gboolean rounds_to_even;
} SpikeFloatControls;

/* An array of guint32, or NULL when the kernel is not such a map. A workgroup does
 * workgroup × unroll × width points. */
GArray *ghlo_spirv_emit (const GhloKernel         *kernel,
                         const GhloSchedule       *schedule,
                         const SpikeFloatControls *controls);

G_END_DECLS
