/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls of functions of LAPACK, as a row of ir/lapack.def writes them.
 */

#pragma once

#include "ir/lapack.h"

G_BEGIN_DECLS

/* An argument of a call on one matrix. */
typedef struct
{
  const GhloIrLapackArgument *argument;
  gpointer                    data;       /* as LAPACK has it, by columns; NULL where it is not given it */
  gpointer                    result;     /* in the tensor, by rows; NULL where it is no result */
  gsize                       count;      /* numbers */
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
  guint                 array;      /* number of the argument */
  gsize                 offset;     /* bytes from an array's begin, or scratch's */
  gsize                 asked;      /* bytes of a number of scratch whose length is asked for; else 0 */
  gboolean              is_integers;        /* those of scratch */
} GhloCpuLapackWord;

typedef struct
{
  guint             n, n_characters;
  gconstpointer     one;
  GhloCpuLapackWord words[GHLO_CPU_LAPACK_WORDS];
} GhloCpuLapackWords;

/* Reads the row and asks @function for its lengths of work, which is reserved behind *@scratch bytes. A static reason
 * where that fails; else NULL. */
const char *ghlo_cpu_lapack_words_init (GhloCpuLapackWords       *self,
                                        const GhloIrLapackCall   *call,
                                        gpointer                  function,
                                        gsize                    *scratch);
/* What the routine gives as info. */
int         ghlo_cpu_lapack_words_call (const GhloCpuLapackWords *self,
                                        gpointer                  function,
                                        const GhloCpuLapackArray *arrays,
                                        guint8                   *scratch);

G_END_DECLS
