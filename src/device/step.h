/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a device runs one operation or fusion: a request, what is selected for it, and the implementations, which a
 * device finds by operation. An implementation knows nothing of plans.
 */

#pragma once

#include "base/sizes.h"
#include "base/view.h"
#include "device/command-buffer.h"
#include "ir/module.h"

G_BEGIN_DECLS

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
  /* Set once the plan is made, FALSE before: whether the step may be recorded under a predicate repeatedly. */
  gboolean              may_be_predicated;
  gpointer              selection_state;     /* that of the selection; NULL: none */
} GhloStepRequest;

/* The operand of a fusion that @value of its body stands for; n_operands where it is none. */
static inline guint
ghlo_step_request_find_operand (const GhloStepRequest *request,
                                const GhloIrValue     *value)
{
  return value->block == request->body ? value->index : request->n_operands;
}

/* A dense view of a tensor of @type, which is static, without data. @strides has room for its rank. */
static inline GhloView
ghlo_step_dense_view (const GhloIrType *type,
                      gint64           *strides)
{
  ghlo_shape_strides (type->dimensions, type->rank, ghlo_element_info (type->element_type)->size, strides);

  return (GhloView) { .element_type = type->element_type, .rank = type->rank, .dimensions = type->dimensions,
                      .strides = strides };
}

/* How a step takes an operand. */
typedef struct
{
  gboolean dense;         /* as a dense copy unless it is dense; FALSE: with the strides that it has */
  gboolean wants_data;    /* finish () reads its elements where they are constant */
  guint32  in_place;      /* the result, of the same size in bytes, that may overwrite it where it is dense and not
                             needed by others; or GHLO_STEP_NONE */
  gboolean begins;        /* that result begins with its elements: it gets the result itself as the operand */
} GhloStepOperandSelection;

/* How an implementation would run a request. */
typedef struct
{
  GhloStepOperandSelection *operands;     /* one for each operand; initialized to FALSE, FALSE and GHLO_STEP_NONE */
  gsize                     scratch;      /* the most bytes of scratch memory that a run needs */
  const char               *reason;       /* why the request is declined, as a sentence without its full stop; static */
  /* The step as it was read, for a request with the same operands and results; to be freed with ghlo_step_free ().
   * NULL: there is nothing to reuse. */
  gpointer                  selection_state;
} GhloStepSelection;

/* What a step copies of its operands into orders of its own: of constants, when it is compiled; and one operand that is
 * not constant, of which whoever runs the step may keep a copy where its memory does not change between runs, and puts
 * it into the operand's view. Bits of results are the same with it. */
typedef struct
{
  gsize   constant_size;  /* bytes of the copies of constants, or of tables */
  guint   operand;
  gsize   size;           /* bytes of the copy of that operand */
  GBytes *key;            /* borrowed from the step; names its order: equal ones make equal copies of equal memory.
                             NULL: there is no such operand */
} GhloStepPacking;

typedef enum
{
  GHLO_KERNEL_FORM_TEXT,          /* as GHLO's own text */
  GHLO_KERNEL_FORM_CODE,          /* machine code, as listed by the compiler */
} GhloKernelForm;

typedef struct
{
  const char *name;               /* "gather" */
  /* If the step has one result, select () is also asked whether it writes a result with permuted dimensions, without
   * gaps. This happens only after it was selected for a dense result, which would then be copied: it should decline
   * what costs more than the copy. */
  gboolean    writes_strides;
  gsize       size;               /* bytes of a step, more than none; they are zero before read () */
  /* Whether select () leaves the step as selection_state, to be finished later, since it does not refer to the request
   * and is costly to read. Otherwise, and where a plan has not cached it, it is read again. */
  gboolean    keeps_selection_state;
  /* Each of the following functions may be NULL, where there is nothing to do, and is called on any thread. */
  /* Reads @request; pure and fast. Of constants, it reads single numbers at most. Returns NULL, or why the request is
   * declined, as in GhloStepSelection: then another implementation, another device or the reference executor runs it.
   */
  const char *(*read)   (gpointer               step,
                         GhloDeviceCore        *device,
                         const GhloStepRequest *request);
  /* Fills the selection of what was read; pure and fast. It may still decline, by setting the reason, and may set
   * selection_state to NULL where nothing is worth reusing. */
  void      (*select)   (gpointer               step,
                         const GhloStepRequest *request,
                         GhloStepSelection     *selection);
  /* Makes the step ready to run, for a request that was selected; it is immutable afterwards. Operands are as the
   * selection wants them, and have data only where it wants that. */
  gboolean  (*finish)   (gpointer               step,
                         GhloDeviceCore        *device,
                         const GhloStepRequest *request,
                         const GhloMonitor     *monitor,
                         GError               **error);
  /* Frees what the step owns, finished or not, even half read. */
  void      (*clear)    (gpointer               step);
  /* @scratch is aligned to 64 bytes, has any contents, and is never NULL. Allocates nothing. FALSE with @error when
   * cancelled; checks for that every 50 ms. */
  gboolean  (*run)      (gpointer               compiled,
                         const GhloView        *operands,
                         const GhloView        *results,
                         gpointer               scratch,
                         const GhloMonitor     *monitor,
                         GError               **error);
  /* Used instead of run () by a device with command buffers: appends the step's commands. */
  gboolean  (*record)   (gpointer               compiled,
                         const GhloBufferRef   *operands,
                         const GhloBufferRef   *results,
                         GhloBufferRef          scratch,
                         gpointer               commands,       /* GhloCommandBuffer */
                         GError               **error);
  /* Details for the text of the plan besides the name, such as the algorithm and tile sizes; the caller frees it.
   * NULL: nothing. */
  char     *(*describe) (gpointer               compiled);
  /* The kernels that were generated for it, as text of @form; the caller frees it. CODE may take as long as a
   * compile, and says why there is none. NULL: there are no kernels. */
  char     *(*print_kernels) (gpointer          compiled,
                              GhloKernelForm    form);
  /* Waits until what it compiles in the background is ready, or has failed; with @only_begins, just tells it that a
   * caller is going to wait, so that it starts at once. FALSE with @error when cancelled, or where nothing can be
   * compiled in the background, as in a forked child. NULL: nothing is compiled in the background. */
  gboolean  (*wait)     (gpointer               compiled,
                         gboolean               only_begins,
                         const GhloMonitor     *monitor,
                         GError               **error);
  /* Fills in @packing, which is empty. NULL: nothing is copied. */
  void      (*get_packing) (gpointer            compiled,
                            GhloStepPacking    *packing);
  /* Makes the copy that has a key; @scratch is as for run (). FALSE, without an error, where these elements cannot be
   * packed, where the step fails, and when cancelled. */
  gboolean  (*pack)     (gpointer               compiled,
                         const GhloView        *operand,
                         gpointer               packed,
                         gpointer               scratch,
                         const GhloMonitor     *monitor);
} GhloStepImplementation;

/* Whether and how @implementation runs @request. Fills @selection, whose operands are initialized. */
gboolean ghlo_step_select          (const GhloStepImplementation *implementation,
                                    GhloDeviceCore               *device,
                                    const GhloStepRequest        *request,
                                    GhloStepSelection            *selection);
/* Returns a finished step that any thread may run, for a request that was selected; takes over its selection_state. */
gpointer ghlo_step_compile_request (const GhloStepImplementation *implementation,
                                    GhloDeviceCore               *device,
                                    const GhloStepRequest        *request,
                                    const GhloMonitor            *monitor,
                                    GError                      **error);
/* @step may be NULL. */
void     ghlo_step_free            (const GhloStepImplementation *implementation,
                                    gpointer                      step);
/* For finish (): fails with INTERNAL, since a request that was selected is declined now, which is a bug of ours. */
gboolean ghlo_step_fail            (const GhloDeviceCore         *device,
                                    const GhloStepRequest        *request,
                                    const char                   *reason,
                                    GError                      **error);

G_END_DECLS
