/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each elementwise operation is a stage; a clamp is two, a maximum and a minimum, which
 * give the same bits as its own loop. Reshapes are none.
 */

#include "cpu/gemm/followers.h"

#include "kernel/scalar.h"

/* From so many nanoseconds on ghlo_parallel_for () splits, and what a stage takes for an
 * element, about, besides its operation. */
#define MIN_SPLIT 100e3
#define STAGE_TIME  0.3

struct _GhloCpuFollowers
{
  GhloCpuEpilogue *epilogue;
  gint64           n_elements;
  double           cost;                            /* nanoseconds of all stages for an element, about */
  guint            n_stages;
  guint            operands[GHLO_CPU_MAX_STAGES];   /* of each stage; of one without, any */
};

gboolean
ghlo_cpu_follows (const GhloIrOp       *op,
                  const GhloIrFollower *follower)
{
  GhloElementType type = op->results[0].type->element_type;

  if (follower->op->kind == GHLO_OP_STABLEHLO_CLAMP)
    return follower->position == 1 && ghlo_cpu_epilogue_takes (type, GHLO_OP_STABLEHLO_MAXIMUM) > 0;

  return ghlo_cpu_epilogue_takes (type, follower->op->kind) == follower->op->n_operands;
}

/* The stages of a list of followers in the making. */
typedef struct
{
  GhloCpuFollowers     *self;
  GhloCpuEpilogueStage  stages[GHLO_CPU_MAX_STAGES];
  const GhloView       *operands, *result;
  guint                 next;                          /* operand */
} Maker;

static gboolean
add_stage (Maker        *maker,
           GhloIrOpKind  op,
           gboolean      is_left,
           gboolean      has_operand)
{
  guint n = maker->self->n_stages++;
  GhloCpuEpilogueStage *stage = &maker->stages[n];

  if (n == GHLO_CPU_MAX_STAGES)
    return FALSE;
  maker->self->cost += STAGE_TIME + ghlo_scalar_spec (ghlo_scalar_of (op))->cost;
  *stage = (GhloCpuEpilogueStage) { .op = op, .is_left = is_left, .inner = 1 };
  if (!has_operand)
    return TRUE;
  maker->self->operands[n] = maker->next;

  return ghlo_cpu_epilogue_meet (&maker->operands[maker->next++], maker->result, stage);
}

static gboolean
add_follower (Maker                *maker,
              const GhloIrFollower *follower)
{
  switch (follower->op->kind)
    {
    case GHLO_OP_STABLEHLO_RESHAPE:
      return TRUE;
    case GHLO_OP_STABLEHLO_CLAMP:
      return add_stage (maker, GHLO_OP_STABLEHLO_MAXIMUM, FALSE, TRUE)
             && add_stage (maker, GHLO_OP_STABLEHLO_MINIMUM, FALSE, TRUE);
    default:
      return add_stage (maker, follower->op->kind, follower->position == 1, follower->op->n_operands == 2);
    }
}

GhloCpuFollowers *
ghlo_cpu_followers_new (const GhloIrOp       *op,
                        const GhloIrFollower *followers,
                        guint                 n_followers,
                        const GhloView       *operands,
                        const GhloView       *result)
{
  g_autoptr (GhloCpuFollowers) self = g_new0 (GhloCpuFollowers, 1);
  Maker maker = { .self = self, .operands = operands, .result = result, .next = op->n_operands };

  for (guint i = 0; i < n_followers; i++)
    if (!add_follower (&maker, &followers[i]))
      return NULL;
  self->n_elements = ghlo_view_count (result);
  if (self->n_stages == 0)
    return NULL;
  self->epilogue = ghlo_cpu_epilogue_new (result->element_type, self->n_elements, maker.stages, self->n_stages);

  return self->epilogue != NULL ? g_steal_pointer (&self) : NULL;
}

void
ghlo_cpu_followers_free (GhloCpuFollowers *self)
{
  g_clear_pointer (&self->epilogue, ghlo_cpu_epilogue_free);
  g_free (self);
}

gboolean
ghlo_cpu_followers_pay (const GhloCpuFollowers *self,
                        double                  nanoseconds)
{
  return nanoseconds >= MIN_SPLIT || (double) self->n_elements * self->cost < MIN_SPLIT;
}

void
ghlo_cpu_followers_begin (const GhloCpuFollowers *self,
                          const GhloView         *operands,
                          const GhloView         *result,
                          GhloCpuEpilogueRun     *run)
{
  if (self == NULL)
    return;
  run->epilogue = self->epilogue;
  run->result = result->data;
  for (guint s = 0; s < self->n_stages; s++)
    run->operands[s] = operands[self->operands[s]].data;
}
