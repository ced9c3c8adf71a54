/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Complex transforms in all lanes of rows (GhloCpuFourier of isa/routines.h), in place, in passes of small radices.
 * The results end in another order, which whoever reads them undoes.
 */

#pragma once

#include "base/roots.h"
#include "cpu/isa/routines.h"

G_BEGIN_DECLS

enum { GHLO_CPU_RADICES_MAX = 32 };

typedef struct
{
  gsize    n;
  guint    n_passes;
  guint8   radices[GHLO_CPU_RADICES_MAX];
  gboolean is_f64;
  guint8  *twiddles[GHLO_CPU_RADICES_MAX];      /* owned; for each pass, NULL for the last */
  guint8  *roots[GHLO_CPU_RADICES_MAX];         /* owned; of odd radices, else NULL */
  guint32 *order;                               /* owned; the row of each result; entry n is n */
} GhloCpuRadices;

/* FALSE where @n has a prime factor above GHLO_CPU_FOURIER_MAX_RADIX, or is 0, or greater than 2^30. */
gboolean ghlo_cpu_radices_read    (GhloCpuRadices *self,
                                   gsize           n,
                                   gboolean        is_f64);
/* Makes the tables. FALSE where there is no memory. */
gboolean ghlo_cpu_radices_prepare (GhloCpuRadices *self);
void     ghlo_cpu_radices_clear   (GhloCpuRadices *self);
gsize    ghlo_cpu_radices_size    (const GhloCpuRadices *self);
/* @rows are n rows, of which at least the first @lanes lanes are transformed. */
void     ghlo_cpu_radices_run     (const GhloCpuRadices *self,
                                   gpointer              rows,
                                   gboolean              inverse,
                                   guint                 lanes);

G_END_DECLS
