/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The internal interface of custom calls: an object that is valid while a function
 * runs.
 */

#pragma once

#include "ghlo-custom-call.h"
#include "runtime/custom-calls.h"

G_BEGIN_DECLS

/* @frame is borrowed until ghlo_custom_call_end (). */
GhloCustomCall *ghlo_custom_call_new  (const char                *target,
                                       const GhloCustomCallFrame *frame);
/* Detaches the object from the call and moves the results that it was given to the frame. FALSE with @error set
 * when the call failed or a result contains an invalid element. */
gboolean        ghlo_custom_call_end  (GhloCustomCall            *self,
                                       GError                   **error);

G_END_DECLS
