#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cholesky factors and triangular systems of f32. Every system is a lower triangle that is solved from the first row to
 * the last; others are read in a different order. Both proceed by blocks of rows, with a dispatch for each part of a
 * block. Blocks on the diagonal are factored and inverted in f64; all else is products in f32.
 */

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

#include "common.glsl"

layout (buffer_reference, std430, buffer_reference_align = 8) readonly buffer Table
{
  WORDS (head, HEAD)    /* GhloSpirvWord */
#include "linalg.words"
};

layout (constant_id = 0) const uint PHASE = 0;

layout (push_constant) uniform Push
{
  Table    table;
  uint64_t first;
};

const uint BLOCK = LINALG_BLOCK;

/* A tile is computed by 16 × 16 invocations, of 4 × 4 elements each. Of the operands of a product, DEPTH steps are
 * staged at a time, in vectors along rows or columns, with one of padding. */
const uint SIDE = 16, EACH = 4, DEPTH = 16;

shared vec4 lhs[DEPTH][SIDE + 1];
shared vec4 rhs[DEPTH][SIDE + 1];

/* A column of the block and a row of its inverse, for even and odd steps. */
shared double column_of[2][BLOCK];
shared double row_of[2][BLOCK];

/* A point as the indices of a matrix, a row and a column, with @rows × @columns points per matrix. */
struct Place
{
  uint64_t matrix, row, column;
};

Place
find_place (uint64_t point, uint64_t rows, uint64_t columns)
{
  uint64_t line = divide (point, columns), matrix = divide (line, rows);

  return Place (matrix, line - matrix * rows, point - line * columns);
}

float
load_f32 (uint64_t address)
{
  return uintBitsToFloat (load_u32 (address));
}

void
store_f32 (uint64_t address, float number)
{
  store_u32 (address, floatBitsToUint (number));
}

/* Addresses of numbers. */
uint64_t
triangle_at (uint64_t matrix, uint64_t row, uint64_t column)
{
  return table.triangle + ((matrix * table.n + row) * table.n + column) * 4;
}

uint64_t
side_at (uint64_t matrix, uint64_t row, uint64_t column)
{
  return table.sides + ((matrix * table.n + row) * table.m + column) * 4;
}

uint64_t
count_blocks (uint64_t n)
{
  return (n + BLOCK - 1) / BLOCK;
}

/* Of the inverse of the block that begins at @begin. */
uint64_t
inverse_at (uint64_t matrix, uint64_t begin)
{
  return table.inverses + (matrix * count_blocks (table.n) + begin / BLOCK) * (BLOCK * BLOCK * 4);
}

uint64_t
find_element (Place at)
{
  return (at.matrix * table.each + table.offset + at.row * table.row_step + at.column * table.column_step) * 4;
}

void
load (uint64_t point)
{
  Place at = find_place (point, table.n, table.columns);
  bool is_one = table.unit != 0 && at.row == at.column;

  store_f32 (table.to + point * 4, is_one ? 1 : load_f32 (table.from + find_element (at)));
}

float
load_inside (uint64_t address, bool is_inside)
{
  return is_inside ? load_f32 (address) : 0;
}

/* Stages DEPTH steps of k of rows, or of columns that are stored as rows, of which there are @limit. */
void
stage_rows (bool is_lhs, uint64_t from, uint64_t pitch, uint limit, uint k_begin, uint k_end)
{
  uint k = gl_LocalInvocationID.x % DEPTH, first_row = gl_LocalInvocationID.x / DEPTH;

  [[unroll]] for (uint i = 0; i < BLOCK; i += GROUP / DEPTH)
    {
      uint row = first_row + i;
      float number = load_inside (from + (row * pitch + k_begin + k) * 4, row < limit && k_begin + k < k_end);

      if (is_lhs)
        lhs[k][row / 4][row % 4] = number;
      else
        rhs[k][row / 4][row % 4] = number;
    }
}

void
stage_columns (uint64_t from, uint64_t pitch, uint limit, uint k_begin, uint k_end)
{
  uint column = gl_LocalInvocationID.x % BLOCK, first_k = gl_LocalInvocationID.x / BLOCK;

  [[unroll]] for (uint i = 0; i < DEPTH; i += GROUP / BLOCK)
    {
      uint k = first_k + i;

      rhs[k][column / 4][column % 4]
        = load_inside (from + ((k_begin + k) * pitch + column) * 4, column < limit && k_begin + k < k_end);
    }
}

/* Multiplies a tile of rows of @n_steps elements with columns, which are stored as rows unless @rhs_is_columns. */
void
multiply (uint64_t rows, uint64_t rows_pitch, uint n_rows, uint64_t columns, uint64_t columns_pitch, uint n_columns,
          bool rhs_is_columns, uint n_steps, out vec4 sums[EACH])
{
  uint row = gl_LocalInvocationID.x / SIDE, column = gl_LocalInvocationID.x % SIDE;

  [[unroll]] for (uint i = 0; i < EACH; i++)
    sums[i] = vec4 (0);
  for (uint begin = 0; begin < n_steps; begin += DEPTH)
    {
      barrier ();
      stage_rows (true, rows, rows_pitch, n_rows, begin, n_steps);
      if (rhs_is_columns)
        stage_columns (columns, columns_pitch, n_columns, begin, n_steps);
      else
        stage_rows (false, columns, columns_pitch, n_columns, begin, n_steps);
      barrier ();
      [[unroll]] for (uint k = 0; k < DEPTH; k++)
        {
          vec4 l = lhs[k][row], r = rhs[k][column];

          /* An inverse is zero to the right of its diagonal, where numbers that are not finite must not count. */
          [[unroll]] for (uint i = 0; i < EACH; i++)
            if (PHASE != LINALG_SOLVE || begin + k <= EACH * row + i)
              sums[i] = fma (vec4 (l[i]), r, sums[i]);
        }
    }
}

/* Stores a tile, or subtracts it from what is there. */
void
store_tile (uint64_t to, uint64_t pitch, uint n_rows, uint n_columns, bool subtracts, vec4 sums[EACH])
{
  uint first_row = gl_LocalInvocationID.x / SIDE * EACH, first_column = gl_LocalInvocationID.x % SIDE * EACH;

  [[unroll]] for (uint i = 0; i < EACH; i++)
    [[unroll]] for (uint j = 0; j < EACH; j++)
      {
        uint row = first_row + i, column = first_column + j;
        uint64_t at = to + (row * pitch + column) * 4;

        if (row < n_rows && column < n_columns)
          store_f32 (at, subtracts ? load_f32 (at) - sums[i][j] : sums[i][j]);
      }
}

uint
limit_block (uint64_t n)
{
  return uint (min (n, uint64_t (BLOCK)));
}

/* A tile of rows @row on and columns @column on of the right-hand sides. */
void
solve_tile (uint64_t matrix, uint64_t row, uint64_t column)
{
  uint n_rows = limit_block (table.n - row), n_columns = limit_block (table.m - column);
  uint n_steps = limit_block (table.n - table.begin);
  uint64_t sides = side_at (matrix, table.begin, column);
  vec4 sums[EACH];

  if (PHASE == LINALG_SOLVE)
    multiply (inverse_at (matrix, row), BLOCK, n_rows, sides, table.m, n_columns, true, n_steps, sums);
  else
    multiply (triangle_at (matrix, row, table.begin), table.n, n_rows, sides, table.m, n_columns, true, n_steps, sums);
  barrier ();
  store_tile (side_at (matrix, row, column), table.m, n_rows, n_columns, PHASE == LINALG_SUBTRACT, sums);
}

void
solve (uint64_t tile)
{
  uint64_t row = PHASE == LINALG_SOLVE ? table.begin : table.end, across = count_blocks (table.m);
  uint64_t down = PHASE == LINALG_SOLVE ? 1 : count_blocks (table.n - row);
  uint64_t line = divide (tile, across), matrix = divide (line, down);

  solve_tile (matrix, row + (line - matrix * down) * BLOCK, (tile - line * across) * BLOCK);
}

/* Tests bits, since compilers may assume that there are no NaNs. */
bool
is_positive (double number)
{
  return doubleBitsToUint64 (number) - 1 < 0x7ff0000000000000ul;
}

/* Returns the reciprocal root, from f32's by Newton's method where that has the range. */
double
find_reciprocal_root (double number)
{
  double root;

  if (!(number > 1e-36lf && number < 1e36lf))
    return 1 / sqrt (number);
  root = inversesqrt (float (number));
  [[unroll]] for (uint i = 0; i < 2; i++)
    root = fma (root * 0.5lf, fma (-number * root, root, 1.0lf), root);

  return root;
}

/* The invocation's elements of a block on the diagonal, and of its inverse. */
double a[EACH][EACH], b[EACH][EACH];
bool failed;

/* Does step k, a multiple of EACH plus @c: with p the element (k, k), column k of what remains of the block is a column
 * of the factor times the root of p. Loops that contain barriers may not be unrolled; this is called with constants, so
 * that elements stay in registers. */
void
eliminate (uint k, uint c, uint n, bool factors)
{
  uint first_row = gl_LocalInvocationID.x / SIDE * EACH, first_column = gl_LocalInvocationID.x % SIDE * EACH;
  uint parity = c % 2;
  double pivot, reciprocal, scale;

  if (first_column + c == k)
    [[unroll]] for (uint i = 0; i < EACH; i++)
      column_of[parity][first_row + i] = a[i][c];
  if (first_row + c == k)
    [[unroll]] for (uint j = 0; j < EACH; j++)
      row_of[parity][first_column + j] = b[c][j];
  barrier ();
  pivot = column_of[parity][k];
  if (k < n)
    failed = failed || (factors && !is_positive (pivot));
  if (k < n && first_row + EACH > k)
    {
      scale = factors ? find_reciprocal_root (pivot) : 1 / pivot;
      reciprocal = factors ? scale * scale : scale;
      [[unroll]] for (uint i = 0; i < EACH; i++)
        {
          uint row = first_row + i;
          double factor = column_of[parity][row] * reciprocal;

          [[unroll]] for (uint j = 0; j < EACH; j++)
            {
              uint column = first_column + j;

              if (factors && column > k && row >= column)
                a[i][j] -= factor * column_of[parity][column];
              if (factors && column == k && row >= k)
                a[i][j] *= scale;
              if (row > k && column <= k)
                b[i][j] -= factor * row_of[parity][column];
              if (row == k)
                b[i][j] *= scale;
            }
        }
    }
}

/* Inverts the block that begins at row @begin, and factors it before if @factors. */
void
invert (uint64_t matrix, uint64_t begin, bool factors)
{
  uint n = limit_block (table.n - begin), thread = gl_LocalInvocationID.x;
  uint first_row = thread / SIDE * EACH, first_column = thread % SIDE * EACH;
  uint64_t block = triangle_at (matrix, begin, begin), inverse = inverse_at (matrix, begin);

  failed = factors && begin > 0 && load_u32 (table.failed + matrix * 4) != 0;
  [[unroll]] for (uint i = 0; i < EACH; i++)
    [[unroll]] for (uint j = 0; j < EACH; j++)
      {
        uint row = first_row + i, column = first_column + j;

        a[i][j] = load_inside (block + (row * table.n + column) * 4, row < n && column <= row);
        b[i][j] = row == column ? 1 : 0;
      }
  for (uint k = 0; k < n; k += EACH)
    {
      eliminate (k, 0, n, factors);
      eliminate (k + 1, 1, n, factors);
      eliminate (k + 2, 2, n, factors);
      eliminate (k + 3, 3, n, factors);
    }
  [[unroll]] for (uint i = 0; i < EACH; i++)
    [[unroll]] for (uint j = 0; j < EACH; j++)
      {
        uint row = first_row + i, column = first_column + j;

        if (factors && row < n && column <= row)
          store_f32 (block + (row * table.n + column) * 4, float (a[i][j]));
        store_f32 (inverse + (row * BLOCK + column) * 4, row < n && column <= row ? float (b[i][j]) : 0);
      }
  if (factors && thread == 0)
    store_u32 (table.failed + matrix * 4, uint (failed));
}

void
factor_below (uint64_t tile)
{
  uint64_t down = count_blocks (table.n - table.end), matrix = divide (tile, down);
  uint64_t row = table.end + (tile - matrix * down) * BLOCK, rows = triangle_at (matrix, row, table.begin);
  uint n_rows = limit_block (table.n - row);
  vec4 sums[EACH];

  multiply (rows, table.n, n_rows, inverse_at (matrix, table.begin), BLOCK, BLOCK, false, BLOCK, sums);
  barrier ();
  store_tile (rows, table.n, n_rows, BLOCK, false, sums);
}

/* The tiles of a triangle are numbered row by row. */
void
update (uint64_t tile)
{
  uint64_t down = count_blocks (table.n - table.end), n_tiles = down * (down + 1) / 2;
  uint64_t matrix = divide (tile, n_tiles);
  uint number = uint (tile - matrix * n_tiles), row_of_tiles = uint (sqrt (2 * float (number)));
  uint64_t row, column;
  vec4 sums[EACH];

  while (row_of_tiles * (row_of_tiles + 1) / 2 > number)
    row_of_tiles--;
  while ((row_of_tiles + 1) * (row_of_tiles + 2) / 2 <= number)
    row_of_tiles++;
  row = table.end + row_of_tiles * BLOCK;
  column = table.end + (number - row_of_tiles * (row_of_tiles + 1) / 2) * BLOCK;
  multiply (triangle_at (matrix, row, table.begin), table.n, limit_block (table.n - row),
            triangle_at (matrix, column, table.begin), table.n, limit_block (table.n - column), false, BLOCK, sums);
  store_tile (triangle_at (matrix, row, column), table.n, limit_block (table.n - row), limit_block (table.n - column),
              true, sums);
}

/* The other triangle of a factor is set to zeros; a factor that does not exist is set to NaN. */
void
store (uint64_t point)
{
  Place at = find_place (point, table.n, table.columns);
  uint bits = load_u32 (table.from + point * 4);

  if (PHASE == LINALG_STORE_FACTOR && at.column > at.row)
    bits = 0;
  else if (PHASE == LINALG_STORE_FACTOR && load_u32 (table.failed + at.matrix * 4) != 0)
    bits = 0x7fc00000;
  store_u32 (table.to + find_element (at), bits);
}

void
main ()
{
  bool by_group = PHASE != LINALG_LOAD && PHASE != LINALG_STORE && PHASE != LINALG_STORE_FACTOR;
  uint64_t point = first + (by_group ? gl_WorkGroupID.x : gl_GlobalInvocationID.x), n_blocks, matrix;

  if (point >= table.head[END] || is_off (table.head[FLAG]))
    return;
  switch (PHASE)
    {
    case LINALG_LOAD:
      load (point);
      break;
    case LINALG_INVERT:
      n_blocks = count_blocks (table.n);
      matrix = divide (point, n_blocks);
      invert (matrix, (point - matrix * n_blocks) * BLOCK, false);
      break;
    case LINALG_SOLVE:
    case LINALG_SUBTRACT:
      solve (point);
      break;
    case LINALG_FACTOR:
      invert (point, table.begin, true);
      break;
    case LINALG_FACTOR_BELOW:
      factor_below (point);
      break;
    case LINALG_UPDATE:
      update (point);
      break;
    default:
      store (point);
    }
}
