/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The symbol that the plugin exports.
 */

#pragma once

#include "pjrt/abi.h"

G_BEGIN_DECLS

/* Returns the table of functions, which is shared by the whole process. */
__attribute__ ((visibility ("default")))
const PJRT_Api *GetPjrtApi (void);

G_END_DECLS
