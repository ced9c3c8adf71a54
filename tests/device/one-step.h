/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One step of the device under test, taken through the protocol of device/step.h: an elementwise operation on two
 * vectors, and vectors in the memory that the device works in.
 */

#pragma once

#include "contract.h"

G_BEGIN_DECLS

enum { STEP_N = 1000, STEP_BYTES = STEP_N * sizeof (gint32), STEP_N_VIEWS = 3 };

typedef struct
{
  GhloIrModule                 *module;
  const GhloStepImplementation *implementation;
  gpointer                      compiled;
  GhloView                      views[STEP_N_VIEWS];    /* two operands and the result, without data */
  gsize                         scratch;                /* bytes */
} Step;

/* How @name is compiled. */
typedef enum
{
  STEP_PLAIN,
  STEP_IN_PLACE,        /* the result overwrites operand 0 */
  STEP_PREDICATED,      /* it may be under a predicate */
} StepUse;

/* Returns the step for "stablehlo.NAME"; NULL, with the case skipped, where the device has none. */
Step   *step_new      (const char         *name,
                       StepUse             use);
void    step_free     (Step               *self);

/* Vectors whose element i is (i + 1) times a number. */
guint8 *step_alloc    (gint32              number);
void    step_release  (guint8             *vector);
void    step_set      (guint8             *vector,
                       gint32              number);
gboolean step_holds   (const guint8       *vector,
                       gint32              number);

/* For a device with command buffers: begins a recording over @n buffers of @size bytes each, no two of which overlap.
 * @extents has room for them, and stays until the end of the recording. */
GhloCommandBuffer *step_begin (GhloBufferExtent  *extents,
                               guint              n,
                               gsize              size);
/* Appends the step on buffers @x and @y for buffer @z; the last buffer of all is @scratch. */
void    step_record   (const Step         *self,
                       GhloCommandBuffer  *commands,
                       guint32             x,
                       guint32             y,
                       guint32             z,
                       guint32             scratch);
void    step_replay   (GhloCommandBuffer  *commands,
                       guint8 *const      *addresses);
/* Runs the step once, by itself, and waits for it. */
void    step_run      (const Step         *self,
                       guint8             *x,
                       guint8             *y,
                       guint8             *z);

G_END_DECLS
