/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The object contains a placeholder constant, which is replaced by the kernel's own.
 */

#include "fake-emitter.h"

#include "base/ghlo-error.h"
#include "code-objects.h"
#include "cpu/jit/emitter.h"
#include "kernel/build.h"

#include <elf.h>
#include <string.h>
#include <sys/resource.h>

static struct
{
  GMutex   lock;        /* guards what follows */
  GCond    changed;
  FakeMode mode;
  gboolean is_held;
  gboolean holds_new;   /* and also compiles that begin now */
  guint    count;
  guint    n_rests;
  int      nice;        /* of the last compile's thread */
  GBytes  *objects[FAKE_OTHER_MACHINE + 1];
} fake;

#define CALL \
  "typedef struct { void *const *buffers; const long *extents; void *temporaries, *scratch;" \
  " int (*stops) (void *); void *data; } Call;\n"

static const char code[] = CALL
  "static const float number = 12345.0f;\n"
  "int kernel (const Call *call, long begin, long end)\n"
  "{\n"
  "  const float *constant = &number;\n"
  "  __asm__ (\"\" : \"+r\" (constant));\n"
  "  for (long i = begin; i < end; i++)\n"
  "    {\n"
  "      if (i % 64 == 0 && call->stops (call->data))\n"
  "        return 0;\n"
  "      ((float *) call->buffers[1])[i] = ((const float *) call->buffers[0])[i] + *constant;\n"
  "    }\n"
  "  return 1;\n"
  "}\n";

static const char undefined[] =
  "int other (void);\n"
  "int kernel (void) { return other () + 1; }\n";

/* The constant of @kernel, whose block of points consists of a load, a constant, an addition and a store. */
static float
constant_of (const GhloKernel *kernel)
{
  float value;

  memcpy (&value, &kernel->nodes[1].bits, sizeof value);

  return value;
}

/* Replaces the constant in the compiled object. */
static GBytes *
put_constant (GBytes *object,
              float   value)
{
  const float placeholder = 12345.0f;
  gsize size;
  const guint8 *data = g_bytes_get_data (object, &size);
  guint8 *copy = g_memdup2 (data, size);

  for (gsize i = 0; i + 4 <= size; i++)
    if (memcmp (copy + i, &placeholder, 4) == 0)
      memcpy (copy + i, &value, 4);

  return g_bytes_new_take (copy, size);
}

static GBytes *
make_object (FakeMode           mode,
             const GhloKernel  *kernel,
             GError           **error)
{
  if (mode == FAKE_UNSUPPORTED)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "the test wants it so");
      return NULL;
    }
  if (mode == FAKE_WORKS)
    return put_constant (fake.objects[mode], constant_of (kernel) + FAKE_EXCESS);

  return g_bytes_ref (fake.objects[mode]);
}

static GBytes *
compile (const GhloKernel          *kernel,
         const GhloKernelSchedule  *schedule,
         const GhloCodeTarget      *target,
         char                     **listing,
         GError                   **error)
{
  gboolean is_held;
  FakeMode mode;

  g_mutex_lock (&fake.lock);
  mode = fake.mode;
  is_held = fake.holds_new;
  fake.count++;
  fake.nice = getpriority (PRIO_PROCESS, 0);
  g_cond_broadcast (&fake.changed);
  while (is_held && fake.is_held)
    g_cond_wait (&fake.changed, &fake.lock);
  g_mutex_unlock (&fake.lock);
  if (listing != NULL && mode == FAKE_WORKS)
    *listing = g_strdup_printf ("kernel %s for %s", kernel->name, target->cpu);

  return make_object (mode, kernel, error);
}

static void
rest (void)
{
  g_mutex_lock (&fake.lock);
  fake.n_rests++;
  g_cond_broadcast (&fake.changed);
  g_mutex_unlock (&fake.lock);
}

/* The first object, changed to be for a processor that does not exist. */
static GBytes *
change_machine (GBytes *object)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (object, &size);
  guint8 *copy = g_memdup2 (data, size);
  Elf64_Half machine = EM_AARCH64;

#ifdef __aarch64__
  machine = EM_X86_64;
#endif
  memcpy (copy + G_STRUCT_OFFSET (Elf64_Ehdr, e_machine), &machine, sizeof machine);

  return g_bytes_new_take (copy, size);
}

gboolean
fake_emitter_install (const char *id)
{
  static const GhloEmitter emitter = { .version = "fake", .compile = compile, .rest = rest };

  if (fake.objects[FAKE_WORKS] == NULL)
    fake.objects[FAKE_WORKS] = code_object_compile ("cc", "-O1", code);
  if (fake.objects[FAKE_WORKS] == NULL)
    return FALSE;
  if (fake.objects[FAKE_GARBAGE] == NULL)
    {
      fake.objects[FAKE_GARBAGE] = g_bytes_new_static ("no object", 9);
      fake.objects[FAKE_UNDEFINED] = code_object_compile ("cc", "-O1", undefined);
      fake.objects[FAKE_OTHER_MACHINE] = change_machine (fake.objects[FAKE_WORKS]);
    }
  ghlo_code_module_set (&emitter, id);

  return TRUE;
}

void
fake_emitter_set (FakeMode mode)
{
  g_mutex_lock (&fake.lock);
  fake.mode = mode;
  g_mutex_unlock (&fake.lock);
}

void
fake_emitter_hold (void)
{
  g_mutex_lock (&fake.lock);
  fake.is_held = fake.holds_new = TRUE;
  g_mutex_unlock (&fake.lock);
}

void
fake_emitter_release (void)
{
  g_mutex_lock (&fake.lock);
  fake.is_held = fake.holds_new = FALSE;
  g_cond_broadcast (&fake.changed);
  g_mutex_unlock (&fake.lock);
}

void
fake_emitter_pass (void)
{
  g_mutex_lock (&fake.lock);
  fake.holds_new = FALSE;
  g_mutex_unlock (&fake.lock);
}

guint
fake_emitter_count (void)
{
  guint count;

  g_mutex_lock (&fake.lock);
  count = fake.count;
  g_mutex_unlock (&fake.lock);

  return count;
}

int
fake_emitter_nice (void)
{
  int nice;

  g_mutex_lock (&fake.lock);
  nice = fake.nice;
  g_mutex_unlock (&fake.lock);

  return nice;
}

void
fake_emitter_await (guint count)
{
  g_mutex_lock (&fake.lock);
  while (fake.count < count)
    g_cond_wait (&fake.changed, &fake.lock);
  g_mutex_unlock (&fake.lock);
}

guint
fake_emitter_rests (void)
{
  guint n;

  g_mutex_lock (&fake.lock);
  n = fake.n_rests;
  g_mutex_unlock (&fake.lock);

  return n;
}

void
fake_emitter_await_rests (guint n)
{
  g_mutex_lock (&fake.lock);
  while (fake.n_rests < n)
    g_cond_wait (&fake.changed, &fake.lock);
  g_mutex_unlock (&fake.lock);
}

GhloKernel *
fake_kernel (const char *name,
             gint64      n,
             float       constant)
{
  GhloKernelBuilder *builder = ghlo_kernel_builder_new (name);
  guint p = ghlo_kernel_add_axis (builder, name, n, TRUE, TRUE);
  guint x = ghlo_kernel_add_buffer (builder, name, n * 4, FALSE);
  guint y = ghlo_kernel_add_buffer (builder, "y", n * 4, TRUE);
  const gint64 strides[] = { 4 };
  guint from = ghlo_kernel_add_access (builder, x, GHLO_ELEMENT_TYPE_F32, 0, strides);
  guint to = ghlo_kernel_add_access (builder, y, GHLO_ELEMENT_TYPE_F32, 0, strides);
  g_autoptr (GError) error = NULL;
  GhloKernel *kernel;
  guint loaded, number;

  g_assert_cmpuint (p, ==, 0);
  ghlo_kernel_begin_points (builder, 0);
  loaded = ghlo_kernel_add_load (builder, GHLO_ELEMENT_TYPE_F32, from, GHLO_KERNEL_NONE);
  number = ghlo_kernel_add_float (builder, GHLO_ELEMENT_TYPE_F32, constant);
  ghlo_kernel_store (builder, ghlo_kernel_add_node (builder, GHLO_NODE_ADD, GHLO_ELEMENT_TYPE_F32, loaded, number,
                                                    GHLO_KERNEL_NONE), to);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (builder, &error);
  g_assert_no_error (error);

  return kernel;
}
