/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The attributes of a custom call as handlers find them.
 */

#pragma once

#include "ir/module.h"
#include "pjrt/ffi/abi.h"

G_BEGIN_DECLS

/* @block, which @memory frees with g_free () from now on. */
static inline gpointer
ghlo_pjrt_ffi_keep (GPtrArray *memory,
                    gpointer   block)
{
  g_ptr_array_add (memory, block);

  return block;
}

/* INVALID where handlers have no such type: elements are whole bytes. */
XLA_FFI_DataType ghlo_pjrt_ffi_type_of (GhloElementType type);

/* Those of @op's configuration, sorted by name. What they are made of goes into @memory, blocks that g_free() frees;
 * names and texts are the module's. UNSUPPORTED for attributes that handlers cannot have. */
gboolean ghlo_pjrt_ffi_read_attributes (const GhloIrOp  *op,
                                        GPtrArray       *memory,
                                        XLA_FFI_Attrs   *attributes,
                                        GError         **error);

G_END_DECLS
