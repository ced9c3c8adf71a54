/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls of LAPACK functions, as written in a row of ir/lapack.def.
 */

#pragma once

#include "ir/lapack.h"

G_BEGIN_DECLS

/* An argument of a call for one matrix. */
typedef struct
{
  const GhloIrLapackArgument *argument;
  gpointer                    data;       /* what LAPACK gets, column-major; NULL where it does not get the argument */
  gpointer                    result;     /* row-major, in the tensor; NULL where the argument is not a result */
  gsize                       count;      /* number of values */
} GhloCpuLapackArray;

static inline gboolean
ghlo_cpu_lapack_is_single (const GhloIrLapackCall *call)
{
  return call->type == GHLO_ELEMENT_TYPE_F32 || call->type == GHLO_ELEMENT_TYPE_COMPLEX_F32;
}

enum { GHLO_CPU_LAPACK_WORDS = 20 };

typedef enum
{
  GHLO_CPU_LAPACK_INTEGER,
  GHLO_CPU_LAPACK_CHARACTER,
  GHLO_CPU_LAPACK_ARRAY,
  GHLO_CPU_LAPACK_SCRATCH,
  GHLO_CPU_LAPACK_INFO,
  GHLO_CPU_LAPACK_ONE,        /* 1 in the routine's type */
  GHLO_CPU_LAPACK_NULL,
} GhloCpuLapackWordKind;

typedef struct
{
  GhloCpuLapackWordKind kind;
  char                  character;
  int                   integer;
  guint                 array;      /* index of the argument */
  gsize                 offset;     /* in bytes, from the beginning of the array or of the scratch */
  gsize                 queried_size;       /* scratch whose length is queried from LAPACK: bytes of a number; else 0 */
  gboolean              is_integers;        /* scratch: its numbers are integers */
} GhloCpuLapackWord;

typedef struct
{
  guint             n, n_characters;
  gconstpointer     one;
  GhloCpuLapackWord words[GHLO_CPU_LAPACK_WORDS];
} GhloCpuLapackWords;

/* Parses the row, queries @function for the lengths of its work arrays, and reserves these at the end of *@scratch
 * bytes. Returns NULL, or a static string with the reason for a failure. */
const char *ghlo_cpu_lapack_words_init (GhloCpuLapackWords       *self,
                                        const GhloIrLapackCall   *call,
                                        gpointer                  function,
                                        gsize                    *scratch);
/* Calls the routine and returns its info. */
int         ghlo_cpu_lapack_words_call (const GhloCpuLapackWords *self,
                                        gpointer                  function,
                                        const GhloCpuLapackArray *arrays,
                                        guint8                   *scratch);

G_END_DECLS
