/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a device offers to a plan: step implementations, found by operation. The device
 * knows nothing of plans, and the plan nothing of the device.
 */

#pragma once

#include "base/monitor.h"
#include "base/view.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* No buffer, or no operand or result of a step. */
#define GHLO_STEP_NONE G_MAXUINT32

/* What is to be computed: an operation, a fusion (ir/fusion.h), or a copy of operand 0 to
 * result 0, of the same type. Operands and results are views: an operand's strides are those
 * that it happens to have, a result of an operation is dense, but where the implementation also
 * writes others (writes_strides). None is a tuple or quantized; tokens are views without data, of
 * rank 0 and no element type.
 *
 * A fusion's @body says what is to be done: its arguments are the operands, its terminator's
 * operands the results. It may hold anything, and is only done where all of it is understood. */
typedef struct
{
  const GhloIrOp       *op;            /* NULL: a copy */
  const GhloIrBlock    *body;          /* NULL: no fusion */
  guint                 n_operands, n_results;
  const GhloView       *operands;      /* of data only what is constant, for as long as what is compiled */
  const GhloView       *results;
  /* Once buffers have their places; NULL and 0 before. For each operand the result that has its
   * address, in all runs or in some, or GHLO_STEP_NONE, which means memory apart from all results';
   * what the addresses of operands, then of results, are multiples of in each run; and the bytes of
   * scratch that a run has. */
  const guint32        *aliases;
  const guint32        *alignments;
  gsize                 scratch;
  /* Once the plan is made, FALSE before: recordings may have it behind a gate, again and again. */
  gboolean              may_be_gated;
  gpointer              kept;          /* of the selection, for compile(), which takes it over; NULL: nothing */
} GhloStepRequest;

/* How an operand is taken. */
typedef struct
{
  gboolean dense;         /* a copy of it where it is not dense; else as it lies */
  gboolean wants_data;    /* compile() reads its elements where they are constant */
  guint32  in_place;      /* the result, of the same size in bytes, that may be written over it where it is dense
                             and nobody else needs it; or GHLO_STEP_NONE */
} GhloStepOperandSelection;

/* How a request is done. */
typedef struct
{
  GhloStepOperandSelection *operands;     /* as many as there are: FALSE, FALSE and GHLO_STEP_NONE as they come */
  gsize                     scratch;      /* bytes of memory that a run wants at most */
  const char               *reason;       /* why it is not done, as a sentence without its stop; static */
  /* What compile() would find out again of the same operands and results; release() frees it as well. It may have
   * to. NULL: nothing. */
  gpointer                  kept;
} GhloStepSelection;

/* Where a step finds a tensor in each run: bytes from the start of one of the run's buffers, by number. */
typedef struct
{
  guint32 buffer;                 /* GHLO_STEP_NONE: nowhere */
  gint64  offset;
} GhloStepPlace;

typedef struct
{
  const char *name;               /* "gather" */
  /* Where it has one result, it is also asked about that with its dimensions in another order, without gaps; but only
   * after it was selected for a dense one, which is then copied: it declines what costs more than that. */
  gboolean    writes_strides;
  /* Whether it does @request, and how: pure and quick, on any thread. Of constants it looks at
   * single numbers at most. FALSE with a reason: another one does, or another device's, or else the reference
   * executor. */
  gboolean  (*select)   (gpointer               self,
                         const GhloStepRequest *request,
                         GhloStepSelection     *selection);
  /* Something immutable that any thread may run, for a request that was selected, its operands as
   * the selection wants them and data only where it wants that. */
  gpointer  (*compile)  (gpointer               self,
                         const GhloStepRequest *request,
                         const GhloMonitor     *monitor,
                         GError               **error);
  /* @scratch is aligned to 64 bytes, holds anything, and is never NULL. Allocates nothing. FALSE with
   * @error when cancelled, which is looked for every 50 ms. */
  gboolean  (*run)      (gpointer               compiled,
                         const GhloView        *operands,
                         const GhloView        *results,
                         gpointer               scratch,
                         const GhloMonitor     *monitor,
                         GError               **error);
  /* In place of run(), for a target whose space has a recorder: puts what the step does, wherever the buffers will
   * be, behind what is in @recording. */
  gboolean  (*record)   (gpointer               compiled,
                         const GhloStepPlace   *operands,
                         const GhloStepPlace   *results,
                         GhloStepPlace          scratch,
                         gpointer               recording,
                         GError               **error);
  void      (*release)  (gpointer               compiled);       /* or what was kept */
  /* What the plan says of it besides the name: the algorithm, tiles; the caller frees it. NULL: nothing. */
  char     *(*describe) (gpointer               compiled);
  /* The kernels that were generated for it, as text; the caller frees it. NULL: there are none. */
  char     *(*print_kernels) (gpointer          compiled);
  /* The machine code of these as the compiler lists it, or why there is none; the caller frees it. It may take as
   * long as a compile. NULL: there are none. */
  char     *(*print_code) (gpointer             compiled);
  /* What is made of it in the background will be waited for: it is made at once. NULL where wait is. */
  void      (*hurry)    (gpointer               compiled);
  /* Until that is there, or will not be. FALSE when cancelled, or where nothing
   * goes on. NULL: there is nothing. */
  gboolean  (*wait)     (gpointer               compiled,
                         const GhloMonitor     *monitor,
                         GError               **error);
  /* Bytes of constants that were brought into another order. NULL: none. */
  gsize     (*compiled_size) (gpointer          compiled);
} GhloStepImplementation;

/* What of a run's buffers is known before it: two of the same region lie at these offsets from each other, or in the
 * same place; two of different regions never overlap. Loops have two buffers change places: each then lies where
 * @partner does, which never overlaps it; else that is the buffer itself. */
typedef struct
{
  guint32 region;
  gsize   offset, size;
  guint32 partner;
} GhloStepExtent;

/* Bytes of what a device keeps of a loop that data ends, and where among them the gate of what comes behind it lies; of
 * what it reports to the host; and from the gate of one branch to that of the next. */
enum { GHLO_STEP_LOOP_STATE = 12, GHLO_STEP_LOOP_ENDED = 8, GHLO_STEP_LOOP_REPORT = 4, GHLO_STEP_GATE_STRIDE = 4 };

/* That a device is to be given at once: a desktop may share it, and a cancel waits for it. */
enum { GHLO_STEP_MAX_NANOSECONDS = 20000000 };
#define GHLO_STEP_MAX_SECONDS (GHLO_STEP_MAX_NANOSECONDS / 1e9)

/* Steps that follow each other, told to a device once and run any number of times. */
typedef struct
{
  /* An empty recording, of buffers that are borrowed until its end. */
  gpointer  (*begin)    (gpointer               self,
                         const GhloStepExtent  *buffers);
  /* What is in it takes about @seconds. */
  void      (*end)      (gpointer               recording,
                         double                 seconds);
  /* What is put in from now on writes nothing where the byte at @place, which it does not write, is 0 by then, but it
   * may read; nowhere: it is always done. The place that it was before. */
  GhloStepPlace (*gate) (gpointer               recording,
                         GhloStepPlace          place);
  /* Behind a block of iterations of a loop that data ends, @n bytes from @gates on, @stride from each other, of which
   * those before the first that is 0 tell of an iteration each. They become 0. The byte at @state becomes 1 where none
   * was 0, so that the loop goes on, else 0; behind it iterations are counted, over all blocks; and the byte at
   * GHLO_STEP_LOOP_ENDED becomes 1 where the last one alone was 0, else 0. At @report the host finds an integer: twice
   * the iterations, modulo 2^32, and 1 more where the loop goes on. With @report nowhere the loop begins: the gates
   * become 0 whatever they are, and so does the count. FALSE with @error. NULL where the device has no such loops. */
  gboolean  (*tally)    (gpointer               recording,
                         GhloStepPlace          gates,
                         guint                  n,
                         gsize                  stride,
                         GhloStepPlace          state,
                         GhloStepPlace          report,
                         GError               **error);
  /* Before @n branches, of which branch i is to be put in behind the gate i * GHLO_STEP_GATE_STRIDE bytes from *gates
   * on. It is open where the branch is taken: with @is_predicate the first of the two where the byte at @index is not
   * 0; else that of the number there, of 32 bits, or the last where no branch has it. All are closed where the gate at
   * hand is. FALSE with @error. NULL where the device does not choose. */
  gboolean  (*choose)   (gpointer               recording,
                         GhloStepPlace          index,
                         gboolean               is_predicate,
                         guint                  n,
                         GhloStepPlace         *gates,
                         GError               **error);
  /* How many commands have been put in, and once more the @n from @first on. */
  guint     (*count)    (gpointer               recording);
  void      (*repeat)   (gpointer               recording,
                         guint                  first,
                         guint                  n);
  /* Makes one command of @first and the one behind it where they do not wait for each other and the device gains by
   * it. FALSE with @error. NULL where it never does. */
  gboolean  (*join)     (gpointer               recording,
                         guint                  first,
                         GError               **error);
  /* Bytes of the device's memory that a run of it takes besides its buffers. */
  gsize     (*get_size) (gpointer               recording);
  /* Begins a run with the buffers at these addresses, after all that was put in before; any thread may. FALSE with
   * @error when the device fails, or when cancelled. */
  gboolean  (*replay)   (gpointer               recording,
                         guint8 *const         *addresses,
                         const GhloMonitor     *monitor,
                         GError               **error);
  /* Runs may still be on their way. */
  void      (*free)     (gpointer               recording);
} GhloStepRecorder;

/* Memory that devices compute in and that is not the host's. An address in it is a number that says something to
 * its devices and to these functions alone; those of one block follow each other. */
typedef struct
{
  const char *name;              /* "vulkan" */
  gpointer    self;
  /* Memory aligned to 64 bytes, with any content. It is freed when what it was taken for has ended, of which steps that
   * the device has begun may still be on their way. */
  gpointer  (*alloc)    (gpointer            self,
                         gsize               size,
                         GError            **error);
  void      (*free)     (gpointer            self,
                         gpointer            memory,
                         gsize               size);
  /* Where the host's steps find what is at @address, at whose memory nothing goes on then: they share all of it, and
   * nothing is transferred. NULL where the memory is the device's alone. */
  gpointer  (*see)      (gpointer            self,
                         gpointer            address);
  /* Such memory that the host reads at @host, once what writes it has ended. NULL where finish is. */
  gpointer  (*alloc_seen) (gpointer          self,
                         gsize               size,
                         gconstpointer      *host,
                         GError            **error);
  /* From the host's memory, and to it, after all steps that were run before and ahead of those that follow; the host's
   * memory is read, or written, when the call returns. FALSE with @error when the device fails, or when cancelled. */
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
  /* For runs that are measured step by step: begins to measure, and waits until all steps that were run since have
   * ended. *nanoseconds is how long the device took for them, or -1 where it does not tell. FALSE with @error when the
   * device fails. Both NULL where a step has ended when its function returns. */
  gboolean  (*start)    (gpointer            self,
                         GError            **error);
  gboolean  (*finish)   (gpointer            self,
                         gint64             *nanoseconds,
                         const GhloMonitor  *monitor,
                         GError            **error);
  /* Has the device begin with what was put in, at the end of a run at the latest; what await() takes for it is put
   * in @number, which may be NULL. NULL where finish is. */
  gboolean  (*submit)   (gpointer            self,
                         guint64            *number,
                         GError            **error);
  /* Waits until it has ended, as finish() does, but not for what has been submitted since. NULL where finish is. */
  gboolean  (*await)    (gpointer            self,
                         guint64             number,
                         const GhloMonitor  *monitor,
                         GError            **error);
  const GhloStepRecorder *recorder;     /* NULL where steps are run one by one */
} GhloStepSpace;

/* Products and convolutions by what they multiply. */
typedef enum
{
  GHLO_STEP_PRODUCT_F32,         /* and integers of more than 16 bits */
  GHLO_STEP_PRODUCT_NARROW,      /* of at most 16 bits, for which devices have units of their own */
  GHLO_STEP_PRODUCT_WIDE,        /* f64 and complex numbers */
  GHLO_STEP_N_PRODUCTS
} GhloStepProduct;

/* What a device does in a second at its best, about; 0 where that is not known. */
typedef struct
{
  double bytes;                  /* read and written in its memory */
  double products[GHLO_STEP_N_PRODUCTS];        /* operations in them; a multiply-add is two */
  double scalars;                /* other operations */
  double uploads, downloads;     /* bytes from the host's memory, and to it; 0 for a device that works there */
  double run;                    /* seconds that a run takes however little it does, until its end is seen */
  double step;                   /* the same of a step that waits for the one before it */
} GhloStepRates;

typedef struct
{
  const char                    *name;   /* "cpu" */
  gpointer                       self;   /* of the functions here and of its implementations */
  const GhloStepSpace           *space;  /* where all that its steps read and write lies; NULL: in the host's memory */
  /* What the device cannot compute of @op in any way, as a reason like a selection's, so that no implementation is
   * asked; NULL: nothing. NULL for a device that lacks nothing. */
  const char                  *(*lacks) (gpointer                      self,
                                         const GhloIrOp               *op);
  /* The implementation to try for @op after @previous, the first one after NULL; NULL when there are
   * no more. Its kind alone decides, so that what a device has can be listed. */
  const GhloStepImplementation *(*find) (gpointer                      self,
                                         const GhloIrOp               *op,
                                         const GhloStepImplementation *previous);
  /* Copies, both views having any strides; never declines. */
  const GhloStepImplementation  *copy;
  const GhloStepRates           *rates;  /* NULL: not known */
} GhloStepTarget;

G_END_DECLS
