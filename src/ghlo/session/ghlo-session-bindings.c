/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions: what is bound, and which inputs that leaves for runs to take. Each change creates new bindings,
 * which later calls use. Carrying is in ghlo-session-carry.c.
 */

#include "ghlo-session.h"

#include "base/element.h"
#include "base/sizes.h"
#include "ghlo-error.h"
#include "ghlo-executable-private.h"
#include "ghlo-session-private.h"

gboolean
ghlo_session_check_number (const char  *what,
                           guint        number,
                           guint        n,
                           GError     **error)
{
  if (number < n)
    return TRUE;

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected one of the program's %u %ss, counted from 0, found %s %u", n, what, what, number);

  return FALSE;
}

void
ghlo_session_set_bindings (GhloSession         *self,
                           GhloSessionBindings *bindings)
{
  GhloSessionBindings *old;

  g_mutex_lock (&self->lock);
  old = self->bindings;
  self->bindings = bindings;
  g_mutex_unlock (&self->lock);
  ghlo_session_bindings_unref (old);
}

/**
 * ghlo_session_bind_input:
 * @self: a session
 * @input: the index of an input of the program, from 0
 * @buffer: the value of the input
 * @error: return location for an error
 *
 * Sets an input for all runs that are called from now on. Binding it again replaces
 * the value. The session keeps the data even if @buffer is released.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there is no such input, an output is
 * carried into it, or @buffer was released or has another type.
 *
 * Returns: whether the input is bound
 *
 * Since: 1.0
 */
gboolean
ghlo_session_bind_input (GhloSession  *self,
                         guint         input,
                         GhloBuffer   *buffer,
                         GError      **error)
{
  g_autoptr (GhloValue) value = NULL;
  GhloSessionBindings *bindings;
  GhloSessionBindings *changed = NULL;

  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  bindings = ghlo_session_begin_call (self, error);
  if (bindings == NULL)
    return FALSE;
  if (ghlo_session_check_number ("input", input, bindings->n_inputs, error) && bindings->initial[input] != NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "input %u cannot be bound: output %u is carried into it", input, bindings->output[input]);
  else if (input < bindings->n_inputs)
    value = ghlo_executable_take_input (self->core->executable, buffer, input, error);

  if (value != NULL)
    {
      changed = ghlo_session_bindings_copy (bindings);
      g_clear_pointer (&changed->bound[input], ghlo_value_unref);
      changed->bound[input] = g_steal_pointer (&value);
      ghlo_session_set_bindings (self, changed);
    }
  ghlo_session_bindings_unref (bindings);

  return changed != NULL;
}

/**
 * ghlo_session_bind_input_by_name:
 * @self: a session
 * @name: the name of an input of the program; see [method@Ghlo.ValueInfo.get_name]
 * @buffer: the value of the input
 * @error: return location for an error
 *
 * Sets an input for all runs that are called from now on; see [method@Ghlo.Session.bind_input].
 *
 * Fails as [method@Ghlo.Session.bind_input] does, and with %GHLO_ERROR_INVALID_ARGUMENT when no input
 * has that name.
 *
 * Returns: whether the input is bound
 *
 * Since: 1.0
 */
gboolean
ghlo_session_bind_input_by_name (GhloSession  *self,
                                 const char   *name,
                                 GhloBuffer   *buffer,
                                 GError      **error)
{
  GhloSessionBindings *bindings;
  int input;

  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  bindings = ghlo_session_begin_call (self, error);
  if (bindings == NULL)
    return FALSE;
  ghlo_session_bindings_unref (bindings);
  input = ghlo_signature_find_input (&self->core->executable->signature, name, error);

  return input >= 0 && ghlo_session_bind_input (self, (guint) input, buffer, error);
}

/**
 * ghlo_session_list_inputs:
 * @self: a session
 *
 * Lists the inputs that [method@Ghlo.Session.run] takes: those that are neither bound nor
 * carried. [method@Ghlo.ValueInfo.get_index] is their index among the program's inputs.
 *
 * Returns: (transfer full) (array zero-terminated=1): the inputs in the program's order
 *
 * Since: 1.0
 */
GhloValueInfo **
ghlo_session_list_inputs (GhloSession *self)
{
  GhloSessionBindings *bindings;
  GhloValueInfo **list;
  guint n = 0;

  g_return_val_if_fail (GHLO_IS_SESSION (self), NULL);

  bindings = ghlo_session_begin_call (self, NULL);
  if (bindings == NULL)
    return g_new0 (GhloValueInfo *, 1);
  list = ghlo_executable_list_inputs (self->executable);
  for (guint i = 0; i < bindings->n_inputs; i++)
    {
      GhloValueInfo *info = g_steal_pointer (&list[i]);

      if (ghlo_session_bindings_is_free (bindings, i))
        list[n++] = info;
      else
        ghlo_value_info_unref (info);
    }
  ghlo_session_bindings_unref (bindings);

  return list;
}

/* Memory of the caller that is to become the target of an output. */
typedef struct
{
  guint     output;
  guintptr  address;
  gsize     size;       /* in bytes */
} Memory;

static gboolean
check_address (const GhloIrType  *type,
               const Memory      *memory,
               GError           **error)
{
  gsize alignment = ghlo_element_info (ghlo_element_type_real_part (type->element_type))->size, end;
  g_autofree char *text = ghlo_ir_type_to_string (type);

  if (memory->size > 0 && memory->address == 0)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected the address of memory for output %u (%s), found 0", memory->output, text);
  else if (memory->size > GHLO_MAX_TENSOR_BYTES || !ghlo_size_add (&end, memory->address, memory->size))
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected memory of at most %" G_GSIZE_FORMAT " bytes for output %u (%s), found %" G_GSIZE_FORMAT,
                 GHLO_MAX_TENSOR_BYTES, memory->output, text, memory->size);
  else if (memory->size > 0 && alignment > 1 && memory->address % alignment != 0)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected memory for output %u (%s) at a multiple of %" G_GSIZE_FORMAT " bytes, found an "
                 "address %" G_GSIZE_FORMAT " bytes beyond one", memory->output, text, alignment,
                 (gsize) memory->address % alignment);
  else
    return TRUE;

  return FALSE;
}

/* The type of the value over the memory. For an output of dynamic shape, it is an array of bytes, a type
 * that no output has. */
static GhloTensorType *
type_in_memory (const GhloIrType  *type,
                const Memory      *memory,
                GError           **error)
{
  const gint64 n_bytes = memory->size;
  g_autoptr (GhloTensorType) wanted = NULL;
  g_autofree char *text = NULL;

  if ((type->kind != GHLO_IR_TYPE_TENSOR && type->kind != GHLO_IR_TYPE_UNRANKED)
      || type->element_type == GHLO_ELEMENT_TYPE_INVALID)
    {
      text = ghlo_ir_type_to_string (type);
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "output %u cannot be bound to memory: expected a tensor, found %s", memory->output, text);
      return NULL;
    }
  if (!check_address (type, memory, error))
    return NULL;
  if (!ghlo_ir_type_has_static_shape (type))
    return ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_UI8, &n_bytes, 1);

  wanted = ghlo_ir_type_to_tensor_type (type);
  if (ghlo_tensor_type_get_size (wanted) == n_bytes)
    return g_steal_pointer (&wanted);
  text = ghlo_ir_type_to_string (type);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected memory of %" G_GINT64_FORMAT " bytes for output %u (%s), found %" G_GSIZE_FORMAT " bytes",
               ghlo_tensor_type_get_size (wanted), memory->output, text, memory->size);

  return NULL;
}

/* Whether the output may be bound to the memory, given the existing bindings. */
static gboolean
check_bind_output (const GhloSessionBindings *bindings,
                   const Memory              *memory,
                   GError                   **error)
{
  if (!ghlo_session_check_number ("output", memory->output, bindings->n_outputs, error))
    return FALSE;
  if (bindings->donated_inputs[memory->output] != GHLO_RUN_NO_INPUT)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "output %u cannot be bound to memory: it is carried into input %u", memory->output,
                   bindings->donated_inputs[memory->output]);
      return FALSE;
    }

  for (guint i = 0; i < bindings->n_outputs; i++)
    if (i != memory->output && bindings->targets[i] != NULL
        && ghlo_value_overlaps (bindings->targets[i], (const guint8 *) memory->address, memory->size))
      {
        g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                     "output %u cannot be bound to memory that overlaps the memory of output %u",
                     memory->output, i);
        return FALSE;
      }

  return TRUE;
}

/* Creates a value over the memory. Dropping its last reference releases the memory. */
static GhloValue *
target_new (GhloSession               *self,
            const GhloSessionBindings *bindings,
            const Memory              *memory,
            GhloStorage               *storage,
            GError                   **error)
{
  const GhloIrType *signature = self->core->executable->signature.type;
  g_autoptr (GhloTensorType) type = NULL;

  if (!check_bind_output (bindings, memory, error))
    return NULL;
  type = type_in_memory (signature->members[signature->rank + memory->output], memory, error);

  return type != NULL ? ghlo_value_new_over (type, storage, error) : NULL;
}

/* Takes ownership of @target; NULL for none. */
static void
set_target (GhloSession         *self,
            GhloSessionBindings *bindings,
            guint                output,
            GhloValue           *target)
{
  GhloSessionBindings *changed = ghlo_session_bindings_copy (bindings);

  g_clear_pointer (&changed->targets[output], ghlo_value_unref);
  changed->targets[output] = target;
  ghlo_session_set_bindings (self, changed);
}

/**
 * ghlo_session_bind_output:
 * @self: a session
 * @output: the index of an output of the program, from 0
 * @address: the address for its first element
 * @size: the size of the memory in bytes
 * @release: (scope async) (closure user_data) (nullable): called when no run will write to
 *   the memory any more; %NULL if the caller ensures that the memory remains valid until then
 * @user_data: data for @release
 * @error: return location for an error
 *
 * Makes runs that are called from now on write an output to memory of the caller, as dense
 * elements in row-major order, in the layout of [method@Ghlo.Buffer.get_host_bytes]. The
 * output is then not part of the result of a run. Binding it again replaces the memory;
 * [method@Ghlo.Session.unbind_output] removes the binding. This is for language bindings, and
 * for applications that want outputs in a particular place; otherwise a run returns each
 * output as a [class@Ghlo.Buffer].
 *
 * When a run has finished, the memory holds the output until the next run begins. During a
 * run, and after a run that failed or was cancelled, its content is undefined and it must not
 * be accessed. A cancelled asynchronous run may continue to write to it for a while after its
 * callback; later calls of the session wait for that.
 *
 * Inputs of a run may use the same memory, by means of [ctor@Ghlo.Buffer.new_from_address].
 * They are read before anything is written, and such a buffer then has new content. On the
 * CPU, memory that is aligned to 16 bytes and not read by the run is written to without a
 * copy.
 *
 * The memory must remain valid until @release has been called. That happens once, on any
 * thread, after the output was bound to other memory or unbound or the session was freed, and
 * all runs that were called before that have ended. It also happens when this call fails.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there is no such output, it is carried or not
 * a tensor, @size does not match its type, @address is not a multiple of the element size
 * (for complex elements, of the size of a part), or another output is bound to overlapping
 * memory. For an output of dynamic shape, a run fails if the output does not have exactly
 * @size bytes.
 *
 * Returns: whether the output is bound
 *
 * Since: 1.0
 */
gboolean
ghlo_session_bind_output (GhloSession     *self,
                          guint            output,
                          guintptr         address,
                          gsize            size,
                          GDestroyNotify   release,
                          gpointer         user_data,
                          GError         **error)
{
  const Memory memory = { output, address, size };
  g_autoptr (GhloStorage) storage = NULL;
  GhloSessionBindings *bindings;
  GhloValue *target;

  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  /* However this function ends, dropping the last reference calls @release. */
  storage = ghlo_storage_new_lent ((gpointer) address, address != 0 ? size : 0, release, user_data);
  storage->is_rewritten = TRUE;
  bindings = ghlo_session_begin_call (self, error);
  if (bindings == NULL)
    return FALSE;
  target = target_new (self, bindings, &memory, storage, error);
  if (target != NULL)
    set_target (self, bindings, output, target);
  ghlo_session_bindings_unref (bindings);

  return target != NULL;
}

/**
 * ghlo_session_bind_owned_output:
 * @self: a session
 * @output: the index of an output of the program, from 0
 * @address: the address for its first element
 * @size: the size of the memory in bytes
 * @owner: an object that keeps the memory valid while it is alive
 * @error: return location for an error
 *
 * Makes runs write an output to memory of the caller, like
 * [method@Ghlo.Session.bind_output] with a release function, but holds a reference to
 * @owner as long as runs may write to the memory. For language bindings that leak memory
 * for each function that is passed as a callback.
 *
 * The reference is dropped once, on any thread, and also when the call fails.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT as [method@Ghlo.Session.bind_output] does, and
 * when there is no owner.
 *
 * Returns: whether the output is bound
 *
 * Since: 1.0
 */
gboolean
ghlo_session_bind_owned_output (GhloSession  *self,
                                guint         output,
                                guintptr      address,
                                gsize         size,
                                GObject      *owner,
                                GError      **error)
{
  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  if (!G_IS_OBJECT (owner))
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                           "expected an object that keeps the memory, found nothing");
      return FALSE;
    }

  return ghlo_session_bind_output (self, output, address, size, g_object_unref, g_object_ref (owner), error);
}

/**
 * ghlo_session_unbind_output:
 * @self: a session
 * @output: the index of an output of the program, from 0
 * @error: return location for an error
 *
 * Makes runs that are called from now on return an output in their results again.
 * Does nothing for an output that is not bound to memory.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there is no such output.
 *
 * Returns: whether the output is now unbound
 *
 * Since: 1.0
 */
gboolean
ghlo_session_unbind_output (GhloSession  *self,
                            guint         output,
                            GError      **error)
{
  GhloSessionBindings *bindings;
  gboolean known;

  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  bindings = ghlo_session_begin_call (self, error);
  if (bindings == NULL)
    return FALSE;
  known = ghlo_session_check_number ("output", output, bindings->n_outputs, error);
  if (known && bindings->targets[output] != NULL)
    set_target (self, bindings, output, NULL);
  ghlo_session_bindings_unref (bindings);

  return known;
}
