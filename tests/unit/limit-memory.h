/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A process with limited memory, for tests that run out of memory in processes of their own. Sanitizers reserve more
 * address space than any limit.
 */

#pragma once

#include <glib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sanitized.h"

/* From here on at most @extra bytes of address space beyond the current usage. */
static inline void
limit_memory (gsize extra)
{
  g_autofree char *text = NULL;
  struct rlimit limit;

#ifdef __GLIBC__
  /* Returns freed memory to the system, so that it does not add to @extra. */
  malloc_trim (0);
#endif
  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  g_assert_cmpint (getrlimit (RLIMIT_AS, &limit), ==, 0);
  limit.rlim_cur = g_ascii_strtoull (text, NULL, 10) * (gsize) sysconf (_SC_PAGESIZE) + extra;
  g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
}

/* Whether limits hold: emulators of processors know none. */
static inline gboolean
can_limit_memory (void)
{
  enum { EXTRA = 1 << 24 };
  const pid_t child = fork ();
  int status;

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      limit_memory (EXTRA);
      _exit (mmap (NULL, 2 * EXTRA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);

  return WIFEXITED (status) && WEXITSTATUS (status) == 1;
}

/* Runs the test again in a process of its own. TRUE in that process. */
static inline gboolean
limit_memory_in_subprocess (void)
{
  if (SANITIZED)
    {
      g_test_skip ("sanitizers reserve more addresses than any limit");
      return FALSE;
    }
  if (g_test_subprocess ())
    return TRUE;
  if (!can_limit_memory ())
    {
      g_test_skip ("no limit of memory holds here");
      return FALSE;
    }

  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();

  return FALSE;
}
