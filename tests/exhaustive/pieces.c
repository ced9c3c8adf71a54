/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each line of the file is one piece: name and fingerprint of the function, the first bit pattern and the one after
 * the last, the greatest error and its argument, and how many results are not the nearest number. Each line is
 * appended as a whole. A line that was cut off is incomplete and ignored.
 */

#include "pieces.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 24, MAX_PIECES = 256 };

typedef struct
{
  const PieceWork *work;
  gpointer         all;
  const char      *name;
  guint64          fingerprint;
  Piece            pieces[MAX_PIECES];
  gboolean         is_done[MAX_PIECES];         /* read from the file */
  guint            n_pieces;
  gint64           begin;                       /* start time of the first piece */
  GMutex           mutex;                       /* guards what follows */
  guint            next;
  guint            n_done, n_measured;
  Piece            total;
  FILE            *file;                        /* nullable */
} Run;

static void
add (Piece       *total,
     const Piece *piece)
{
  if (piece->worst > total->worst)
    {
      total->worst = piece->worst;
      total->where = piece->where;
    }
  total->n_others += piece->n_others;
}

static void
make_pieces (Run                *self,
             const PieceOptions *options)
{
  for (guint64 begin = options->begin; begin < options->end; self->n_pieces++)
    {
      guint64 end = MIN ((begin / PIECE + 1) * PIECE, options->end);

      self->pieces[self->n_pieces] = (Piece) { .begin = begin, .end = end };
      begin = end;
    }
  self->total = (Piece) { .begin = options->begin, .end = options->end };
}

static void
read_line (Run        *self,
           const char *line)
{
  char name[64];
  guint64 fingerprint;
  guint where;
  Piece piece = { 0 };

  if (sscanf (line, "%63s %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %la %x %"
              G_GINT64_MODIFIER "u .", name, &fingerprint, &piece.begin, &piece.end, &piece.worst, &where,
              &piece.n_others) != 7
      || !g_str_has_suffix (line, ".") || !g_str_equal (name, self->name) || fingerprint != self->fingerprint)
    return;
  piece.where = where;
  for (guint i = 0; i < self->n_pieces; i++)
    if (!self->is_done[i] && self->pieces[i].begin == piece.begin && self->pieces[i].end == piece.end)
      {
        self->pieces[i] = piece;
        self->is_done[i] = TRUE;
        self->n_done++;
        add (&self->total, &piece);
      }
}

static void
read_state (Run        *self,
            const char *path)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (g_file_get_contents (path, &text, NULL, NULL))
    lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines != NULL && lines[i] != NULL; i++)
    read_line (self, lines[i]);
  self->file = fopen (path, "a");
  if (self->file == NULL)
    g_error ("%s: %s", path, g_strerror (errno));
  /* Ends a line that was cut off. */
  if (text != NULL && *text != '\0' && !g_str_has_suffix (text, "\n"))
    fputc ('\n', self->file);
}

static void
show_progress (const Run *self)
{
  double seconds = (double) (g_get_monotonic_time () - self->begin) / 1e6;
  double left = seconds / self->n_measured * (self->n_pieces - self->n_done);

  fprintf (stderr, "\r%s: %u of %u, %.4f ulp, %.0f s left   ", self->name, self->n_done, self->n_pieces,
           self->total.worst, left);
  if (self->n_done == self->n_pieces)
    fputs ("\r\033[K", stderr);
}

static void
finish (Run         *self,
        const Piece *piece)
{
  g_mutex_lock (&self->mutex);
  add (&self->total, piece);
  self->n_done++;
  self->n_measured++;
  if (self->file != NULL)
    {
      fprintf (self->file, "%s %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %a %x %"
               G_GINT64_MODIFIER "u .\n", self->name, self->fingerprint, piece->begin, piece->end, piece->worst,
               piece->where, piece->n_others);
      fflush (self->file);
    }
  show_progress (self);
  g_mutex_unlock (&self->mutex);
}

/* Returns the next piece, or NULL where none is left. */
static Piece *
take (Run *self)
{
  Piece *piece = NULL;

  g_mutex_lock (&self->mutex);
  while (self->next < self->n_pieces && self->is_done[self->next])
    self->next++;
  if (self->next < self->n_pieces)
    piece = &self->pieces[self->next++];
  g_mutex_unlock (&self->mutex);

  return piece;
}

static gpointer
work (gpointer data)
{
  Run *self = data;
  gpointer measure = self->work->begin (self->all);
  Piece *piece;

  while ((piece = take (self)) != NULL)
    {
      self->work->measure (measure, piece);
      finish (self, piece);
    }
  self->work->end (measure);

  return NULL;
}

Piece
pieces_run (const PieceOptions *options,
            const char         *name,
            guint64             fingerprint,
            const PieceWork    *piece_work,
            gpointer            all)
{
  g_autofree Run *self = g_new0 (Run, 1);
  g_autofree GThread **threads = g_new (GThread *, options->n_threads);

  *self = (Run) { .work = piece_work, .all = all, .name = name, .fingerprint = fingerprint,
                  .begin = g_get_monotonic_time () };
  g_mutex_init (&self->mutex);
  make_pieces (self, options);
  if (options->state != NULL)
    read_state (self, options->state);
  for (guint i = 0; i < options->n_threads; i++)
    threads[i] = g_thread_new ("measure", work, self);
  for (guint i = 0; i < options->n_threads; i++)
    g_thread_join (threads[i]);
  if (self->file != NULL)
    fclose (self->file);
  g_mutex_clear (&self->mutex);

  return self->total;
}
