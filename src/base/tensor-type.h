/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GhloTensorType from the inside: its fields, and its quantization.
 */

#pragma once

#include "element.h"
#include "ghlo-tensor-type.h"

G_BEGIN_DECLS

/* How integers of a quantized tensor stand for real numbers:
 * (stored - zero_point) * scale, one scale and zero point for the whole tensor
 * (axis is -1) or one for each index along an axis. Immutable, counted. */
typedef struct
{
  gatomicrefcount  ref_count;
  GhloElementType  storage;         /* an integer type */
  GhloElementType  expressed;       /* a float type */
  gint64           storage_min;
  gint64           storage_max;
  gint32           axis;            /* -1: per tensor */
  guint32          n_scales;        /* 1 per tensor, else the axis' extent */
  double          *scales;
  gint64          *zero_points;
} GhloQuantization;

struct _GhloTensorType
{
  gatomicrefcount   ref_count;
  GhloElementType   element_type;   /* the storage type when quantized */
  GhloQuantization *quantization;   /* NULL when plain */
  guint             rank;
  gint64           *bounds;         /* rank entries, -1 where unbounded; NULL when there are none */
  gint64            dimensions[];   /* rank entries, -1 where dynamic */
};

/* Takes a copy of everything; @quantization's scales and zero points too. */
GhloQuantization *ghlo_quantization_new           (GhloElementType          storage,
                                                   GhloElementType          expressed,
                                                   gint64                   storage_min,
                                                   gint64                   storage_max,
                                                   gint32                   axis,
                                                   const double            *scales,
                                                   const gint64            *zero_points,
                                                   gsize                    n_scales);
/* Bits of the widest storage type, as in MLIR. */
#define GHLO_QUANTIZATION_MAX_BITS 32

/* The storage type of a sign and width; INVALID where no tensor has it. */
GhloElementType   ghlo_quantization_find_storage  (GhloElementClass         element_class,
                                                   guint                    bits);
/* What a storage type holds, of which a quantization may use a part. */
void              ghlo_quantization_get_range     (GhloElementType          storage,
                                                   gint64                  *min,
                                                   gint64                  *max);
/* Whether @scale is positive and neither overflows nor underflows when it is rounded to @expressed. */
gboolean          ghlo_quantization_is_scale      (GhloElementType          expressed,
                                                   double                   scale);
/* What is wrong with a tensor of that shape: its axis, or how many scales there are. NULL for nothing. */
char             *ghlo_quantization_check_shape   (const GhloQuantization  *self,
                                                   const gint64            *dimensions,
                                                   gsize                    rank);
GhloQuantization *ghlo_quantization_ref           (GhloQuantization        *self);
void              ghlo_quantization_unref         (GhloQuantization        *self);
gboolean          ghlo_quantization_equal         (const GhloQuantization  *a,
                                                   const GhloQuantization  *b);
/* Of base/hash.h. */
guint64           ghlo_quantization_hash          (const GhloQuantization  *self);
/* MLIR's spelling: "!quant.uniform<i8:f32, 1.0:-3>". */
void              ghlo_quantization_append        (const GhloQuantization  *self,
                                                   GString                 *string);

/* A dimension as MLIR spells it: "?" where it is dynamic. */
void              ghlo_dimension_append           (gint64                   dimension,
                                                   GString                 *string);

/* Whether elements with these strides (NULL: yes) lie row by row without gaps, of a static type; a dimension of one
 * element may have any. */
gboolean          ghlo_tensor_type_is_dense       (const GhloTensorType    *self,
                                                   const gint64            *byte_strides);

/* @quantization is referenced, and may be NULL as @bounds may. */
GhloTensorType   *ghlo_tensor_type_new_full       (GhloElementType          element_type,
                                                   const gint64            *dimensions,
                                                   const gint64            *bounds,
                                                   gsize                    rank,
                                                   GhloQuantization        *quantization);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloQuantization, ghlo_quantization_unref)

G_END_DECLS
