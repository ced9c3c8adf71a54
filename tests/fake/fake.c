/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fake device: its class, the counting and failing of its calls, and its memory.
 */

#include "calls.h"

#include <string.h>

#include "runtime/memory.h"

/* Bytes copied, and microseconds slept, between two checks for cancellation. */
enum { BLOCK = 1 << 20, NAP = 1000 };

/* Figures over all fake devices of the process. */
typedef struct
{
  guint n_calls[FAKE_N_CALLS];    /* from the beginning */
  guint n_storages, n_prepared;   /* alive */
  guint n_runs;                   /* under way, including copies */
  gsize n_bytes;                  /* of memory in use */
} Figures;

static struct
{
  GMutex      lock;                       /* guards what follows */
  Figures     figures;
  FakeCall    failing;
  guint       n_until;                    /* calls up to and including the one that fails; 0: none fails */
  GhloError   code;
  gboolean    failed;
  guint       time[FAKE_N_CALLS];         /* microseconds */
} fake = { .time[FAKE_RUN] = 200 };

static const char *const call_names[] = {
  "allocate", "upload", "download", "copy", "prepare", "start", "run",
};

const char *
fake_call_name (FakeCall call)
{
  return call_names[call];
}

static Figures
get_figures (void)
{
  Figures figures;

  g_mutex_lock (&fake.lock);
  figures = fake.figures;
  g_mutex_unlock (&fake.lock);

  return figures;
}

guint
fake_count_calls (FakeCall call)
{
  return get_figures ().n_calls[call];
}

char *
fake_describe_left (void)
{
  const Figures figures = get_figures ();
  const gsize n_used = ghlo_memory_get_used ();

  if (figures.n_storages == 0 && figures.n_prepared == 0 && figures.n_runs == 0 && figures.n_bytes == 0 && n_used == 0)
    return g_strdup ("");

  return g_strdup_printf ("%u storages, %u prepared, %u runs, %" G_GSIZE_FORMAT " bytes of devices, %" G_GSIZE_FORMAT
                          " bytes of the process", figures.n_storages, figures.n_prepared, figures.n_runs,
                          figures.n_bytes, n_used);
}

void
fake_assert_nothing_left (gint64 microseconds)
{
  gint64 end = g_get_monotonic_time () + microseconds;
  g_autofree char *left = fake_describe_left ();

  while (*left != '\0' && g_get_monotonic_time () < end)
    {
      g_free (left);
      left = fake_describe_left ();
    }
  g_assert_cmpstr (left, ==, "");
}

void
fake_fail (FakeCall  call,
           guint     n,
           GhloError code)
{
  g_mutex_lock (&fake.lock);
  fake.failing = call;
  fake.n_until = n;
  fake.code = code;
  fake.failed = FALSE;
  g_mutex_unlock (&fake.lock);
}

gboolean
fake_has_failed (void)
{
  gboolean failed;

  g_mutex_lock (&fake.lock);
  failed = fake.failed;
  g_mutex_unlock (&fake.lock);

  return failed;
}

void
fake_take_time (FakeCall call,
                guint    microseconds)
{
  g_mutex_lock (&fake.lock);
  fake.time[call] = microseconds;
  g_mutex_unlock (&fake.lock);
}

void
fake_count (FakeFigure figure,
            gssize     difference)
{
  g_mutex_lock (&fake.lock);
  fake.figures.n_storages += figure == FAKE_STORAGES ? difference : 0;
  fake.figures.n_prepared += figure == FAKE_PREPARED ? difference : 0;
  fake.figures.n_runs += figure == FAKE_RUNS ? difference : 0;
  fake.figures.n_bytes += figure == FAKE_BYTES ? difference : 0;
  g_mutex_unlock (&fake.lock);
}

enum { NO_FAULT = -1 };

/* Counts the call. Returns its time in microseconds; sets *code to its error code or NO_FAULT. */
static guint
count_call (FakeCall  call,
            int      *code)
{
  guint time;

  g_mutex_lock (&fake.lock);
  fake.figures.n_calls[call]++;
  time = fake.time[call];
  *code = NO_FAULT;
  if (fake.n_until > 0 && fake.failing == call && --fake.n_until == 0)
    {
      *code = fake.code;
      fake.failed = TRUE;
    }
  g_mutex_unlock (&fake.lock);

  return time;
}

gboolean
fake_begin (GhloDeviceCore     *device,
            FakeCall            call,
            const GhloMonitor  *monitor,
            GError            **error)
{
  int code;
  guint time = count_call (call, &code);

  for (guint slept = 0; slept < time; slept += NAP)
    {
      if (ghlo_monitor_cancelled (monitor, error))
        return FALSE;
      g_usleep (MIN (time - slept, NAP));
    }
  if (code == GHLO_ERROR_DEVICE_LOST)
    ghlo_device_core_lose (device);
  if (code == NO_FAULT && ghlo_device_core_is_lost (device))
    code = GHLO_ERROR_DEVICE_LOST;
  if (code == NO_FAULT)
    return !ghlo_monitor_cancelled (monitor, error);
  g_set_error (error, GHLO_ERROR, code, "the device '%s' failed to %s", device->names[0], call_names[call]);

  return FALSE;
}

struct _FakeMemory
{
  gatomicrefcount ref_count;
  gsize           size;
  guint8         *scrambled;     /* counts as memory of the process, like values in host memory */
  GError         *error;         /* of the work that was to write it; the device's thread sets it */
};

static FakeMemory *
memory_new (gsize    size,
            GError **error)
{
  guint8 *memory = ghlo_memory_alloc_uninitialized (size, error);
  FakeMemory *self;

  if (memory == NULL)
    return NULL;
  self = g_new0 (FakeMemory, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->size = size;
  self->scrambled = memory;
  fake_count (FAKE_BYTES, size);

  return self;
}

FakeMemory *
fake_memory_ref (FakeMemory *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
fake_memory_unref (FakeMemory *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  fake_count (FAKE_BYTES, -(gssize) self->size);
  ghlo_memory_free (self->scrambled, self->size);
  g_clear_error (&self->error);
  g_free (self);
}

/* Scrambles or unscrambles: the operation is its own inverse. */
static gboolean
scramble (const guint8       *from,
          guint8             *to,
          gsize               size,
          const GhloMonitor  *monitor,
          GError            **error)
{
  for (gsize start = 0; start < size; start += BLOCK)
    {
      if (ghlo_monitor_cancelled (monitor, error))
        return FALSE;
      for (gsize i = start, end = MIN (size, start + BLOCK); i < end; i++)
        to[i] = from[i] ^ (guint8) (0xa5 + i);
    }

  return TRUE;
}

gboolean
fake_memory_write (FakeMemory         *self,
                   gconstpointer       from,
                   const GhloMonitor  *monitor,
                   GError            **error)
{
  return scramble (from, self->scrambled, self->size, monitor, error);
}

gboolean
fake_memory_read (FakeMemory         *self,
                  gpointer            to,
                  const GhloMonitor  *monitor,
                  GError            **error)
{
  if (self->error != NULL)
    {
      g_propagate_error (error, g_error_copy (self->error));
      return FALSE;
    }

  return scramble (self->scrambled, to, self->size, monitor, error);
}

void
fake_memory_fail (FakeMemory   *self,
                  const GError *error)
{
  g_clear_error (&self->error);
  self->error = error != NULL ? g_error_copy (error) : NULL;
}

void
fake_memory_copy (FakeMemory *from,
                  FakeMemory *to)
{
  fake_memory_fail (to, from->error);
  if (to->size > 0)
    memcpy (to->scrambled, from->scrambled, to->size);
}

typedef struct
{
  GhloDeviceMemory  base;
  GhloDeviceCore   *device;
} Memory;

static GhloDeviceCore *
device_of (GhloDeviceMemory *self)
{
  return ((Memory *) self)->device;
}

static gpointer
alloc (GhloDeviceMemory  *self,
       GhloMemoryKind     kind,
       gsize              size,
       gpointer          *host,
       GError           **error)
{
  const gboolean begun = fake_begin (device_of (self), FAKE_ALLOCATE, NULL, error);
  FakeMemory *memory = begun ? memory_new (size, error) : NULL;

  if (host != NULL)
    *host = NULL;
  if (memory != NULL)
    fake_count (FAKE_STORAGES, 1);

  return memory;
}

static void
free_memory (GhloDeviceMemory *self,
             gpointer          address,
             gsize             size)
{
  fake_count (FAKE_STORAGES, -1);
  fake_memory_unref (address);
}

FakeMemory *
fake_storage_get (GhloStorage *storage)
{
  return GSIZE_TO_POINTER (storage->address);
}

static gboolean
upload (GhloDeviceMemory   *self,
        gconstpointer       from,
        gpointer            to,
        gsize               size,
        gboolean            is_fresh,
        const GhloMonitor  *monitor,
        GError            **error)
{
  return fake_begin (device_of (self), FAKE_UPLOAD, monitor, error) && fake_memory_write (to, from, monitor, error);
}

static gboolean
download (GhloDeviceMemory   *self,
          gconstpointer       from,
          gpointer            to,
          gsize               size,
          const GhloMonitor  *monitor,
          GError            **error)
{
  return fake_begin (device_of (self), FAKE_DOWNLOAD, monitor, error)
         && fake_memory_read ((FakeMemory *) from, to, monitor, error);
}

static gboolean
copy (GhloDeviceMemory  *self,
      gconstpointer      from,
      gpointer           to,
      gsize              size,
      GError           **error)
{
  return fake_copy (device_of (self), (FakeMemory *) from, to, error);
}

/* It counts as memory of the process. */
static void
measure (GhloDeviceMemory *self,
         GhloMemoryUse    *use,
         gboolean          restarts)
{
  if (restarts)
    ghlo_memory_reset_peak ();
}

static const GhloDeviceMemoryClass memory_class = {
  .alloc = alloc, .free = free_memory, .upload = upload, .download = download, .copy = copy, .measure = measure,
};

typedef struct
{
  GhloDeviceQueue  base;
  GhloDeviceCore  *device;
} Queue;

static void
signal_fence (gpointer fence,
              gpointer device)
{
  ghlo_fence_signal (fence, NULL);
  ghlo_fence_unref (fence);
}

static GhloFence *
add_fence (GhloDeviceQueue *self,
           GhloWait         wait)
{
  GhloFence *fence = ghlo_fence_new ();

  fake_submit (((Queue *) self)->device, signal_fence, ghlo_fence_ref (fence));

  return fence;
}

/* For a device that runs whole programs, and signals its fences itself. */
static const GhloDeviceQueueClass queue_class = { .add_fence = add_fence };

static const GhloWholeProgramClass programs = { .load = fake_load, .free = fake_free, .start = fake_start,
                                                 .get_inner = fake_get_inner };

static const GhloDeviceCoreClass klass = { .name = "fake", .whole_programs = &programs };

typedef struct
{
  GhloDeviceCore  base;
  Memory          memory;
  Queue           queue;
  GThreadPool    *thread;      /* one at most; of Task */
} FakeDevice;

typedef struct
{
  GFunc    func;
  gpointer data;
} Task;

static void
work (gpointer data,
      gpointer device)
{
  g_autofree Task *task = data;

  task->func (task->data, device);
}

void
fake_submit (GhloDeviceCore *self,
             GFunc           func,
             gpointer        data)
{
  Task *task = g_new (Task, 1);

  *task = (Task) { func, data };
  g_thread_pool_push (((FakeDevice *) self)->thread, task, NULL);
}

void
fake_find_devices (GPtrArray *devices)
{
  static const char *const names[] = { "fake", NULL };
  static const char *const features[] = { "every-operation", "every-element-type", NULL };
  /* Includes lost devices, which callers may still query. */
  static GPtrArray *all;
  FakeDevice *self;

  if (devices->len > 0)
    return;
  self = g_new (FakeDevice, 1);
  *self = (FakeDevice) {
    .base = {
      .klass = &klass,
      .kind = GHLO_DEVICE_KIND_VULKAN,
      .names = names,
      .title = "Fake device",
      .driver = "ghlo " GHLO_VERSION,
      .features = features,
      .wants_passes = TRUE,
      .memory = &self->memory.base,
      .queue = &self->queue.base,
    },
    .memory = { { &memory_class, "fake", G_MAXSIZE, 0 }, &self->base },
    .queue = { { &queue_class }, &self->base },
    .thread = g_thread_pool_new (work, self, 1, FALSE, NULL),
  };
  if (all == NULL)
    all = g_ptr_array_new ();
  g_ptr_array_add (all, self);
  g_ptr_array_add (devices, self);
}
