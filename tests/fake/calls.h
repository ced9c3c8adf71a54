/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fake device from the inside: what its calls are counted by, and its memory.
 */

#pragma once

#include "fake.h"

G_BEGIN_DECLS

/* What each call does first. FALSE, with @error set, when it is to fail or was cancelled meanwhile. */
gboolean      fake_begin           (GhloDeviceCore     *device,
                                    FakeCall            call,
                                    const GhloMonitor  *monitor,
                                    GError            **error);

typedef enum { FAKE_STORAGES, FAKE_PREPARED, FAKE_RUNS, FAKE_BYTES } FakeFigure;

void          fake_count           (FakeFigure          figure,
                                    gssize              difference);

/* Bytes that nobody reads by accident: they are kept scrambled, and the storage has no address of them. Counted, so
 * that a run which is under way keeps what it needs without a reference on the storage, which the next run may take. */
typedef struct _FakeMemory FakeMemory;

FakeMemory   *fake_memory_ref      (FakeMemory         *self);
void          fake_memory_unref    (FakeMemory         *self);
/* All of it. FALSE when it was cancelled. */
gboolean      fake_memory_write    (FakeMemory         *self,
                                    gconstpointer       from,
                                    const GhloMonitor  *monitor,
                                    GError            **error);
gboolean      fake_memory_read     (FakeMemory         *self,
                                    gpointer            to,
                                    const GhloMonitor  *monitor,
                                    GError            **error);
/* Between memory of one size. */
void          fake_memory_copy     (FakeMemory         *from,
                                    FakeMemory         *to);
/* Borrowed. */
FakeMemory   *fake_storage_get     (GhloStorage        *storage);

/* The functions of runs in the class. */
GhloPrepared *fake_prepare         (GhloDeviceCore            *self,
                                    GhloIrModule              *module,
                                    GhloIrOp                  *function,
                                    const GhloPrepareOptions  *options,
                                    const GhloMonitor         *monitor,
                                    GError                   **error);
void          fake_release         (GhloPrepared              *prepared);
gsize         fake_prepared_size   (const GhloPrepared        *prepared);
gboolean      fake_start           (GhloPrepared              *prepared,
                                    const GhloRunOptions      *options,
                                    GhloValue *const          *inputs,
                                    gsize                      n_inputs,
                                    GhloValue                **outputs,
                                    GhloPending              **pending,
                                    const GhloMonitor         *monitor,
                                    GError                   **error);
const GhloStepPlan *fake_get_plan  (const GhloPrepared        *prepared);
char         *fake_describe        (GhloPrepared              *prepared);
void          fake_measure         (GhloPrepared              *prepared,
                                    GhloRunFigures            *figures);
gboolean      fake_copy            (GhloDeviceCore            *self,
                                    GhloStorage               *from,
                                    GhloStorage               *to,
                                    GError                   **error);

/* Has the device's thread call @func with @data, after all that it was given before. */
void          fake_submit          (GhloDeviceCore *self,
                                    GFunc           func,
                                    gpointer        data);

G_END_DECLS
