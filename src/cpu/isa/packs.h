/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packing of adjacent columns of a matrix in the order that the tiles of routines.h read, by the loops of the
 * processor's level.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What is packed: 4 or 8 bytes as they are, or elements that become f32, or pairs of 16-bit numbers from two rows. */
typedef enum
{
  GHLO_CPU_PACK_4,
  GHLO_CPU_PACK_8,
  GHLO_CPU_PACK_BF16,
  GHLO_CPU_PACK_F16,
  GHLO_CPU_PACK_I8,
  GHLO_CPU_PACK_U8,
  GHLO_CPU_N_PACKS
} GhloCpuPack;

/* to[i * width + j] = the number at from + i * step, element j, for i < n_rows and j < n <= width; of a pair, at the
 * rows 2 i and 2 i + 1, of which a last one without the second has 0. @step is in bytes. @n_more rows follow, behind an
 * even number, which are packed later: they may be read, and numbers of their groups, as well as those behind the first
 * @n of each group, be overwritten. */
typedef void (*GhloCpuPackFunc) (const guint8 *from,
                                 gint64        step,
                                 gsize         n_rows,
                                 gsize         n_more,
                                 gsize         n,
                                 gsize         width,
                                 gpointer      to);

GhloCpuPackFunc ghlo_cpu_find_pack (GhloCpuPack pack);

G_END_DECLS
