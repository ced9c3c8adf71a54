/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What follows a product or convolution in a plan, as an epilogue.
 */

#pragma once

#include "plan/target.h"
#include "cpu/gemm/epilogue.h"

G_BEGIN_DECLS

typedef struct _GhloCpuFollowers GhloCpuFollowers;

/* GhloStepImplementation's follows(). */
gboolean          ghlo_cpu_follows         (const GhloIrOp         *op,
                                            const GhloIrFollower   *follower);
/* As prepare_with() is given them. NULL where an epilogue does not say it. */
GhloCpuFollowers *ghlo_cpu_followers_new   (const GhloIrOp         *op,
                                            const GhloIrFollower   *followers,
                                            guint                   n_followers,
                                            const GhloView         *operands,
                                            const GhloView         *result);
void              ghlo_cpu_followers_free  (GhloCpuFollowers       *self);
/* Whether it pays to do them panel by panel, on the threads of what takes so long: a step
 * of its own might have more. */
gboolean          ghlo_cpu_followers_pay   (const GhloCpuFollowers *self,
                                            double                  nanoseconds);
/* What a run's panel function, ghlo_cpu_epilogue_panel (), is given. @self may be NULL. */
void              ghlo_cpu_followers_begin (const GhloCpuFollowers *self,
                                            const GhloView         *operands,
                                            const GhloView         *result,
                                            GhloCpuEpilogueRun     *run);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuFollowers, ghlo_cpu_followers_free)

G_END_DECLS
