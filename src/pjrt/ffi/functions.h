/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What handlers may call, and what of their calls they call it with.
 */

#pragma once

#include "pjrt/ffi/abi.h"
#include "runtime/custom-calls.h"

G_BEGIN_DECLS

/* An object that a handler leaves for the handlers of later stages. */
typedef struct
{
  int64_t  type;
  void    *object;              /* owned, by the type's deleter; nullable */
} GhloPjrtFfiState;

void ghlo_pjrt_ffi_state_clear (GhloPjrtFfiState *self);

/* One call of a stage. */
struct XLA_FFI_ExecutionContext
{
  const GhloCustomCallFrame *frame;             /* NULL while it is instantiated */
  /* By stage, nullable: what was instantiated is the program's, the rest the call's. */
  GhloPjrtFfiState          *states[GHLO_XLA_FFI_N_STAGES];
  GMutex                     lock;              /* of blocks: handlers have threads */
  GPtrArray                 *blocks;            /* GhloValue: memory that the handler has; nullable */
};

void ghlo_pjrt_ffi_context_init  (XLA_FFI_ExecutionContext  *self,
                                  const GhloCustomCallFrame *frame);
void ghlo_pjrt_ffi_context_clear (XLA_FFI_ExecutionContext  *self);

const XLA_FFI_Api *ghlo_pjrt_ffi_api (void);

/* Takes over an error that a handler gave, or for NULL an error without one. */
void               ghlo_pjrt_ffi_propagate (GError         **error,
                                            XLA_FFI_Error   *problem);
/* Waits for @future, which it takes over; FALSE with @error set where it failed. */
gboolean           ghlo_pjrt_ffi_await     (XLA_FFI_Future  *future,
                                            GError         **error);

G_END_DECLS
