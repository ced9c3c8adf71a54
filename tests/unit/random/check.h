/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests on random programs: each runs on the reference executor, and the executor under test (a device, possibly
 * preceded by passes) must give the same answers within known bounds. A failing program is reduced as far as possible
 * and printed.
 */

#pragma once

#include "compiler/devices.h"
#include "passes/pass.h"
#include "program.h"

/* An executor that must agree with the reference executor's run of the unmodified program. */
typedef struct
{
  char               *name;          /* "cpu at O2" */
  GhloDeviceCore     *device;
  GhloPassOptions     passes;
  gboolean            same_bits;     /* bits must be equal even where others may only be near: the reference executor
                                      * itself */
  gboolean            has_jitter;    /* run the program modified by random_jitter () */
  gboolean            may_use_host;  /* as in GhloPrepareOptions */
  gboolean            is_elsewhere;  /* outputs are written to the test's own memory */
} RandomSubject;

/* A program with inputs and the expected answers. */
typedef struct
{
  const RandomProgram *program;      /* borrowed; what is known of its values */
  GhloIrModule        *module;
  guint                n_inputs, n_results;
  GPtrArray           *rounds;       /* arrays of n_inputs values followed by n_results answers */
  RandomNumbers       *numbers;      /* of the results */
} RandomCase;

/* NULL, with @error set, where the program does not verify or the reference executor cannot run it: both are test
 * failures. */
RandomCase *random_case_new        (const RandomProgram *program,
                                    const char          *text,
                                    guint                n_rounds,
                                    GError             **error);
/* Runs the reference executor and appends the answers to the inputs of each round. */
gboolean    random_case_answer     (RandomCase *self,
                                    GError    **error);
void        random_case_free       (RandomCase          *self);
/* Describes the difference in a sentence that the caller frees; NULL when everything agrees. */
char       *random_case_check      (const RandomCase    *self,
                                    const RandomSubject *subject);
/* The smallest program found that still fails, and its inputs, as text. */
char       *random_case_shrink     (const RandomCase    *self,
                                    const RandomSubject *subject);

/* Changes the program's answers as far as executors may differ. */
void        random_jitter          (GhloIrModule        *module,
                                    const RandomProgram *program);

/* Statistics: operations, and the element types of their first operands. */
void        random_coverage_add    (const GhloIrModule  *module);
void        random_coverage_print  (gboolean             is_verbose);
/* Operations that the reference executor supports and that occurred in no program, except those excluded on purpose;
 * one line, or NULL. */
char       *random_coverage_missing (void);

/* Makes and checks @n programs, with seeds from @seed on; FALSE when one failed. */
gboolean    random_check_programs  (guint32              seed,
                                    guint                n,
                                    const RandomOptions *options,
                                    const RandomSubject *subjects,
                                    guint                n_subjects,
                                    gboolean             is_verbose);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RandomCase, random_case_free)
