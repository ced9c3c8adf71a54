/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Short lines as columns of numbers: their ranks alone where they tell the elements,
 * else with the elements' places below.
 */

#include "cpu/sort/columns.h"

#include "cpu/isa/routines.h"
#include "cpu/sort/values.h"

#include <string.h>

enum { MOST = GHLO_CPU_SORT_CHUNK, MAX_SIZE = 16 };

static gboolean
tells_elements (const GhloCpuSortLine *line)
{
  const GhloCpuSortKey *key = &line->comparator.keys[0];

  return line->values && key->size > 1 && !ghlo_cpu_sort_key_is_lossy (key);
}

gboolean
ghlo_cpu_sort_columns_takes (const GhloCpuSortLine *line)
{
  return line->n > 1 && line->n <= MOST && line->n_groups == 1 && line->groups[0].bits <= 32;
}

/* Column @column of rows of numbers of 32 or 64 bits. */
static gboolean
load_column (const GhloCpuSortLine *line,
             const guint8 *const   *from,
             const gint64          *steps,
             guint                  column,
             gpointer               rows)
{
  const GhloCpuSortComparator *comparator = &line->comparator;
  gsize last = comparator->reverses_equal ? line->n - 1 : 0;
  gboolean unordered = FALSE;
  guint64 ranks[MOST];

  for (guint k = 0; k < comparator->n_keys; k++)
    {
      const GhloCpuSortKey *key = &comparator->keys[k];
      const guint8 *first = from[key->operand] + column * steps[key->operand] + last * key->element_size;

      unordered |= ghlo_cpu_sort_key_rank (key, first, last > 0 ? -(gint64) key->element_size : key->element_size, NULL,
                                           line->n, k > 0, ranks);
    }
  if (tells_elements (line))
    for (gsize i = 0; i < line->n; i++)
      ((guint32 *) rows)[i * GHLO_CPU_SORT_COLUMNS + column] = (guint32) ranks[i];
  else
    for (gsize i = 0; i < line->n; i++)
      ((guint64 *) rows)[i * GHLO_CPU_SORT_COLUMNS + column] = ranks[i] << 32 | i;

  return !unordered;
}

static void
store_values (const GhloCpuSortLine *line,
              const guint32         *rows,
              guint                  column,
              guint8                *to)
{
  guint32 numbers[MOST];

  for (gsize i = 0; i < line->n; i++)
    numbers[i] = rows[i * GHLO_CPU_SORT_COLUMNS + column];
  ghlo_cpu_sort_values_store (NULL, 0, &line->comparator.keys[0], numbers, 0, line->n, to);
}

static void
store_places (const GhloCpuSortLine *line,
              const guint64         *rows,
              guint                  column,
              const guint8 *const   *from,
              const gint64          *from_steps,
              guint8 *const         *to,
              const gint64          *to_steps)
{
  guint8 copy[MOST * MAX_SIZE];
  guint32 places[MOST];

  for (gsize i = 0; i < line->n; i++)
    {
      guint32 place = (guint32) rows[i * GHLO_CPU_SORT_COLUMNS + column];

      places[i] = line->comparator.reverses_equal ? (guint32) line->n - 1 - place : place;
    }
  for (guint k = 0; k < line->n_operands; k++)
    {
      const guint8 *source = from[k] + column * from_steps[k];
      guint8 *target = to[k] + column * to_steps[k];

      if (source == target)
        source = memcpy (copy, source, line->n * line->sizes[k]);
      ghlo_cpu_sort_fetch (line->sizes[k], source, target, places, line->n);
    }
}

gboolean
ghlo_cpu_sort_columns_run (const GhloCpuSortLine *line,
                           guint                  n_lines,
                           const guint8 *const   *from,
                           const gint64          *from_steps,
                           guint8 *const         *to,
                           const gint64          *to_steps)
{
  guint64 rows[MOST * GHLO_CPU_SORT_COLUMNS] __attribute__ ((aligned (64)));
  gboolean alone = tells_elements (line);

  /* Columns that no line fills are sorted along. */
  if (n_lines < GHLO_CPU_SORT_COLUMNS)
    memset (rows, 0, line->n * GHLO_CPU_SORT_COLUMNS * sizeof (guint64));
  for (guint i = 0; i < n_lines; i++)
    if (!load_column (line, from, from_steps, i, rows))
      return FALSE;
  if (alone)
    ghlo_cpu_routines ()->sort_columns_32 (rows, line->n);
  else
    ghlo_cpu_routines ()->sort_columns_64 (rows, line->n);
  for (guint i = 0; i < n_lines; i++)
    if (alone)
      store_values (line, (const guint32 *) rows, i, to[0] + i * to_steps[0]);
    else
      store_places (line, rows, i, from, from_steps, to, to_steps);

  return TRUE;
}
