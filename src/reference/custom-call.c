/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls that frameworks emit for any platform: marks for a partitioner, assertions,
 * checks of the official tests, and operations of other dialects under names of their own. A
 * target without a row in the tables here is answered by the application or is unsupported.
 */

#include <string.h>

#include "ir/approx-top-k.h"
#include "ir/custom-call.h"
#include "reference/check.h"
#include "reference/custom-call.h"
#include "reference/custom-read.h"
#include "reference/frame.h"
#include "reference/kernels.h"
#include "reference/algebra/lapack.h"

/* The limits of the official tests' runner, for calls that state none. */
#define DEFAULT_ALMOST_EQUAL 1e-3
#define DEFAULT_EQUAL        1e-4
enum { DEFAULT_CLOSE = 3 };

/* Passes the first operand on with the result's type. Further operands only describe shapes. */
static gboolean
pass_first (GhloRefCall *call,
            GError     **error)
{
  if (call->n_operands == 0 || call->op->n_results != 1)
    return ghlo_ref_fail (call, error, "expected an operand and a result, found %u and %u", call->n_operands,
                          call->op->n_results);

  return ghlo_ref_pass (call, 0, call->operands[0], error);
}

/* Passes every operand on: marks on any number of values, and calls that only keep their operands alive. */
static gboolean
pass_each (GhloRefCall *call,
           GError     **error)
{
  if (call->op->n_results == 0)
    return TRUE;

  return ghlo_ref_identity (call, error);
}

/* Conversion between a tensor and its shard, which are the same on one device. */
static gboolean
pass_shard (GhloRefCall *call,
            GError     **error)
{
  if (call->n_operands == 1 && call->op->n_results == 1
      && !ghlo_ref_value_fits (call->operands[0], call->op->results[0].type))
    {
      g_autofree char *found = ghlo_ref_value_describe (call->operands[0]);

      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "expected a program for one device, found %s split between devices", found);
      return FALSE;
    }

  return pass_first (call, error);
}

/* A buffer with arbitrary content. The verifier has checked that the result is a buffer. */
static gboolean
create_buffer (GhloRefCall *call,
               GError     **error)
{
  const GhloIrType *type = call->op->results[0].type;

  return ghlo_ref_result (call, 0, type->dimensions, type->rank, error) != NULL;
}

/* Parses a format specifier "{index[,layout][:options]}". Returns its end and sets *index, or returns NULL
 * where there is none. */
static const char *
read_specifier (const char *text,
                guint      *index)
{
  const char *close = strchr (text, '}');
  char *end;
  guint64 number;

  if (close == NULL || !g_ascii_isdigit (text[1]))
    return NULL;
  number = g_ascii_strtoull (text + 1, &end, 10);
  if ((*end != '}' && *end != ',' && *end != ':') || number > G_MAXUINT16)
    return NULL;
  *index = number;

  return close + 1;
}

/* The assertion's message, with the values of the integer operands after the first one filled in. */
static char *
format_assertion (const GhloRefCall *call,
                  const char        *text)
{
  GString *message = g_string_new (NULL);

  while (*text != '\0')
    {
      const char *next;
      guint index;

      if (text[0] == '{' && text[1] == '{')
        {
          g_string_append_c (message, '{');
          text += 2;
          continue;
        }
      next = *text == '{' ? read_specifier (text, &index) : NULL;
      if (next != NULL && index + 1 < call->n_operands)
        {
          g_string_append_printf (message, "%" G_GINT64_FORMAT, ghlo_ref_load (call->operands[index + 1], 0).i);
          text = next;
        }
      else
        g_string_append_c (message, *text++);
    }

  return g_string_free (message, FALSE);
}

static gboolean
assert_shape (GhloRefCall *call,
              GError     **error)
{
  const char *text = "";
  char *problem = NULL;
  g_autofree char *message = NULL;
  gboolean holds;

  if (!ghlo_ref_custom_counts (call, MAX (call->n_operands, 1), 0, error)
      || !ghlo_ref_custom_read_predicate (call, 0, &holds, error))
    return FALSE;
  for (guint i = 1; i < call->n_operands; i++)
    {
      gint64 number;

      if (!ghlo_ref_custom_read_integer (call, i, &number, error))
        return FALSE;
    }
  if (!ghlo_ir_custom_call_read_text (call->op, "error_message", &text, &problem))
    return ghlo_ref_custom_fail (call, problem, error);
  if (holds)
    return TRUE;
  message = format_assertion (call, *text != '\0' ? text : "the assertion does not hold");

  return ghlo_ref_fail (call, error, "%s", message);
}

/* Checks the signature of a check: two operands, and at most one result, which is a boolean. */
static gboolean
check_pair (GhloRefCall *call,
            GError     **error)
{
  return ghlo_ref_custom_counts (call, 2, MIN (call->op->n_results, 1), error)
         && (call->op->n_results == 0 || ghlo_ref_custom_result_has (call, 0, GHLO_ELEMENT_TYPE_I1, error));
}

/* The result of a check, where it has one: always true, since a failed check ends the run. */
static gboolean
store_true (GhloRefCall *call,
            GError     **error)
{
  GhloValue *result;

  if (call->op->n_results == 0)
    return TRUE;
  result = ghlo_ref_result (call, 0, NULL, 0, error);
  if (result != NULL)
    ghlo_ref_store (result, 0, (GhloScalar) { .i = TRUE });

  return result != NULL;
}

static gboolean
check_eq (GhloRefCall *call,
          GError     **error)
{
  return check_pair (call, error)
         && ghlo_ref_check_almost_equal (call, call->operands[0], call->operands[1], DEFAULT_EQUAL, error)
         && store_true (call, error);
}

static gboolean
check_expect_eq (GhloRefCall *call,
                 GError     **error)
{
  return check_pair (call, error) && ghlo_ref_check_equal (call, call->operands[0], call->operands[1], error)
         && store_true (call, error);
}

static gboolean
check_expect_almost_eq (GhloRefCall *call,
                        GError     **error)
{
  double tolerance = DEFAULT_ALMOST_EQUAL;
  char *problem = NULL;

  if (!ghlo_ir_custom_call_read_real (call->op, "tolerance", &tolerance, &problem))
    return ghlo_ref_custom_fail (call, problem, error);

  return check_pair (call, error)
         && ghlo_ref_check_almost_equal (call, call->operands[0], call->operands[1], tolerance, error)
         && store_true (call, error);
}

static gboolean
check_expect_close (GhloRefCall *call,
                    GError     **error)
{
  gint64 minimum = 0, maximum = DEFAULT_CLOSE;
  char *problem = NULL;

  if (!ghlo_ir_custom_call_read_integer (call->op, "min_ulp_difference", &minimum, &problem)
      || !ghlo_ir_custom_call_read_integer (call->op, "max_ulp_difference", &maximum, &problem))
    return ghlo_ref_custom_fail (call, problem, error);
  if (minimum < 0 || maximum < 0)
    return ghlo_ref_fail (call, error, "expected differences of at least 0, found %" G_GINT64_FORMAT " and %"
                          G_GINT64_FORMAT, minimum, maximum);

  return check_pair (call, error)
         && ghlo_ref_check_close (call, call->operands[0], call->operands[1], (guint64) minimum, (guint64) maximum,
                                  error)
         && store_true (call, error);
}

static GhloRefScalarFunc
find_elementwise (const GhloRefCall *call,
                  GhloRefScalarOp   *op)
{
  const GhloIrOpKind kind = ghlo_ir_mhlo_find (ghlo_ir_op_get_string (call->op, "call_target_name"));
  GhloElementType type;

  if (kind == GHLO_OP_INVALID || call->n_operands != 1 || call->operands[0]->kind != GHLO_VALUE_TENSOR
      || call->op->n_results != 1)
    return NULL;
  type = call->operands[0]->type->element_type;

  return ghlo_ref_scalar_func_for (kind, type, type, op);
}

static gboolean
run_elementwise (GhloRefCall *call,
                 GError     **error)
{
  GhloRefScalarOp op;
  GhloRefScalarFunc func = find_elementwise (call, &op);
  const GhloValue *operand = call->operands[0];
  GhloValue *result;

  if (func == NULL)
    return ghlo_ref_fail (call, error, "expected a tensor of floats and a result");
  if (!ghlo_ref_custom_numbers (call, 0, error)
      || !ghlo_ref_custom_result_has (call, 0, operand->type->element_type, error))
    return FALSE;
  result = ghlo_ref_result_like (call, 0, operand, error);
  if (result == NULL)
    return FALSE;

  for (gsize i = 0; i < operand->n_elements; i++)
    {
      GhloScalar scalar = ghlo_ref_load (operand, i);

      if (i % 1024 == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
      ghlo_ref_store (result, i, func (&op, &scalar));
    }

  return TRUE;
}

static const struct
{
  const char    *target;
  GhloRefKernel  kernel;
} targets[] = {
  { "Sharding", pass_each },
  { "SPMDFullToShardShape", pass_shard },
  { "SPMDShardToFullShape", pass_shard },
  { "xla.sdy.FuncResultSharding", pass_each },
  { "xla.sdy.GlobalToLocalShape", pass_shard },
  { "xla.sdy.LocalToGlobalShape", pass_shard },
  { "LayoutConstraint", pass_each },
  { "control_dep", pass_each },
  { "dce_sink", pass_each },
  { "annotate_device_placement", pass_each },
  { "MoveToDevice", pass_each },
  { "MoveToHost", pass_each },
  { "stablehlo.shape_refinement_operand_wrapper", pass_first },
  { "Pin", pass_first },
  { "Unpin", pass_first },
  { "CreateBuffer", create_buffer },
  { "shape_assertion", assert_shape },
  { "check.eq", check_eq },
  { "check.expect_eq", check_expect_eq },
  { "check.expect_almost_eq", check_expect_almost_eq },
  { "check.expect_close", check_expect_close },
  { "mhlo.topk", ghlo_ref_custom_top_k },
  { "TopK", ghlo_ref_custom_top_k },
  { "stablehlo.dynamic_reduce_window", ghlo_ref_custom_reduce_window },
  { "stablehlo.dynamic_rng_bit_generator", ghlo_ref_custom_rng_bit_generator },
  { "stablehlo.dynamic_top_k", ghlo_ref_custom_top_k },
  { GHLO_IR_APPROX_TOP_K, ghlo_ref_custom_approx_top_k },
};

GhloRefKernel
ghlo_ref_custom_target (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    if (strcmp (targets[i].target, name) == 0)
      return targets[i].kernel;
  if (ghlo_ir_mhlo_find (name) != GHLO_OP_INVALID)
    return run_elementwise;

  return ghlo_ir_lapack_is_target (name) ? ghlo_ref_custom_lapack : NULL;
}

gboolean
ghlo_ref_custom_check (const GhloIrOp  *op,
                       char           **problem)
{
  const char *name = ghlo_ir_op_get_string (op, "call_target_name");
  GhloIrApproxTopK top_k;
  GhloIrLapackCall call;

  if (g_strcmp0 (name, GHLO_IR_APPROX_TOP_K) == 0)
    return ghlo_ir_approx_top_k_read (&top_k, op, problem);

  return !ghlo_ir_lapack_is_target (name) || ghlo_ir_lapack_read_op (&call, op, problem);
}

static void
append_name (const char *name,
             gpointer    data)
{
  GString *text = data;

  g_string_append_printf (text, "%s'%s'", text->len > 0 ? ", " : "", name);
}

/* The targets that JAX emits for linear algebra when it exports for a GPU. */
static gboolean
is_of_a_gpu (const char *name)
{
  static const char *const prefixes[] = { "cusolver_", "cublas_", "cu_lu_", "hipsolver_", "hipblas_", "hip_lu_" };

  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]))
      return TRUE;

  return FALSE;
}

char *
ghlo_ref_custom_explain (const char              *name,
                         const GhloCustomTargets *custom_targets)
{
  g_autoptr (GString) known = g_string_new (NULL);
  g_autoptr (GString) registered = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    append_name (targets[i].target, known);
  ghlo_ir_lapack_foreach (append_name, known);
  for (guint i = 0; ghlo_ir_mhlo_targets[i].target != NULL; i++)
    append_name (ghlo_ir_mhlo_targets[i].target, known);
  ghlo_custom_targets_list (custom_targets, registered);

  return g_strdup_printf ("expected a known call target, found '%s'\n"
                          "%sAn application can implement it with a function that it registers: "
                          "ghlo_client_register_custom_call ().\n"
                          "Known targets: %s. Registered targets: %s.", name,
                          g_str_has_prefix (name, "lapack_") || g_str_has_prefix (name, "blas_")
                          ? "It is a routine of a library that JAX calls on one platform: export the program with "
                            "jax.export.export (..., platforms=['tpu']), which writes operations instead.\n"
                          : is_of_a_gpu (name)
                          ? "It is a routine of a GPU's library: export the program with "
                            "jax.export.export (..., platforms=['cpu']), whose routines GHLO implements.\n" : "",
                          known->str, registered->len > 0 ? registered->str : "none");
}

/* Checks that the function's results have the types that the program states. */
static gboolean
check_results (GhloRefCall             *call,
               const GhloCustomTarget  *target,
               GError                 **error)
{
  for (guint i = 0; i < call->op->n_results; i++)
    {
      const GhloIrType *type = call->op->results[i].type;
      g_autofree char *expected = NULL, *found = NULL;

      if (call->results[i] != NULL && !ghlo_ref_accept_storage (type, &call->results[i], error))
        return FALSE;
      if (call->results[i] != NULL && ghlo_ref_value_fits (call->results[i], type))
        continue;
      expected = ghlo_ir_type_to_string (type);
      found = call->results[i] != NULL ? ghlo_ref_value_describe (call->results[i]) : g_strdup ("nothing");
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected %s as result %u of the function that is registered for '%s', found %s", expected, i,
                   target->name, found);
      return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_ref_custom_application (GhloRefCall *call,
                             GError     **error)
{
  const GhloRefRun *run = call->frame->process->run;
  GhloCustomTarget *target = ghlo_ref_call_get_step (call)->custom;
  const GhloCustomCallFrame frame = {
    .op = call->op, .operands = call->operands, .results = call->results, .monitor = run->monitor,
    .process = call->frame->process->owner, .context = run->options != NULL ? run->options->context : NULL,
  };
  g_autoptr (GString) place = NULL;
  GError *problem = NULL;

  if (target->func (target->data, &frame, &problem) && problem == NULL && check_results (call, target, &problem))
    return TRUE;
  /* The application's error may belong to any domain and may contain places in another program, so the place
   * is prepended even if the message begins with one. */
  if (!g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      place = g_string_new (NULL);
      ghlo_ref_append_place (place, run->program->module, call->op);
      g_prefix_error (&problem, "%s", place->str);
    }
  g_propagate_error (error, problem);

  return FALSE;
}

/* The kernel of the custom_call row. Steps hold the kernel of their target directly; this one serves calls
 * that are made outside of a program. */
gboolean
ghlo_ref_custom_call (GhloRefCall *call,
                      GError     **error)
{
  const char *name = ghlo_ir_op_get_string (call->op, "call_target_name");
  GhloRefKernel kernel = ghlo_ref_custom_target (name != NULL ? name : "");

  if (kernel == NULL)
    {
      g_autofree char *problem = ghlo_ref_custom_explain (name != NULL ? name : "", NULL);

      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, problem);
      return FALSE;
    }

  return kernel (call, error);
}
