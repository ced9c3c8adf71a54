/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arenas of runs: slots at their planned offsets, the same memory from run to run without an allocation, many
 * concurrent runs, and separately allocated slots where blocks are guarded.
 */

#include <string.h>
#include <sys/resource.h>

#include "../count-allocations.h"
#include "base/debug.h"
#include "base/ghlo-error.h"
#include "runtime/arena.h"
#include "runtime/memory.h"
#include "runtime/pool.h"
#include "runtime/value.h"

enum { N = 4, TOTAL = 3 << 20 };

/* The second half of slot 0 is reused by slot 3, which lives later. */
static const gsize offsets[N] = { 0, 1 << 20, (2 << 20) + 64, 1 << 19 };
static const gsize sizes[N] = { 1 << 20, (1 << 20) + 7, 0, 1 << 19 };

static void
test_slots (void)
{
  gsize used = ghlo_memory_get_used ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloRunArena) arena = ghlo_run_arena_new (offsets, sizes, N, TOTAL, &error);
  guint8 *first;

  g_assert_no_error (error);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used + TOTAL);
  first = ghlo_run_arena_slot (arena, 0);
  g_assert_cmpuint ((guintptr) first % 64, ==, 0);
  for (guint i = 0; i < N; i++)
    {
      g_assert_true ((guint8 *) ghlo_run_arena_slot (arena, i) == first + offsets[i]);
      memset (ghlo_run_arena_slot (arena, i), (int) i, sizes[i]);
    }
  g_clear_pointer (&arena, ghlo_run_arena_free);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
}

static void
test_wrong (void)
{
  static const struct { gsize offset, size, total; } rows[] = {
    { 0, 65, 64 }, { 8, 8, 64 }, { 64, 1, 64 }, { 64, G_MAXSIZE, 256 }, { G_MAXSIZE - 63, 64, 256 },
  };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_assert_null (ghlo_run_arena_new (&rows[i].offset, &rows[i].size, 1, rows[i].total, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
      g_assert_null (ghlo_run_arena_cache_new (&rows[i].offset, &rows[i].size, 1, rows[i].total, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
    }

  g_clear_pointer (&error, g_error_free);
  {
    g_autoptr (GhloRunArena) empty = ghlo_run_arena_new (NULL, NULL, 0, 0, &error);

    g_assert_no_error (error);
    g_assert_nonnull (empty);
  }
}

static void
test_limit (void)
{
  g_autoptr (GhloRunArenaCache) cache = ghlo_run_arena_cache_new (offsets, sizes, N, TOTAL, NULL);
  gsize limit = ghlo_memory_get_limit ();
  g_autoptr (GError) error = NULL;
  GhloRunArena *arena;

  ghlo_memory_set_limit (ghlo_memory_get_used () + TOTAL - 1);
  g_assert_null (ghlo_run_arena_cache_take (cache, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
  g_clear_error (&error);
  g_assert_null (ghlo_run_arena_new (offsets, sizes, N, TOTAL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
  ghlo_memory_set_limit (limit);
  arena = ghlo_run_arena_cache_take (cache, NULL);
  g_assert_nonnull (arena);
  ghlo_run_arena_cache_give (cache, arena);
}

/* Between runs no memory is in use; from the second run on nothing is allocated. */
static void
test_steady (void)
{
  g_autoptr (GhloRunArenaCache) cache = ghlo_run_arena_cache_new (offsets, sizes, N, TOTAL, NULL);
  gsize used = ghlo_memory_get_used ();
  gpointer first = NULL;
  guint allocations = 0;

  for (guint i = 0; i < 100; i++)
    {
      GhloRunArena *arena = ghlo_run_arena_cache_take (cache, NULL);

      g_assert_cmpuint (ghlo_memory_get_used (), ==, used + TOTAL);
      if (i == 0)
        first = ghlo_run_arena_slot (arena, 0);
      g_assert_true (ghlo_run_arena_slot (arena, 0) == first);
      ghlo_run_arena_cache_give (cache, arena);
      g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
      if (i == 0)
        allocations = count_own_allocations ();
    }
  g_assert_cmpuint (count_own_allocations (), ==, allocations);
}

static gpointer
run_often (gpointer data)
{
  guint8 mark = (guint8) GPOINTER_TO_UINT (g_thread_self ());

  for (guint i = 0; i < 300; i++)
    {
      GhloRunArena *arena = ghlo_run_arena_cache_take (data, NULL);

      for (guint j = 0; j < 2; j++)
        memset (ghlo_run_arena_slot (arena, j), mark, sizes[j]);
      for (guint j = 0; j < 2; j++)
        g_assert_cmpuint (((guint8 *) ghlo_run_arena_slot (arena, j))[sizes[j] - 1], ==, mark);
      ghlo_run_arena_cache_give (data, arena);
    }

  return NULL;
}

static void
test_threads (void)
{
  g_autoptr (GhloRunArenaCache) cache = ghlo_run_arena_cache_new (offsets, sizes, N, TOTAL, NULL);
  gsize used = ghlo_memory_get_used ();
  GThread *threads[8];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("run", run_often, cache);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
}

/* Slots that share bytes in the plan do not share any here, and end at protected pages. */
static void
test_guard (gconstpointer data)
{
  gboolean overruns = GPOINTER_TO_INT (data);
  struct rlimit none = { 0, 0 };
  GhloRunArenaCache *cache;
  gsize used = ghlo_memory_get_used ();

  if (!g_test_subprocess ())
    {
      g_setenv ("GHLO_DEBUG", "guard", TRUE);
      g_test_trap_subprocess (NULL, 0, 0);
      g_unsetenv ("GHLO_DEBUG");
      if (overruns)
        g_test_trap_assert_failed ();
      else
        g_test_trap_assert_passed ();
      return;
    }

  setrlimit (RLIMIT_CORE, &none);
  cache = ghlo_run_arena_cache_new (offsets, sizes, N, TOTAL, NULL);
  for (guint round = 0; round < 3; round++)
    {
      GhloRunArena *arena = ghlo_run_arena_cache_take (cache, NULL);

      g_assert_cmpuint (ghlo_memory_get_used (), ==, used + sizes[0] + sizes[1] + sizes[2] + sizes[3]);
      for (guint i = 0; i < N; i++)
        memset (ghlo_run_arena_slot (arena, i), (int) i, sizes[i]);
      for (guint i = 0; i < N; i++)
        if (sizes[i] > 0)
          g_assert_cmpuint (((guint8 *) ghlo_run_arena_slot (arena, i))[sizes[i] - 1], ==, i);
      if (overruns)
        ((volatile guint8 *) ghlo_run_arena_slot (arena, 0))[sizes[0]] = 1;
      ghlo_run_arena_cache_give (cache, arena);
      g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
    }
  ghlo_run_arena_cache_free (cache);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!g_test_subprocess ())
    g_unsetenv ("GHLO_DEBUG");

  g_test_add_func ("/arena/slots", test_slots);
  g_test_add_func ("/arena/wrong", test_wrong);
  g_test_add_func ("/arena/limit", test_limit);
  g_test_add_func ("/arena/steady", test_steady);
  g_test_add_func ("/arena/threads", test_threads);
  g_test_add_data_func ("/arena/guard/sound", GINT_TO_POINTER (FALSE), test_guard);
  g_test_add_data_func ("/arena/guard/overrun", GINT_TO_POINTER (TRUE), test_guard);

  return g_test_run ();
}
