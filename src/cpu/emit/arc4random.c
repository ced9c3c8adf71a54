/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * arc4random () of the C library, which glibc has from 2.36 on: archives of LLVM that were made there call it, in names
 * of files that nobody asks for here, and the module that they are linked into is to run with earlier ones.
 */

#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random (void);

uint32_t
arc4random (void)
{
  uint32_t number;

  /* As few bytes as that come whole. */
  if (getrandom (&number, sizeof number, 0) != sizeof number)
    abort ();

  return number;
}
