/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear algebra custom calls (ir/lapack.h), by plain algorithms in long doubles.
 */

#pragma once

#include "ir/lapack.h"
#include "reference/algebra/matrix.h"

G_BEGIN_DECLS

/* The kernel of every target for which ghlo_ir_lapack_is_target () is TRUE. */
gboolean ghlo_ref_custom_lapack (GhloRefCall *call, GError **error);

/* A routine at work on one matrix of the batch. There is one array for each argument of the call. Its elements
 * are numbers of the routine's type, or reals, complex numbers or gint64 where the argument's element is R, C or
 * I. */
typedef struct
{
  GhloRefCall            *call;
  const GhloIrLapackCall *lapack;
  gpointer                arrays[GHLO_IR_LAPACK_ARGUMENTS];
  gint64                  info;
} GhloRefLapack;

/* FALSE with @error set when the call is to stop or when there is no memory. */
typedef gboolean (*GhloRefLapackFunc) (GhloRefLapack *self, GError **error);

static inline gpointer
ghlo_ref_lapack_array (const GhloRefLapack *self,
                       const char          *name)
{
  return self->arrays[ghlo_ir_lapack_argument (self->lapack, name) - self->lapack->arguments];
}

static inline gsize
ghlo_ref_lapack_extent (const GhloRefLapack *self,
                        char                 letter)
{
  return (gsize) ghlo_ir_lapack_extent (self->lapack, letter);
}

static inline gint64
ghlo_ref_lapack_parameter (const GhloRefLapack *self,
                           const char          *name)
{
  return ghlo_ir_lapack_parameter (self->lapack, name)->value;
}

static inline gboolean
ghlo_ref_lapack_is_computed (const GhloRefLapack *self,
                             const char          *name)
{
  return ghlo_ir_lapack_argument (self->lapack, name)->is_computed;
}

#define ROUTINES(type) \
  gboolean ghlo_ref_lapack_potrf_##type (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_getrf_##type (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_lu_##type    (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_geqrf_##type (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_orgqr_##type (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_ormqr_##type (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_geqp3_##type (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_syevd_##type (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_geev_##type  (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_gesdd_##type (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_gees_##type  (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_gehrd_##type (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_sytrd_##type (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_gtsv_##type  (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_trsm_##type  (GhloRefLapack *self, GError **error); \
  gboolean ghlo_ref_lapack_lagts_##type (GhloRefLapack *self, GError **error);
ROUTINES (real)
ROUTINES (complex)
#undef ROUTINES

G_END_DECLS
