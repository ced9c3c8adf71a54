/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Collective operations in random programs: of the single process that runs the program, and of two that the program
 * starts.
 */

#include "program.h"

/* One collective over %x, of type @type with a first dimension that is even; the type of
 * its result. Groups are @groups of @n processes. */
typedef struct
{
  const char *text;
  RandomType  result;
  gboolean    is_sum;
} Collective;

static const char *
sum_region (RandomProgram  *self,
            GhloElementType element)
{
  RandomReduction reduction = { "add", RANDOM_SUM };

  return random_reducer (self, &reduction, element);
}

static Collective
choose_collective (RandomProgram    *self,
                   const RandomType *type,
                   const char       *operand,
                   guint             n)
{
  const char *groups = n == 1 ? "replica_groups = dense<[[0]]> : tensor<1x1xi64>"
                              : "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>";
  const char *t = random_text (self, type), *u;
  Collective chosen = { .result = *type };
  guint choice = random_pick (self, 8);

  if (choice == 0 || choice == 7)
    chosen.result.dimensions[0] *= n;
  if (choice == 2)
    chosen.result.dimensions[0] /= n;
  u = random_text (self, &chosen.result);
  chosen.is_sum = choice == 1 || choice == 2 || choice == 3 || choice == 4;
  switch (choice)
    {
    case 0:
      chosen.text = random_printf (self, "\"stablehlo.all_gather\"(%s) {all_gather_dim = 0 : i64, %s} : (%s) -> %s",
                                   operand, groups, t, u);
      break;
    case 1:
      chosen.text = random_printf (self, "\"stablehlo.all_reduce\"(%s) (%s) {%s} : (%s) -> %s", operand,
                                   sum_region (self, type->element), groups, t, u);
      break;
    case 2:
      chosen.text = random_printf (self, "\"stablehlo.reduce_scatter\"(%s) (%s) {scatter_dimension = 0 : i64, %s} : "
                                   "(%s) -> %s", operand, sum_region (self, type->element), groups, t, u);
      break;
    case 3:
      chosen.text = random_printf (self, "\"stablehlo.cross-replica-sum\"(%s) {%s} : (%s) -> %s", operand, groups, t,
                                   u);
      break;
    case 4:
      chosen.text = random_printf (self, "\"stablehlo.collective_reduce\"(%s) (%s) {%s} : (%s) -> %s", operand,
                                   sum_region (self, type->element), groups, t, u);
      break;
    case 5:
      chosen.text = random_printf (self, "\"stablehlo.all_to_all\"(%s) {split_dimension = 0 : i64, "
                                   "concat_dimension = 0 : i64, split_count = %u : i64, %s} : (%s) -> %s", operand, n,
                                   groups, t, u);
      break;
    case 6:
      chosen.text = random_once (self, 2)
                    ? random_printf (self, "\"stablehlo.collective_broadcast\"(%s) {%s} : (%s) -> %s", operand,
                                     groups, t, u)
                    : random_printf (self, "\"stablehlo.collective_permute\"(%s) {source_target_pairs = %s} : "
                                     "(%s) -> %s", operand, n == 1 ? "dense<[[0, 0]]> : tensor<1x2xi64>"
                                     : "dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>", t, u);
      break;
    default:
      chosen.text = random_printf (self, "\"stablehlo.async_done\"(%%future) : (!stablehlo.future<%s>) -> %s", u, u);
      break;
    }
  if (choice == 7)
    random_emit (self, "  %%future = \"stablehlo.async_start\"(%s) ({\n  ^bb0(%%y: %s):\n"
                 "    %%g = \"stablehlo.all_gather\"(%%y) {all_gather_dim = 0 : i64, %s} : (%s) -> %s\n"
                 "    stablehlo.return %%g : %s\n  }) : (%s) -> !stablehlo.future<%s>\n", operand, t, groups, t, u, u,
                 t, u);

  return chosen;
}

static RandomNumbers
collected (const Collective *chosen,
           GhloElementType   element,
           RandomNumbers     numbers,
           guint             n)
{
  /* A process that no other sends to gets zeros. */
  RandomNumbers zero = random_numbers_small (0, 0);

  zero.step = numbers.step;
  numbers = random_numbers_join (numbers, zero);

  return chosen->is_sum ? random_numbers_sum (element, numbers, NULL, n) : numbers;
}

/* In a function of its own, so that names of futures do not meet; run by one process or two. */
static gboolean
make_collective (RandomProgram *self,
                 guint          value)
{
  RandomType type = self->values[value].type;
  guint n = 1 + random_pick (self, 2), operands[2] = { value, value }, outputs[2];
  g_autoptr (GString) body = g_string_new (NULL);
  GString *saved = self->body;
  Collective chosen;
  RandomNumbers numbers = self->values[value].numbers;
  const char *name = random_printf (self, "p%u", self->n_ids), *t, *u;

  if (type.rank == 0 || type.dimensions[0] % 2 != 0 || type.dimensions[0] == 0
      || type.element == GHLO_ELEMENT_TYPE_I1)
    return FALSE;
  if (n == 2)
    {
      operands[1] = random_like (self, &type);
      numbers = random_numbers_join (numbers, self->values[operands[1]].numbers);
    }
  self->body = body;
  chosen = choose_collective (self, &type, "%x", n);
  self->body = saved;
  numbers = collected (&chosen, type.element, numbers, n);
  if (!random_allows (self, numbers))
    return FALSE;
  t = random_text (self, &type);
  u = random_text (self, &chosen.result);
  g_string_append_printf (self->functions,
                          "func.func private @%s(%%x: %s) -> %s {\n%s  %%r = %s\n  return %%r : %s\n}\n", name, t, u,
                          body->str, chosen.text, u);
  for (guint i = 0; i < n; i++)
    outputs[i] = random_define (self, &chosen.result, numbers);
  if (n == 1)
    random_emit (self, "  %s = func.call @%s(%s) : (%s) -> %s\n", random_names (self, outputs, 1), name,
                 random_names (self, operands, 1), t, u);
  else
    random_emit (self, "  %s = \"interpreter.run_parallel\"(%s) {programs = [[@%s], [@%s]]} : (%s, %s) -> (%s, %s)\n",
                 random_names (self, outputs, 2), random_names (self, operands, 2), name, name, t, t, u, u);

  return TRUE;
}

static gboolean
make_id (RandomProgram *self,
         guint          value G_GNUC_UNUSED)
{
  RandomType type = random_scalar (GHLO_ELEMENT_TYPE_UI32);
  guint place = random_define (self, &type, random_numbers_small (1, 1));

  random_emit (self, "  %s = stablehlo.%s : tensor<ui32>\n", random_name (self, place),
               random_once (self, 2) ? "replica_id" : "partition_id");

  return TRUE;
}

const RandomMaker random_process_makers[] = {
  { "collective", make_collective, 3, 1, RANDOM_TOP_ONLY },
  { "id", make_id, 1, 1, 0 },
  { NULL },
};
