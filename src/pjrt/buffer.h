/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's buffers: values, or futures of values, which callers may delete at any time.
 */

#pragma once

#include "ir/type.h"
#include "pjrt/client.h"
#include "pjrt/future.h"
#include "pjrt/layouts.h"

G_BEGIN_DECLS

struct PJRT_Buffer
{
  PJRT_Device    *device;       /* keeps a reference to its client */
  PJRT_Memory    *memory;       /* one of the device's; whoever creates the buffer may set another one */
  GhloTensorType *type;         /* owned, as the next */
  PJRT_Layouts_MemoryLayout *layout;    /* of its memory; the dimensions of the value are in the order in which they
                                           lie in memory */
  gboolean        is_token;     /* callers see a token of a program instead of the elements */
  GhloFence    *ready;        /* owned; ends when the content is written; NULL: it is written already */
  guint           execution;    /* its number in the client's history; 0: not counted there */
  GMutex          lock;         /* guards the fields below */
  GhloPjrtFuture *future;     /* owned; NULL once the buffer was deleted or donated */
  GhloPjrtFuture *lent;        /* owned; the same future, while external readers use the value's memory */
  guint           n_readers;    /* the number of external readers */
};

/* Takes over the reference to @value, a row-major tensor in the memory of @device. */
PJRT_Buffer *ghlo_pjrt_buffer_new_value (PJRT_Device     *device,
                                         GhloValue       *value);
/* The same with a future of a tensor of @type; takes over the reference to @future. */
PJRT_Buffer *ghlo_pjrt_buffer_new_future (PJRT_Device     *device,
                                           GhloTensorType  *type,
                                           GhloPjrtFuture *future);
/* Declares the content to be a tensor of @type in @layout. The dimensions of the value are those of @type in their
 * order in memory. */
void         ghlo_pjrt_buffer_lay_out   (PJRT_Buffer                *self,
                                         GhloTensorType             *type,
                                         PJRT_Layouts_MemoryLayout  *layout);
void         ghlo_pjrt_buffer_free      (PJRT_Buffer     *self);
/* Returns a reference to the buffer's content. Sets INVALID_ARGUMENT when the buffer was deleted. */
GhloPjrtFuture *ghlo_pjrt_buffer_hold  (PJRT_Buffer     *self,
                                         GError         **error);
/* Deletes the buffer and returns its reference to its content; NULL when the buffer was deleted already. */
GhloPjrtFuture *ghlo_pjrt_buffer_give_up (PJRT_Buffer   *self);
/* Waits for the value and returns a reference to it. */
GhloValue   *ghlo_pjrt_buffer_get_value (PJRT_Buffer     *self,
                                         GError         **error);

/* Creates a tensor of the given shape on @device from host memory in which its dimensions have these strides (NULL:
 * row-major without gaps). With @release, the buffer may use the memory at @data directly and calls @release when it
 * no longer needs it; without, the content is copied. */
PJRT_Buffer *ghlo_pjrt_buffer_new_from_host (PJRT_Device          *device,
                                             const GhloPjrtShape  *shape,
                                             gconstpointer         data,
                                             const int64_t        *byte_strides,
                                             GDestroyNotify        release,
                                             gpointer              release_data,
                                             GError              **error);

/* Returns a value into which a function of the caller writes a result of a program: a token, or a tensor with
 * undefined content. UNSUPPORTED for other types. */
GhloValue   *ghlo_pjrt_value_for_result (const GhloIrType *type,
                                         GError          **error);
/* Normalizes the elements of a value that a caller wrote: NumPy's booleans may be any byte, and integers below 8
 * bits may have any bits above their own. */
void         ghlo_pjrt_normalize_elements (GhloValue     *value);

void         ghlo_pjrt_buffer_add_functions (PJRT_Api *api);
void         ghlo_pjrt_host_buffer_add_functions (PJRT_Api *api);
void         ghlo_pjrt_read_buffer_add_functions (PJRT_Api *api);
void         ghlo_pjrt_make_buffer_add_functions (PJRT_Api *api);
void         ghlo_pjrt_transfer_add_functions    (PJRT_Api *api);

G_END_DECLS
