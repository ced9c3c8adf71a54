/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The values of random programs: their types, the text of their definitions, constants and arguments, and which values
 * are in scope where.
 */

#include "ir/print/print.h"
#include "program.h"

gboolean
random_is_float (GhloElementType type)
{
  return ghlo_element_type_is_float (type);
}

gboolean
random_is_complex (GhloElementType type)
{
  return ghlo_element_type_is_complex (type);
}

gboolean
random_is_integer (GhloElementType type)
{
  return ghlo_element_type_is_integer (type);
}

static gboolean
is_empty (const RandomType *type)
{
  for (guint i = 0; i < type->rank; i++)
    if (type->dimensions[i] == 0)
      return TRUE;

  return FALSE;
}

gint64
random_count (const RandomType *type)
{
  gint64 n = 1;

  if (is_empty (type))
    return 0;
  for (guint i = 0; i < type->rank; i++)
    n *= type->dimensions[i];

  return n;
}

gboolean
random_same_type (const RandomType *a,
                  const RandomType *b)
{
  return a->element == b->element && a->rank == b->rank && a->open == b->open
         && memcmp (a->dimensions, b->dimensions, a->rank * sizeof (gint64)) == 0;
}

RandomType
random_scalar (GhloElementType element)
{
  return (RandomType) { .element = element };
}

RandomType
random_vector (GhloElementType element,
               gint64          size)
{
  return (RandomType) { .element = element, .rank = 1, .dimensions = { size } };
}

gboolean
random_fits (const RandomProgram *self,
             const RandomType    *type)
{
  gint64 n = 1, most = self->is_extreme ? RANDOM_MAX_WORK : self->is_large ? RANDOM_MANY_ELEMENTS : RANDOM_MAX_ELEMENTS;

  if (self->is_extreme && is_empty (type))
    return TRUE;
  for (guint i = 0; i < type->rank; i++)
    if (__builtin_mul_overflow (n, MAX (type->dimensions[i], 1), &n))
      return FALSE;

  return type->rank <= random_max_rank (self, RANDOM_USUAL_RANK) && n <= most;
}

const char *
random_printf (RandomProgram *self,
               const char    *format,
               ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);

  return g_string_chunk_insert (self->texts, text);
}

const char *
random_scalar_name (GhloScalarKind kind)
{
  return ghlo_ir_op_spec (ghlo_scalar_spec (kind)->op)->name;
}

const char *
random_scalar_mnemonic (GhloScalarKind kind)
{
  return strchr (random_scalar_name (kind), '.') + 1;
}

void
random_emit (RandomProgram *self,
             const char    *format,
             ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_string_append_vprintf (self->body, format, arguments);
  va_end (arguments);
}

const char *
random_text (RandomProgram    *self,
             const RandomType *type)
{
  g_autoptr (GString) text = g_string_new ("tensor<");

  for (guint i = 0; i < type->rank; i++)
    {
      if ((type->open >> i & 1) != 0)
        g_string_append (text, "?x");
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT "x", type->dimensions[i]);
    }
  g_string_append_printf (text, "%s>", ghlo_element_info (type->element)->name);

  return g_string_chunk_insert (self->texts, text->str);
}

const char *
random_type_of (RandomProgram *self,
                guint          value)
{
  return random_text (self, &self->values[value].type);
}

const char *
random_name (RandomProgram *self,
             guint          value)
{
  return random_printf (self, "%%v%u", self->values[value].id);
}

const char *
random_names (RandomProgram *self,
              const guint   *values,
              guint          n)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%v%u", i > 0 ? ", " : "", self->values[values[i]].id);

  return g_string_chunk_insert (self->texts, text->str);
}

const char *
random_list (RandomProgram *self,
             const gint64  *numbers,
             guint          n)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", numbers[i]);

  return g_string_chunk_insert (self->texts, text->str);
}

const char *
random_signature (RandomProgram    *self,
                  const guint      *operands,
                  guint             n,
                  const RandomType *result)
{
  g_autoptr (GString) text = g_string_new ("(");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", random_type_of (self, operands[i]));
  g_string_append_printf (text, ") -> %s", random_text (self, result));

  return g_string_chunk_insert (self->texts, text->str);
}

guint
random_define (RandomProgram    *self,
               const RandomType *type,
               RandomNumbers     numbers)
{
  RandomValue value = { .type = *type, .numbers = numbers, .id = self->n_ids++ };

  g_assert (self->n_values < RANDOM_MAX_VALUES && !isnan (numbers.error));
  g_array_append_val (self->known, numbers);
  self->values[self->n_values] = value;

  return self->n_values++;
}

gboolean
random_allows (const RandomProgram *self,
               RandomNumbers        numbers)
{
  return self->is_loose || numbers.trust != RANDOM_NONE;
}

guint
random_op (RandomProgram    *self,
           const char       *name,
           const guint      *operands,
           guint             n,
           const char       *attributes,
           const RandomType *result,
           RandomNumbers     numbers)
{
  const char *names = random_names (self, operands, n), *signature = random_signature (self, operands, n, result);
  guint value = random_define (self, result, numbers);

  random_emit (self, "  %s = %s %s%s : %s\n", random_name (self, value), name, names, attributes, signature);

  return value;
}

guint
random_generic_op (RandomProgram    *self,
                   const char       *name,
                   const guint      *operands,
                   guint             n,
                   const char       *rest,
                   const RandomType *result,
                   RandomNumbers     numbers)
{
  const char *names = random_names (self, operands, n), *signature = random_signature (self, operands, n, result);
  guint value = random_define (self, result, numbers);

  random_emit (self, "  %s = \"%s\"(%s)%s : %s\n", random_name (self, value), name, names, rest, signature);

  return value;
}

static RandomFill
choose_fill (RandomProgram *self,
             RandomFill     fill)
{
  guint choice;

  if (fill != RANDOM_FILL_ANY)
    return fill;
  choice = random_pick (self, 6);

  return choice < 3 ? RANDOM_FILL_GRID : choice < 4 ? RANDOM_FILL_SPECIAL : RANDOM_FILL_WILD;
}

guint
random_constant (RandomProgram    *self,
                 const RandomType *type,
                 RandomFill        fill)
{
  const GhloElementInfo *info = ghlo_element_info (type->element);
  gboolean is_splat = random_pick (self, 3) > 0 && fill != RANDOM_FILL_POSITIVE && random_count (type) > 0;
  g_autofree guint8 *data = g_malloc0 ((gsize) (random_count (type) + 1) * info->size);
  g_autoptr (GString) text = g_string_new (NULL);
  RandomType closed = *type;
  guint value;

  closed.open = 0;
  fill = choose_fill (self, fill);
  if (is_splat && random_once (self, 2))
    fill = RANDOM_FILL_PLAIN;
  random_fill (type->element, type->dimensions, type->rank, fill, random_seed (self), data);
  ghlo_ir_append_elements (text, type->element, type->dimensions, type->rank, data, is_splat);
  value = random_define (self, &closed, random_numbers_filled (type->element, fill));
  random_emit (self, "  %s = stablehlo.constant dense<%s> : %s\n", random_name (self, value), text->str,
               random_type_of (self, value));

  return value;
}

guint
random_integers (RandomProgram   *self,
                 GhloElementType  element,
                 const gint64    *numbers,
                 guint            n)
{
  RandomType type = random_vector (element, n);
  double largest = 0;
  guint value;

  for (guint i = 0; i < n; i++)
    largest = MAX (largest, fabs ((double) numbers[i]));
  value = random_define (self, &type, random_numbers_small (largest, 1));
  random_emit (self, "  %s = stablehlo.constant dense<%s%s%s> : %s\n", random_name (self, value), n > 0 ? "[" : "",
               random_list (self, numbers, n), n > 0 ? "]" : "", random_text (self, &type));

  return value;
}

guint
random_integer_constant (RandomProgram   *self,
                         GhloElementType  element,
                         gint64           number)
{
  RandomType type = random_scalar (element);
  guint value = random_define (self, &type, random_numbers_small (fabs ((double) number), 1));

  random_emit (self, "  %s = stablehlo.constant dense<%" G_GINT64_FORMAT "> : %s\n", random_name (self, value), number,
               random_text (self, &type));

  return value;
}

guint
random_argument (RandomProgram    *self,
                 const RandomType *type,
                 RandomFill        fill)
{
  RandomArgument argument = { .type = *type, .fill = choose_fill (self, fill) };
  guint value;

  if (self->is_closed)
    return random_constant (self, type, fill);
  value = random_define (self, type, random_numbers_filled (type->element, argument.fill));
  argument.id = self->values[value].id;
  argument.seed = random_seed (self);
  g_array_append_val (self->arguments, argument);

  return value;
}

/* One in sight, or none. */
static gboolean
find_value (RandomProgram    *self,
            const RandomType *type,
            gboolean          is_bounded,
            guint            *found)
{
  guint n = self->n_values - self->first, start = random_pick (self, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      guint value = self->first + (start + i) % n;
      const RandomNumbers *numbers = &self->values[value].numbers;

      *found = value;
      if (!random_same_type (&self->values[value].type, type))
        continue;
      if (!is_bounded || random_is_integer (type->element)
          || (numbers->trust >= RANDOM_EQUAL && numbers->magnitude <= 64 && !numbers->specials))
        return TRUE;
    }

  return FALSE;
}

static guint
value_like (RandomProgram    *self,
            const RandomType *type,
            gboolean          is_bounded)
{
  RandomFill fill = is_bounded ? RANDOM_FILL_GRID : RANDOM_FILL_ANY;
  guint value;

  if (random_pick (self, 4) > 0 && find_value (self, type, is_bounded, &value))
    return value;
  if (type->open == 0 && random_fits (self, type) && random_once (self, 2))
    return random_constant (self, type, fill);

  return random_argument (self, type, fill);
}

guint
random_like (RandomProgram    *self,
             const RandomType *type)
{
  return value_like (self, type, FALSE);
}

guint
random_bounded (RandomProgram    *self,
                const RandomType *type)
{
  return value_like (self, type, !self->is_loose || random_once (self, 2));
}

RandomScope
random_scope_begin (RandomProgram *self,
                    gboolean       is_closed,
                    gboolean       is_scalar)
{
  RandomScope scope = {
    .n_values = self->n_values, .first = self->first, .is_closed = self->is_closed, .is_scalar = self->is_scalar,
    .body = self->body,
  };

  self->is_closed |= is_closed;
  self->is_scalar |= is_scalar;
  if (is_closed)
    self->first = self->n_values;
  self->depth++;

  return scope;
}

void
random_scope_end (RandomProgram     *self,
                  const RandomScope *scope)
{
  self->n_values = scope->n_values;
  self->first = scope->first;
  self->is_closed = scope->is_closed;
  self->is_scalar = scope->is_scalar;
  self->body = scope->body;
  self->depth--;
}
