/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Random programs put to the test: each runs on the reference executor, and whoever is
 * to be tested (a device, with passes before it) must give the same answers as far
 * as they are known. A program that fails is made as small as it goes and printed.
 */

#pragma once

#include "compiler/devices.h"
#include "passes/pass.h"
#include "program.h"

/* Who must agree with the reference executor on the program as it is. */
typedef struct
{
  char               *name;          /* "cpu at O2" */
  GhloDeviceCore     *device;
  GhloPassOptions     passes;
  gboolean            same_bits;     /* also of what is only near elsewhere: the reference executor itself */
  gboolean            has_jitter;    /* run the program with random_jitter () in it */
  gboolean            places;        /* as in GhloPrepareOptions */
  gboolean            is_elsewhere;  /* outputs are wanted in memory of the test's own */
} RandomSubject;

/* A program with inputs and the answers to them. */
typedef struct
{
  const RandomProgram *program;      /* borrowed; what is known of its values */
  GhloIrModule        *module;
  guint                n_inputs, n_results;
  GPtrArray           *rounds;       /* arrays of n_inputs values and, behind them, n_results answers */
  RandomNumbers       *numbers;      /* of the results */
} RandomCase;

/* NULL, with @error set, where the program does not verify or the reference executor
 * cannot run it: both are faults. */
RandomCase *random_case_new        (const RandomProgram *program,
                                    const char          *text,
                                    guint                n_rounds,
                                    GError             **error);
/* Runs the reference executor for the answers, which go behind the inputs of each round. */
gboolean    random_case_answer     (RandomCase *self,
                                    GError    **error);
void        random_case_free       (RandomCase          *self);
/* What differs, as a sentence that the caller frees; NULL when all agrees. */
char       *random_case_check      (const RandomCase    *self,
                                    const RandomSubject *subject);
/* The least program found that still fails, and its inputs, as text. */
char       *random_case_shrink     (const RandomCase    *self,
                                    const RandomSubject *subject);

/* Changes the program's answers as far as they may differ between executors. */
void        random_jitter          (GhloIrModule        *module,
                                    const RandomProgram *program);

/* What was made: operations and the element types of their first operands. */
void        random_coverage_add    (const GhloIrModule  *module);
void        random_coverage_print  (gboolean             is_verbose);
/* Operations that the reference executor runs and no program had, but for those that
 * random programs leave out; a line, or NULL. */
char       *random_coverage_missing (void);

/* Makes and checks programs from @seed on; FALSE when one failed. */
gboolean    random_check_programs  (guint32              seed,
                                    guint                n,
                                    const RandomOptions *options,
                                    const RandomSubject *subjects,
                                    guint                n_subjects,
                                    gboolean             is_verbose);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RandomCase, random_case_free)
