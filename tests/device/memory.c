/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory (device/memory.h) and values in it (device/storage.h): addresses, copies, what the host sees, what is counted.
 */

#include "contract.h"

#include <string.h>

enum { ALIGNMENT = 64, MIB = 1 << 20 };

static const GhloMemoryKind kinds[] = {
  GHLO_MEMORY_DEVICE, GHLO_MEMORY_SCRATCH, GHLO_MEMORY_UPLOAD, GHLO_MEMORY_READBACK,
};

typedef struct
{
  GhloMemoryKind kind;
  gsize          size;
  guint8        *address, *host;
} Block;

/* Blocks of all kinds and sizes, also empty ones, have aligned addresses and keep their bytes apart. */
static void
test_blocks (void)
{
  static const gsize sizes[] = { 0, 1, 63, 64, 65, 4096, 100001, 2 * MIB };
  Block blocks[G_N_ELEMENTS (kinds) * G_N_ELEMENTS (sizes)];

  if (contract_memory () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    {
      Block *block = &blocks[i];

      block->kind = kinds[i % G_N_ELEMENTS (kinds)];
      block->size = sizes[i / G_N_ELEMENTS (kinds)];
      block->address = contract_alloc (block->kind, block->size, &block->host);
      g_assert_cmpuint ((guintptr) block->address % ALIGNMENT, ==, 0);
      for (guint k = 0; k < i; k++)
        g_assert_true (blocks[k].address + blocks[k].size <= block->address
                       || block->address + block->size <= blocks[k].address);
      contract_upload_filled (block->address, block->size, i);
    }
  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    g_assert_true (contract_holds_filled (blocks[i].address, blocks[i].size, i));
  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    contract_free (blocks[i].address, blocks[i].size);
}

/* What the host sees is what the device has: the host reads what the device wrote, and the device what the host did. */
static void
test_host_visible (void)
{
  const gsize size = 5000;
  guint8 *upload, *readback, *plain, *to_write, *to_read;

  if (contract_memory () == NULL)
    return;
  upload = contract_alloc (GHLO_MEMORY_UPLOAD, size, &to_write);
  readback = contract_alloc (GHLO_MEMORY_READBACK, size, &to_read);
  plain = contract_alloc (GHLO_MEMORY_DEVICE, size, NULL);
  if (to_write != NULL)
    contract_fill (to_write, size, 1);
  else
    contract_upload_filled (upload, size, 1);
  contract_copy (upload, plain, size);
  g_assert_true (contract_holds_filled (plain, size, 1));
  contract_copy (plain, readback, size);
  contract_finish ();
  g_assert_true (to_read == NULL || contract_is_filled (to_read, size, 1));
  g_assert_true (contract_holds_filled (readback, size, 1));
  if (to_write == NULL && to_read == NULL)
    g_test_message ("the host sees none of the memory");
  contract_free (upload, size);
  contract_free (readback, size);
  contract_free (plain, size);
}

/* Where the host shares the memory, each address of a block has one for the host. */
static void
test_map (void)
{
  GhloDeviceMemory *memory = contract_memory ();
  const gsize size = 70000;
  guint8 *block, *host;

  if (memory == NULL)
    return;
  if (memory->klass->map == NULL)
    {
      g_test_skip ("the host does not share the memory");
      return;
    }
  block = contract_alloc (GHLO_MEMORY_DEVICE, size, NULL);
  host = memory->klass->map (memory, block);
  g_assert_nonnull (host);
  g_assert_true (memory->klass->map (memory, block + 1) == host + 1);
  g_assert_true (memory->klass->map (memory, block + size - 1) == host + size - 1);
  contract_upload_filled (block, size, 1);
  contract_finish ();
  g_assert_true (contract_is_filled (host, size, 1));
  contract_fill (host, size, 2);
  g_assert_true (contract_holds_filled (block, size, 2));
  contract_free (block, size);
}

/* The device reads the host's memory in place, so it sees what is written there later. */
static void
test_wrap (void)
{
  GhloDeviceMemory *memory = contract_memory ();
  const gsize size = 4 * MIB;
  g_autoptr (GhloStorage) storage = NULL;
  guint8 *wrapped = NULL, *block, found[4096];

  if (memory == NULL)
    return;
  storage = ghlo_storage_new_host (size, NULL);
  if (memory->klass->wrap != NULL)
    wrapped = memory->klass->wrap (memory, storage->host, size);
  if (wrapped == NULL)
    {
      g_test_skip ("the device does not read the host's memory");
      return;
    }
  block = contract_alloc (GHLO_MEMORY_DEVICE, size, NULL);
  for (guint i = 0; i < 2; i++)
    {
      contract_fill (storage->host, size, i);
      contract_copy (wrapped, block, size);
      g_assert_true (contract_holds_filled (block, size, i));
      contract_copy (wrapped + 4096, block, 4096);
      contract_download (block, found, sizeof found);
      g_assert_cmpmem (found, sizeof found, storage->host + 4096, sizeof found);
    }
  contract_free (wrapped, size);
  contract_free (block, size);
}

/* Memory in use is counted, whoever counts it, and given back. */
static void
test_measure (void)
{
  GhloDeviceCore *device = contract_device ();
  const gsize size = 8 * MIB;
  GhloMemoryUse before, during, after;
  guint8 *block;

  if (contract_memory () == NULL)
    return;
  contract_finish ();
  ghlo_device_core_reset_memory_peak (device);
  ghlo_device_core_measure_memory (device, &before);
  block = contract_alloc (GHLO_MEMORY_DEVICE, size, NULL);
  ghlo_device_core_measure_memory (device, &during);
  contract_free (block, size);
  contract_finish ();
  ghlo_device_core_measure_memory (device, &after);
  g_assert_cmpuint (during.used, >=, before.used + size);
  g_assert_cmpuint (during.peak, >=, during.used);
  g_assert_cmpuint (after.used, ==, before.used);
  g_assert_cmpuint (after.peak, >=, during.used);
  g_assert_cmpuint (after.total, >=, during.used);
  ghlo_device_core_reset_memory_peak (device);
  ghlo_device_core_measure_memory (device, &after);
  g_assert_cmpuint (after.peak, <, during.used);
}

/* Transfers of any part of a block leave the rest as it is. */
static void
test_transfers (void)
{
  static const gsize sizes[] = { 0, 1, 3, 64, 1001, 65536, 9 * MIB + 5 }, offsets[] = { 0, 1, 4, 63, 64, 4097 };
  const gsize most = sizes[G_N_ELEMENTS (sizes) - 1] + 2 * offsets[G_N_ELEMENTS (offsets) - 1];
  guint8 *block;
  g_autofree guint8 *expected = NULL, *found = NULL;

  if (contract_memory () == NULL)
    return;
  block = contract_alloc (GHLO_MEMORY_DEVICE, most, NULL);
  expected = g_malloc (most);
  found = g_malloc (most);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint k = 0; k < G_N_ELEMENTS (offsets); k++)
      {
        /* The part, and as much on both sides as there is. */
        const gsize size = sizes[i], offset = offsets[k], all = offset + size + offsets[G_N_ELEMENTS (offsets) - 1];

        contract_fill (expected, all, 1);
        contract_upload (expected, block, all);
        contract_fill (expected + offset, size, 2);
        contract_upload (expected + offset, block + offset, size);
        contract_download (block, found, all);
        g_assert_cmpmem (found, all, expected, all);
        memset (found, 0, size);
        contract_download (block + offset, found, size);
        g_assert_true (contract_is_filled (found, size, 2));
      }
  contract_free (block, most);
}

/* Memory that nothing has used yet. */
static void
test_fresh (void)
{
  static const gsize sizes[] = { 0, 4, 5000, 3 * MIB };
  GhloDeviceMemory *memory = contract_memory ();

  for (guint i = 0; i < G_N_ELEMENTS (sizes) && memory != NULL; i++)
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
      {
        g_autofree guint8 *bytes = g_malloc (sizes[i] + 1);
        g_autoptr (GError) error = NULL;
        guint8 *block = contract_alloc (kinds[k], sizes[i], NULL);

        contract_fill (bytes, sizes[i], i);
        g_assert_true (memory->klass->upload (memory, bytes, block, sizes[i], TRUE, NULL, &error));
        g_assert_no_error (error);
        memset (bytes, 0, sizes[i]);
        g_assert_true (contract_holds_filled (block, sizes[i], i));
        contract_free (block, sizes[i]);
      }
}

/* Copies between any parts of blocks of any kind. */
static void
test_copies (void)
{
  enum { SIZE = 200000 };
  static const gsize sizes[] = { 1, 3, 64, 1001, 100000 }, offsets[] = { 0, 1, 63, 64, 5000 };
  guint8 *from, *to;
  g_autofree guint8 *expected = NULL, *found = NULL;

  if (contract_memory () == NULL)
    return;
  expected = g_malloc (SIZE);
  found = g_malloc (SIZE);
  from = contract_alloc (GHLO_MEMORY_DEVICE, SIZE, NULL);
  contract_upload_filled (from, SIZE, 1);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      to = contract_alloc (kinds[i], SIZE, NULL);
      for (guint j = 0; j < G_N_ELEMENTS (sizes); j++)
        for (guint k = 0; k < G_N_ELEMENTS (offsets); k++)
          {
            const gsize size = sizes[j], at = offsets[k], source = offsets[(k + 2) % G_N_ELEMENTS (offsets)];
            const gsize all = at + size + 100;

            contract_fill (expected, all, 2);
            contract_upload (expected, to, all);
            contract_copy (from + source, to + at, size);
            contract_download (from + source, expected + at, size);
            contract_download (to, found, all);
            g_assert_cmpmem (found, all, expected, all);
          }
      contract_free (to, SIZE);
    }
  g_assert_true (contract_holds_filled (from, SIZE, 1));
  contract_free (from, SIZE);
}

/* Ranges of one block that touch each other do not overlap. */
static void
test_adjacent (void)
{
  enum { SIZE = 4099 };
  guint8 *block;

  if (contract_memory () == NULL)
    return;
  block = contract_alloc (GHLO_MEMORY_DEVICE, 3 * SIZE, NULL);
  for (guint i = 0; i < 3; i++)
    contract_upload_filled (block + i * SIZE, SIZE, i);
  contract_copy (block + SIZE, block + 2 * SIZE, SIZE);
  contract_copy (block + SIZE, block, SIZE);
  for (guint i = 0; i < 3; i++)
    g_assert_true (contract_holds_filled (block + i * SIZE, SIZE, 1));
  contract_free (block, 3 * SIZE);
}

/* A transfer that was cancelled says so, or was complete; the memory remains usable. */
static void
test_cancel (void)
{
  const gsize size = 40 * MIB;
  GhloDeviceMemory *memory = contract_memory ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autofree guint8 *bytes = NULL;
  g_autoptr (GError) error = NULL;
  guint8 *block;

  if (memory == NULL)
    return;
  bytes = g_malloc (size);
  block = contract_alloc (GHLO_MEMORY_DEVICE, size, NULL);
  contract_upload_filled (block, size, 1);
  contract_fill (bytes, size, 2);
  g_cancellable_cancel (cancellable);
  if (memory->klass->upload (memory, bytes, block, size, FALSE, &monitor, &error))
    g_assert_true (contract_holds_filled (block, size, 2));
  else
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  contract_upload_filled (block, size, 3);
  if (memory->klass->download (memory, block, bytes, size, &monitor, &error))
    g_assert_true (contract_is_filled (bytes, size, 3));
  else
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_true (contract_holds_filled (block, size, 3));
  contract_free (block, size);
}

/* Memory is freed while what uses it is still in the queue; who allocates it again does not disturb that. */
static void
test_free_early (void)
{
  enum { SIZE = 300000, N_ROUNDS = 20, LARGE = 16 * MIB };
  GhloDeviceMemory *memory = contract_memory ();
  g_autofree guint8 *bytes = NULL;
  guint8 *result, *large[2];

  if (memory == NULL)
    return;
  bytes = g_malloc (SIZE);
  result = contract_alloc (GHLO_MEMORY_DEVICE, N_ROUNDS * SIZE, NULL);
  for (guint i = 0; i < 2; i++)
    large[i] = contract_alloc (GHLO_MEMORY_DEVICE, LARGE, NULL);
  /* This keeps the queue busy. */
  for (guint i = 0; i < 8; i++)
    contract_copy (large[i % 2], large[(i + 1) % 2], LARGE);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      guint8 *block = contract_alloc (GHLO_MEMORY_DEVICE, SIZE, NULL);
      g_autoptr (GError) error = NULL;

      contract_fill (bytes, SIZE, i);
      g_assert_true (memory->klass->upload (memory, bytes, block, SIZE, TRUE, NULL, &error));
      g_assert_no_error (error);
      contract_copy (block, result + i * SIZE, SIZE);
      contract_free (block, SIZE);
    }
  for (guint i = 0; i < N_ROUNDS; i++)
    g_assert_true (contract_holds_filled (result + i * SIZE, SIZE, i));
  for (guint i = 0; i < 2; i++)
    contract_free (large[i], LARGE);
  contract_free (result, N_ROUNDS * SIZE);
}

static void
count (gpointer data)
{
  (*(guint *) data)++;
}

/* Storage of the host: aligned where it is ours, and released once where it is lent. */
static void
test_host_storage (void)
{
  static const gsize sizes[] = { 0, 1, 65, 5000 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (GError) error = NULL;
      GhloStorage *storage = ghlo_storage_new_host (sizes[i], &error), *lent;
      guint8 bytes[4];
      guint n_released = 0;

      g_assert_no_error (error);
      g_assert_cmpuint ((guintptr) storage->host % ALIGNMENT, ==, 0);
      g_assert_cmpuint (storage->size, ==, sizes[i]);
      g_assert_true (ghlo_storage_is_own (storage));
      ghlo_storage_unref (storage);

      lent = ghlo_storage_new_lent (bytes, sizeof bytes, count, &n_released);
      g_assert_false (ghlo_storage_is_own (lent));
      ghlo_storage_unref (ghlo_storage_ref (lent));
      g_assert_cmpuint (n_released, ==, 0);
      ghlo_storage_unref (lent);
      g_assert_cmpuint (n_released, ==, 1);
    }
}

static GhloValue *
make_value (guint   n,
            guint   seed)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_UI8, (const gint64[]) { n }, 1);
  GhloValue *value = ghlo_value_new_uninitialized (type, NULL);

  contract_fill (value->data, n, seed);

  return value;
}

static void
assert_value (GhloValue *value,
              guint      n,
              guint      seed)
{
  g_autoptr (GError) error = NULL;

  ghlo_value_fetch (value, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (value->n_bytes, ==, n);
  g_assert_true (contract_is_filled (value->data, n, seed));
}

/* A value is where the device works, its copy is in other memory, and both come back as they were. */
static void
test_values (void)
{
  static const guint sizes[] = { 0, 1, 1000, 1 << 16, (1 << 16) + 1, 3 * MIB };
  GhloDeviceCore *device = contract_device ();

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloValue) value = make_value (sizes[i], i), placed = NULL, seen = NULL, copy = NULL;

      placed = ghlo_value_place (value, device, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (ghlo_value_is_on (placed, device));
      g_assert_true (ghlo_value_get_device (placed) == (device->memory != NULL ? device : NULL));
      seen = ghlo_value_place_read_only (value, device, NULL, &error);
      g_assert_no_error (error);
      copy = ghlo_value_copy (placed, device, &error);
      g_assert_no_error (error);
      g_assert_true (ghlo_value_is_on (copy, device));
      g_assert_true (sizes[i] == 0 || copy->storage->address != placed->storage->address);
      assert_value (copy, sizes[i], i);
      assert_value (placed, sizes[i], i);
      assert_value (seen, sizes[i], i);
    }
}

void
contract_add_memory_cases (void)
{
  contract_add ("/device/memory/blocks", test_blocks);
  contract_add ("/device/memory/host-visible", test_host_visible);
  contract_add ("/device/memory/map", test_map);
  contract_add ("/device/memory/wrap", test_wrap);
  contract_add ("/device/memory/measure", test_measure);
  contract_add ("/device/memory/transfers", test_transfers);
  contract_add ("/device/memory/fresh", test_fresh);
  contract_add ("/device/memory/copies", test_copies);
  contract_add ("/device/memory/adjacent", test_adjacent);
  contract_add ("/device/memory/free-early", test_free_early);
  contract_add ("/device/memory/cancel", test_cancel);
  contract_add ("/device/storage/host", test_host_storage);
  contract_add ("/device/storage/values", test_values);
}
