/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What flows through a running program: tensors in host memory, tokens, tuples,
 * futures. Counted atomically; a value that is shared is not written to.
 */

#pragma once

#include "base/tensor-type.h"

G_BEGIN_DECLS

typedef struct _GhloValue GhloValue;

typedef void (*GhloValueFinishFunc) (GhloValue *self);

struct _GhloValue
{
  gatomicrefcount  ref_count;
  GhloValueKind    kind;
  /* TENSOR */
  GhloTensorType  *type;          /* owned; static dimensions */
  guint8          *data;          /* row-major, dense; n_bytes of it; 64-byte aligned when ours */
  gsize            n_elements;
  gsize            n_bytes;
  GBytes          *storage;       /* owned; what keeps data alive, NULL when data is ours */
  /* TUPLE, FUTURE: the members (of a future: the results), owned */
  GhloValue      **members;
  guint            n_members;
  /* FUTURE: the thread that works on it, joined by whoever takes the members first.
   * finish joins it and fills the members; it may be called again (the last unref
   * calls it once more) and then does nothing. */
  gpointer         work;
  GhloValueFinishFunc finish;
};

/* A tensor with zeroed memory of its own. @type must be static. Memory is
 * counted against the process' limit; OUT_OF_MEMORY names the size wanted. */
GhloValue *ghlo_value_new_tensor     (GhloTensorType  *type,
                                      GError         **error);
/* The same with any content, for those who write every byte of it. The memory of
 * both goes back to the pool (pool.h) with the last reference, bytes included. */
GhloValue *ghlo_value_new_uninitialized (GhloTensorType *type,
                                      GError         **error);
/* A tensor over @bytes, which are not copied unless their alignment is below
 * the element's; INVALID_ARGUMENT when the size does not fit @type. */
GhloValue *ghlo_value_new_for_bytes  (GhloTensorType  *type,
                                      GBytes          *bytes,
                                      GError         **error);
/* A tensor with memory of its own out of bytes with any strides, whose elements are proved to lie in @bytes. */
GhloValue *ghlo_value_new_strided    (GhloTensorType  *type,
                                      GBytes          *bytes,
                                      const gint64    *byte_strides,
                                      GError         **error);
/* The same out of elements that lie around @first with any strides, NULL for row by row
 * without gaps. The caller knows them readable. */
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
/* Lets go of those that are there, and leaves NULLs. */
void       ghlo_values_clear         (GhloValue      **values,
                                      gsize            n);
/* Whether a byte is the tensor's and among the @n_bytes at @data as well. */
gboolean   ghlo_value_overlaps       (const GhloValue *self,
                                      const guint8    *data,
                                      gsize            n_bytes);
/* The tensor's memory as bytes that keep the value alive; no copy. */
GBytes    *ghlo_value_get_bytes      (GhloValue       *self);

/* Bytes in use now, the most that ever were, and the limit (from
 * GHLO_MEMORY_LIMIT, bytes with an optional K, M or G; else 90 % of the
 * machine's memory). */
gsize      ghlo_memory_get_used      (void);
gsize      ghlo_memory_get_peak      (void);
/* The peak counts from here on. */
void       ghlo_memory_reset_peak    (void);
gsize      ghlo_memory_get_limit     (void);
void       ghlo_memory_set_limit     (gsize            limit);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloValue, ghlo_value_unref)

G_END_DECLS
