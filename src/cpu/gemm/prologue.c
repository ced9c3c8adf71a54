/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A block is one box of the kernel's points, or several where it begins or ends inside of a group of elements that
 * share a scale.
 */

#include "cpu/gemm/prologue.h"

#include "cpu/gemm/dot-general.h"

/* The most rows of the other operand. With more of them the product takes so much longer than reading the operand that
 * a library's better loops are worth more. */
enum { MAX_ROWS = 64, CACHE_LINE = 64 };

/* Nanoseconds for writing and reading a byte that is stored. */
#define STORE_TIME 0.1

/* Reading */

const char *
ghlo_cpu_prologue_obstacle (const GhloIrOp *product,
                            guint           operand)
{
  g_autofree GhloCpuGemmProblem *problem = g_new (GhloCpuGemmProblem, 1);
  g_autoptr (GhloCpuGemm) stored = NULL, computed = NULL;
  gint64 rows = 1, n_bytes = ghlo_element_info (ghlo_ir_op_operand (product, operand)->type->element_type)->size;

  if (!ghlo_cpu_dot_read_dense (problem, product))
    return "convolutions read their operands from memory";
  if (ghlo_element_type_is_complex (problem->result_type))
    return "products of complex numbers read their operands from memory";
  for (guint i = 0; i < (operand == 0 ? problem->n_columns : problem->n_rows); i++)
    rows *= (operand == 0 ? problem->columns : problem->rows)[i].size;
  for (guint i = 0; i < ghlo_ir_op_operand (product, operand)->type->rank; i++)
    n_bytes *= ghlo_ir_op_operand (product, operand)->type->dimensions[i];
  if (rows > MAX_ROWS)
    return "with so many rows the operand is better stored";
  stored = ghlo_cpu_gemm_choose (problem, NULL);
  problem->prologue = ghlo_cpu_prologue_block;
  problem->computes_lhs = operand == 0;
  computed = ghlo_cpu_gemm_choose (problem, NULL);
  if (stored == NULL || computed == NULL)
    return "the CPU computes no operand of this product block by block";

  /* A library may have instructions for matrices. */
  return ghlo_cpu_gemm_nanoseconds (computed) <= ghlo_cpu_gemm_nanoseconds (stored)
                                                   + STORE_TIME * (double) n_bytes
         ? NULL : "the product is faster with an operand in memory";
}

void
ghlo_cpu_prologue_free (GhloCpuPrologue *self)
{
  ghlo_cpu_kernel_clear (&self->kernel);
  ghlo_step_prologue_clear (&self->fusion);
  g_free (self);
}

const char *
ghlo_cpu_prologue_lower (GhloCpuPrologue       *self,
                         const GhloProductOp   *product,
                         const GhloStepRequest *request,
                         const GhloCpuGemm     *gemm)
{
  const char *reason;

  ghlo_cpu_kernel_clear (&self->kernel);
  ghlo_step_prologue_clear (&self->fusion);
  reason = ghlo_step_prologue_init (&self->fusion, product, request, ghlo_cpu_gemm_get_row (gemm),
                                    ghlo_cpu_gemm_get_pitch (gemm), ghlo_cpu_gemm_takes_rows (gemm));

  return reason != NULL ? reason : ghlo_cpu_kernel_init (&self->kernel, self->fusion.lowered.kernel, TRUE);
}

/* Running */

void
ghlo_cpu_prologue_run_begin (GhloCpuPrologueRun    *run,
                             const GhloCpuPrologue *self,
                             const GhloView        *operands,
                             gpointer               scratch,
                             const GhloMonitor     *monitor)
{
  run->prologue = self;
  for (guint i = 0; i < self->fusion.n_operands; i++)
    run->operands[i] = operands[i].data + self->fusion.lowered.starts[i];
  ghlo_cpu_kernel_run_init (&run->kernel, &self->kernel, NULL, scratch, monitor);
}

/* Computes the box of @extents at @starts into @to. */
static void
run_box (const GhloCpuPrologueRun *run,
         const gint64             *starts,
         const gint64             *extents,
         guint8                   *to,
         guint                     worker)
{
  const GhloStepPrologue *fusion = &run->prologue->fusion;
  const GhloKernel *kernel = fusion->lowered.kernel;
  gpointer buffers[GHLO_KERNEL_MAX_BUFFERS];

  buffers[fusion->n_operands] = to;
  for (guint i = 0; i < fusion->n_operands; i++)
    buffers[i] = run->operands[i];
  for (guint a = 0; a < kernel->n_accesses; a++)
    {
      const GhloKernelAccess *access = &kernel->accesses[a];
      gint64 at = 0;

      if (access->buffer == fusion->n_operands)
        continue;
      for (guint i = 0; i < kernel->n_axes; i++)
        at += starts[i] * access->strides[i];
      buffers[access->buffer] = (guint8 *) run->operands[access->buffer] + at;
    }
  ghlo_cpu_kernel_run_box (&run->kernel, extents, buffers, worker);
}

/* Computes elements [@first, @first + @n) of a row, for the rows of a box of which the outer axes are set. */
static void
run_rows (const GhloCpuPrologueRun *run,
          gint64                   *starts,
          gint64                   *extents,
          gint64                    first,
          gint64                    n,
          guint8                   *to,
          guint                     worker)
{
  const GhloStepPrologue *fusion = &run->prologue->fusion;
  const gint64 size = ghlo_element_info (fusion->type)->size;

  for (gint64 at = 0, part; at < n; at += part)
    {
      part = ghlo_step_prologue_box (fusion, fusion->split, fusion->lowered.kernel->n_axes, first + at, first + n,
                                     starts, extents);
      run_box (run, starts, extents, to + at * size, worker);
    }
}

/* Prefetches what the next block is computed from, except for values that several of its elements or rows share: its
 * rows may be on pages of their own, where the processor's prefetcher does not follow. */
static void
prefetch (const GhloCpuPrologueRun  *run,
          const GhloCpuOperandBlock *block)
{
  const GhloStepPrologue *fusion = &run->prologue->fusion;
  const GhloKernel *kernel = fusion->lowered.kernel;
  const guint last = kernel->n_axes - 1;

  for (guint a = 0; a < kernel->n_accesses && fusion->split > 0; a++)
    {
      const GhloKernelAccess *access = &kernel->accesses[a];
      const gint64 size = ghlo_element_info (access->type)->size, row = access->strides[fusion->split - 1];
      gsize at = (gsize) run->operands[access->buffer] + (gsize) access->offset;
      gint64 left = block->next;

      if (access->buffer == fusion->n_operands || access->strides[last] != size || row == 0)
        continue;
      for (guint i = kernel->n_axes; i-- > 0; left /= fusion->extents[i])
        at += (gsize) (left % fusion->extents[i] * access->strides[i]);
      for (gint64 i = 0; i < block->n_rows; i++, at += (gsize) row)
        for (gint64 byte = 0; byte < block->n * size; byte += CACHE_LINE)
          __builtin_prefetch ((gconstpointer) (at + (gsize) byte));
    }
}

void
ghlo_cpu_prologue_block (gpointer            data,
                         const GhloCpuOperandBlock *block)
{
  const GhloCpuPrologueRun *run = data;
  const GhloStepPrologue *fusion = &run->prologue->fusion;
  const gint64 row_size = fusion->pitch * (gint64) ghlo_element_info (fusion->type)->size;
  const gint64 first = block->first / fusion->row, end = first + block->n_rows;
  gint64 starts[GHLO_KERNEL_MAX_AXES], extents[GHLO_KERNEL_MAX_AXES];

  prefetch (run, block);
  for (gint64 at = first, part; at < end; at += part)
    {
      part = ghlo_step_prologue_box (fusion, 0, fusion->split, at, end, starts, extents);
      run_rows (run, starts, extents, block->first % fusion->row, block->n, block->to + (at - first) * row_size,
                block->worker);
    }
}
