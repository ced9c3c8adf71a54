/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files share that make blocks of a graph. A stage is a graph whose roots are wanted in one place
 * of a kernel: most kernels have one stage; one that is a loop has one before it, up to two in it, and one behind it,
 * of the same axes.
 */

#pragma once

#include "kernel/lower/private.h"

G_BEGIN_DECLS

enum { GHLO_EMISSION_MAX_BLOCKS = 3 * GHLO_LOWER_MAX_LEVELS };

typedef struct
{
  gboolean is_full, is_ordered;
  guint    level;
  GArray  *sinks;               /* items that are stored or kept; of folds nothing */
  gboolean has_folds;
} GhloEmissionBlock;

/* Where elements are read or written: in bytes of a buffer. */
typedef struct
{
  guint            buffer;
  const GhloIndex *index;               /* NULL where there is no buffer */
  GhloAffine       form;
} GhloEmissionPlace;

/* A stage. */
typedef struct
{
  GhloLowering        *lowering;
  GhloKernelBuilder   *builder;
  const GhloLowerRoot *roots;
  guint                n_roots;
  gint64              *starts;
  GhloEmissionPlace   *places;          /* of the leaves, and from first_stored on of the roots that are stored */
  guint                n_places, first_stored;
  /* Axes after merging: the last axis of the domain in each, and its extent. That of a loop follows the n_axes
   * of points, of which n_all counts it. */
  guint                n_axes, n_parallel, n_all;
  guint                last[GHLO_LOWER_MAX_AXES];
  gint64               extents[GHLO_LOWER_MAX_AXES];
  /* A point is so many elements of the results, along the axis that would follow the others; which of them is being
   * emitted. */
  guint                n_members, member;
  guint                n_chains;
  gint64               split;
  guint                n_blocks;
  GhloEmissionBlock    blocks[GHLO_EMISSION_MAX_BLOCKS];
  /* Of each item: 1 + the block that keeps it, the first and the last full block that needed it, its temporary, its
   * node in the block at hand. */
  guint8              *keepers, *seen, *visited;
  guint16             *temporaries, *nodes;
  guint16             *folds, *fold_temporaries;        /* of each fold of the graph: its number in the block, its
                                                         * temporary */
  gint64               kept_bytes;
} GhloEmission;

/* emit.c */
void            ghlo_emission_init            (GhloEmission        *self,
                                               GhloLowering        *lowering,
                                               const GhloLowerRoot *roots,
                                               guint                n_roots,
                                               gint64              *starts);
void            ghlo_emission_clear           (GhloEmission        *self);
void            ghlo_emission_add_axes        (GhloEmission        *self);
void            ghlo_emission_add_buffers     (GhloEmission        *self);
/* The axes that are not parallel, but for that of a loop, as bits. */
guint           ghlo_emission_inner_axes      (const GhloEmission  *self);
/* The blocks of the stage, where the builder is. */
void            ghlo_emission_emit            (GhloEmission        *self);
/* The kernel, of the builder that all stages of @lowering have. */
GhloKernel     *ghlo_emission_end             (GhloLowering        *lowering,
                                               GhloKernelBuilder   *builder);

/* emit-axes.c */
const GhloView *ghlo_emission_view            (const GhloEmission  *self,
                                               guint                buffer);
void            ghlo_emission_find_places     (GhloEmission        *self);
/* Merges axes that all stages go over as one; FALSE, and a reason of the first stage's, where there are too many. */
gboolean        ghlo_emission_merge_axes      (GhloEmission        *stages,
                                               guint                n_stages);
/* Takes the last axis of a map from the axes, where it is so short that a whole row is better one point. */
void            ghlo_emission_choose_members  (GhloEmission        *self);
/* @form becomes that of the member at hand. */
void            ghlo_emission_set_member      (const GhloEmission  *self,
                                               GhloAffine          *form);
/* Of folds that are free in their order; by shapes and strides alone. */
void            ghlo_emission_choose_order    (GhloEmission        *self);
void            ghlo_emission_set_strides     (const GhloEmission  *self,
                                               const GhloAffine    *form,
                                               gint64              *strides);

/* emit-nodes.c: an access of the builder; its starts have nodes by now. */
guint           ghlo_emission_access          (GhloEmission        *self,
                                               guint                place,
                                               GhloElementType      type);
/* Whether @load, a LOAD, begins where start number @start says. */
gboolean        ghlo_emission_has_start       (const GhloEmission  *self,
                                               const GhloItem      *load,
                                               guint                start);
/* The node of item @number in @block. */
guint           ghlo_emission_item            (GhloEmission        *self,
                                               guint32              number,
                                               guint                block);
/* Calls @func for each item that item @number is computed from. */
void            ghlo_emission_foreach_operand (GhloEmission        *self,
                                               guint32              number,
                                               guint                block,
                                               void               (*func) (GhloEmission *self,
                                                                           guint32       operand,
                                                                           guint         block));

G_END_DECLS
