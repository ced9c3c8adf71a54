/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's buffers: values of ours, or promises of them, that callers give up when they like.
 */

#pragma once

#include "ir/type.h"
#include "pjrt/client.h"
#include "pjrt/layouts.h"
#include "pjrt/promise.h"

G_BEGIN_DECLS

struct PJRT_Buffer
{
  PJRT_Device    *device;       /* which keeps the client */
  PJRT_Memory    *memory;       /* of it; whoever makes the buffer may set another one */
  GhloTensorType *type;         /* owned, as the next */
  PJRT_Layouts_MemoryLayout *layout;    /* of its memory; the value's dimensions are in the order in which they lie */
  gboolean        is_token;     /* callers see no elements, but a token of a program's */
  GhloPending    *ready;        /* owned; what writes it; NULL: written */
  guint           execution;    /* by the number in the client's history; 0: none that counts there */
  GMutex          lock;         /* guards what follows */
  GhloPjrtPromise *promise;     /* owned; NULL once it was deleted or donated */
  GhloPjrtPromise *lent;        /* owned; the same, while somebody outside reads the value's memory */
  guint           n_readers;    /* of them */
};

/* Takes over the reference to @value, a tensor where @device works, which lies by rows. */
PJRT_Buffer *ghlo_pjrt_buffer_new_value (PJRT_Device     *device,
                                         GhloValue       *value);
/* The same for the reference to @promise, of a tensor of @type. */
PJRT_Buffer *ghlo_pjrt_buffer_new_promise (PJRT_Device     *device,
                                           GhloTensorType  *type,
                                           GhloPjrtPromise *promise);
/* What it holds is a tensor of @type in @layout: its value has the dimensions as they lie. */
void         ghlo_pjrt_buffer_lay_out   (PJRT_Buffer                *self,
                                         GhloTensorType             *type,
                                         PJRT_Layouts_MemoryLayout  *layout);
void         ghlo_pjrt_buffer_free      (PJRT_Buffer     *self);
/* A reference to what it holds; INVALID_ARGUMENT where that was deleted. */
GhloPjrtPromise *ghlo_pjrt_buffer_hold  (PJRT_Buffer     *self,
                                         GError         **error);
/* The buffer's own reference, so that the buffer is deleted; NULL where it was. */
GhloPjrtPromise *ghlo_pjrt_buffer_give_up (PJRT_Buffer   *self);
/* A reference to the value, which is waited for. */
GhloValue   *ghlo_pjrt_buffer_get_value (PJRT_Buffer     *self,
                                         GError         **error);

/* A tensor of that shape on @device, out of host memory where its dimensions have any strides (NULL: row by row without
 * gaps). Where the caller keeps the memory, it is told by @release that it is not needed any more; NULL: it is
 * copied. */
PJRT_Buffer *ghlo_pjrt_buffer_new_from_host (PJRT_Device          *device,
                                             const GhloPjrtShape  *shape,
                                             gconstpointer         data,
                                             const int64_t        *byte_strides,
                                             GDestroyNotify        release,
                                             gpointer              release_data,
                                             GError              **error);

/* A value that a function of a caller's is to write as a result of a program: a token, or a tensor of any content;
 * UNSUPPORTED for another type. */
GhloValue   *ghlo_pjrt_value_for_result (const GhloIrType *type,
                                         GError         **error);
/* Has the elements of a value that was written by a caller be as ours are: NumPy's booleans may be any byte, and short
 * integers have anything in front. */
void         ghlo_pjrt_buffer_tidy      (GhloValue       *value);

void         ghlo_pjrt_buffer_add_functions (PJRT_Api *api);
void         ghlo_pjrt_host_buffer_add_functions (PJRT_Api *api);
void         ghlo_pjrt_read_buffer_add_functions (PJRT_Api *api);
void         ghlo_pjrt_make_buffer_add_functions (PJRT_Api *api);
void         ghlo_pjrt_transfer_add_functions    (PJRT_Api *api);

G_END_DECLS
