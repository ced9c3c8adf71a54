/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks of elements, the same as in src/cpu/sort/keys.c.
 */

uint64_t
order_of_float (uint64_t bits, uint64_t sign)
{
  return (bits & sign) != 0 ? bits ^ (sign | (sign - 1)) : bits ^ sign;
}

/* Returns the bits of an element's key. */
uint64_t
bits_of (uint64_t line, uint element)
{
  uint64_t at = element_at (line, element, table.n);

  return load_unsigned (table.from + at * table.element_size + table.offset, SIZE);
}

/* Returns the rank of an element with these bits, or 0 if it is unordered. */
uint64_t
rank_of (uint64_t bits)
{
  uint64_t sign = uint64_t (1) << (8 * SIZE - 1), flip = table.descending != 0 ? sign | (sign - 1) : 0;
  uint64_t magnitude = bits & (sign - 1);

  if (SIZE == 1)
    return table.byte_ranks[uint (bits) >> 3] >> ((uint (bits) & 7) * 8) & 255;
  if (table.is_float == 0)
    return bits ^ flip ^ (table.is_signed != 0 ? sign : 0);
  if (magnitude > table.infinity && table.partial != 0)
    return 0;
  if (magnitude > table.infinity && table.nan_equal != 0)
    bits = table.nan_bits;
  if (magnitude == 0 && table.zero_equal != 0)
    bits = 0;

  return order_of_float (bits, sign) ^ flip;
}

/* Returns the 32 bits that lines are sorted by, of an element. */
uint
key_of (uint64_t bits)
{
  uint64_t rank = rank_of (bits);

  return uint (table.upper != 0 ? rank >> 32 : rank);
}
