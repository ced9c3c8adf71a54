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
/* Called on the device's thread: what reads the memory fails with @error; NULL: no more. */
void          fake_memory_fail     (FakeMemory         *self,
                                    const GError       *error);
/* Both have the same size. The error is copied as well. */
void          fake_memory_copy     (FakeMemory         *from,
                                    FakeMemory         *to);
/* Transfer none. */
FakeMemory   *fake_storage_get     (GhloStorage        *storage);

/* Implement GhloWholeProgramClass. */
gpointer      fake_load            (GhloDeviceCore            *self,
                                    GhloIrModule              *module,
                                    GhloIrOp                  *function,
                                    const GhloPrepareOptions  *options,
                                    gsize                     *size,
                                    const GhloMonitor         *monitor,
                                    GError                   **error);
void          fake_free            (gpointer                   program);
gboolean      fake_start           (gpointer                   program,
                                    const GhloRunOptions      *options,
                                    GhloValue *const          *inputs,
                                    gsize                      n_inputs,
                                    GhloValue                **outputs,
                                    GhloFence                **fence,
                                    const GhloMonitor         *monitor,
                                    GError                   **error);
const GhloPrepared *fake_get_inner (gpointer                   program);
/* Copies between two memories of equal size on the device's thread, after everything submitted before. */
gboolean      fake_copy            (GhloDeviceCore            *self,
                                    FakeMemory                *from,
                                    FakeMemory                *to,
                                    GError                   **error);

/* Makes the device's thread call @func with @data, after everything submitted before. */
void          fake_submit          (GhloDeviceCore *self,
                                    GFunc           func,
                                    gpointer        data);

G_END_DECLS
