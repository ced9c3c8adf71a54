/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fields of GhloTensorType, and its quantization.
 */

#pragma once

#include "element.h"
#include "ghlo-tensor-type.h"

G_BEGIN_DECLS

/* How the integers of a quantized tensor represent real numbers: (stored - zero_point) * scale, with one scale and
 * zero point for the whole tensor (axis is -1) or one for each index along an axis. Immutable and reference-counted. */
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
  GhloQuantization *quantization;   /* NULL when not quantized */
  guint             rank;
  gint64           *bounds;         /* rank entries, -1 where unbounded; NULL when there are no bounds */
  gint64            dimensions[];   /* rank entries, -1 where dynamic */
};

/* Copies all arguments, including the arrays @scales and @zero_points. */
GhloQuantization *ghlo_quantization_new           (GhloElementType          storage,
                                                   GhloElementType          expressed,
                                                   gint64                   storage_min,
                                                   gint64                   storage_max,
                                                   gint32                   axis,
                                                   const double            *scales,
                                                   const gint64            *zero_points,
                                                   gsize                    n_scales);
/* The width of the widest storage type in bits, as in MLIR. */
#define GHLO_QUANTIZATION_MAX_BITS 32

/* Returns the storage type of the given signedness and width; INVALID where tensors have no such type. */
GhloElementType   ghlo_quantization_find_storage  (GhloElementClass         element_class,
                                                   guint                    bits);
/* Returns the range of a storage type. A quantization may use a part of it. */
void              ghlo_quantization_get_range     (GhloElementType          storage,
                                                   gint64                  *min,
                                                   gint64                  *max);
/* Whether @scale is positive and neither overflows nor underflows when it is rounded to @expressed. */
gboolean          ghlo_quantization_is_scale      (GhloElementType          expressed,
                                                   double                   scale);
/* Returns a message that says how the quantization does not fit a tensor of the given shape, because of its axis or
 * its number of scales; NULL when it fits. */
char             *ghlo_quantization_check_shape   (const GhloQuantization  *self,
                                                   const gint64            *dimensions,
                                                   gsize                    rank);
GhloQuantization *ghlo_quantization_ref           (GhloQuantization        *self);
void              ghlo_quantization_unref         (GhloQuantization        *self);
gboolean          ghlo_quantization_equal         (const GhloQuantization  *a,
                                                   const GhloQuantization  *b);
/* Returns a hash as of base/hash.h. */
guint64           ghlo_quantization_hash          (const GhloQuantization  *self);
/* Appends MLIR's spelling: "!quant.uniform<i8:f32, 1.0:-3>". */
void              ghlo_quantization_append        (const GhloQuantization  *self,
                                                   GString                 *string);

/* Appends a dimension as MLIR spells it: "?" when dynamic. */
void              ghlo_dimension_append           (gint64                   dimension,
                                                   GString                 *string);

/* Whether elements of this static type are in row-major order without gaps when they have these strides. NULL
 * strides mean TRUE; a dimension of size 1 may have any stride. */
gboolean          ghlo_tensor_type_is_dense       (const GhloTensorType    *self,
                                                   const gint64            *byte_strides);

/* References @quantization, which is nullable, as is @bounds. */
GhloTensorType   *ghlo_tensor_type_new_full       (GhloElementType          element_type,
                                                   const gint64            *dimensions,
                                                   const gint64            *bounds,
                                                   gsize                    rank,
                                                   GhloQuantization        *quantization);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloQuantization, ghlo_quantization_unref)

G_END_DECLS
