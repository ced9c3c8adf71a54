/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls from the inside: an object for as long as a function runs.
 */

#pragma once

#include "ghlo-custom-call.h"
#include "runtime/custom-calls.h"

G_BEGIN_DECLS

/* @frame is the caller's until ghlo_custom_call_end (). */
GhloCustomCall *ghlo_custom_call_new  (const char                *target,
                                       const GhloCustomCallFrame *frame);
/* Nothing can be had of the call any more; what it was given goes into the frame's results. FALSE where that is no
 * value of its type. */
gboolean        ghlo_custom_call_end  (GhloCustomCall            *self,
                                       GError                   **error);

G_END_DECLS
