/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of a loop's carried values are written in place. Random kernels test that executors give the same bits either
 * way.
 */

#include "kernel/places.h"
#include "kernel/text.h"

#include <string.h>

#define HEAD(loop) \
  "kernel k {\naxis i 8\naxis n 3\nbuffer x 32\nbuffer y 32 written\n" \
  "temporary a f32 [i]\ntemporary a0 f32 [i]\ntemporary a1 f32 [i]\n" \
  "temporary b f32 [i]\ntemporary b0 f32 [i]\ntemporary b1 f32 [i]\n" \
  "access @0 f32 x [i * 4]\naccess @1 f32 y [i * 4]\n" \
  "points [i] {\n%0 = load f32 @0\nstore %0 to a0\nstore %0 to b0\n}\n" \
  "loop n {\ncarry a from a0 by a1\ncarry b from b0 by b1\n" loop "}\n"
#define END(number) "points [i] {\n%" number " = temporary f32 a\nstore %" number " to @1\n}\n}\n"

static void
check (const char *text,
       gboolean    a_shares,
       gboolean    b_shares)
{
  enum { A, A_FIRST, A_NEXT, B, B_FIRST, B_NEXT };
  g_autoptr (GError) error = NULL;
  g_autofree GhloKernel *kernel = ghlo_kernel_parse (text, strlen (text), &error);
  guint16 places[GHLO_KERNEL_MAX_TEMPORARIES];

  g_assert_no_error (error);
  ghlo_kernel_find_places (kernel, places);
  g_assert_cmpuint (places[A], ==, A);
  g_assert_cmpuint (places[A_FIRST], ==, A_FIRST);
  g_assert_cmpuint (places[A_NEXT], ==, a_shares ? A : A_NEXT);
  g_assert_cmpuint (places[B], ==, B);
  g_assert_cmpuint (places[B_NEXT], ==, b_shares ? B : B_NEXT);
}

static void
test_places (void)
{
  /* Both, even if they change places: a point reads everything before it writes. */
  check (HEAD ("points [i] {\n%1 = temporary f32 a\n%2 = temporary f32 b\nstore %1 to b1\nstore %2 to a1\n}\n")
         END ("3"), TRUE, TRUE);
  /* After a's next value is written only b is read, so both are in place. */
  check (HEAD ("points [i] {\n%1 = temporary f32 a\n%2 = temporary f32 b\n%3 = add f32 %1 %2\nstore %3 to a1\n}\n"
               "points [i] {\n%4 = temporary f32 b\n%5 = multiply f32 %4 %4\nstore %5 to b1\n}\n") END ("6"),
         TRUE, TRUE);
  /* a is read after the block that writes it. */
  check (HEAD ("points [i] {\n%1 = temporary f32 b\nstore %1 to a1\n}\n"
               "points [i] {\n%2 = temporary f32 a\nstore %2 to b1\n}\n") END ("3"),
         FALSE, TRUE);
  /* The next value is read by something else as well. */
  check (HEAD ("points [i] {\n%1 = temporary f32 a\n%2 = add f32 %1 %1\nstore %2 to a1\n}\n"
               "points [i] {\n%3 = temporary f32 a1\nstore %3 to b1\n}\n") END ("4"),
         FALSE, TRUE);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel-places/places", test_places);

  return g_test_run ();
}
