/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The processes of a run. A run is one call of the executor. Its processes form a
 * grid of replicas by partitions, each on a thread of its own, and meet in
 * collective operations. A program that runs by itself is process (0, 0) of a grid
 * of one. A wait ends with an error when the run is cancelled, when another process
 * has failed, or when no process is left that could end it.
 */

#pragma once

#include "reference/program.h"

G_BEGIN_DECLS

/* State that all threads of one run share. */
typedef struct
{
  const GhloRefProgram *program;
  const GhloRunOptions *options;      /* nullable */
  const GhloMonitor    *monitor;      /* nullable */
  GMutex                lock;         /* guards the fields below */
  GHashTable           *probes;       /* of id → GPtrArray of GhloValue; NULL when there is none */
  guint                 n_probes;     /* number of probes written to the probe directory */
  gint64                reported;     /* time of the last progress report; used only by the entry's thread */
} GhloRefRun;

typedef struct _GhloRefGrid    GhloRefGrid;
typedef struct _GhloRefProcess GhloRefProcess;

/* One thread of a process: its main thread, or that of a future. */
struct _GhloRefProcess
{
  GhloRefRun         *run;
  GhloRefGrid        *grid;           /* borrowed */
  GhloRefProcess     *owner;          /* the process that the thread of a future, or a part of a run, belongs to;
                                       * otherwise itself */
  guint               replica, partition;
  GPtrArray          *tickets;        /* owned by a future: keys of the rendezvous that it was started for, in program
                                       * order */
  guint               n_used_tickets;
  gboolean            was_stopped;    /* its error only says that another process failed */
  const GhloRefBlock *reported_block; /* the block whose steps count as progress, or NULL */
};

/* @infeed lists the functions that successive infeeds run. It is borrowed and nullable. */
GhloRefGrid *ghlo_ref_grid_new              (guint                  n_replicas,
                                             guint                  n_partitions,
                                             GhloRefGrid           *parent,
                                             const GhloIrAttr      *infeed);
/* Joins the threads of futures, after all processes have ended. */
void         ghlo_ref_grid_join             (GhloRefGrid           *self);
/* Whether every message sent was received. Called between join and free, when no process failed. */
gboolean     ghlo_ref_grid_check_received   (GhloRefGrid           *self,
                                             GError               **error);
/* Called after ghlo_ref_grid_join. */
void         ghlo_ref_grid_free             (GhloRefGrid           *self);
guint        ghlo_ref_grid_get_replicas     (const GhloRefGrid     *self);
guint        ghlo_ref_grid_get_partitions   (const GhloRefGrid     *self);
/* Reports that a process failed: all others are to stop. @error, which may be NULL, is kept for them if it
 * is the first. */
void         ghlo_ref_grid_fail             (GhloRefGrid           *self,
                                             const GError          *error);
/* The next function of the infeed queue, or NULL when it is empty. */
const char  *ghlo_ref_grid_take_infeed      (GhloRefGrid           *self);

/* Marks the beginning and the end of a process; in between it may wait. Processes that may wait for one
 * another must all begin before any of them runs. */
void         ghlo_ref_process_begin         (GhloRefProcess        *self,
                                             GhloRefRun            *run,
                                             GhloRefGrid           *grid,
                                             guint                  replica,
                                             guint                  partition);
void         ghlo_ref_process_end           (GhloRefProcess        *self);
/* Enters @run, a part of the run of @owner, on the thread of @owner. Such a process is not ended separately. */
void         ghlo_ref_process_begin_part    (GhloRefProcess        *self,
                                             GhloRefRun            *run,
                                             GhloRefProcess        *owner);
/* The calling thread is about to wait for processes of the same grid, which it has begun before. They may have
 * the same numbers as this process and take part in its rendezvous in its place. The last of them must not end: this
 * thread continues in its stead. */
void         ghlo_ref_process_pause         (GhloRefProcess        *self);
/* Replaces an error that only says that another process failed by that process's error, if known. Called
 * between join and free. */
void         ghlo_ref_process_find_cause    (GhloRefProcess        *self,
                                             GError               **error);
/* FALSE with @error set when the run is cancelled or another process has failed. */
gboolean     ghlo_ref_process_continue      (GhloRefProcess        *self,
                                             GError               **error);

/* Waits at @name for the other processes of @group. @group holds process numbers (replica * n_partitions +
 * partition), this process's among them. Each process contributes @n_values values. Returns n_group *
 * n_values values, those of the group's first process first, each with a reference; NULL with @error set on
 * failure. */
GhloValue  **ghlo_ref_process_rendezvous    (GhloRefProcess        *self,
                                             const char            *name,
                                             const guint32         *group,
                                             guint                  n_group,
                                             GhloValue *const      *values,
                                             guint                  n_values,
                                             GError               **error);
/* Draws the key of this process's next rendezvous of that name and group. Keys are drawn in program order,
 * whenever the rendezvous take place. */
char        *ghlo_ref_process_draw_ticket   (GhloRefProcess        *self,
                                             const char            *name,
                                             const guint32         *group,
                                             guint                  n_group);
/* Channels: a message waits for its receiver without a time limit. @sender is an operation of the process's program. */
void         ghlo_ref_process_send          (GhloRefProcess        *self,
                                             const char            *channel,
                                             const GhloIrOp        *sender,
                                             GhloValue *const      *values,
                                             guint                  n_values);
/* Returns a tuple of the values that were sent. */
GhloValue   *ghlo_ref_process_receive       (GhloRefProcess        *self,
                                             const char            *channel,
                                             GError               **error);

/* Work on a thread of its own, within the same process. @function is called with @data and that thread's
 * process; its results become the members of the future. */
typedef gboolean (*GhloRefWorkFunc) (GhloRefProcess  *process,
                                     gpointer         data,
                                     GhloValue      **results,
                                     GError         **error);

GhloValue   *ghlo_ref_process_start         (GhloRefProcess        *self,
                                             GPtrArray             *tickets,     /* of keys; transfer full; nullable */
                                             GhloRefWorkFunc        function,
                                             gpointer               data,        /* transfer full */
                                             GDestroyNotify         free_data,
                                             guint                  n_results,
                                             GError               **error);
/* Waits for a future. Its members are available when this returns TRUE. */
gboolean     ghlo_ref_process_finish        (GhloRefProcess        *self,
                                             GhloValue             *future,
                                             GError               **error);

/* Reserves one of the threads that all runs of this operating system process share. FALSE when all are in use. */
gboolean     ghlo_ref_thread_reserve        (GError               **error);
void         ghlo_ref_thread_release        (void);

G_END_DECLS
