/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a device offers to a plan: step implementations, which are found by operation. The device knows nothing of
 * plans, and the plan nothing of the device.
 *
 * A loop is data-dependent here if its condition computes whether it ends, as opposed to a counted loop.
 */

#pragma once

#include "base/monitor.h"
#include "base/view.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* No buffer, or no operand or result of a step. */
#define GHLO_STEP_NONE G_MAXUINT32

/* What is to be computed: an operation, a fusion (ir/fusion.h), or a copy of operand 0 to result 0, of the same type.
 * Operands and results are views. An operand may have any strides. A result of an operation is dense, except where the
 * implementation also writes other orders (writes_strides). None is a tuple or quantized; tokens are views without
 * data, with rank 0 and no element type.
 *
 * For a fusion, @body says what to compute: its arguments are the operands, and its terminator's operands the results.
 * It may contain anything, and should be accepted only where all of it is supported. */
typedef struct
{
  const GhloIrOp       *op;            /* NULL: a copy */
  const GhloIrBlock    *body;          /* NULL: not a fusion */
  guint                 n_operands, n_results;
  const GhloView       *operands;      /* with data only for constants, valid for as long as the compiled step */
  const GhloView       *results;
  /* Set once buffers have their places; NULL and 0 before. For each operand, the result with the same address in some
   * or all runs, or GHLO_STEP_NONE, which means memory that overlaps no result; the alignments of the addresses of
   * operands, then of results, which hold in each run; and the bytes of scratch memory in a run. */
  const guint32        *aliases;
  const guint32        *alignments;
  gsize                 scratch;
  /* Set once the plan is made, FALSE before: whether recordings may put the step behind a gate repeatedly. */
  gboolean              may_be_gated;
  gpointer              kept;          /* kept by the selection, for compile (), which takes ownership; NULL: none */
} GhloStepRequest;

/* How a step takes an operand. */
typedef struct
{
  gboolean dense;         /* as a dense copy unless it is dense; FALSE: with the strides that it has */
  gboolean wants_data;    /* compile () reads its elements where they are constant */
  guint32  in_place;      /* the result, of the same size in bytes, that may overwrite it where it is dense and not
                             needed by others; or GHLO_STEP_NONE */
} GhloStepOperandSelection;

/* How an implementation would run a request. */
typedef struct
{
  GhloStepOperandSelection *operands;     /* one for each operand; initialized to FALSE, FALSE and GHLO_STEP_NONE */
  gsize                     scratch;      /* the most bytes of scratch memory that a run needs */
  const char               *reason;       /* why the request is declined, as a sentence without its full stop; static */
  /* Results of select () that compile () would otherwise compute again for the same operands and results; freed with
   * release (). compile () must work without it. NULL: nothing. */
  gpointer                  kept;
} GhloStepSelection;

/* The place of a tensor in each run: an offset in bytes into one of the run's buffers. */
typedef struct
{
  guint32 buffer;                 /* GHLO_STEP_NONE: nowhere */
  gint64  offset;
} GhloStepPlace;

typedef struct
{
  const char *name;               /* "gather" */
  /* If the step has one result, select () is also asked whether it writes a result with permuted dimensions, without
   * gaps. This happens only after it was selected for a dense result, which would then be copied: it should decline
   * what costs more than the copy. */
  gboolean    writes_strides;
  /* Whether and how this implementation runs @request; pure and fast, called on any thread. Of constants, it reads
   * single numbers at most. Returns FALSE with a reason if it declines; then another implementation, another device or
   * the reference executor runs the request. */
  gboolean  (*select)   (gpointer               self,
                         const GhloStepRequest *request,
                         GhloStepSelection     *selection);
  /* Returns an immutable object that any thread may run, for a request that was selected. Operands are as the selection
   * wants them, and have data only where it wants that. */
  gpointer  (*compile)  (gpointer               self,
                         const GhloStepRequest *request,
                         const GhloMonitor     *monitor,
                         GError               **error);
  /* @scratch is aligned to 64 bytes, has any contents, and is never NULL. Allocates nothing. FALSE with @error when
   * cancelled; checks for that every 50 ms. */
  gboolean  (*run)      (gpointer               compiled,
                         const GhloView        *operands,
                         const GhloView        *results,
                         gpointer               scratch,
                         const GhloMonitor     *monitor,
                         GError               **error);
  /* Used instead of run () by a target whose space has a recorder: appends the step's commands to @recording, for
   * buffers whose addresses are not known yet. */
  gboolean  (*record)   (gpointer               compiled,
                         const GhloStepPlace   *operands,
                         const GhloStepPlace   *results,
                         GhloStepPlace          scratch,
                         gpointer               recording,
                         GError               **error);
  void      (*release)  (gpointer               compiled);       /* also frees what a selection kept */
  /* Details for the text of the plan besides the name, such as the algorithm and tile sizes; the caller frees it.
   * NULL: nothing. */
  char     *(*describe) (gpointer               compiled);
  /* The text of the kernels that were generated for it; the caller frees it. NULL: there are none. */
  char     *(*print_kernels) (gpointer          compiled);
  /* The machine code of these kernels as listed by the compiler, or why there is none; the caller frees it. This may
   * take as long as a compile. NULL: there are none. */
  char     *(*print_code) (gpointer             compiled);
  /* Tells the implementation that a caller is going to wait for what it compiles in the background, so that it starts
   * at once. NULL where wait is. */
  void      (*prioritize) (gpointer             compiled);
  /* Waits until that is ready, or has failed. FALSE with @error when cancelled, or where nothing can be compiled in the
   * background, as in a forked child. NULL: nothing is compiled in the background. */
  gboolean  (*wait)     (gpointer               compiled,
                         const GhloMonitor     *monitor,
                         GError               **error);
  /* Bytes of constants that were copied into another layout. NULL: none. */
  gsize     (*compiled_size) (gpointer          compiled);
} GhloStepImplementation;

/* What is known of a buffer before a run. Buffers of one region are taken to lie at these offsets relative to each
 * other; those whose offsets are equal may be the same memory. Buffers of different regions never overlap. Two buffers
 * that a loop exchanges are each other's @partner: each may have the address of the other, and they never overlap.
 * Otherwise @partner is the buffer itself. */
typedef struct
{
  guint32 region;
  gsize   offset, size;
  guint32 partner;
} GhloStepExtent;

/* The memory layout of a data-dependent loop. LOOP_STATE: bytes of state on the device. LOOP_ENDED: the offset in it of
 * the gate for what follows the loop. LOOP_REPORT: bytes of a report to the host. GATE_STRIDE: bytes from the gate of
 * one branch to that of the next. */
enum { GHLO_STEP_LOOP_STATE = 12, GHLO_STEP_LOOP_ENDED = 8, GHLO_STEP_LOOP_REPORT = 4, GHLO_STEP_GATE_STRIDE = 4 };

/* The most work that a device should be given at once: a desktop may share the device, and cancelling waits for
 * the work. */
enum { GHLO_STEP_MAX_NANOSECONDS = 20000000 };
#define GHLO_STEP_MAX_SECONDS (GHLO_STEP_MAX_NANOSECONDS / 1e9)

/* A sequence of steps that is recorded for a device once and replayed any number of times. */
typedef struct
{
  /* Begins an empty recording; @buffers is borrowed until end (). */
  gpointer  (*begin)    (gpointer               self,
                         const GhloStepExtent  *buffers);
  /* Ends the recording, whose contents take about @seconds. */
  void      (*end)      (gpointer               recording,
                         double                 seconds);
  /* Sets the gate for the commands that are recorded from now on: they write nothing if the byte at @place is 0
   * when they run, but may read. They must not write that byte. With no place, they always run. Returns the
   * previous gate. */
  GhloStepPlace (*gate) (gpointer               recording,
                         GhloStepPlace          place);
  /* Evaluates a block of iterations of a data-dependent loop. The @n gates are bytes from @gates on, @stride bytes
   * apart; the number of gates before the first that is 0 is the number of iterations that took place. Resets the gates
   * to 0. Sets the byte at @state to 1 if no gate was 0, so that the loop continues, else to 0; the state also
   * accumulates the number of iterations over all blocks. Sets the byte at GHLO_STEP_LOOP_ENDED to 1 if only the last
   * gate was 0, else to 0. Writes an integer for the host to @report: twice the number of iterations, modulo 2^32, plus
   * 1 if the loop continues. With no place for @report, a loop begins: resets the gates, whatever they are, and the
   * number. FALSE with @error. NULL where the device does not support such loops. */
  gboolean  (*tally)    (gpointer               recording,
                         GhloStepPlace          gates,
                         guint                  n,
                         gsize                  stride,
                         GhloStepPlace          state,
                         GhloStepPlace          report,
                         GError               **error);
  /* Selects one of @n branches. Branch i must then be recorded behind the gate at *@gates plus i *
   * GHLO_STEP_GATE_STRIDE bytes, which is open if the branch is taken. With @is_predicate, the first of two branches is
   * taken if the byte at @index is not 0; otherwise, the branch whose number is the 32-bit integer there, or the last
   * one if that is out of range. All gates are closed if the current gate is. FALSE with @error. NULL where the device
   * cannot select. */
  gboolean  (*choose)   (gpointer               recording,
                         GhloStepPlace          index,
                         gboolean               is_predicate,
                         guint                  n,
                         GhloStepPlace         *gates,
                         GError               **error);
  /* count () returns the number of commands in the recording; repeat () appends the @n commands from @first on
   * once more. */
  guint     (*count)    (gpointer               recording);
  void      (*repeat)   (gpointer               recording,
                         guint                  first,
                         guint                  n);
  /* Merges the command @first and the one after it into one command, if they are independent and the device gains by
   * it. FALSE with @error. NULL where it never does. */
  gboolean  (*join)     (gpointer               recording,
                         guint                  first,
                         GError               **error);
  /* Bytes of device memory that a run of the recording takes besides its buffers. */
  gsize     (*get_size) (gpointer               recording);
  /* Starts a run with the buffers at @addresses, after all commands that were submitted before; called on any thread.
   * FALSE with @error when the device fails, or when cancelled. */
  gboolean  (*replay)   (gpointer               recording,
                         guint8 *const         *addresses,
                         const GhloMonitor     *monitor,
                         GError               **error);
  /* Runs may still be in flight. */
  void      (*free)     (gpointer               recording);
} GhloStepRecorder;

/* A memory that devices compute in and that is not the host's. Its addresses are meaningful only to its devices and to
 * these functions; addresses within one block are consecutive. */
typedef struct
{
  const char *name;              /* "vulkan" */
  gpointer    self;
  /* alloc () returns memory with any contents, aligned to 64 bytes. free () may be called while steps that use the
   * memory are still in flight on the device. */
  gpointer  (*alloc)    (gpointer            self,
                         gsize               size,
                         GError            **error);
  void      (*free)     (gpointer            self,
                         gpointer            memory,
                         gsize               size);
  /* Returns the address at which the host can access @address directly, while the device does not use that memory. The
   * host then shares all of this memory, and nothing is transferred. NULL where the memory is the device's alone. */
  gpointer  (*get_host_address) (gpointer            self,
                                 gpointer            address);
  /* Allocates memory that the host can read at *@host once the steps that write it have ended. NULL where finish is. */
  gpointer  (*alloc_host_visible) (gpointer        self,
                                   gsize           size,
                                   gconstpointer  *host,
                                   GError        **error);
  /* Copy from the host's memory and to it, in order: after all steps that were run before, and before those that
   * follow. When the call returns, the host's memory has been read or written. FALSE with @error when the device fails,
   * or when cancelled. */
  gboolean  (*upload)   (gpointer            self,
                         gconstpointer       from,
                         gpointer            to,
                         gsize               size,
                         const GhloMonitor  *monitor,
                         GError            **error);
  gboolean  (*download) (gpointer            self,
                         gconstpointer       from,
                         gpointer            to,
                         gsize               size,
                         const GhloMonitor  *monitor,
                         GError            **error);
  /* For runs that are measured step by step: start () begins measuring, and finish () waits until all steps since then
   * have ended. *@nanoseconds is the time that the device took for them, or -1 where it cannot tell. FALSE with @error
   * when the device fails. Both are NULL where a step has ended when its function returns. */
  gboolean  (*start)    (gpointer            self,
                         GError            **error);
  gboolean  (*finish)   (gpointer            self,
                         gint64             *nanoseconds,
                         const GhloMonitor  *monitor,
                         GError            **error);
  /* Submits the recorded commands to the device; called at the end of a run at the latest. Sets *@number (nullable) to
   * the number for await (). NULL where finish is. */
  gboolean  (*submit)   (gpointer            self,
                         guint64            *number,
                         GError            **error);
  /* Waits until that submission has ended, as finish () does, but not for later ones. NULL where finish is. */
  gboolean  (*await)    (gpointer            self,
                         guint64             number,
                         const GhloMonitor  *monitor,
                         GError            **error);
  const GhloStepRecorder *recorder;     /* NULL where steps are run one by one */
} GhloStepSpace;

/* Classes of products and convolutions by their element type. */
typedef enum
{
  GHLO_STEP_PRODUCT_F32,         /* and integers of more than 16 bits */
  GHLO_STEP_PRODUCT_NARROW,      /* at most 16 bits; devices have special units for them */
  GHLO_STEP_PRODUCT_WIDE,        /* f64 and complex numbers */
  GHLO_STEP_N_PRODUCTS
} GhloStepProduct;

/* The approximate peak rates of a device, per second; 0 where one is not known. */
typedef struct
{
  double bytes;                  /* read and written in its memory */
  double products[GHLO_STEP_N_PRODUCTS];        /* operations in products; a multiply-add is two */
  double scalars;                /* other operations */
  double uploads, downloads;     /* bytes from and to the host's memory; 0 for a device that works in that memory */
  double run;                    /* seconds of overhead of a run, until the host sees its end */
  double step;                   /* seconds of overhead of a step that waits for the previous one */
} GhloStepRates;

typedef struct
{
  const char                    *name;   /* "cpu" */
  gpointer                       self;   /* passed to the functions here and to those of its implementations */
  const GhloStepSpace           *space;  /* the memory that all its steps read and write; NULL: the host's memory */
  /* Why the device cannot compute @op in any way, as a reason like a selection's, so that no implementation need be
   * asked; NULL where it may. NULL for a device that supports everything. */
  const char                  *(*lacks) (gpointer                      self,
                                         const GhloIrOp               *op);
  /* The implementation to try for @op after @previous, or the first one if that is NULL; NULL when there are no more.
   * Depends only on the kind of @op, so that a device's implementations can be listed. */
  const GhloStepImplementation *(*find) (gpointer                      self,
                                         const GhloIrOp               *op,
                                         const GhloStepImplementation *previous);
  /* Copies between views with any strides; never declines. */
  const GhloStepImplementation  *copy;
  const GhloStepRates           *rates;  /* NULL: unknown */
} GhloStepTarget;

G_END_DECLS
