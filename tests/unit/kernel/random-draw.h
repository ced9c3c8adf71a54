/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of drawing one random kernel: its parts so far, and which of them may be used at the builder's position.
 * Only for the source files of the random kernels.
 */

#pragma once

#include "kernel/build.h"
#include "random-kernel.h"

#include <math.h>
#include <string.h>

/* A temporary that has a value. */
typedef struct
{
  guint           number;
  GhloElementType type;
  guint           axes;
  gboolean        counts;       /* the iteration number: the same at all points */
} DrawnTemporary;

typedef struct
{
  guint           number;
  GhloElementType type;
  guint           axes;         /* the axes over which the temporary extends */
  guint           block;        /* the block of its index nodes, or GHLO_KERNEL_NONE */
  gboolean        has_terms;
} DrawnAccess;

typedef struct
{
  guint           number;
  GhloElementType type;
  gint64          size;
} DrawnBuffer;

typedef struct
{
  GhloElementType type;
  gboolean        is_partial;   /* depends on an unfinished fold */
} DrawnNode;

typedef struct
{
  GhloKernelBuilder *builder;
  guint64            state;
  RandomKernelFlags  flags;
  guint              n_functions;       /* each expands into many nodes */
  GhloElementType    palette[3];        /* the types of most nodes, so that nodes find operands */
  guint              n_axes, n_parallel;
  gint64             extents[GHLO_KERNEL_MAX_AXES];
  guint              loops;             /* the axes of the enclosing loops */
  gint64             times;             /* how often the part being drawn is executed */
  guint              n_open;            /* blocks around */
  guint              n_blocks;

  DrawnTemporary     temporaries[GHLO_KERNEL_MAX_TEMPORARIES];  /* the readable ones */
  guint              n_temporaries, n_all_temporaries;
  DrawnAccess        loads[GHLO_KERNEL_MAX_ACCESSES];
  guint              n_loads, n_accesses;
  DrawnBuffer        inputs[GHLO_KERNEL_MAX_BUFFERS];
  guint              n_inputs, n_buffers;

  /* The block of points under construction. */
  guint              axes;
  guint              pool;              /* nodes from here on can be operands */
  gboolean           in_merge;
  gboolean           has_order;         /* several chains, or a split */
  guint              first_fold, n_folds;
  DrawnTemporary     folded[4];         /* the temporaries that hold the folds */
  DrawnAccess        in_place[2];
  guint              n_in_place;

  DrawnNode          nodes[GHLO_KERNEL_MAX_NODES];
  guint              n_nodes;
} Draw;

/* A number from [0, @n). */
guint           draw          (Draw            *self,
                               guint            n);
gboolean        draw_percent  (Draw            *self,
                               guint            percent);
GhloElementType draw_type     (Draw            *self);
/* A type of one of the classes in @types. */
GhloElementType draw_type_of  (Draw            *self,
                               guint            types);
/* The bits of a number of @type: a small, a special or any one. */
guint64         draw_bits     (Draw            *self,
                               GhloElementType  type);
/* A subset of @axes. */
guint           draw_axes     (Draw            *self,
                               guint            axes,
                               guint            percent);
guint           draw_scope    (const Draw      *self);

/* Adds a node to the block under construction. */
guint           draw_node     (Draw            *self,
                               GhloNodeKind     kind,
                               GhloElementType  type,
                               guint            a,
                               guint            b,
                               guint            c);
guint           draw_leaf     (Draw            *self,
                               GhloNodeKind     kind,
                               GhloElementType  type,
                               guint            index);
guint           draw_constant (Draw            *self,
                               GhloElementType  type,
                               guint64          bits);
guint           draw_load     (Draw            *self,
                               const DrawnAccess *access);
/* A node of @type, either an earlier or a new one. */
guint           draw_operand  (Draw            *self,
                               GhloElementType  type);
/* The same, for a node that does not depend on folds whose order differs from that of a single chain. */
guint           draw_whole    (Draw            *self,
                               GhloElementType  type);
/* A new node of any kind. */
void            draw_any      (Draw            *self);

/* Accesses. An access that is loaded, new or not. */
DrawnAccess     draw_input    (Draw            *self,
                               GhloElementType  type);
/* A factor of a product, over a subset of @axes. */
guint           draw_factor   (Draw            *self,
                               GhloElementType  type,
                               guint            axes);
/* Draws one or two accesses through which the block stores, and returns their number. */
guint           draw_outputs  (Draw            *self,
                               GhloElementType  type,
                               gboolean         has_indices,
                               DrawnAccess     *accesses);
