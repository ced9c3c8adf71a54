/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The call of a routine is built from its row of ir/lapack.def: Fortran takes everything by address, so that a call
 * is a list of words. Matrices are row-major in tensors and column-major for LAPACK, which therefore works on copies
 * in scratch; vectors are written to the results directly. A call for one matrix is not interrupted.
 */

#include "cpu/linalg/routine.h"

#include <dlfcn.h>
#include <string.h>

#include "base/sizes.h"
#include "cpu/finish.h"
#include "cpu/isa/level.h"
#include "cpu/library/blas.h"
#include "cpu/linalg/call.h"
#include "cpu/linalg/complete.h"
#include "cpu/linalg/triangular.h"
#include "cpu/linalg/tridiagonal.h"
#include "cpu/move/copy.h"
#include "runtime/parallel.h"

/* LAPACK has 32-bit integers, also for products that it computes: block sizes of up to 64 columns, and a few times
 * the size of a matrix. */
#define MAX_EXTENT  ((gint64) 1 << 24)
#define MAX_NUMBERS ((gint64) 1 << 28)

/* OpenBLAS's kernels load numbers that they do not use: 0.3.21, multiplying by a complex matrix, those of one more
 * column. So there is room for a column behind the arrays of each worker, and for a vector. */
#define VECTOR 64

typedef enum
{
  PLACE_NONE,       /* LAPACK does not access it, or has no such argument */
  PLACE_SCRATCH,    /* column-major */
  PLACE_RESULT,
} Place;

typedef struct
{
  Place       place;
  gsize       offset;               /* in the scratch */
  gsize       number;               /* bytes of a number, in LAPACK's type */
  gsize       count;                /* numbers of one matrix */
  gsize       result_size;          /* bytes of one matrix in the result */
  GhloCpuCopy copy_in, copy_out;    /* for operands; for results that are in scratch */
  gint64      strides[GHLO_MAX_RANK];   /* of the batch dimensions of the operand */
} Buffer;

struct _GhloCpuRoutine
{
  GhloIrLapackCall lapack;
  GhloCpuTriangular *lu;                /* that of many small matrices, without LAPACK; else NULL */
  GhloCpuLapackWords words;
  gpointer         function;
  char             letter;
  char            *core;
  gint64           batch[GHLO_MAX_RANK];
  gsize            n_matrices;
  Buffer           buffers[GHLO_IR_LAPACK_ARGUMENTS];
  gsize            slot;                /* bytes of scratch for each worker */
  double           nanoseconds;
};

/* Whether LAPACK's call names the argument. */
static gboolean
is_called (const GhloIrLapackCall *call,
           const char             *name)
{
  const char *text = call->call;
  char word[GHLO_IR_LAPACK_WORD];

  while (ghlo_ir_lapack_next_word (&text, call->is_complex, word))
    {
      word[strcspn (word, ".")] = '\0';
      if (strcmp (word, name) == 0)
        return TRUE;
    }

  return FALSE;
}

static const char *
read_call (GhloCpuRoutine  *self,
           const GhloIrOp  *op,
           const GhloView  *operands,
           const GhloView  *results)
{
  g_autofree GhloIrLapackShape *shapes = g_new (GhloIrLapackShape, op->n_operands + op->n_results + 1);
  g_autofree char *problem = NULL;

  for (guint i = 0; i < op->n_operands; i++)
    shapes[i] = (GhloIrLapackShape) { operands[i].element_type, operands[i].rank, operands[i].dimensions };
  for (guint i = 0; i < op->n_results; i++)
    {
      const GhloView *result = &results[i];

      shapes[op->n_operands + i] = (GhloIrLapackShape) { result->element_type, result->rank, result->dimensions };
    }
  if (!ghlo_ir_lapack_read (&self->lapack, op, shapes, shapes + op->n_operands, &problem))
    return "its operands, results and parameters do not match";
  memcpy (self->batch, self->lapack.batch, self->lapack.n_batch * sizeof (gint64));
  self->lapack.batch = self->batch;
  if (!ghlo_shape_count (self->batch, self->lapack.n_batch, &self->n_matrices) || self->n_matrices == 0)
    return "its batch of matrices is empty or too large";

  return NULL;
}

static const char *
find_function (GhloCpuRoutine *self)
{
  static const struct
  {
    GhloElementType type;
    char            letter;
  } letters[] = {
    { GHLO_ELEMENT_TYPE_F32, 's' }, { GHLO_ELEMENT_TYPE_F64, 'd' }, { GHLO_ELEMENT_TYPE_COMPLEX_F32, 'c' },
    { GHLO_ELEMENT_TYPE_COMPLEX_F64, 'z' },
  };
  const GhloCpuBlas *blas = ghlo_cpu_blas ();
  char name[GHLO_IR_LAPACK_WORD];

  for (guint i = 0; i < G_N_ELEMENTS (letters); i++)
    if (letters[i].type == self->lapack.type)
      self->letter = letters[i].letter;
  if (self->letter == '\0')
    return "LAPACK does not support its element type";
  self->function = ghlo_cpu_tridiagonal_find (&self->lapack);
  if (self->function != NULL)
    return NULL;
  g_assert (self->lapack.name != NULL);
  g_snprintf (name, sizeof (name), "%c%s_", self->letter, self->lapack.name);
  self->function = blas != NULL ? dlsym (blas->library, name) : NULL;
  if (self->function == NULL)
    return "no library with its LAPACK routine was found";
  self->core = g_strdup (blas->core);

  return NULL;
}

/* Routines leave results of empty matrices unchanged, and some of them have to be identities. */
static const char *
check_sizes (const GhloCpuRoutine *self,
             const GhloView       *results)
{
  const GhloIrLapackCall *call = &self->lapack;

  for (guint i = 0; i < call->n_arguments; i++)
    {
      const GhloIrLapackArgument *argument = &call->arguments[i];
      gint64 count = argument->extents[0];

      if (argument->extents[0] > MAX_EXTENT || argument->extents[1] > MAX_EXTENT)
        return "its matrices are too large for LAPACK's 32-bit integers";
      count *= argument->extents[1];
      if (count > MAX_NUMBERS)
        return "its matrices are too large for LAPACK's 32-bit integers";
      if (count == 0 && (argument->operand >= 0 || argument->rank == 2))
        return "its matrices are empty";
      if (argument->result >= 0 && argument->element == 'I'
          && results[argument->result].element_type != GHLO_ELEMENT_TYPE_I32)
        return "its integer results do not have 32 bits as LAPACK's have";
    }
  if (call->routine == GHLO_IR_LAPACK_HOUSEHOLDER
      && ghlo_ir_lapack_extent (call, 'n') > ghlo_ir_lapack_extent (call, 'm'))
    return "it wants more columns than rows, which LAPACK does not support";

  return NULL;
}

static gsize
number_size (const GhloIrLapackCall     *call,
             const GhloIrLapackArgument *argument)
{
  GhloElementType type = argument->element == 'I' ? GHLO_ELEMENT_TYPE_I32
                         : argument->element == 'R' ? ghlo_element_type_real_part (call->type) : call->type;

  return ghlo_element_info (type)->size;
}

/* Sets up the copies between a tensor and scratch or a result. Vectors are matrices of one column. */
static void
plan_copies (GhloCpuRoutine             *self,
             const GhloIrLapackArgument *argument,
             Buffer                     *buffer,
             const GhloView             *operand)
{
  gint64 number = (gint64) buffer->number, rows = argument->extents[0], columns = argument->extents[1];
  guint n_batch = self->lapack.n_batch;
  gint64 by_columns[2] = { number, rows * number };
  gint64 by_rows[2] = { argument->rank == 2 ? columns * number : number, number };

  if (operand != NULL)
    {
      gint64 strides[2] = { argument->rank > 0 ? operand->strides[n_batch] : 0,
                            argument->rank > 1 ? operand->strides[n_batch + 1] : 0 };

      memcpy (buffer->strides, operand->strides, n_batch * sizeof (gint64));
      ghlo_cpu_copy_init (&buffer->copy_in, 2, argument->extents, operand->element_type, strides,
                          operand->element_type, by_columns);
    }
  /* Complex vectors of real matrices are assembled by complete.c instead. */
  if (buffer->place == PLACE_SCRATCH && argument->result >= 0 && argument->type == self->lapack.type)
    ghlo_cpu_copy_init (&buffer->copy_out, 2, argument->extents, argument->type, by_columns, argument->type, by_rows);
}

static const char *
reserve_column (GhloCpuRoutine *self)
{
  gsize offset, longest = 0;

  for (guint i = 0; i < self->lapack.n_arguments; i++)
    for (guint k = 0; k < 2; k++)
      longest = MAX (longest, (gsize) self->lapack.arguments[i].extents[k]);

  return ghlo_size_reserve (&self->slot, &offset, longest + VECTOR, ghlo_element_info (self->lapack.type)->size)
         ? NULL : "it needs too much memory";
}

static const char *
plan_buffers (GhloCpuRoutine *self,
              const GhloView *operands)
{
  const GhloIrLapackCall *call = &self->lapack;

  for (guint i = 0; i < call->n_arguments; i++)
    {
      const GhloIrLapackArgument *argument = &call->arguments[i];
      Buffer *buffer = &self->buffers[i];

      buffer->number = number_size (call, argument);
      buffer->count = (gsize) (argument->extents[0] * argument->extents[1]);
      buffer->result_size = buffer->count * ghlo_element_info (argument->type)->size;
      if (!argument->is_computed || !is_called (call, argument->name) || strcmp (argument->name, "info") == 0)
        continue;
      buffer->place = argument->rank == 2 || argument->result < 0 ? PLACE_SCRATCH : PLACE_RESULT;
      if (buffer->place == PLACE_SCRATCH
          && !ghlo_size_reserve (&self->slot, &buffer->offset, buffer->count, buffer->number))
        return "it needs too much memory";
      plan_copies (self, argument, buffer, argument->operand >= 0 ? &operands[argument->operand] : NULL);
    }

  return NULL;
}

/* Approximate: a factorization takes tens of operations for each number of its largest matrix, times the shorter
 * side. */
static double
estimate (const GhloCpuRoutine *self)
{
  double largest = 1, shorter = 1;

  for (guint i = 0; i < self->lapack.n_arguments; i++)
    {
      const gint64 *extents = self->lapack.arguments[i].extents;

      largest = MAX (largest, (double) extents[0] * (double) extents[1]);
      shorter = MAX (shorter, (double) MIN (extents[0], extents[1]));
    }

  return (double) self->n_matrices
         * (2000 + 8 * largest * shorter * (self->lapack.is_complex ? 4 : 1) / (ghlo_cpu_rate () / 4) * 1e9);
}

static gboolean
is_lu (const GhloIrLapackCall *call)
{
  return (call->routine == GHLO_IR_LAPACK_GETRF || call->routine == GHLO_IR_LAPACK_LU)
         && ghlo_element_info (ghlo_element_type_real_part (call->type))->bits >= 32;
}

GhloCpuRoutine *
ghlo_cpu_routine_prepare (const GhloIrOp  *op,
                          const GhloView  *operands,
                          const GhloView  *results,
                          const char     **reason)
{
  g_autoptr (GhloCpuRoutine) self = g_new0 (GhloCpuRoutine, 1);

  *reason = read_call (self, op, operands, results);
  if (*reason == NULL)
    *reason = check_sizes (self, results);
  if (*reason == NULL && is_lu (&self->lapack))
    {
      const GhloIrLapackArgument *a = ghlo_ir_lapack_argument (&self->lapack, "a");

      self->lu = ghlo_cpu_lu_prepare (&operands[a->operand], &results[a->result]);
      if (self->lu != NULL)
        return g_steal_pointer (&self);
    }
  if (*reason == NULL)
    *reason = find_function (self);
  if (*reason == NULL)
    *reason = plan_buffers (self, operands);
  if (*reason == NULL)
    *reason = ghlo_cpu_lapack_words_init (&self->words, &self->lapack, self->function, &self->slot);
  if (*reason == NULL)
    *reason = reserve_column (self);
  self->nanoseconds = *reason == NULL ? estimate (self) : 0;

  return *reason == NULL ? g_steal_pointer (&self) : NULL;
}

void
ghlo_cpu_routine_free (GhloCpuRoutine *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->lu, ghlo_cpu_triangular_free);
  g_free (self->core);
  g_free (self);
}

gsize
ghlo_cpu_routine_scratch_size (const GhloCpuRoutine *self)
{
  if (self->lu != NULL)
    return ghlo_cpu_triangular_scratch_size (self->lu);

  return self->slot * MIN (self->n_matrices, ghlo_parallel_n_workers ());
}

char *
ghlo_cpu_routine_describe (const GhloCpuRoutine *self)
{
  if (self->lu != NULL)
    return g_strdup (ghlo_cpu_triangular_describe (self->lu));

  return self->core == NULL ? g_strdup ("tridiagonal elimination")
                            : g_strdup_printf ("openblas %c%s, %s", self->letter, self->lapack.name, self->core);
}

int
ghlo_cpu_routine_in_place (const GhloCpuRoutine *self,
                           guint                 index)
{
  for (guint i = 0; i < self->lapack.n_arguments; i++)
    if (self->lapack.arguments[i].operand == (int) index)
      return self->lapack.arguments[i].result;

  return -1;
}

typedef struct
{
  const GhloCpuRoutine *routine;
  const GhloView       *operands, *results;
  guint8               *scratch;
  const GhloMonitor    *monitor;
  gint                  stopped;      /* atomic */
} Run;

/* The address of matrix @index of the batch in an operand. */
static const guint8 *
find_operand (const Run                  *run,
              const GhloIrLapackArgument *argument,
              const Buffer               *buffer,
              gsize                       index)
{
  const GhloIrLapackCall *call = &run->routine->lapack;
  const guint8 *at = run->operands[argument->operand].data;

  for (guint i = call->n_batch; i > 0; i--)
    {
      at += (gint64) (index % (gsize) call->batch[i - 1]) * buffer->strides[i - 1];
      index /= (gsize) call->batch[i - 1];
    }

  return at;
}

static void
bring (const Run          *run,
       GhloCpuLapackArray *arrays,
       gsize               index,
       guint8             *scratch)
{
  const GhloCpuRoutine *self = run->routine;

  for (guint i = 0; i < self->lapack.n_arguments; i++)
    {
      const GhloIrLapackArgument *argument = &self->lapack.arguments[i];
      const Buffer *buffer = &self->buffers[i];
      GhloCpuLapackArray *array = &arrays[i];

      *array = (GhloCpuLapackArray) { .argument = argument, .count = buffer->count };
      if (argument->result >= 0)
        array->result = run->results[argument->result].data + index * buffer->result_size;
      if (buffer->place == PLACE_SCRATCH)
        array->data = scratch + buffer->offset;
      else if (buffer->place == PLACE_RESULT)
        array->data = array->result;
      if (argument->operand >= 0 && buffer->place != PLACE_NONE)
        {
          const guint8 *from = find_operand (run, argument, buffer, index);

          if (from != array->data)
            ghlo_cpu_copy_run (&buffer->copy_in, from, array->data, NULL);
        }
    }
}

/* Results that are not computed are zeroed, so that they do not expose old memory. */
static void
take (const GhloCpuRoutine     *self,
      const GhloCpuLapackArray *arrays,
      int                       info)
{
  for (guint i = 0; i < self->lapack.n_arguments; i++)
    {
      const GhloIrLapackArgument *argument = arrays[i].argument;
      const Buffer *buffer = &self->buffers[i];

      if (arrays[i].result == NULL)
        continue;
      if (strcmp (argument->name, "info") == 0)
        memcpy (arrays[i].result, &info, sizeof (info));
      else if (!argument->is_computed)
        memset (arrays[i].result, 0, buffer->result_size);
      else if (buffer->place == PLACE_SCRATCH && argument->type == self->lapack.type)
        ghlo_cpu_copy_run (&buffer->copy_out, arrays[i].data, arrays[i].result, NULL);
    }
}

static void
run_matrix (const Run *run,
            gsize      index,
            guint8    *scratch)
{
  const GhloCpuRoutine *self = run->routine;
  GhloCpuLapackArray arrays[GHLO_IR_LAPACK_ARGUMENTS];
  int info = 0;

  bring (run, arrays, index, scratch);
  if (self->lapack.not_finite != 0 && !ghlo_cpu_lapack_is_finite (&self->lapack, arrays))
    {
      info = self->lapack.not_finite;
      ghlo_cpu_lapack_fill_nan (&self->lapack, arrays);
    }
  else
    {
      info = ghlo_cpu_lapack_words_call (&self->words, self->function, arrays, scratch);
      ghlo_cpu_lapack_complete (&self->lapack, arrays, &info);
    }
  take (self, arrays, info);
}

static void
run_matrices (gpointer data,
              gsize    begin,
              gsize    end,
              guint    worker)
{
  Run *run = data;

  for (gsize i = begin; i < end && !g_atomic_int_get (&run->stopped); i++)
    if (ghlo_monitor_cancelled (run->monitor, NULL))
      g_atomic_int_set (&run->stopped, TRUE);
    else
      run_matrix (run, i, run->scratch + worker * run->routine->slot);
}

static gpointer
find_result (const Run  *run,
             const char *name)
{
  const GhloIrLapackArgument *argument = ghlo_ir_lapack_argument (&run->routine->lapack, name);

  return argument != NULL && argument->result >= 0 ? run->results[argument->result].data : NULL;
}

static gboolean
run_lu (const Run *run,
        GError   **error)
{
  const guint8 *a = run->operands[ghlo_ir_lapack_argument (&run->routine->lapack, "a")->operand].data;
  const GhloCpuLuResults results = {
    find_result (run, "a"), find_result (run, "ipiv"), find_result (run, "info"), find_result (run, "perm"),
  };

  return ghlo_cpu_lu_run (run->routine->lu, a, &results, run->scratch, run->monitor, error);
}

gboolean
ghlo_cpu_routine_run (const GhloCpuRoutine *self,
                      const GhloView       *operands,
                      const GhloView       *results,
                      gpointer              scratch,
                      const GhloMonitor    *monitor,
                      GError              **error)
{
  Run run = { .routine = self, .operands = operands, .results = results, .scratch = scratch, .monitor = monitor };
  gboolean done;

  if (self->lu != NULL)
    return run_lu (&run, error);
  done = ghlo_parallel_for (self->n_matrices, 1, self->nanoseconds, run_matrices, &run, monitor)
         && !run.stopped;

  return ghlo_cpu_finish (done, monitor, error);
}
