/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a device offers to a plan: kernels, found by operation. The device knows
 * nothing of plans, and the plan nothing of the device.
 */

#pragma once

#include "base/monitor.h"
#include "base/view.h"
#include "ir/followers.h"

G_BEGIN_DECLS

/* One way to compute an operation. Operands and results are views: of an operand the
 * strides are those that it happens to have, where takes() allows them; a result is
 * always dense. Tokens are views without data, of rank 0 and no element type.
 *
 * A kernel may do more than its operation: elementwise ones that follow it, each to what
 * the one before it gave. Their other operands come after the operation's own, by
 * follower, as views of the result's dimensions, or of rank 0, with any strides (those of
 * a broadcast are 0); the result is what the last of them gives. */
typedef struct
{
  const char *name;               /* "gather" */
  /* Whether operand @index may come with these strides; NULL: only dense ones. */
  gboolean  (*takes)    (const GhloIrOp    *op,
                         guint              index,
                         const GhloView    *operand);
  /* Whether result @result, of the same size in bytes, may be written over the memory of
   * operand @operand, which is dense then and needed by nobody else. NULL: never. Nor is
   * it where there are followers. */
  gboolean  (*in_place) (const GhloIrOp    *op,
                         guint              operand,
                         guint              result);
  /* Something immutable that any thread may run. The views are those that run() will see,
   * but for their data: that of a constant operand is there already, for as long as what
   * is prepared, every other is NULL. *scratch is the bytes of memory that each run
   * wants, 0 as it comes. NULL without @error declines: another kernel, or else the
   * fallback executor, does the operation. */
  gpointer  (*prepare)  (const GhloIrOp    *op,
                         const GhloView    *operands,
                         const GhloView    *results,
                         gsize             *scratch,
                         GError           **error);
  /* Whether @follower may be among @op's followers, whatever its operands' strides; with
   * prepare_with(), which is prepare() for @op and its followers, or NULL. */
  gboolean  (*follows)  (const GhloIrOp       *op,
                         const GhloIrFollower *follower);
  gpointer  (*prepare_with) (const GhloIrOp       *op,
                             const GhloIrFollower *followers,
                             guint                 n_followers,
                             const GhloView       *operands,
                             const GhloView       *results,
                             gsize                *scratch,
                             GError              **error);
  /* @scratch is aligned to 64 bytes, holds anything, and is never NULL. Allocates nothing. FALSE with
   * @error when cancelled, which is looked for every 50 ms. */
  gboolean  (*run)      (gpointer           prepared,
                         const GhloView    *operands,
                         const GhloView    *results,
                         gpointer           scratch,
                         const GhloMonitor *monitor,
                         GError           **error);
  void      (*release)  (gpointer           prepared);
  /* What the plan says of it besides the name: the implementation, tiles; the caller
   * frees it. NULL: nothing. */
  char     *(*describe) (gpointer           prepared);
  /* Bytes of constants that were brought into another order. NULL: none. */
  gsize     (*prepared_size) (gpointer      prepared);
} GhloStepImplementation;

typedef struct
{
  const char             *name;   /* "cpu" */
  /* The kernel to try for @op after @previous, the first one after NULL; NULL when there
   * are no more. */
  const GhloStepImplementation *(*find)   (const GhloIrOp       *op,
                                           const GhloStepImplementation *previous);
  /* Copies operand 0 to result 0 of the same type, both with any strides; prepare() has
   * no operation and never declines. */
  const GhloStepImplementation   *copy;
} GhloStepTarget;

G_END_DECLS
