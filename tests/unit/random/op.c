/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How an operation is drawn: its row first, then either a random program of one step that contains it, or an operation
 * made from the row alone; then mutations.
 */

#include "../passes/pass-help.h"
#include "op.h"
#include "passes/walk.h"

enum
{
  N_PROGRAMS = 6000,      /* random programs that are searched for operations */
  MAX_SEEDS = 24,         /* programs recorded for each operation */
};

/* The program around an operation that is made from its row alone. */
static const char host[] =
  "func.func private @f(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n"
  "func.func @main() {\n  return\n}\n";

/* Seeds of programs by the kinds of operations in them, in any function or region. */
static struct
{
  guint32 seeds[MAX_SEEDS];
  guint   n;
} pool[GHLO_N_OPS];

guint
random_op_pick (RandomOp *self,
                guint     n)
{
  guint number = 0;

  for (guint most = 1; most < n && self->size > 0; most <<= 8)
    {
      number = number << 8 | *self->data++;
      self->size--;
    }

  return number % n;
}

gboolean
random_op_once (RandomOp *self,
                guint     n)
{
  return random_op_pick (self, n) == n - 1;
}

static RandomProgram *
make_program (guint32 seed)
{
  const RandomOptions options = { .n_steps = 1, .is_loose = seed % 4 == 0 };

  return random_program_new (seed, &options);
}

static GhloIrModule *
read_program (const char *text)
{
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = pass_parse ("drawn", text, strlen (text), &error);

  g_assert_no_error (error);

  return module;
}

static void
remember (GhloIrOp *op,
          guint32   seed)
{
  guint n = pool[op->kind].n;

  if (n < MAX_SEEDS && (n == 0 || pool[op->kind].seeds[n - 1] != seed))
    pool[op->kind].seeds[pool[op->kind].n++] = seed;
  for (guint i = 0; i < op->n_regions; i++)
    for (GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        remember (inner, seed);
}

static void
fill_pool (void)
{
  static gsize is_filled;

  if (!g_once_init_enter (&is_filled))
    return;
  for (guint32 seed = 1; seed <= N_PROGRAMS; seed++)
    {
      g_autoptr (RandomProgram) program = make_program (seed);
      g_autofree char *text = random_program_to_text (program);
      g_autoptr (GhloIrModule) module = read_program (text);

      remember (module->op, seed);
    }
  g_once_init_leave (&is_filled, 1);
}

/* The first operation of @kind inside of @root, except @main itself; NULL when there is none. */
static GhloIrOp *
find_op (GhloIrOp     *root,
         GhloIrOpKind  kind)
{
  for (GhloIrOp *op = ghlo_pass_next_op (root, root); op != NULL; op = ghlo_pass_next_op (op, root))
    if (op->kind == kind
        && (kind != GHLO_OP_FUNC_FUNC || g_strcmp0 (ghlo_ir_op_get_string (op, "sym_name"), "main") != 0))
      return op;

  return NULL;
}

GhloIrOp *
random_op_get_outer (const RandomOp *self)
{
  const GhloIrBlock *body = random_main_block (self->module);
  GhloIrOp *op = self->op;

  while (op != NULL && op->block != body)
    op = ghlo_ir_op_get_parent (op);

  return op;
}

/* Takes a program with an operation of @kind and removes the operations of @main after it. */
static gboolean
take_from_program (RandomOp     *self,
                   GhloIrOpKind  kind)
{
  guint32 seed = pool[kind].seeds[random_op_pick (self, pool[kind].n)];
  g_autofree char *text = NULL;
  g_autoptr (GPtrArray) nothing = g_ptr_array_new ();
  GhloIrBlock *body;
  GhloIrOp *outer;

  self->program = make_program (seed);
  text = random_program_to_text (self->program);
  self->module = read_program (text);
  body = random_main_block (self->module);
  self->op = find_op (self->module->op, kind);
  if (self->op == NULL)
    return FALSE;
  outer = random_op_get_outer (self);
  if (outer == NULL || outer == body->last)
    return TRUE;
  random_main_return (self->module, nothing);
  while (body->last->previous != outer)
    ghlo_pass_erase (body->last->previous);

  return TRUE;
}

/* Makes @main return the operation's results. */
static void
finish_main (RandomOp *self)
{
  GhloIrOp *outer = random_op_get_outer (self);
  g_autoptr (GPtrArray) results = g_ptr_array_new ();

  if (outer == NULL || outer->next == NULL)
    return;
  for (guint i = 0; i < outer->n_results; i++)
    g_ptr_array_add (results, &outer->results[i]);
  random_main_return (self->module, results);
  random_main_drop_unused (self->module, outer, NULL);
}

/* The many elementwise rows, which are much alike, are chosen less often than others. */
static GhloIrOpKind
pick_kind (RandomOp *self)
{
  GhloIrOpKind kind = (GhloIrOpKind) (1 + random_op_pick (self, GHLO_N_OPS - 1));

  if ((ghlo_ir_op_spec (kind)->traits & GHLO_IR_TRAIT_ELEMENTWISE) != 0 && random_op_once (self, 2))
    kind = (GhloIrOpKind) (1 + random_op_pick (self, GHLO_N_OPS - 1));

  /* Operations without a row are parsed only on request. */
  return kind != GHLO_OP_UNREGISTERED ? kind : GHLO_OP_STABLEHLO_CONSTANT;
}

static void
draw_from_row (RandomOp     *self,
               GhloIrOpKind  kind)
{
  g_clear_pointer (&self->program, random_program_free);
  g_clear_pointer (&self->module, ghlo_ir_module_unref);
  self->module = read_program (host);
  random_op_draw_row (self, kind);
}

RandomOp *
random_op_new (const guint8 *data,
               gsize         size)
{
  static const guint n_changes[] = { 0, 1, 1, 2, 0, 1, 2, 3 };
  static const RandomFill fills[] = { RANDOM_FILL_GRID, RANDOM_FILL_SPECIAL, RANDOM_FILL_GRID, RANDOM_FILL_WILD };
  RandomOp *self = g_new0 (RandomOp, 1);
  GhloIrOpKind kind;

  fill_pool ();
  self->data = data;
  self->size = size;
  kind = pick_kind (self);
  self->fill = fills[random_op_pick (self, G_N_ELEMENTS (fills))];
  if (pool[kind].n > 0 && !random_op_once (self, 4) && take_from_program (self, kind))
    random_op_choose_theme (self, GHLO_IR_CAN_ANYTHING);
  else
    draw_from_row (self, kind);
  for (guint n = n_changes[random_op_pick (self, G_N_ELEMENTS (n_changes))]; n > 0; n--)
    random_op_change (self);
  finish_main (self);
  if (!random_op_once (self, 4))
    {
      random_op_infer (self);
      finish_main (self);
    }

  return self;
}

/* The type with size 0 in dimension @dimension; NULL where it has no such dimension. */
static const GhloIrType *
empty_type (RandomOp         *self,
            const GhloIrType *type,
            guint             dimension)
{
  gint64 dimensions[GHLO_MAX_RANK];

  if (type->kind != GHLO_IR_TYPE_TENSOR || type->text != NULL || dimension >= type->rank || type->encoding != NULL)
    return NULL;
  memcpy (dimensions, type->dimensions, type->rank * sizeof dimensions[0]);
  dimensions[dimension] = 0;

  return ghlo_ir_type_tensor (self->module, ghlo_ir_type_get_element (self->module, type), dimensions, type->rank,
                              NULL, NULL);
}

/* FALSE where no operand has that dimension. */
static gboolean
make_empty (RandomOp *self,
            guint     dimension,
            int       operand)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->op->n_operands; i++)
    {
      const GhloIrType *type = empty_type (self, ghlo_ir_op_operand (self->op, i)->type, dimension);

      if (type == NULL || (operand >= 0 && (guint) operand != i))
        continue;
      random_op_retype_operand (self, i, type);
      any = TRUE;
    }
  for (guint i = 0; any && operand < 0 && i < self->op->n_results; i++)
    {
      const GhloIrType *type = empty_type (self, self->op->results[i].type, dimension);

      if (type != NULL)
        self->op->results[i].type = type;
    }

  return any;
}

RandomOp *
random_op_new_empty (GhloIrOpKind kind,
                     guint8       example,
                     guint        dimension,
                     int          operand)
{
  g_autoptr (RandomOp) self = g_new0 (RandomOp, 1);

  fill_pool ();
  self->data = &example;
  self->size = 1;
  self->fill = RANDOM_FILL_GRID;
  if (pool[kind].n > 0 ? !take_from_program (self, kind) : (draw_from_row (self, kind), FALSE))
    return NULL;
  self->size = 0;
  self->n_changes = 1;
  if (self->op == NULL || self->op->block != random_main_block (self->module)
      || !make_empty (self, dimension, operand))
    return NULL;
  finish_main (self);
  random_op_infer (self);
  finish_main (self);

  return g_steal_pointer (&self);
}

static RandomProgram *
make_extreme (const guint8 *data,
              gsize         size)
{
  const RandomOptions options = {
    .n_steps = size > 0 ? 1 + data[0] % 3 : 1, .is_extreme = TRUE, .choices = data, .n_choices = size,
  };

  return random_program_new (1, &options);
}

char *
random_op_extreme_to_text (const guint8 *data,
                           gsize         size)
{
  g_autoptr (RandomProgram) program = make_extreme (data, size);

  return random_program_to_text (program);
}

RandomOp *
random_op_new_extreme (const guint8 *data,
                       gsize         size)
{
  g_autoptr (RandomOp) self = g_new0 (RandomOp, 1);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("drawn", NULL, 0);
  g_autofree char *text = NULL;

  self->is_extreme = TRUE;
  self->program = make_extreme (data, size);
  text = random_program_to_text (self->program);
  self->module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics, NULL);
  if (self->module == NULL)
    return NULL;
  for (GhloIrOp *op = random_main_block (self->module)->first; op != NULL; op = op->next)
    if (self->op == NULL || (op->kind != GHLO_OP_STABLEHLO_CONSTANT && op->kind != GHLO_OP_FUNC_RETURN
                             && (ghlo_ir_op_spec (op->kind)->traits & GHLO_IR_TRAIT_ELEMENTWISE) == 0))
      self->op = op;

  return g_steal_pointer (&self);
}

void
random_op_free (RandomOp *self)
{
  g_clear_pointer (&self->program, random_program_free);
  g_clear_pointer (&self->module, ghlo_ir_module_unref);
  g_free (self);
}
