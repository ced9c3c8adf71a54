/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What LAPACK does not have of the table of linear algebra.
 */

#pragma once

#include "ir/lapack.h"

G_BEGIN_DECLS

/* The function that does the call, with the words of its row for arguments; NULL where there is none. */
gpointer ghlo_cpu_tridiagonal_find (const GhloIrLapackCall *call);

G_END_DECLS
