/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The drawing of one random kernel: what is there so far, and what may be used where the
 * builder has arrived. Only for the files of the random kernels.
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
  gboolean        counts;       /* iterations: the same at all points */
} DrawnTemporary;

typedef struct
{
  guint           number;
  GhloElementType type;
  guint           axes;         /* that it has strides of */
  guint           block;        /* where its index nodes are, or GHLO_KERNEL_NONE */
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
  gboolean        is_partial;   /* depends on a fold so far */
} DrawnNode;

typedef struct
{
  GhloKernelBuilder *builder;
  guint64            state;
  RandomKernelFlags  flags;
  guint              n_functions;       /* each becomes many nodes */
  GhloElementType    palette[3];        /* types that most nodes have, so that they meet */
  guint              n_axes, n_parallel;
  gint64             extents[GHLO_KERNEL_MAX_AXES];
  guint              loops;             /* axes of the loops around */
  gint64             times;             /* that what is drawn now is run */
  guint              n_open;            /* blocks around */
  guint              n_blocks;

  DrawnTemporary     temporaries[GHLO_KERNEL_MAX_TEMPORARIES];  /* that can be read */
  guint              n_temporaries, n_all_temporaries;
  DrawnAccess        loads[GHLO_KERNEL_MAX_ACCESSES];
  guint              n_loads, n_accesses;
  DrawnBuffer        inputs[GHLO_KERNEL_MAX_BUFFERS];
  guint              n_inputs, n_buffers;

  /* The block of points that is open. */
  guint              axes;
  guint              pool;              /* nodes from here on can be operands */
  gboolean           in_merge;
  gboolean           has_order;         /* more chains than one, or a split */
  guint              first_fold, n_folds;
  DrawnTemporary     folded[4];         /* what the folds are kept in */
  DrawnAccess        in_place[2];
  guint              n_in_place;

  DrawnNode          nodes[GHLO_KERNEL_MAX_NODES];
  guint              n_nodes;
} Draw;

/* One of [0, @n). */
guint           draw          (Draw            *self,
                               guint            n);
gboolean        draw_percent  (Draw            *self,
                               guint            percent);
GhloElementType draw_type     (Draw            *self);
/* One of the classes @types. */
GhloElementType draw_type_of  (Draw            *self,
                               guint            types);
/* Bits of a number of @type: small ones, special ones and any. */
guint64         draw_bits     (Draw            *self,
                               GhloElementType  type);
/* Some of the axes @axes. */
guint           draw_axes     (Draw            *self,
                               guint            axes,
                               guint            percent);
guint           draw_scope    (const Draw      *self);

/* Nodes of the open block. */
guint           draw_node     (Draw            *self,
                               GhloNodeKind     kind,
                               GhloElementType  type,
                               guint            a,
                               guint            b,
                               guint            c);
guint           draw_leaf     (Draw            *self,
                               GhloNodeKind     kind,
                               GhloElementType  type,
                               guint            which);
guint           draw_constant (Draw            *self,
                               GhloElementType  type,
                               guint64          bits);
guint           draw_load     (Draw            *self,
                               const DrawnAccess *access);
/* A node of @type, an earlier or a new one. */
guint           draw_operand  (Draw            *self,
                               GhloElementType  type);
/* The same, that does not depend on folds whose order is not that of one chain. */
guint           draw_whole    (Draw            *self,
                               GhloElementType  type);
/* A new node of any kind. */
void            draw_any      (Draw            *self);

/* Accesses. One that is loaded, new or not. */
DrawnAccess     draw_input    (Draw            *self,
                               GhloElementType  type);
/* A factor of a product, of some of the axes @axes. */
guint           draw_factor   (Draw            *self,
                               GhloElementType  type,
                               guint            axes);
/* One or two, which the open block stores through; their number. */
guint           draw_outputs  (Draw            *self,
                               GhloElementType  type,
                               gboolean         has_indices,
                               DrawnAccess     *accesses);
