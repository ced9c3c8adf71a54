/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Command buffers: steps that are recorded for a device once and replayed any number of times, for buffers whose
 * addresses are known only then.
 *
 * A loop is data-dependent here if its condition computes whether it ends, as opposed to a counted loop. A predicate is
 * a byte in a buffer: commands behind it write nothing where it is 0 when they run.
 */

#pragma once

#include "base/monitor.h"

G_BEGIN_DECLS

/* No buffer, or no operand or result of a step. */
#define GHLO_STEP_NONE G_MAXUINT32

typedef struct _GhloDeviceCore GhloDeviceCore;

/* Where a tensor is in each run: an offset in bytes into one of the run's buffers. */
typedef struct
{
  guint32 buffer;                 /* GHLO_STEP_NONE: nowhere */
  gint64  offset;
} GhloBufferRef;

/* What is known of a buffer before a run. Buffers of one allocation are taken to lie at these offsets relative to each
 * other; those whose offsets are equal may be the same memory. Buffers of different allocations never overlap. Two
 * buffers that a loop swaps may each have the address of the other, and they never overlap; otherwise @swapped_with is
 * the buffer itself. */
typedef struct
{
  guint32 allocation;
  gsize   offset, size;
  guint32 swapped_with;
} GhloBufferExtent;

/* The memory layout of a data-dependent loop. LOOP_STATE: bytes of state on the device. LOOP_ENDED: the offset in it of
 * the predicate for what follows the loop. LOOP_REPORT: bytes of a report to the host. PREDICATE_STRIDE: bytes from the
 * predicate of one branch to that of the next. */
enum { GHLO_STEP_LOOP_STATE = 12, GHLO_STEP_LOOP_ENDED = 8, GHLO_STEP_LOOP_REPORT = 4, GHLO_STEP_PREDICATE_STRIDE = 4 };

/* The most work that a device should be given at once: a desktop may share the device, and cancelling waits for
 * the work. */
enum { GHLO_STEP_MAX_NANOSECONDS = 20000000 };
#define GHLO_STEP_MAX_SECONDS (GHLO_STEP_MAX_NANOSECONDS / 1e9)

/* The first member of what begin () returns. */
typedef struct
{
  guint n_commands;               /* recorded so far */
  gsize run_bytes;                /* of device memory that a run takes besides its buffers; set by end () */
} GhloCommandBuffer;

typedef struct
{
  /* Begins an empty command buffer; @buffers is borrowed until end (). */
  GhloCommandBuffer *(*begin) (GhloDeviceCore   *device,
                         const GhloBufferExtent *buffers);
  /* Ends the recording, whose commands take about @seconds. */
  void      (*end)      (GhloCommandBuffer      *commands,
                         double                  seconds);
  /* Sets the predicate for the commands that are recorded from now on. They may read where it is 0, and must not write
   * it. With no predicate, they always run. Returns the previous predicate. */
  GhloBufferRef (*set_predicate) (GhloCommandBuffer *commands,
                         GhloBufferRef           predicate);
  /* Counts the iterations of a batch of a data-dependent loop. The @n predicates are bytes from @predicates on,
   * @stride bytes apart, a multiple of 4; the number of those before the first that is 0 is the number of iterations
   * that took place. Resets them to 0; the rest of the aligned 4 bytes around each may be reset, too. Sets the byte at
   * @state to 1 if none was 0, so that the loop continues, else to 0; the state also accumulates the number of
   * iterations over all batches. Sets the byte at GHLO_STEP_LOOP_ENDED to 1 if only the last predicate was 0, else to
   * 0. Writes an integer for the host to @report: twice the number of iterations, modulo 2^32, plus 1 if the loop
   * continues. With no place for @report, a loop begins: resets the predicates, whatever they are, and the number.
   * FALSE with @error. NULL where the device does not support such loops. */
  gboolean  (*count_iterations) (GhloCommandBuffer *commands,
                         GhloBufferRef           predicates,
                         guint                   n,
                         gsize                   stride,
                         GhloBufferRef           state,
                         GhloBufferRef           report,
                         GError                **error);
  /* Selects one of @n branches. Branch i must then be recorded under the predicate at *@predicates plus i *
   * GHLO_STEP_PREDICATE_STRIDE bytes, which is 1 if the branch is taken. With @is_if, the first of two branches is
   * taken if the byte at @index is not 0; otherwise, the branch whose number is the 32-bit integer there, or the
   * last one if that is out of range. All predicates are 0 if the current one is. FALSE with @error. NULL where the
   * device cannot select. */
  gboolean  (*select_branch) (GhloCommandBuffer *commands,
                         GhloBufferRef           index,
                         gboolean                is_if,
                         guint                   n,
                         GhloBufferRef          *predicates,
                         GError                **error);
  /* Appends the @n commands from @first on once more. */
  void      (*repeat)   (GhloCommandBuffer      *commands,
                         guint                   first,
                         guint                   n);
  /* Merges the command @first and the one after it into one dispatch, if they are independent and the device gains by
   * it. FALSE with @error. NULL where it never does. */
  gboolean  (*merge_dispatches) (GhloCommandBuffer *commands,
                         guint                   first,
                         GError                **error);
  /* Puts a run with the buffers at @addresses into the device's queue; called on any thread. @addresses and @monitor
   * are there for the call only. FALSE with @error when the device fails, or when cancelled. */
  gboolean  (*replay)   (GhloCommandBuffer      *commands,
                         guint8 *const          *addresses,
                         const GhloMonitor      *monitor,
                         GError                **error);
  /* Runs may still be in flight. */
  void      (*free)     (GhloCommandBuffer      *commands);
} GhloCommandBufferClass;

G_END_DECLS
