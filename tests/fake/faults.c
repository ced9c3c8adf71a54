/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The counting and failing of the fake device's calls.
 */

#include "calls.h"

#include "runtime/value.h"

/* Microseconds slept between two checks for cancellation. */
enum { NAP = 1000 };

/* Figures over all fake devices of the process. */
typedef struct
{
  guint n_calls[FAKE_N_CALLS];    /* from the beginning */
  guint n_storages, n_steps;      /* alive */
  guint n_tasks;                  /* in queues */
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
  Figures figures;
  gsize n_used;

  /* Memory that work in the queue may use is freed after it. */
  fake_finish ();
  figures = get_figures ();
  n_used = ghlo_memory_get_used ();
  if (figures.n_storages == 0 && figures.n_steps == 0 && figures.n_tasks == 0 && figures.n_bytes == 0 && n_used == 0)
    return g_strdup ("");

  return g_strdup_printf ("%u storages, %u steps, %u tasks, %" G_GSIZE_FORMAT " bytes of devices, %" G_GSIZE_FORMAT
                          " bytes of the process", figures.n_storages, figures.n_steps, figures.n_tasks,
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
  fake.figures.n_steps += figure == FAKE_STEPS ? difference : 0;
  fake.figures.n_tasks += figure == FAKE_TASKS ? difference : 0;
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
