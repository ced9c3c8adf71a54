/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How random programs grow: the choice of the next maker and of the value that it takes, and the text of the whole
 * program.
 */

#include "program.h"

static const RandomMaker *const families[] = {
  random_elementwise_makers, random_chlo_makers, random_layout_makers, random_indexing_makers, random_gather_makers,
  random_product_makers, random_convolution_makers, random_reduction_makers, random_order_makers,
  random_control_makers, random_structure_makers, random_algebra_makers, random_dynamic_makers,
  random_process_makers, random_quantized_makers,
};

guint
random_pick (RandomProgram *self,
             guint          n)
{
  guint number = 0;

  if (self->choices == NULL)
    return (guint) g_rand_int_range (self->random, 0, (gint32) n);
  /* Makers that look for something suitable end although there are no bytes left. */
  if (self->n_choices == 0)
    return self->n_chosen++ % n;
  for (guint most = 1; most < n && self->n_choices > 0; most <<= 8)
    {
      number = number << 8 | *self->choices++;
      self->n_choices--;
    }

  return number % n;
}

guint32
random_seed (RandomProgram *self)
{
  return self->choices == NULL ? g_rand_int (self->random) : random_pick (self, 1 << 16);
}

gboolean
random_once (RandomProgram *self,
             guint          n)
{
  return random_pick (self, n) == 0;
}

/* Mostly equal sizes, so that a wrong order of dimensions does not change the type. */
gint64
random_size (RandomProgram *self)
{
  static const gint64 sizes[] = { 2, 2, 2, 2, 2, 3, 3, 3, 1, 1, 4, 5 };
  static const gint64 large[] = { 7, 8, 9, 16, 17, 31, 33, 64, 100 };

  if (self->is_large && random_once (self, 4))
    return large[random_pick (self, G_N_ELEMENTS (large))];

  return random_once (self, 40) ? 0 : sizes[random_pick (self, G_N_ELEMENTS (sizes))];
}

gint64
random_within (RandomProgram *self,
               gint64         most)
{
  gint64 number;

  if (!self->is_extreme)
    return random_pick (self, (guint) most + 1);
  number = random_extreme_from (self, 0);
  if (random_once (self, 2))
    return MIN (number, most);

  return MAX (most - number, 0);
}

/* The numbers below @n in random order. */
void
random_shuffle (RandomProgram *self,
                gint64        *numbers,
                guint          n)
{
  for (guint i = 0; i < n; i++)
    numbers[i] = i;
  for (guint i = n; i > 1; i--)
    {
      guint j = random_pick (self, i);
      gint64 number = numbers[i - 1];

      numbers[i - 1] = numbers[j];
      numbers[j] = number;
    }
}

GhloElementType
random_float (RandomProgram *self)
{
  static const GhloElementType common[] = {
    GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64, GHLO_ELEMENT_TYPE_F16,
    GHLO_ELEMENT_TYPE_BF16,
  };
  static const GhloElementType narrow[] = {
    GHLO_ELEMENT_TYPE_F4E2M1FN, GHLO_ELEMENT_TYPE_F6E2M3FN, GHLO_ELEMENT_TYPE_F6E3M2FN, GHLO_ELEMENT_TYPE_F8E3M4,
    GHLO_ELEMENT_TYPE_F8E4M3, GHLO_ELEMENT_TYPE_F8E4M3FN, GHLO_ELEMENT_TYPE_F8E4M3FNUZ,
    GHLO_ELEMENT_TYPE_F8E4M3B11FNUZ, GHLO_ELEMENT_TYPE_F8E5M2, GHLO_ELEMENT_TYPE_F8E5M2FNUZ,
    GHLO_ELEMENT_TYPE_F8E8M0FNU,
  };

  if (random_once (self, 8))
    return narrow[random_pick (self, G_N_ELEMENTS (narrow))];

  return common[random_pick (self, G_N_ELEMENTS (common))];
}

GhloElementType
random_integer (RandomProgram *self)
{
  static const GhloElementType types[] = {
    GHLO_ELEMENT_TYPE_I32, GHLO_ELEMENT_TYPE_I32, GHLO_ELEMENT_TYPE_I32, GHLO_ELEMENT_TYPE_I64, GHLO_ELEMENT_TYPE_I8,
    GHLO_ELEMENT_TYPE_UI8, GHLO_ELEMENT_TYPE_UI32, GHLO_ELEMENT_TYPE_I16, GHLO_ELEMENT_TYPE_UI16,
    GHLO_ELEMENT_TYPE_UI64, GHLO_ELEMENT_TYPE_I4, GHLO_ELEMENT_TYPE_UI4, GHLO_ELEMENT_TYPE_I2, GHLO_ELEMENT_TYPE_UI2,
  };

  return types[random_pick (self, G_N_ELEMENTS (types))];
}

GhloElementType
random_integer_type (RandomProgram *self)
{
  return random_once (self, 2) && !self->is_extreme ? GHLO_ELEMENT_TYPE_I32 : GHLO_ELEMENT_TYPE_I64;
}

GhloElementType
random_element (RandomProgram *self)
{
  guint class = random_pick (self, 20);

  if (class < 11)
    return random_float (self);
  if (class < 16)
    return random_integer (self);
  if (class < 18)
    return GHLO_ELEMENT_TYPE_I1;

  return random_once (self, 3) ? GHLO_ELEMENT_TYPE_COMPLEX_F64 : GHLO_ELEMENT_TYPE_COMPLEX_F32;
}

RandomType
random_type (RandomProgram *self,
             guint          max_rank)
{
  RandomType type = { .element = random_element (self), .rank = random_pick (self, max_rank + 1) };

  /* Often squares, whose transposes have the same type. */
  for (guint i = 0; i < type.rank; i++)
    type.dimensions[i] = i > 0 && random_once (self, 4) ? type.dimensions[i - 1] : random_size (self);
  while (!random_fits (self, &type))
    type.rank--;

  return type;
}

/* Later values more often, so that programs grow deep. */
static guint
choose_value (RandomProgram *self)
{
  guint n = self->n_values - self->first;

  return random_pick (self, 3) > 0 ? self->n_values - 1 - random_pick (self, MIN (n, 5))
                                   : self->first + random_pick (self, n);
}

guint
random_other (RandomProgram *self,
              guint          fallback)
{
  guint value = self->first + random_pick (self, self->n_values - self->first);

  return self->values[value].type.element == GHLO_ELEMENT_TYPE_INDEX ? fallback : value;
}

static guint
weight_of (const RandomProgram *self,
           const RandomMaker   *maker)
{
  if (self->is_scalar && (maker->flags & RANDOM_TAKES_SCALAR) == 0)
    return 0;
  if (self->depth > 0 && (maker->flags & RANDOM_TOP_ONLY) != 0)
    return 0;
  if (self->is_extreme)
    return (maker->flags & RANDOM_HAS_WINDOWS) != 0 ? 3 * maker->weight
           : (maker->flags & RANDOM_HAS_NUMBERS) != 0 ? maker->weight
           : (maker->flags & RANDOM_TAKES_SCALAR) != 0 ? (maker->weight + 15) / 16 : 0;

  return self->for_passes ? maker->pass_weight : maker->weight;
}

static const RandomMaker *
choose_maker (RandomProgram *self)
{
  guint total = 0, place;

  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    for (const RandomMaker *maker = families[i]; maker->name != NULL; maker++)
      total += weight_of (self, maker);
  place = random_pick (self, MAX (total, 1));
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    for (const RandomMaker *maker = families[i]; maker->name != NULL; maker++)
      {
        guint weight = weight_of (self, maker);

        if (place < weight)
          return maker;
        place -= weight;
      }

  return NULL;
}

/* If a maker cannot use a value, a few others are tried. */
static void
make_one (RandomProgram *self)
{
  const RandomMaker *maker = choose_maker (self);

  for (guint i = 0; i < 6 && maker != NULL && self->n_values + 24 < RANDOM_MAX_VALUES; i++)
    {
      guint value = choose_value (self);
      const RandomType *type = &self->values[value].type;

      if (type->element == GHLO_ELEMENT_TYPE_INDEX)
        continue;
      if (type->open != 0 && (maker->flags & RANDOM_TAKES_OPEN) == 0)
        continue;
      if (maker->make (self, value))
        return;
    }
}

void
random_grow (RandomProgram *self,
             guint          n)
{
  for (guint i = 0; i < n && self->n_values + 24 < RANDOM_MAX_VALUES; i++)
    make_one (self);
}

/* The number of occurrences of each value's name in @main, including its definition. */
static guint *
count_names (const RandomProgram *self)
{
  guint *counts = g_new0 (guint, self->n_ids + 1);

  for (const char *place = strstr (self->body->str, "%v"); place != NULL; place = strstr (place + 2, "%v"))
    counts[MIN (g_ascii_strtoull (place + 2, NULL, 10), self->n_ids)]++;

  return counts;
}

/* Half of the programs return all unused values; the others a few late values, so that much code is dead. */
static void
choose_results (RandomProgram *self)
{
  g_autofree guint *counts = count_names (self);
  guint n = 3 + random_pick (self, 3);

  if (random_once (self, 2))
    for (guint i = 0; i < self->n_values; i++)
      if (counts[self->values[i].id] == 1)
        g_array_append_val (self->results, self->values[i].id);
  if (self->results->len > 0)
    return;
  for (guint i = 0; i < n && i < self->n_values; i++)
    {
      guint value = i < 3 ? self->n_values - 1 - i : random_pick (self, self->n_values);

      g_array_append_val (self->results, self->values[value].id);
    }
}

RandomProgram *
random_program_new (guint32              seed,
                    const RandomOptions *options)
{
  RandomProgram *self = g_new0 (RandomProgram, 1);

  self->random = g_rand_new_with_seed (seed);
  self->texts = g_string_chunk_new (4096);
  self->functions = g_string_new (NULL);
  self->body = g_string_new (NULL);
  self->arguments = g_array_new (FALSE, TRUE, sizeof (RandomArgument));
  self->known = g_array_new (FALSE, TRUE, sizeof (RandomNumbers));
  self->results = g_array_new (FALSE, TRUE, sizeof (guint));
  self->is_loose = options->is_loose;
  self->for_passes = options->for_passes;
  self->is_extreme = options->is_extreme;
  self->choices = options->choices;
  self->n_choices = options->n_choices;
  self->is_large = random_once (self, 6);
  if (self->is_extreme)
    random_extreme_begin (self);
  for (guint i = 0; i < 3; i++)
    {
      RandomType type = self->is_extreme ? random_extreme_type (self) : random_type (self, 3);

      if (random_once (self, 16) && type.rank > 0)
        type.open = G_GUINT64_CONSTANT (1) << random_pick (self, type.rank);
      random_argument (self, &type, RANDOM_FILL_ANY);
    }
  random_grow (self, options->n_steps);
  choose_results (self);

  return self;
}

void
random_program_free (RandomProgram *self)
{
  g_rand_free (self->random);
  g_string_chunk_free (self->texts);
  g_string_free (self->functions, TRUE);
  g_string_free (self->body, TRUE);
  g_array_unref (self->arguments);
  g_array_unref (self->known);
  g_array_unref (self->results);
  g_free (self);
}

static void
append_arguments (const RandomProgram *self,
                  GString             *text)
{
  static const char *const words[] = { "grid", "special", "wild", "plain", "positive" };

  for (guint i = 0; i < self->arguments->len; i++)
    {
      const RandomArgument *argument = &g_array_index (self->arguments, RandomArgument, i);

      g_string_append_printf (text, "%s%%v%u: %s {random.input = \"%s %u\"}", i > 0 ? ", " : "", argument->id,
                              random_text ((RandomProgram *) self, &argument->type), words[argument->fill],
                              argument->seed);
    }
}

static const RandomType *
type_of_id (const RandomProgram *self,
            guint                id)
{
  for (guint i = 0; i < self->n_values; i++)
    if (self->values[i].id == id)
      return &self->values[i].type;

  g_assert_not_reached ();
}

char *
random_program_to_text (const RandomProgram *self)
{
  g_autoptr (GString) text = g_string_new (self->functions->str), names = g_string_new (NULL);
  g_autoptr (GString) types = g_string_new (NULL);

  for (guint i = 0; i < self->results->len; i++)
    {
      guint id = g_array_index (self->results, guint, i);

      g_string_append_printf (names, "%s%%v%u", i > 0 ? ", " : "", id);
      g_string_append_printf (types, "%s%s", i > 0 ? ", " : "",
                              random_text ((RandomProgram *) self, type_of_id (self, id)));
    }
  g_string_append (text, "func.func @main(");
  append_arguments (self, text);
  g_string_append_printf (text, ") -> (%s) {\n%s  return %s : %s\n}\n", types->str, self->body->str, names->str,
                          types->str);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

RandomNumbers
random_program_known (const RandomProgram *self,
                      const char          *name)
{
  RandomNumbers nothing = { .trust = RANDOM_NONE, .reordered = TRUE };
  guint64 id = 0;

  if (name == NULL || name[0] != 'v' || !g_ascii_string_to_unsigned (name + 1, 10, 0, self->known->len - 1, &id, NULL))
    return nothing;

  return g_array_index (self->known, RandomNumbers, id);
}
