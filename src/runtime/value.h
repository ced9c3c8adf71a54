/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The values of a running program: tensors, tokens, tuples and futures. They are reference-counted atomically. A
 * value with more than one reference is never written to.
 */

#pragma once

#include "base/tensor-type.h"
#include "runtime/storage.h"

G_BEGIN_DECLS

typedef struct _GhloValue GhloValue;

typedef void (*GhloValueFinishFunc) (GhloValue *self);

struct _GhloValue
{
  gatomicrefcount  ref_count;
  GhloValueKind    kind;
  /* TENSOR */
  GhloTensorType  *type;          /* owned; static dimensions */
  /* Row-major and dense, n_bytes long; aligned to 64 bytes if the memory is owned. For storage in a device's memory,
   * NULL until the value has been fetched to the host (place.h). */
  guint8          *data;
  gsize            n_elements;
  gsize            n_bytes;
  GhloStorage     *storage;       /* owned; never NULL */
  /* TUPLE, FUTURE: the members, owned; those of a future are its results */
  GhloValue      **members;
  guint            n_members;
  /* FUTURE: the thread that computes the members. finish joins the thread and fills in the members. It is called by the
   * first caller that needs the members and again by the last unref; a second call does nothing. */
  gpointer         work;
  GhloValueFinishFunc finish;
};

/* Returns a tensor with zeroed memory of its own. @type must be static. The memory counts against the limit of the
 * process; OUT_OF_MEMORY names the requested size. */
GhloValue *ghlo_value_new_tensor     (GhloTensorType  *type,
                                      GError         **error);
/* The same with arbitrary content, for callers that write every byte. In both cases the memory returns to the pool
 * (pool.h) with the last reference, including those of bytes. */
GhloValue *ghlo_value_new_uninitialized (GhloTensorType *type,
                                      GError         **error);
/* Returns a tensor in @storage; fails with INVALID_ARGUMENT when the size of @storage does not fit @type. */
GhloValue *ghlo_value_new_over       (GhloTensorType  *type,
                                      GhloStorage     *storage,
                                      GError         **error);
/* The same over @bytes, which are copied only if they are not aligned for elements of the type. */
GhloValue *ghlo_value_new_for_bytes  (GhloTensorType  *type,
                                      GBytes          *bytes,
                                      GError         **error);
/* Returns a tensor with memory of its own, copied from bytes with any strides. Checks that all elements lie in
 * @bytes. */
GhloValue *ghlo_value_new_strided    (GhloTensorType  *type,
                                      GBytes          *bytes,
                                      const gint64    *byte_strides,
                                      GError         **error);
/* Returns a copy of elements that lie around @first with any strides; NULL strides stand for dense row-major order. The
 * caller guarantees that all elements are readable. */
GhloValue *ghlo_value_new_copied     (GhloTensorType  *type,
                                      const guint8    *first,
                                      const gint64    *byte_strides,
                                      GError         **error);
GhloValue *ghlo_value_new_token      (void);
/* Takes references to the members. */
GhloValue *ghlo_value_new_tuple      (GhloValue *const *members,
                                      guint             n_members);
GhloValue *ghlo_value_new_future     (gpointer          work,
                                      GhloValueFinishFunc finish);
GhloValue *ghlo_value_ref            (GhloValue       *self);
void       ghlo_value_unref          (GhloValue       *self);
/* Releases the values that are not NULL and sets all of them to NULL. */
void       ghlo_values_clear         (GhloValue      **values,
                                      gsize            n);
/* Returns whether the memory of the tensor and the @n_bytes at @data have a byte in common. */
gboolean   ghlo_value_overlaps       (const GhloValue *self,
                                      const guint8    *data,
                                      gsize            n_bytes);
/* Returns whether @self is a tensor, the caller holds the last reference to it and to its memory, and the memory is
 * owned rather than lent. */
gboolean   ghlo_value_is_own         (GhloValue       *self);
/* Returns the host memory of a tensor that is on the host, as bytes that keep it alive; nothing is copied. */
GBytes    *ghlo_value_get_bytes      (GhloValue       *self);

/* The bytes in use now, the most that were ever in use, and the limit: GHLO_MEMORY_LIMIT, in bytes with an optional K,
 * M or G; else 90 % of the machine's memory. */
gsize      ghlo_memory_get_used      (void);
gsize      ghlo_memory_get_peak      (void);
/* Restarts the peak at the current use. */
void       ghlo_memory_reset_peak    (void);
gsize      ghlo_memory_get_limit     (void);
void       ghlo_memory_set_limit     (gsize            limit);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloValue, ghlo_value_unref)

G_END_DECLS
