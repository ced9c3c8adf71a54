/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All bit patterns of f32 in pieces, which threads take one after the other; a file keeps what is finished.
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
  guint       every;              /* of which multiples of it are taken */
  const char *state;              /* nullable; a file */
} PieceOptions;

/* What a thread measures with, made of what all have in common. */
typedef struct
{
  gpointer (*begin)   (gpointer all);
  void     (*measure) (gpointer self,
                       Piece   *piece);
  void     (*end)     (gpointer self);
} PieceWork;

/* All pieces as one. Those that the file has of @name and @fingerprint are taken from there, the others are measured.
 * Progress goes to the standard error stream. */
Piece pieces_run (const PieceOptions *options,
                  const char         *name,
                  guint64             fingerprint,
                  const PieceWork    *work,
                  gpointer            all);
