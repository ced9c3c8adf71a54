/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's extension Shardings: how inputs and outputs of programs are distributed over devices.
 */

#pragma once

#include "pjrt/abi-extensions.h"

G_BEGIN_DECLS

/* Fills in the extension except for its link in the list of extensions. */
void ghlo_pjrt_shardings_fill (PJRT_Shardings_Extension *extension);

G_END_DECLS
