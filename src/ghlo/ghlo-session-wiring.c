/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions: what is bound and carried where. Each change makes a wiring of its own, which
 * the calls after it take along.
 */

#include "ghlo-session.h"

#include "ghlo-buffer-private.h"
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

static void
set_wiring (GhloSession       *self,
            GhloSessionWiring *wiring)
{
  GhloSessionWiring *old;

  g_mutex_lock (&self->lock);
  old = self->wiring;
  self->wiring = wiring;
  g_mutex_unlock (&self->lock);
  ghlo_session_wiring_unref (old);
}

/**
 * ghlo_session_bind_input:
 * @self: a session
 * @input: the number of an input of the program, from 0
 * @buffer: its value
 * @error: return location for an error
 *
 * Gives an input once for all runs that are called from now on. Binding it again
 * replaces the value. The session keeps the data, even when @buffer is released.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there is no such input, it is carried
 * from an output, or @buffer was released or has another type.
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
  GhloSessionWiring *wiring;
  GhloSessionWiring *changed = NULL;

  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  wiring = ghlo_session_begin_call (self, error);
  if (wiring == NULL)
    return FALSE;
  if (ghlo_session_check_number ("input", input, wiring->n_inputs, error) && wiring->initial[input] != NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "input %u cannot be bound: output %u is carried into it", input, wiring->output[input]);
  else if (input < wiring->n_inputs)
    value = ghlo_executable_take_input (self->core->compiled, buffer, input, error);

  if (value != NULL)
    {
      changed = ghlo_session_wiring_copy (wiring);
      g_clear_pointer (&changed->bound[input], ghlo_value_unref);
      changed->bound[input] = g_steal_pointer (&value);
      set_wiring (self, changed);
    }
  ghlo_session_wiring_unref (wiring);

  return changed != NULL;
}

/* Whether the output is one tensor that @target has the room for, where its size is known. */
static gboolean
check_target_type (const GhloIrType  *type,
                   guint              output,
                   GBytes            *target,
                   GError           **error)
{
  g_autofree char *text = ghlo_ir_type_to_string (type);
  gint64 wanted = -1;
  gsize size;
  guintptr address = (guintptr) g_bytes_get_data (target, &size);

  if (type->kind == GHLO_IR_TYPE_TENSOR)
    {
      g_autoptr (GhloTensorType) tensor_type = ghlo_ir_type_to_tensor_type (type);

      wanted = ghlo_tensor_type_get_size (tensor_type);
    }
  if (type->kind != GHLO_IR_TYPE_TENSOR && type->kind != GHLO_IR_TYPE_UNRANKED)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "output %u cannot be bound to memory: expected a tensor, found %s", output, text);
  else if (wanted >= 0 && (gsize) wanted != size)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected %" G_GINT64_FORMAT " bytes for output %u, which is %s, found %" G_GSIZE_FORMAT,
                 wanted, output, text, size);
  else if (address % MAX (ghlo_element_info (type->element_type)->size, 1) != 0)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected an address for output %u that is a multiple of %u, the size of an element of %s",
                 output, ghlo_element_info (type->element_type)->size, text);
  else
    return TRUE;

  return FALSE;
}

/* Whether the program and what is carried and bound already let the output be bound. */
static gboolean
check_target (GhloSession        *self,
              GhloSessionWiring  *wiring,
              guint               output,
              GBytes             *target,
              GError            **error)
{
  GhloCompiled *compiled = self->core->compiled;
  gsize size, other_size;
  const guint8 *data = g_bytes_get_data (target, &size);

  if (!ghlo_session_check_number ("output", output, wiring->n_outputs, error)
      || !check_target_type (compiled->type->members[compiled->type->rank + output], output, target, error))
    return FALSE;
  for (guint i = 0; i < wiring->n_inputs; i++)
    if (wiring->initial[i] != NULL && wiring->output[i] == output)
      {
        g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                     "output %u cannot be bound: it is carried into input %u", output, i);
        return FALSE;
      }
  for (guint i = 0; i < wiring->n_outputs; i++)
    {
      const guint8 *other = wiring->targets[i] != NULL ? g_bytes_get_data (wiring->targets[i], &other_size) : NULL;

      if (i == output || other == NULL || data >= other + other_size || other >= data + size)
        continue;
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "output %u cannot be bound to memory that output %u is bound to", output, i);
      return FALSE;
    }

  return TRUE;
}

/* Makes the output's memory @target in runs that are called from now on. */
static void
set_target (GhloSession       *self,
            GhloSessionWiring *wiring,
            guint              output,
            GBytes            *target)
{
  GhloSessionWiring *changed = ghlo_session_wiring_copy (wiring);

  g_clear_pointer (&changed->targets[output], g_bytes_unref);
  changed->targets[output] = target != NULL ? g_bytes_ref (target) : NULL;
  set_wiring (self, changed);
}

/**
 * ghlo_session_bind_output:
 * @self: a session
 * @output: the number of an output of the program, from 0
 * @address: where its first element is to be
 * @size: the bytes there; as many as the output has
 * @release: (scope async) (closure user_data) (nullable): called when nothing writes there any
 *   more
 * @user_data: data for @release
 * @error: return location for an error
 *
 * Has an output be written to memory of the caller, in all runs that are called from now
 * on, instead of being given in their results: elements row by row without gaps. The
 * program computes right there, without a copy, except where an input of the run shares
 * the memory or the output is an input. Binding the output again replaces the memory.
 *
 * For language bindings, and programs in C, which must know that all of it can be
 * written to until @release is called. That happens once, on any thread, when the output
 * was bound anew or unbound, or the session is gone, and the runs called before have
 * ended; also those that were cancelled, which may write for a moment after they were
 * answered. It happens before the call returns when the call fails.
 *
 * After a run that was cancelled or failed the memory holds anything.
 *
 * Where the program leaves the output's size open, a run that gives another one than
 * @size fails with %GHLO_ERROR_INVALID_ARGUMENT.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there is no such output, it is no tensor
 * or is carried, @size is not its size, @address is 0 or no multiple of the size of an
 * element, or another output is bound to some of the memory.
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
  g_autoptr (GBytes) target = NULL;
  GhloSessionWiring *wiring;
  gboolean done = FALSE;

  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  if (address == 0 && size > 0)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected the address of memory for output %u, found 0", output);
      if (release != NULL)
        release (user_data);
      return FALSE;
    }
  /* Bytes only for their count and their end. */
  target = g_bytes_new_with_free_func ((gconstpointer) address, size, release, user_data);
  wiring = ghlo_session_begin_call (self, error);
  if (wiring == NULL)
    return FALSE;
  if (check_target (self, wiring, output, target, error))
    {
      set_target (self, wiring, output, target);
      done = TRUE;
    }
  ghlo_session_wiring_unref (wiring);

  return done;
}

/**
 * ghlo_session_unbind_output:
 * @self: a session
 * @output: the number of an output of the program, from 0
 * @error: return location for an error
 *
 * Has an output be given in the results again, in runs that are called from now on.
 * Does nothing when the output is not bound.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there is no such output.
 *
 * Returns: whether there is such an output
 *
 * Since: 1.0
 */
gboolean
ghlo_session_unbind_output (GhloSession  *self,
                            guint         output,
                            GError      **error)
{
  GhloSessionWiring *wiring;
  gboolean done;

  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  wiring = ghlo_session_begin_call (self, error);
  if (wiring == NULL)
    return FALSE;
  done = ghlo_session_check_number ("output", output, wiring->n_outputs, error);
  if (done && wiring->targets[output] != NULL)
    set_target (self, wiring, output, NULL);
  ghlo_session_wiring_unref (wiring);

  return done;
}

/* Whether the program and what was bound before let the output be carried. */
static gboolean
check_carry (GhloSession        *self,
             GhloSessionWiring  *wiring,
             guint               output,
             guint               input,
             GError            **error)
{
  GhloCompiled *compiled = self->core->compiled;

  if (!ghlo_session_check_number ("output", output, compiled->type->n_results, error)
      || !ghlo_session_check_number ("input", input, wiring->n_inputs, error))
    return FALSE;
  if (wiring->bound[input] != NULL || wiring->targets[output] != NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   wiring->bound[input] != NULL ? "output %u cannot be carried into input %u, which is bound"
                   : "output %u, which is bound, cannot be carried into input %u", output, input);
      return FALSE;
    }

  return ghlo_compiled_check_carry (compiled, output, input, error);
}

/**
 * ghlo_session_carry:
 * @self: a session
 * @output: the number of an output of the program, from 0
 * @input: the number of an input of the program, from 0
 * @initial: what the input is in the first run, and after a reset
 * @error: return location for an error
 *
 * Has an output of each run be an input of the next, in runs that are called from
 * now on. One output may be carried into several inputs. Carrying into an input
 * again replaces the output and gives the input @initial once more.
 *
 * Where the program leaves sizes open, an output whose size the input does not take
 * is found when a run gives it, and fails that run.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there is no such output or input, the
 * types of the two do not fit, the input is bound, or @initial was released or has
 * another type.
 *
 * Returns: whether the output is carried
 *
 * Since: 1.0
 */
gboolean
ghlo_session_carry (GhloSession  *self,
                    guint         output,
                    guint         input,
                    GhloBuffer   *initial,
                    GError      **error)
{
  g_autoptr (GhloValue) value = NULL;
  GhloSessionWiring *wiring;
  GhloSessionWiring *changed = NULL;

  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  wiring = ghlo_session_begin_call (self, error);
  if (wiring == NULL)
    return FALSE;
  if (check_carry (self, wiring, output, input, error))
    value = ghlo_executable_take_input (self->core->compiled, initial, input, error);

  if (value != NULL)
    {
      changed = ghlo_session_wiring_copy (wiring);
      g_clear_pointer (&changed->initial[input], ghlo_value_unref);
      changed->initial[input] = g_steal_pointer (&value);
      changed->output[input] = output;
      ghlo_session_core_reset (self->core, changed, input);
      set_wiring (self, changed);
    }
  ghlo_session_wiring_unref (wiring);

  return changed != NULL;
}

/**
 * ghlo_session_reset:
 * @self: a session
 * @error: return location for an error
 *
 * Gives carried inputs their initial values again, for runs that are called from
 * now on; runs under way are not touched, and not waited for.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when the session was made without an
 * executable.
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
ghlo_session_reset (GhloSession  *self,
                    GError      **error)
{
  GhloSessionWiring *wiring;

  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  wiring = ghlo_session_begin_call (self, error);
  if (wiring == NULL)
    return FALSE;
  ghlo_session_core_reset (self->core, wiring, -1);
  ghlo_session_wiring_unref (wiring);

  return TRUE;
}
