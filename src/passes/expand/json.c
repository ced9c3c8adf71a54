/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A reader of the part of JSON that configurations of custom calls use. The text comes from a program, so nothing about
 * it is assumed, except that a NUL follows its last byte.
 */

#include "passes/expand/json.h"

#include <errno.h>
#include <string.h>

enum { MAX_ENTRIES = 1024 };

typedef struct
{
  GhloIrModule *module;
  const char   *next;
  const char   *end;
} Reader;

static void
skip_space (Reader *self)
{
  while (self->next < self->end && strchr (" \t\n\r", *self->next) != NULL && *self->next != '\0')
    self->next++;
}

/* Moves past @character and the space before it, if it is what follows. */
static gboolean
take (Reader *self,
      char    character)
{
  skip_space (self);
  if (self->next >= self->end || *self->next != character)
    return FALSE;
  self->next++;

  return TRUE;
}

static gboolean
take_word (Reader     *self,
           const char *word)
{
  gsize length = strlen (word);

  skip_space (self);
  if ((gsize) (self->end - self->next) < length || memcmp (self->next, word, length) != 0)
    return FALSE;
  self->next += length;

  return TRUE;
}

/* A text without escapes, which names and words do not need. NULL for any other. */
static const GhloIrAttr *
read_text (Reader *self)
{
  const char *begin;

  if (!take (self, '"'))
    return NULL;
  begin = self->next;
  while (self->next < self->end && *self->next != '"' && *self->next != '\\' && (guchar) *self->next >= ' ')
    self->next++;
  if (self->next >= self->end || *self->next != '"')
    return NULL;
  self->next++;

  return ghlo_ir_attr_string (self->module, begin, self->next - 1 - begin);
}

static const GhloIrAttr *
read_number (Reader *self)
{
  const char *begin = self->next;
  g_autofree char *text = NULL;
  gboolean is_integer;
  gint64 integer;
  double real;

  while (self->next < self->end && strchr ("+-.eE0123456789", *self->next) != NULL && *self->next != '\0')
    self->next++;
  text = g_strndup (begin, self->next - begin);
  if (!g_ascii_isdigit (text[*text == '-']))
    return NULL;
  is_integer = strpbrk (text, ".eE") == NULL && g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &integer,
                                                                          NULL);
  if (is_integer)
    return ghlo_ir_attr_i64 (self->module, integer);
  real = g_ascii_strtod (text, (char **) &begin);

  return *begin == '\0'
         ? ghlo_ir_attr_float (self->module, ghlo_ir_type_element (self->module, GHLO_ELEMENT_TYPE_F64), real) : NULL;
}

static const GhloIrAttr *
read_scalar (Reader *self)
{
  skip_space (self);
  if (self->next < self->end && *self->next == '"')
    return read_text (self);
  if (take_word (self, "true"))
    return ghlo_ir_attr_bool (self->module, TRUE);
  if (take_word (self, "false"))
    return ghlo_ir_attr_bool (self->module, FALSE);

  return read_number (self);
}

static const GhloIrAttr *
read_value (Reader *self)
{
  g_autoptr (GPtrArray) children = g_ptr_array_new ();

  if (!take (self, '['))
    return read_scalar (self);
  if (take (self, ']'))
    return ghlo_ir_attr_array (self->module, NULL, 0);
  do
    {
      const GhloIrAttr *child = children->len < MAX_ENTRIES ? read_scalar (self) : NULL;

      if (child == NULL)
        return NULL;
      g_ptr_array_add (children, (gpointer) child);
    }
  while (take (self, ','));

  return take (self, ']') ? ghlo_ir_attr_array (self->module, (const GhloIrAttr *const *) children->pdata,
                                                children->len) : NULL;
}

static gboolean
read_entry (Reader *self,
            GArray *entries)
{
  const GhloIrAttr *name = entries->len < MAX_ENTRIES ? read_text (self) : NULL;
  GhloIrNamedAttr entry;

  if (name == NULL || !take (self, ':'))
    return FALSE;
  for (guint i = 0; i < entries->len; i++)
    if (strcmp (g_array_index (entries, GhloIrNamedAttr, i).name, name->text) == 0)
      return FALSE;
  entry = (GhloIrNamedAttr) { ghlo_ir_module_intern (self->module, name->text, -1), read_value (self) };
  g_array_append_val (entries, entry);

  return entry.value != NULL;
}

const GhloIrAttr *
ghlo_expand_json_read (GhloIrModule *module,
                       const char   *text,
                       gsize         length)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (GhloIrNamedAttr));
  Reader self = { module, text, text + length };

  if (!take (&self, '{'))
    return NULL;
  if (!take (&self, '}'))
    {
      do
        if (!read_entry (&self, entries))
          return NULL;
      while (take (&self, ','));
      if (!take (&self, '}'))
        return NULL;
    }
  skip_space (&self);

  return self.next == self.end
         ? ghlo_ir_attr_dictionary (module, (gconstpointer) entries->data, entries->len) : NULL;
}
