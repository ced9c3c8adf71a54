/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Keyed hashes: they are SipHash, structures and their bytes hash alike, names built to collide do not collide, and
 * processes have different keys.
 */

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

static const char *program;

/* The example of SipHash's paper, appendix A; and SipHash-1-3 with a key of zeros as
 * CPython gives it: PYTHONHASHSEED=0 python3 -c 'print (hex (hash (b"a") % 2**64))'. */
static void
test_vectors (void)
{
  static const guint64 key[] = { G_GUINT64_CONSTANT (0x0706050403020100), G_GUINT64_CONSTANT (0x0f0e0d0c0b0a0908) };
  static const guint64 zeros[2];
  static const guint8 message[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };
  static const struct { const char *text; guint64 hash; } rows[] = {
    { "a", G_GUINT64_CONSTANT (0x407448d2b89b1813) },
    { "abcdefg", G_GUINT64_CONSTANT (0x6db12aae9070f506) },
    { "abcdefgh", G_GUINT64_CONSTANT (0x3f7b849c0b8e35ea) },
    { "a longer message, of several words", G_GUINT64_CONSTANT (0x57921f8b122afe96) },
  };

  g_assert_cmphex (ghlo_hash_keyed (key, 2, 4, message, sizeof message), ==, G_GUINT64_CONSTANT (0xa129ca6149be45e5));
  g_assert_cmphex (ghlo_hash_keyed (zeros, 1, 3, message, sizeof message), ==, G_GUINT64_CONSTANT (0xf30eb725bb91c9ea));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmphex (ghlo_hash_keyed (zeros, 1, 3, rows[i].text, strlen (rows[i].text)), ==, rows[i].hash);
}

/* A change of any byte changes the hash, and so does the size. */
static void
test_bytes (void)
{
  guint8 bytes[40] = { 0 };

  for (gsize size = 0; size < sizeof bytes; size++)
    {
      guint64 hash = ghlo_hash_bytes (bytes, size);

      g_assert_cmphex (hash, ==, ghlo_hash_bytes (bytes, size));
      g_assert_cmphex (hash, !=, ghlo_hash_bytes (bytes, size + 1));
      for (gsize i = 0; i < size; i++)
        {
          bytes[i] = 1;
          g_assert_cmphex (hash, !=, ghlo_hash_bytes (bytes, size));
          bytes[i] = 0;
        }
    }
}

static void
test_words (void)
{
  const guint64 words[] = { 1, G_MAXUINT64, 0, G_GUINT64_CONSTANT (0x0123456789abcdef) };
  const guint64 bytes[] = { GUINT64_TO_LE (words[0]), GUINT64_TO_LE (words[1]), GUINT64_TO_LE (words[2]),
                            GUINT64_TO_LE (words[3]) };
  GhloHash hash = ghlo_hash_begin ();

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    ghlo_hash_add (&hash, words[i]);
  g_assert_cmphex (ghlo_hash_end (&hash), ==, ghlo_hash_bytes (bytes, sizeof bytes));
}

/* Moving the boundary between two pieces changes the hash. */
static void
test_pieces (void)
{
  static const gsize cuts[] = { 0, 1, 7, 8, 9, 16 };
  static const char text[] = "sixteen letters.";
  guint64 hashes[G_N_ELEMENTS (cuts)];

  for (guint i = 0; i < G_N_ELEMENTS (cuts); i++)
    {
      GhloHash hash = ghlo_hash_begin ();

      ghlo_hash_add_bytes (&hash, text, cuts[i]);
      ghlo_hash_add_bytes (&hash, text + cuts[i], strlen (text) - cuts[i]);
      hashes[i] = ghlo_hash_end (&hash);
      for (guint j = 0; j < i; j++)
        g_assert_cmphex (hashes[i], !=, hashes[j]);
    }
}

/* 65536 names that collide in g_str_hash (), as "Ez" and "FY" do. */
static void
test_made_to_collide (void)
{
  enum { PAIRS = 16, NAMES = 1 << PAIRS, SLOTS = 2 * NAMES };
  g_autofree guint8 *slots = g_new0 (guint8, SLOTS);
  char name[2 * PAIRS + 1] = "";
  guint most = 0, weak = 0;

  for (guint i = 0; i < NAMES; i++)
    {
      guint slot;

      for (guint pair = 0; pair < PAIRS; pair++)
        memcpy (name + 2 * pair, (i >> pair & 1) != 0 ? "Ez" : "FY", 2);
      if (i == 0)
        weak = g_str_hash (name);
      g_assert_cmphex (g_str_hash (name), ==, weak);
      slot = ghlo_hash_string (name) % SLOTS;
      most = MAX (most, ++slots[slot]);
    }

  /* With half as many random numbers as slots, the probability that more than 15 fall into one slot is below 10⁻¹³. */
  g_assert_cmpuint (most, <=, 15);
}

static char *
hash_of_another_process (void)
{
  const char *arguments[] = { program, "--print", NULL };
  g_autoptr (GError) error = NULL;
  char *output = NULL;

  g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, NULL, &error);
  g_assert_no_error (error);

  return output;
}

static void
test_processes (void)
{
  g_autofree char *one = hash_of_another_process (), *other = hash_of_another_process ();

  g_assert_cmpuint (strlen (one), ==, 16);
  g_assert_cmpstr (one, !=, other);
}

int
main (int    argc,
      char **argv)
{
  program = argv[0];
  if (argc == 2 && strcmp (argv[1], "--print") == 0)
    {
      printf ("%016" G_GINT64_MODIFIER "x", ghlo_hash_bytes ("name", 4));
      return 0;
    }

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hash/vectors", test_vectors);
  g_test_add_func ("/hash/bytes", test_bytes);
  g_test_add_func ("/hash/words", test_words);
  g_test_add_func ("/hash/pieces", test_pieces);
  g_test_add_func ("/hash/made-to-collide", test_made_to_collide);
  g_test_add_func ("/hash/processes", test_processes);

  return g_test_run ();
}
