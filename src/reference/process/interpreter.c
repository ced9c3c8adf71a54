/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The interpreter dialect: runs several processes on one machine, and prints
 * values.
 */

#include <string.h>

#include "base/stack.h"
#include "reference/frame.h"
#include "reference/kernels.h"

/* Larger grids would not fit into one operating system process. */
enum { MAX_PROCESSES = 1024 };

/* One process. Filled in before its thread starts and read after the thread has ended. */
typedef struct
{
  GhloRefProcess         process;
  const GhloRefFunction *function;
  guint                  depth;
  GhloValue            **arguments;   /* owned until the function takes them */
  GhloValue            **results;     /* the results of run_parallel, from this process's first one on */
  GhloThread            *thread;
  gboolean               ok;
  GError                *error;
} Program;

typedef struct
{
  Program     *programs;
  guint        n_programs;
  guint        n_replicas, n_partitions;
  GhloRefGrid *grid;
} Grid;

static gpointer
run_program (gpointer data)
{
  Program *program = data;

  program->ok = ghlo_ref_enter_function (&program->process, program->function, program->depth, program->arguments,
                                         program->results, &program->error);
  if (!program->ok)
    ghlo_ref_grid_fail (program->process.grid, program->process.was_stopped ? NULL : program->error);
  ghlo_ref_process_end (&program->process);

  return NULL;
}

static gboolean
measure_grid (GhloRefCall      *call,
              const GhloIrAttr *programs,
              Grid             *grid,
              GError          **error)
{
  if (programs == NULL || programs->kind != GHLO_IR_ATTR_ARRAY || programs->length == 0
      || programs->children[0]->kind != GHLO_IR_ATTR_ARRAY || programs->children[0]->length == 0)
    return ghlo_ref_fail (call, error, "expected programs for at least one process");
  if (programs->length > MAX_PROCESSES || programs->children[0]->length > MAX_PROCESSES
      || programs->length * programs->children[0]->length > MAX_PROCESSES)
    return ghlo_ref_fail (call, error, "expected at most %d processes, found %" G_GSIZE_FORMAT " replicas of %"
                          G_GSIZE_FORMAT " each", MAX_PROCESSES, (gsize) programs->length,
                          (gsize) programs->children[0]->length);

  grid->n_replicas = programs->length;
  grid->n_partitions = programs->children[0]->length;
  grid->n_programs = grid->n_replicas * grid->n_partitions;
  for (guint i = 1; i < grid->n_replicas; i++)
    if (programs->children[i]->kind != GHLO_IR_ATTR_ARRAY || programs->children[i]->length != grid->n_partitions)
      return ghlo_ref_fail (call, error, "expected %u programs for each replica", grid->n_partitions);

  return TRUE;
}

static const GhloRefFunction *
find_program (GhloRefCall      *call,
              const GhloIrAttr *symbol)
{
  GhloIrOp *op = symbol->kind == GHLO_IR_ATTR_SYMBOL ? ghlo_ir_op_find_symbol (call->op, symbol->text) : NULL;

  return op != NULL ? ghlo_ref_program_get_function (call->frame->process->run->program, op) : NULL;
}

/* Finds the functions, and assigns operands and results to them. */
static gboolean
assign_programs (GhloRefCall      *call,
                 const GhloIrAttr *programs,
                 Grid             *grid,
                 GError          **error)
{
  guint n_arguments = 0, n_results = 0;

  grid->programs = g_new0 (Program, grid->n_programs);
  for (guint i = 0; i < grid->n_programs; i++)
    {
      const GhloIrAttr *symbol = programs->children[i / grid->n_partitions]->children[i % grid->n_partitions];
      Program *program = &grid->programs[i];
      const GhloRefBlock *body;

      program->function = find_program (call, symbol);
      if (program->function == NULL)
        return ghlo_ref_fail (call, error, "expected a function with a body for process %u, found none", i);
      body = &program->function->body;
      if (n_arguments + body->n_arguments > call->n_operands || n_results + body->n_returned > call->op->n_results)
        break;

      program->depth = call->frame->depth + 1;
      program->results = call->results + n_results;
      program->arguments = g_new0 (GhloValue *, body->n_arguments + 1);
      for (guint j = 0; j < body->n_arguments; j++)
        program->arguments[j] = ghlo_value_ref (call->operands[n_arguments + j]);
      n_arguments += body->n_arguments;
      n_results += body->n_returned;
    }

  if (grid->programs[grid->n_programs - 1].arguments == NULL || n_arguments != call->n_operands
      || n_results != call->op->n_results)
    return ghlo_ref_fail (call, error, "expected the operands and results of %u programs together, found %u and %u",
                          grid->n_programs, call->n_operands, call->op->n_results);

  return TRUE;
}

static void
begin_programs (GhloRefCall *call,
                Grid        *grid)
{
  GhloRefProcess *parent = call->frame->process;

  grid->grid = ghlo_ref_grid_new (grid->n_replicas, grid->n_partitions, parent->grid,
                                  ghlo_ir_op_get (call->op, "infeed"));
  for (guint i = 0; i < grid->n_programs; i++)
    ghlo_ref_process_begin (&grid->programs[i].process, parent->run, grid->grid, i / grid->n_partitions,
                            i % grid->n_partitions);
}

static void
run_programs (Grid *grid)
{
  for (guint i = 0; i < grid->n_programs; i++)
    {
      Program *program = &grid->programs[i];
      gboolean reserved = ghlo_ref_thread_reserve (&program->error);

      if (reserved)
        program->thread = ghlo_thread_try_new ("ghlo-process", run_program, program, &program->error);
      if (program->thread != NULL)
        continue;
      if (reserved)
        ghlo_ref_thread_release ();
      ghlo_ref_grid_fail (grid->grid, program->error);
      ghlo_ref_process_end (&program->process);
    }

  for (guint i = 0; i < grid->n_programs; i++)
    if (grid->programs[i].thread != NULL)
      {
        ghlo_thread_join (grid->programs[i].thread);
        ghlo_ref_thread_release ();
      }
  ghlo_ref_grid_join (grid->grid);
}

/* Propagates the first failure that is not the consequence of another one. The process's name is appended to
 * the message, since a message begins with the position in the program. */
static gboolean
collect_errors (Grid    *grid,
                GError **error)
{
  Program *failed = NULL;
  char *suffix;

  for (guint i = 0; i < grid->n_programs; i++)
    {
      Program *program = &grid->programs[i];

      if (!program->ok && (failed == NULL || (failed->process.was_stopped && !program->process.was_stopped)))
        failed = program;
    }
  if (failed == NULL)
    return ghlo_ref_grid_check_received (grid->grid, error);

  ghlo_ref_process_find_cause (&failed->process, &failed->error);
  if (failed->error->domain == GHLO_ERROR)
    {
      suffix = g_strdup_printf ("%s (in process (%u, %u))", failed->error->message, failed->process.replica,
                                failed->process.partition);
      g_free (failed->error->message);
      failed->error->message = suffix;
    }
  g_propagate_error (error, g_steal_pointer (&failed->error));

  return FALSE;
}

static void
grid_clear (Grid *grid)
{
  if (grid->grid != NULL)
    ghlo_ref_grid_free (grid->grid);
  for (guint i = 0; grid->programs != NULL && i < grid->n_programs; i++)
    {
      Program *program = &grid->programs[i];

      if (program->arguments != NULL)
        ghlo_values_clear (program->arguments, program->function->body.n_arguments);
      g_free (program->arguments);
      g_clear_error (&program->error);
    }
  g_free (grid->programs);
}

gboolean
ghlo_ref_run_parallel (GhloRefCall *call,
                       GError     **error)
{
  const GhloIrAttr *programs = ghlo_ir_op_get (call->op, "programs");
  Grid grid = { NULL };
  gboolean ok;

  if (call->frame->depth + 1 >= GHLO_MAX_CALL_DEPTH)
    return ghlo_ref_fail (call, error, "expected calls nested at most %d deep", GHLO_MAX_CALL_DEPTH);

  ok = measure_grid (call, programs, &grid, error) && assign_programs (call, programs, &grid, error);
  if (ok)
    {
      begin_programs (call, &grid);
      run_programs (&grid);
      ok = collect_errors (&grid, error);
    }
  grid_clear (&grid);

  return ok;
}

/* "name", "name#1", or the number of the value in the printed function. */
static char *
name_value (const GhloIrValue *value)
{
  g_autofree char *base = g_strdup (value->name);

  if (base == NULL && value->op != NULL)
    {
      guint n = 0;

      for (const GhloIrOp *op = value->op->previous; op != NULL; op = op->previous)
        n += op->n_results > 0;
      base = g_strdup_printf ("%u", n);
    }
  else if (base == NULL)
    base = g_strdup_printf ("arg%u", value->index);

  return value->op != NULL && value->op->n_results > 1 && strchr (base, '#') == NULL
         ? g_strdup_printf ("%s#%u", base, value->index) : g_steal_pointer (&base);
}

gboolean
ghlo_ref_print (GhloRefCall *call,
                GError     **error)
{
  static GMutex lock;
  const GhloRunOptions *options = call->frame->process->run->options;
  g_autofree char *name = NULL;

  if (options == NULL || options->print == NULL)
    return TRUE;

  name = name_value (ghlo_ir_op_operand (call->op, 0));
  g_mutex_lock (&lock);
  options->print (options->print_data, name, call->operands[0]);
  g_mutex_unlock (&lock);

  return TRUE;
}
