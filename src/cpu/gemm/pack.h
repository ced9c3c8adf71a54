/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packs parts of an operand in the order in which the tiles of routines.h read them: rows (of lhs, or columns of rhs)
 * in bundles as wide as a tile, each bundle k by k. Packing evens out all strides and element types.
 */

#pragma once

#include "cpu/gemm/axis.h"
#include "cpu/gemm/convert-row.h"
#include "cpu/isa/packs.h"

G_BEGIN_DECLS

typedef struct
{
  GhloCpuReader reader;
  guint         width;        /* rows of a bundle, in the outer dimension */
  guint         group_size;   /* bytes of one row at one k (I16: at a pair of k), both parts included where complex */
  gboolean      pairs;
  gboolean      along_k;      /* elements are read row by row instead of k by k */
  GhloCpuPackFunc pack;       /* nullable; packs k by k where the outer dimension is adjacent */
} GhloCpuPacker;

/* A part of an operand: the rows from first_outer on, at the k from first_k on. */
typedef struct
{
  const guint8      *data;    /* at row 0 and k 0 */
  const GhloCpuAxis *outer, *k;
  gint64             first_outer, n_outer;
  gint64             first_k, n_k;
} GhloCpuPart;

/* FALSE where @arithmetic cannot represent elements of @type. */
gboolean ghlo_cpu_packer_init  (GhloCpuPacker       *self,
                                GhloElementType      type,
                                GhloCpuArithmetic    arithmetic,
                                guint                width,
                                const GhloCpuAxis   *outer,
                                const GhloCpuAxis   *k);
/* Bytes of the packed result for @n_outer rows and @n_k, and of the scratch for packing them. */
gsize    ghlo_cpu_packer_size  (const GhloCpuPacker *self,
                                gint64               n_outer,
                                gint64               n_k);
gsize    ghlo_cpu_packer_scratch (const GhloCpuPacker *self,
                                gint64               n_outer,
                                gint64               n_k);
void     ghlo_cpu_pack         (const GhloCpuPacker *self,
                                const GhloCpuPart   *part,
                                guint8              *scratch,
                                guint8              *to);

static inline gint64
ghlo_cpu_packer_groups (const GhloCpuPacker *self,
                        gint64               n_k)
{
  return self->pairs ? (n_k + 1) / 2 : n_k;
}

G_END_DECLS
