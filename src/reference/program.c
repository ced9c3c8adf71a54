/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Builds steps from a module: numbers the values of each function, finds the last
 * use of each, resolves kernels and callees, and keeps small constants.
 */

#include "reference/program.h"

#include <string.h>

#include "ir/symbols.h"
#include "reference/custom-call.h"
#include "reference/kernels.h"

/* State of the build of one function. */
typedef struct
{
  GhloRefProgram *program;
  const GhloCustomTargets *custom_targets;
  GHashTable     *slots;     /* of GhloIrValue → slot + 1 */
  GPtrArray      *pending;   /* functions seen but not built yet; borrowed */
  GByteArray     *seen;      /* by slot: whether a later step of its block uses it */
  GByteArray     *uses;      /* by slot: uses by the current step, counted up to 2 */
  guint32         n_slots;
  GError        **error;
} Builder;

static gboolean build_block   (Builder           *builder,
                               const GhloIrBlock *source,
                               GhloRefBlock      *block,
                               GArray            *captured);
static void     function_free (gpointer           data);

static gboolean G_GNUC_PRINTF (4, 5)
build_fail (Builder        *builder,
            const GhloIrOp *op,
            int             code,
            const char     *format,
            ...)
{
  g_autoptr (GString) text = g_string_new (NULL);
  va_list args;

  ghlo_ref_append_place (text, builder->program->module, op);
  va_start (args, format);
  g_string_append_vprintf (text, format, args);
  va_end (args);
  g_set_error_literal (builder->error, GHLO_ERROR, code, text->str);

  return FALSE;
}

#define build_fail(...) GHLO_FALSE_AFTER (build_fail (__VA_ARGS__))

/* Zeroed memory that belongs to the program and counts towards its size. */
static gpointer
take (Builder *builder,
      gsize    n,
      gsize    size)
{
  builder->program->size += n * size;

  return g_malloc0_n (n, size);
}

#define TAKE(builder, type, n) ((type *) take (builder, n, sizeof (type)))

static GhloRefFunction *
find_function (const GhloRefProgram *program,
               const GhloIrOp     *op)
{
  if (program->entry != NULL && program->entry->op == op)
    return program->entry;

  return program->callees != NULL ? g_hash_table_lookup (program->callees, op) : NULL;
}

static void
add_function (GhloRefProgram    *program,
              GhloRefFunction *function)
{
  if (program->entry == NULL)
    {
      program->entry = function;
      return;
    }
  if (program->callees == NULL)
    program->callees = g_hash_table_new_full (NULL, NULL, NULL, function_free);
  g_hash_table_insert (program->callees, (gpointer) function->op, function);
}

/* Returns the function of @op. If it is new, it is queued and built later. */
static const GhloRefFunction *
demand_function (Builder  *builder,
                 GhloIrOp *op)
{
  GhloRefFunction *function = find_function (builder->program, op);

  if (function == NULL)
    {
      function = TAKE (builder, GhloRefFunction, 1);
      function->op = op;
      add_function (builder->program, function);
      g_ptr_array_add (builder->pending, function);
    }

  return function;
}

static const GhloRefFunction *
demand_symbol (Builder        *builder,
               const GhloIrOp *op,
               const char     *name)
{
  GhloIrOp *target = ghlo_ir_op_find_symbol (op, name);

  if (target == NULL || target->kind != GHLO_OP_FUNC_FUNC || ghlo_ir_func_get_body (target) == NULL)
    return NULL;

  return demand_function (builder, target);
}

static void
number_values (Builder           *builder,
               const GhloIrValue *value)
{
  g_hash_table_insert (builder->slots, (gpointer) value, GUINT_TO_POINTER (++builder->n_slots));
}

static gboolean
find_slot (Builder           *builder,
           const GhloIrOp    *op,
           const GhloIrValue *value,
           guint32           *slot)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (builder->slots, value));

  if (number == 0)
    return build_fail (builder, op, GHLO_ERROR_INTERNAL, "an operand is used before it is defined");
  *slot = number - 1;

  return TRUE;
}

static gboolean
is_terminator (const GhloIrOp *op)
{
  return (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_TERMINATOR) != 0;
}

/* Whether this is the last use of a slot of the block. TRUE once for each slot, since steps are visited in
 * reverse. Slots from outside the block are appended to @captured. */
static gboolean
take_last_use (Builder            *builder,
               const GhloRefBlock *block,
               guint32             slot,
               GArray             *captured)
{
  if (slot < block->first_slot || slot >= block->end_slot)
    {
      if (captured != NULL)
        g_array_append_val (captured, slot);
      return FALSE;
    }
  if (builder->seen->data[slot])
    return FALSE;
  builder->seen->data[slot] = TRUE;

  return TRUE;
}

static int
compare_slots (gconstpointer a,
               gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return (x > y) - (x < y);
}

static void
make_unique (GArray *slots)
{
  guint n = 0;

  g_array_sort (slots, compare_slots);
  for (guint i = 0; i < slots->len; i++)
    if (n == 0 || g_array_index (slots, guint32, i) != g_array_index (slots, guint32, n - 1))
      g_array_index (slots, guint32, n++) = g_array_index (slots, guint32, i);
  g_array_set_size (slots, n);
}

/* Prefers the library's own kernel for a custom call to a function of the application. */
static gboolean
resolve_custom_call (Builder     *builder,
                     GhloRefStep *step)
{
  const char *given = ghlo_ir_op_get_string (step->op, "call_target_name");
  const char *name = given != NULL ? given : "";
  GhloCustomTarget *target = ghlo_custom_targets_find (builder->custom_targets, name);
  g_autofree char *problem = NULL;

  step->kernel = ghlo_ref_custom_target (name);
  if (step->kernel != NULL)
    return ghlo_ref_custom_check (step->op, &problem)
           || build_fail (builder, step->op, GHLO_ERROR_INVALID_ARGUMENT, "%s", problem);
  if (target != NULL)
    {
      step->custom = ghlo_custom_target_ref (target);
      step->kernel = ghlo_ref_custom_application;
      return TRUE;
    }

  problem = ghlo_ref_custom_explain (name, builder->custom_targets);

  return build_fail (builder, step->op, GHLO_ERROR_UNSUPPORTED, "%s", problem);
}

static gboolean
resolve_kernel (Builder     *builder,
                GhloRefStep *step)
{
  const GhloIrOp *op = step->op;

  if (op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL)
    return resolve_custom_call (builder, step);
  step->kernel = ghlo_ref_kernel (op->kind);
  if (step->kernel == NULL)
    return build_fail (builder, op, GHLO_ERROR_UNSUPPORTED, "the reference executor cannot run this operation");

  if (step->kernel == ghlo_ref_constant && ghlo_ref_constant_is_small (op))
    {
      step->constant = ghlo_ref_constant_value (op, builder->error);
      if (step->constant == NULL)
        {
          ghlo_ref_prefix_place (builder->error, builder->program->module, op);
          return FALSE;
        }
    }

  return TRUE;
}

typedef struct
{
  Builder        *builder;
  const GhloIrOp *op;
} Demand;

static void
demand_named (const char *name,
              gpointer    data)
{
  const Demand *demand = data;

  demand_symbol (demand->builder, demand->op, name);
}

/* An operation may run any function that one of its attributes names, at any depth. */
static void
resolve_symbols (Builder     *builder,
                 GhloRefStep *step)
{
  const GhloIrOp *op = step->op;
  Demand demand = { builder, op };
  const char *name = NULL;

  for (guint i = 0; i < ghlo_ir_op_get_spec (op)->n_attributes; i++)
    ghlo_ir_attr_foreach_symbol (op->attributes[i], demand_named, &demand);

  if (op->kind == GHLO_OP_FUNC_CALL)
    name = ghlo_ir_op_get_string (op, "callee");
  else if (op->kind == GHLO_OP_STABLEHLO_COMPOSITE)
    name = ghlo_ir_op_get_string (op, "decomposition");
  if (name != NULL)
    step->callee = demand_symbol (builder, op, name);
}

static gboolean
build_regions (Builder     *builder,
               GhloRefStep *step,
               GArray      *used)
{
  g_autoptr (GArray) captured = g_array_new (FALSE, FALSE, sizeof (guint32));
  const GhloIrOp *op = step->op;

  step->n_regions = op->n_regions;
  step->regions = TAKE (builder, GhloRefBlock, op->n_regions);
  for (guint i = 0; i < op->n_regions; i++)
    {
      if (op->regions[i].first != op->regions[i].last)
        return build_fail (builder, op, GHLO_ERROR_UNSUPPORTED, "expected one block in region %u, found several", i);
      if (op->regions[i].first != NULL
          && !build_block (builder, op->regions[i].first, &step->regions[i], captured))
        return FALSE;
    }
  g_array_append_vals (used, captured->data, captured->len);

  return TRUE;
}

/* @used receives the slots of the operands and of the values that regions capture. */
static gboolean
build_step (Builder        *builder,
            const GhloIrOp *op,
            GhloRefStep    *step,
            GArray         *used)
{
  step->op = op;
  step->n_operands = op->n_operands;
  step->n_results = op->n_results;
  for (guint i = 0; i < op->n_operands; i++)
    {
      guint32 slot;

      if (!find_slot (builder, op, op->operands[i].value, &slot))
        return FALSE;
      g_array_append_val (used, slot);
    }

  step->first_result = builder->n_slots;
  step->result_types = TAKE (builder, GhloTensorType *, op->n_results);
  for (guint i = 0; i < op->n_results; i++)
    {
      const GhloIrType *type = op->results[i].type;

      number_values (builder, &op->results[i]);
      if (ghlo_ir_type_is_tensor (type) && ghlo_ir_type_has_static_shape (type))
        {
          step->result_types[i] = ghlo_ir_type_to_tensor_type (type);
          builder->program->size += sizeof (GhloTensorType) + type->rank * sizeof (gint64);
        }
    }

  resolve_symbols (builder, step);

  return resolve_kernel (builder, step) && build_regions (builder, step, used);
}

/* Whether the operation hands its operands on to a block, which may then release them early. */
static gboolean
takes_operands (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_FUNC_CALL || op->kind == GHLO_OP_STABLEHLO_COMPOSITE
         || op->kind == GHLO_OP_STABLEHLO_WHILE;
}

static void
find_takeable (Builder            *builder,
               const GhloRefBlock *block,
               GhloRefStep        *step,
               const GArray       *slots)
{
  guint8 *seen = builder->seen->data, *uses;

  g_byte_array_set_size (builder->uses, builder->seen->len);
  uses = builder->uses->data;
  for (guint i = 0; i < slots->len; i++)
    uses[g_array_index (slots, guint32, i)] = 0;
  for (guint i = 0; i < slots->len; i++)
    {
      guint32 slot = g_array_index (slots, guint32, i);

      uses[slot] = MIN (uses[slot] + 1, 2);
    }

  step->takeable = TAKE (builder, guint8, step->n_operands);
  for (guint i = 0; i < step->n_operands; i++)
    {
      guint32 slot = g_array_index (slots, guint32, i);

      step->takeable[i] = uses[slot] == 1 && slot >= block->first_slot && slot < block->end_slot && !seen[slot];
    }
}

/* Visits the steps of a block in reverse order, so that the first use found of a slot is its last one. */
static void
find_last_uses (Builder      *builder,
                GhloRefBlock *block,
                GPtrArray    *used,
                GArray       *captured)
{
  g_autoptr (GArray) dying = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = block->n_steps; i-- > 0;)
    {
      GhloRefStep *step = &block->steps[i];
      GArray *slots = g_ptr_array_index (used, i);
      guint n_operands = step->n_operands;

      if (takes_operands (step->op))
        find_takeable (builder, block, step, slots);
      g_array_set_size (dying, 0);
      for (guint j = 0; j < step->n_results; j++)
        {
          guint32 slot = step->first_result + j;

          if (!builder->seen->data[slot])
            g_array_append_val (dying, slot);
        }
      for (guint j = 0; j < slots->len; j++)
        {
          guint32 slot = g_array_index (slots, guint32, j);

          if (take_last_use (builder, block, slot, captured))
            g_array_append_val (dying, slot);
        }

      step->n_dying = dying->len;
      step->slots = TAKE (builder, guint32, MAX (n_operands + dying->len, 1));
      if (n_operands > 0)
        memcpy (step->slots, slots->data, n_operands * sizeof (guint32));
      if (dying->len > 0)
        memcpy (step->slots + n_operands, dying->data, dying->len * sizeof (guint32));
    }
}

/* Records the terminator's operands, the unused arguments, and the slots that die at the end of the block. */
static gboolean
finish_block (Builder        *builder,
              const GhloIrOp *terminator,
              GhloRefBlock   *block,
              GPtrArray      *used,
              GArray         *captured)
{
  g_autoptr (GArray) slots = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) dying = g_array_new (FALSE, FALSE, sizeof (guint32));

  g_byte_array_set_size (builder->seen, MAX (builder->n_slots, builder->seen->len));
  if (block->end_slot > block->first_slot)
    memset (builder->seen->data + block->first_slot, FALSE, block->end_slot - block->first_slot);

  for (guint i = 0; terminator != NULL && i < terminator->n_operands; i++)
    {
      guint32 slot;

      if (!find_slot (builder, terminator, terminator->operands[i].value, &slot))
        return FALSE;
      g_array_append_val (slots, slot);
      if (take_last_use (builder, block, slot, captured))
        g_array_append_val (dying, slot);
    }
  find_last_uses (builder, block, used, captured);

  block->n_returned = slots->len;
  for (guint32 i = 0; i < block->n_arguments; i++)
    {
      guint32 slot = block->first_slot + i;

      if (!builder->seen->data[slot])
        g_array_append_val (slots, slot);
    }
  block->n_dying_arguments = slots->len - block->n_returned;
  block->n_dying = dying->len;
  g_array_append_vals (slots, dying->data, dying->len);
  block->slots = TAKE (builder, guint32, MAX (slots->len, 1));
  if (slots->len > 0)
    memcpy (block->slots, slots->data, slots->len * sizeof (guint32));

  return TRUE;
}

static gboolean
build_block (Builder           *builder,
             const GhloIrBlock *source,
             GhloRefBlock      *block,
             GArray            *captured)
{
  g_autoptr (GPtrArray) used = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  const GhloIrOp *terminator = source->last != NULL && is_terminator (source->last) ? source->last : NULL;
  guint32 n_steps = 0;

  block->block = source;
  block->is_present = TRUE;
  block->first_slot = builder->n_slots;
  block->n_arguments = source->n_arguments;
  for (guint i = 0; i < source->n_arguments; i++)
    number_values (builder, source->arguments[i]);

  for (const GhloIrOp *op = source->first; op != NULL && op != terminator; op = op->next)
    n_steps++;
  block->steps = TAKE (builder, GhloRefStep, n_steps);
  for (const GhloIrOp *op = source->first; op != NULL && op != terminator; op = op->next)
    {
      GArray *slots = g_array_new (FALSE, FALSE, sizeof (guint32));

      g_ptr_array_add (used, slots);
      if (!build_step (builder, op, &block->steps[block->n_steps++], slots))
        return FALSE;
    }
  block->end_slot = builder->n_slots;

  if (!finish_block (builder, terminator, block, used, captured))
    return FALSE;
  if (captured != NULL)
    make_unique (captured);

  return TRUE;
}

static gboolean
build_function (GhloRefProgram          *program,
                const GhloCustomTargets *custom_targets,
                GPtrArray               *pending,
                GhloRefFunction         *function,
                GError                 **error)
{
  g_autoptr (GHashTable) slots = g_hash_table_new (NULL, NULL);
  g_autoptr (GByteArray) seen = g_byte_array_new ();
  g_autoptr (GByteArray) uses = g_byte_array_new ();
  Builder builder = { program, custom_targets, slots, pending, seen, uses, 0, error };
  GhloIrBlock *body = ghlo_ir_func_get_body (function->op);

  if (body == NULL)
    return build_fail (&builder, function->op, GHLO_ERROR_UNSUPPORTED, "a declaration without a body cannot be run");
  if (body->region->first != body->region->last)
    return build_fail (&builder, function->op, GHLO_ERROR_UNSUPPORTED, "expected one block in the body, found several");
  if (!build_block (&builder, body, &function->body, NULL))
    return FALSE;
  function->n_slots = builder.n_slots;

  return TRUE;
}

static void
block_clear (GhloRefBlock *block)
{
  for (guint i = 0; i < block->n_steps; i++)
    {
      GhloRefStep *step = &block->steps[i];

      for (guint j = 0; j < step->n_regions; j++)
        block_clear (&step->regions[j]);
      for (guint j = 0; step->result_types != NULL && j < step->n_results; j++)
        g_clear_pointer (&step->result_types[j], ghlo_tensor_type_unref);
      g_clear_pointer (&step->constant, ghlo_value_unref);
      g_clear_pointer (&step->custom, ghlo_custom_target_unref);
      g_free (step->result_types);
      g_free (step->regions);
      g_free (step->slots);
      g_free (step->takeable);
    }
  g_free (block->steps);
  g_free (block->slots);
}

static void
function_free (gpointer data)
{
  GhloRefFunction *function = data;

  block_clear (&function->body);
  g_free (function);
}

GhloRefProgram *
ghlo_ref_program_new (GhloIrModule            *module,
                      GhloIrOp                *function,
                      const GhloCustomTargets *custom_targets,
                      const GhloMonitor       *monitor,
                      GError                 **error)
{
  g_autoptr (GhloRefProgram) self = g_new0 (GhloRefProgram, 1);
  g_autoptr (GPtrArray) pending = g_ptr_array_new ();
  Builder builder = { .program = self, .pending = pending, .error = error };

  self->size = sizeof *self;
  self->module = ghlo_ir_module_ref (module);
  demand_function (&builder, function);

  for (guint i = 0; i < pending->len; i++)
    {
      if (ghlo_monitor_cancelled (monitor, error)
          || !build_function (self, custom_targets, pending, g_ptr_array_index (pending, i), error))
        return NULL;
      ghlo_monitor_progress (monitor, (double) (i + 1) / pending->len, NULL);
    }

  return g_steal_pointer (&self);
}

void
ghlo_ref_program_free (GhloRefProgram *self)
{
  function_free (self->entry);
  g_clear_pointer (&self->callees, g_hash_table_unref);
  ghlo_ir_module_unref (self->module);
  g_free (self);
}

const GhloRefFunction *
ghlo_ref_program_get_function (const GhloRefProgram *self,
                               const GhloIrOp       *op)
{
  return find_function (self, op);
}
