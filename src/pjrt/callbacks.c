/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls back into Python: a custom call that gives Python access to the memory of its operands and results.
 */

#include "pjrt/callbacks.h"

#include "base/ghlo-error.h"
#include "ir/attr.h"
#include "ir/custom-call.h"
#include "passes/walk.h"
#include "pjrt/buffer.h"

/* NULL before they are set and after Python has ended; atomic. */
static const GhloPjrtCallbacks *callbacks;

void
ghlo_pjrt_set_callbacks (const GhloPjrtCallbacks *given)
{
  static GhloPjrtCallbacks own;
  static gsize set;

  if (given == NULL)
    g_atomic_pointer_set (&callbacks, NULL);
  if (given == NULL || given->struct_size < sizeof own || !g_once_init_enter (&set))
    return;
  own = *given;
  g_atomic_pointer_set (&callbacks, &own);
  g_once_init_leave (&set, 1);
}

/* Releases the numbers of a program's functions. */
static void
held_free (gpointer data)
{
  const GhloPjrtCallbacks *python = g_atomic_pointer_get (&callbacks);
  GArray *held = data;

  for (guint i = 0; python != NULL && i < held->len; i++)
    python->let_go (g_array_index (held, gint64, i));
  g_array_unref (held);
}

static gboolean
is_callback (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL
         && g_strcmp0 (ghlo_ir_op_get_string (op, "call_target_name"), GHLO_PJRT_CALLBACK_TARGET) == 0;
}

/* Returns -1 where the program has no number. */
static gint64
get_index (const GhloIrOp *op)
{
  const GhloIrAttr *index = ghlo_ir_custom_call_get (op, "index");

  return index != NULL && index->kind == GHLO_IR_ATTR_INTEGER ? index->integer : -1;
}

/* The functions that a program calls. */
typedef struct
{
  GArray   *held;           /* the numbers of the functions */
  gboolean  has_effects;    /* one of them has side effects */
} Found;

static gboolean
hold (const GhloIrOp  *op,
      Found           *found,
      GError         **error)
{
  const GhloPjrtCallbacks *python = g_atomic_pointer_get (&callbacks);
  gint64 index = get_index (op);

  if (python == NULL || !python->hold (index))
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "the program calls back into Python function %" G_GINT64_FORMAT ", which does not exist in this "
                   "process: compile the program in the process that created it, with JAX and jax-ghlo",
                   index);
      return FALSE;
    }
  g_array_append_val (found->held, index);
  found->has_effects |= ghlo_ir_op_get_int (op, "has_side_effect", FALSE) != 0;

  return TRUE;
}

/* The memory of the tensors that Python gets, in the order of the operands or results. */
typedef struct
{
  GhloPjrtArray *arrays;        /* owned */
  gsize          n;
} Arrays;

static void
arrays_init (Arrays *self,
             gsize   n_most)
{
  self->arrays = g_new (GhloPjrtArray, n_most);
  self->n = 0;
}

static void
arrays_add (Arrays    *self,
            GhloValue *value,
            gpointer   owner)
{
  self->arrays[self->n++] = (GhloPjrtArray) { value->data, value->n_bytes, owner };
}

static void
drop (void *owner)
{
  ghlo_value_unref (owner);
}

static void
drop_operands (Arrays *operands)
{
  for (gsize i = 0; i < operands->n; i++)
    ghlo_value_unref (operands->arrays[i].owner);
  operands->n = 0;
}

/* Memory that the run will write to again is copied: JAX makes arrays from the operands without copying them, and
 * its users may keep those. */
static gboolean
take_operands (const GhloCustomCallFrame  *frame,
               Arrays                     *operands,
               GError                    **error)
{
  for (guint i = 0; i < frame->op->n_operands; i++)
    {
      GhloValue *value = frame->operands[i], *kept;

      if (value->kind != GHLO_VALUE_TENSOR)
        continue;
      kept = value->storage->is_call_scoped ? ghlo_value_new_copied (value->type, value->data, NULL, error)
                                        : ghlo_value_ref (value);
      if (kept == NULL)
        {
          drop_operands (operands);
          return FALSE;
        }
      arrays_add (operands, kept, kept);
    }

  return TRUE;
}

static gboolean
make_results (const GhloCustomCallFrame  *frame,
              Arrays                     *results,
              GError                    **error)
{
  for (guint i = 0; i < frame->op->n_results; i++)
    {
      frame->results[i] = ghlo_pjrt_value_for_result (frame->op->results[i].type, error);
      if (frame->results[i] == NULL)
        return FALSE;
      if (frame->results[i]->kind == GHLO_VALUE_TENSOR)
        arrays_add (results, frame->results[i], NULL);
    }

  return TRUE;
}

static void
fail (void       *error,
      const char *message)
{
  GError **problem = error;

  if (*problem == NULL)
    *problem = g_error_new_literal (GHLO_ERROR, GHLO_ERROR_INTERNAL, message);
}

/* Sets @error when the call fails, or when there is nobody to call. */
static gboolean
call_python (GhloPjrtCall  *given,
             GError       **error)
{
  const GhloPjrtCallbacks *python = g_atomic_pointer_get (&callbacks);
  g_autoptr (GError) problem = NULL;
  gboolean done = FALSE;

  given->struct_size = sizeof *given;
  given->fail = fail;
  given->error = &problem;
  if (python == NULL)
    {
      for (gsize i = 0; i < given->n_operands; i++)
        given->drop (given->operands[i].owner);
      fail (&problem, "the Python interpreter that the program calls back into has shut down");
    }
  /* From here on Python owns the operands. */
  else
    {
      done = python->call (given);
    }
  given->error = NULL;
  if (done)
    return TRUE;
  if (problem == NULL)
    fail (&problem, "a callback into Python failed without an error message");
  g_propagate_error (error, g_steal_pointer (&problem));

  return FALSE;
}

static gboolean
call (const GhloCustomCallFrame  *frame,
      const Arrays               *operands,
      const Arrays               *results,
      GError                    **error)
{
  GhloPjrtCall given = {
    .index = get_index (frame->op), .operands = operands->arrays, .n_operands = operands->n,
    .results = results->arrays, .n_results = results->n, .drop = drop,
  };

  if (!call_python (&given, error))
    return FALSE;
  for (guint i = 0; i < frame->op->n_results; i++)
    if (frame->results[i]->kind == GHLO_VALUE_TENSOR)
      ghlo_pjrt_normalize_elements (frame->results[i]);

  return TRUE;
}

static gboolean
answer (G_GNUC_UNUSED gpointer      data,
        const GhloCustomCallFrame  *frame,
        GError                    **error)
{
  Arrays operands, results;
  gboolean ok;

  arrays_init (&operands, frame->op->n_operands);
  arrays_init (&results, frame->op->n_results);
  ok = make_results (frame, &results, error) && take_operands (frame, &operands, error)
       && call (frame, &operands, &results, error);
  g_free (operands.arrays);
  g_free (results.arrays);

  return ok;
}

gboolean
ghlo_pjrt_callbacks_find (const GhloIrModule  *module,
                          GhloCustomTargets  **targets,
                          gboolean            *have_effects,
                          GError             **error)
{
  GArray *held = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GhloCustomTarget) target = ghlo_custom_target_new (GHLO_PJRT_CALLBACK_TARGET, answer, held, held_free);
  Found found = { held, FALSE };

  *targets = NULL;
  for (const GhloIrOp *op = module->op; op != NULL; op = ghlo_pass_next_op (op, module->op))
    if (is_callback (op) && !hold (op, &found, error))
      return FALSE;
  *have_effects = found.has_effects;
  if (held->len > 0)
    *targets = ghlo_custom_targets_with (NULL, target);

  return TRUE;
}

static void
drop_message (void *owner)
{
  g_bytes_unref (owner);
}

gboolean
ghlo_pjrt_callbacks_tell (gint64   index,
                          GBytes  *message,
                          GError **error)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (message, &size);
  const GhloPjrtArray operand = { (gpointer) data, size, g_bytes_ref (message) };
  GhloPjrtCall given = { .index = index, .operands = &operand, .n_operands = 1, .drop = drop_message };

  return call_python (&given, error);
}
