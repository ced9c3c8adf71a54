/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A code emitter that tests control. It handles one form of kernel, y = x + a constant, and compiles code for it with
 * the system's C compiler. The code's results deliberately differ slightly from the kernel's, so that a test can tell
 * whether the code or the strips have run.
 */

#pragma once

#include "cpu/llvm/emit.h"

typedef enum
{
  FAKE_WORKS,
  FAKE_UNSUPPORTED,
  FAKE_GARBAGE,         /* bytes that are not an object */
  FAKE_UNDEFINED,       /* an object that calls an undefined function */
  FAKE_OTHER_MACHINE,   /* an object for another kind of processor */
} FakeMode;

/* What the code adds to the correct result. */
#define FAKE_EXCESS 1000.0f

/* Installs the emitter in place of the module. FALSE where there is no compiler. */
gboolean    fake_emitter_install     (const char *id);
/* Sets the outcome of compiles that begin from now on. */
void        fake_emitter_set         (FakeMode mode);
/* Compiles that begin from now on wait until they are released. */
void        fake_emitter_hold        (void);
void        fake_emitter_release     (void);
/* Compiles that wait continue to do so, later ones do not wait. */
void        fake_emitter_pass        (void);
/* The number of compiles begun. */
guint       fake_emitter_count       (void);
/* The nice value of the last compile's thread. */
int         fake_emitter_nice        (void);
/* Waits until @count compiles have begun. */
void        fake_emitter_await       (guint count);
/* The number of times that the emitter was told that there is nothing more to compile; waits for that number. */
guint       fake_emitter_rests       (void);
void        fake_emitter_await_rests (guint n);

/* y = x + @constant, both f32, with @n points; a run may have more points or fewer. */
GhloKernel *fake_kernel              (const char *name,
                                      gint64      n,
                                      float       constant);
