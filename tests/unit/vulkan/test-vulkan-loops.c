/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops that a device iterates by itself: the reference device's bits, whichever carried values change places and
 * however often, without a missing or superfluous barrier.
 */

#include "vulkan-program.h"

#include "compiler/devices.h"
#include "runtime/place.h"
#include "vulkan/queue.h"

/* The beginning of the programs: %zero, %x and %y are carried, and %one is a constant. */
#define BEGIN(results) \
  "func.func @main() -> " results " {\n" \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "  %x = stablehlo.iota dim = 0 : tensor<32xi32>\n" \
  "  %y = stablehlo.multiply %x, %x : tensor<32xi32>\n"

/* A condition on %i, which counts to %u. */
#define COUNTED \
  "  cond {\n" \
  "    %n = stablehlo.constant dense<%u> : tensor<i32>\n" \
  "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "    stablehlo.return %c : tensor<i1>\n" \
  "  } do {\n" \
  "    %next = stablehlo.add %i, %one : tensor<i32>\n"

/* Two buffers change places in each iteration. */
static const char moved[] =
  BEGIN ("(tensor<32xi32>, tensor<i32>)")
  "  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<32xi32>\n"
  COUNTED
  "    %s = stablehlo.reverse %v, dims = [0] : tensor<32xi32>\n"
  "    %t = stablehlo.add %s, %y : tensor<32xi32>\n"
  "    %u = stablehlo.subtract %t, %v : tensor<32xi32>\n"
  "    stablehlo.return %next, %u : tensor<i32>, tensor<32xi32>\n"
  "  }\n"
  "  return %r#1, %r#0 : tensor<32xi32>, tensor<i32>\n"
  "}\n";

/* The carried buffer is updated in place. */
static const char in_place[] =
  BEGIN ("(tensor<32xi32>, tensor<i32>)")
  "  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<32xi32>\n"
  COUNTED
  "    %u = stablehlo.add %v, %y : tensor<32xi32>\n"
  "    stablehlo.return %next, %u : tensor<i32>, tensor<32xi32>\n"
  "  }\n"
  "  return %r#1, %r#0 : tensor<32xi32>, tensor<i32>\n"
  "}\n";

/* Carried values are swapped, and one is passed on unchanged; the steps after the loop reuse the memory of buffers
 * that changed places in it. */
static const char swapped[] =
  BEGIN ("(tensor<32xi32>, tensor<32xi32>)")
  "  %r:4 = stablehlo.while(%i = %zero, %v = %x, %w = %y, %k = %y) : tensor<i32>, tensor<32xi32>, tensor<32xi32>, "
  "tensor<32xi32>\n"
  COUNTED
  "    %s = stablehlo.reverse %v, dims = [0] : tensor<32xi32>\n"
  "    %t = stablehlo.add %s, %k : tensor<32xi32>\n"
  "    stablehlo.return %next, %w, %t, %k : tensor<i32>, tensor<32xi32>, tensor<32xi32>, tensor<32xi32>\n"
  "  }\n"
  "  %0 = stablehlo.reverse %r#1, dims = [0] : tensor<32xi32>\n"
  "  %1 = stablehlo.reverse %r#2, dims = [0] : tensor<32xi32>\n"
  "  %2 = stablehlo.multiply %0, %1 : tensor<32xi32>\n"
  "  %3 = stablehlo.reverse %2, dims = [0] : tensor<32xi32>\n"
  "  %4 = stablehlo.subtract %3, %0 : tensor<32xi32>\n"
  "  %5 = stablehlo.reverse %4, dims = [0] : tensor<32xi32>\n"
  "  %6 = stablehlo.add %5, %3 : tensor<32xi32>\n"
  "  return %4, %6 : tensor<32xi32>, tensor<32xi32>\n"
  "}\n";

/* The inner loop has as many iterations as the outer one. */
static const char nested[] =
  BEGIN ("(tensor<32xi32>, tensor<32xi32>)")
  "  %r:3 = stablehlo.while(%i = %zero, %v = %x, %w = %y) : tensor<i32>, tensor<32xi32>, tensor<32xi32>\n"
  COUNTED
  "    %q:2 = stablehlo.while(%j = %zero, %a = %v) : tensor<i32>, tensor<32xi32>\n"
  "    cond {\n"
  "      %m = stablehlo.constant dense<%u> : tensor<i32>\n"
  "      %d = stablehlo.compare LT, %j, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "      stablehlo.return %d : tensor<i1>\n"
  "    } do {\n"
  "      %after = stablehlo.add %j, %one : tensor<i32>\n"
  "      %b = stablehlo.reverse %a, dims = [0] : tensor<32xi32>\n"
  "      %e = stablehlo.add %b, %w : tensor<32xi32>\n"
  "      %f = stablehlo.subtract %e, %a : tensor<32xi32>\n"
  "      stablehlo.return %after, %f : tensor<i32>, tensor<32xi32>\n"
  "    }\n"
  "    %s = stablehlo.reverse %w, dims = [0] : tensor<32xi32>\n"
  "    %t = stablehlo.add %s, %q#1 : tensor<32xi32>\n"
  "    stablehlo.return %next, %q#1, %t : tensor<i32>, tensor<32xi32>, tensor<32xi32>\n"
  "  }\n"
  "  return %r#1, %r#2 : tensor<32xi32>, tensor<32xi32>\n"
  "}\n";

/* A condition on the first of %v's numbers, which each iteration increases by one. */
#define OF_DATA \
  "  cond {\n" \
  "    %n = stablehlo.constant dense<%u> : tensor<i32>\n" \
  "    %at = stablehlo.slice %v [0:1] : (tensor<32xi32>) -> tensor<1xi32>\n" \
  "    %first = stablehlo.reshape %at : (tensor<1xi32>) -> tensor<i32>\n" \
  "    %c = stablehlo.compare LT, %first, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "    stablehlo.return %c : tensor<i1>\n" \
  "  } do {\n"

/* Large carried values are updated in place; the body then waits for the condition. */
static const char ended_in_place[] =
  "func.func @main() -> (tensor<70000xi32>, tensor<i32>) {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
  "  %all = stablehlo.constant dense<1> : tensor<70000xi32>\n"
  "  %x = stablehlo.iota dim = 0 : tensor<70000xi32>\n"
  "  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<70000xi32>\n"
  "  cond {\n"
  "    %n = stablehlo.constant dense<%u> : tensor<i32>\n"
  "    %at = stablehlo.slice %v [0:1] : (tensor<70000xi32>) -> tensor<1xi32>\n"
  "    %first = stablehlo.reshape %at : (tensor<1xi32>) -> tensor<i32>\n"
  "    %c = stablehlo.compare LT, %first, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %next = stablehlo.add %i, %one : tensor<i32>\n"
  "    %t = stablehlo.add %v, %all : tensor<70000xi32>\n"
  "    stablehlo.return %next, %t : tensor<i32>, tensor<70000xi32>\n"
  "  }\n"
  "  return %r#1, %r#0 : tensor<70000xi32>, tensor<i32>\n"
  "}\n";

/* Buffers that change places, a counter among them, and steps after the loop. */
static const char ended[] =
  BEGIN ("(tensor<32xi32>, tensor<32xi32>, tensor<i32>)")
  "  %all = stablehlo.constant dense<1> : tensor<32xi32>\n"
  "  %r:3 = stablehlo.while(%i = %zero, %v = %x, %w = %y) : tensor<i32>, tensor<32xi32>, tensor<32xi32>\n"
  OF_DATA
  "    %next = stablehlo.add %i, %one : tensor<i32>\n"
  "    %s = stablehlo.subtract %w, %v : tensor<32xi32>\n"
  "    %t = stablehlo.add %v, %all : tensor<32xi32>\n"
  "    %u = stablehlo.reverse %s, dims = [0] : tensor<32xi32>\n"
  "    stablehlo.return %next, %t, %u : tensor<i32>, tensor<32xi32>, tensor<32xi32>\n"
  "  }\n"
  "  %0 = stablehlo.reverse %r#2, dims = [0] : tensor<32xi32>\n"
  "  %1 = stablehlo.subtract %0, %r#2 : tensor<32xi32>\n"
  "  %2 = stablehlo.multiply %1, %r#1 : tensor<32xi32>\n"
  "  return %2, %r#1, %r#0 : tensor<32xi32>, tensor<32xi32>, tensor<i32>\n"
  "}\n";

/* All carried values change places. */
static const char ended_ahead[] =
  BEGIN ("(tensor<32xi32>, tensor<32xi32>)")
  "  %all = stablehlo.constant dense<1> : tensor<32xi32>\n"
  "  %r:2 = stablehlo.while(%v = %x, %w = %y) : tensor<32xi32>, tensor<32xi32>\n"
  OF_DATA
  "    %t = stablehlo.add %v, %all : tensor<32xi32>\n"
  "    %p = stablehlo.reverse %t, dims = [0] : tensor<32xi32>\n"
  "    %q = stablehlo.reverse %w, dims = [0] : tensor<32xi32>\n"
  "    %s = stablehlo.multiply %p, %q : tensor<32xi32>\n"
  "    %u = stablehlo.subtract %s, %v : tensor<32xi32>\n"
  "    stablehlo.return %t, %u : tensor<32xi32>, tensor<32xi32>\n"
  "  }\n"
  "  return %r#1, %r#0 : tensor<32xi32>, tensor<32xi32>\n"
  "}\n";

/* The predicate is one of several results that the condition computes at once. */
static const char ended_by_part[] =
  BEGIN ("(tensor<32xi32>, tensor<32xi32>)")
  "  %all = stablehlo.constant dense<1> : tensor<32xi32>\n"
  "  %r:2 = stablehlo.while(%v = %x, %w = %y) : tensor<32xi32>, tensor<32xi32>\n"
  "  cond {\n"
  "    %n = stablehlo.constant dense<%u> : tensor<32xi32>\n"
  "    %p = stablehlo.compare LT, %v, %n : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>\n"
  "    %q = stablehlo.slice %p [5:6] : (tensor<32xi1>) -> tensor<1xi1>\n"
  "    %c = stablehlo.reshape %q : (tensor<1xi1>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %t = stablehlo.add %v, %all : tensor<32xi32>\n"
  "    %q = stablehlo.reverse %w, dims = [0] : tensor<32xi32>\n"
  "    %s = stablehlo.subtract %q, %v : tensor<32xi32>\n"
  "    stablehlo.return %t, %s : tensor<32xi32>, tensor<32xi32>\n"
  "  }\n"
  "  return %r#1, %r#0 : tensor<32xi32>, tensor<32xi32>\n"
  "}\n";

/* A condition of one dispatch and a body of one, whose buffers change places: an iteration shifts the numbers by
 * one. In the result the last @n numbers are 1 and the others are 0. */
static const char shifted[] =
  "func.func @main(%n: tensor<i32>) -> tensor<2048xi32> {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
  "  %i = stablehlo.iota dim = 0 : tensor<2048xi32>\n"
  "  %j = stablehlo.reverse %i, dims = [0] : tensor<2048xi32>\n"
  "  %m = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<2048xi32>\n"
  "  %p = stablehlo.compare LT, %j, %m : (tensor<2048xi32>, tensor<2048xi32>) -> tensor<2048xi1>\n"
  "  %x = stablehlo.convert %p : (tensor<2048xi1>) -> tensor<2048xi32>\n"
  "  %r = stablehlo.while(%v = %x) : tensor<2048xi32>\n"
  "  cond {\n"
  "    %at = stablehlo.slice %v [2047:2048] : (tensor<2048xi32>) -> tensor<1xi32>\n"
  "    %last = stablehlo.reshape %at : (tensor<1xi32>) -> tensor<i32>\n"
  "    %c = stablehlo.compare GT, %last, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %t = stablehlo.pad %v, %zero, low = [1], high = [-1], interior = [0] : (tensor<2048xi32>, tensor<i32>) -> "
  "tensor<2048xi32>\n"
  "    stablehlo.return %t : tensor<2048xi32>\n"
  "  }\n"
  "  return %r : tensor<2048xi32>\n"
  "}\n";

/* The same for i1; the condition, whether any true element is left, is computed by a workgroup, since it folds.
 * @first is a step before the body's, with @result as its result. */
#define SHIFTED_TRUTHS(carried, type, first, result) \
  "func.func @main(%n: tensor<i32>) -> (tensor<300xi1>" type ") {\n" \
  "  %false = stablehlo.constant dense<false> : tensor<i1>\n" \
  "  %none = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %i = stablehlo.iota dim = 0 : tensor<300xi32>\n" \
  "  %j = stablehlo.reverse %i, dims = [0] : tensor<300xi32>\n" \
  "  %k = stablehlo.iota dim = 1 : tensor<4x300xi32>\n" \
  "  %l = stablehlo.constant dense<0> : tensor<4xi32>\n" \
  "  %m = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<300xi32>\n" \
  "  %x = stablehlo.compare LT, %j, %m : (tensor<300xi32>, tensor<300xi32>) -> tensor<300xi1>\n" \
  "  %r:" carried " : tensor<300xi1>" type "\n" \
  "  cond {\n" \
  "    %c = stablehlo.reduce(%v init: %false) applies stablehlo.or across dimensions = [0] : " \
  "(tensor<300xi1>, tensor<i1>) -> tensor<i1>\n" \
  "    stablehlo.return %c : tensor<i1>\n" \
  "  } do {\n" \
  first \
  "    %t = stablehlo.pad %v, %false, low = [1], high = [-1], interior = [0] : (tensor<300xi1>, tensor<i1>) -> " \
  "tensor<300xi1>\n" \
  "    stablehlo.return %t" result " : tensor<300xi1>" type "\n" \
  "  }\n"

static const char shifted_truths[] =
  SHIFTED_TRUTHS ("1 = stablehlo.while(%v = %x)", "", "", "")
  "  return %r#0 : tensor<300xi1>\n"
  "}\n";

/* The body has another step that is run by workgroups. */
static const char shifted_beside_rows[] =
  SHIFTED_TRUTHS ("2 = stablehlo.while(%v = %x, %w = %l)", ", tensor<4xi32>",
                  "    %s = stablehlo.reduce(%k init: %none) applies stablehlo.maximum across dimensions = [1] : "
                  "(tensor<4x300xi32>, tensor<i32>) -> tensor<4xi32>\n", ", %s")
  "  return %r#0, %r#1 : tensor<300xi1>, tensor<4xi32>\n"
  "}\n";

/* Counted loops in the condition and in the body, with an odd number of iterations, whose buffers change places. */
#define INNER(from, to) \
  "    %" to "s:2 = stablehlo.while(%j = %zero, %a = %" from ") : tensor<i32>, tensor<32xi32>\n" \
  "    cond {\n" \
  "      %m = stablehlo.constant dense<3> : tensor<i32>\n" \
  "      %d = stablehlo.compare LT, %j, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "      stablehlo.return %d : tensor<i1>\n" \
  "    } do {\n" \
  "      %after = stablehlo.add %j, %one : tensor<i32>\n" \
  "      %b = stablehlo.reverse %a, dims = [0] : tensor<32xi32>\n" \
  "      %e = stablehlo.subtract %b, %a : tensor<32xi32>\n" \
  "      stablehlo.return %after, %e : tensor<i32>, tensor<32xi32>\n" \
  "    }\n" \
  "    %" to " = stablehlo.add %" to "s#1, %k : tensor<32xi32>\n"

static const char ended_with_loops[] =
  BEGIN ("(tensor<32xi32>, tensor<32xi32>, tensor<i32>)")
  "  %k = stablehlo.constant dense<7> : tensor<32xi32>\n"
  "  %r:3 = stablehlo.while(%i = %zero, %v = %x, %w = %y) : tensor<i32>, tensor<32xi32>, tensor<32xi32>\n"
  "  cond {\n"
  INNER ("v", "p")
  "    %p0 = stablehlo.slice %p [3:4] : (tensor<32xi32>) -> tensor<1xi32>\n"
  "    %p1 = stablehlo.slice %ps#1 [3:4] : (tensor<32xi32>) -> tensor<1xi32>\n"
  "    %p2 = stablehlo.subtract %p0, %p1 : tensor<1xi32>\n"
  "    %p3 = stablehlo.reshape %p2 : (tensor<1xi32>) -> tensor<i32>\n"
  "    %seven = stablehlo.constant dense<7> : tensor<i32>\n"
  "    %c0 = stablehlo.compare EQ, %p3, %seven : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    %n = stablehlo.constant dense<%u> : tensor<i32>\n"
  "    %c1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    %c = stablehlo.and %c0, %c1 : tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %next = stablehlo.add %i, %one : tensor<i32>\n"
  INNER ("w", "q")
  "    %t = stablehlo.add %v, %k : tensor<32xi32>\n"
  "    stablehlo.return %next, %q, %t : tensor<i32>, tensor<32xi32>, tensor<32xi32>\n"
  "  }\n"
  "  return %r#1, %r#2, %r#0 : tensor<32xi32>, tensor<32xi32>, tensor<i32>\n"
  "}\n";

/* A loop that ends by its data inside of another one; the host runs the outer one. */
static const char ended_inside[] =
  BEGIN ("(tensor<32xi32>, tensor<32xi32>, tensor<i32>)")
  "  %all = stablehlo.constant dense<1> : tensor<32xi32>\n"
  "  %r:3 = stablehlo.while(%i = %zero, %v = %x, %w = %y) : tensor<i32>, tensor<32xi32>, tensor<32xi32>\n"
  OF_DATA
  "    %next = stablehlo.add %i, %one : tensor<i32>\n"
  "    %q:2 = stablehlo.while(%p = %zero, %a = %w) : tensor<i32>, tensor<32xi32>\n"
  "    cond {\n"
  "      %m = stablehlo.constant dense<5> : tensor<i32>\n"
  "      %o = stablehlo.slice %v [4:5] : (tensor<32xi32>) -> tensor<1xi32>\n"
  "      %o0 = stablehlo.reshape %o : (tensor<1xi32>) -> tensor<i32>\n"
  "      %o1 = stablehlo.and %o0, %m : tensor<i32>\n"
  "      %d = stablehlo.compare LT, %p, %o1 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "      stablehlo.return %d : tensor<i1>\n"
  "    } do {\n"
  "      %after = stablehlo.add %p, %one : tensor<i32>\n"
  "      %b = stablehlo.reverse %a, dims = [0] : tensor<32xi32>\n"
  "      %e = stablehlo.subtract %b, %v : tensor<32xi32>\n"
  "      stablehlo.return %after, %e : tensor<i32>, tensor<32xi32>\n"
  "    }\n"
  "    %t = stablehlo.add %v, %all : tensor<32xi32>\n"
  "    stablehlo.return %next, %t, %q#1 : tensor<i32>, tensor<32xi32>, tensor<32xi32>\n"
  "  }\n"
  "  return %r#1, %r#2, %r#0 : tensor<32xi32>, tensor<32xi32>, tensor<i32>\n"
  "}\n";

/* The predicate is one of so many results that the host runs the loop. */
static const char ended_by_one_of_many[] =
  BEGIN ("(tensor<32xi32>, tensor<i32>)")
  "  %n = stablehlo.constant dense<%u> : tensor<i32>\n"
  "  %all = stablehlo.iota dim = 0 : tensor<5000xi32>\n"
  "  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<32xi32>\n"
  "  cond {\n"
  "    %d = stablehlo.subtract %n, %i : tensor<i32>\n"
  "    %e = stablehlo.broadcast_in_dim %d, dims = [] : (tensor<i32>) -> tensor<5000xi32>\n"
  "    %p = stablehlo.compare LT, %all, %e : (tensor<5000xi32>, tensor<5000xi32>) -> tensor<5000xi1>\n"
  "    %q = stablehlo.slice %p [0:1] : (tensor<5000xi1>) -> tensor<1xi1>\n"
  "    %c = stablehlo.reshape %q : (tensor<1xi1>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %next = stablehlo.add %i, %one : tensor<i32>\n"
  "    %t = stablehlo.add %v, %y : tensor<32xi32>\n"
  "    stablehlo.return %next, %t : tensor<i32>, tensor<32xi32>\n"
  "  }\n"
  "  return %r#1, %r#0 : tensor<32xi32>, tensor<i32>\n"
  "}\n";

/* The predicate is carried, so the host runs the loop. */
static const char carried[] =
  BEGIN ("(tensor<32xi32>, tensor<i32>)")
  "  %true = stablehlo.constant dense<true> : tensor<i1>\n"
  "  %n = stablehlo.constant dense<%u> : tensor<i32>\n"
  "  %r:3 = stablehlo.while(%i = %zero, %v = %x, %p = %true) : tensor<i32>, tensor<32xi32>, tensor<i1>\n"
  "  cond {\n"
  "    stablehlo.return %p : tensor<i1>\n"
  "  } do {\n"
  "    %next = stablehlo.add %i, %one : tensor<i32>\n"
  "    %t = stablehlo.add %v, %y : tensor<32xi32>\n"
  "    %c = stablehlo.compare LT, %next, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %next, %t, %c : tensor<i32>, tensor<32xi32>, tensor<i1>\n"
  "  }\n"
  "  return %r#1, %r#0 : tensor<32xi32>, tensor<i32>\n"
  "}\n";

/* Steps of 4, 12, 8, 8 and 8 KiB. */
#define SORT(to, from) \
  "  %" to " = \"stablehlo.sort\"(%" from ") ({\n" \
  "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n" \
  "    %c = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "    stablehlo.return %c : tensor<i1>\n" \
  "  }) {dimension = 0 : i64} : (tensor<1024xi32>) -> tensor<1024xi32>\n"

static const char straight[] =
  "func.func @main() -> tensor<1024xi32> {\n"
  "  %n = stablehlo.constant dense<%u> : tensor<1024xi32>\n"
  "  %x = stablehlo.iota dim = 0 : tensor<1024xi32>\n"
  "  %y = stablehlo.and %x, %n : tensor<1024xi32>\n"
  SORT ("0", "y")
  "  %1 = stablehlo.reverse %0, dims = [0] : tensor<1024xi32>\n"
  SORT ("2", "1")
  "  return %2 : tensor<1024xi32>\n"
  "}\n";

/* Replaces %u by @n. */
static char *
fill_in (const char *text,
         guint       n)
{
  g_autofree char *number = g_strdup_printf ("%u", n);
  g_auto (GStrv) parts = g_strsplit (text, "%u>", -1);
  g_autofree char *with = g_strconcat (number, ">", NULL);

  return g_strjoinv (with, parts);
}

static void
test_counted (void)
{
  static const char *const texts[] = { moved, in_place, swapped, nested };
  static const guint trips[] = { 0, 1, 2, 3, 8, 13 };
  GhloGpuDevice *device = vulkan_program_open ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (texts); i++)
    for (guint k = 0; k < G_N_ELEMENTS (trips); k++)
      {
        g_autofree char *text = fill_in (texts[i], trips[k]);

        g_assert_cmpuint (vulkan_program_check (device, text, NULL, 0).n_replays, ==, 3);
      }
}

/* More iterations than one recording holds, and the remaining ones. */
static void
test_long (void)
{
  static const struct
  {
    const char *text;
    guint       trips, least, most;     /* recordings that a run submits */
  } cases[] = {
    { moved, 300, 1, 1 }, { moved, 1500, 3, 12 }, { moved, 2047, 3, 12 }, { swapped, 2047, 3, 12 },
    { in_place, 2048, 2, 8 }, { nested, 40, 3, 50 },
  };
  GhloGpuDevice *device = vulkan_program_open ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = fill_in (cases[i].text, cases[i].trips);
      guint n_replays = vulkan_program_check (device, text, NULL, 0).n_replays / 3;

      g_test_message ("%u iterations: %u recordings", cases[i].trips, n_replays);
      g_assert_cmpuint (n_replays, >=, cases[i].least);
      g_assert_cmpuint (n_replays, <=, cases[i].most);
    }
}

/* Trip counts around the ends of blocks. */
static const guint ended_trips[] = { 0, 1, 2, 3, 4, 10, 63, 64, 65, 127 };

static void
test_ended (void)
{
  static const char *const texts[] = { ended, ended_in_place, ended_with_loops, ended_by_part };
  GhloGpuDevice *device = vulkan_program_open ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (texts); i++)
    for (guint k = 0; k < G_N_ELEMENTS (ended_trips); k++)
      {
        g_autofree char *text = fill_in (texts[i], ended_trips[k]);
        guint n_replays = vulkan_program_check (device, text, NULL, 0).n_replays;

        g_test_message ("%u iterations: %u recordings in 3 runs", ended_trips[k], n_replays);
        g_assert_cmpuint (n_replays, >, 0);
      }
}

/* Of an iteration's four dispatches three wait: the body's first one for the previous iteration, and the other two
 * for each other, but none for the condition. */
static void
test_ended_ahead (void)
{
  GhloGpuDevice *device = vulkan_program_open ();

  for (guint k = 0; device != NULL && k < G_N_ELEMENTS (ended_trips); k++)
    {
      g_autofree char *text = fill_in (ended_ahead, ended_trips[k]);
      VulkanProgramReplays seen = vulkan_program_check (device, text, NULL, 0);

      g_test_message ("%u iterations: %u recordings in 3 runs of %u dispatches, which wait %u times", ended_trips[k],
                      seen.n_replays, seen.n_dispatches, seen.n_barriers);
      g_assert_cmpuint (10 * seen.n_barriers, <, 8 * seen.n_dispatches);
    }
}

static GhloValue *
number (gint32 n)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_I32, NULL, 0);
  g_autoptr (GError) error = NULL;
  GhloValue *value = ghlo_value_new_uninitialized (type, &error);

  g_assert_no_error (error);
  *(gint32 *) (gpointer) value->data = n;

  return value;
}

/* The condition and the body's first dispatch are merged, and the dispatches of an iteration wait only for the
 * previous iteration. The first dispatch of a block waits for none; the other counts do not depend on the number of
 * iterations. Whether the third run is one block depends on the second run's time; only if so, the steps around the
 * loop are part of the recording, and they and the loop wait for each other. */
static void
check_stages (GhloGpuDevice    *device,
              const char       *text,
              guint             n_each,         /* dispatches of an iteration */
              gint32            most)
{
  const gint32 trips[] = { 0, 1, 2, 9, 64, most };
  int n_first = 0, n_rest;

  for (guint i = 0; i < G_N_ELEMENTS (trips); i++)
    {
      g_autoptr (GhloValue) n = number (trips[i]);
      VulkanProgramReplays seen = vulkan_program_check (device, text, &n, 1);

      g_test_message ("%d iterations: %u recordings in 3 runs of %u dispatches, which wait %u times", trips[i],
                      seen.n_replays, seen.n_dispatches, seen.n_barriers);
      n_rest = (int) seen.n_dispatches - (int) (n_each * seen.n_barriers + seen.n_replays);
      if (i == 0)
        n_first = n_rest;
      g_assert_true (n_rest == n_first || ABS (n_rest - n_first) == 2 * (int) (n_each - 1));
    }
}

static void
test_ended_stages (void)
{
  GhloGpuDevice *device = vulkan_program_open ();

  if (device == NULL)
    return;
  check_stages (device, shifted, 1, 1000);
  check_stages (device, shifted_truths, 1, 65);
  check_stages (device, shifted_beside_rows, 2, 65);
}

/* A loop with %n iterations, starting from %x and @from. */
#define LIMITED_LOOP(result, from) \
  "  %" result ":2 = stablehlo.while(%v = %x, %w = %" from ") : tensor<32xi32>, tensor<32xi32>\n" \
  "  cond {\n" \
  "    %at = stablehlo.slice %v [0:1] : (tensor<32xi32>) -> tensor<1xi32>\n" \
  "    %first = stablehlo.reshape %at : (tensor<1xi32>) -> tensor<i32>\n" \
  "    %c = stablehlo.compare LT, %first, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "    stablehlo.return %c : tensor<i1>\n" \
  "  } do {\n" \
  "    %t = stablehlo.add %v, %all : tensor<32xi32>\n" \
  "    %p = stablehlo.reverse %w, dims = [0] : tensor<32xi32>\n" \
  "    %s = stablehlo.multiply %p, %t : tensor<32xi32>\n" \
  "    %u = stablehlo.subtract %s, %v : tensor<32xi32>\n" \
  "    stablehlo.return %t, %u : tensor<32xi32>, tensor<32xi32>\n" \
  "  }\n"

#define LIMITED(steps, first, second) \
  "func.func @main(%n: tensor<i32>) -> (tensor<32xi32>, tensor<32xi32>) {\n" \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "  %three = stablehlo.constant dense<3> : tensor<i32>\n" \
  "  %x = stablehlo.iota dim = 0 : tensor<32xi32>\n" \
  "  %all = stablehlo.constant dense<1> : tensor<32xi32>\n" \
  "  %k = stablehlo.constant dense<7> : tensor<32xi32>\n" \
  steps \
  "  return %" first ", %" second " : tensor<32xi32>, tensor<32xi32>\n" \
  "}\n"

/* A run expects as many iterations as the previous one had. */
static const char limited[] = LIMITED (LIMITED_LOOP ("r", "all"), "r#0", "r#1");

/* After the loop the carried values are updated in place, change places, and select between branches. */
static const char limited_before_steps[] = LIMITED (
  LIMITED_LOOP ("r", "all")
  "  %0 = stablehlo.add %r#1, %k : tensor<32xi32>\n"
  "  %y = stablehlo.add %0, %x : tensor<32xi32>\n"
  INNER ("y", "z")
  "  %3 = stablehlo.slice %z [5:6] : (tensor<32xi32>) -> tensor<1xi32>\n"
  "  %4 = stablehlo.reshape %3 : (tensor<1xi32>) -> tensor<i32>\n"
  "  %5 = stablehlo.compare LT, %4, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "  %6 = \"stablehlo.if\"(%5) ({\n"
  "    %f = stablehlo.reverse %r#0, dims = [0] : tensor<32xi32>\n"
  "    stablehlo.return %f : tensor<32xi32>\n"
  "  }, {\n"
  "    %f = stablehlo.subtract %z, %r#0 : tensor<32xi32>\n"
  "    stablehlo.return %f : tensor<32xi32>\n"
  "  }) : (tensor<i1>) -> tensor<32xi32>\n"
  "  %7 = stablehlo.add %6, %x : tensor<32xi32>\n",
  "7", "z");

/* Another loop after these steps, or directly after the first. */
static const char limited_twice[] = LIMITED (
  LIMITED_LOOP ("r", "all")
  "  %0 = stablehlo.add %r#1, %r#0 : tensor<32xi32>\n"
  "  %y = stablehlo.add %0, %x : tensor<32xi32>\n"
  LIMITED_LOOP ("q", "y")
  "  %2 = stablehlo.subtract %q#1, %q#0 : tensor<32xi32>\n",
  "r#0", "2");
static const char limited_twice_in_a_row[] = LIMITED (
  LIMITED_LOOP ("r", "all") LIMITED_LOOP ("q", "r#1"), "r#0", "q#1");

/* The same in a loop that the host runs, and whose buffers change places. */
static const char limited_inside[] = LIMITED (
  "  %o:3 = stablehlo.while(%i = %zero, %g = %k, %h = %all) : tensor<i32>, tensor<32xi32>, tensor<32xi32>\n"
  "  cond {\n"
  "    %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %more : tensor<i1>\n"
  "  } do {\n"
  LIMITED_LOOP ("r", "h")
  "    %next = stablehlo.add %i, %one : tensor<i32>\n"
  "    %0 = stablehlo.reverse %r#1, dims = [0] : tensor<32xi32>\n"
  "    %1 = stablehlo.subtract %0, %g : tensor<32xi32>\n"
  "    stablehlo.return %next, %h, %1 : tensor<i32>, tensor<32xi32>, tensor<32xi32>\n"
  "  }\n",
  "o#1", "o#2");

/* In a branch. */
static const char limited_if[] = LIMITED (
  "  %0 = stablehlo.compare GE, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "  %1:2 = \"stablehlo.if\"(%0) ({\n"
  LIMITED_LOOP ("r", "all")
  "    %2 = stablehlo.add %r#1, %x : tensor<32xi32>\n"
  "    stablehlo.return %r#0, %2 : tensor<32xi32>, tensor<32xi32>\n"
  "  }, {\n"
  "    stablehlo.return %x, %k : tensor<32xi32>, tensor<32xi32>\n"
  "  }) : (tensor<i1>) -> (tensor<32xi32>, tensor<32xi32>)\n"
  "  %3 = stablehlo.subtract %1#1, %1#0 : tensor<32xi32>\n",
  "1#0", "3");

/* @prepared is made from @text. */
static VulkanProgramReplays
run_limited (GhloGpuDevice *device,
             const char    *text,
             GhloPrepared  *prepared,
             gint32         trips)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) oracle = vulkan_program_prepare (ghlo_devices_find ("reference"), text, &error);
  g_autoptr (GhloValue) n = number (trips);
  GhloValue *expected[VULKAN_PROGRAM_MAX_OUTPUTS], *outputs[VULKAN_PROGRAM_MAX_OUTPUTS];
  const guint64 submitted = ghlo_vulkan_queue_value (device->vulkan.queue);
  VulkanProgramReplays seen;

  g_assert_no_error (error);
  vulkan_program_run (oracle, &n, 1, expected);
  vulkan_program_watch (device);
  vulkan_program_run (prepared, &n, 1, outputs);
  seen = vulkan_program_unwatch (device);
  seen.n_submissions = (guint) (ghlo_vulkan_queue_value (device->vulkan.queue) - submitted);
  vulkan_program_compare (prepared, outputs, expected);
  ghlo_values_clear (expected, ghlo_prepared_get_n_outputs (oracle));

  return seen;
}

static void
test_ended_as_expected (void)
{
  static const gint32 trips[] = { 3, 100, 100, 101, 7, 0, 40, 250 };
  GhloGpuDevice *device = vulkan_program_open ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = device != NULL ? vulkan_program_prepare (&device->vulkan.core, limited, &error)
                                                     : NULL;

  g_assert_no_error (error);
  for (guint i = 0; prepared != NULL && i < G_N_ELEMENTS (trips); i++)
    {
      const VulkanProgramReplays seen = run_limited (device, limited, prepared, trips[i]);

      g_test_message ("%d iterations: %u recordings, %u submissions", trips[i], seen.n_replays, seen.n_submissions);
      /* Expected blocks share submissions; otherwise only the last recording shares the submission of others. */
      if (i > 0 && trips[i] == trips[i - 1])
        g_assert_cmpuint (seen.n_submissions + 1, <, seen.n_replays);
    }
}

/* After two runs with equally many iterations all of them become one block, unless the last run's time shows that
 * this would take too long; results stay right when the next run has more iterations or fewer. */
static void
test_ended_steady (void)
{
  enum { MANY_RUNS = 100 };
  static const gint32 others[] = { 9, 2, 5, 6, 4, 0 };
  GhloGpuDevice *device = vulkan_program_open ();
  guint n_recordings[MANY_RUNS], n = 0;

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (others); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloPrepared) prepared = vulkan_program_prepare (&device->vulkan.core, limited, &error);

      g_assert_no_error (error);
      for (n = 0; n < 3 || (n < MANY_RUNS && n_recordings[n - 1] >= n_recordings[1]); n++)
        n_recordings[n] = run_limited (device, limited, prepared, 4).n_replays;
      g_test_message ("one block of 5 iterations in run %u", n);
      g_assert_cmpuint (n_recordings[n - 1], <, n_recordings[1]);
      run_limited (device, limited, prepared, others[i]);
      run_limited (device, limited, prepared, 4);
    }
}

/* Runs until the number of submissions is as expected, several times in a row: after a run that took long, as may
 * happen on a busy machine, the next one is split into more blocks. Each submission has one recording. */
static void
run_until_settled (GhloGpuDevice *device,
                   const char    *text,
                   GhloPrepared  *prepared,
                   gint32         trips,
                   guint          n_submissions)
{
  enum { MANY_RUNS = 200, SETTLED = 3 };
  guint n = 0, n_as_expected = 0;

  for (; n < MANY_RUNS && n_as_expected < SETTLED; n++)
    {
      const VulkanProgramReplays last = run_limited (device, text, prepared, trips);

      n_as_expected = last.n_submissions == n_submissions ? n_as_expected + 1 : 0;
      g_assert_true (last.n_submissions > 1 || last.n_replays == 1);
    }
  g_test_message ("%u submissions for %d iterations in run %u", n_submissions, trips, n);
  g_assert_cmpuint (n_as_expected, ==, SETTLED);
}

/* The device proceeds past a loop that has as many iterations as expected, and waits for the host where it has not.
 * Steps around a loop or branch that the host runs have submissions of their own. */
static void
test_ended_behind (void)
{
  static const struct
  {
    const char *text;
    guint       n_submissions, n_otherwise;     /* if all is as expected; at least, if not */
  } cases[] = {
    { limited, 1, 2 }, { limited_before_steps, 1, 2 }, { limited_twice, 2, 3 }, { limited_twice_in_a_row, 2, 3 },
    { limited_inside, 4, 4 }, { limited_if, 3, 3 },
  };
  static const gint32 others[] = { 3, 5, 100, 0, 9, 1 };
  GhloGpuDevice *device = vulkan_program_open ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloPrepared) prepared = vulkan_program_prepare (&device->vulkan.core, cases[i].text, &error);

      g_assert_no_error (error);
      for (guint k = 0; k < G_N_ELEMENTS (others); k++)
        {
          run_until_settled (device, cases[i].text, prepared, 4, cases[i].n_submissions);
          g_assert_cmpuint (run_limited (device, cases[i].text, prepared, others[k]).n_submissions, >=,
                            cases[i].n_otherwise);
        }
      run_until_settled (device, cases[i].text, prepared, 0, cases[i].n_submissions);
      run_until_settled (device, cases[i].text, prepared, 7, cases[i].n_submissions);
    }
}

/* The host is involved far fewer times than there are iterations. */
static void
test_ended_late (void)
{
  GhloGpuDevice *device = vulkan_program_open ();
  g_autofree char *text = fill_in (ended, 1000);
  guint n_replays;

  if (device == NULL)
    return;
  n_replays = vulkan_program_check (device, text, NULL, 0).n_replays;
  g_test_message ("1000 iterations: %u recordings in 3 runs", n_replays);
  g_assert_cmpuint (n_replays, <, 3 * 500);
}

static void
test_host (void)
{
  static const char *const texts[] = { ended_inside, ended_by_one_of_many, carried };
  static const guint trips[] = { 0, 1, 4, 9 };
  GhloGpuDevice *device = vulkan_program_open ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (texts); i++)
    for (guint k = 0; k < G_N_ELEMENTS (trips); k++)
      {
        g_autofree char *text = fill_in (texts[i], trips[k]);

        vulkan_program_check (device, text, NULL, 0);
      }
}

/* Infinite loops and very long ones: after a cancel the device can still be used. */
static const char endless[] =
  BEGIN ("tensor<32xi32>")
  "  %r = stablehlo.while(%v = %x) : tensor<32xi32>\n"
  "  cond {\n"
  "    %m = stablehlo.constant dense<0> : tensor<32xi32>\n"
  "    %u = stablehlo.multiply %v, %m : tensor<32xi32>\n"
  "    %at = stablehlo.slice %u [3:4] : (tensor<32xi32>) -> tensor<1xi32>\n"
  "    %first = stablehlo.reshape %at : (tensor<1xi32>) -> tensor<i32>\n"
  "    %c = stablehlo.compare LT, %first, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %t = stablehlo.subtract %v, %y : tensor<32xi32>\n"
  "    %s = stablehlo.reverse %t, dims = [0] : tensor<32xi32>\n"
  "    stablehlo.return %s : tensor<32xi32>\n"
  "  }\n"
  "  return %r : tensor<32xi32>\n"
  "}\n";

static void
test_cancel (void)
{
  g_autofree char *far = fill_in (moved, 2000000000), *near = fill_in (ended, 9);
  const char *const texts[] = { endless, far };
  GhloGpuDevice *device = vulkan_program_open ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloPrepared) prepared = vulkan_program_prepare (&device->vulkan.core, texts[i], &error);
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      const GhloMonitor monitor = { .cancellable = cancellable };
      GThread *thread = g_thread_new (NULL, vulkan_program_cancel_soon, cancellable);
      GhloValue *outputs[VULKAN_PROGRAM_MAX_OUTPUTS];

      g_assert_no_error (error);
      g_assert_false (ghlo_prepared_run (prepared, NULL, NULL, 0, outputs, &monitor, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_thread_join (thread);
      vulkan_program_check (device, near, NULL, 0);
    }
}

/* A loop that had four iterations in each run, and then becomes infinite. */
static void
test_ended_behind_cancel (void)
{
  GhloGpuDevice *device = vulkan_program_open ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = device != NULL ? vulkan_program_prepare (&device->vulkan.core, limited, &error)
                                                     : NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GhloValue) n = number (G_MAXINT32);
  GhloValue *outputs[VULKAN_PROGRAM_MAX_OUTPUTS];
  GThread *thread;

  g_assert_no_error (error);
  if (device == NULL)
    return;
  run_until_settled (device, limited, prepared, 4, 1);
  thread = g_thread_new (NULL, vulkan_program_cancel_soon, cancellable);
  g_assert_false (ghlo_prepared_run (prepared, NULL, &n, 1, outputs, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
  run_until_settled (device, limited, prepared, 4, 1);
}

/* Runs of two threads, each of which has a loop with its own state. */
typedef struct
{
  GhloPrepared *prepared, *oracle;
} Shared;

static gpointer
run_often (gpointer data)
{
  const Shared *shared = data;
  GhloValue *expected[VULKAN_PROGRAM_MAX_OUTPUTS], *outputs[VULKAN_PROGRAM_MAX_OUTPUTS];

  vulkan_program_run (shared->oracle, NULL, 0, expected);
  for (guint i = 0; i < 5; i++)
    {
      vulkan_program_run (shared->prepared, NULL, 0, outputs);
      vulkan_program_compare (shared->prepared, outputs, expected);
    }
  ghlo_values_clear (expected, ghlo_prepared_get_n_outputs (shared->oracle));

  return NULL;
}

static void
test_threads (void)
{
  GhloGpuDevice *device = vulkan_program_open ();
  g_autofree char *text = fill_in (ended_with_loops, 21);
  g_autoptr (GhloPrepared) prepared = NULL, oracle = NULL;
  g_autoptr (GError) error = NULL;
  GThread *threads[2];
  Shared shared;

  if (device == NULL)
    return;
  oracle = vulkan_program_prepare (ghlo_devices_find ("reference"), text, &error);
  g_assert_no_error (error);
  prepared = vulkan_program_prepare (&device->vulkan.core, text, &error);
  g_assert_no_error (error);
  shared = (Shared) { prepared, oracle };
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new (NULL, run_often, &shared);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* Work that is estimated to take more than 20 ms is split into several recordings, each submitted separately. */
static void
test_cuts (void)
{
  static const struct
  {
    const char *text;
    guint       n;              /* in the text */
    double      rate;
    guint       least, most;    /* recordings of three runs */
  } cases[] = {
    { straight, 5, 1e30, 3, 3 }, { straight, 5, 8.2e5, 9, 9 }, { straight, 5, 3e5, 15, 15 },
    { moved, 100, 1e30, 3, 3 }, { moved, 101, 4e5, 9, 300 }, { moved, 13, 1e4, 36, 300 }, { nested, 8, 1e5, 36, 1000 },
    { swapped, 9, 1e4, 36, 300 }, { ended, 9, 1e4, 36, 300 },
  };
  GhloGpuDevice *device = vulkan_program_open ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = fill_in (cases[i].text, cases[i].n);
      const guint64 submitted = ghlo_vulkan_queue_value (device->vulkan.queue);
      guint n_replays;

      vulkan_program_set_rate (device, cases[i].rate);
      n_replays = vulkan_program_check (device, text, NULL, 0).n_replays;
      g_test_message ("%u at %g: %u recordings, %" G_GUINT64_FORMAT " submissions", i, cases[i].rate, n_replays,
                      ghlo_vulkan_queue_value (device->vulkan.queue) - submitted);
      g_assert_cmpuint (n_replays, >=, cases[i].least);
      g_assert_cmpuint (n_replays, <=, cases[i].most);
      g_assert_cmpuint (ghlo_vulkan_queue_value (device->vulkan.queue) - submitted, >=, n_replays);
    }
  if (device != NULL)
    vulkan_program_set_rate (device, 1e30);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/loops/counted", test_counted);
  g_test_add_func ("/vulkan/loops/cuts", test_cuts);
  g_test_add_func ("/vulkan/loops/long", test_long);
  g_test_add_func ("/vulkan/loops/ended", test_ended);
  g_test_add_func ("/vulkan/loops/ended-ahead", test_ended_ahead);
  g_test_add_func ("/vulkan/loops/ended-stages", test_ended_stages);
  g_test_add_func ("/vulkan/loops/ended-as-expected", test_ended_as_expected);
  g_test_add_func ("/vulkan/loops/ended-steady", test_ended_steady);
  g_test_add_func ("/vulkan/loops/ended-behind", test_ended_behind);
  g_test_add_func ("/vulkan/loops/ended-behind-cancel", test_ended_behind_cancel);
  g_test_add_func ("/vulkan/loops/ended-late", test_ended_late);
  g_test_add_func ("/vulkan/loops/host", test_host);
  g_test_add_func ("/vulkan/loops/cancel", test_cancel);
  g_test_add_func ("/vulkan/loops/threads", test_threads);

  return g_test_run ();
}
