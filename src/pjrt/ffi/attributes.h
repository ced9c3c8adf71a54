/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The attributes of a custom call, in the form in which handlers get them.
 */

#pragma once

#include "ir/module.h"
#include "pjrt/ffi/abi.h"

G_BEGIN_DECLS

/* Returns @block and makes @memory own it; it is freed with g_free (). */
static inline gpointer
ghlo_pjrt_ffi_keep (GPtrArray *memory,
                    gpointer   block)
{
  g_ptr_array_add (memory, block);

  return block;
}

/* Returns INVALID for types that handlers do not have: the elements of handlers are whole bytes. */
XLA_FFI_DataType ghlo_pjrt_ffi_type_of (GhloElementType type);

/* Reads the attributes in @op's configuration, sorted by name. The blocks that they consist of are added to @memory,
 * which has to free them with g_free (); names and strings belong to the module. Sets UNSUPPORTED for attributes
 * that handlers cannot have. */
gboolean ghlo_pjrt_ffi_read_attributes (const GhloIrOp  *op,
                                        GPtrArray       *memory,
                                        XLA_FFI_Attrs   *attributes,
                                        GError         **error);

G_END_DECLS
