/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions that handlers may call, and the context of a call that they pass along.
 */

#pragma once

#include "pjrt/ffi/abi.h"
#include "runtime/custom-calls.h"

G_BEGIN_DECLS

/* An object that a handler stores for the handlers of later stages. */
typedef struct
{
  int64_t  type;
  void    *object;              /* owned, freed by the type's deleter; nullable */
} GhloPjrtFfiState;

void ghlo_pjrt_ffi_state_clear (GhloPjrtFfiState *self);

/* The context of one call of a stage. */
struct XLA_FFI_ExecutionContext
{
  const GhloCustomCallFrame *frame;             /* NULL in the stage INSTANTIATE */
  /* By stage, nullable: the state of INSTANTIATE belongs to the program, the others to the call. */
  GhloPjrtFfiState          *states[GHLO_XLA_FFI_N_STAGES];
  GMutex                     lock;              /* guards blocks, since handlers may use several threads */
  GPtrArray                 *blocks;            /* of GhloValue: memory that the handler has allocated; nullable */
};

void ghlo_pjrt_ffi_context_init  (XLA_FFI_ExecutionContext  *self,
                                  const GhloCustomCallFrame *frame);
void ghlo_pjrt_ffi_context_clear (XLA_FFI_ExecutionContext  *self);

const XLA_FFI_Api *ghlo_pjrt_ffi_api (void);

/* Sets @error from an error that a handler returned, which it takes over. NULL leaves @error unset. */
void               ghlo_pjrt_ffi_propagate (GError         **error,
                                            XLA_FFI_Error   *problem);
/* Waits for @future, which it takes over. Returns FALSE with @error set when the future failed. */
gboolean           ghlo_pjrt_ffi_await     (XLA_FFI_Future  *future,
                                            GError         **error);

G_END_DECLS
