/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fortran functions take addresses only, followed by the length of each string, so that the number of words in a call
 * determines the type of the function.
 */

#include "cpu/linalg/call.h"

#include <math.h>
#include <string.h>

#include "base/sizes.h"
#include "cpu/library/blas.h"

static const double double_one[2] = { 1, 0 };
static const float float_one[2] = { 1, 0 };

/* Bytes of a number in "work", "rwork", "iwork" or "bwork". */
static gsize
work_size (const GhloIrLapackCall *call,
           const char             *name)
{
  if (name[0] == 'w')
    return ghlo_element_info (call->type)->size;

  return name[0] == 'r' ? ghlo_element_info (ghlo_element_type_real_part (call->type))->size : sizeof (int);
}

static const char *
reserve (GhloCpuLapackWord *word,
         gsize             *scratch,
         gint64             count,
         gsize              size)
{
  return ghlo_size_reserve (scratch, &word->offset, (gsize) count, size) ? NULL : "it needs too much memory";
}

/* Parses "work", or "rwork(2n)". */
static const char *
read_work (GhloCpuLapackWord      *word,
           const GhloIrLapackCall *call,
           const char             *text,
           gsize                  *scratch)
{
  const char *sums = strchr (text, '(');
  gsize size = work_size (call, text);
  gint64 count;

  word->kind = GHLO_CPU_LAPACK_SCRATCH;
  if (sums == NULL)
    {
      word->queried_size = size;
      word->is_integers = text[0] == 'i';
      return NULL;
    }
  if (!ghlo_ir_lapack_count (call, sums + 1, G_MAXINT32, &count))
    return "its work array is too long for LAPACK's 32-bit integers";

  return reserve (word, scratch, count, size);
}

/* Parses "a", "a.ld" or "dl.tail". */
static gboolean
read_array (GhloCpuLapackWord      *word,
            const GhloIrLapackCall *call,
            char                   *text)
{
  char *suffix = strchr (text, '.');
  const GhloIrLapackArgument *argument;

  if (suffix != NULL)
    *suffix++ = '\0';
  argument = ghlo_ir_lapack_argument (call, text);
  if (argument == NULL)
    return FALSE;
  word->kind = GHLO_CPU_LAPACK_ARRAY;
  word->array = (guint) (argument - call->arguments);
  if (suffix != NULL && strcmp (suffix, "ld") == 0)
    {
      word->kind = GHLO_CPU_LAPACK_INTEGER;
      word->integer = ghlo_cpu_blas_int (MAX (argument->extents[0], 1));
    }
  else if (suffix != NULL)
    word->offset = ghlo_element_info (call->type)->size;

  return TRUE;
}

/* Parses any other word: a parameter, an extent, or one with a special meaning. */
static const char *
read_name (GhloCpuLapackWord      *word,
           const GhloIrLapackCall *call,
           const char             *text)
{
  const GhloIrLapackParameter *parameter = ghlo_ir_lapack_parameter (call, text);

  if (parameter != NULL && parameter->is_character)
    {
      word->kind = GHLO_CPU_LAPACK_CHARACTER;
      word->character = (char) parameter->value;
    }
  else if (parameter != NULL && !ghlo_cpu_blas_fits (parameter->value))
    return "a parameter is too large for LAPACK's 32-bit integers";
  else if (parameter != NULL)
    word->integer = ghlo_cpu_blas_int (parameter->value);
  else if (strcmp (text, "null") == 0)
    word->kind = GHLO_CPU_LAPACK_NULL;
  else if (strcmp (text, "one") == 0)
    word->kind = GHLO_CPU_LAPACK_ONE;
  else
    {
      g_assert (text[1] == '\0');
      word->integer = ghlo_cpu_blas_int (ghlo_ir_lapack_extent (call, text[0]));
    }

  return NULL;
}

static const char *
read_word (GhloCpuLapackWords     *self,
           const GhloIrLapackCall *call,
           char                   *text,
           gsize                  *scratch)
{
  GhloCpuLapackWord *word = &self->words[self->n];
  const char *reason = NULL;
  gboolean is_work = g_str_has_prefix (text, "work") || g_str_has_prefix (text + 1, "work");

  g_assert (self->n < GHLO_CPU_LAPACK_WORDS);
  self->n++;
  if (strcmp (text, "info") == 0)
    word->kind = GHLO_CPU_LAPACK_INFO;
  else if (text[0] == 'l' && g_str_has_suffix (text, "work"))
    word->integer = -1;
  else if (is_work)
    return read_work (word, call, text, scratch);
  else if (!read_array (word, call, text))
    reason = read_name (word, call, text);
  self->n_characters += word->kind == GHLO_CPU_LAPACK_CHARACTER;

  return reason;
}

/* The length that a routine reports; singles may have rounded it down. */
static gint64
queried_length (const guint8 *number,
                gboolean      is_integer,
                gboolean      single)
{
  float less;
  double length;
  int integer;

  if (is_integer)
    {
      memcpy (&integer, number, sizeof (integer));
      return integer;
    }
  memcpy (&length, number, sizeof (length));
  if (single)
    {
      memcpy (&less, number, sizeof (less));
      length = ceil ((double) less * (1 + 1.0 / (1 << 23)));
    }

  return length >= 1 && length <= G_MAXINT32 ? (gint64) length : 0;
}

/* Queries the lengths of work arrays. The word for a length follows that of its work array. Numbers of iwork are
 * integers. */
static const char *
query_lengths (GhloCpuLapackWords     *self,
               const GhloIrLapackCall *call,
               gpointer                function,
               gsize                  *scratch)
{
  enum { ROOM = 64 };
  guint8 answers[GHLO_CPU_LAPACK_WORDS * ROOM] __attribute__ ((aligned (64))) = { 0 };
  GhloCpuLapackArray arrays[GHLO_IR_LAPACK_ARGUMENTS];
  GhloCpuLapackWords query = *self;
  gboolean has_queries = FALSE;

  for (guint i = 0; i < self->n; i++)
    {
      has_queries = has_queries || self->words[i].queried_size != 0;
      if (self->words[i].kind == GHLO_CPU_LAPACK_SCRATCH)
        query.words[i].offset = i * ROOM;
    }
  if (!has_queries)
    return NULL;
  for (guint i = 0; i < GHLO_IR_LAPACK_ARGUMENTS; i++)
    arrays[i] = (GhloCpuLapackArray) { .data = answers };
  if (ghlo_cpu_lapack_words_call (&query, function, arrays, answers) != 0)
    return "its LAPACK library did not answer the query for the size of a work array";

  for (guint i = 0; i < self->n; i++)
    {
      GhloCpuLapackWord *word = &self->words[i];
      const char *reason;

      if (word->queried_size == 0)
        continue;
      self->words[i + 1].integer = ghlo_cpu_blas_int (queried_length (answers + i * ROOM, word->is_integers,
                                                                      ghlo_cpu_lapack_is_single (call)));
      if (self->words[i + 1].integer < 1)
        return "its LAPACK library did not answer the query for the size of a work array";
      reason = reserve (word, scratch, self->words[i + 1].integer, word->queried_size);
      if (reason != NULL)
        return reason;
    }

  return NULL;
}

const char *
ghlo_cpu_lapack_words_init (GhloCpuLapackWords     *self,
                            const GhloIrLapackCall *call,
                            gpointer                function,
                            gsize                  *scratch)
{
  const char *text = call->call, *reason = NULL;
  char word[GHLO_IR_LAPACK_WORD];

  memset (self, 0, sizeof (*self));
  self->one = ghlo_cpu_lapack_is_single (call) ? (gconstpointer) float_one : double_one;
  while (reason == NULL && ghlo_ir_lapack_next_word (&text, call->is_complex, word))
    reason = read_word (self, call, word, scratch);

  return reason != NULL ? reason : query_lengths (self, call, function, scratch);
}

static gpointer
find_address (const GhloCpuLapackWords *self,
              const GhloCpuLapackWord  *word,
              const GhloCpuLapackArray *arrays,
              guint8                   *scratch,
              int                      *info)
{
  switch (word->kind)
    {
    case GHLO_CPU_LAPACK_INTEGER:
      return (gpointer) &word->integer;
    case GHLO_CPU_LAPACK_CHARACTER:
      return (gpointer) &word->character;
    case GHLO_CPU_LAPACK_ARRAY:
      return arrays[word->array].data != NULL ? (guint8 *) arrays[word->array].data + word->offset : NULL;
    case GHLO_CPU_LAPACK_SCRATCH:
      return scratch + word->offset;
    case GHLO_CPU_LAPACK_INFO:
      return info;
    case GHLO_CPU_LAPACK_ONE:
      return (gpointer) self->one;
    default:
      return NULL;
    }
}

/* Function types for all numbers of words that occur in the table. A string length is as wide as an address. */
#define ADDRESSES_6  gpointer, gpointer, gpointer, gpointer, gpointer, gpointer
#define ADDRESSES_7  ADDRESSES_6, gpointer
#define ADDRESSES_8  ADDRESSES_7, gpointer
#define ADDRESSES_9  ADDRESSES_8, gpointer
#define ADDRESSES_10 ADDRESSES_9, gpointer
#define ADDRESSES_11 ADDRESSES_10, gpointer
#define ADDRESSES_13 ADDRESSES_11, gpointer, gpointer
#define ADDRESSES_15 ADDRESSES_13, gpointer, gpointer
#define ADDRESSES_16 ADDRESSES_15, gpointer
#define ADDRESSES_17 ADDRESSES_16, gpointer
#define VALUES_6(w)  w[0], w[1], w[2], w[3], w[4], w[5]
#define VALUES_7(w)  VALUES_6 (w), w[6]
#define VALUES_8(w)  VALUES_7 (w), w[7]
#define VALUES_9(w)  VALUES_8 (w), w[8]
#define VALUES_10(w) VALUES_9 (w), w[9]
#define VALUES_11(w) VALUES_10 (w), w[10]
#define VALUES_13(w) VALUES_11 (w), w[11], w[12]
#define VALUES_15(w) VALUES_13 (w), w[13], w[14]
#define VALUES_16(w) VALUES_15 (w), w[15]
#define VALUES_17(w) VALUES_16 (w), w[16]
#define CALL(n) \
  case n: \
    ((void (*) (ADDRESSES_##n)) function) (VALUES_##n (values)); \
    break;

static void
call_function (gpointer  function,
               gpointer *values,
               guint     n)
{
  switch (n)
    {
    CALL (6)
    CALL (7)
    CALL (8)
    CALL (9)
    CALL (10)
    CALL (11)
    CALL (13)
    CALL (15)
    CALL (16)
    CALL (17)
    default:
      g_assert_not_reached ();
    }
}

int
ghlo_cpu_lapack_words_call (const GhloCpuLapackWords *self,
                            gpointer                  function,
                            const GhloCpuLapackArray *arrays,
                            guint8                   *scratch)
{
  gpointer values[GHLO_CPU_LAPACK_WORDS * 2];
  int info = 0;

  for (guint i = 0; i < self->n; i++)
    values[i] = find_address (self, &self->words[i], arrays, scratch, &info);
  for (guint i = 0; i < self->n_characters; i++)
    values[self->n + i] = GSIZE_TO_POINTER (1);
  ghlo_cpu_blas_begin ();
  call_function (function, values, self->n + self->n_characters);
  ghlo_cpu_blas_end ();

  return info;
}
