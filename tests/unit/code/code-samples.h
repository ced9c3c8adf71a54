/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions that a test both compiles into object files and contains itself: constants, tables, jumps, and calls within
 * one object. Built with -DSAMPLE=NAME, the file becomes an object with one function, named kernel.
 */

#pragma once

#include <stdint.h>

#ifdef SAMPLE
#define UNUSED __attribute__ ((unused))
#else
#define UNUSED
#endif

static UNUSED int64_t
sample_sum (int64_t x)
{
  return 3 * x + 1;
}

/* Floating-point constants lie in a section next to the code. */
static UNUSED int64_t
sample_constants (int64_t x)
{
  double y = (double) x * 0.37 + 12345.678;
  float z = (float) x / 3.25f - 1e6f;

  return (int64_t) (y * 1e3) - (int64_t) z;
}

static UNUSED int64_t
sample_table (int64_t x)
{
  static const uint8_t bytes[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5 };
  static const uint16_t halves[] = { 2718, 2818, 2845, 9045, 2353 };
  static const uint32_t words[] = { 0xdeadbeef, 0x01234567, 0x89abcdef };
  static const int64_t longs[] = { INT64_MIN, -1, 0, 77, 1ll << 40 };

  return bytes[(uint64_t) x % 11] + halves[(uint64_t) x % 5] * 3ll + words[(uint64_t) x % 3] + longs[(uint64_t) x % 5];
}

/* The addresses of a jump table. */
static UNUSED int64_t
sample_switch (int64_t x)
{
  volatile int64_t y = x;

  switch ((uint64_t) x % 9)
    {
    case 0: y += 100; break;
    case 1: y *= 7; break;
    case 2: y -= 33; break;
    case 3: y ^= 0x55; break;
    case 4: y = -y; break;
    case 5: y = y / 3; break;
    case 6: y = y * 8; break;
    case 7: y = y | 0xf00; break;
    }

  return y;
}

static UNUSED __attribute__ ((noinline)) int64_t
helper (int64_t x)
{
  return x * x + 17;
}

static UNUSED __attribute__ ((noinline)) int64_t
sample_calls (int64_t x)
{
  return helper (x) - helper (x + 1) + sample_switch (x);
}

/* Constants that are whole vectors. */
static UNUSED int64_t
sample_vector (int64_t x)
{
  typedef int32_t Vector __attribute__ ((vector_size (16)));
  volatile Vector one = { 11, -22, 33, -44 };
  Vector sum = one * (Vector) { 5, 6, 7, 8 } + (Vector) { (int32_t) x, 1, 2, (int32_t) x };

  return sum[0] * 3ll + sum[1] * 5ll + sum[2] * 7ll + sum[3];
}

#define SAMPLES(X) \
  X (sample_sum) X (sample_constants) X (sample_table) X (sample_switch) X (sample_calls) X (sample_vector)

#ifdef SAMPLE
int64_t kernel (int64_t x);

int64_t
kernel (int64_t x)
{
  return SAMPLE (x);
}
#endif
