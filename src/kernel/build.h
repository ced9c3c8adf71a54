/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes kernels. Each function that adds something gives its number. What is added to a block
 * belongs to the block that was begun last. Nothing fails before the end: what does not fit a table is
 * remembered, and what does not fit together is found by ghlo_kernel_check ().
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

typedef struct _GhloKernelBuilder GhloKernelBuilder;

GhloKernelBuilder *ghlo_kernel_builder_new   (const char             *name);
void               ghlo_kernel_builder_free  (GhloKernelBuilder      *self);
/* The kernel, to be freed by g_free (); or NULL with INVALID_ARGUMENT, which says what is wrong with it, or
 * UNSUPPORTED where it is too large. Frees the builder. */
GhloKernel        *ghlo_kernel_builder_end   (GhloKernelBuilder      *self,
                                              GError                **error);

/* Parallel axes first. */
guint              ghlo_kernel_add_axis      (GhloKernelBuilder      *self,
                                              const char             *name,
                                              gint64                  extent,
                                              gboolean                is_parallel,
                                              gboolean                is_runtime);
guint              ghlo_kernel_add_buffer    (GhloKernelBuilder      *self,
                                              const char             *name,
                                              gint64                  size,
                                              gboolean                is_written);
/* @buffer, which is not written, may have the memory of @with, which is. */
void               ghlo_kernel_share_buffer  (GhloKernelBuilder      *self,
                                              guint                   buffer,
                                              guint                   with);
/* @strides: one for each axis that there is so far, in bytes; those of axes added later are 0. */
guint              ghlo_kernel_add_access    (GhloKernelBuilder      *self,
                                              guint                   buffer,
                                              GhloElementType         type,
                                              gint64                  offset,
                                              const gint64           *strides);
/* Of the access that was added last. */
void               ghlo_kernel_add_term      (GhloKernelBuilder      *self,
                                              const GhloKernelTerm   *term);
guint              ghlo_kernel_add_temporary (GhloKernelBuilder      *self,
                                              const char             *name,
                                              GhloElementType         type,
                                              guint                   axes);

/* Each gives the number of the block. */
guint              ghlo_kernel_begin_points  (GhloKernelBuilder      *self,
                                              guint                   axes);
guint              ghlo_kernel_begin_loop    (GhloKernelBuilder      *self,
                                              guint                   axis);
/* The body begins where ghlo_kernel_begin_body () is called. */
guint              ghlo_kernel_begin_while   (GhloKernelBuilder      *self,
                                              guint                   predicate);
void               ghlo_kernel_begin_body    (GhloKernelBuilder      *self);
guint              ghlo_kernel_begin_when    (GhloKernelBuilder      *self,
                                              guint                   predicate);
/* A product is not ended: nothing is within it. */
guint              ghlo_kernel_add_product   (GhloKernelBuilder      *self,
                                              guint                   rows,
                                              guint                   columns,
                                              guint                   inner,
                                              GhloKernelFactor        left,
                                              GhloKernelFactor        right,
                                              guint                   result);
/* Of the LOOP, WHILE or WHEN that was begun last, before anything is within it. */
void               ghlo_kernel_add_carry     (GhloKernelBuilder      *self,
                                              guint                   temporary,
                                              guint                   first,
                                              guint                   next);
/* The order of the folds of the POINTS that were begun last; without it one chain and one part. */
void               ghlo_kernel_set_order     (GhloKernelBuilder      *self,
                                              guint                   n_chains,
                                              gint64                  split);
/* Nodes from here on are the merge's. */
void               ghlo_kernel_begin_merge   (GhloKernelBuilder      *self);
void               ghlo_kernel_end_block     (GhloKernelBuilder      *self);

/* @type is the result's; operands that a node does not have are GHLO_KERNEL_NONE. */
guint              ghlo_kernel_add_node      (GhloKernelBuilder      *self,
                                              GhloNodeKind            kind,
                                              GhloElementType         type,
                                              guint                   a,
                                              guint                   b,
                                              guint                   c);
/* Of f32, and as @which says. */
guint              ghlo_kernel_add_quotient  (GhloKernelBuilder      *self,
                                              GhloQuotient            which,
                                              guint                   a,
                                              guint                   b);
guint              ghlo_kernel_add_leaf      (GhloKernelBuilder      *self,
                                              GhloNodeKind            kind,
                                              GhloElementType         type,
                                              guint                   which);
/* @fill: the node that is loaded where the access is outside, or GHLO_KERNEL_NONE for zero. */
guint              ghlo_kernel_add_load      (GhloKernelBuilder      *self,
                                              GhloElementType         type,
                                              guint                   access,
                                              guint                   fill);
guint              ghlo_kernel_add_constant  (GhloKernelBuilder      *self,
                                              GhloElementType         type,
                                              guint64                 bits);
/* The number nearest to @value. */
guint              ghlo_kernel_add_float     (GhloKernelBuilder      *self,
                                              GhloElementType         type,
                                              double                  value);
void               ghlo_kernel_store         (GhloKernelBuilder      *self,
                                              guint                   node,
                                              guint                   access);
void               ghlo_kernel_keep          (GhloKernelBuilder      *self,
                                              guint                   node,
                                              guint                   temporary);
/* Gives the fold's number, which LEFT and RIGHT refer to. What it becomes is set when the nodes are there. */
guint              ghlo_kernel_add_fold      (GhloKernelBuilder      *self,
                                              GhloElementType         type,
                                              guint                   temporary,
                                              guint64                 identity);
void               ghlo_kernel_set_update    (GhloKernelBuilder      *self,
                                              guint                   fold,
                                              guint                   node);
void               ghlo_kernel_set_merge     (GhloKernelBuilder      *self,
                                              guint                   fold,
                                              guint                   node);

/* What is there so far, one behind the other, for whoever transforms nodes on their way (kernel/expand.h). */
const GhloKernelNode *ghlo_kernel_builder_get_node (GhloKernelBuilder *self,
                                                    guint              node);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloKernelBuilder, ghlo_kernel_builder_free)

G_END_DECLS
