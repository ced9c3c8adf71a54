/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Declares the kernel of every row of the op table, ghlo_ref_WORD. Files that
 * define kernels include this header, so that the compiler checks a kernel's type
 * where it is written.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

#define OP(ID, name, summary, traits, verifier, reference, ...) \
  gboolean ghlo_ref_##reference (GhloRefCall *call, GError **error);
#include "ir/ops.def"

G_END_DECLS
