/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Folds of sequences of elements. Specialized loops are looked up by the body's
 * combiner and the class of the elements.
 */

#include "reference/reduce/reducer.h"

#include "reference/scalar/numbers.h"

#include <math.h>
#include <string.h>

typedef union
{
  double      f;
  long double l;
  gint64      i;
  guint64     u;
  struct { long double re, im; } c;
} Accumulator;

typedef void (*Loop) (GhloRefReducer   *self,
                      gconstpointer  cells,
                      gsize          n);

struct _GhloRefReducer
{
  GhloRefCall           *call;
  GhloRefScalarFunction *body;       /* owned */
  guint                  n;
  Loop                   loop;       /* NULL when the body is run for each element */
  gboolean               is_float;   /* cells of the loop are doubles, otherwise integers */
  gboolean               is_complex; /* cells of the loop are GhloScalars */
  gboolean               is_wide;    /* the accumulator is a long double */
  gboolean               is_f32;     /* products are rounded to f32 after each multiplication */
  GhloElementType        type;       /* of the loop's accumulator */
  Accumulator            accumulator;
  Accumulator            start;
  GhloElementType       *types;      /* of the inputs */
  GhloQuantization     **from, **to; /* borrowed; both set when an input is requantized for the body */
  GhloScalar            *inits;      /* n, in the body's types */
  GhloScalar            *arguments;  /* 2 n: the outcome so far, then the next elements */
  GhloScalar            *outcome;    /* n */
  gint64                 init_cell;  /* of the loop; the bits of a number */
};

static void
sum_double (GhloRefReducer *self, gconstpointer cells, gsize n)
{
  const double *x = cells;
  double sum = self->accumulator.f;

  for (gsize i = 0; i < n; i++)
    sum += x[i];
  self->accumulator.f = sum;
}

static void
sum_round_each_step_f32 (GhloRefReducer *self, gconstpointer cells, gsize n)
{
  const double *x = cells;
  double sum = self->accumulator.f;

  for (gsize i = 0; i < n; i++)
    sum = (float) (sum + x[i]);
  self->accumulator.f = sum;
}

static void
sum_round_each_step_narrow (GhloRefReducer *self, gconstpointer cells, gsize n)
{
  const double *x = cells;
  double sum = self->accumulator.f;

  for (gsize i = 0; i < n; i++)
    sum = ghlo_element_round (self->type, (GhloScalar) { .f = sum + x[i] }).f;
  self->accumulator.f = sum;
}

static void
sum_long (GhloRefReducer *self, gconstpointer cells, gsize n)
{
  const double *x = cells;
  long double sum = self->accumulator.l;

  for (gsize i = 0; i < n; i++)
    sum += x[i];
  self->accumulator.l = sum;
}

static void
sum_complex (GhloRefReducer *self, gconstpointer cells, gsize n)
{
  const GhloScalar *x = cells;

  for (gsize i = 0; i < n; i++)
    {
      self->accumulator.c.re += x[i].c.re;
      self->accumulator.c.im += x[i].c.im;
    }
}

static void
product_float (GhloRefReducer *self, gconstpointer cells, gsize n)
{
  const double *x = cells;
  double product = self->accumulator.f;

  if (self->is_f32)
    for (gsize i = 0; i < n; i++)
      product = (float) (product * x[i]);
  else
    for (gsize i = 0; i < n; i++)
      product = ghlo_element_round (self->type, (GhloScalar) { .f = product * x[i] }).f;
  self->accumulator.f = product;
}

/* IEEE 754-2019 maximum and minimum: NaN propagates, and -0 is below +0. */
static void
maximum_float (GhloRefReducer *self, gconstpointer cells, gsize n)
{
  const double *x = cells;
  double most = self->accumulator.f;

  for (gsize i = 0; i < n && most == most; i++)
    if (!(x[i] < most) && (x[i] != most || signbit (most)))
      most = x[i];
  self->accumulator.f = most;
}

static void
minimum_float (GhloRefReducer *self, gconstpointer cells, gsize n)
{
  const double *x = cells;
  double least = self->accumulator.f;

  for (gsize i = 0; i < n && least == least; i++)
    if (!(x[i] > least) && (x[i] != least || !signbit (least)))
      least = x[i];
  self->accumulator.f = least;
}

#define DEFINE_INT_LOOP(NAME, CTYPE, FIELD, STATEMENT) \
  static void \
  NAME (GhloRefReducer *self, gconstpointer cells, gsize n) \
  { \
    const CTYPE *x = cells; \
    CTYPE y = self->accumulator.FIELD; \
    for (gsize i = 0; i < n; i++) \
      STATEMENT; \
    self->accumulator.FIELD = y; \
  }

DEFINE_INT_LOOP (sum_int, guint64, u, y += x[i])
DEFINE_INT_LOOP (product_int, guint64, u, y *= x[i])
DEFINE_INT_LOOP (maximum_signed, gint64, i, y = MAX (y, x[i]))
DEFINE_INT_LOOP (minimum_signed, gint64, i, y = MIN (y, x[i]))
DEFINE_INT_LOOP (maximum_unsigned, guint64, u, y = MAX (y, x[i]))
DEFINE_INT_LOOP (minimum_unsigned, guint64, u, y = MIN (y, x[i]))
DEFINE_INT_LOOP (and_int, guint64, u, y &= x[i])
DEFINE_INT_LOOP (or_int, guint64, u, y |= x[i])
DEFINE_INT_LOOP (xor_int, guint64, u, y ^= x[i])

/* Booleans count as unsigned. */
static const struct
{
  Loop on_signed, on_unsigned, on_float, on_complex;
} loops[GHLO_N_COMBINERS] = {
  [GHLO_COMBINER_ADD] = { sum_int, sum_int, sum_double, sum_complex },
  [GHLO_COMBINER_AND] = { and_int, and_int },
  [GHLO_COMBINER_MAXIMUM] = { maximum_signed, maximum_unsigned, maximum_float },
  [GHLO_COMBINER_MINIMUM] = { minimum_signed, minimum_unsigned, minimum_float },
  [GHLO_COMBINER_MULTIPLY] = { product_int, product_int, product_float },
  [GHLO_COMBINER_OR] = { or_int, or_int },
  [GHLO_COMBINER_XOR] = { xor_int, xor_int },
};

static Loop
find_loop (GhloCombiner    combiner,
           GhloElementType type)
{
  switch (ghlo_element_info (type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_BOOLEAN:
    case GHLO_ELEMENT_CLASS_UNSIGNED:
      return loops[combiner].on_unsigned;
    case GHLO_ELEMENT_CLASS_SIGNED:
      return loops[combiner].on_signed;
    case GHLO_ELEMENT_CLASS_FLOAT:
      return loops[combiner].on_float;
    case GHLO_ELEMENT_CLASS_COMPLEX:
      return loops[combiner].on_complex;
    case GHLO_ELEMENT_CLASS_NONE:
      break;
    }

  return NULL;
}

/* Chooses the loop that sums @length floats. */
static void
choose_sum (GhloRefReducer *self,
            gsize           length)
{
  gboolean is_short = length <= ghlo_element_short_sum (self->type);

  if (self->type == GHLO_ELEMENT_TYPE_F64)
    {
      self->is_wide = !is_short;
      self->loop = self->is_wide ? sum_long : sum_double;
    }
  else if (self->type == GHLO_ELEMENT_TYPE_F32)
    self->loop = is_short ? sum_round_each_step_f32 : sum_double;
  else
    self->loop = is_short ? sum_round_each_step_narrow : sum_double;
}

/* Reads an initial value, which may have another type than the input. */
static void
read_init (GhloRefReducer  *self,
           guint            i,
           const GhloValue *init,
           gpointer         cell)
{
  const GhloElementType type = self->types[i];

  self->types[i] = init->type->element_type;
  ghlo_ref_reducer_read (self, i, init->data, 1, cell);
  self->types[i] = type;
}

/* Chooses the specialized loop for the body, if there is one. */
static void
prepare_loop (GhloRefReducer   *self,
              gsize             length,
              const GhloIrType *argument,
              const GhloValue  *input,
              const GhloValue  *init)
{
  gboolean is_float = ghlo_element_type_is_float (argument->element_type);

  if (self->n != 1 || argument->quantization != NULL || input->type->quantization != NULL
      || ghlo_element_info (input->type->element_type)->element_class
         != ghlo_element_info (argument->element_type)->element_class)
    return;
  self->loop = find_loop (ghlo_ref_scalar_function_combiner (self->body), argument->element_type);
  if (self->loop == NULL)
    return;

  if (self->loop == sum_complex && length <= ghlo_element_short_sum (argument->element_type))
    {
      self->loop = NULL;      /* the body rounds each step by itself */
      return;
    }
  if (self->loop == sum_complex)
    {
      self->is_complex = TRUE;
      self->start.c.re = self->inits[0].c.re;
      self->start.c.im = self->inits[0].c.im;
      return;
    }

  self->type = argument->element_type;
  self->is_float = is_float;
  self->is_f32 = self->type == GHLO_ELEMENT_TYPE_F32
                 || (ghlo_element_info (self->type)->bits < 32 && length > ghlo_element_short_sum (self->type));
  if (self->loop == sum_double)
    choose_sum (self, length);
  read_init (self, 0, init, &self->init_cell);
  if (self->is_float)
    {
      double number;

      memcpy (&number, &self->init_cell, sizeof (number));
      if (self->is_wide)
        self->start.l = number;
      else
        self->start.f = number;
    }
  else
    self->start.i = self->init_cell;
}

static gboolean
prepare_input (GhloRefReducer   *self,
               guint             i,
               const GhloIrType *argument,
               GhloValue *const *inputs,
               GhloValue *const *inits,
               GError          **error)
{
  GhloQuantization *quantization = inputs[i]->type->quantization;

  if (inits[i]->n_elements != 1)
    return ghlo_ref_fail (self->call, error, "expected a scalar initial value for input %u", i);

  self->types[i] = inputs[i]->type->element_type;
  if (quantization != NULL && argument->quantization != NULL
      && !ghlo_quantization_equal (quantization, argument->quantization))
    {
      self->from[i] = quantization;
      self->to[i] = argument->quantization;
    }
  read_init (self, i, inits[i], &self->inits[i]);
  return TRUE;
}

/* Takes ownership of @body; returns NULL for NULL. */
static GhloRefReducer *
make (GhloRefCall           *call,
      GhloRefScalarFunction *body,
      guint                  n,
      gsize                  length,
      GhloValue *const      *inputs,
      GhloValue *const      *inits,
      GError               **error)
{
  g_autoptr (GhloRefReducer) self = NULL;
  const GhloIrBlock *block;

  if (body == NULL)
    return NULL;
  self = g_new0 (GhloRefReducer, 1);
  self->body = body;
  block = ghlo_ref_scalar_function_get_block (body);
  if (block->n_arguments != 2 * n || n == 0)
    {
      ghlo_ref_fail (call, error, "expected a body of %u arguments", 2 * n);
      return NULL;
    }
  self->call = call;
  self->n = n;
  self->types = g_new0 (GhloElementType, n);
  self->from = g_new0 (GhloQuantization *, n);
  self->to = g_new0 (GhloQuantization *, n);
  self->inits = g_new0 (GhloScalar, n);
  self->arguments = g_new0 (GhloScalar, 2 * n);
  self->outcome = g_new0 (GhloScalar, n);
  for (guint i = 0; i < n; i++)
    if (!prepare_input (self, i, block->arguments[i]->type, inputs, inits, error))
      return NULL;
  prepare_loop (self, length, block->arguments[0]->type, inputs[0], inits[0]);
  return g_steal_pointer (&self);
}

static gboolean
is_scalar_of (const GhloIrType *type,
              GhloElementType   element_type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->rank == 0 && type->quantization == NULL
         && type->element_type == element_type;
}

/* Checks the signature of a function that a custom call names; the verifier has only checked regions. The
 * function takes the outcome so far and the next elements, all of the results' types, which can represent all
 * numbers of the inputs' types, and returns as many values as there are inputs. */
static gboolean
check_function (GhloRefCall       *call,
                const GhloIrBlock *block,
                guint              n,
                GhloValue *const  *inputs,
                GError           **error)
{
  gboolean fits = block->n_arguments == 2 * n && block->last != NULL && block->last->n_operands == n;

  for (guint i = 0; fits && i < n; i++)
    {
      const GhloElementInfo *from = ghlo_element_info (inputs[i]->type->element_type);
      GhloElementType type = call->op->results[i].type->element_type;

      fits = inputs[i]->type->quantization == NULL && ghlo_element_info (type)->element_class == from->element_class
             && ghlo_element_info (type)->bits >= from->bits && is_scalar_of (block->arguments[i]->type, type)
             && is_scalar_of (block->arguments[n + i]->type, type)
             && is_scalar_of (ghlo_ir_op_operand (block->last, i)->type, type);
    }

  return fits || ghlo_ref_fail (call, error, "expected a function that makes %u scalars of the results' types of %u, "
                                "which hold the inputs' numbers", n, 2 * n);
}

GhloRefReducer *
ghlo_ref_reducer_new (GhloRefCall      *call,
                      guint             region,
                      guint             n,
                      gsize             length,
                      GhloValue *const *inputs,
                      GhloValue *const *inits,
                      GError          **error)
{
  return make (call, ghlo_ref_scalar_function_new (call, region, error), n, length, inputs, inits, error);
}

GhloRefReducer *
ghlo_ref_reducer_new_for (GhloRefCall      *call,
                          const char       *name,
                          guint             n,
                          gsize             length,
                          GhloValue *const *inputs,
                          GhloValue *const *inits,
                          GError          **error)
{
  GhloRefScalarFunction *body = ghlo_ref_scalar_function_new_for (call, name, error);

  if (body != NULL && !check_function (call, ghlo_ref_scalar_function_get_block (body), n, inputs, error))
    g_clear_pointer (&body, ghlo_ref_scalar_function_free);

  return make (call, body, n, length, inputs, inits, error);
}

void
ghlo_ref_reducer_free (GhloRefReducer *self)
{
  g_clear_pointer (&self->body, ghlo_ref_scalar_function_free);
  g_free (self->types);
  g_free (self->from);
  g_free (self->to);
  g_free (self->inits);
  g_free (self->arguments);
  g_free (self->outcome);
  g_free (self);
}

gsize
ghlo_ref_reducer_cell_size (const GhloRefReducer *self)
{
  return self->loop != NULL && !self->is_complex ? sizeof (gint64) : sizeof (GhloScalar);
}

void
ghlo_ref_reducer_read (const GhloRefReducer *self,
                       guint                 input,
                       const guint8         *data,
                       gsize                 n,
                       gpointer              cells)
{
  GhloElementType type = self->types[input];
  gsize size = ghlo_element_info (type)->size;
  GhloScalar *scalars = cells;

  if (self->loop != NULL && !self->is_complex)
    {
      if (self->is_float)
        ghlo_ref_read_reals (type, data, n, cells);
      else
        ghlo_ref_read_ints (type, data, n, cells);
      return;
    }

  for (gsize i = 0; i < n; i++)
    {
      scalars[i] = ghlo_element_load (type, data + i * size);
      if (self->from[input] != NULL)
        scalars[i].i = ghlo_ref_quantize (self->to[input], 0,
                                          ghlo_ref_dequantize (self->from[input], 0, scalars[i].i));
    }
}

gconstpointer
ghlo_ref_reducer_init_cell (const GhloRefReducer *self,
                            guint                 input)
{
  return self->loop != NULL && !self->is_complex ? (gconstpointer) &self->init_cell
                                                 : (gconstpointer) &self->inits[input];
}

void
ghlo_ref_reducer_start (GhloRefReducer *self)
{
  self->accumulator = self->start;
  if (self->loop == NULL)
    memcpy (self->arguments, self->inits, self->n * sizeof (GhloScalar));
}

gboolean
ghlo_ref_reducer_feed (GhloRefReducer      *self,
                       gconstpointer const *cells,
                       gsize                n,
                       GError             **error)
{
  if (self->loop != NULL)
    {
      self->loop (self, cells[0], n);
      return TRUE;
    }

  for (gsize k = 0; k < n; k++)
    {
      for (guint i = 0; i < self->n; i++)
        self->arguments[self->n + i] = ((const GhloScalar *) cells[i])[k];
      if (!ghlo_ref_scalar_function_run (self->body, self->arguments, self->outcome, error))
        return FALSE;
      memcpy (self->arguments, self->outcome, self->n * sizeof (GhloScalar));
    }
  return TRUE;
}

void
ghlo_ref_reducer_store (const GhloRefReducer *self,
                        gsize                 index)
{
  GhloScalar scalar = { 0 };

  if (self->loop == NULL)
    {
      for (guint i = 0; i < self->n; i++)
        ghlo_ref_store (self->call->results[i], index, self->arguments[i]);
      return;
    }
  if (self->is_complex)
    scalar = (GhloScalar) { .c = { (double) self->accumulator.c.re, (double) self->accumulator.c.im } };
  else if (self->is_wide)
    scalar.f = (double) self->accumulator.l;
  else if (self->is_float)
    scalar.f = self->accumulator.f;
  else
    scalar.i = self->accumulator.i;
  ghlo_ref_store (self->call->results[0], index, scalar);
}
