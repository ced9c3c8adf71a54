/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory pool: reuse without page faults, limits, trimming, threads and forks; guarded blocks; and the keywords of
 * GHLO_DEBUG.
 */

#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../count-allocations.h"
#include "base/debug.h"
#include "base/ghlo-error.h"
#include "runtime/guard.h"
#include "runtime/memory.h"
#include "runtime/pool.h"
#include "runtime/value.h"

#define MIB ((gsize) 1 << 20)

/* Empties the pool before a test that counts, so that no other test's blocks are idle. */
static gsize
start_afresh (void)
{
  ghlo_memory_trim ();
  g_assert_cmpuint (ghlo_pool_get_idle (), ==, 0);

  return ghlo_memory_get_used ();
}

static guint8 *
allocate (gsize size)
{
  g_autoptr (GError) error = NULL;
  guint8 *memory = ghlo_memory_alloc_uninitialized (size, &error);

  g_assert_no_error (error);
  g_assert_nonnull (memory);
  g_assert_cmpuint ((guintptr) memory % 64, ==, 0);

  return memory;
}

static void
wait_for_idle (gsize most)
{
  gint64 end = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

  while (ghlo_pool_get_idle () > most && g_get_monotonic_time () < end)
    g_usleep (1000);
  g_assert_cmpuint (ghlo_pool_get_idle (), <=, most);
}

/* A block is no smaller than requested and, apart from alignment, at most an eighth larger; larger blocks never
 * serve smaller sizes. */
static void
test_classes (void)
{
  gsize before = 0;

  for (gsize size = 1; size < 100000; size++)
    {
      gsize capacity = ghlo_pool_get_capacity (size);

      g_assert_cmpuint (capacity, >=, MAX (size, before));
      g_assert_cmpuint (capacity % 64, ==, 0);
      before = capacity;
    }
  for (gsize size = 4096; size <= GHLO_POOL_MAX_SIZE; size += size / 37)
    g_assert_cmpuint (ghlo_pool_get_capacity (size) - size, <=, size / 8 + 128);
}

static long
count_faults (void)
{
  struct rusage usage;

  getrusage (RUSAGE_THREAD, &usage);

  return usage.ru_minflt;
}

/* The same addresses again, last freed first, also for slightly different sizes; without a new page or a system
 * call. */
static void
test_reuse (void)
{
  static const gsize sizes[] = { 3, 100, 5000, 70000, MIB, 5 * MIB + 4000, 64 * MIB };
  guint8 *memory[G_N_ELEMENTS (sizes)];
  GhloMemoryStatistics before, after;
  gsize used = start_afresh ();
  guint allocations;
  long faults;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      memory[i] = allocate (sizes[i]);
      memset (memory[i], 1, sizes[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    ghlo_memory_free (memory[i], sizes[i]);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);

  ghlo_memory_get_statistics (&before);
  faults = count_faults ();
  allocations = count_own_allocations ();
  for (guint round = 0; round < 10; round++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      {
        gsize size = sizes[i] - (sizes[i] > 4096 ? round : 0);
        guint8 *again = ghlo_memory_alloc_uninitialized (size, NULL);

        g_assert_true (again == memory[i]);
        memset (again, round, size);
        ghlo_memory_free (again, size);
      }
  g_assert_cmpint (count_faults () - faults, <=, 2);
  g_assert_cmpuint (count_own_allocations (), ==, allocations);
  ghlo_memory_get_statistics (&after);
  g_assert_cmpuint (after.n_allocations, ==, before.n_allocations);
  g_assert_cmpuint (after.n_reuses - before.n_reuses, ==, 10 * G_N_ELEMENTS (sizes));
  g_assert_cmpuint (after.idle, ==, before.idle);
  g_assert_cmpuint (after.used, ==, used);
}

static void
test_zeroed (void)
{
  static const gsize sizes[] = { 0, 3, 1000, 70000, 3 * MIB };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint round = 0; round < 3; round++)
      {
        guint8 *memory = ghlo_memory_alloc (sizes[i], NULL);

        g_assert_nonnull (memory);
        for (gsize j = 0; j < sizes[i]; j++)
          g_assert_cmpuint (memory[j], ==, 0);
        memset (memory, 0xaa, sizes[i]);
        ghlo_memory_free (memory, sizes[i]);
      }
}

/* Idle memory never causes a refusal, and is released first; memory in use counts. */
static void
test_limit (void)
{
  gsize used = start_afresh (), limit = ghlo_memory_get_limit ();
  g_autoptr (GError) error = NULL;
  GhloMemoryStatistics statistics;
  guint8 *small, *large;

  ghlo_memory_set_limit (used + 64 * MIB);
  small = allocate (24 * MIB);
  ghlo_memory_free (small, 24 * MIB);
  g_assert_cmpuint (ghlo_pool_get_idle (), ==, ghlo_pool_get_capacity (24 * MIB));
  large = allocate (48 * MIB);
  ghlo_memory_get_statistics (&statistics);
  g_assert_cmpuint (statistics.used, ==, used + 48 * MIB);
  g_assert_cmpuint (statistics.idle, ==, 0);

  g_assert_null (ghlo_memory_alloc_uninitialized (24 * MIB, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
  g_clear_error (&error);
  g_assert_null (ghlo_memory_alloc_uninitialized (G_MAXSIZE, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
  ghlo_memory_free (large, 48 * MIB);

  ghlo_memory_set_limit (limit);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
}

/* At most half of the limit stays idle, the most recently freed part. */
static void
test_most_idle (void)
{
  gsize used = start_afresh (), limit = ghlo_memory_get_limit ();
  guint8 *blocks[3];

  ghlo_memory_set_limit (used + 110 * MIB);
  for (guint i = 0; i < 3; i++)
    blocks[i] = allocate (24 * MIB);
  for (guint i = 0; i < 3; i++)
    ghlo_memory_free (blocks[i], 24 * MIB);
  wait_for_idle (55 * MIB);
  g_assert_cmpuint (ghlo_pool_get_idle (), ==, 2 * ghlo_pool_get_capacity (24 * MIB));
  g_assert_true (allocate (24 * MIB) == blocks[2]);
  g_assert_true (allocate (24 * MIB) == blocks[1]);
  ghlo_memory_free (blocks[1], 24 * MIB);
  ghlo_memory_free (blocks[2], 24 * MIB);
  ghlo_memory_set_limit (limit);
}

/* On request at once, automatically after a while without use, and again after that. */
static void
test_trim (void)
{
  start_afresh ();
  ghlo_memory_free (allocate (8 * MIB), 8 * MIB);
  ghlo_memory_free (allocate (100), 100);
  g_assert_cmpuint (ghlo_pool_get_idle (), ==, ghlo_pool_get_capacity (8 * MIB) + ghlo_pool_get_capacity (100));
  ghlo_memory_trim ();
  g_assert_cmpuint (ghlo_pool_get_idle (), ==, 0);

  ghlo_pool_set_idle_time (10 * 1000);
  for (guint i = 0; i < 3; i++)
    {
      ghlo_memory_free (allocate (8 * MIB), 8 * MIB);
      ghlo_memory_free (allocate (9 * MIB), 9 * MIB);
      wait_for_idle (0);
      g_usleep (i * 20 * 1000);
    }
  ghlo_pool_set_idle_time (GHLO_POOL_IDLE_TIME);
}

/* More blocks than the pool keeps, of small and of large sizes. */
static void
test_many (void)
{
  enum { N = 3000 };
  g_autofree guint8 **blocks = g_new (guint8 *, N);

  for (guint round = 0; round < 2; round++)
    {
      gsize size = round == 0 ? 256 : 65536, used = start_afresh ();

      for (guint i = 0; i < N; i++)
        {
          blocks[i] = allocate (size);
          blocks[i][size - 1] = 1;
        }
      for (guint i = 0; i < N; i++)
        ghlo_memory_free (blocks[i], size);
      g_assert_cmpuint (ghlo_pool_get_idle (), >=, 100 * size);
      g_assert_cmpuint (ghlo_pool_get_idle (), <=, 1024 * ghlo_pool_get_capacity (size));
      g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
    }
}

/* Sizes of all classes; each block is marked at both ends while it is held. */
static gpointer
churn (gpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (GPOINTER_TO_UINT (data));
  struct { guint8 *memory; gsize size; guint8 mark; } held[8] = { { NULL } };

  for (guint i = 0; i < 4000; i++)
    {
      guint slot = g_rand_int_range (rand, 0, G_N_ELEMENTS (held));

      if (held[slot].memory != NULL)
        {
          g_assert_cmpuint (held[slot].memory[0], ==, held[slot].mark);
          g_assert_cmpuint (held[slot].memory[held[slot].size - 1], ==, held[slot].mark);
          ghlo_memory_free (held[slot].memory, held[slot].size);
        }
      held[slot].size = (gsize) exp2 (g_rand_double_range (rand, 0, 22));
      held[slot].mark = (guint8) g_rand_int (rand);
      held[slot].memory = ghlo_memory_alloc_uninitialized (held[slot].size, NULL);
      if (held[slot].memory != NULL)
        {
          held[slot].memory[0] = held[slot].mark;
          held[slot].memory[held[slot].size - 1] = held[slot].mark;
        }
    }
  for (guint i = 0; i < G_N_ELEMENTS (held); i++)
    if (held[i].memory != NULL)
      ghlo_memory_free (held[i].memory, held[i].size);

  return NULL;
}

static void
test_threads (void)
{
  gsize used = start_afresh (), limit = ghlo_memory_get_limit ();
  GThread *threads[8];

  ghlo_memory_set_limit (used + 12 * MIB);
  ghlo_memory_reset_peak ();
  ghlo_pool_set_idle_time (2000);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("churn", churn, GUINT_TO_POINTER (i));
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (ghlo_memory_get_peak (), <=, used + 12 * MIB);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
  ghlo_pool_set_idle_time (GHLO_POOL_IDLE_TIME);
  ghlo_memory_set_limit (limit);
}

/* A child process has the pool, but not the thread that trims it; the fork happens while others use the pool. */
static void
test_fork (void)
{
  GThread *thread = g_thread_new ("churn", churn, NULL);

  for (guint i = 0; i < 20; i++)
    {
      pid_t child;
      int status;

      ghlo_memory_free (allocate (4 * MIB), 4 * MIB);
      child = fork ();
      if (child == 0)
        {
          alarm (30);
          ghlo_memory_set_limit (ghlo_memory_get_used () + 32 * MIB);
          for (gsize size = 1; size < 10 * MIB; size *= 3)
            {
              guint8 *memory = ghlo_memory_alloc_uninitialized (size, NULL);

              if (memory == NULL)
                _exit (1);
              memset (memory, 1, size);
              ghlo_memory_free (memory, size);
            }
          _exit (ghlo_pool_get_idle () <= ghlo_memory_get_limit () / 2 ? 0 : 2);
        }
      g_assert_cmpint (waitpid (child, &status, 0), ==, child);
      g_assert_true (WIFEXITED (status));
      g_assert_cmpint (WEXITSTATUS (status), ==, 0);
    }
  g_thread_join (thread);
}

static GPtrArray *left;

static void
note_leaving (gpointer block)
{
  g_ptr_array_add (left, block);
}

/* Large blocks are found by an address in them, and notify when they are freed. */
static void
test_find (void)
{
  const gsize sizes[] = { GHLO_POOL_HUGE_SIZE - 1, 5 * MIB, 3 * MIB, 4 * MIB };
  guint8 *blocks[G_N_ELEMENTS (sizes)], *found;
  gpointer start;
  gsize capacity;
  guint n_forks;

  start_afresh ();
  left = g_ptr_array_new ();
  ghlo_pool_watch (note_leaving);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    blocks[i] = allocate (sizes[i]);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_assert_true (ghlo_pool_find (blocks[i], sizes[i], &start, &capacity));
      g_assert_true (start == blocks[i]);
      g_assert_cmpuint (capacity, ==, ghlo_pool_get_capacity (sizes[i]));
      g_assert_true (ghlo_pool_find (blocks[i] + MIB, capacity - MIB, &start, &capacity));
      g_assert_true (start == blocks[i]);
      g_assert_false (ghlo_pool_find (blocks[i] + MIB, capacity - MIB + 1, &start, &capacity));
      g_assert_false (ghlo_pool_find (blocks[i] + MIB, G_MAXSIZE, &start, &capacity));
      g_assert_false (ghlo_pool_find (blocks[i] - 1, 2, &start, &capacity));
    }
  found = allocate (MIB);
  g_assert_false (ghlo_pool_find (found, 1, &start, &capacity));
  g_assert_false (ghlo_pool_find (sizes, sizeof sizes, &start, &capacity));
  ghlo_memory_free (found, MIB);
  n_forks = ghlo_pool_get_forks ();
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    ghlo_memory_free (blocks[i], sizes[i]);
  g_assert_cmpuint (left->len, ==, 0);
  ghlo_memory_trim ();
  g_assert_cmpuint (left->len, ==, G_N_ELEMENTS (sizes));
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_assert_true (g_ptr_array_find (left, blocks[i], NULL));
      g_assert_false (ghlo_pool_find (blocks[i], 1, &start, &capacity));
    }
  test_fork ();
  g_assert_cmpuint (ghlo_pool_get_forks (), ==, n_forks + 20);
  ghlo_pool_watch (NULL);
  g_ptr_array_unref (left);
}

/* An output's memory is returned with its last reference, and reused by the next output. */
static void
test_values (void)
{
  const gint64 dimensions[] = { 1024, 1024 };
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, dimensions, 2);
  gsize used = start_afresh ();
  GhloValue *value = ghlo_value_new_uninitialized (type, NULL);
  GBytes *bytes = ghlo_value_get_bytes (value);
  g_autoptr (GBytes) part = g_bytes_new_from_bytes (bytes, 100, 100);
  gpointer data = value->data;

  ghlo_value_unref (value);
  g_bytes_unref (bytes);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used + 4 * MIB);
  g_assert_cmpuint (ghlo_pool_get_idle (), ==, 0);
  g_clear_pointer (&part, g_bytes_unref);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
  g_assert_cmpuint (ghlo_pool_get_idle (), ==, ghlo_pool_get_capacity (4 * MIB));

  value = ghlo_value_new_uninitialized (type, NULL);
  g_assert_true (value->data == data);
  value->data[12345] = 1;
  ghlo_value_unref (value);
  value = ghlo_value_new_tensor (type, NULL);
  g_assert_true (value->data == data);
  g_assert_cmpuint (value->data[12345], ==, 0);
  ghlo_value_unref (value);
}

/* Runs the test again in a process with guarded blocks, which must exit normally or not, as stated. */
static gboolean
is_guarded (gboolean    ends_well,
            const char *message)
{
  struct rlimit none = { 0, 0 };

  if (g_test_subprocess ())
    {
      setrlimit (RLIMIT_CORE, &none);
      g_assert_true (ghlo_debug_has (GHLO_DEBUG_GUARD));
      return TRUE;
    }

  g_setenv ("GHLO_DEBUG", "guard", TRUE);
  g_test_trap_subprocess (NULL, 0, 0);
  g_unsetenv ("GHLO_DEBUG");
  if (ends_well)
    g_test_trap_assert_passed ();
  else
    g_test_trap_assert_failed ();
  if (message != NULL)
    g_test_trap_assert_stderr (message);

  return FALSE;
}

static void
test_guard (void)
{
  static const gsize sizes[] = { 0, 1, 63, 64, 4095, 4096, 4097, 70000, 3 * MIB };
  gsize used = ghlo_memory_get_used ();

  if (!is_guarded (TRUE, NULL))
    return;

  for (guint round = 0; round < 100; round++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      {
        guint8 *memory = allocate (sizes[i]);
        guint8 *zeroed = ghlo_memory_alloc (sizes[i], NULL);

        for (gsize j = 0; j < sizes[i]; j += 61)
          {
            g_assert_cmpuint (memory[j], ==, GHLO_GUARD_PATTERN);
            g_assert_cmpuint (zeroed[j], ==, 0);
          }
        memset (memory, 1, sizes[i]);
        memset (zeroed, 1, sizes[i]);
        g_assert_cmpuint (ghlo_memory_get_used (), ==, used + 2 * sizes[i]);
        ghlo_memory_free (memory, sizes[i]);
        ghlo_memory_free (zeroed, sizes[i]);
      }
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
  g_assert_cmpuint (ghlo_pool_get_idle (), ==, 0);
}

typedef struct
{
  const char *name;
  gsize       size;
  gssize      offset;     /* of the byte that is accessed */
  gboolean    freed;      /* before that */
  gboolean    reads;
  const char *message;    /* the expected message; NULL when the process dies at once */
} Mistake;

static const Mistake mistakes[] = {
  { "overrun", 8192, 8192, FALSE, FALSE, NULL },
  { "read-beyond", 64, 64, FALSE, TRUE, NULL },
  { "overrun-of-nothing", 0, 0, FALSE, FALSE, NULL },
  { "overrun-small", 61, 62, FALSE, FALSE, "*61 bytes*out of bounds, at byte 62*" },
  { "underrun-small", 100, -1, FALSE, FALSE, "*100 bytes*out of bounds, at byte -1*" },
  { "underrun", 4096, -1, FALSE, FALSE, NULL },
  { "use-after-free", 100, 0, TRUE, TRUE, NULL },
  { "write-after-free", 3 << 20, 2 << 20, TRUE, FALSE, NULL },
};

static void
test_mistake (gconstpointer data)
{
  const Mistake *mistake = data;
  volatile guint8 *memory;

  if (!is_guarded (FALSE, mistake->message))
    return;

  memory = allocate (mistake->size);
  if (mistake->freed)
    {
      ghlo_memory_free ((guint8 *) memory, mistake->size);
      /* The address is not reused by another block. */
      for (guint i = 0; i < 100; i++)
        ghlo_memory_free (allocate (mistake->size), mistake->size);
    }
  if (!mistake->reads)
    memory[mistake->offset] = 1;
  else if (memory[mistake->offset] == 2)
    exit (0);
  if (mistake->message != NULL)
    ghlo_memory_free ((guint8 *) memory, mistake->size);
  exit (0);
}

static void
test_debug (void)
{
  static const struct { const char *text; guint flags; const char *unknown; gboolean help; } rows[] = {
    { NULL, 0, NULL, FALSE },
    { "", 0, NULL, FALSE },
    { "guard", GHLO_DEBUG_GUARD, NULL, FALSE },
    { " GUARD,, help", GHLO_DEBUG_GUARD, NULL, TRUE },
    { "guards:gaurd;guard", GHLO_DEBUG_GUARD, "guards", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *unknown = NULL;
      gboolean help;

      g_assert_cmpuint (ghlo_debug_parse (rows[i].text, &unknown, &help), ==, rows[i].flags);
      g_assert_cmpstr (unknown, ==, rows[i].unknown);
      g_assert_cmpint (help, ==, rows[i].help);
    }
  g_assert_false (ghlo_debug_has (GHLO_DEBUG_GUARD));
  g_assert_null (ghlo_debug_dup_help ());
  g_setenv ("GHLO_DEBUG", "help,gaurd", TRUE);
  {
    g_autofree char *text = ghlo_debug_dup_help ();

    g_assert_nonnull (strstr (text, "guard "));
    g_assert_nonnull (strstr (text, "'gaurd'"));
  }
  g_unsetenv ("GHLO_DEBUG");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!g_test_subprocess ())
    g_unsetenv ("GHLO_DEBUG");

  g_test_add_func ("/memory/debug", test_debug);
  g_test_add_func ("/memory/classes", test_classes);
  g_test_add_func ("/memory/reuse", test_reuse);
  g_test_add_func ("/memory/zeroed", test_zeroed);
  g_test_add_func ("/memory/limit", test_limit);
  g_test_add_func ("/memory/most-idle", test_most_idle);
  g_test_add_func ("/memory/trim", test_trim);
  g_test_add_func ("/memory/many", test_many);
  g_test_add_func ("/memory/threads", test_threads);
  g_test_add_func ("/memory/fork", test_fork);
  g_test_add_func ("/memory/find", test_find);
  g_test_add_func ("/memory/values", test_values);
  g_test_add_func ("/memory/guard/sound", test_guard);
  for (guint i = 0; i < G_N_ELEMENTS (mistakes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/memory/guard/%s", mistakes[i].name);

      g_test_add_data_func (path, &mistakes[i], test_mistake);
    }

  return g_test_run ();
}
