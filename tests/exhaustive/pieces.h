/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Splits the bit patterns of f32 into pieces, which threads take one after another; a file keeps finished pieces.
 */

#pragma once

#include <glib.h>

typedef struct
{
  guint64 begin, end;           /* bit patterns */
  double  worst;                /* in units in the last place */
  guint32 where;                /* bits of the argument */
  guint64 n_others;             /* results that are not the nearest number */
} Piece;

typedef struct
{
  guint       n_threads;
  guint64     begin, end;         /* bit patterns */
  guint       every;              /* only multiples of this are measured */
  const char *state;              /* nullable; the path of a file */
} PieceOptions;

/* How a thread measures pieces. @begin makes the thread's own state from @all, which all threads share. */
typedef struct
{
  gpointer (*begin)   (gpointer all);
  void     (*measure) (gpointer self,
                       Piece   *piece);
  void     (*end)     (gpointer self);
} PieceWork;

/* Returns the sum of all pieces. Pieces that the file has for @name and @fingerprint are taken from it, the others are
 * measured. Progress goes to the standard error stream. */
Piece pieces_run (const PieceOptions *options,
                  const char         *name,
                  guint64             fingerprint,
                  const PieceWork    *work,
                  gpointer            all);
