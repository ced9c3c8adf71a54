/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The processes of a run. A run is one call of the executor; its processes form
 * a grid of replicas by partitions, each on a thread of its own, and meet in
 * collective operations. A program that is run by itself is process (0, 0) of a
 * grid of one. Waiting ends with an error when the run is cancelled, when
 * another process failed, or when nobody is left who could end it.
 */

#pragma once

#include "reference/program.h"

G_BEGIN_DECLS

/* What all threads of one run share. */
typedef struct
{
  const GhloRefProgram *program;
  const GhloRunOptions *options;      /* NULL when none were given */
  const GhloMonitor    *monitor;      /* may be NULL */
  GMutex                lock;         /* guards what follows */
  GHashTable           *probes;       /* of id → GPtrArray of GhloValue; NULL when there is none */
  guint                 n_probes;     /* written to the probe directory */
  gint64                reported;     /* when progress was last told; the entry's thread alone uses it */
} GhloRefRun;

typedef struct _GhloRefGrid    GhloRefGrid;
typedef struct _GhloRefProcess GhloRefProcess;

/* One thread of a process: its own, or that of a future. */
struct _GhloRefProcess
{
  GhloRefRun         *run;
  GhloRefGrid        *grid;           /* borrowed */
  GhloRefProcess     *owner;          /* the process that a future belongs to; else itself */
  guint               replica, partition;
  GPtrArray          *tickets;        /* owned by a future: keys of the meetings that it was started for, in order */
  guint               n_used_tickets;
  gboolean            was_stopped;    /* its error says no more than that another process failed */
  const GhloRefBlock *reported_block; /* whose steps count as progress, or NULL */
};

/* @infeed: functions that infeed runs one after the other, or NULL; borrowed. */
GhloRefGrid *ghlo_ref_grid_new              (guint                  n_replicas,
                                             guint                  n_partitions,
                                             GhloRefGrid           *parent,
                                             const GhloIrAttr      *infeed);
/* Waits for the threads of futures, after all processes have ended. */
void         ghlo_ref_grid_join             (GhloRefGrid           *self);
/* Between them, where no process failed: whether somebody received all that was sent. */
gboolean     ghlo_ref_grid_check_received   (GhloRefGrid           *self,
                                             GError               **error);
/* After ghlo_ref_grid_join. */
void         ghlo_ref_grid_free             (GhloRefGrid           *self);
guint        ghlo_ref_grid_get_replicas     (const GhloRefGrid     *self);
guint        ghlo_ref_grid_get_partitions   (const GhloRefGrid     *self);
/* A process failed: all others are to stop. @error, which may be NULL, is kept
 * for them when it is the first. */
void         ghlo_ref_grid_fail             (GhloRefGrid           *self,
                                             const GError          *error);
/* The next function of the infeed queue, or NULL when it is empty. */
const char  *ghlo_ref_grid_take_infeed      (GhloRefGrid           *self);

/* A process begins and ends; in between it may wait. Those that may wait for
 * one another begin before any of them runs. */
void         ghlo_ref_process_begin         (GhloRefProcess        *self,
                                             GhloRefRun            *run,
                                             GhloRefGrid           *grid,
                                             guint                  replica,
                                             guint                  partition);
void         ghlo_ref_process_end           (GhloRefProcess        *self);
/* The same thread of @owner while it is in @run, which is a part of its own run. It does not end by itself. */
void         ghlo_ref_process_begin_part    (GhloRefProcess        *self,
                                             GhloRefRun            *run,
                                             GhloRefProcess        *owner);
/* Its thread waits for processes of the same grid, which it began before. These may have its numbers, and come to its
 * meetings in its place. The last of them does not end: the thread goes on in its stead. */
void         ghlo_ref_process_pause         (GhloRefProcess        *self);
/* Replaces an error that says only that another failed by the other's, if known;
 * between join and free. */
void         ghlo_ref_process_explain       (GhloRefProcess        *self,
                                             GError               **error);
/* FALSE with @error set when the run is cancelled or another process failed. */
gboolean     ghlo_ref_process_continue      (GhloRefProcess        *self,
                                             GError               **error);

/* Meets the other processes of @group (numbers replica * n_partitions +
 * partition, this process among them) at @name, giving and getting @n_values.
 * Returns n_group * n_values values, the group's first process first, each with
 * a reference; NULL with @error set. */
GhloValue  **ghlo_ref_process_meet          (GhloRefProcess        *self,
                                             const char            *name,
                                             const guint32         *group,
                                             guint                  n_group,
                                             GhloValue *const      *values,
                                             guint                  n_values,
                                             GError               **error);
/* Draws the key of the next such meeting of this process. Keys are drawn in program
 * order, whenever the meetings happen. */
char        *ghlo_ref_process_draw_ticket   (GhloRefProcess        *self,
                                             const char            *name,
                                             const guint32         *group,
                                             guint                  n_group);
/* Channels: messages wait for their receiver without a time limit. @sender is an operation of the process' program. */
void         ghlo_ref_process_send          (GhloRefProcess        *self,
                                             const char            *channel,
                                             const GhloIrOp        *sender,
                                             GhloValue *const      *values,
                                             guint                  n_values);
/* Returns a tuple of the values that were sent. */
GhloValue   *ghlo_ref_process_receive       (GhloRefProcess        *self,
                                             const char            *channel,
                                             GError               **error);

/* Work on a thread of its own, in the same process. @function is called with
 * @data and the thread's process; what it gives are the future's members. */
typedef gboolean (*GhloRefWorkFunc) (GhloRefProcess  *process,
                                     gpointer         data,
                                     GhloValue      **results,
                                     GError         **error);

GhloValue   *ghlo_ref_process_start         (GhloRefProcess        *self,
                                             GPtrArray             *tickets,     /* of keys; taken; may be NULL */
                                             GhloRefWorkFunc        function,
                                             gpointer               data,        /* taken */
                                             GDestroyNotify         free_data,
                                             guint                  n_results,
                                             GError               **error);
/* Waits for a future; its members are there when TRUE is returned. */
gboolean     ghlo_ref_process_finish        (GhloRefProcess        *self,
                                             GhloValue             *future,
                                             GError               **error);

/* Reserves one of the threads that runs may have at a time in this process; FALSE when
 * all are in use. */
gboolean     ghlo_ref_thread_reserve        (GError               **error);
void         ghlo_ref_thread_release        (void);

G_END_DECLS
