/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of compiling one block of points: facts about each node, and the lists that instructions are added to.
 */

#pragma once

#include "cpu/strips/strips-private.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_CPU_STRIP_VARIES  = 1 << 0,      /* differs from lane to lane of a strip */
  GHLO_CPU_STRIP_FOLDED  = 1 << 1,      /* depends on a fold along the strip */
  GHLO_CPU_STRIP_IS_USED = 1 << 2,
  GHLO_CPU_STRIP_STORED  = 1 << 3,
  GHLO_CPU_STRIP_LATE    = 1 << 4,      /* has to be stored after everything else is done */
  GHLO_CPU_STRIP_SINGLE  = 1 << 5,      /* the update of a fold that a single loop computes */
} GhloCpuStripFact;

typedef struct
{
  GhloCpuStrips     *self;
  const GhloKernel  *kernel;
  GhloCpuStripBlock *block;
  guint8            *facts;             /* GhloCpuStripFact, by node */
  guint16           *slots, *splats;    /* by node */
  GArray            *prologue, *body, *groups, *last, *merge;
  GError           **error;
} GhloCpuStripCompiler;

/* The node whose bits @node has: a BITCAST has those of its operand. */
guint    ghlo_cpu_strip_origin      (const GhloCpuStripCompiler *self,
                                     guint                       node);
guint16  ghlo_cpu_strip_add_slot    (GhloCpuStripCompiler       *self,
                                     GhloElementType             type,
                                     gboolean                    has_strip);
guint16  ghlo_cpu_strip_constant    (GhloCpuStripCompiler       *self,
                                     GhloElementType             type,
                                     guint64                     bits);
/* The slot of @node as an operand of an instruction in @list. */
guint16  ghlo_cpu_strip_slot        (GhloCpuStripCompiler       *self,
                                     guint                       node,
                                     const GArray               *list);
GhloCpuStripInstruction *
         ghlo_cpu_strip_add         (GArray                     *list,
                                     GhloCpuStripKind            kind,
                                     guint                       index,
                                     guint16                     result);
/* Adds the instruction for a node that is not a leaf; @result is its slot. */
gboolean ghlo_cpu_strip_add_call    (GhloCpuStripCompiler       *self,
                                     guint                       node,
                                     GArray                     *list,
                                     guint16                     result);

/* Copies the LEFT node @left in @list; returns the slot of the copy. */
guint16  ghlo_cpu_strip_add_copy    (GhloCpuStripCompiler       *self,
                                     guint                       left,
                                     GArray                     *list);

/* compile-facts.c: FALSE where the block cannot run along its lanes, because an address depends on a fold. */
gboolean ghlo_cpu_strip_find_varying (GhloCpuStripCompiler      *self);
void     ghlo_cpu_strip_find_used   (GhloCpuStripCompiler       *self);
/* Finds the values that cannot be stored as soon as they are computed. */
void     ghlo_cpu_strip_find_late   (GhloCpuStripCompiler       *self);
/* Whether the block writes to the place of @temporary. */
gboolean ghlo_cpu_strip_is_overwritten (const GhloCpuStripCompiler *self,
                                        guint                       temporary);

/* compile-folds.c: allocates slots for LEFT and RIGHT, and finds the folds that a single loop computes. */
void     ghlo_cpu_strip_begin_folds (GhloCpuStripCompiler       *self);
/* Adds the fold whose update is @node, which is SINGLE. */
void     ghlo_cpu_strip_add_fold    (GhloCpuStripCompiler       *self,
                                     guint                       node);
/* The slot of LEFT that a CALL of @node may write its result to directly, or GHLO_KERNEL_NONE. */
guint16  ghlo_cpu_strip_update_into (const GhloCpuStripCompiler *self,
                                     guint                       node,
                                     gboolean                    is_merge);
void     ghlo_cpu_strip_add_updates (GhloCpuStripCompiler       *self);
gboolean ghlo_cpu_strip_add_merge   (GhloCpuStripCompiler       *self);

G_END_DECLS
