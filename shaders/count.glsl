/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counts the digits of the keys of a tile: the first part of a radix sort pass, also for what makes the keys.
 */

shared uint digit_counts[MAX_DIGITS];

void
clear_counts (uint n_digits)
{
  for (uint digit = gl_LocalInvocationID.x; digit < n_digits; digit += GROUP)
    digit_counts[digit] = 0;
  barrier ();
}

void
count_digit (uint digit)
{
  atomicAdd (digit_counts[digit], 1);
}

/* Writes the counts of a tile; @counts is the address of the first one, behind which come those of other tiles. */
void
put_counts (uint64_t counts, uint n_digits, uint64_t n_tiles)
{
  barrier ();
  for (uint digit = gl_LocalInvocationID.x; digit < n_digits; digit += GROUP)
    store_u32 (counts + digit * n_tiles * 4, digit_counts[digit]);
}
