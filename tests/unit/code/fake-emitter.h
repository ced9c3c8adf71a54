/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An emitter that tests drive: it knows one kind of kernel, y = x + a constant, and makes code of it by the system's
 * C compiler. What its code computes is not quite right, so that a test sees which of the two has run.
 */

#pragma once

#include "cpu/emit/emit.h"

typedef enum
{
  FAKE_WORKS,
  FAKE_UNSUPPORTED,
  FAKE_GARBAGE,         /* bytes that are no object */
  FAKE_UNDEFINED,       /* an object that calls what is not there */
  FAKE_OTHER_MACHINE,   /* an object of another kind of processor */
} FakeMode;

/* What the code adds besides. */
#define FAKE_EXCESS 1000.0f

/* Puts it in the module's place. FALSE where there is no compiler. */
gboolean    fake_emitter_install     (const char *id);
/* What compiles come to that begin from now on. */
void        fake_emitter_set         (FakeMode mode);
/* Compiles that begin from now on wait until they are released. */
void        fake_emitter_hold        (void);
void        fake_emitter_release     (void);
/* Those that wait go on waiting, later ones do not. */
void        fake_emitter_pass        (void);
/* How many have begun. */
guint       fake_emitter_count       (void);
/* How nice the thread of the last one is. */
int         fake_emitter_nice        (void);
/* Waits until so many have. */
void        fake_emitter_await       (guint count);
/* How often it was told that there is nothing to compile, and until it was so often. */
guint       fake_emitter_rests       (void);
void        fake_emitter_await_rests (guint n);

/* y = x + @constant, both f32, of @n points, which a run may have more or less of. */
GhloKernel *fake_kernel              (const char *name,
                                      gint64      n,
                                      float       constant);
