/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Factorizations that frameworks call by name: kernels of custom calls.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

/* "Qr": the matrix -> R with reflectors below it, and their factors. */
gboolean ghlo_ref_custom_qr          (GhloRefCall *call, GError **error);
/* "ProductOfElementaryHouseholderReflectors": reflectors, factors -> Q. */
gboolean ghlo_ref_custom_householder (GhloRefCall *call, GError **error);
/* "LuDecomposition": the matrix -> L and U in one, pivots, permutation. */
gboolean ghlo_ref_custom_lu          (GhloRefCall *call, GError **error);
/* "Eigh": the matrix -> eigenvectors and eigenvalues, in ascending order; which
 * triangle is read is the first number of the backend_config. */
gboolean ghlo_ref_custom_eigh        (GhloRefCall *call, GError **error);

G_END_DECLS
