/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tridiagonal routines of the linear algebra table that LAPACK does not have.
 */

#pragma once

#include "ir/lapack.h"

G_BEGIN_DECLS

/* Returns the function that performs the call, with the words of its row as arguments; NULL where there is none. */
gpointer ghlo_cpu_tridiagonal_find (const GhloIrLapackCall *call);

G_END_DECLS
