/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Short rows become columns of numbers: the ranks of their elements only, where elements can be reconstructed from
 * their ranks, else ranks with the elements' positions in the lower bits.
 */

#include "cpu/sort/columns.h"

#include "cpu/isa/routines.h"
#include "cpu/sort/values.h"

#include <string.h>

enum { MOST = GHLO_CPU_SORT_CHUNK, MAX_SIZE = 16 };

static gboolean
tells_elements (const GhloCpuSortRow *row)
{
  const GhloSortKey *key = &row->comparator.keys[0];

  return row->values && key->size > 1 && !ghlo_sort_key_is_lossy (key);
}

gboolean
ghlo_cpu_sort_columns_takes (const GhloCpuSortRow *row)
{
  return row->n > 1 && row->n <= MOST && row->n_groups == 1 && row->groups[0].bits <= 32;
}

/* Fills column @column of @rows, whose numbers have 32 or 64 bits. */
static gboolean
load_column (const GhloCpuSortRow *row,
             const guint8 *const  *from,
             const gint64         *steps,
             guint                 column,
             gpointer              rows)
{
  const GhloSortComparator *comparator = &row->comparator;
  gsize last = comparator->reverses_equal ? row->n - 1 : 0;
  gboolean unordered = FALSE;
  guint64 ranks[MOST];
  guint k = 0;

  do
    {
      const GhloSortKey *key = &comparator->keys[k];
      const guint8 *first = from[key->operand] + column * steps[key->operand] + last * key->element_size;

      unordered |= ghlo_cpu_sort_key_rank (key, first, last > 0 ? -(gint64) key->element_size : key->element_size, NULL,
                                           row->n, k > 0, ranks);
    }
  while (++k < comparator->n_keys);
  if (tells_elements (row))
    for (gsize i = 0; i < row->n; i++)
      ((guint32 *) rows)[i * GHLO_CPU_SORT_COLUMNS + column] = (guint32) ranks[i];
  else
    for (gsize i = 0; i < row->n; i++)
      ((guint64 *) rows)[i * GHLO_CPU_SORT_COLUMNS + column] = ranks[i] << 32 | i;

  return !unordered;
}

static void
store_values (const GhloCpuSortRow *row,
              const guint32        *rows,
              guint                 column,
              guint8               *to)
{
  guint32 numbers[MOST];

  for (gsize i = 0; i < row->n; i++)
    numbers[i] = rows[i * GHLO_CPU_SORT_COLUMNS + column];
  ghlo_cpu_sort_values_store (NULL, 0, &row->comparator.keys[0], numbers, 0, row->n, to);
}

static void
store_positions (const GhloCpuSortRow *row,
                 const guint64        *rows,
                 guint                 column,
                 const guint8 *const  *from,
                 const gint64         *from_steps,
                 guint8 *const        *to,
                 const gint64         *to_steps)
{
  guint8 copy[MOST * MAX_SIZE];
  guint32 positions[MOST];

  for (gsize i = 0; i < row->n; i++)
    {
      guint32 position = (guint32) rows[i * GHLO_CPU_SORT_COLUMNS + column];

      positions[i] = row->comparator.reverses_equal ? (guint32) row->n - 1 - position : position;
    }
  for (guint k = 0; k < row->n_operands; k++)
    {
      const guint8 *source = from[k] + column * from_steps[k];
      guint8 *target = to[k] + column * to_steps[k];

      if (source == target)
        source = memcpy (copy, source, row->n * row->sizes[k]);
      ghlo_cpu_sort_fetch (row->sizes[k], source, target, positions, row->n);
    }
}

gboolean
ghlo_cpu_sort_columns_run (const GhloCpuSortRow *row,
                           guint                 n_columns,
                           const guint8 *const  *from,
                           const gint64         *from_steps,
                           guint8 *const        *to,
                           const gint64         *to_steps)
{
  guint64 rows[MOST * GHLO_CPU_SORT_COLUMNS] __attribute__ ((aligned (64)));
  gboolean alone = tells_elements (row);

  /* Unused columns are sorted too, so they are initialized. */
  if (n_columns < GHLO_CPU_SORT_COLUMNS)
    memset (rows, 0, row->n * GHLO_CPU_SORT_COLUMNS * sizeof (guint64));
  for (guint i = 0; i < n_columns; i++)
    if (!load_column (row, from, from_steps, i, rows))
      return FALSE;
  if (alone)
    ghlo_cpu_routines ()->sort_columns_32 (rows, row->n);
  else
    ghlo_cpu_routines ()->sort_columns_64 (rows, row->n);
  for (guint i = 0; i < n_columns; i++)
    if (alone)
      store_values (row, (const guint32 *) rows, i, to[0] + i * to_steps[0]);
    else
      store_positions (row, rows, i, from, from_steps, to, to_steps);

  return TRUE;
}
