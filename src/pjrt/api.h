/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the plugin exports.
 */

#pragma once

#include "pjrt/abi.h"

G_BEGIN_DECLS

/* The table of functions, which is the same for everybody in the process. */
__attribute__ ((visibility ("default")))
const PJRT_Api *GetPjrtApi (void);

G_END_DECLS
