/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions: which outputs are carried into which inputs, and the initial values. Like the bound values, these
 * are part of the bindings, which each change creates anew.
 */

#include "ghlo-session.h"

#include "ghlo-error.h"
#include "ghlo-executable-private.h"
#include "ghlo-session-private.h"

/* Whether the output may be carried into the input, given the program and the existing bindings. */
static gboolean
check_carry (GhloSession         *self,
             GhloSessionBindings *bindings,
             guint                output,
             guint                input,
             GError             **error)
{
  const GhloSignature *signature = &self->core->executable->signature;

  if (!ghlo_session_check_number ("output", output, signature->type->n_results, error)
      || !ghlo_session_check_number ("input", input, bindings->n_inputs, error))
    return FALSE;
  if (bindings->bound[input] != NULL || bindings->targets[output] != NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   bindings->bound[input] != NULL ? "output %u cannot be carried into input %u, which is bound"
                   : "output %u, which is bound, cannot be carried into input %u: call Session.unbind_output first",
                   output, input);
      return FALSE;
    }

  return ghlo_signature_check_carry (signature, output, input, error);
}

/**
 * ghlo_session_carry:
 * @self: a session
 * @output: the index of an output of the program, from 0
 * @input: the index of an input of the program, from 0
 * @initial: the value of the input in the first run, and after a reset
 * @error: return location for an error
 *
 * Makes an output of each run an input of the next run, for runs that are called
 * from now on. An output may be carried into several inputs. Carrying into an input
 * again replaces the output and resets the input to @initial.
 *
 * With dynamic shapes, a run fails if it produces an output whose size does not fit
 * the input.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there is no such output or input, the
 * types of the two do not fit, one of them is bound, or @initial was released or has
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
  GhloSessionBindings *bindings;
  GhloSessionBindings *changed = NULL;

  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  bindings = ghlo_session_begin_call (self, error);
  if (bindings == NULL)
    return FALSE;
  if (check_carry (self, bindings, output, input, error))
    value = ghlo_executable_take_input (self->core->executable, initial, input, error);

  if (value != NULL)
    {
      changed = ghlo_session_bindings_copy (bindings);
      ghlo_session_bindings_carry (changed, output, input, g_steal_pointer (&value));
      ghlo_session_core_reset (self->core, changed, input);
      ghlo_session_set_bindings (self, changed);
    }
  ghlo_session_bindings_unref (bindings);

  return changed != NULL;
}

/* The initial values of marked inputs, while they are added to the bindings. */
typedef struct
{
  GhloSession         *session;
  GhloSessionBindings *bindings;
  guint               *outputs;        /* for each input, the output that the program marks for it, or
                                        * GHLO_RUN_NO_INPUT */
  GhloBuffer * const  *initial;
  gsize                n_initial;
  gboolean             replaces;       /* there is a value for each marked input, whatever it has now */
} Marks;

/* FALSE with @error set when the program marks none. */
static gboolean
find_marks (Marks   *marks,
            GError **error)
{
  const GhloSignature *signature = &marks->session->core->executable->signature;
  gboolean any = FALSE;

  for (guint i = 0; i < marks->bindings->n_inputs; i++)
    {
      const gint64 output = ghlo_signature_aliased_output (signature->function, i);

      marks->outputs[i] = output >= 0 && output < GHLO_RUN_NO_INPUT ? (guint) output : GHLO_RUN_NO_INPUT;
      any |= marks->outputs[i] != GHLO_RUN_NO_INPUT;
    }
  if (!any)
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                         "expected a program that marks which outputs take the memory of which inputs "
                         "(tf.aliasing_output), found no mark: call Session.carry for each output");

  return any;
}

/* Appends the marked inputs, or those of them that have no value, to @names. Returns how many there are. */
static gsize
name_marked (const Marks *marks,
             gboolean     free_only,
             GString     *names)
{
  const GhloIrOp *function = marks->session->core->executable->signature.function;
  gsize n = 0;

  for (guint i = 0; i < marks->bindings->n_inputs; i++)
    if (marks->outputs[i] != GHLO_RUN_NO_INPUT
        && (!free_only || ghlo_session_bindings_is_free (marks->bindings, i)))
      {
        ghlo_signature_append_input (function, i, names);
        n++;
      }

  return n;
}

/* There are values for the marked inputs that have none, or for all of them. */
static gboolean
check_count (Marks   *marks,
             GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL), all = g_string_new (NULL);
  gsize n = name_marked (marks, TRUE, names), n_all = name_marked (marks, FALSE, all);

  marks->replaces = n != marks->n_initial;
  if (n == marks->n_initial || n_all == marks->n_initial)
    return TRUE;

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected %" G_GSIZE_FORMAT " initial values, as many as there are marked inputs that nothing is bound "
               "to (%s)%s%s%s, found %" G_GSIZE_FORMAT, n, n > 0 ? names->str : "none",
               n < n_all ? ", or one for each marked input (" : "", n < n_all ? all->str : "", n < n_all ? ")" : "",
               marks->n_initial);

  return FALSE;
}

/* Modifies @changed, a copy of the bindings. */
static gboolean
carry_marked (const Marks          *marks,
              GhloSessionBindings  *changed,
              GError              **error)
{
  gsize next = 0;

  for (guint i = 0; i < changed->n_inputs; i++)
    {
      GhloValue *value;

      if (marks->outputs[i] == GHLO_RUN_NO_INPUT || (changed->initial[i] != NULL && !marks->replaces))
        continue;
      value = g_steal_pointer (&changed->bound[i]);
      if (marks->replaces)
        g_clear_pointer (&value, ghlo_value_unref);
      if (value == NULL)
        {
          g_assert (next < marks->n_initial);
          value = ghlo_executable_take_input (marks->session->core->executable, marks->initial[next++], i, error);
        }
      if (value == NULL)
        return FALSE;
      if (!check_carry (marks->session, changed, marks->outputs[i], i, error))
        {
          ghlo_value_unref (value);
          return FALSE;
        }
      ghlo_session_bindings_carry (changed, marks->outputs[i], i, value);
    }

  return TRUE;
}

/* Inputs that are carried already keep their state unless they get a new initial value. */
static void
take_marked (GhloSession         *self,
             GhloSessionBindings *before,
             GhloSessionBindings *changed)
{
  for (guint i = 0; i < changed->n_inputs; i++)
    if (before->initial[i] != changed->initial[i])
      ghlo_session_core_reset (self->core, changed, i);
  ghlo_session_set_bindings (self, changed);
}

/**
 * ghlo_session_carry_all:
 * @self: a session
 * @initial: (array length=n_initial) (nullable): the values, in the first run, of those marked inputs that are neither
 *   bound nor carried, or of all marked inputs, in the program's order
 * @n_initial: the number of values
 * @error: return location for an error
 *
 * Carries each output that the program marks into the input whose memory it may reuse
 * ([method@Ghlo.ValueInfo.get_aliased_input]), such as trained parameters and caches. JAX marks the arguments that
 * `donate_argnums` names if an output has the same type (`tf.aliasing_output`).
 *
 * A marked input that is bound takes the bound value as its initial value and is no longer bound; the others take
 * their initial values from @initial. Inputs that are carried already remain unchanged. With a value for each marked
 * input, all of them get these values, whatever they had: so a new conversation, or a new training, begins. See
 * [method@Ghlo.Session.carry].
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT, and carries nothing, when the program has no marks, the number of values
 * in @initial is wrong, or one of the values or outputs cannot be carried.
 *
 * Returns: whether all marked outputs are carried
 *
 * Since: 1.0
 */
gboolean
ghlo_session_carry_all (GhloSession         *self,
                        GhloBuffer * const  *initial,
                        gsize                n_initial,
                        GError             **error)
{
  g_autofree guint *outputs = NULL;
  GhloSessionBindings *changed;
  Marks marks = { .session = self, .initial = initial, .n_initial = initial != NULL ? n_initial : 0 };
  gboolean done;

  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  marks.bindings = ghlo_session_begin_call (self, error);
  if (marks.bindings == NULL)
    return FALSE;
  outputs = g_new0 (guint, marks.bindings->n_inputs + 1);
  marks.outputs = outputs;
  changed = ghlo_session_bindings_copy (marks.bindings);
  done = find_marks (&marks, error) && check_count (&marks, error) && carry_marked (&marks, changed, error);
  if (done)
    take_marked (self, marks.bindings, changed);
  else
    ghlo_session_bindings_unref (changed);
  ghlo_session_bindings_unref (marks.bindings);

  return done;
}

/**
 * ghlo_session_reset:
 * @self: a session
 * @error: return location for an error
 *
 * Resets carried inputs to their initial values, for runs that are called from now
 * on. Runs in progress are not affected, and this function does not wait for them.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when the session was created without an
 * executable.
 *
 * Returns: whether the inputs were reset
 *
 * Since: 1.0
 */
gboolean
ghlo_session_reset (GhloSession  *self,
                    GError      **error)
{
  GhloSessionBindings *bindings;

  g_return_val_if_fail (GHLO_IS_SESSION (self), FALSE);

  bindings = ghlo_session_begin_call (self, error);
  if (bindings == NULL)
    return FALSE;
  ghlo_session_core_reset (self->core, bindings, -1);
  ghlo_session_bindings_unref (bindings);

  return TRUE;
}
