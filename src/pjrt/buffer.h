/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's buffers: values of ours that callers give up when they like.
 */

#pragma once

#include "pjrt/client.h"
#include "runtime/value.h"

G_BEGIN_DECLS

struct PJRT_Buffer
{
  PJRT_Device    *device;       /* which keeps the client */
  GhloTensorType *type;         /* owned */
  GhloPending    *ready;        /* owned; what writes it; NULL: written */
  GMutex          lock;         /* guards what follows */
  GhloValue      *value;        /* owned; NULL once it was deleted or donated */
  GhloValue      *lent;         /* owned; the value, while somebody outside reads its memory */
  guint           n_readers;    /* of them */
};

/* Takes over the reference to @value, a tensor where @device works. */
PJRT_Buffer *ghlo_pjrt_buffer_new  (PJRT_Device  *device,
                                    GhloValue    *value);
void         ghlo_pjrt_buffer_free (PJRT_Buffer  *self);
/* A reference to the value, which with @give_up goes to the caller, so that the buffer is deleted; INVALID_ARGUMENT for
 * one that was. */
GhloValue   *ghlo_pjrt_buffer_take (PJRT_Buffer  *self,
                                    gboolean      give_up,
                                    GError      **error);

/* A tensor of that type on @device, out of host memory with any strides (NULL: row by row without gaps). Where the
 * caller keeps the memory, it is told by @release that it is not needed any more; NULL: it is copied. */
PJRT_Buffer *ghlo_pjrt_buffer_new_from_host (PJRT_Device     *device,
                                             GhloTensorType  *type,
                                             gconstpointer    data,
                                             const int64_t   *byte_strides,
                                             GDestroyNotify   release,
                                             gpointer         release_data,
                                             GError         **error);

void         ghlo_pjrt_buffer_add_functions (PJRT_Api *api);
void         ghlo_pjrt_host_buffer_add_functions (PJRT_Api *api);

G_END_DECLS
