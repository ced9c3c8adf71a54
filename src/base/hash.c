/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SipHash, and the key of the process.
 */

#include "base/hash.h"

/* SipHash-1-3: one round per word and three at the end are enough for tables, whose hashes are never exposed. */
enum { ROUNDS = 1, LAST_ROUNDS = 3 };

/* GRand seeds itself from the system's random numbers. Unlike the seed of g_random_int (), an application cannot set
 * it. */
static const guint64 *
process_key (void)
{
  static guint64 key[2];
  static gsize is_made;

  if (g_once_init_enter (&is_made))
    {
      g_autoptr (GRand) random = g_rand_new ();

      for (guint i = 0; i < G_N_ELEMENTS (key); i++)
        key[i] = (guint64) g_rand_int (random) << 32 | g_rand_int (random);
      g_once_init_leave (&is_made, 1);
    }

  return key;
}

static inline GhloHash
begin (const guint64 *key)
{
  return (GhloHash) {
    .v0 = key[0] ^ G_GUINT64_CONSTANT (0x736f6d6570736575),
    .v1 = key[1] ^ G_GUINT64_CONSTANT (0x646f72616e646f6d),
    .v2 = key[0] ^ G_GUINT64_CONSTANT (0x6c7967656e657261),
    .v3 = key[1] ^ G_GUINT64_CONSTANT (0x7465646279746573),
  };
}

static inline void
add_word (GhloHash *self,
          guint64   word,
          guint     rounds)
{
  self->v3 ^= word;
  for (guint i = 0; i < rounds; i++)
    ghlo_hash_round (self);
  self->v0 ^= word;
}

static inline guint64
finish (GhloHash *self,
        guint     last_rounds)
{
  self->v2 ^= 0xff;
  for (guint i = 0; i < last_rounds; i++)
    ghlo_hash_round (self);

  return self->v0 ^ self->v1 ^ self->v2 ^ self->v3;
}

static inline guint64
whole_word (const guint8 *bytes)
{
  guint64 word;

  memcpy (&word, bytes, sizeof word);

  return GUINT64_FROM_LE (word);
}

/* Loads fewer than 8 bytes by loads that may overlap, which is cheaper than one load per byte. */
static inline guint64
part_of_word (const guint8 *bytes,
              gsize         size)
{
  guint32 first, last;

  if (size >= 4)
    {
      memcpy (&first, bytes, 4);
      memcpy (&last, bytes + size - 4, 4);
      return GUINT32_FROM_LE (first) | (guint64) GUINT32_FROM_LE (last) << (8 * (size - 4));
    }
  if (size == 0)
    return 0;

  return bytes[0] | (guint64) bytes[size / 2] << (8 * (size / 2)) | (guint64) bytes[size - 1] << (8 * (size - 1));
}

/* The last word holds the remaining bytes and the lowest byte of the size. */
static inline guint64
hash_message (const guint64 *key,
              guint          rounds,
              guint          last_rounds,
              const guint8  *bytes,
              gsize          size)
{
  GhloHash self = begin (key);
  guint64 last = (guint64) size << 56;

  for (; size >= 8; bytes += 8, size -= 8)
    add_word (&self, whole_word (bytes), rounds);
  add_word (&self, last | part_of_word (bytes, size), rounds);

  return finish (&self, last_rounds);
}

guint64
ghlo_hash_keyed (const guint64 *key,
                 guint          rounds,
                 guint          last_rounds,
                 gconstpointer  data,
                 gsize          size)
{
  return hash_message (key, rounds, last_rounds, data, size);
}

guint64
ghlo_hash_bytes (gconstpointer data,
                 gsize         size)
{
  return hash_message (process_key (), ROUNDS, LAST_ROUNDS, data, size);
}

guint
ghlo_hash_string (gconstpointer text)
{
  return (guint) ghlo_hash_bytes (text, strlen (text));
}

guint
ghlo_hash_int64 (gconstpointer value)
{
  return (guint) ghlo_hash_bytes (value, sizeof (gint64));
}

GhloHash
ghlo_hash_begin (void)
{
  return begin (process_key ());
}

void
ghlo_hash_add_bytes (GhloHash     *self,
                     gconstpointer data,
                     gsize         size)
{
  const guint8 *bytes = data;

  ghlo_hash_add (self, size);
  for (; size >= 8; bytes += 8, size -= 8)
    ghlo_hash_add (self, whole_word (bytes));
  if (size > 0)
    ghlo_hash_add (self, part_of_word (bytes, size));
}

guint64
ghlo_hash_end (GhloHash *self)
{
  add_word (self, self->n_words << 59, ROUNDS);

  return finish (self, LAST_ROUNDS);
}
