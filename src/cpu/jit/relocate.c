/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each relocation type is a table row that says which bits of which number go into which bits of a word. Sources:
 * System V ABI, AMD64 supplement, section 4.4, and ELF for the Arm 64-bit architecture, section 5.7.
 */

#include "cpu/jit/relocate.h"

#include <elf.h>
#include <string.h>

typedef enum
{
  FROM_PLACE,           /* target - position */
  FROM_PAGE,            /* the difference of their 4 KiB pages */
  IN_PAGE,              /* the offset of the target within its page */
} Number;

typedef enum
{
  DATA,                 /* all bytes hold the number */
  FIELD,                /* a bit field of an instruction */
  ADR,                  /* split: two bits at bit 29, the others at bit 5 */
} Form;

typedef struct
{
  guint8 machine;
  guint  type;
  Number number;
  Form   form;
  guint8 size;          /* bytes */
  guint8 shift;         /* low bits that are dropped; they have to be 0 */
  guint8 width;         /* bits of the field */
  guint8 at;            /* for FIELD: the lowest bit of the field in the instruction */
} Row;

static const Row rows[] = {
  { EM_X86_64, R_X86_64_PC32, FROM_PLACE, DATA, 4, 0, 32, 0 },
  { EM_X86_64, R_X86_64_PLT32, FROM_PLACE, DATA, 4, 0, 32, 0 },
  { EM_X86_64, R_X86_64_PC64, FROM_PLACE, DATA, 8, 0, 64, 0 },
  { EM_AARCH64, R_AARCH64_PREL64, FROM_PLACE, DATA, 8, 0, 64, 0 },
  { EM_AARCH64, R_AARCH64_PREL32, FROM_PLACE, DATA, 4, 0, 32, 0 },
  { EM_AARCH64, R_AARCH64_LD_PREL_LO19, FROM_PLACE, FIELD, 4, 2, 19, 5 },
  { EM_AARCH64, R_AARCH64_CONDBR19, FROM_PLACE, FIELD, 4, 2, 19, 5 },
  { EM_AARCH64, R_AARCH64_TSTBR14, FROM_PLACE, FIELD, 4, 2, 14, 5 },
  { EM_AARCH64, R_AARCH64_JUMP26, FROM_PLACE, FIELD, 4, 2, 26, 0 },
  { EM_AARCH64, R_AARCH64_CALL26, FROM_PLACE, FIELD, 4, 2, 26, 0 },
  { EM_AARCH64, R_AARCH64_ADR_PREL_LO21, FROM_PLACE, ADR, 4, 0, 21, 0 },
  { EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, FROM_PAGE, ADR, 4, 12, 21, 0 },
  { EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC, IN_PAGE, FIELD, 4, 0, 12, 10 },
  { EM_AARCH64, R_AARCH64_LDST8_ABS_LO12_NC, IN_PAGE, FIELD, 4, 0, 12, 10 },
  { EM_AARCH64, R_AARCH64_LDST16_ABS_LO12_NC, IN_PAGE, FIELD, 4, 1, 11, 10 },
  { EM_AARCH64, R_AARCH64_LDST32_ABS_LO12_NC, IN_PAGE, FIELD, 4, 2, 10, 10 },
  { EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, IN_PAGE, FIELD, 4, 3, 9, 10 },
  { EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, IN_PAGE, FIELD, 4, 4, 8, 10 },
};

static const Row *
find_row (guint machine,
          guint type)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].machine == machine && rows[i].type == type)
      return &rows[i];

  return NULL;
}

guint
ghlo_code_relocation_size (guint machine,
                           guint type)
{
  const Row *row = find_row (machine, type);

  return row != NULL ? row->size : 0;
}

gboolean
ghlo_code_relocation_is_none (guint machine,
                              guint type)
{
  return type == 0 || (machine == EM_AARCH64 && type == 256);
}

/* FALSE where the number does not fit the row's field. */
static gboolean
compute (const Row *row,
         gint64     position,
         gint64     target,
         guint64   *number)
{
  const gint64 page = 4096;
  gint64 value;

  switch (row->number)
    {
    case FROM_PLACE:
      if (__builtin_sub_overflow (target, position, &value))
        return FALSE;
      break;
    case FROM_PAGE:
      if (__builtin_sub_overflow (target & ~(page - 1), position & ~(page - 1), &value))
        return FALSE;
      break;
    default:
      value = target & (page - 1);
      break;
    }
  if ((value & (((gint64) 1 << row->shift) - 1)) != 0)
    return FALSE;
  value >>= row->shift;
  *number = (guint64) value;
  if (row->width == 64 || row->number == IN_PAGE)
    return TRUE;

  return value >= -((gint64) 1 << (row->width - 1)) && value < (gint64) 1 << (row->width - 1);
}

gboolean
ghlo_code_relocate (guint   machine,
                    guint   type,
                    guint8 *place,
                    gint64  position,
                    gint64  target)
{
  const Row *row = find_row (machine, type);
  guint64 number;
  guint32 mask, word;

  if (!compute (row, position, target, &number))
    return FALSE;
  if (row->form == DATA)
    {
      number = GUINT64_TO_LE (number);
      memcpy (place, &number, row->size);
      return TRUE;
    }

  memcpy (&word, place, sizeof word);
  word = GUINT32_FROM_LE (word);
  if (row->form == ADR)
    word = (word & ~0x60ffffe0u) | (guint32) (number & 3) << 29 | ((guint32) (number >> 2) & 0x7ffff) << 5;
  else
    {
      g_assert (row->width < 32);
      mask = ((1u << row->width) - 1) << row->at;
      word = (word & ~mask) | ((guint32) number << row->at & mask);
    }
  word = GUINT32_TO_LE (word);
  memcpy (place, &word, sizeof word);

  return TRUE;
}
