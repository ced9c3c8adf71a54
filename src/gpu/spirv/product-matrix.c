/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tiles by matrices. Each subgroup has a part of the tile, as matrices of sums. A round of the loop over k has four
 * steps. A step loads the operands of the next step from shared memory, multiplies those loaded before, stages a part
 * of each operand's next block, and fetches the part that is the prefetch distance further ahead; then there is a
 * barrier. If there are too few registers for that, operands are loaded in the step that multiplies them.
 *
 * There are two loops: one for rounds that lie within the operands, all but the last ones, and one for the others. With
 * whole tiles there is only the first: on an H100, the second one costs 6 µs out of 16 for 2048×2048×256 even where it
 * has no iterations, and slows the first one by 5 %.
 */

#include "gpu/spirv/product-private.h"

/* Two planes take the registers of two steps, and so do bytes that must be gathered from several rows each. */
static guint
count_ahead (const GhloSpirvProduct *product)
{
  const gboolean is_gathered = ghlo_element_info (ghlo_spirv_component (product))->size == 1
                               && !(product->is_inner_adjacent[0] && product->is_inner_adjacent[1]);

  return ghlo_spirv_n_planes (product->split) == 1 && !is_gathered ? 1 : 0;
}

void
ghlo_spirv_matrix_barrier (const SpirvProduct *product,
                           SpvScope            scope)
{
  Spirv *self = product->spirv;
  const guint semantics = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask
                          | SpvMemorySemanticsMakeAvailableMask | SpvMemorySemanticsMakeVisibleMask;
  Id id = ghlo_spirv_u32 (self, product->product->is_emulated ? SpvScopeWorkgroup : scope);

  STATEMENT (SpvOpControlBarrier, id, id, ghlo_spirv_u32 (self, semantics));
}

/* Finds the subgroup's index, and the invocation's index in it. */
static void
find_subgroup (SpirvMatrices *matrices)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const guint n = product->product->subgroup;

  if (!product->product->is_emulated)
    {
      matrices->subgroup = CODE (SpvOpUConvert, self->u32, ghlo_spirv_built_in (self, SpvBuiltInSubgroupId, FALSE));
      matrices->lane = CODE (SpvOpUConvert, self->u32,
                             ghlo_spirv_built_in (self, SpvBuiltInSubgroupLocalInvocationId, FALSE));
      return;
    }
  matrices->subgroup = CODE (SpvOpUDiv, self->u32, product->lane, ghlo_spirv_u32 (self, n));
  matrices->lane = CODE (SpvOpBitwiseAnd, self->u32, product->lane, ghlo_spirv_u32 (self, n - 1));
}

static void
make_variables (SpirvMatrices *matrices)
{
  const SpirvProduct *product = matrices->product;

  for (guint set = 0; set < 2; set++)
    for (guint side = 0; side < 2; side++)
      for (guint i = 0; i < matrices->n[side]; i++)
        matrices->operands[set][side][i] = ghlo_spirv_matrix_variable (product, side);
  for (guint i = 0; i < matrices->n[0]; i++)
    for (guint j = 0; j < matrices->n[1]; j++)
      {
        matrices->sums[i][j] = ghlo_spirv_matrix_variable (product, GHLO_SPIRV_RESULT);
        ghlo_spirv_matrix_clear (product, matrices->sums[i][j]);
      }
  if (product->product->split == GHLO_SPIRV_TWO_PLANES_STEPWISE)
    matrices->partial = ghlo_spirv_matrix_variable (product, GHLO_SPIRV_RESULT);
}

static void
begin_matrices (SpirvMatrices *matrices,
                SpirvProduct  *product)
{
  Spirv *self = product->spirv;
  const guint n_columns = product->product->tile.n_column_threads;
  Id number[2];

  matrices->product = product;
  matrices->n_ahead = count_ahead (product->product);
  find_subgroup (matrices);
  number[0] = CODE (SpvOpShiftRightLogical, self->u32, matrices->subgroup,
                    ghlo_spirv_u32 (self, (guint) g_bit_nth_msf (n_columns, -1)));
  number[1] = CODE (SpvOpBitwiseAnd, self->u32, matrices->subgroup, ghlo_spirv_u32 (self, n_columns - 1));
  for (guint i = 0; i < 2; i++)
    {
      const SpirvSide *side = &product->sides[i];
      Id end = ghlo_spirv_add_u32 (self, side->first, side->extent);
      Id is_inside = CODE (SpvOpULessThanEqual, self->boolean, end, side->count);

      ghlo_spirv_blocks_init (&matrices->blocks[i], product->product, i);
      ghlo_spirv_blocks_begin (product, &matrices->blocks[i]);
      matrices->first[i] = CODE (SpvOpIMul, self->u32, number[i], ghlo_spirv_u32 (self, side->n_each));
      matrices->n[i] = side->n_each / GHLO_SPIRV_MATRIX;
      matrices->is_inside = i == 0 ? is_inside : CODE (SpvOpLogicalAnd, self->boolean, matrices->is_inside, is_inside);
      g_assert (matrices->n[i] <= GHLO_SPIRV_MAX_SPAN);
    }
  make_variables (matrices);
}

/* Loads matrix @index of a side, for step @step of the round and a plane; @number counts matrices along k. If k is
 * contiguous, rows of A and columns of B are contiguous. */
static void
load_matrix (const SpirvMatrices *matrices,
             const SpirvRound    *round,
             guint                step,
             guint                number,
             guint                plane,
             guint                tensor,
             guint                index,
             Id                   variable)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const SpirvBlocks *blocks = &matrices->blocks[tensor];
  const gboolean makes_planes = ghlo_spirv_makes_planes (product->product->split);
  const guint inner = step % blocks->n_steps * blocks->width
                      + (makes_planes ? number : plane) * ghlo_spirv_matrix_inner (product->product);
  Id begin = ghlo_spirv_blocks_place (product, blocks, round, step), place;

  if (blocks->is_inner_adjacent)
    place = ghlo_spirv_add_u32 (self, CODE (SpvOpIMul, self->u32, matrices->first[tensor],
                                            ghlo_spirv_u32 (self, blocks->pitch)),
                                index * GHLO_SPIRV_MATRIX * blocks->pitch + inner / blocks->unit);
  else
    place = ghlo_spirv_add_u32 (self, CODE (SpvOpUDiv, self->u32, matrices->first[tensor],
                                            ghlo_spirv_u32 (self, blocks->unit)),
                                index * GHLO_SPIRV_MATRIX / blocks->unit + inner * blocks->pitch);
  if (makes_planes)
    place = ghlo_spirv_add_u32 (self, place, plane * blocks->plane);
  ghlo_spirv_matrix_load (matrices, tensor, variable, CODE (SpvOpIAdd, self->u32, begin, place));
}

/* Loads all operands of a step with one plane. */
static void
load_step (const SpirvMatrices *matrices,
           const SpirvRound    *round,
           guint                step)
{
  for (guint side = 0; side < 2; side++)
    for (guint i = 0; i < matrices->n[side]; i++)
      load_matrix (matrices, round, step, 0, 0, side, i, matrices->operands[step % 2][side][i]);
}

static void
multiply_step (const SpirvMatrices *matrices,
               guint                step)
{
  const Id (*operands)[GHLO_SPIRV_MAX_SPAN] = matrices->operands[step % 2];

  for (guint j = 0; j < matrices->n[1]; j++)
    for (guint i = 0; i < matrices->n[0]; i++)
      ghlo_spirv_matrix_multiply (matrices->product, operands[0][i], operands[1][j], matrices->sums[i][j]);
}

/* Adds the small products first. */
static void
multiply_planes (const SpirvMatrices *matrices,
                 guint                i,
                 guint                j)
{
  const SpirvProduct *product = matrices->product;
  Id sums = matrices->partial != 0 ? matrices->partial : matrices->sums[i][j];
  Id high[2], low[2];

  for (guint side = 0; side < 2; side++)
    {
      high[side] = matrices->operands[0][side][side == 0 ? i : j];
      low[side] = matrices->operands[1][side][side == 0 ? i : j];
    }
  if (matrices->partial != 0)
    ghlo_spirv_matrix_clear (product, sums);
  ghlo_spirv_matrix_multiply (product, high[0], low[1], sums);
  ghlo_spirv_matrix_multiply (product, low[0], high[1], sums);
  ghlo_spirv_matrix_multiply (product, high[0], high[1], sums);
  if (matrices->partial != 0)
    ghlo_spirv_matrix_add (product, matrices->sums[i][j], sums);
}

/* For two planes. Those of rhs are loaded one after the other, since registers are scarce. */
static void
do_step_of_planes (const SpirvMatrices *matrices,
                   const SpirvRound    *round,
                   guint                step,
                   guint                number)
{
  for (guint i = 0; i < matrices->n[0]; i++)
    for (guint plane = 0; plane < 2; plane++)
      load_matrix (matrices, round, step, number, plane, GHLO_SPIRV_LHS, i,
                   matrices->operands[plane][GHLO_SPIRV_LHS][i]);
  for (guint j = 0; j < matrices->n[1]; j++)
    {
      for (guint plane = 0; plane < 2; plane++)
        load_matrix (matrices, round, step, number, plane, GHLO_SPIRV_RHS, j,
                     matrices->operands[plane][GHLO_SPIRV_RHS][j]);
      for (guint i = 0; i < matrices->n[0]; i++)
        multiply_planes (matrices, i, j);
    }
}

/* A part is staged where the block before the previous one was. All invocations have finished loading that, since there
 * is a barrier where the turn of the next block begins. */
static void
do_step (const SpirvMatrices *matrices,
         const SpirvRound    *round,
         guint                step)
{
  const SpirvProduct *product = matrices->product;
  const guint ahead = matrices->n_ahead;
  gboolean turns = FALSE;
  Id pieces[GHLO_SPIRV_MAX_PIECES];

  if (ghlo_spirv_n_planes (product->product->split) == 1)
    {
      load_step (matrices, round, step + ahead);
      multiply_step (matrices, step);
    }
  else
    for (guint number = 0; number < product->product->n_matrices; number++)
      do_step_of_planes (matrices, round, step, number);
  for (guint side = 0; side < 2; side++)
    {
      const SpirvBlocks *blocks = &matrices->blocks[side];
      const guint part = step + blocks->n_steps + ahead;

      ghlo_spirv_blocks_held (product, blocks, round, part, pieces);
      ghlo_spirv_blocks_stage (product, blocks, round, part, pieces);
    }
  for (guint side = 0; side < 2; side++)
    {
      const SpirvBlocks *blocks = &matrices->blocks[side];
      const guint part = step + blocks->n_steps + ahead + product->product->distance;

      ghlo_spirv_blocks_fetch (product, blocks, round, part, pieces);
      ghlo_spirv_blocks_hold (product, blocks, round, part, pieces);
      turns = turns || (step + 1 + ahead) % blocks->n_steps == 0;
    }
  if (turns)
    ghlo_spirv_matrix_barrier (product, SpvScopeWorkgroup);
}

/* Returns the steps of k of a round. */
static guint
round_length (const SpirvMatrices *matrices)
{
  return matrices->blocks[0].width * GHLO_SPIRV_ROUND;
}

/* Returns the rounds in the loop's body. */
static guint
count_rounds (const SpirvMatrices *matrices)
{
  return MAX (matrices->product->product->distance / GHLO_SPIRV_ROUND, 1);
}

/* Returns how many rounds ahead a round fetches at most, which is reached by its last step if that starts a block of
 * four. */
static guint
count_rounds_ahead (const SpirvMatrices *matrices)
{
  return 2 + matrices->product->product->distance / GHLO_SPIRV_ROUND;
}

/* Finds the addresses that rounds inside the operands fetch from. What the last rounds fetch is never multiplied. */
static void
find_starts (const SpirvMatrices *matrices,
             SpirvRound          *round)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const guint length = round_length (matrices);
  Id last = ghlo_spirv_add_u32 (self, product->end, -length);

  for (guint i = 0; i <= count_rounds_ahead (matrices); i++)
    {
      Id begin = GLSL (UMin, self->u32, ghlo_spirv_add_u32 (self, round->begin, i * length), last);

      for (guint side = 0; side < 2; side++)
        round->starts[side][i] = ghlo_spirv_blocks_start (product, &matrices->blocks[side], begin);
    }
}

/* Prepares what the first steps expect: the first block of each side, and operands loaded ahead. Everything is fetched
 * before anything is staged. */
static void
begin_rounds (const SpirvMatrices *matrices)
{
  const SpirvProduct *product = matrices->product;
  const guint ahead = matrices->n_ahead, distance = product->product->distance;
  SpirvRound round = { .begin = product->begin, .parity = ghlo_spirv_u32 (product->spirv, 0),
                       .is_inside = product->product->has_whole_tiles };
  Id pieces[2][GHLO_SPIRV_ROUND + 1 + GHLO_SPIRV_MAX_DISTANCE][GHLO_SPIRV_MAX_PIECES];

  if (round.is_inside)
    find_starts (matrices, &round);
  for (guint side = 0; side < 2; side++)
    for (guint part = 0; part < matrices->blocks[side].n_steps + ahead + distance; part++)
      ghlo_spirv_blocks_fetch (product, &matrices->blocks[side], &round, part, pieces[side][part]);
  for (guint side = 0; side < 2; side++)
    {
      const SpirvBlocks *blocks = &matrices->blocks[side];
      const guint n = blocks->n_steps + ahead;

      for (guint part = 0; part < n; part++)
        ghlo_spirv_blocks_stage (product, blocks, &round, part, pieces[side][part]);
      for (guint part = n; part < n + distance; part++)
        ghlo_spirv_blocks_hold (product, blocks, &round, part, pieces[side][part]);
    }
  ghlo_spirv_matrix_barrier (product, SpvScopeWorkgroup);
  if (ahead == 0)
    return;
  load_step (matrices, &round, 0);
  ghlo_spirv_matrix_barrier (product, SpvScopeWorkgroup);
}

static void
do_round (const SpirvMatrices *matrices,
          SpirvRound          *round)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;

  round->parity = CODE (SpvOpUDiv, self->u32, CODE (SpvOpISub, self->u32, round->begin, product->begin),
                        ghlo_spirv_u32 (self, round_length (matrices)));
  round->parity = CODE (SpvOpBitwiseAnd, self->u32, round->parity, ghlo_spirv_u32 (self, 1));
  if (round->is_inside)
    find_starts (matrices, round);
  for (guint step = 0; step < GHLO_SPIRV_ROUND; step++)
    do_step (matrices, round, step);
}

/* All rounds of the body but the first check whether they exist. */
static void
do_rounds (const SpirvMatrices *matrices,
           Id                   begin,
           Id                   end,
           gboolean             is_inside)
{
  Spirv *self = matrices->product->spirv;
  const guint length = round_length (matrices), n = count_rounds (matrices);
  SpirvLoop loop = ghlo_spirv_begin_loop (self, begin, end);
  Id exits[GHLO_SPIRV_MAX_BODY];

  for (guint i = 0; i < n; i++)
    {
      SpirvRound round = { .number = i, .is_inside = is_inside };
      Id index = i == 0 ? loop.index : CODE (SpvOpIAdd, self->u64, loop.index, ghlo_spirv_u64 (self, i * length));

      if (i > 0)
        exits[i] = ghlo_spirv_begin_if (self, CODE (SpvOpSLessThan, self->boolean, index, end));
      round.begin = CODE (SpvOpUConvert, self->u32, index);
      do_round (matrices, &round);
    }
  for (guint i = n; --i > 0;)
    ghlo_spirv_end_if (self, exits[i]);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, n * length));
}

/* Returns the step of k at which the rounds end that lie within the operands. These are all rounds if the last one is
 * whole; else those that fetch nothing for the last one, in whole bodies of the loop, since the other loop starts with
 * the first of the variables that hold parts. No rounds if the tile is not inside. */
static Id
find_inside_end (const SpirvMatrices *matrices)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const guint n_each = count_rounds (matrices);
  Id length = ghlo_spirv_u32 (self, round_length (matrices));
  Id ahead = ghlo_spirv_u32 (self, count_rounds_ahead (matrices));
  Id all = CODE (SpvOpISub, self->u32, product->end, product->begin), n, whole, is_whole;

  n = CODE (SpvOpUDiv, self->u32, all, length);
  whole = CODE (SpvOpIMul, self->u32, n, length);
  is_whole = CODE (SpvOpIEqual, self->boolean, whole, all);
  n = CODE (SpvOpISub, self->u32, GLSL (UMax, self->u32, n, ahead), ahead);
  if (n_each > 1)
    {
      Id each = ghlo_spirv_u32 (self, n_each);

      n = CODE (SpvOpIMul, self->u32, CODE (SpvOpUDiv, self->u32, n, each), each);
    }
  n = CODE (SpvOpIMul, self->u32, n, length);
  n = ghlo_spirv_select (self, self->u32, is_whole, whole, n);
  n = ghlo_spirv_select (self, self->u32, matrices->is_inside, n, ghlo_spirv_u32 (self, 0));

  return CODE (SpvOpUConvert, self->u64, CODE (SpvOpIAdd, self->u32, product->begin, n));
}

/* Whether rows, columns and steps of k have one dimension each and there are no windows, so that addresses are
 * linear. */
static gboolean
is_linear (const GhloSpirvProduct *product)
{
  return product->n_windows == 0 && product->n_dimensions[GHLO_SPIRV_ROWS] == 1
         && product->n_dimensions[GHLO_SPIRV_COLUMNS] == 1 && product->n_dimensions[GHLO_SPIRV_INNER] == 1;
}

static void
add_products (SpirvMatrices *matrices)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  Id exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, product->begin, product->end));
  Id begin = CODE (SpvOpUConvert, self->u64, product->begin), end = CODE (SpvOpUConvert, self->u64, product->end);

  for (guint side = 0; side < 2 && is_linear (product->product); side++)
    ghlo_spirv_blocks_find_start (product, &matrices->blocks[side]);
  begin_rounds (matrices);
  if (product->product->has_whole_tiles)
    do_rounds (matrices, begin, end, TRUE);
  else if (is_linear (product->product))
    {
      Id inside_end = find_inside_end (matrices);

      do_rounds (matrices, begin, inside_end, TRUE);
      do_rounds (matrices, inside_end, end, FALSE);
    }
  else
    do_rounds (matrices, begin, end, FALSE);
  ghlo_spirv_end_if (self, exit);
}

void
ghlo_spirv_matrix_body (SpirvProduct *product)
{
  SpirvMatrices matrices = { 0 };

  begin_matrices (&matrices, product);
  add_products (&matrices);
  ghlo_spirv_matrix_barrier (product, SpvScopeWorkgroup);
  ghlo_spirv_matrix_results (&matrices);
}
