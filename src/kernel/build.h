/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Builds kernels. Each function that adds something returns its index. Things inside a block are added to the block
 * that was begun last. Nothing fails before the end: an overflow of a table is remembered, and inconsistencies are
 * found by ghlo_kernel_check ().
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

typedef struct _GhloKernelBuilder GhloKernelBuilder;

GhloKernelBuilder *ghlo_kernel_builder_new   (const char             *name);
void               ghlo_kernel_builder_free  (GhloKernelBuilder      *self);
/* Returns the kernel, to be freed with g_free (). Returns NULL with INVALID_ARGUMENT, which says what is wrong with it,
 * or with UNSUPPORTED where it is too large. Frees the builder. */
GhloKernel        *ghlo_kernel_builder_end   (GhloKernelBuilder      *self,
                                              GError                **error);

/* Parallel axes must come first. */
guint              ghlo_kernel_add_axis      (GhloKernelBuilder      *self,
                                              const char             *name,
                                              gint64                  extent,
                                              gboolean                is_parallel,
                                              gboolean                is_runtime);
guint              ghlo_kernel_add_buffer    (GhloKernelBuilder      *self,
                                              const char             *name,
                                              gint64                  size,
                                              gboolean                is_written);
/* Lets @buffer, which is not written, have the same memory as @with, which is. */
void               ghlo_kernel_share_buffer  (GhloKernelBuilder      *self,
                                              guint                   buffer,
                                              guint                   with);
/* @strides are in bytes, one for each axis that has been added; those of later axes are 0. */
guint              ghlo_kernel_add_access    (GhloKernelBuilder      *self,
                                              guint                   buffer,
                                              GhloElementType         type,
                                              gint64                  offset,
                                              const gint64           *strides);
/* Adds a term to the last access. */
void               ghlo_kernel_add_term      (GhloKernelBuilder      *self,
                                              const GhloKernelTerm   *term);
guint              ghlo_kernel_add_temporary (GhloKernelBuilder      *self,
                                              const char             *name,
                                              GhloElementType         type,
                                              guint                   axes);

/* These return the index of the block. */
guint              ghlo_kernel_begin_points  (GhloKernelBuilder      *self,
                                              guint                   axes);
guint              ghlo_kernel_begin_loop    (GhloKernelBuilder      *self,
                                              guint                   axis);
/* The body begins with the call of ghlo_kernel_begin_body (). */
guint              ghlo_kernel_begin_while   (GhloKernelBuilder      *self,
                                              guint                   predicate);
void               ghlo_kernel_begin_body    (GhloKernelBuilder      *self);
guint              ghlo_kernel_begin_if      (GhloKernelBuilder      *self,
                                              guint                   predicate);
/* A product contains nothing and needs no ghlo_kernel_end_block (). */
guint              ghlo_kernel_add_product   (GhloKernelBuilder      *self,
                                              guint                   rows,
                                              guint                   columns,
                                              guint                   inner,
                                              GhloKernelFactor        left,
                                              GhloKernelFactor        right,
                                              guint                   result);
/* Adds a carry to the last LOOP, WHILE or IF, before anything is added inside it. */
void               ghlo_kernel_add_carry     (GhloKernelBuilder      *self,
                                              guint                   temporary,
                                              guint                   first,
                                              guint                   next);
/* Sets the order of the folds of the current POINTS; the default is one chain and one part. */
void               ghlo_kernel_set_order     (GhloKernelBuilder      *self,
                                              guint                   n_chains,
                                              gint64                  split);
/* Later nodes belong to the merge. */
void               ghlo_kernel_begin_merge   (GhloKernelBuilder      *self);
void               ghlo_kernel_end_block     (GhloKernelBuilder      *self);

/* @type is the result's; missing operands are GHLO_KERNEL_NONE. */
guint              ghlo_kernel_add_node      (GhloKernelBuilder      *self,
                                              GhloNodeKind            kind,
                                              GhloElementType         type,
                                              guint                   a,
                                              guint                   b,
                                              guint                   c);
/* Adds a quotient of f32 with the property @quotient. */
guint              ghlo_kernel_add_quotient  (GhloKernelBuilder      *self,
                                              GhloQuotient            quotient,
                                              guint                   a,
                                              guint                   b);
guint              ghlo_kernel_add_leaf      (GhloKernelBuilder      *self,
                                              GhloNodeKind            kind,
                                              GhloElementType         type,
                                              guint                   index);
/* @fill is the node whose value is loaded where the access is outside, or GHLO_KERNEL_NONE for zero. */
guint              ghlo_kernel_add_load      (GhloKernelBuilder      *self,
                                              GhloElementType         type,
                                              guint                   access,
                                              guint                   fill);
guint              ghlo_kernel_add_constant  (GhloKernelBuilder      *self,
                                              GhloElementType         type,
                                              guint64                 bits);
/* Adds the number nearest to @value. */
guint              ghlo_kernel_add_float     (GhloKernelBuilder      *self,
                                              GhloElementType         type,
                                              double                  value);
void               ghlo_kernel_store         (GhloKernelBuilder      *self,
                                              guint                   node,
                                              guint                   access);
void               ghlo_kernel_keep          (GhloKernelBuilder      *self,
                                              guint                   node,
                                              guint                   temporary);
/* Returns the fold's number, which LEFT and RIGHT refer to. Its update and merge are set once their nodes exist. */
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

/* Returns a node that was added, followed by all later ones, for passes that inspect nodes while building
 * (kernel/expand.h). */
const GhloKernelNode *ghlo_kernel_builder_get_node (GhloKernelBuilder *self,
                                                    guint              node);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloKernelBuilder, ghlo_kernel_builder_free)

G_END_DECLS
