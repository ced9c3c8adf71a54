/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first word of an instruction holds its length and opcode. The result id is the next word for a type, and follows
 * the type's id for anything else.
 */

#include "gpu/spirv/builder.h"

#include "base/hash.h"

#include <string.h>

enum { VERSION = 0x00010500, MAX_OPERANDS = 16 };

static guint
hash_words (gconstpointer words)
{
  gsize size;
  gconstpointer data = g_bytes_get_data ((GBytes *) words, &size);

  return (guint) ghlo_hash_bytes (data, size);
}

GhloSpirvBuilder *
ghlo_spirv_builder_new (void)
{
  GhloSpirvBuilder *self = g_new0 (GhloSpirvBuilder, 1);

  for (guint i = 0; i < GHLO_SPIRV_N_SECTIONS; i++)
    self->sections[i] = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->unique = g_hash_table_new_full (hash_words, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);

  return self;
}

void
ghlo_spirv_builder_free (GhloSpirvBuilder *self)
{
  for (guint i = 0; i < GHLO_SPIRV_N_SECTIONS; i++)
    g_array_unref (self->sections[i]);
  g_hash_table_unref (self->unique);
  g_free (self);
}

GBytes *
ghlo_spirv_builder_end (GhloSpirvBuilder *self)
{
  const guint32 head[] = { SpvMagicNumber, VERSION, 0, self->last + 1, 0 };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  g_byte_array_append (bytes, (const guint8 *) head, sizeof head);
  for (guint i = 0; i < GHLO_SPIRV_N_SECTIONS; i++)
    g_byte_array_append (bytes, (const guint8 *) self->sections[i]->data,
                         self->sections[i]->len * (guint) sizeof (guint32));

  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

Id
ghlo_spirv_new_id (GhloSpirvBuilder *self)
{
  return ++self->last;
}

void
ghlo_spirv_add (GhloSpirvBuilder *self,
                GhloSpirvSection  section,
                SpvOp             op,
                const guint32    *operands,
                guint             n)
{
  guint32 first = (n + 1) << SpvWordCountShift | op;

  g_array_append_val (self->sections[section], first);
  g_array_append_vals (self->sections[section], operands, n);
}

void
ghlo_spirv_add_string (GhloSpirvBuilder *self,
                       GhloSpirvSection  section,
                       SpvOp             op,
                       const guint32    *operands,
                       guint             n,
                       guint             at,
                       const char       *string)
{
  const gsize length = strlen (string) + 1;
  const guint n_words = (guint) (length + 3) / 4;
  guint32 words[MAX_OPERANDS + 16] = { 0 };

  g_assert (n + n_words <= G_N_ELEMENTS (words));
  memcpy (words, operands, at * sizeof *words);
  memcpy (words + at, string, length);
  memcpy (words + at + n_words, operands + at, (n - at) * sizeof *words);
  ghlo_spirv_add (self, section, op, words, n + n_words);
}

Id
ghlo_spirv_code (GhloSpirvBuilder *self,
                 SpvOp             op,
                 Id                type,
                 const guint32    *operands,
                 guint             n)
{
  guint32 words[MAX_OPERANDS + 2] = { type, ghlo_spirv_new_id (self) };

  g_assert (n <= MAX_OPERANDS);
  if (n > 0)
    memcpy (words + 2, operands, n * sizeof *words);
  ghlo_spirv_add (self, GHLO_SPIRV_CODE, op, words, n + 2);

  return words[1];
}

Id
ghlo_spirv_unique (GhloSpirvBuilder *self,
                   SpvOp             op,
                   Id                type,
                   const guint32    *operands,
                   guint             n)
{
  guint32 key[MAX_OPERANDS + 2] = { op, type }, words[MAX_OPERANDS + 2];
  const guint n_before = type != 0 ? 2 : 1;
  g_autoptr (GBytes) bytes = NULL;
  gpointer found;
  Id id;

  g_assert (n <= MAX_OPERANDS);
  for (guint i = 0; i < n; i++)
    key[2 + i] = operands[i];
  bytes = g_bytes_new (key, (n + 2) * sizeof *key);
  found = g_hash_table_lookup (self->unique, bytes);
  if (found != NULL)
    return GPOINTER_TO_UINT (found);
  id = ghlo_spirv_new_id (self);
  words[0] = type;
  words[n_before - 1] = id;
  for (guint i = 0; i < n; i++)
    words[n_before + i] = operands[i];
  ghlo_spirv_add (self, GHLO_SPIRV_GLOBALS, op, words, n + n_before);
  g_hash_table_insert (self->unique, g_steal_pointer (&bytes), GUINT_TO_POINTER (id));

  return id;
}

void
ghlo_spirv_builder_toggle_section (GhloSpirvBuilder *self)
{
  GArray *code = self->sections[GHLO_SPIRV_CODE];

  self->sections[GHLO_SPIRV_CODE] = self->sections[GHLO_SPIRV_OTHER_FUNCTIONS];
  self->sections[GHLO_SPIRV_OTHER_FUNCTIONS] = code;
}

void
ghlo_spirv_capability (GhloSpirvBuilder *self,
                       SpvCapability     capability)
{
  const guint32 key[] = { SpvOpCapability, capability };
  g_autoptr (GBytes) bytes = g_bytes_new (key, sizeof key);

  if (g_hash_table_contains (self->unique, bytes))
    return;
  g_hash_table_insert (self->unique, g_steal_pointer (&bytes), GUINT_TO_POINTER (G_MAXUINT));
  ghlo_spirv_add (self, GHLO_SPIRV_CAPABILITIES, SpvOpCapability, GHLO_SPIRV_WORDS (capability));
}
