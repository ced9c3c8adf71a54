/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which outputs of a plan may take the memory of inputs that the caller gives up.
 */

#pragma once

#include "plan/plan.h"

G_BEGIN_DECLS

typedef struct _GhloStepDonation GhloStepDonation;

/* @plan is borrowed. */
GhloStepDonation *ghlo_step_donation_new    (const GhloStepPlan     *plan);
void              ghlo_step_donation_free   (GhloStepDonation       *self);
/* Whether output @output may be written over the memory of input @input, of the same size:
 * nothing reads the input after the first write, or what writes it works in place. */
gboolean          ghlo_step_donation_allows (const GhloStepDonation *self,
                                             guint                   output,
                                             guint                   input);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloStepDonation, ghlo_step_donation_free)

G_END_DECLS
