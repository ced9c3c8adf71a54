/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A block of points on its way to instructions: what is known of each node, and the lists
 * that instructions are added to.
 */

#pragma once

#include "cpu/strips/strips-private.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_CPU_STRIP_VARIES  = 1 << 0,      /* along the strip */
  GHLO_CPU_STRIP_FOLDED  = 1 << 1,      /* depends on a fold along the strip */
  GHLO_CPU_STRIP_IS_USED = 1 << 2,
  GHLO_CPU_STRIP_STORED  = 1 << 3,
  GHLO_CPU_STRIP_LATE    = 1 << 4,      /* stored when all else is done */
  GHLO_CPU_STRIP_SINGLE  = 1 << 5,      /* the update of a fold that one loop makes */
} GhloCpuStripFact;

typedef struct
{
  GhloCpuStrips     *self;
  const GhloKernel  *kernel;
  GhloCpuStripBlock *block;
  guint8            *facts;             /* by node */
  guint16           *slots, *splats;    /* by node */
  GArray            *prologue, *body, *groups, *last, *merge;
  GError           **error;
} GhloCpuStripCompiler;

/* The node whose bits @node has: BITCASTs are none of their own. */
guint    ghlo_cpu_strip_origin      (const GhloCpuStripCompiler *self,
                                     guint                       node);
guint16  ghlo_cpu_strip_add_slot    (GhloCpuStripCompiler       *self,
                                     GhloElementType             type,
                                     gboolean                    has_strip);
guint16  ghlo_cpu_strip_constant    (GhloCpuStripCompiler       *self,
                                     GhloElementType             type,
                                     guint64                     bits);
/* The slot of @node as an operand in @list. */
guint16  ghlo_cpu_strip_slot        (GhloCpuStripCompiler       *self,
                                     guint                       node,
                                     const GArray               *list);
GhloCpuStripInstruction *
         ghlo_cpu_strip_add         (GArray                     *list,
                                     GhloCpuStripKind            kind,
                                     guint                       which,
                                     guint16                     result);
/* A node that is no leaf; @result is its slot. */
gboolean ghlo_cpu_strip_add_call    (GhloCpuStripCompiler       *self,
                                     guint                       node,
                                     GArray                     *list,
                                     guint16                     result);

/* The slot of a copy of what is LEFT, in @list. */
guint16  ghlo_cpu_strip_add_copy    (GhloCpuStripCompiler       *self,
                                     guint                       left,
                                     GArray                     *list);

/* compile-facts.c: FALSE where the block cannot be run along its lanes, since an address depends on a fold. */
gboolean ghlo_cpu_strip_find_varying (GhloCpuStripCompiler      *self);
void     ghlo_cpu_strip_find_used   (GhloCpuStripCompiler       *self);
/* All but what can be stored as soon as it is there. */
void     ghlo_cpu_strip_find_late   (GhloCpuStripCompiler       *self);
/* Whether the block writes where @temporary is. */
gboolean ghlo_cpu_strip_is_overwritten (const GhloCpuStripCompiler *self,
                                        guint                       temporary);

/* compile-folds.c: the slots of LEFT, folds by one loop, updates, and the merge. */
void     ghlo_cpu_strip_begin_folds (GhloCpuStripCompiler       *self);
/* Of a node that is SINGLE. */
void     ghlo_cpu_strip_add_fold    (GhloCpuStripCompiler       *self,
                                     guint                       node);
/* The LEFT that a CALL of @node may be computed into, or GHLO_KERNEL_NONE. */
guint16  ghlo_cpu_strip_update_into (const GhloCpuStripCompiler *self,
                                     guint                       node,
                                     gboolean                    is_merge);
void     ghlo_cpu_strip_add_updates (GhloCpuStripCompiler       *self);
gboolean ghlo_cpu_strip_add_merge   (GhloCpuStripCompiler       *self);

G_END_DECLS
