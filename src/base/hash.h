/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hashes for tables whose keys come from a program: SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input
 * PRF") with a key that each process draws at random. Without the key nobody can construct a program whose names,
 * types or attributes collide, so tables stay as fast as they are on harmless programs.
 *
 * Hashes differ from process to process. So nothing that leaves the process may depend on them: neither an order of
 * output that comes from iterating over a table, nor the name of a file.
 */

#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* Returns the hash of @size bytes at @data. */
guint64 ghlo_hash_bytes  (gconstpointer data,
                          gsize         size);

/* For GHashTable, in place of g_str_hash () and g_int64_hash (). */
guint   ghlo_hash_string (gconstpointer text);
guint   ghlo_hash_int64  (gconstpointer value);

/* SipHash with the given key and numbers of rounds. */
guint64 ghlo_hash_keyed  (const guint64 *key,
                          guint          rounds,
                          guint          last_rounds,
                          gconstpointer  data,
                          gsize          size);

/* An incremental hash for structures, which are added word by word. The result is that of the words one after the
 * other in memory. */
typedef struct
{
  guint64 v0, v1, v2, v3;
  guint64 n_words;
} GhloHash;

GhloHash ghlo_hash_begin     (void);
guint64  ghlo_hash_end       (GhloHash     *self);
/* Adds the size, then the bytes, padded with zeros to whole words. */
void     ghlo_hash_add_bytes (GhloHash     *self,
                              gconstpointer data,
                              gsize         size);

static inline guint64
ghlo_hash_rotate (guint64 value,
                  guint   n_bits)
{
  return value << n_bits | value >> (64 - n_bits);
}

static inline void
ghlo_hash_round (GhloHash *self)
{
  self->v0 += self->v1;
  self->v2 += self->v3;
  self->v1 = ghlo_hash_rotate (self->v1, 13) ^ self->v0;
  self->v3 = ghlo_hash_rotate (self->v3, 16) ^ self->v2;
  self->v0 = ghlo_hash_rotate (self->v0, 32) + self->v3;
  self->v2 += self->v1;
  self->v1 = ghlo_hash_rotate (self->v1, 17) ^ self->v2;
  self->v3 = ghlo_hash_rotate (self->v3, 21) ^ self->v0;
  self->v2 = ghlo_hash_rotate (self->v2, 32);
}

/* One round for each word, as in SipHash-1-3. */
static inline void
ghlo_hash_add (GhloHash *self,
               guint64   word)
{
  self->v3 ^= word;
  ghlo_hash_round (self);
  self->v0 ^= word;
  self->n_words++;
}

static inline void
ghlo_hash_add_pointer (GhloHash      *self,
                       gconstpointer  pointer)
{
  ghlo_hash_add (self, GPOINTER_TO_SIZE (pointer));
}

G_END_DECLS
