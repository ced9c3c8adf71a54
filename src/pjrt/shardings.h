/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How inputs and outputs of programs lie over devices, in PJRT's extension of that name.
 */

#pragma once

#include "pjrt/abi-extensions.h"

G_BEGIN_DECLS

/* Without its place in the list of extensions. */
void ghlo_pjrt_shardings_fill (PJRT_Shardings_Extension *extension);

G_END_DECLS
