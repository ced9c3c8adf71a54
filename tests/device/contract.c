/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "contract.h"

#include <string.h>

#include "import/import.h"

void
contract_open (void)
{
  GhloDeviceCore *device = contract_device ();
  g_autoptr (GError) error = NULL;

  if (device->klass->open != NULL)
    device->klass->open (device, NULL, &error);
  g_assert_no_error (error);
}

GhloDeviceMemory *
contract_memory (void)
{
  GhloDeviceMemory *memory = contract_device ()->memory;

  contract_open ();
  if (memory == NULL)
    g_test_skip ("the device works in the host's memory");

  return memory;
}

GhloDeviceQueue *
contract_queue (void)
{
  GhloDeviceQueue *queue = contract_device ()->queue;

  contract_open ();
  if (queue == NULL)
    g_test_skip ("the device has no queue");

  return queue;
}

const GhloCommandBufferClass *
contract_command_buffers (void)
{
  const GhloCommandBufferClass *commands = contract_device ()->command_buffers;

  contract_open ();
  if (commands == NULL)
    g_test_skip ("the device has no command buffers");

  return commands;
}

/* The byte at @i depends on all bits of @i, so that pieces in a wrong order are noticed. */
static guint8
byte_at (gsize i,
         guint seed)
{
  return (guint8) (((i + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + seed * G_GUINT64_CONSTANT (0xd1b54a32d192ed03))
                   >> 56);
}

void
contract_fill (guint8 *bytes,
               gsize   n,
               guint   seed)
{
  for (gsize i = 0; i < n; i++)
    bytes[i] = byte_at (i, seed);
}

gboolean
contract_is_filled (const guint8 *bytes,
                    gsize         n,
                    guint         seed)
{
  for (gsize i = 0; i < n; i++)
    if (bytes[i] != byte_at (i, seed))
      {
        g_test_message ("byte %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " is %u, not %u", i, n, bytes[i],
                        byte_at (i, seed));
        return FALSE;
      }

  return TRUE;
}

guint8 *
contract_alloc (GhloMemoryKind   kind,
                gsize            size,
                guint8         **host)
{
  GhloDeviceMemory *memory = contract_device ()->memory;
  g_autoptr (GError) error = NULL;
  gpointer seen = &error;       /* neither NULL nor memory of the device */
  gpointer address = memory->klass->alloc (memory, kind, size, host != NULL ? &seen : NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (address);
  g_assert_true (seen == (gpointer) &error || host != NULL);
  g_assert_true (host == NULL || seen != (gpointer) &error);
  if (host != NULL)
    *host = seen;

  return address;
}

void
contract_free (gpointer address,
               gsize    size)
{
  GhloDeviceMemory *memory = contract_device ()->memory;

  memory->klass->free (memory, address, size);
}

void
contract_upload (gconstpointer from,
                 gpointer      to,
                 gsize         size)
{
  GhloDeviceMemory *memory = contract_device ()->memory;
  g_autoptr (GError) error = NULL;
  const gboolean ok = memory->klass->upload (memory, from, to, size, FALSE, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
}

void
contract_download (gconstpointer from,
                   gpointer      to,
                   gsize         size)
{
  GhloDeviceMemory *memory = contract_device ()->memory;
  g_autoptr (GError) error = NULL;
  const gboolean ok = memory->klass->download (memory, from, to, size, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
}

void
contract_copy (gconstpointer from,
               gpointer      to,
               gsize         size)
{
  GhloDeviceMemory *memory = contract_device ()->memory;
  g_autoptr (GError) error = NULL;
  const gboolean ok = memory->klass->copy (memory, from, to, size, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
}

/* The host's memory may be reused as soon as the call has returned. */
void
contract_upload_filled (gpointer to,
                        gsize    size,
                        guint    seed)
{
  g_autofree guint8 *bytes = g_malloc (size + 1);

  contract_fill (bytes, size, seed);
  contract_upload (bytes, to, size);
  memset (bytes, 0, size);
}

gboolean
contract_holds_filled (gconstpointer from,
                       gsize         size,
                       guint         seed)
{
  g_autofree guint8 *bytes = g_malloc0 (size + 1);

  contract_download (from, bytes, size);

  return contract_is_filled (bytes, size, seed);
}

void
contract_finish (void)
{
  GhloDeviceQueue *queue = contract_device ()->queue;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloFence) fence = NULL;

  if (queue == NULL)
    return;
  fence = queue->klass->add_fence (queue, GHLO_WAIT_FOR_RUN);
  queue->klass->submit (queue, &error);
  g_assert_no_error (error);
  ghlo_fence_wait (fence, NULL, &error);
  g_assert_no_error (error);
}

GhloIrModule *
contract_parse (const char *text)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("contract", text, strlen (text));
  GhloIrModule *module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics, NULL);

  if (module == NULL)
    g_error ("%s in:\n%s", ((const GhloFinding *) diagnostics->findings->pdata[0])->message, text);

  return module;
}

GhloPrepared *
contract_prepare (const char *text)
{
  g_autoptr (GhloIrModule) module = contract_parse (text);
  g_autoptr (GError) error = NULL;
  GhloPrepared *prepared = ghlo_devices_prepare (contract_device (), module, ghlo_ir_module_get_entry (module), NULL,
                                                 &error);

  g_assert_no_error (error);
  g_assert_true (ghlo_prepared_get_device (prepared) == contract_device ());

  return prepared;
}

GhloValue *
contract_number (gint32 number)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_I32, (const gint64[]) { CONTRACT_N }, 1);
  GhloValue *value = ghlo_value_new_uninitialized (type, NULL);

  for (guint i = 0; i < CONTRACT_N; i++)
    ((gint32 *) (gpointer) value->data)[i] = number;

  return value;
}

void
contract_assert_number (GhloValue *value,
                        gint32     number)
{
  g_autoptr (GError) error = NULL;

  ghlo_value_fetch (value, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (value->n_bytes, ==, CONTRACT_N * sizeof number);
  for (guint i = 0; i < CONTRACT_N; i++)
    g_assert_cmpint (((const gint32 *) (gconstpointer) value->data)[i], ==, number);
}

GhloValue *
contract_start (GhloPrepared         *prepared,
                const GhloRunOptions *options,
                GhloValue *const     *inputs,
                gsize                 n_inputs)
{
  g_autoptr (GhloFence) fence = NULL;
  g_autoptr (GError) error = NULL;
  GhloValue *output = NULL;
  const GhloStepPlan *plan = ghlo_prepared_get_plan (prepared);

  g_assert_cmpuint (ghlo_prepared_get_n_outputs (prepared), ==, 1);
  ghlo_prepared_start (prepared, options, inputs, n_inputs, &output, &fence, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (output);
  g_assert_true (contract_device ()->queue != NULL || fence == NULL);
  /* An output that is an input has been written by then, or by somebody else. */
  g_assert_true (plan == NULL || plan->aliased_inputs[0] != GHLO_STEP_NONE || output->storage->fence == fence);

  return output;
}

GError *
contract_get_error (GhloValue *value)
{
  GError *error = NULL;

  g_assert_false (ghlo_value_fetch (value, NULL, &error));
  g_assert_nonnull (error);

  return error;
}

typedef struct
{
  guint   number;
  void  (*func) (guint thread);
} Thread;

static gpointer
run_thread (gpointer data)
{
  const Thread *self = data;

  self->func (self->number);

  return NULL;
}

void
contract_run_threads (guint   n,
                      void  (*func) (guint thread))
{
  g_autofree Thread *threads = g_new (Thread, n);
  g_autofree GThread **running = g_new (GThread *, n);

  for (guint i = 0; i < n; i++)
    {
      threads[i] = (Thread) { i, func };
      running[i] = g_thread_new ("contract", run_thread, &threads[i]);
    }
  for (guint i = 0; i < n; i++)
    g_thread_join (running[i]);
}

typedef struct
{
  void (*func) (void);
} Case;

static void
run_case (gconstpointer data)
{
  const Case *self = data;

  self->func ();
  contract_open ();
  contract_finish ();
  contract_assert_nothing_left ();
}

void
contract_add (const char  *path,
              void       (*func) (void))
{
  Case *added = g_new (Case, 1);

  added->func = func;
  g_test_add_data_func_full (path, added, run_case, g_free);
}
