/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files that emit blocks from a graph. A stage is a graph whose outputs are needed at one place in the
 * kernel. Most kernels have one stage. A loop has one stage before it, up to two inside it and one after it, all
 * with the same axes.
 */

#pragma once

#include "kernel/lower/lowering.h"

G_BEGIN_DECLS

enum { GHLO_EMISSION_MAX_BLOCKS = 3 * GHLO_LOWER_MAX_LEVELS };

typedef struct
{
  gboolean is_full, is_ordered;
  guint    level;
  GArray  *sinks;               /* expressions that are stored or kept; folds are not among them */
  gboolean has_folds;
} GhloEmissionBlock;

/* Where elements are read or written, in bytes of a buffer. */
typedef struct
{
  guint            buffer;
  const GhloIndex *index;               /* NULL where there is no buffer */
  GhloAffine       affine;
} GhloEmissionPlace;

/* A stage. */
typedef struct
{
  GhloLowering          *lowering;
  GhloKernelBuilder     *builder;
  const GhloLowerOutput *outputs;
  guint                  n_outputs;
  gint64                *starts;
  GhloEmissionPlace     *places;        /* of the reads; from first_stored on, of the stored outputs */
  guint                  n_places, first_stored;
  /* Axes after merging: for each, the last axis of the domain in it, and its extent. The n_axes axes of points are
   * followed by the axis of a loop, which n_all includes. */
  guint                  n_axes, n_parallel, n_all;
  guint                  last[GHLO_LOWER_MAX_AXES];
  gint64                 extents[GHLO_LOWER_MAX_AXES];
  /* Elements of the results that form one point, adjacent along a dimension that is not an axis; and the one being
   * emitted. */
  guint                  n_members, member;
  guint                  n_chains;
  gint64                 split;
  guint                  n_blocks;
  GhloEmissionBlock      blocks[GHLO_EMISSION_MAX_BLOCKS];
  /* For each expression: 1 + the block that keeps it, the first and the last full block that needed it, its temporary,
   * and its node in the current block. */
  guint8                *keepers, *seen, *visited;
  guint16               *temporaries, *nodes;
  guint16               *folds, *fold_temporaries;      /* for each fold: its number in the block, its temporary */
  gint64                 kept_bytes;
} GhloEmission;

/* emit.c */
void            ghlo_emission_init            (GhloEmission          *self,
                                               GhloLowering          *lowering,
                                               const GhloLowerOutput *outputs,
                                               guint                  n_outputs,
                                               gint64                *starts);
void            ghlo_emission_clear           (GhloEmission        *self);
void            ghlo_emission_add_axes        (GhloEmission        *self);
void            ghlo_emission_add_buffers     (GhloEmission        *self);
/* Returns the axes that are neither parallel nor that of a loop, as bits. */
guint           ghlo_emission_inner_axes      (const GhloEmission  *self);
/* Emits the blocks of the stage at the builder's current position. */
void            ghlo_emission_emit            (GhloEmission        *self);
/* Ends the builder, which all stages of @lowering share, and returns the kernel. */
GhloKernel     *ghlo_emission_end             (GhloLowering        *lowering,
                                               GhloKernelBuilder   *builder);

/* emit-axes.c */
const GhloView *ghlo_emission_view            (const GhloEmission  *self,
                                               guint                buffer);
void            ghlo_emission_find_places     (GhloEmission        *self);
/* Merges axes that all stages traverse as one. Returns FALSE, with a reason in the first stage, where too many
 * remain. */
gboolean        ghlo_emission_merge_axes      (GhloEmission        *stages,
                                               guint                n_stages);
/* Removes the last axis of a map if it is so short that a point should be a whole row. */
void            ghlo_emission_choose_members  (GhloEmission        *self);
/* Changes @affine to that of the current member. */
void            ghlo_emission_set_member      (const GhloEmission  *self,
                                               GhloAffine          *affine);
/* Chooses the order of folds whose order is free, from shapes and strides only. */
void            ghlo_emission_choose_order    (GhloEmission        *self);
void            ghlo_emission_set_strides     (const GhloEmission  *self,
                                               const GhloAffine    *affine,
                                               gint64              *strides);

/* emit-nodes.c: adds an access; the nodes of its dynamic offsets exist already. */
guint           ghlo_emission_access          (GhloEmission        *self,
                                               guint                place,
                                               GhloElementType      type);
/* Returns whether @load, a LOAD, uses dynamic offset @number. */
gboolean        ghlo_emission_has_dynamic_offset (const GhloEmission *self,
                                                  const GhloExpr     *load,
                                                  guint               number);
/* Returns the node of expression @number in @block. */
guint           ghlo_emission_expr            (GhloEmission        *self,
                                               guint32              number,
                                               guint                block);
/* Calls @func for each expression that expression @number is computed from. */
void            ghlo_emission_foreach_operand (GhloEmission                             *self,
                                               guint32                                   number,
                                               guint                                     block,
                                               void               (*func) (GhloEmission *self,
                                                                           guint32       operand,
                                                                           guint         block));

G_END_DECLS
