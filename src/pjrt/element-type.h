/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's types of elements and ours.
 */

#pragma once

#include "base/ghlo-enums.h"
#include "pjrt/abi.h"

G_BEGIN_DECLS

/* INVALID where the other has none. */
GhloElementType  ghlo_pjrt_element_type_from (PJRT_Buffer_Type type);
PJRT_Buffer_Type ghlo_pjrt_element_type_to   (GhloElementType  type);

G_END_DECLS
