#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cholesky factors and triangular systems of f32, computed in f64, so that results are rounded once. Every system is a
 * lower triangle that is solved from the first row to the last; others are read in a different order. Both proceed by
 * blocks of rows, with a dispatch for each part of a block.
 */

#extension GL_GOOGLE_include_directive : require

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

layout (buffer_reference, std430, buffer_reference_align = 8) buffer F64 { double value; };

shared double block[LINALG_BLOCK][LINALG_BLOCK + 1];

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

F64
triangle_at (uint64_t matrix, uint64_t row, uint64_t column)
{
  return F64 (table.triangle + ((matrix * table.n + row) * table.n + column) * 8);
}

F64
side_at (uint64_t matrix, uint64_t row, uint64_t column)
{
  return F64 (table.sides + ((matrix * table.n + row) * table.m + column) * 8);
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

  F64 (table.to + point * 8).value = is_one ? 1.0lf
                                            : double (uintBitsToFloat (load_u32 (table.from + find_element (at))));
}

void
solve (uint64_t point)
{
  Place at = find_place (point, 1, table.m);

  for (uint64_t row = table.begin; row < table.end; row++)
    {
      double sum = side_at (at.matrix, row, at.column).value;

      for (uint64_t k = table.begin; k < row; k++)
        sum -= triangle_at (at.matrix, row, k).value * side_at (at.matrix, k, at.column).value;
      side_at (at.matrix, row, at.column).value = sum / triangle_at (at.matrix, row, row).value;
    }
}

void
subtract (uint64_t point)
{
  Place at = find_place (point, table.n - table.end, table.m);
  uint64_t row = table.end + at.row;
  double sum = side_at (at.matrix, row, at.column).value;

  for (uint64_t k = table.begin; k < table.end; k++)
    sum -= triangle_at (at.matrix, row, k).value * side_at (at.matrix, k, at.column).value;
  side_at (at.matrix, row, at.column).value = sum;
}

/* Tests bits, since compilers may assume that there are no NaNs. */
bool
is_positive (double number)
{
  return doubleBitsToUint64 (number) - 1 < 0x7ff0000000000000ul;
}

/* Column by column: computes the diagonal and the elements below it, and subtracts their contribution from later
 * columns. */
void
factor (uint64_t matrix)
{
  uint n = uint (table.end - table.begin), thread = gl_LocalInvocationID.x;
  bool failed = table.begin > 0 && load_u32 (table.failed + matrix * 4) != 0;

  for (uint i = thread; i < n * n; i += GROUP)
    block[i / n][i % n] = triangle_at (matrix, table.begin + i / n, table.begin + i % n).value;
  barrier ();
  for (uint k = 0; k < n; k++)
    {
      double pivot = block[k][k], root = sqrt (pivot);

      failed = failed || !is_positive (pivot);
      barrier ();
      for (uint i = k + thread; i < n; i += GROUP)
        block[i][k] = i == k ? root : block[i][k] / root;
      barrier ();
      for (uint i = thread; i < n * n; i += GROUP)
        if (i % n > k && i / n >= i % n)
          block[i / n][i % n] -= block[i / n][k] * block[i % n][k];
      barrier ();
    }
  for (uint i = thread; i < n * n; i += GROUP)
    triangle_at (matrix, table.begin + i / n, table.begin + i % n).value = block[i / n][i % n];
  if (thread == 0)
    store_u32 (table.failed + matrix * 4, uint (failed));
}

void
factor_below (uint64_t point)
{
  Place at = find_place (point, 1, table.n - table.end);
  uint64_t row = table.end + at.column;

  for (uint64_t column = table.begin; column < table.end; column++)
    {
      double sum = triangle_at (at.matrix, row, column).value;

      for (uint64_t k = table.begin; k < column; k++)
        sum -= triangle_at (at.matrix, row, k).value * triangle_at (at.matrix, column, k).value;
      triangle_at (at.matrix, row, column).value = sum / triangle_at (at.matrix, column, column).value;
    }
}

void
update (uint64_t point)
{
  Place at = find_place (point, table.n - table.end, table.n - table.end);
  uint64_t row = table.end + at.row, column = table.end + at.column;
  double sum;

  if (column > row)
    return;
  sum = triangle_at (at.matrix, row, column).value;
  for (uint64_t k = table.begin; k < table.end; k++)
    sum -= triangle_at (at.matrix, row, k).value * triangle_at (at.matrix, column, k).value;
  triangle_at (at.matrix, row, column).value = sum;
}

/* The other triangle of a factor is set to zeros; a factor that does not exist is set to NaN. */
void
store (uint64_t point)
{
  Place at = find_place (point, table.n, table.columns);
  uint bits = floatBitsToUint (float (F64 (table.from + point * 8).value));

  if (PHASE == LINALG_STORE_FACTOR && at.column > at.row)
    bits = 0;
  else if (PHASE == LINALG_STORE_FACTOR && load_u32 (table.failed + at.matrix * 4) != 0)
    bits = 0x7fc00000;
  store_u32 (table.to + find_element (at), bits);
}

void
main ()
{
  uint64_t point = first + (PHASE == LINALG_FACTOR ? gl_WorkGroupID.x : gl_GlobalInvocationID.x);

  if (point >= table.head[END] || is_off (table.head[FLAG]))
    return;
  switch (PHASE)
    {
    case LINALG_LOAD:
      load (point);
      break;
    case LINALG_SOLVE:
      solve (point);
      break;
    case LINALG_SUBTRACT:
      subtract (point);
      break;
    case LINALG_FACTOR:
      factor (point);
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
