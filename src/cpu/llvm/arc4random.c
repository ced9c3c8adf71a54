/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A replacement for arc4random () of the C library, which glibc has since 2.36. LLVM archives built there call it for
 * file names that the module never needs, and the module that they are linked into has to run with earlier versions.
 */

#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random (void);

uint32_t
arc4random (void)
{
  uint32_t number;

  /* Requests this short are never cut short. */
  if (getrandom (&number, sizeof number, 0) != sizeof number)
    abort ();

  return number;
}
