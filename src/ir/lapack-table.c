/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rows of lapack.def: matching their names and splitting their strings into words.
 */

#include "ir/lapack-private.h"

#include <string.h>

/* XLA's FFI functions for CPUs are named after LAPACK's routines:
 * "lapack_", the letter of the type, the routine, this suffix. */
#define SUFFIX "_ffi"

const GhloIrLapackRow ghlo_ir_lapack_rows[GHLO_IR_LAPACK_N_ROUTINES] = {
#define ROUTINE(ID, ...) { __VA_ARGS__ },
#include "ir/lapack.def"
};

static const struct
{
  char            letter;
  GhloElementType type;
} letters[] = {
  { 's', GHLO_ELEMENT_TYPE_F32 }, { 'd', GHLO_ELEMENT_TYPE_F64 }, { 'c', GHLO_ELEMENT_TYPE_COMPLEX_F32 },
  { 'z', GHLO_ELEMENT_TYPE_COMPLEX_F64 },
};

gboolean
ghlo_ir_lapack_next_word (const char **text,
                          gboolean     is_complex,
                          char         word[GHLO_IR_LAPACK_WORD])
{
  for (;;)
    {
      const char *begin = *text + strspn (*text, " ");
      gsize length = strcspn (begin, " ");

      *text = begin + length;
      if (length == 0)
        return FALSE;
      if (*begin == (is_complex ? '+' : '*'))
        continue;
      if (*begin == '+' || *begin == '*')
        begin++, length--;
      g_assert (length < GHLO_IR_LAPACK_WORD);
      memcpy (word, begin, length);
      word[length] = '\0';
      return TRUE;
    }
}

gboolean
ghlo_ir_lapack_row_has_name (const GhloIrLapackRow *row,
                             const char            *target,
                             GhloElementType       *type)
{
  gsize length;

  *type = GHLO_ELEMENT_TYPE_INVALID;
  if (row->target != NULL)
    return strcmp (row->target, target) == 0;
  if (!g_str_has_prefix (target, "lapack_") || !g_str_has_suffix (target, SUFFIX))
    return FALSE;
  target += strlen ("lapack_");
  for (guint i = 0; i < G_N_ELEMENTS (letters); i++)
    if (letters[i].letter == target[0])
      {
        const char *name = ghlo_element_type_is_complex (letters[i].type) ? row->complex : row->real;

        length = strlen (name);
        *type = letters[i].type;
        return strncmp (target + 1, name, length) == 0 && strcmp (target + 1 + length, SUFFIX) == 0;
      }

  return FALSE;
}

gboolean
ghlo_ir_lapack_row_is_by_columns (const GhloIrLapackRow *row)
{
  return row->target == NULL || g_str_has_suffix (row->target, SUFFIX);
}

gboolean
ghlo_ir_lapack_is_target (const char *target)
{
  GhloElementType type;

  for (guint i = 0; i < GHLO_IR_LAPACK_N_ROUTINES; i++)
    if (ghlo_ir_lapack_row_has_name (&ghlo_ir_lapack_rows[i], target, &type))
      return TRUE;

  return FALSE;
}

void
ghlo_ir_lapack_foreach (void   (*func) (const char *name,
                                        gpointer    data),
                        gpointer data)
{
  for (guint i = 0; i < GHLO_IR_LAPACK_N_ROUTINES; i++)
    {
      const GhloIrLapackRow *row = &ghlo_ir_lapack_rows[i];
      const char *names[] = { row->real, row->complex };
      guint n = row->target != NULL ? 0 : strcmp (row->real, row->complex) != 0 ? 2 : 1;

      if (row->target != NULL && (i == 0 || g_strcmp0 (row->target, row[-1].target) != 0))
        func (row->target, data);
      for (guint j = 0; j < n; j++)
        {
          g_autofree char *name = g_strdup_printf ("lapack_?%s" SUFFIX, names[j]);

          func (name, data);
        }
    }
}

const GhloIrLapackArgument *
ghlo_ir_lapack_argument (const GhloIrLapackCall *self,
                         const char             *name)
{
  for (guint i = 0; i < self->n_arguments; i++)
    if (strcmp (self->arguments[i].name, name) == 0)
      return &self->arguments[i];

  return NULL;
}

const GhloIrLapackParameter *
ghlo_ir_lapack_parameter (const GhloIrLapackCall *self,
                          const char             *name)
{
  for (guint i = 0; i < self->n_parameters; i++)
    if (strcmp (self->parameters[i].name, name) == 0)
      return &self->parameters[i];

  return NULL;
}

gboolean
ghlo_ir_lapack_count (const GhloIrLapackCall *self,
                      const char             *sums,
                      gint64                  limit,
                      gint64                 *count)
{
  gint64 sum = 0;

  *count = 1;
  for (;;)
    {
      char *end;
      gint64 product = (gint64) g_ascii_strtoull (sums, &end, 10);

      if (end == sums)
        product = 1;
      for (; g_ascii_islower (*end); end++)
        if (__builtin_mul_overflow (product, ghlo_ir_lapack_extent (self, *end), &product))
          return FALSE;
      if (__builtin_add_overflow (sum, product, &sum) || sum > limit)
        return FALSE;
      *count = MAX (*count, sum);
      if (*end != '+' && *end != ',')
        return TRUE;
      if (*end == ',')
        sum = 0;
      sums = end + 1;
    }
}
