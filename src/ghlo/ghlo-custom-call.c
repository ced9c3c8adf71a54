/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls as the application's function sees them. Operands in memory that the run is about to reuse are
 * copied for buffers, which may be kept, but are read in place by callers that access the bytes during the call.
 */

#include "ghlo-custom-call-private.h"

#include "ghlo-value-info-private.h"
#include "ghlo/buffer/ghlo-buffer-private.h"
#include "ir/configuration.h"
#include "runtime/place.h"

/**
 * GhloCustomCall:
 *
 * One call of a function that the application registered with
 * [method@Ghlo.Client.register_custom_call]: the operands and attributes of the
 * program's `custom_call`, and the place for its results.
 *
 * The call ends when the function returns. Until then the object may be used, also
 * from other threads; later use fails with %GHLO_ERROR_INVALID_ARGUMENT. Buffers that
 * were taken from it remain valid.
 *
 * Since: 1.0
 */
struct _GhloCustomCall
{
  GObject                    parent_instance;

  char                      *target;         /* never changes; neither do the next two; NULL in an object without a
                                              * call */
  gboolean                   has_side_effect;
  GCancellable              *cancellable;    /* nullable */

  GMutex                     lock;           /* guards the fields below */
  const GhloCustomCallFrame *frame;          /* NULL once the call is over */
  GhloValue                **operands;       /* copies of operands that cannot be kept; NULL where none was made */
  GhloValue                **results;        /* NULL where none was set */
};

/**
 * GhloCustomCallFunction:
 * @call: the call
 * @user_data: the data that the function was registered with
 * @error: return location for an error
 *
 * Implements a program's `custom_call`: reads the operands, and sets each result with
 * [method@Ghlo.CustomCall.set_result] or writes it to the memory from
 * [method@Ghlo.CustomCall.get_result_data]. Tokens need not be set.
 *
 * It is called on the thread that runs the operation, and on several threads at once
 * when several runs are in progress; or in the main context that it was registered
 * with.
 *
 * An error ends the run. The caller of the run receives it, with the operation's place
 * in the program prepended to its message.
 *
 * Returns: whether the results were computed; %FALSE with @error set
 *
 * Since: 1.0
 */

G_DEFINE_FINAL_TYPE (GhloCustomCall, ghlo_custom_call, G_TYPE_OBJECT)

static void
ghlo_custom_call_finalize (GObject *object)
{
  GhloCustomCall *self = GHLO_CUSTOM_CALL (object);

  g_free (self->target);
  g_clear_object (&self->cancellable);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (ghlo_custom_call_parent_class)->finalize (object);
}

static void
ghlo_custom_call_class_init (GhloCustomCallClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ghlo_custom_call_finalize;
}

static void
ghlo_custom_call_init (GhloCustomCall *self)
{
  g_mutex_init (&self->lock);
}

GhloCustomCall *
ghlo_custom_call_new (const char                *target,
                      const GhloCustomCallFrame *frame)
{
  GhloCustomCall *self = g_object_new (GHLO_TYPE_CUSTOM_CALL, NULL);

  self->target = g_utf8_make_valid (target, -1);
  self->has_side_effect = ghlo_ir_op_get_int (frame->op, "has_side_effect", FALSE) != 0;
  if (frame->monitor != NULL && frame->monitor->cancellable != NULL)
    self->cancellable = g_object_ref (frame->monitor->cancellable);
  self->operands = g_new0 (GhloValue *, (gsize) frame->op->n_operands + 1);
  self->results = g_new0 (GhloValue *, (gsize) frame->op->n_results + 1);
  self->frame = frame;

  return self;
}

/* Moves the results to the frame. An application that wrote to a result's memory may have left invalid
 * elements there, so they are checked. */
static gboolean
move_results (GhloCustomCall            *self,
              const GhloCustomCallFrame *frame,
              GError                   **error)
{
  for (guint i = 0; i < frame->op->n_results; i++)
    {
      frame->results[i] = g_steal_pointer (&self->results[i]);
      if (frame->results[i] == NULL && frame->op->results[i].type->kind == GHLO_IR_TYPE_TOKEN)
        frame->results[i] = ghlo_value_new_token ();
      if (frame->results[i] != NULL && frame->results[i]->kind == GHLO_VALUE_TENSOR
          && !ghlo_buffer_check_elements (frame->results[i], error))
        {
          g_prefix_error (error, "result %u: ", i);
          return FALSE;
        }
    }

  return TRUE;
}

gboolean
ghlo_custom_call_end (GhloCustomCall  *self,
                      GError         **error)
{
  const GhloCustomCallFrame *frame;
  gboolean ok;

  g_mutex_lock (&self->lock);
  frame = g_steal_pointer (&self->frame);
  ok = *error == NULL && move_results (self, frame, error);
  ghlo_values_clear (self->results, frame->op->n_results);
  ghlo_values_clear (self->operands, frame->op->n_operands);
  g_clear_pointer (&self->results, g_free);
  g_clear_pointer (&self->operands, g_free);
  g_mutex_unlock (&self->lock);

  return ok;
}

/* Checks that the call is in progress and has an operand or result of that number. Called with the lock held. */
static gboolean
check_call (const GhloCustomCall  *self,
            const char            *what,
            guint                  index,
            gboolean               is_result,
            GError               **error)
{
  guint n;

  if (self->frame == NULL)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                           "the custom call has ended: it can be used only until the function that implements it "
                           "returns");
      return FALSE;
    }
  n = is_result ? self->frame->op->n_results : self->frame->op->n_operands;
  if (index < n)
    return TRUE;

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected one of %u %ss of '%s', counted from 0, found %u", n, what, self->target, index);

  return FALSE;
}

/**
 * ghlo_custom_call_get_target:
 * @self: a custom call
 *
 * Gets the name that the program calls.
 *
 * Returns: (nullable): the name; %NULL for an object that does not belong to a call
 *
 * Since: 1.0
 */
const char *
ghlo_custom_call_get_target (GhloCustomCall *self)
{
  g_return_val_if_fail (GHLO_IS_CUSTOM_CALL (self), NULL);

  return self->target;
}

/**
 * ghlo_custom_call_get_backend_config:
 * @self: a custom call
 *
 * Gets the `backend_config` of the operation as text. Up to version 3 of the calling
 * convention this is the string in the program; in version 4 it is the dictionary in
 * MLIR's syntax. [method@Ghlo.CustomCall.get_attributes] gives access to the entries of
 * a dictionary.
 *
 * Returns: (transfer full) (nullable): the text; %NULL when the program has none or the
 *   call is over
 *
 * Since: 1.0
 */
char *
ghlo_custom_call_get_backend_config (GhloCustomCall *self)
{
  char *config = NULL;

  g_return_val_if_fail (GHLO_IS_CUSTOM_CALL (self), NULL);

  g_mutex_lock (&self->lock);
  if (self->frame != NULL)
    config = ghlo_ir_configuration_to_string (self->frame->op);
  g_mutex_unlock (&self->lock);

  return config;
}

/**
 * ghlo_custom_call_get_attributes:
 * @self: a custom call
 *
 * Gets the configuration of the call as a dictionary of type `a{sv}`: the entries of
 * `backend_config` where it is a dictionary, those of `mhlo.attributes` and
 * `mhlo.backend_config`, which older programs use instead, and attributes of the
 * operation that StableHLO does not define.
 *
 * Booleans are `b`, integers of any width `x`, floats `d`, strings `s`, arrays of numbers
 * (`array<i64: 1, 2>`) `ax` and `ad`, other arrays `av`, and dictionaries `a{sv}`.
 * Everything else is text in MLIR's syntax, `s`.
 *
 * Returns: (transfer full): a dictionary; empty when the call is over
 *
 * Since: 1.0
 */
GVariant *
ghlo_custom_call_get_attributes (GhloCustomCall *self)
{
  GVariant *attributes = NULL;

  g_return_val_if_fail (GHLO_IS_CUSTOM_CALL (self), NULL);

  g_mutex_lock (&self->lock);
  if (self->frame != NULL)
    attributes = ghlo_ir_configuration_to_variant (self->frame->op);
  g_mutex_unlock (&self->lock);

  return g_variant_ref_sink (attributes != NULL ? attributes : g_variant_new ("a{sv}", NULL));
}

/**
 * ghlo_custom_call_has_side_effect:
 * @self: a custom call
 *
 * Gets whether the program declares that the call has side effects. A call with side
 * effects is executed each time a run reaches it, in program order. A call without them
 * may be omitted when its results are unused.
 *
 * Returns: whether the call has a side effect
 *
 * Since: 1.0
 */
gboolean
ghlo_custom_call_has_side_effect (GhloCustomCall *self)
{
  g_return_val_if_fail (GHLO_IS_CUSTOM_CALL (self), FALSE);

  return self->has_side_effect;
}

/**
 * ghlo_custom_call_get_cancellable:
 * @self: a custom call
 *
 * Gets a cancellable that is cancelled together with the run. A function that takes
 * long should check it from time to time and return an error when it is cancelled;
 * any error will do.
 *
 * Returns: (transfer none) (nullable): a cancellable; %NULL when the run cannot be
 *   cancelled
 *
 * Since: 1.0
 */
GCancellable *
ghlo_custom_call_get_cancellable (GhloCustomCall *self)
{
  g_return_val_if_fail (GHLO_IS_CUSTOM_CALL (self), NULL);

  return self->cancellable;
}

/**
 * ghlo_custom_call_list_operands:
 * @self: a custom call
 *
 * Lists the operands as the program declares them: their kinds, and their types,
 * which may be dynamic.
 *
 * Returns: (transfer full) (array zero-terminated=1): an info for each operand;
 *   empty when the call is over
 *
 * Since: 1.0
 */
GhloValueInfo **
ghlo_custom_call_list_operands (GhloCustomCall *self)
{
  GhloValueInfo **infos;
  guint n;

  g_return_val_if_fail (GHLO_IS_CUSTOM_CALL (self), NULL);

  g_mutex_lock (&self->lock);
  n = self->frame != NULL ? self->frame->op->n_operands : 0;
  infos = g_new0 (GhloValueInfo *, (gsize) n + 1);
  for (guint i = 0; i < n; i++)
    infos[i] = ghlo_value_info_new_for_type (ghlo_ir_op_operand (self->frame->op, i)->type, i);
  g_mutex_unlock (&self->lock);

  return infos;
}

/* Returns the operand, borrowed, as a value that may be kept after the call. Called with the lock held. */
static GhloValue *
keep_operand (GhloCustomCall  *self,
              guint            index,
              GError         **error)
{
  GhloValue *value = self->frame->operands[index];

  if (value->kind != GHLO_VALUE_TENSOR || !value->storage->is_call_scoped)
    return value;
  if (self->operands[index] == NULL)
    self->operands[index] = ghlo_value_new_copied (value->type, value->data, NULL, error);

  return self->operands[index];
}

/**
 * ghlo_custom_call_get_operand:
 * @self: a custom call
 * @index: the index of an operand, from 0
 * @error: return location for an error
 *
 * Gets an operand, in host memory. The buffer may be kept after the call. An operand in
 * memory that the run will reuse is copied.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there is no such operand, or the call is
 * over.
 *
 * Returns: (transfer full): a buffer, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_custom_call_get_operand (GhloCustomCall  *self,
                              guint            index,
                              GError         **error)
{
  GhloValue *value = NULL;

  g_return_val_if_fail (GHLO_IS_CUSTOM_CALL (self), NULL);

  g_mutex_lock (&self->lock);
  if (check_call (self, "operand", index, FALSE, error))
    value = keep_operand (self, index, error);
  if (value != NULL)
    ghlo_value_ref (value);
  g_mutex_unlock (&self->lock);

  return ghlo_buffer_new_for_value (value);
}

static gboolean
check_tensor (const GhloValue  *value,
              const char       *what,
              guint             index,
              GError          **error)
{
  if (value->kind == GHLO_VALUE_TENSOR)
    return TRUE;

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected the number of a tensor, found %s %u, which has no elements", what, index);

  return FALSE;
}

/**
 * ghlo_custom_call_get_operand_data: (skip)
 * @self: a custom call
 * @index: the index of an operand, from 0
 * @n_bytes: (out) (optional): return location for the number of bytes
 * @error: return location for an error
 *
 * Gets the elements of a tensor operand without a copy, in the layout that
 * [class@Ghlo.Buffer] describes.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there is no such operand, it is not a
 * tensor, or the call is over.
 *
 * Returns: (array length=n_bytes) (element-type guint8) (transfer none): the bytes, which
 *   must not be written to and are valid until the function returns; %NULL with @error
 *   set
 *
 * Since: 1.0
 */
gconstpointer
ghlo_custom_call_get_operand_data (GhloCustomCall  *self,
                                   guint            index,
                                   gsize           *n_bytes,
                                   GError         **error)
{
  static const guint8 nothing[1];
  const GhloValue *value;
  const guint8 *data = NULL;
  gsize size = 0;

  g_return_val_if_fail (GHLO_IS_CUSTOM_CALL (self), NULL);

  g_mutex_lock (&self->lock);
  if (check_call (self, "operand", index, FALSE, error))
    {
      value = self->frame->operands[index];
      if (check_tensor (value, "operand", index, error))
        {
          data = value->data != NULL ? value->data : nothing;
          size = value->n_bytes;
        }
    }
  g_mutex_unlock (&self->lock);
  if (n_bytes != NULL)
    *n_bytes = size;

  return data;
}

/**
 * ghlo_custom_call_list_results:
 * @self: a custom call
 *
 * Lists the results as the program declares them: their kinds, and their types,
 * which may be dynamic.
 *
 * Returns: (transfer full) (array zero-terminated=1): an info for each result; empty
 *   when the call is over
 *
 * Since: 1.0
 */
GhloValueInfo **
ghlo_custom_call_list_results (GhloCustomCall *self)
{
  GhloValueInfo **infos;
  guint n;

  g_return_val_if_fail (GHLO_IS_CUSTOM_CALL (self), NULL);

  g_mutex_lock (&self->lock);
  n = self->frame != NULL ? self->frame->op->n_results : 0;
  infos = g_new0 (GhloValueInfo *, (gsize) n + 1);
  for (guint i = 0; i < n; i++)
    infos[i] = ghlo_value_info_new_for_type (self->frame->op->results[i].type, i);
  g_mutex_unlock (&self->lock);

  return infos;
}

/**
 * ghlo_custom_call_set_result:
 * @self: a custom call
 * @index: the index of a result, from 0
 * @buffer: the result, of the type that the program declares
 * @error: return location for an error
 *
 * Sets a result. Data in device memory is copied to the host; otherwise nothing is
 * copied. The call keeps the data even if @buffer is released. Setting a result again
 * replaces it.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there is no such result, @buffer was
 * released, or the call is over. A result of another type makes the run fail after the
 * function has returned.
 *
 * Returns: whether the result was set
 *
 * Since: 1.0
 */
gboolean
ghlo_custom_call_set_result (GhloCustomCall  *self,
                             guint            index,
                             GhloBuffer      *buffer,
                             GError         **error)
{
  const GhloMonitor monitor = { .cancellable = GHLO_IS_CUSTOM_CALL (self) ? self->cancellable : NULL };
  g_autoptr (GhloValue) value = NULL;
  gboolean ok;

  g_return_val_if_fail (GHLO_IS_CUSTOM_CALL (self), FALSE);

  if (!GHLO_IS_BUFFER (buffer))
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected a buffer for result %u, found nothing",
                   index);
      return FALSE;
    }
  value = ghlo_buffer_take_value (buffer, error);
  if (value == NULL || (!ghlo_value_is_on_host (value) && !ghlo_value_fetch (value, &monitor, error)))
    return FALSE;

  g_mutex_lock (&self->lock);
  ok = check_call (self, "result", index, TRUE, error);
  if (ok)
    {
      g_clear_pointer (&self->results[index], ghlo_value_unref);
      self->results[index] = g_steal_pointer (&value);
    }
  g_mutex_unlock (&self->lock);

  return ok;
}

/* Returns the result's tensor, borrowed; a new one is filled with zeros. Called with the lock held. */
static GhloValue *
make_result (GhloCustomCall  *self,
             guint            index,
             GError         **error)
{
  const GhloIrType *type = self->frame->op->results[index].type;
  g_autoptr (GhloTensorType) tensor_type = NULL;
  g_autofree char *text = NULL;

  /* A value that was set may be shared with others, so it cannot be written to. */
  if (self->results[index] != NULL && ghlo_value_is_own (self->results[index]))
    return self->results[index];
  if (!ghlo_ir_type_is_tensor (type) || !ghlo_ir_type_has_static_shape (type))
    {
      text = ghlo_ir_type_to_string (type);
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected the number of a result with a static tensor type, found result %u of type %s: set it "
                   "to a buffer with ghlo_custom_call_set_result ()", index, text);
      return NULL;
    }
  g_clear_pointer (&self->results[index], ghlo_value_unref);
  tensor_type = ghlo_tensor_type_new_full (type->element_type, type->dimensions, NULL, type->rank, type->quantization);
  self->results[index] = ghlo_value_new_tensor (tensor_type, error);

  return self->results[index];
}

/**
 * ghlo_custom_call_get_result_data: (skip)
 * @self: a custom call
 * @index: the index of a result, from 0
 * @n_bytes: (out) (optional): return location for the number of bytes
 * @error: return location for an error
 *
 * Gets memory for the elements of a result, in the layout that [class@Ghlo.Buffer]
 * describes. The result must be a tensor with a static shape. The memory is zeroed at
 * first; the function may write to it until it returns.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there is no such result, it is not a
 * tensor or has a dynamic shape, or the call is over, and with %GHLO_ERROR_OUT_OF_MEMORY.
 * Invalid elements make the run fail with %GHLO_ERROR_DATA after the function has
 * returned.
 *
 * Returns: (array length=n_bytes) (element-type guint8) (transfer none): the bytes, which
 *   are valid until the function returns; %NULL with @error set
 *
 * Since: 1.0
 */
gpointer
ghlo_custom_call_get_result_data (GhloCustomCall  *self,
                                  guint            index,
                                  gsize           *n_bytes,
                                  GError         **error)
{
  GhloValue *value = NULL;
  guint8 *data = NULL;
  gsize size = 0;

  g_return_val_if_fail (GHLO_IS_CUSTOM_CALL (self), NULL);

  g_mutex_lock (&self->lock);
  if (check_call (self, "result", index, TRUE, error))
    value = make_result (self, index, error);
  if (value != NULL)
    {
      data = value->data;
      size = value->n_bytes;
    }
  g_mutex_unlock (&self->lock);
  if (n_bytes != NULL)
    *n_bytes = size;

  return data;
}
