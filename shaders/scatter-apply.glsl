/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The body of scatter-apply.comp. A workgroup finds the blocks that begin in its part of the order by key, and has them
 * updated by lanes of invocations. Keys need not be sorted, but equal keys are adjacent.
 */

#include "common.glsl"
#include "scatter.glsl"

/* Elements that an invocation updates, each as far from the next one as there are lanes. */
layout (constant_id = 3) const uint WIDTH = 1;

layout (constant_id = 4) const uint SOURCE = BY_DIMS;

/* Updates that are loaded before the first is applied: a power of two. */
layout (constant_id = 6) const uint AHEAD = 2;

shared uint keys[BLOCK + SLOTS + BLOCK];      /* from BLOCK places before the part */
shared uint items[SLOTS + BLOCK];
shared uint blocks[SLOTS];                    /* places within the part; in any order */
shared uint n_blocks, first_true;

uint
key_at (uint place)
{
  return load_u32 (table.keys + uint64_t (place) * 4);
}

/* Returns the first of the places, up to @end, that have @key as @end has. All invocations search together. */
uint
find_first (uint key, uint end)
{
  uint begin = 0, self = gl_LocalInvocationID.x;

  while (begin < end)
    {
      uint step = (end - begin + GROUP - 1) / GROUP, probe = begin + self * step;

      barrier ();
      if (self == 0)
        first_true = GROUP;
      barrier ();
      if (probe < end && key_at (probe) == key)
        atomicMin (first_true, self);
      barrier ();
      end = min (begin + first_true * step, end);
      /* Behind the last probe without the key. */
      begin = first_true > 0 ? begin + ((end - begin + step - 1) / step - 1) * step + 1 : end;
    }

  return end;
}

/* Returns the first place of those with the key of @slot, where places count from the part's beginning. */
int
first_of (uint slot, uint key, int before)
{
  uint begin = 0, end = BLOCK + slot;

  if (keys[0] == key)
    return before;
  while (begin < end)
    {
      uint middle = (begin + end) / 2;

      if (keys[middle] == key)
        end = middle;
      else
        begin = middle + 1;
    }

  return int (end) - BLOCK;
}

bool
begins_block (uint slot, int before)
{
  uint key = keys[BLOCK + slot];

  if (key >= table.n_keys)
    return false;
  if (KIND == COMBINE_ASSIGN)
    return keys[BLOCK + slot + 1] != key;
  if (keys[BLOCK + slot - 1] != key)
    return true;

  return keys[slot] == key && (int (slot) - first_of (slot, key, before)) % BLOCK == 0;
}

/* Says which blocks have partial results. At most one block other than an element's first begins in each BLOCK places,
 * since it has as many places before it. */
void
put_partial_keys (uint begin, uint size, int before)
{
  for (uint slot = gl_LocalInvocationID.x * BLOCK; slot < size; slot += GROUP * BLOCK)
    if (begin + slot < table.n_items && (begin + slot) % BLOCK == 0)
      {
        uint key = keys[BLOCK + slot], block = BLOCK;

        if (key < table.n_keys && keys[BLOCK + slot - 1] == key)
          block = -uint (int (slot) - first_of (slot, key, before)) % BLOCK;
        store_u32 (table.partial_keys + uint64_t ((begin + slot) / BLOCK) * 4,
                   block < BLOCK && keys[BLOCK + slot + block] == key ? key : NO_KEY);
      }
}

uint64_t
update_at (uint item, uint64_t inner, uint stride)
{
  if (SOURCE == CARRIED)
    return uint64_t (item);
  if (SOURCE == BY_STRIDE)
    return load_unsigned (inner + uint64_t (item) * stride, SIZE);

  return load_unsigned (inner + update_of (item), SIZE);
}

/* What does not exist is loaded from elsewhere, so that no load waits for a decision. */
void
update_block (uint begin, uint slot, uint64_t point)
{
  uint key = keys[BLOCK + slot], lanes = 1u << uint (table.lane_bits), stride = uint (table.update_strides[0]);
  bool is_partial = keys[BLOCK + slot - 1] == key && KIND != COMBINE_ASSIGN, has_more = KIND != COMBINE_ASSIGN;
  uint64_t to[WIDTH], inner[WIDTH], numbers[WIDTH];

  UNROLL for (uint i = 0; i < WIDTH; i++)
    {
      uint64_t at = min (point + i * lanes, table.n_inner - 1);

      locate_inner (at, to[i], inner[i]);
      to[i] += table.to + uint64_t (key) * table.unit;
      inner[i] += table.updates;
      if (is_partial)
        to[i] = table.partials + ((begin + slot) / BLOCK * table.n_inner + at) * SIZE;
    }
  UNROLL for (uint i = 0; i < WIDTH && has_more; i++)
    numbers[i] = load_unsigned (to[i], SIZE);
  for (uint done = 0; done < BLOCK && has_more; done += AHEAD)
    {
      uint64_t updates[AHEAD * WIDTH];
      bool exists[AHEAD];

      UNROLL for (uint j = 0; j < AHEAD; j++)
        {
          uint item;

          exists[j] = keys[BLOCK + slot + done + j] == key;
          item = items[exists[j] ? slot + done + j : slot];
          UNROLL for (uint i = 0; i < WIDTH; i++)
            updates[j * WIDTH + i] = update_at (item, inner[i], stride);
        }
      UNROLL for (uint j = 0; j < AHEAD; j++)
        UNROLL for (uint i = 0; i < WIDTH; i++)
          {
            uint64_t update = updates[j * WIDTH + i], number = combine (numbers[i], update);

            numbers[i] = !exists[j] ? numbers[i] : is_partial && done + j == 0 ? update : number;
          }
      has_more = exists[AHEAD - 1];
    }
  UNROLL for (uint i = 0; i < WIDTH; i++)
    if (point + i * lanes < table.n_inner)
      {
        if (KIND == COMBINE_ASSIGN)
          copy_element (inner[i] + update_of (items[slot]), to[i], SIZE);
        else
          store_unsigned (to[i], SIZE, numbers[i]);
      }
}

void
load_places (uint begin, uint size)
{
  uint n = uint (table.n_items), self = gl_LocalInvocationID.x;
  uint64_t order = table.order;

  for (uint slot = self; slot < BLOCK + size + BLOCK; slot += GROUP)
    {
      uint place = begin + slot - BLOCK, key = key_at (begin + slot < BLOCK ? 0 : min (place, n - 1));

      keys[slot] = begin + slot >= BLOCK && place < n ? key : NO_KEY;
    }
  for (uint slot = self; slot < size + BLOCK && order == 0; slot += GROUP)
    items[slot] = begin + slot;
  for (uint slot = self; slot < size + BLOCK && order != 0; slot += GROUP)
    items[slot] = load_u32 (order + uint64_t (min (begin + slot, n - 1)) * 4);
}

void
main ()
{
  uint64_t group = first + gl_WorkGroupID.x, tile = divide (group, table.n_strips);
  uint self = gl_LocalInvocationID.x, lane_bits = uint (table.lane_bits), size = uint (table.n_places);
  uint begin = uint (tile) * size, lane = self & (1u << lane_bits) - 1;
  uint64_t point = (group - tile * table.n_strips << lane_bits) * WIDTH + lane;
  int before = -BLOCK;

  if (is_off (table.head[FLAG]))
    return;
  load_places (begin, size);
  if (self == 0)
    n_blocks = 0;
  barrier ();
  if (KIND != COMBINE_ASSIGN && begin > BLOCK && keys[0] == keys[BLOCK] && keys[0] < table.n_keys)
    before = int (find_first (keys[0], begin - BLOCK)) - int (begin);
  for (uint slot = self; slot < size; slot += GROUP)
    if (begins_block (slot, before))
      blocks[atomicAdd (n_blocks, 1)] = slot;
  if (table.partial_keys != 0 && point == lane)
    put_partial_keys (begin, size, before);
  barrier ();
  for (uint i = self >> lane_bits; i < n_blocks; i += GROUP >> lane_bits)
    update_block (begin, blocks[i], point);
}
