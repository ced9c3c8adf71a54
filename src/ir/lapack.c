/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads custom calls with the rows of lapack.def. The operands bind the letters of extents, in order; all other
 * shapes are checked against them.
 */

#include "ir/lapack-private.h"

#include <string.h>

#include "base/fail.h"
#include "base/ghlo-tensor-type.h"
#include "ir/custom-call.h"

/* The state while one call is read. */
typedef struct
{
  GhloIrLapackCall        *call;
  const GhloIrLapackRow   *row;
  const GhloIrOp          *op;
  const GhloIrLapackShape *operands, *results;
  guint                    n_operands, n_results;     /* counts in the row */
  char                   **problem;
} Reader;

#define fail(reader, ...) GHLO_FALSE_AFTER (*(reader)->problem = g_strdup_printf (__VA_ARGS__))

static gint64
parameter_value (const GhloIrLapackCall *self,
                 const char             *name)
{
  const GhloIrLapackParameter *parameter = ghlo_ir_lapack_parameter (self, name);

  return parameter != NULL ? parameter->value : 0;
}

/* The only option of Eigh that matters: "0,…" is the upper triangle, "1,…" the lower one, which is also the default. */
static gboolean
read_triangle (const Reader          *reader,
               GhloIrLapackParameter *parameter)
{
  const char *config = "1";

  if (!ghlo_ir_custom_call_read_text (reader->op, "backend_config", &config, reader->problem))
    return FALSE;
  if (config[0] != '0' && config[0] != '1')
    return ghlo_ir_custom_call_refuse (reader->op, "backend_config", "a text that begins with 0 or 1", reader->problem);
  parameter->value = config[0] == '0' ? 'U' : 'L';

  return TRUE;
}

/* A parameter "name:LU", "name=RLL" or "name:#". */
static gboolean
read_parameter (Reader *reader,
                char   *word)
{
  GhloIrLapackCall *call = reader->call;
  gsize length = strcspn (word, ":=");
  gboolean is_boolean = word[length] == '=';
  const char *allowed = word + length + 1;
  GhloIrLapackParameter *parameter = &call->parameters[call->n_parameters];
  const GhloIrAttr *attr;

  g_assert (call->n_parameters < GHLO_IR_LAPACK_PARAMETERS);
  word[length] = '\0';
  g_strlcpy (parameter->name, word, sizeof parameter->name);
  parameter->is_character = *allowed != '#';
  call->n_parameters++;
  attr = ghlo_ir_custom_call_get (reader->op, word);
  if (attr == NULL && reader->row->target != NULL && strcmp (word, "uplo") == 0)
    return read_triangle (reader, parameter);
  if (attr == NULL && strlen (allowed) == 1 && *allowed != '#')
    parameter->value = (guchar) *allowed;
  else if (attr == NULL || (attr->kind != GHLO_IR_ATTR_INTEGER && attr->kind != GHLO_IR_ATTR_BOOL))
    return ghlo_ir_custom_call_refuse (reader->op, word, is_boolean ? "a boolean" : *allowed == '#' ? "a number"
                                                                                   : "a character", reader->problem);
  else
    parameter->value = attr->integer;

  if (is_boolean)
    parameter->value = parameter->value == 0 ? allowed[0] : allowed[call->is_complex ? 2 : 1];
  else if (*allowed != '#' && (parameter->value <= 0 || parameter->value > 127
                               || strchr (allowed, (int) parameter->value) == NULL))
    {
      g_autofree char *expected = g_strdup_printf ("one of the characters \"%s\" as a number", allowed);

      return ghlo_ir_custom_call_refuse (reader->op, word, expected, reader->problem);
    }

  return TRUE;
}

/* Parses an operand or result "name?parameter:T[m,n]". */
static void
read_argument (Reader *reader,
               char   *word)
{
  GhloIrLapackCall *call = reader->call;
  GhloIrLapackArgument *argument = &call->arguments[call->n_arguments];
  char *kind = strchr (word, ':'), *condition = strchr (word, '?');

  g_assert (call->n_arguments < GHLO_IR_LAPACK_ARGUMENTS && kind != NULL);
  call->n_arguments++;
  *kind++ = '\0';
  argument->operand = argument->result = -1;
  argument->element = *kind++;
  for (kind++; g_ascii_islower (*kind); kind += 2)
    argument->letters[argument->rank++] = *kind;
  argument->is_computed = TRUE;
  if (condition != NULL)
    {
      *condition++ = '\0';
      argument->is_computed = parameter_value (call, condition) != 'N';
    }
  g_strlcpy (argument->name, word, sizeof argument->name);
}

static void
read_arguments (Reader *reader)
{
  GhloIrLapackCall *call = reader->call;
  const char *text = reader->row->operands;
  char word[GHLO_IR_LAPACK_WORD];

  while (ghlo_ir_lapack_next_word (&text, call->is_complex, word))
    {
      read_argument (reader, word);
      call->arguments[call->n_arguments - 1].operand = (int) reader->n_operands++;
    }
  text = reader->row->results;
  while (ghlo_ir_lapack_next_word (&text, call->is_complex, word))
    {
      GhloIrLapackArgument *argument;

      if (word[0] != '=')
        read_argument (reader, word);
      argument = word[0] == '=' ? (GhloIrLapackArgument *) ghlo_ir_lapack_argument (call, word + 1)
                                : &call->arguments[call->n_arguments - 1];
      argument->result = (int) reader->n_results++;
    }
}

/* The number of the routine's own operands. Operands that state the shapes of results follow them. */
static guint
count_operands (const GhloIrOp *op)
{
  const GhloIrAttr *shapes = ghlo_ir_op_get (op, "indices_of_shape_operands");
  gsize n = shapes != NULL && shapes->kind == GHLO_IR_ATTR_DENSE ? shapes->dense.n_elements : 0;

  return op->n_operands - (guint) MIN (n, op->n_operands);
}

static GhloElementType
complex_of (GhloElementType type)
{
  return type == GHLO_ELEMENT_TYPE_F32 ? GHLO_ELEMENT_TYPE_COMPLEX_F32
         : type == GHLO_ELEMENT_TYPE_F64 ? GHLO_ELEMENT_TYPE_COMPLEX_F64 : type;
}

static const GhloIrLapackShape *
shape_of (const Reader               *reader,
          const GhloIrLapackArgument *argument,
          gboolean                    as_operand)
{
  return as_operand ? &reader->operands[argument->operand] : &reader->results[argument->result];
}

/* The expected shape as far as it is known, such as "tensor<3x4x4xf32>". */
static char *
describe_shape (const Reader               *reader,
                const GhloIrLapackArgument *argument)
{
  const GhloIrLapackCall *call = reader->call;
  GString *text = g_string_new ("tensor<");

  for (guint i = 0; i < call->n_batch + argument->rank; i++)
    {
      gint64 extent = i < call->n_batch ? call->batch[i] : argument->extents[i - call->n_batch];

      if (extent < 0)
        g_string_append (text, "?x");
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT "x", extent);
    }
  g_string_append_printf (text, "%s>", ghlo_element_info (argument->type)->name);

  return g_string_free (text, FALSE);
}

static gboolean
fail_shape (const Reader               *reader,
            const GhloIrLapackArgument *argument,
            gboolean                    as_operand)
{
  const GhloIrLapackShape *shape = shape_of (reader, argument, as_operand);
  g_autofree char *expected = describe_shape (reader, argument);
  g_autoptr (GString) found = g_string_new ("tensor<");

  for (guint i = 0; i < shape->rank; i++)
    if (shape->dimensions[i] < 0)
      g_string_append (found, "?x");
    else
      g_string_append_printf (found, "%" G_GINT64_FORMAT "x", shape->dimensions[i]);
  g_string_append_printf (found, "%s>", ghlo_element_info (shape->type)->name);

  return fail (reader, "expected %s as %s %d ('%s') of %s, found %s", expected, as_operand ? "operand" : "result",
               as_operand ? argument->operand : argument->result, argument->name,
               ghlo_ir_op_get_string (reader->op, "call_target_name"), found->str);
}

/* LAPACK's integers have 32 bits. Routines under other names accept any integer type. */
static gboolean
type_fits (const Reader               *reader,
           const GhloIrLapackArgument *argument,
           GhloElementType             found)
{
  if (argument->element == 'I' && reader->row->target != NULL)
    return ghlo_element_type_is_integer (found);

  return found == argument->type;
}

/* Binds letters that have no extent yet and checks the others against the shape. */
static gboolean
bind_shape (const Reader         *reader,
            GhloIrLapackArgument *argument,
            gboolean              as_operand)
{
  GhloIrLapackCall *call = reader->call;
  const GhloIrLapackShape *shape = shape_of (reader, argument, as_operand);
  gboolean fits = shape->rank == call->n_batch + argument->rank && type_fits (reader, argument, shape->type);

  for (guint i = 0; fits && i < call->n_batch; i++)
    fits = shape->dimensions[i] < 0 || call->batch[i] < 0 || shape->dimensions[i] == call->batch[i];
  for (guint i = 0; i < argument->rank; i++)
    {
      gint64 *extent = &call->extents[argument->letters[i] - 'a'];
      gint64 found = fits ? shape->dimensions[call->n_batch + i] : GHLO_DYNAMIC;

      if (*extent < 0)
        *extent = found;
      argument->extents[i] = *extent;
      fits = fits && (found < 0 || found == *extent);
    }

  return fits || fail_shape (reader, argument, as_operand);
}

/* Computes the letters that follow from others. */
static void
derive_extents (GhloIrLapackCall *call)
{
  gint64 m = ghlo_ir_lapack_extent (call, 'm'), n = ghlo_ir_lapack_extent (call, 'n');
  gint64 mode = parameter_value (call, "mode");
  const GhloIrLapackParameter *side = ghlo_ir_lapack_parameter (call, "side");
  gint64 k = m >= 0 && n >= 0 ? MIN (m, n) : GHLO_DYNAMIC;

  if (side == NULL)
    side = ghlo_ir_lapack_parameter (call, "left");
  call->extents['k' - 'a'] = k;
  call->extents['l' - 'a'] = n >= 0 ? MAX (n - 1, 0) : GHLO_DYNAMIC;
  if (side != NULL)
    call->extents['r' - 'a'] = side->value == 'L' ? m : n;
  /* Without vectors (mode 'N'), either number of vectors is accepted; see bind_uncomputed (). */
  if (mode != 'N')
    {
      call->extents['p' - 'a'] = mode == 'A' ? m : k;
      call->extents['q' - 'a'] = mode == 'A' ? n : k;
    }
}

static gboolean
is_either (gint64 found,
           gint64 a,
           gint64 b)
{
  return found < 0 || a < 0 || b < 0 || found == a || found == b;
}

/* With mode 'N', the vectors of gesdd and gesvd may have the size of either of the other modes. */
static gboolean
bind_uncomputed (const Reader *reader)
{
  GhloIrLapackCall *call = reader->call;
  gint64 k = ghlo_ir_lapack_extent (call, 'k');
  static const char pairs[][2] = { { 'p', 'm' }, { 'q', 'n' } };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      gint64 *extent = &call->extents[pairs[i][0] - 'a'];

      if (!is_either (*extent, k, ghlo_ir_lapack_extent (call, pairs[i][1])))
        return fail (reader, "expected %" G_GINT64_FORMAT " or %" G_GINT64_FORMAT " singular vectors in results of %s,"
                     " found %" G_GINT64_FORMAT, k, ghlo_ir_lapack_extent (call, pairs[i][1]),
                     ghlo_ir_op_get_string (reader->op, "call_target_name"), *extent);
      if (*extent < 0)
        *extent = k;
    }

  return TRUE;
}

/* Checks conditions such as "t<=k" between letters. */
static gboolean
check_conditions (const Reader *reader)
{
  const char *text = reader->row->conditions;
  char word[GHLO_IR_LAPACK_WORD];

  while (ghlo_ir_lapack_next_word (&text, reader->call->is_complex, word))
    {
      gint64 less = ghlo_ir_lapack_extent (reader->call, word[0]), more = ghlo_ir_lapack_extent (reader->call, word[3]);

      if (less >= 0 && more >= 0 && less > more)
        return fail (reader, "expected at most %" G_GINT64_FORMAT " %s of %s, found %" G_GINT64_FORMAT, more,
                     word[0] == 't' ? "reflectors" : "columns",
                     ghlo_ir_op_get_string (reader->op, "call_target_name"), less);
    }

  return TRUE;
}

/* gehrd reduces the rows and columns low to high, counted from 1. */
static gboolean
check_range (const Reader *reader)
{
  const GhloIrLapackParameter *low = ghlo_ir_lapack_parameter (reader->call, "low");
  const GhloIrLapackParameter *high = ghlo_ir_lapack_parameter (reader->call, "high");
  gint64 n = ghlo_ir_lapack_extent (reader->call, 'n');

  if (low == NULL || n < 0
      || (n > 0 ? low->value >= 1 && low->value <= high->value && high->value <= n
                : low->value == 1 && high->value == 0))
    return TRUE;

  return fail (reader, "expected 1 <= low <= high <= %" G_GINT64_FORMAT " of %s, found %" G_GINT64_FORMAT " and %"
               G_GINT64_FORMAT, n, ghlo_ir_op_get_string (reader->op, "call_target_name"), low->value, high->value);
}

static gboolean
bind_shapes (const Reader *reader)
{
  GhloIrLapackCall *call = reader->call;
  gboolean derived = FALSE;

  for (guint round = 0; round < 2; round++, derived = TRUE)
    {
      if (derived)
        derive_extents (call);
      /* The first pass binds letters. Operands with derived extents are checked in the second pass. */
      for (guint i = 0; i < call->n_arguments; i++)
        {
          GhloIrLapackArgument *argument = &call->arguments[i];
          gboolean follows = memchr (argument->letters, 'r', sizeof (argument->letters)) != NULL;

          if (argument->operand >= 0 && follows == derived && !bind_shape (reader, argument, TRUE))
            return FALSE;
        }
    }
  for (guint i = 0; i < call->n_arguments; i++)
    if (call->arguments[i].result >= 0 && !bind_shape (reader, &call->arguments[i], FALSE))
      return FALSE;
  if (parameter_value (call, "mode") == 'N' && !bind_uncomputed (reader))
    return FALSE;
  for (guint i = 0; i < call->n_arguments; i++)
    for (guint j = 0; j < 2; j++)
      call->arguments[i].extents[j] = j < call->arguments[i].rank
                                      ? ghlo_ir_lapack_extent (call, call->arguments[i].letters[j]) : 1;

  return check_conditions (reader) && check_range (reader);
}

/* Whether a layout, listed from the innermost dimension out, is column-major for each matrix (or contiguous for a
 * vector) with the matrices in the order of the batch. */
static gboolean
layout_fits (const GhloIrLapackCall     *call,
             const GhloIrLapackArgument *argument,
             const GhloIrAttr           *layout)
{
  guint rank = call->n_batch + argument->rank;
  gboolean fits;
  gint64 *order;
  gsize n;

  if (!ghlo_ir_dense_to_int64 (layout, &order, &n))
    return FALSE;
  fits = n == rank;
  for (guint i = 0; fits && i < rank; i++)
    {
      gint64 dimension = rank - 1 - i;

      if (argument->rank == 2 && i < 2)
        dimension = rank - 2 + i;
      fits = order[i] == dimension;
    }
  g_free (order);

  return fits;
}

/* LAPACK's routines expect column-major matrices, and so do JAX's functions. With any other layout, or with none,
 * which means row-major, XLA would pass transposed matrices. */
static gboolean
check_layouts (const Reader *reader)
{
  const GhloIrLapackCall *call = reader->call;
  const GhloIrAttr *operands = ghlo_ir_op_get (reader->op, "operand_layouts");
  const GhloIrAttr *results = ghlo_ir_op_get (reader->op, "result_layouts");

  if (!ghlo_ir_lapack_row_is_by_columns (reader->row))
    return TRUE;
  if (operands == NULL || results == NULL)
    return fail (reader, "expected operand_layouts and result_layouts of %s, with column-major matrices, found none",
                 ghlo_ir_op_get_string (reader->op, "call_target_name"));
  for (guint i = 0; i < call->n_arguments; i++)
    {
      const GhloIrLapackArgument *argument = &call->arguments[i];
      gboolean is_operand = argument->operand >= 0
                            && !layout_fits (call, argument, operands->children[argument->operand]);

      if (is_operand || (argument->result >= 0 && !layout_fits (call, argument, results->children[argument->result])))
        return fail (reader, "expected a layout of %s %d ('%s') of %s that places each %s after the previous one",
                     is_operand ? "operand" : "result", is_operand ? argument->operand : argument->result,
                     argument->name, ghlo_ir_op_get_string (reader->op, "call_target_name"),
                     argument->rank == 2 ? "matrix, and its columns," : "vector");
    }

  return TRUE;
}

static gboolean
read_types (const Reader *reader)
{
  GhloIrLapackCall *call = reader->call;
  const GhloIrLapackArgument *first = &call->arguments[0];

  if (reader->operands[0].rank < first->rank)
    return fail (reader, "expected %s as operand 0 of %s, found rank %u", first->rank == 2 ? "matrices" : "vectors",
                 ghlo_ir_op_get_string (reader->op, "call_target_name"), reader->operands[0].rank);
  call->n_batch = reader->operands[0].rank - first->rank;
  call->batch = reader->operands[0].dimensions;
  for (guint i = 0; i < call->n_arguments; i++)
    {
      GhloIrLapackArgument *argument = &call->arguments[i];

      argument->type = argument->element == 'T' ? call->type
                       : argument->element == 'R' ? ghlo_element_type_real_part (call->type)
                       : argument->element == 'C' ? complex_of (call->type) : GHLO_ELEMENT_TYPE_I32;
    }

  return TRUE;
}

static gboolean
read_row (Reader *reader)
{
  GhloIrLapackCall *call = reader->call;
  const GhloIrOp *op = reader->op;
  const char *text = reader->row->parameters;
  char word[GHLO_IR_LAPACK_WORD];

  for (guint i = 0; i < G_N_ELEMENTS (call->extents); i++)
    call->extents[i] = GHLO_DYNAMIC;
  if (!ghlo_element_type_is_complex (call->type) && !ghlo_element_type_is_float (call->type))
    return fail (reader, "expected real or complex numbers as operand 0 of %s",
                 ghlo_ir_op_get_string (op, "call_target_name"));
  while (ghlo_ir_lapack_next_word (&text, call->is_complex, word))
    if (!read_parameter (reader, word))
      return FALSE;
  read_arguments (reader);
  if (count_operands (op) != reader->n_operands || op->n_results != reader->n_results)
    return fail (reader, "expected %u operands and %u results of %s, found %u and %u", reader->n_operands,
                 reader->n_results, ghlo_ir_op_get_string (op, "call_target_name"), count_operands (op),
                 op->n_results);

  return read_types (reader) && bind_shapes (reader) && check_layouts (reader);
}

gboolean
ghlo_ir_lapack_read (GhloIrLapackCall        *self,
                     const GhloIrOp          *op,
                     const GhloIrLapackShape *operands,
                     const GhloIrLapackShape *results,
                     char                   **problem)
{
  const char *target = ghlo_ir_op_get_string (op, "call_target_name");

  *problem = NULL;
  for (guint i = 0; i < GHLO_IR_LAPACK_N_ROUTINES; i++)
    {
      Reader reader = {
        .call = self, .row = &ghlo_ir_lapack_rows[i], .op = op, .operands = operands, .results = results,
        .problem = problem,
      };

      memset (self, 0, sizeof (*self));
      if (!ghlo_ir_lapack_row_has_name (reader.row, target, &self->type))
        continue;
      g_clear_pointer (problem, g_free);
      if (self->type == GHLO_ELEMENT_TYPE_INVALID && op->n_operands > 0)
        self->type = operands[0].type;
      self->routine = (GhloIrLapackRoutine) i;
      self->is_complex = ghlo_element_type_is_complex (self->type);
      self->name = self->is_complex ? reader.row->complex : reader.row->real;
      self->call = reader.row->call;
      self->not_finite = reader.row->not_finite;
      if (read_row (&reader))
        return TRUE;
    }

  return FALSE;
}

/* Returns the shapes of the operands or results, owned by the caller; NULL if any of them is not a plain tensor. */
static GhloIrLapackShape *
take_shapes (const GhloIrOp *op,
             gboolean        of_results)
{
  guint n = of_results ? op->n_results : op->n_operands;
  g_autofree GhloIrLapackShape *shapes = g_new0 (GhloIrLapackShape, n + 1);

  for (guint i = 0; i < n; i++)
    {
      const GhloIrType *type = of_results ? op->results[i].type : op->operands[i].value->type;

      if (type->kind != GHLO_IR_TYPE_TENSOR || type->quantization != NULL)
        return NULL;
      shapes[i] = (GhloIrLapackShape) { type->element_type, type->rank, type->dimensions };
    }

  return g_steal_pointer (&shapes);
}

gboolean
ghlo_ir_lapack_read_op (GhloIrLapackCall  *self,
                        const GhloIrOp    *op,
                        char             **problem)
{
  g_autofree GhloIrLapackShape *operands = take_shapes (op, FALSE), *results = take_shapes (op, TRUE);

  if (operands != NULL && results != NULL)
    return ghlo_ir_lapack_read (self, op, operands, results, problem);
  *problem = g_strdup_printf ("expected plain tensors as operands and results of %s",
                              ghlo_ir_op_get_string (op, "call_target_name"));

  return FALSE;
}
