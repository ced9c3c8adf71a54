/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a blob of machine code of another processor under an emulator: run-blob FILE FIRST END prints the function's
 * result for each number from FIRST up to END. The program needs the C library alone and uses nothing of GHLO's
 * library.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static uint8_t bytes[1 << 20];

int
main (int    argc,
      char **argv)
{
  FILE *file = fopen (argv[1], "rb");
  size_t size = fread (bytes, 1, sizeof bytes, file);
  uint8_t *pages = mmap (NULL, sizeof bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int64_t (*function) (int64_t);
  uint32_t entry;

  memcpy (pages, bytes, size);
  memcpy (&entry, bytes + 12, sizeof entry);
  if (mprotect (pages, sizeof bytes, PROT_READ | PROT_EXEC) != 0)
    return 1;
  __builtin___clear_cache ((char *) pages, (char *) pages + size);
  *(uint8_t **) &function = pages + entry;
  for (int64_t i = atoll (argv[2]); i < atoll (argv[3]); i++)
    printf ("%lld\n", (long long) function (i));

  return 0;
}
