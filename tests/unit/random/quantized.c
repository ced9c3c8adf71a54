/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Quantized values in random programs: quantization to types whose scales are powers of two, so that what products and
 * sums compute is exact, operations on quantized values, and dequantization. Also the operations that generate random
 * numbers.
 */

#include "program.h"

typedef struct
{
  const char *storage, *stored;
  gint64      least, greatest;
} Storage;

static const Storage storages[] = {
  { "i8", "i8", -128, 127 }, { "ui8", "ui8", 0, 255 }, { "i8<-100:100>", "i8", -100, 100 }, { "i4", "i4", -8, 7 },
  { "ui4", "ui4", 0, 15 }, { "ui8<3:200>", "ui8", 3, 200 },
  { "i16", "i16", G_MININT16, G_MAXINT16 }, { "ui16", "ui16", 0, G_MAXUINT16 },
  { "i32", "i32", G_MININT32, G_MAXINT32 },
};

enum { N_BYTES = 6, WIDE = 6 };

/* One of those that suit, counted first: a search by trial might never end. */
static const Storage *
choose_storage (RandomProgram            *self,
                RandomStorage             storage,
                const RandomQuantization *like,
                gboolean                  has_zero_points)
{
  const Storage *suitable[G_N_ELEMENTS (storages)];
  guint n = 0;

  for (guint i = storage == RANDOM_WIDE ? WIDE : 0; i < (storage == RANDOM_ANY_STORAGE ? G_N_ELEMENTS (storages)
                                                         : storage == RANDOM_WIDE ? WIDE + 1 : N_BYTES); i++)
    if ((like == NULL || g_str_equal (storages[i].stored, like->stored)) && (has_zero_points || storages[i].least <= 0))
      suitable[n++] = &storages[i];

  return suitable[random_pick (self, n)];
}

/* Zero points are near zero, as far as the storage allows. */
static gint64
choose_zero_point (RandomProgram *self,
                   const Storage *storage)
{
  gint64 least = MAX (storage->least, -40), greatest = MIN (storage->greatest, 40);

  return least + random_pick (self, (guint) (greatest - least + 1));
}

RandomQuantization
random_quantization (RandomProgram            *self,
                     RandomStorage             storage,
                     const RandomQuantization *like,
                     GhloElementType           expressed,
                     int                       axis,
                     gint64                    n,
                     gboolean                  has_zero_points)
{
  const Storage *row = choose_storage (self, storage, like, has_zero_points);
  g_autoptr (GString) text = g_string_new (NULL);
  RandomQuantization made = {
    .storage = row->storage, .stored = row->stored, .least = row->least, .greatest = row->greatest,
    .expressed = expressed, .numbers = random_numbers_small (0, INFINITY),
  };

  g_string_printf (text, "!quant.uniform<%s:%s", row->storage, ghlo_element_info (expressed)->name);
  if (axis >= 0)
    g_string_append_printf (text, ":%d, {", axis);
  else
    g_string_append (text, ", ");
  for (gint64 i = 0; i < (axis >= 0 ? n : 1); i++)
    {
      double scale = ldexp (1, 1 - (int) random_pick (self, 4));
      gint64 zero_point = has_zero_points ? choose_zero_point (self, row) : 0;

      made.numbers.step = MIN (made.numbers.step, scale);
      made.numbers.magnitude = MAX (made.numbers.magnitude,
                                    scale * (double) MAX (row->greatest - zero_point, zero_point - row->least));
      g_string_append_printf (text, "%s%e:%" G_GINT64_FORMAT, i > 0 ? ", " : "", scale, zero_point);
    }
  g_string_append (text, axis >= 0 ? "}>" : ">");
  made.element = random_printf (self, "%s", text->str);

  return made;
}

const char *
random_quantized_text (RandomProgram            *self,
                       const RandomType         *type,
                       const RandomQuantization *quantization)
{
  const char *text = random_text (self, type);

  return random_printf (self, "%.*s%s>", (int) (strrchr (text, 'f') - text), text, quantization->element);
}

gboolean
random_may_quantize (const RandomProgram *self,
                     guint                value)
{
  const RandomValue *found = &self->values[value];

  return found->type.element == GHLO_ELEMENT_TYPE_F32 && found->numbers.trust >= RANDOM_EQUAL;
}

/* The type with elements of another float type. */
static const char *
float_text (RandomProgram    *self,
            const RandomType *type,
            GhloElementType   element)
{
  RandomType other = *type;

  other.element = element;

  return random_text (self, &other);
}

void
random_emit_quantize (RandomProgram            *self,
                      guint                     value,
                      const RandomQuantization *quantization,
                      const char               *name)
{
  const RandomType *type = &self->values[value].type;
  const char *from = random_name (self, value), *floats = float_text (self, type, quantization->expressed);

  if (quantization->expressed != GHLO_ELEMENT_TYPE_F32)
    {
      random_emit (self, "  %s_f = stablehlo.convert %s : (%s) -> %s\n", name, from, random_text (self, type), floats);
      from = random_printf (self, "%s_f", name);
    }
  random_emit (self, "  %s = stablehlo.uniform_quantize %s : (%s) -> %s\n", name, from, floats,
               random_quantized_text (self, type, quantization));
}

guint
random_emit_dequantize (RandomProgram            *self,
                        const char               *name,
                        const RandomType         *type,
                        const RandomQuantization *quantization)
{
  const char *floats = float_text (self, type, quantization->expressed);
  gboolean is_converted = quantization->expressed != GHLO_ELEMENT_TYPE_F32;
  guint place = random_define (self, type, quantization->numbers);

  random_emit (self, "  %s%s = stablehlo.uniform_dequantize %s : (%s) -> %s\n",
               is_converted ? name : random_name (self, place), is_converted ? "_d" : "", name,
               random_quantized_text (self, type, quantization), floats);
  if (is_converted)
    random_emit (self, "  %s = stablehlo.convert %s_d : (%s) -> %s\n", random_name (self, place), name, floats,
                 random_text (self, type));

  return place;
}

/* A quantized value to which operations are applied one after the other. */
typedef struct
{
  RandomProgram     *program;
  RandomType         type;
  RandomQuantization quantization;
  guint              id, step;        /* the value's name is %q, id, _, step */
} Chain;

static const char *
chain_name (const Chain *self,
            guint        step)
{
  return random_printf (self->program, "%%q%u_%u", self->id, step);
}

static const char *
chain_text (const Chain *self)
{
  return random_quantized_text (self->program, &self->type, &self->quantization);
}

static void
add_unary (Chain *self)
{
  static const char *const names[] = { "negate", "abs", "sign", "floor", "ceil", "round_nearest_even" };
  const char *name = names[random_pick (self->program, G_N_ELEMENTS (names))];

  random_emit (self->program, "  %s = stablehlo.%s %s : %s\n", chain_name (self, self->step + 1), name,
               chain_name (self, self->step), chain_text (self));
  self->step++;
}

static void
add_binary (Chain *self)
{
  static const char *const names[] = { "add", "multiply", "maximum", "minimum", "subtract" };
  const char *name = names[random_pick (self->program, G_N_ELEMENTS (names))];

  random_emit (self->program, "  %s = stablehlo.%s %s, %s : %s\n", chain_name (self, self->step + 1), name,
               chain_name (self, self->step), chain_name (self, self->step), chain_text (self));
  self->step++;
}

static void
requantize (Chain         *self,
            RandomStorage  storage)
{
  RandomQuantization other = random_quantization (self->program, storage, NULL, self->quantization.expressed, -1, 1,
                                                  storage != RANDOM_WIDE && random_once (self->program, 2));

  random_emit (self->program, "  %s = stablehlo.uniform_quantize %s : (%s) -> %s\n", chain_name (self, self->step + 1),
               chain_name (self, self->step), chain_text (self),
               random_quantized_text (self->program, &self->type, &other));
  self->quantization = other;
  self->step++;
}

static void
add_requantization (Chain *self)
{
  requantize (self, RANDOM_ANY_STORAGE);
}

/* A sum of two with another scale. */
static void
add_sum (Chain *self)
{
  const char *before = chain_text (self);
  RandomQuantization other = random_quantization (self->program, RANDOM_ANY_STORAGE, &self->quantization,
                                                  self->quantization.expressed, -1, 1, TRUE);

  random_emit (self->program, "  %s = stablehlo.add %s, %s : (%s, %s) -> %s\n", chain_name (self, self->step + 1),
               chain_name (self, self->step), chain_name (self, self->step), before, before,
               random_quantized_text (self->program, &self->type, &other));
  self->quantization = other;
  self->step++;
}

static void
add_transpose (Chain *self)
{
  RandomProgram *program = self->program;
  const char *before = chain_text (self);
  gint64 order[RANDOM_MAX_RANK];
  RandomType type = self->type;

  if (type.rank == 0)
    return;
  random_shuffle (program, order, type.rank);
  for (guint i = 0; i < type.rank; i++)
    self->type.dimensions[i] = type.dimensions[order[i]];
  random_emit (program, "  %s = stablehlo.transpose %s, dims = [%s] : (%s) -> %s\n", chain_name (self, self->step + 1),
               chain_name (self, self->step), random_list (program, order, type.rank), before, chain_text (self));
  self->step++;
}

/* The larger or the smaller of the value and its reverse, by a comparison, a branch, or a clamp. */
static void
add_choice (Chain *self)
{
  static const char *const directions[] = { "LT", "LE", "EQ", "NE", "GE", "GT" };
  RandomProgram *program = self->program;
  const char *text = chain_text (self), *from = chain_name (self, self->step);
  const char *reversed = chain_name (self, self->step + 1), *to = chain_name (self, self->step + 2);
  RandomType truth = self->type;

  truth.element = GHLO_ELEMENT_TYPE_I1;
  random_emit (program, "  %s = stablehlo.reverse %s, dims = [%s] : %s\n", reversed, from,
               self->type.rank > 0 ? "0" : "", text);
  if (random_once (program, 2))
    random_emit (program, "  %s = stablehlo.clamp %s, %s, %s : %s\n", to, from, reversed, from, text);
  else
    {
      random_emit (program, "  %s_c = stablehlo.compare %s, %s, %s : (%s, %s) -> %s\n", to,
                   directions[random_pick (program, G_N_ELEMENTS (directions))], from, reversed, text, text,
                   random_text (program, &truth));
      random_emit (program, "  %s = stablehlo.select %s_c, %s, %s : %s, %s\n", to, to, from, reversed,
                   random_text (program, &truth), text);
    }
  self->step += 2;
}

static void
reduce (Chain      *self,
        const char *name,
        gint64      initial)
{
  RandomProgram *program = self->program;
  const char *before = chain_text (self), *scalar = random_printf (program, "tensor<%s>", self->quantization.element);
  const char *to = chain_name (self, self->step + 1);
  guint dimension = random_pick (program, self->type.rank);

  for (guint i = dimension; i + 1 < self->type.rank; i++)
    self->type.dimensions[i] = self->type.dimensions[i + 1];
  self->type.rank--;
  random_emit (program, "  %s_i = stablehlo.constant() <{value = dense<%" G_GINT64_FORMAT
               "> : tensor<%s>}> : () -> %s\n", to, initial, self->quantization.stored, scalar);
  random_emit (program, "  %s = stablehlo.reduce(%s init: %s_i) applies stablehlo.%s across dimensions = [%u] : "
               "(%s, %s) -> %s\n", to, chain_name (self, self->step), to, name, dimension, before, scalar,
               chain_text (self));
  self->step++;
}

/* Sums of bytes do not saturate in 16 bits. */
static void
add_reduction (Chain *self)
{
  if (self->type.rank == 0 || random_count (&self->type) == 0)
    return;
  switch (random_pick (self->program, 3))
    {
    case 0:
      reduce (self, "maximum", self->quantization.least);
      break;
    case 1:
      reduce (self, "minimum", self->quantization.greatest);
      break;
    default:
      requantize (self, RANDOM_BYTES);
      requantize (self, RANDOM_WIDE);
      if (self->quantization.expressed == GHLO_ELEMENT_TYPE_F32 && random_count (&self->type) < 8)
        reduce (self, "add", 0);
      break;
    }
}

static void
add_branch (Chain *self)
{
  RandomProgram *program = self->program;
  const char *text = chain_text (self), *from = chain_name (self, self->step), *to = chain_name (self, self->step + 1);

  random_emit (program, "  %s_p = stablehlo.constant dense<%s> : tensor<i1>\n", to,
               random_once (program, 2) ? "true" : "false");
  random_emit (program, "  %s = \"stablehlo.if\"(%s_p) ({\n    stablehlo.return %s : %s\n  }, {\n"
               "    %s_n = stablehlo.negate %s : %s\n    stablehlo.return %s_n : %s\n  }) : (tensor<i1>) -> %s\n",
               to, to, from, text, to, from, text, to, text, text);
  self->step++;
}

/* The only operation on numbers with scales for an axis. */
static void
add_twice (Chain *self)
{
  random_emit (self->program, "  %s = stablehlo.add %s, %s : %s\n", chain_name (self, self->step + 1),
               chain_name (self, self->step), chain_name (self, self->step), chain_text (self));
  self->step++;
}

static gboolean
make_quantized (RandomProgram *self,
                guint          value)
{
  static void (*const steps[]) (Chain *self) = {
    add_unary, add_binary, add_binary, add_requantization, add_sum, add_transpose, add_choice, add_reduction,
    add_branch,
  };
  static const GhloElementType expressed[] = {
    GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F16,
    GHLO_ELEMENT_TYPE_F64,
  };
  Chain chain = { .program = self, .id = self->n_ids };
  GhloElementType type = expressed[random_pick (self, G_N_ELEMENTS (expressed))];
  gint64 axis = -1;

  if (!random_may_quantize (self, value))
    return FALSE;
  chain.type = self->values[value].type;
  if (chain.type.rank > 0 && chain.type.rank <= RANDOM_USUAL_RANK && random_once (self, 3))
    axis = random_pick (self, chain.type.rank);
  if (axis >= 0 && (chain.type.dimensions[axis] == 0 || chain.type.dimensions[axis] > 16))
    axis = -1;
  chain.quantization = random_quantization (self, RANDOM_ANY_STORAGE, NULL, type, (int) axis,
                                            axis >= 0 ? chain.type.dimensions[axis] : 1, TRUE);
  random_emit_quantize (self, value, &chain.quantization, chain_name (&chain, 0));
  for (guint n = axis >= 0 ? random_pick (self, 2) : random_pick (self, 5); n > 0; n--)
    if (axis >= 0)
      add_twice (&chain);
    else
      steps[random_pick (self, G_N_ELEMENTS (steps))] (&chain);
  random_emit_dequantize (self, chain_name (&chain, chain.step), &chain.type, &chain.quantization);

  return TRUE;
}

/* Nothing is promised of these but their type and range. */
static gboolean
make_rng (RandomProgram *self,
          guint          value)
{
  RandomType type = self->values[value].type, scalar = random_scalar (type.element);
  RandomNumbers nothing = { .trust = RANDOM_NONE, .magnitude = INFINITY, .specials = TRUE, .reordered = TRUE };
  guint operands[3];

  if (!self->is_loose || random_is_complex (type.element))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    operands[i] = random_constant (self, &scalar, RANDOM_FILL_GRID);
  operands[2] = random_integers (self, GHLO_ELEMENT_TYPE_I64, type.dimensions, type.rank);
  random_op (self, "stablehlo.rng", operands, 3,
             random_is_float (type.element) && random_once (self, 2) ? ", distribution = NORMAL"
                                                                     : ", distribution = UNIFORM", &type, nothing);

  return TRUE;
}

const RandomMaker random_quantized_makers[] = {
  { "quantized", make_quantized, 4, 2, 0 },
  { "rng", make_rng, 1, 1, 0 },
  { NULL },
};
