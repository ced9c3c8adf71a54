/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of other libraries that programs call by name, through XLA's FFI (ffi/abi.h). They are registered for the
 * whole process, through the plugin's extensions or by handlers, and never unregistered.
 */

#pragma once

#include "ir/module.h"
#include "pjrt/abi-extensions.h"
#include "pjrt/ffi/abi.h"
#include "runtime/custom-calls.h"

G_BEGIN_DECLS

/* The handler behind a target name; by stage, NULL where there is nothing to do. */
typedef struct
{
  char            *name;
  XLA_FFI_Handler *stages[GHLO_XLA_FFI_N_STAGES];
} GhloPjrtFfiHandler;

/* Returns NULL when none is registered under the name. Handlers are never freed. */
const GhloPjrtFfiHandler *ghlo_pjrt_ffi_find     (const char              *name);
/* Sets INVALID_ARGUMENT or UNSUPPORTED, or the error that the handler itself returns, when it cannot be registered. */
gboolean                  ghlo_pjrt_ffi_register (XLA_FFI_ByteSpan         name,
                                                  XLA_FFI_Handler_Bundle   bundle,
                                                  GError                 **error);
/* Registers a type under a name. *@id is 0, and then becomes the type's number, which is a new one unless the name
 * is known; or it is the number that the type must have. */
gboolean                  ghlo_pjrt_ffi_register_type (XLA_FFI_ByteSpan    name,
                                                  int64_t                 *id,
                                                  void                   (*deleter) (void *),
                                                  GError                 **error);
/* Frees an object of this type, if the type is known and has a deleter. */
void                      ghlo_pjrt_ffi_delete   (int64_t                  type,
                                                  void                    *object);

/* Adds a target to *@targets (nullable) for each registered handler that @module calls. Returns FALSE when it calls
 * none. */
gboolean                  ghlo_pjrt_ffi_add_targets (const GhloIrModule   *module,
                                                  GhloCustomTargets      **targets);

void                      ghlo_pjrt_ffi_fill     (PJRT_FFI_Extension      *ffi,
                                                  PJRT_Gpu_Custom_Call    *bundles);

G_END_DECLS
