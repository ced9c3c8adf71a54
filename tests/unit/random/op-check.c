/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests of a randomly drawn operation in everything that a program goes through: the verifier accepts or refuses it.
 * Accepted operations are printed and parsed, written and read as an artifact, verified after each pass, and run on
 * each executor or refused with an error. Where they run the answers agree within known bounds.
 */

#include "../passes/pass-help.h"
#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "compiler/devices.h"
#include "compiler/optimize.h"
#include "op.h"
#include "runtime/place.h"
#include "tools/check.h"
#include "watchdog.h"

enum
{
  RUN_LIMIT = 300000,       /* microseconds; runs that take longer are cancelled */
  CODE_LIMIT = 20000000,    /* the same for compiling machine code */
  MAX_ELEMENTS = RANDOM_MAX_WORK,      /* of an input */
  MAX_SHOWN = 20000,        /* bytes of a program in a message */
};

/* The executors that run the program, besides the reference executor on the unmodified program. */
typedef struct
{
  const char *device;
  guint       level;
  gboolean    same_bits;
  gboolean    is_fused;      /* fusions are made, as in a compile, and the run is repeated once machine code is ready */
} Subject;

static const Subject subjects[] = {
  { "cpu", 2, FALSE }, { "cpu", 0, FALSE }, { "reference", 2, TRUE }, { "cpu", 1, FALSE }, { "reference", 1, TRUE },
  { NULL },
}, extreme_subjects[] = {
  { "cpu", 2, FALSE, TRUE }, { "cpu", 0, FALSE, TRUE }, { "reference", 2, TRUE }, { "vulkan", 2, FALSE, TRUE },
  { NULL },
};

/* Printing, parsing and verifying, and printing again gives the same text. */
static char *
check_text (const GhloIrModule *module,
            GhloIrPrintFlags    flags,
            const char         *what)
{
  g_autofree char *text = ghlo_ir_to_string (module, flags), *again = NULL, *detail = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloIrModule) found = pass_parse ("printed", text, strlen (text), &error);

  if (found == NULL)
    return g_strdup_printf ("%s, printed, is refused: %s", what, error->message);
  again = ghlo_ir_to_string (found, flags);

  if (strcmp (text, again) == 0)
    return NULL;
  detail = ghlo_tool_difference (text, again);

  return g_strdup_printf ("%s, printed and read: %s", what, detail);
}

/* A refused program is refused as text, too. */
static char *
check_refused_text (const GhloIrModule    *module,
                    const GhloDiagnostics *diagnostics)
{
  g_autofree char *text = ghlo_ir_to_string (module, GHLO_IR_PRINT_GENERIC);
  g_autoptr (GhloIrModule) found = pass_parse ("printed", text, strlen (text), NULL);
  const GhloFinding *finding = diagnostics->findings->len > 0 ? diagnostics->findings->pdata[0] : NULL;

  if (finding == NULL || diagnostics->n_errors == 0)
    return g_strdup ("the verifier refuses it without saying why");
  if (found != NULL)
    return g_strdup_printf ("the verifier refuses it, but not its text: %s", finding->message);

  return NULL;
}

static char *
check_artifact (RandomOp *self)
{
  g_autoptr (GhloIrModule) copy = ghlo_ir_module_copy (self->module);
  g_autofree char *message = NULL;
  guint index = GHLO_TOOL_N_VERSIONS - 1 - random_op_pick (self, GHLO_TOOL_N_VERSIONS);
  gboolean is_held, ok;

  if (ghlo_tool_is_in_no_artifact (copy->op))
    return NULL;
  ok = ghlo_tool_check_artifact (copy, index, &is_held, &message);
  if (ok && (is_held || index < GHLO_TOOL_N_VERSIONS - 1))
    return NULL;

  return g_strdup_printf ("as an artifact of version %u: %s", index, message);
}

/* What the original program knew of an argument that kept its name; NULL for others. */
static const RandomArgument *
find_argument (const RandomOp    *self,
               const GhloIrValue *value)
{
  guint64 id;

  if (self->program == NULL || value->name == NULL || value->name[0] != 'v'
      || !g_ascii_string_to_unsigned (value->name + 1, 10, 0, G_MAXUINT, &id, NULL))
    return NULL;
  for (guint i = 0; i < self->program->arguments->len; i++)
    if (g_array_index (self->program->arguments, RandomArgument, i).id == id)
      return &g_array_index (self->program->arguments, RandomArgument, i);

  return NULL;
}

static GhloValue *make_input (const RandomOp       *self,
                              const GhloIrType     *type,
                              const RandomArgument *argument,
                              guint32               seed);

static GhloValue *
make_tuple (const RandomOp   *self,
            const GhloIrType *type,
            guint32           seed)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);

  for (guint i = 0; i < type->rank; i++)
    {
      GhloValue *member = make_input (self, type->members[i], NULL, seed + i);

      if (member == NULL)
        return NULL;
      g_ptr_array_add (members, member);
    }

  return ghlo_value_new_tuple ((GhloValue *const *) members->pdata, members->len);
}

/* NULL where no input can be made, or none of a suitable size. */
static GhloValue *
make_input (const RandomOp       *self,
            const GhloIrType     *type,
            const RandomArgument *argument,
            guint32               seed)
{
  g_autoptr (GhloTensorType) tensor = NULL;
  gint64 dimensions[GHLO_MAX_RANK], n;

  if (type->kind == GHLO_IR_TYPE_TOKEN)
    return ghlo_value_new_token ();
  if (type->kind == GHLO_IR_TYPE_TUPLE)
    return make_tuple (self, type, seed);
  if (type->kind != GHLO_IR_TYPE_TENSOR || type->text != NULL || type->element_type == GHLO_ELEMENT_TYPE_INVALID)
    return NULL;

  for (guint i = 0; i < type->rank; i++)
    dimensions[i] = type->dimensions[i] >= 0 ? type->dimensions[i]
                    : argument != NULL && argument->type.rank == type->rank ? argument->type.dimensions[i]
                    : type->bounds != NULL && type->bounds[i] >= 0 ? MIN (type->bounds[i], 3) : 2;
  tensor = ghlo_tensor_type_new_full (type->element_type, dimensions, NULL, type->rank, type->quantization);
  n = ghlo_tensor_type_get_n_elements (tensor);
  if (n < 0 || n > MAX_ELEMENTS)
    return NULL;

  return argument != NULL ? random_input (tensor, argument->fill, argument->seed)
                          : random_input (tensor, self->fill, seed);
}

static void
value_free (gpointer value)
{
  if (value != NULL)
    ghlo_value_unref (value);
}

/* For the arguments of @main; NULL where one cannot be made. */
static GPtrArray *
make_inputs (const RandomOp *self)
{
  const GhloIrBlock *body = random_main_block (self->module);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (value_free);

  for (guint i = 0; i < body->n_arguments; i++)
    {
      const GhloIrValue *argument = body->arguments[i];
      GhloValue *input = make_input (self, argument->type, find_argument (self, argument), i + 1);

      if (input == NULL)
        return NULL;
      g_ptr_array_add (inputs, input);
    }

  return g_steal_pointer (&inputs);
}

/* Whether a run failed for a reason unrelated to the program's validity. */
static gboolean
is_limit (const GError *error)
{
  return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
         || g_error_matches (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
}

static gboolean
is_fault (const GError *error)
{
  return !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
         && (error->domain != GHLO_ERROR || error->code == GHLO_ERROR_INTERNAL || error->code == GHLO_ERROR_VERIFY
             || error->code == GHLO_ERROR_PARSE);
}

/* The answers; NULL on failure. */
static GPtrArray *
run_once (GhloPrepared      *prepared,
          GPtrArray         *inputs,
          const GhloMonitor *monitor,
          GError           **error)
{
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func (value_free);
  g_autofree GhloValue **found = g_new0 (GhloValue *, ghlo_prepared_get_n_outputs (prepared) + 1);

  if (!ghlo_prepared_run (prepared, NULL, (GhloValue *const *) inputs->pdata, inputs->len, found, monitor, error))
    return NULL;
  for (guint i = 0; i < ghlo_prepared_get_n_outputs (prepared); i++)
    g_ptr_array_add (outputs, found[i]);
  for (guint i = 0; i < ghlo_prepared_get_n_outputs (prepared); i++)
    if (!ghlo_value_fetch (found[i], NULL, error))
      return NULL;

  return g_steal_pointer (&outputs);
}

/* The answers before and after machine code is ready; NULL where the second run fails. */
static GPtrArray *
run_twice (GhloPrepared      *prepared,
           GPtrArray         *inputs,
           const GhloMonitor *monitor,
           GError           **error)
{
  g_autoptr (GPtrArray) outputs = run_once (prepared, inputs, monitor, error), again = NULL;

  if (outputs == NULL)
    return NULL;
  watchdog_begin (monitor->cancellable, CODE_LIMIT);
  if (!ghlo_prepared_wait_for_code (prepared, monitor, error))
    return NULL;
  again = run_once (prepared, inputs, monitor, error);
  if (again == NULL)
    return NULL;
  g_ptr_array_extend_and_steal (outputs, g_steal_pointer (&again));

  return g_steal_pointer (&outputs);
}

static GhloPrepared *
prepare (const Subject      *subject,
         GhloIrModule       *module,
         const GhloMonitor  *monitor,
         GError            **error)
{
  GhloDeviceCore *device = ghlo_devices_find (subject->device);
  const GhloOptimizeOptions options = { .level = subject->level };
  g_autoptr (GhloIrModule) copy = NULL;

  if (subject->is_fused)
    {
      module = copy = ghlo_ir_module_copy (module);
      if (!ghlo_fuse (module, device, &options, NULL, NULL, monitor, NULL, error))
        return NULL;
    }

  return ghlo_devices_prepare (device, module, ghlo_ir_module_find (module, "main"), monitor, error);
}

/* The answers, once or twice; with NULL as @inputs the program is only prepared. NULL on failure. */
static GPtrArray *
run (const Subject *subject,
     GhloIrModule  *module,
     GPtrArray     *inputs,
     GError       **error)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GhloPrepared) prepared = NULL;
  GPtrArray *outputs = NULL;

  watchdog_begin (cancellable, subject->is_fused ? CODE_LIMIT : RUN_LIMIT);
  prepared = prepare (subject, module, &monitor, error);
  if (prepared != NULL && inputs == NULL)
    outputs = g_ptr_array_new ();
  else if (prepared != NULL)
    outputs = subject->is_fused ? run_twice (prepared, inputs, &monitor, error)
                                : run_once (prepared, inputs, &monitor, error);
  watchdog_end ();

  return outputs;
}

static gboolean
is_exact_type (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->quantization == NULL
         && (ghlo_element_type_is_integer (type->element_type) || type->element_type == GHLO_ELEMENT_TYPE_I1);
}

/* Assumptions where numbers were not tracked: an operation without effects is exact on integers, and on bounded
 * floats of f32 and wider executors nearly agree. */
static RandomNumbers
guess_numbers (const RandomOp    *self,
               const GhloIrValue *result,
               RandomTrust        base)
{
  enum { UNITS = 4096, MAGNITUDE = 64 };
  RandomNumbers numbers = { .trust = RANDOM_NONE, .reordered = TRUE, .magnitude = INFINITY };
  const GhloIrType *type = result->type;

  if (base == RANDOM_NONE || type->kind != GHLO_IR_TYPE_TENSOR)
    return numbers;
  if (is_exact_type (type))
    numbers.trust = RANDOM_BITS;
  else if (self->fill == RANDOM_FILL_GRID && type->quantization == NULL
           && (type->element_type == GHLO_ELEMENT_TYPE_F32 || type->element_type == GHLO_ELEMENT_TYPE_F64))
    {
      numbers.trust = RANDOM_NEAR;
      numbers.ulps = UNITS;
      numbers.error = UNITS * MAGNITUDE * random_epsilon (type->element_type);
    }

  return numbers;
}

static RandomNumbers
known_numbers (const RandomOp    *self,
               const GhloIrValue *result)
{
  gboolean is_pure = (ghlo_ir_op_get_spec (result->op)->traits & GHLO_IR_TRAIT_PURE) != 0;
  RandomNumbers numbers;

  if (self->program == NULL)
    return guess_numbers (self, result, is_pure && result->op->n_regions == 0 ? RANDOM_NEAR : RANDOM_NONE);
  numbers = random_program_known (self->program, result->name);

  return self->n_changes == 0 ? numbers : guess_numbers (self, result, numbers.trust);
}

static char *
compare_answers (RandomOp  *self,
                 GPtrArray *expected,
                 GPtrArray *found,
                 gboolean   same_bits)
{
  const GhloIrOp *end = random_main_block (self->module)->last;

  for (guint i = 0; i < found->len; i++)
    {
      guint result = i % expected->len;
      RandomNumbers numbers = { .trust = RANDOM_NONE, .reordered = TRUE };
      g_autofree char *detail = NULL;

      if (ghlo_ir_op_operand (end, result)->op != NULL)
        numbers = known_numbers (self, ghlo_ir_op_operand (end, result));
      detail = random_compare (expected->pdata[result], found->pdata[i], &numbers, same_bits);
      if (detail != NULL)
        return g_strdup_printf ("result %u%s: %s", result, i != result ? " of machine code" : "", detail);
      if (numbers.trust != RANDOM_NONE)
        random_op_count (self, RANDOM_OP_COMPARED);
    }

  return NULL;
}

/* @modules: the program after the passes of each level. */
static char *
check_runs (RandomOp      *self,
            GhloIrModule **modules)
{
  const Subject reference = { "reference", 0, TRUE };
  g_autoptr (GPtrArray) inputs = make_inputs (self), expected = NULL;
  g_autoptr (GError) error = NULL;

  expected = run (&reference, self->module, inputs, &error);
  if (expected == NULL && is_fault (error))
    return g_strdup_printf ("the reference executor: %s", error->message);
  if (expected != NULL && inputs != NULL)
    random_op_count (self, RANDOM_OP_RAN);
  for (const Subject *subject = self->is_extreme ? extreme_subjects : subjects; subject->device != NULL; subject++)
    {
      g_autoptr (GError) own = NULL;
      g_autoptr (GPtrArray) found = NULL;
      g_autofree char *detail = NULL;

      if (ghlo_devices_find (subject->device) == NULL)
        continue;
      found = run (subject, modules[subject->level], inputs, &own);
      if (found == NULL && (is_fault (own) || (expected != NULL && !is_limit (own))))
        return g_strdup_printf ("%s at O%u: %s", subject->device, subject->level, own->message);
      if (found == NULL || expected == NULL || inputs == NULL)
        continue;
      detail = compare_answers (self, expected, found, subject->same_bits);
      if (detail != NULL)
        return g_strdup_printf ("%s at O%u: %s", subject->device, subject->level, detail);
    }

  return NULL;
}

static char *
check_passes (RandomOp *self)
{
  g_autoptr (GhloIrModule) o1 = NULL, o2 = NULL;
  g_autoptr (GError) error = NULL;
  char *fault;

  o1 = pass_apply (self->module, &(GhloPassOptions) { .level = 1 }, NULL, &error);
  if (o1 != NULL)
    o2 = pass_apply (self->module, &(GhloPassOptions) { .level = 2 }, NULL, &error);
  if (o2 == NULL)
    return g_strdup_printf ("the passes: %s", error->message);
  fault = check_text (o2, GHLO_IR_PRINT_DEFAULT, "what the passes made");

  return fault != NULL ? fault : check_runs (self, (GhloIrModule *[]) { self->module, o1, o2 });
}

static char *
check (RandomOp *self)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("drawn", NULL, 0);
  char *fault;

  random_op_count (self, RANDOM_OP_DRAWN);
  if (!ghlo_ir_verify (self->module, diagnostics, NULL))
    return check_refused_text (self->module, diagnostics);
  random_op_count (self, RANDOM_OP_VERIFIED);
  fault = check_text (self->module, GHLO_IR_PRINT_GENERIC, "the generic form");
  if (fault == NULL)
    fault = check_text (self->module, GHLO_IR_PRINT_DEFAULT, "the pretty form");
  if (fault == NULL)
    fault = check_artifact (self);

  return fault != NULL ? fault : check_passes (self);
}

char *
random_op_to_text (const guint8 *data,
                   gsize         size)
{
  g_autoptr (RandomOp) self = random_op_new (data, size);

  return ghlo_ir_to_string (self->module, GHLO_IR_PRINT_GENERIC);
}

/* Adds the program to the message. */
static char *
check_and_tell (RandomOp *self)
{
  g_autofree char *fault = check (self), *text = NULL;

  if (fault == NULL)
    return NULL;
  text = ghlo_ir_to_string (self->module, GHLO_IR_PRINT_GENERIC);

  return g_strdup_printf ("%s\n%.*s", fault, MAX_SHOWN, text);
}

char *
random_op_check (const guint8 *data,
                 gsize         size)
{
  g_autoptr (RandomOp) self = random_op_new (data, size);

  return check_and_tell (self);
}

char *
random_op_check_empty (GhloIrOpKind kind,
                       guint8       example,
                       guint        dimension,
                       int          operand)
{
  g_autoptr (RandomOp) self = random_op_new_empty (kind, example, dimension, operand);

  return self != NULL ? check_and_tell (self) : NULL;
}

char *
random_op_check_extreme (const guint8 *data,
                         gsize         size)
{
  g_autoptr (RandomOp) self = random_op_new_extreme (data, size);

  return self != NULL ? check_and_tell (self) : NULL;
}
