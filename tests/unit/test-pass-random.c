/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     test-pass-random [--from=SEED] [--programs=N]
 *
 * Random programs of what passes rewrite: arithmetic of all kinds of elements on
 * awkward numbers, layouts that come and go, products, slices, branches. Each must
 * compute the same bits after O2 and after each pass alone. A failure prints the
 * program and its seed.
 */

#include "pass-help.h"

enum { MAX_VALUES = 48, MAX_RANK = 4, N_STEPS = 24 };

typedef struct
{
  const char *element;
  gint64      dimensions[MAX_RANK + 1];
  guint       rank;
} Type;

typedef struct
{
  GRand   *random;
  GString *arguments, *body;
  Type     values[MAX_VALUES];      /* value i is %vi */
  guint    n_values, n_arguments;
} Program;

static const char *const floats[] = { "f32", "f64", "f16", "bf16", "f8E4M3FN", "f8E5M2FNUZ" };
static const char *const integers[] = { "i32", "i8", "ui8", "ui32", "i64", "i4" };

static guint
pick (Program *self,
      guint    n)
{
  return (guint) g_rand_int_range (self->random, 0, (gint32) n);
}

static gboolean
is_float (const char *element)
{
  return element[0] == 'f' || element[0] == 'b';
}

static gboolean
is_boolean (const char *element)
{
  return strcmp (element, "i1") == 0;
}

static void
append_type (GString    *text,
             const Type *type)
{
  g_string_append (text, "tensor<");
  for (guint i = 0; i < type->rank; i++)
    g_string_append_printf (text, "%" G_GINT64_FORMAT "x", type->dimensions[i]);
  g_string_append_printf (text, "%s>", type->element);
}

static void
append_list (GString      *text,
             const gint64 *numbers,
             guint         n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", numbers[i]);
}

static gint64
count (const Type *type)
{
  gint64 n = 1;

  for (guint i = 0; i < type->rank; i++)
    n *= type->dimensions[i];

  return n;
}

/* Mostly equal ones, so that a wrong order of dimensions does not show in the type. */
static gint64
random_size (Program *self)
{
  static const gint64 sizes[] = { 2, 2, 2, 2, 2, 3, 3, 1, 1, 4 };

  return pick (self, 30) == 0 ? 0 : sizes[pick (self, G_N_ELEMENTS (sizes))];
}

static Type
random_type (Program *self)
{
  Type type = { .rank = pick (self, 4) };
  guint class = pick (self, 7);

  type.element = class < 4 ? floats[pick (self, pick (self, 3) == 0 ? G_N_ELEMENTS (floats) : 1)]
                 : class < 6 ? integers[pick (self, G_N_ELEMENTS (integers))] : "i1";
  for (guint i = 0; i < type.rank; i++)
    type.dimensions[i] = random_size (self);

  return type;
}

/* A place for a value of @type; the text that defines it follows. */
static guint
add_value (Program    *self,
           const Type *type)
{
  self->values[self->n_values] = *type;

  return self->n_values++;
}

static guint
add_argument (Program    *self,
              const Type *type)
{
  guint value = add_value (self, type);

  g_string_append_printf (self->arguments, "%s%%v%u: ", self->n_arguments++ > 0 ? ", " : "", value);
  append_type (self->arguments, type);

  return value;
}

static const char *
random_number (Program    *self,
               const char *element)
{
  static const char *const reals[] = { "0.0", "-0.0", "1.0", "-1.0", "2.0", "0.5", "3.0", "4.0" };
  static const char *const whole[] = { "0", "1", "2", "3", "4", "7" };

  if (is_boolean (element))
    return pick (self, 2) == 0 ? "false" : "true";
  if (is_float (element))
    return reals[pick (self, G_N_ELEMENTS (reals))];
  if (element[0] == 'i' && pick (self, 4) == 0)
    return "-1";

  return whole[pick (self, G_N_ELEMENTS (whole))];
}

static guint
add_splat (Program    *self,
           const Type *type)
{
  guint value = add_value (self, type);

  g_string_append_printf (self->body, "  %%v%u = stablehlo.constant dense<%s> : ", value,
                          random_number (self, type->element));
  append_type (self->body, type);
  g_string_append_c (self->body, '\n');

  return value;
}

/* A value of that type: one that is there, or a constant, or an argument. */
static guint
value_like (Program    *self,
            const Type *type)
{
  guint first = pick (self, self->n_values);

  if (pick (self, 4) > 0)
    for (guint i = 0; i < self->n_values; i++)
      {
        guint value = (first + i) % self->n_values;
        const Type *other = &self->values[value];

        if (strcmp (other->element, type->element) == 0 && other->rank == type->rank
            && memcmp (other->dimensions, type->dimensions, type->rank * sizeof (gint64)) == 0)
          return value;
      }

  return pick (self, 2) == 0 ? add_splat (self, type) : add_argument (self, type);
}

/* "%vN = stablehlo.NAME %vA, %vB … : TYPE" */
static void
add_same (Program     *self,
          const char  *name,
          const guint *operands,
          guint        n,
          const Type  *type)
{
  guint value = add_value (self, type);

  g_string_append_printf (self->body, "  %%v%u = stablehlo.%s ", value, name);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (self->body, "%s%%v%u", i > 0 ? ", " : "", operands[i]);
  g_string_append (self->body, " : ");
  append_type (self->body, type);
  g_string_append_c (self->body, '\n');
}

/* " : (TYPE, …) -> TYPE" and the line's end. */
static void
finish (Program     *self,
        const guint *operands,
        guint        n,
        const Type  *result)
{
  g_string_append (self->body, " : (");
  for (guint i = 0; i < n; i++)
    {
      g_string_append (self->body, i > 0 ? ", " : "");
      append_type (self->body, &self->values[operands[i]]);
    }
  g_string_append (self->body, ") -> ");
  append_type (self->body, result);
  g_string_append_c (self->body, '\n');
}

static void
step_unary (Program *self,
            guint    value)
{
  static const char *const of_floats[] = { "negate", "abs", "ceil", "floor", "sign", "exponential", "rsqrt",
                                           "round_nearest_even", "logistic", "tanh" };
  static const char *const of_integers[] = { "negate", "not", "popcnt" };
  Type type = self->values[value];
  const char *name = is_boolean (type.element) ? "not"
                     : is_float (type.element) ? of_floats[pick (self, G_N_ELEMENTS (of_floats))]
                     : of_integers[pick (self, G_N_ELEMENTS (of_integers))];

  add_same (self, name, &value, 1, &type);
}

static void
step_binary (Program *self,
             guint    value)
{
  static const char *const of_floats[] = { "add", "subtract", "multiply", "divide", "maximum", "minimum", "power",
                                           "remainder" };
  static const char *const of_integers[] = { "add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor",
                                             "divide", "remainder", "shift_left", "shift_right_logical" };
  static const char *const of_booleans[] = { "add", "multiply", "maximum", "minimum", "and", "or", "xor" };
  Type type = self->values[value];
  const char *name = is_boolean (type.element) ? of_booleans[pick (self, G_N_ELEMENTS (of_booleans))]
                     : is_float (type.element) ? of_floats[pick (self, G_N_ELEMENTS (of_floats))]
                     : of_integers[pick (self, G_N_ELEMENTS (of_integers))];
  guint operands[2] = { value, value_like (self, &type) };

  if (pick (self, 2) == 0)
    {
      operands[0] = operands[1];
      operands[1] = value;
    }
  add_same (self, name, operands, 2, &type);
}

static void
step_compare (Program *self,
              guint    value)
{
  static const char *const words[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
  Type type = self->values[value], result = type;
  guint operands[2] = { value, value_like (self, &type) }, place;

  result.element = "i1";
  place = add_value (self, &result);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.compare %s, %%v%u, %%v%u", place,
                          words[pick (self, G_N_ELEMENTS (words))], operands[0], operands[1]);
  finish (self, operands, 2, &result);
}

static void
step_select (Program *self,
             guint    value)
{
  Type type = self->values[value], predicate = type;
  guint operands[3], place;

  predicate.element = "i1";
  if (pick (self, 4) == 0)
    predicate.rank = 0;
  operands[0] = value_like (self, &predicate);
  operands[1] = value;
  operands[2] = value_like (self, &type);
  place = add_value (self, &type);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.select %%v%u, %%v%u, %%v%u : ", place, operands[0],
                          operands[1], operands[2]);
  append_type (self->body, &predicate);
  g_string_append (self->body, ", ");
  append_type (self->body, &type);
  g_string_append_c (self->body, '\n');
}

static void
step_convert (Program *self,
              guint    value)
{
  Type result = self->values[value];
  guint place;

  result.element = pick (self, 2) == 0 ? floats[pick (self, 4)] : integers[pick (self, G_N_ELEMENTS (integers))];
  place = add_value (self, &result);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.convert %%v%u", place, value);
  finish (self, &value, 1, &result);
}

/* Ones come and go, everything becomes one dimension, or the dimensions turn about. */
static void
step_reshape (Program *self,
              guint    value)
{
  Type type = self->values[value], result = type;
  guint place;

  result.rank = 0;
  if (pick (self, 4) == 0)
    {
      result.dimensions[result.rank++] = count (&type);
    }
  else if (pick (self, 3) == 0)
    {
      for (guint i = type.rank; i > 0; i--)
        result.dimensions[result.rank++] = type.dimensions[i - 1];
    }
  else
    {
      for (guint i = 0; i < type.rank; i++)
        {
          if (result.rank + type.rank - i < MAX_RANK && pick (self, 3) == 0)
            result.dimensions[result.rank++] = 1;
          if (type.dimensions[i] != 1 || pick (self, 2) == 0)
            result.dimensions[result.rank++] = type.dimensions[i];
        }
      if (result.rank < MAX_RANK && pick (self, 3) == 0)
        result.dimensions[result.rank++] = 1;
    }
  place = add_value (self, &result);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.reshape %%v%u", place, value);
  finish (self, &value, 1, &result);
}

static void
shuffle (Program *self,
         gint64  *numbers,
         guint    n)
{
  for (guint i = 0; i < n; i++)
    numbers[i] = i;
  for (guint i = n; i > 1; i--)
    {
      guint j = pick (self, i);
      gint64 number = numbers[i - 1];

      numbers[i - 1] = numbers[j];
      numbers[j] = number;
    }
}

static guint
add_transpose (Program *self,
               guint    value)
{
  Type type = self->values[value], result = type;
  gint64 permutation[MAX_RANK];
  guint place;

  shuffle (self, permutation, type.rank);
  for (guint i = 0; i < type.rank; i++)
    result.dimensions[i] = type.dimensions[permutation[i]];
  place = add_value (self, &result);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.transpose %%v%u, dims = [", place, value);
  append_list (self->body, permutation, type.rank);
  g_string_append_c (self->body, ']');
  finish (self, &value, 1, &result);

  return place;
}

static void
step_transpose (Program *self,
                guint    value)
{
  add_transpose (self, value);
}

/* To up to MAX_RANK dimensions, in any order. */
static void
step_broadcast (Program *self,
                guint    value)
{
  Type type = self->values[value], result = type;
  gint64 places[MAX_RANK];
  guint place;

  result.rank = type.rank + pick (self, MAX_RANK - type.rank + 1);
  for (guint i = 0; i < result.rank; i++)
    result.dimensions[i] = MAX (random_size (self), 1);
  shuffle (self, places, result.rank);
  for (guint i = 0; i < type.rank; i++)
    if (type.dimensions[i] != 1)
      result.dimensions[places[i]] = type.dimensions[i];
  place = add_value (self, &result);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.broadcast_in_dim %%v%u, dims = [", place, value);
  append_list (self->body, places, type.rank);
  g_string_append_c (self->body, ']');
  finish (self, &value, 1, &result);
}

static void
step_slice (Program *self,
            guint    value)
{
  Type type = self->values[value], result = type;
  guint place = add_value (self, &result);

  g_string_append_printf (self->body, "  %%v%u = stablehlo.slice %%v%u [", place, value);
  for (guint i = 0; i < type.rank; i++)
    {
      gint64 start = pick (self, (guint) type.dimensions[i] + 1);
      gint64 limit = start + pick (self, (guint) (type.dimensions[i] - start) + 1), stride = 1 + pick (self, 2);

      if (pick (self, 2) == 0)
        {
          start = 0;
          limit = type.dimensions[i];
        }
      g_string_append_printf (self->body, "%s%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT,
                              i > 0 ? ", " : "", start, limit, stride);
      result.dimensions[i] = limit > start ? (limit - start - 1) / stride + 1 : 0;
    }
  self->values[place] = result;
  g_string_append_c (self->body, ']');
  finish (self, &value, 1, &result);
}

static void
step_reverse (Program *self,
              guint    value)
{
  Type type = self->values[value];
  gint64 dimensions[MAX_RANK];
  guint place = add_value (self, &type), n = pick (self, type.rank + 1);

  shuffle (self, dimensions, type.rank);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.reverse %%v%u, dims = [", place, value);
  append_list (self->body, dimensions, n);
  g_string_append (self->body, "] : ");
  append_type (self->body, &type);
  g_string_append_c (self->body, '\n');
}

static void
step_concatenate (Program *self,
                  guint    value)
{
  Type type = self->values[value], result = type;
  guint operands[2] = { value, value_like (self, &type) }, place, dimension;

  if (type.rank == 0)
    return;
  dimension = pick (self, type.rank);
  result.dimensions[dimension] *= 2;
  if (result.dimensions[dimension] > 8)
    return;
  place = add_value (self, &result);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.concatenate %%v%u, %%v%u, dim = %u", place, operands[0],
                          operands[1], dimension);
  finish (self, operands, 2, &result);
}

static void
step_pad (Program *self,
          guint    value)
{
  Type type = self->values[value], result = type, scalar = { .element = type.element };
  gint64 low[MAX_RANK], high[MAX_RANK], interior[MAX_RANK];
  guint operands[2] = { value, value_like (self, &scalar) }, place;

  for (guint i = 0; i < type.rank; i++)
    {
      gint64 size = type.dimensions[i];

      interior[i] = pick (self, 4) == 0 ? 1 : 0;
      size += MAX (size - 1, 0) * interior[i];
      low[i] = (gint64) pick (self, 3) - 1;
      high[i] = (gint64) pick (self, 3) - 1;
      if (size + low[i] + high[i] < 0)
        low[i] = high[i] = 0;
      result.dimensions[i] = size + low[i] + high[i];
      if (result.dimensions[i] > 8)
        return;
    }
  place = add_value (self, &result);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.pad %%v%u, %%v%u, low = [", place, operands[0],
                          operands[1]);
  append_list (self->body, low, type.rank);
  g_string_append (self->body, "], high = [");
  append_list (self->body, high, type.rank);
  g_string_append (self->body, "], interior = [");
  append_list (self->body, interior, type.rank);
  g_string_append_c (self->body, ']');
  finish (self, operands, 2, &result);
}

static void
step_reduce (Program *self,
             guint    value)
{
  static const char *const of_floats[] = { "add", "maximum", "multiply" };
  static const char *const of_integers[] = { "add", "maximum", "and" };
  Type type = self->values[value], result = type, scalar = { .element = type.element };
  gint64 dimensions[MAX_RANK], order[MAX_RANK];
  guint operands[2] = { value, value_like (self, &scalar) }, place, n = pick (self, type.rank + 1), n_reduced = 0;

  if (is_boolean (type.element))
    return;
  shuffle (self, order, type.rank);
  result.rank = 0;
  for (guint i = 0; i < type.rank; i++)
    if (order[i] < n)
      dimensions[n_reduced++] = i;
    else
      result.dimensions[result.rank++] = type.dimensions[i];
  place = add_value (self, &result);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.reduce(%%v%u init: %%v%u) applies stablehlo.%s across "
                          "dimensions = [", place, operands[0], operands[1],
                          is_float (type.element) ? of_floats[pick (self, 3)] : of_integers[pick (self, 3)]);
  append_list (self->body, dimensions, n_reduced);
  g_string_append_c (self->body, ']');
  finish (self, operands, 2, &result);
}

static void
step_iota (Program *self,
           guint    value)
{
  Type type = self->values[value];
  guint place;

  if (type.rank == 0 || is_boolean (type.element))
    return;
  place = add_value (self, &type);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.iota dim = %u : ", place, pick (self, type.rank));
  append_type (self->body, &type);
  g_string_append_c (self->body, '\n');
}

/* An argument of some of @type's dimensions, repeated along the others. */
static guint
add_repeated (Program    *self,
              const Type *type)
{
  Type source = { .element = type->element };
  gint64 places[MAX_RANK];
  guint operand, place;

  for (guint i = 0; i < type->rank; i++)
    if (pick (self, 2) == 0)
      {
        places[source.rank] = i;
        source.dimensions[source.rank++] = type->dimensions[i];
      }
  operand = add_argument (self, &source);
  place = add_value (self, type);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.broadcast_in_dim %%v%u, dims = [", place, operand);
  append_list (self->body, places, source.rank);
  g_string_append_c (self->body, ']');
  finish (self, &operand, 1, type);

  return place;
}

/* A product with an argument that fits: batches, contractions and free dimensions at
 * random, and both operands transposed beforehand, half of the time. */
static void
step_dot (Program *self,
          guint    value)
{
  Type lhs, rhs, result;
  gint64 batch[2][MAX_RANK], contracting[2][MAX_RANK];
  guint n_batch = 0, n_contracting = 0, operands[3] = { value }, place;

  if (is_boolean (self->values[value].element) || self->values[value].rank == 0)
    return;
  if (pick (self, 2) == 0)
    operands[0] = add_transpose (self, value);
  lhs = rhs = result = self->values[operands[0]];
  rhs.rank = result.rank = 0;
  for (guint i = 0; i < lhs.rank; i++)
    {
      guint role = pick (self, 3);

      if (role == 0 || (role == 1 && n_batch == 2))
        continue;
      if (role == 1)
        {
          batch[0][n_batch] = i;
          batch[1][n_batch++] = rhs.rank;
          result.dimensions[result.rank++] = lhs.dimensions[i];
        }
      else
        {
          contracting[0][n_contracting] = i;
          contracting[1][n_contracting++] = rhs.rank;
        }
      rhs.dimensions[rhs.rank++] = lhs.dimensions[i];
    }
  for (guint i = 0; i < lhs.rank; i++)
    {
      gboolean is_free = TRUE;

      for (guint j = 0; j < n_batch; j++)
        is_free &= batch[0][j] != i;
      for (guint j = 0; j < n_contracting; j++)
        is_free &= contracting[0][j] != i;
      if (is_free)
        result.dimensions[result.rank++] = lhs.dimensions[i];
    }
  if (rhs.rank < MAX_RANK && result.rank < MAX_RANK)
    {
      rhs.dimensions[rhs.rank++] = 1 + pick (self, 3);
      result.dimensions[result.rank++] = rhs.dimensions[rhs.rank - 1];
    }
  if (result.rank > MAX_RANK)
    return;
  operands[1] = pick (self, 3) == 0 ? add_repeated (self, &rhs) : value_like (self, &rhs);
  if (pick (self, 3) == 0)
    {
      gint64 swapped[MAX_RANK];
      guint n_free = 0;

      /* The sides change places: first the batches, then the one of rhs, then lhs's. */
      operands[2] = operands[0];
      operands[0] = operands[1];
      operands[1] = operands[2];
      memcpy (swapped, batch[0], sizeof swapped);
      memcpy (batch[0], batch[1], sizeof swapped);
      memcpy (batch[1], swapped, sizeof swapped);
      memcpy (swapped, contracting[0], sizeof swapped);
      memcpy (contracting[0], contracting[1], sizeof swapped);
      memcpy (contracting[1], swapped, sizeof swapped);
      memcpy (swapped, result.dimensions, sizeof swapped);
      n_free = rhs.rank - n_batch - n_contracting;
      for (guint i = 0; i < result.rank - n_batch; i++)
        result.dimensions[n_batch + (i + n_free) % MAX (result.rank - n_batch, 1)] = swapped[n_batch + i];
    }
  place = add_value (self, &result);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.dot_general %%v%u, %%v%u, batching_dims = [", place,
                          operands[0], operands[1]);
  append_list (self->body, batch[0], n_batch);
  g_string_append (self->body, "] x [");
  append_list (self->body, batch[1], n_batch);
  g_string_append (self->body, "], contracting_dims = [");
  append_list (self->body, contracting[0], n_contracting);
  g_string_append (self->body, "] x [");
  append_list (self->body, contracting[1], n_contracting);
  g_string_append_c (self->body, ']');
  finish (self, operands, 2, &result);
  if (self->n_values + 2 < MAX_VALUES && pick (self, 2) == 0)
    add_transpose (self, place);
}

static void
step_dynamic_slice (Program *self,
                    guint    value)
{
  Type type = self->values[value], result = type, index = { .element = "i32" };
  guint operands[MAX_RANK + 1] = { value }, place;

  for (guint i = 0; i < type.rank; i++)
    {
      operands[1 + i] = value_like (self, &index);
      result.dimensions[i] = pick (self, (guint) type.dimensions[i] + 1);
    }
  place = add_value (self, &result);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.dynamic_slice %%v%u", place, value);
  for (guint i = 0; i < type.rank; i++)
    g_string_append_printf (self->body, ", %%v%u", operands[1 + i]);
  g_string_append (self->body, ", sizes = [");
  append_list (self->body, result.dimensions, result.rank);
  g_string_append_c (self->body, ']');
  finish (self, operands, 1 + type.rank, &result);
}

/* A branch whose arms compute with values around it, or just give them. */
static void
step_if (Program *self,
         guint    value)
{
  Type type = self->values[value], predicate = { .element = "i1" };
  guint condition = value_like (self, &predicate), other = value_like (self, &type), place;
  g_autoptr (GString) text = g_string_new (NULL);

  place = add_value (self, &type);
  append_type (text, &type);
  g_string_append_printf (self->body, "  %%v%u = \"stablehlo.if\"(%%v%u) ({\n", place, condition);
  g_string_append_printf (self->body, "    %%a%u = stablehlo.%s %%v%u, %%v%u : %s\n", place,
                          pick (self, 2) == 0 ? "add" : "maximum", value, other, text->str);
  g_string_append_printf (self->body, "    stablehlo.return %%a%u : %s\n  }, {\n    stablehlo.return %%v%u : %s\n",
                          place, text->str, other, text->str);
  g_string_append_printf (self->body, "  }) : (tensor<i1>) -> %s\n", text->str);
}

/* A loop of none, one or some iterations, with a value that is handed on unchanged and
 * one that nobody uses. */
static void
step_while (Program *self,
            guint    value)
{
  Type type = self->values[value];
  guint other = value_like (self, &type), place = add_value (self, &type);
  g_autoptr (GString) text = g_string_new (NULL);

  append_type (text, &type);
  g_string_append_printf (self->body, "  %%z%u = stablehlo.constant dense<0> : tensor<i32>\n"
                          "  %%w%u:4 = stablehlo.while(%%i = %%z%u, %%a = %%v%u, %%b = %%v%u, %%c = %%v%u)"
                          " : tensor<i32>, %s, %s, %s\n", place, place, place, value, other, value, text->str,
                          text->str, text->str);
  g_string_append_printf (self->body, "  cond {\n    %%n = stablehlo.constant dense<%u> : tensor<i32>\n"
                          "    %%p = stablehlo.compare %s, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                          "    stablehlo.return %%p : tensor<i1>\n  } do {\n", pick (self, 4),
                          pick (self, 3) == 0 ? "LE" : "LT");
  g_string_append_printf (self->body, "    %%s = stablehlo.constant dense<1> : tensor<i32>\n"
                          "    %%j = stablehlo.add %%i, %%s : tensor<i32>\n"
                          "    %%d = stablehlo.maximum %%b, %%v%u : %s\n"
                          "    %%e = stablehlo.add %%a, %%d : %s\n    %%f = stablehlo.multiply %%c, %%a : %s\n"
                          "    stablehlo.return %%j, %%e, %%b, %%f : tensor<i32>, %s, %s, %s\n  }\n", other, text->str,
                          text->str, text->str, text->str, text->str, text->str);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.add %%w%u#1, %%w%u#%u : %s\n", place, place, place,
                          pick (self, 2) == 0 ? 2 : 1, text->str);
}

typedef void (*Step) (Program *self,
                      guint    value);

static const Step steps[] = {
  step_unary, step_unary, step_binary, step_binary, step_binary, step_binary, step_compare, step_select, step_convert,
  step_reshape, step_reshape, step_transpose, step_transpose, step_broadcast, step_broadcast, step_slice, step_reverse,
  step_concatenate, step_pad, step_reduce, step_iota, step_dot, step_dot, step_dynamic_slice, step_if, step_while,
};

static char *
make_program (guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autoptr (GString) arguments = g_string_new (NULL), body = g_string_new (NULL);
  g_autoptr (GString) names = g_string_new (NULL), types = g_string_new (NULL);
  Program self = { .random = random, .arguments = arguments, .body = body };

  for (guint i = 0; i < 3; i++)
    {
      Type type = random_type (&self);

      add_argument (&self, &type);
    }
  for (guint i = 0; i < N_STEPS && self.n_values + 6 < MAX_VALUES; i++)
    {
      /* Late values more often, so that the program grows deep. */
      guint value = pick (&self, 3) > 0 ? self.n_values - 1 - pick (&self, MIN (self.n_values, 4))
                                        : pick (&self, self.n_values);

      if (count (&self.values[value]) <= 256)
        steps[pick (&self, G_N_ELEMENTS (steps))] (&self, value);
    }
  for (guint i = 0; i < 4; i++)
    {
      guint value = self.n_values - 1 - i;

      g_string_append_printf (names, "%s%%v%u", i > 0 ? ", " : "", value);
      g_string_append (types, i > 0 ? ", " : "");
      append_type (types, &self.values[value]);
    }

  return g_strdup_printf ("func.func @main(%s) -> (%s) {\n%s  return %s : %s\n}\n", arguments->str, types->str,
                          body->str, names->str, types->str);
}

static guint n_changed, n_ran, n_failed;

static void
check_after (guint32                seed,
             const char            *text,
             GhloIrModule          *module,
             const GhloPassOptions *options,
             const char            *what)
{
  g_autoptr (GhloPassReport) report = ghlo_pass_report_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloIrModule) after = pass_apply (module, options, report, &error);
  g_autofree char *difference = NULL;
  guint n_runs = 0;

  if (after == NULL)
    g_error ("seed %u, %s: %s\n%s", seed, what, error->message, text);
  difference = pass_compare_modules (module, after, 3, TRUE, 0, &n_runs);
  if (difference != NULL)
    {
      g_autofree char *changed = ghlo_ir_to_string (after, GHLO_IR_PRINT_DEFAULT);

      g_error ("seed %u, %s: %s\n%s\nbecame\n%s", seed, what, difference, text, changed);
    }
  n_ran += n_runs;
  n_failed += 3 - n_runs;
  n_changed += report->n_ops_after != report->n_ops_before;
}

static void
check_program (guint32 seed)
{
  g_autofree char *text = make_program (seed);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloIrModule) module = pass_parse ("random.mlir", text, strlen (text), &error);
  GhloPassOptions options = { .level = 3 };

  if (module == NULL)
    g_error ("seed %u: %s\n%s", seed, error->message, text);
  check_after (seed, text, module, &options, "O3");
  for (guint i = 0; i < ghlo_passes_count (); i++)
    {
      const char *only[] = { ghlo_pass_get_name (i), NULL };

      options.only = only;
      check_after (seed, text, module, &options, only[0]);
    }
}

static gint64 first_seed = 1;
static gint64 n_programs = 2000;

static void
test_random (void)
{
  n_changed = n_ran = n_failed = 0;
  for (gint64 i = 0; i < n_programs; i++)
    check_program ((guint32) (first_seed + i));
  g_test_message ("%" G_GINT64_FORMAT " programs from seed %" G_GINT64_FORMAT ", %u changes of size, %u runs and %u "
                  "that failed before", n_programs, first_seed, n_changed, n_ran, n_failed);
  g_assert_cmpuint (n_changed, >, 0);
  g_assert_cmpuint (n_ran, >, n_failed);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ghlo_memory_set_limit (256 * 1024 * 1024);
  for (int i = 1; i < argc; i++)
    {
      if (g_str_has_prefix (argv[i], "--from="))
        first_seed = g_ascii_strtoll (argv[i] + strlen ("--from="), NULL, 10);
      else if (g_str_has_prefix (argv[i], "--programs="))
        n_programs = g_ascii_strtoll (argv[i] + strlen ("--programs="), NULL, 10);
    }
  g_test_add_func ("/passes/random", test_random);

  return g_test_run ();
}
