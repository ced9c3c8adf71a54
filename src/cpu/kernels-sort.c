/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Short lines side by side: Batcher's merge exchange sort (Knuth, "The Art of Computer
 * Programming", volume 3, algorithm 5.2.2M), whose comparisons do not depend on what is
 * compared, on a register of lines at once. Compiled for each level.
 */

#include "cpu/kernels-private.h"

#include <string.h>

#define DEFINE_COLUMNS(NAME_, T) \
  static inline void \
  exchange_##NAME_ (T *upper, \
                    T *lower) \
  { \
    T a[GHLO_CPU_SORT_COLUMNS], b[GHLO_CPU_SORT_COLUMNS]; \
    \
    memcpy (a, upper, sizeof (a)); \
    memcpy (b, lower, sizeof (b)); \
    for (guint i = 0; i < GHLO_CPU_SORT_COLUMNS; i++) \
      { \
        upper[i] = MIN (a[i], b[i]); \
        lower[i] = MAX (a[i], b[i]); \
      } \
  } \
  \
  void \
  NAME (NAME_) (gpointer rows, \
                gsize    n) \
  { \
    T (*row)[GHLO_CPU_SORT_COLUMNS] = rows; \
    gsize most = 1; \
    \
    while (2 * most < n) \
      most *= 2; \
    for (gsize p = most; n > 1 && p > 0; p /= 2) \
      { \
        gsize q = most, r = 0, d = p; \
        \
        while (TRUE) \
          { \
            for (gsize i = 0; i + d < n; i++) \
              if ((i & p) == r) \
                exchange_##NAME_ (row[i], row[i + d]); \
            if (q == p) \
              break; \
            d = q - p; \
            q /= 2; \
            r = p; \
          } \
      } \
  }

DEFINE_COLUMNS (sort_columns_32, guint32)
DEFINE_COLUMNS (sort_columns_64, guint64)
