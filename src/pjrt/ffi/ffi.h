/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of other libraries that programs call by name, as XLA's FFI has them (ffi/abi.h). They are registered for
 * the process, by the plugin's extensions or by other functions of that kind, and are there for good.
 */

#pragma once

#include "ir/module.h"
#include "pjrt/abi-extensions.h"
#include "pjrt/ffi/abi.h"
#include "runtime/custom-calls.h"

G_BEGIN_DECLS

/* What a target's name stands for; by stage, NULL where there is nothing to do. */
typedef struct
{
  char            *name;
  XLA_FFI_Handler *stages[GHLO_XLA_FFI_N_STAGES];
} GhloPjrtFfiHandler;

/* NULL where none is registered; never freed. */
const GhloPjrtFfiHandler *ghlo_pjrt_ffi_find     (const char              *name);
/* FAILED_PRECONDITION and other codes of the library's for what cannot be registered. */
gboolean                  ghlo_pjrt_ffi_register (XLA_FFI_ByteSpan         name,
                                                  XLA_FFI_Handler_Bundle   bundle,
                                                  GError                 **error);
/* A type of that name: *@id is 0, and then what it is found or made to be, or is to be that. */
gboolean                  ghlo_pjrt_ffi_register_type (XLA_FFI_ByteSpan    name,
                                                  int64_t                 *id,
                                                  void                   (*deleter) (void *),
                                                  GError                 **error);
/* Frees an object of that type, if it is known and has a deleter. */
void                      ghlo_pjrt_ffi_delete   (int64_t                  type,
                                                  void                    *object);

/* Adds a function to *@targets (nullable) for each registered handler that @module calls; FALSE where it calls none. */
gboolean                  ghlo_pjrt_ffi_add_targets (const GhloIrModule   *module,
                                                  GhloCustomTargets      **targets);

void                      ghlo_pjrt_ffi_fill     (PJRT_FFI_Extension      *ffi,
                                                  PJRT_Gpu_Custom_Call    *bundles);

G_END_DECLS
