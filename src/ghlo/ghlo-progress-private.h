/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Access to the core of a progress, for calls.
 */

#pragma once

#include "client/progress-core.h"
#include "ghlo-progress.h"

G_BEGIN_DECLS

GhloProgressCore *ghlo_progress_get_core (GhloProgress *self);

G_END_DECLS
