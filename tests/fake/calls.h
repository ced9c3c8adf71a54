/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The internals of the fake device: its runs, its memory, and the counts of its calls.
 */

#pragma once

#include "fake.h"

G_BEGIN_DECLS

/* Begins every call. Returns FALSE, with @error set, when the call is to fail or was cancelled meanwhile. */
gboolean      fake_begin           (GhloDeviceCore     *device,
                                    FakeCall            call,
                                    const GhloMonitor  *monitor,
                                    GError            **error);

typedef enum { FAKE_STORAGES, FAKE_PREPARED, FAKE_RUNS, FAKE_BYTES } FakeFigure;

void          fake_count           (FakeFigure          figure,
                                    gssize              difference);

/* Device memory that the host cannot read by accident: the bytes are kept scrambled, and the storage has no address.
 * Reference-counted, so that a run under way keeps its memory without a reference on the storage, which the next run
 * may reuse. */
typedef struct _FakeMemory FakeMemory;

FakeMemory   *fake_memory_ref      (FakeMemory         *self);
void          fake_memory_unref    (FakeMemory         *self);
/* Copies the whole memory from or to the host. Returns FALSE when cancelled. */
gboolean      fake_memory_write    (FakeMemory         *self,
                                    gconstpointer       from,
                                    const GhloMonitor  *monitor,
                                    GError            **error);
gboolean      fake_memory_read     (FakeMemory         *self,
                                    gpointer            to,
                                    const GhloMonitor  *monitor,
                                    GError            **error);
/* Both have the same size. */
void          fake_memory_copy     (FakeMemory         *from,
                                    FakeMemory         *to);
/* Transfer none. */
FakeMemory   *fake_storage_get     (GhloStorage        *storage);

/* The class's virtual functions for runs. */
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

/* Makes the device's thread call @func with @data, after everything submitted before. */
void          fake_submit          (GhloDeviceCore *self,
                                    GFunc           func,
                                    gpointer        data);

G_END_DECLS
