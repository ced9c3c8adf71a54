/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A run yields one number, its total time. The error of the estimate is attributed to the rates in proportion to
 * their shares of the estimated time: a step of gradient descent on the squared logarithm of measured over
 * estimated time, with respect to the logarithms of the rates. Programs that depend on one rate correct that one,
 * others correct several, and rates that no program depends on stay unchanged.
 *
 * Other load on the machine makes runs longer, never shorter. Hence the fastest run of an executable counts, among
 * runs that overlapped with no other run on the device. It is used for a correction, a lesson, once for every
 * second of runs. The first run is left out, since it prepares what later ones reuse.
 */

#include "runtime/refine.h"

#include <math.h>
#include <string.h>

#include "runtime/cache-item.h"
#include "runtime/rates-cache.h"

enum
{
  MIN_RUNS = 4,                     /* runs per lesson, at least */
  MAX_LESSONS = 16,                 /* lessons per executable, at most; more would only repeat them */
  MIN_TIME = 10,                    /* µs; the clock has a resolution of 1 µs */
  WINDOW = G_USEC_PER_SEC,          /* µs from the first to the last run of a lesson, at least */
  RUN_INTERVAL = 60 * G_USEC_PER_SEC,       /* µs between writes of the file, at the end of runs */
  FREE_INTERVAL = G_USEC_PER_SEC,           /* the same when an executable is freed */
};

/* The fraction of the error that one lesson corrects. */
#define LEARNING_RATE 0.3
/* Natural logarithms: the largest error that one lesson may assume, a factor of 8, and the largest correction of a
 * rate, a factor of 1000. Guesses are those of the slowest cards, with 3 TFLOP/s, and the fastest have 1000. */
#define MAX_ERROR      2.08
#define MAX_CORRECTION 6.91

/* What is stored for a device. */
typedef struct
{
  GhloDeviceRates base;               /* the rates that are refined */
  double        corrections[GHLO_RATES_N_FIELDS];     /* logarithms of actual time over time by base */
  guint64       n_runs;
} Lessons;

/* Belongs to the process, like its device. */
typedef struct
{
  GhloDeviceCore *device;
  GBytes         *identity;         /* nullable: nothing is stored for the device */
  guint64         n_begun, n_ended; /* number of runs; atomic */

  /* The following fields are guarded by the lock. */
  Lessons         lessons;
  gboolean        is_calibrated;
  gboolean        is_changed;       /* since it was last written */
  gint64          written;          /* time of the last write, µs of the monotonic clock; 0: never */
} Learner;

struct _GhloRunWatch
{
  Learner       *learner;
  GhloDeviceRates  amounts;
  double         others;

  /* Accessed only by a run that overlaps with no other run, before it reports its end; see ghlo_run_watch_end (). */
  gboolean       has_run;
  guint          n_lessons, n_runs; /* n_runs counts since the last lesson */
  gint64         start;             /* start of the first of those runs, µs of the monotonic clock */
  gint64         least;             /* µs of the fastest run among those with the same uploads; 0: none yet */
  gsize          uploaded;          /* bytes uploaded by each of those runs */
};

static struct
{
  GMutex      lock;
  GHashTable *learners;             /* from GhloDeviceCore to Learner */
} known;

static double
correct (guint  field,
         double rate,
         double correction)
{
  return rate * exp (ghlo_rates_fields[field].is_time ? correction : -correction);
}

static void
recall (Learner *self)
{
  g_autoptr (GBytes) key = ghlo_rates_key (self->identity), content = NULL;
  GhloDeviceRates calibrated;
  Lessons found;

  self->is_calibrated = ghlo_rates_recall (self->identity, &calibrated)
                        && memcmp (&calibrated, &self->lessons.base, sizeof calibrated) == 0;
  content = ghlo_cache_item_read (GHLO_CACHE_REFINEMENT, key);
  if (content == NULL || g_bytes_get_size (content) != sizeof found)
    return;
  memcpy (&found, g_bytes_get_data (content, NULL), sizeof found);
  /* Corrections of other rates do not apply. */
  if (memcmp (&found.base, &self->lessons.base, sizeof found.base) != 0)
    return;
  for (guint i = 0; i < GHLO_RATES_N_FIELDS; i++)
    if (!(fabs (found.corrections[i]) <= MAX_CORRECTION))
      return;
  self->lessons = found;
}

/* Called with the lock held. Starts over where the device states other rates than before. Returns FALSE where the rates
 * are not known. */
static gboolean
refresh_base (Learner *self)
{
  const GhloDeviceRates *rates = self->device->rates;

  if (rates == NULL)
    return FALSE;
  if (memcmp (rates, &self->lessons.base, sizeof *rates) == 0)
    return TRUE;
  self->lessons = (Lessons) { .base = *rates };
  self->is_calibrated = self->is_changed = FALSE;
  if (self->identity != NULL && ghlo_cache_keeps_items ())
    recall (self);

  return TRUE;
}

/* Called with the lock held. */
static Learner *
find_learner (GhloDeviceCore *device)
{
  Learner *self;

  if (known.learners == NULL)
    known.learners = g_hash_table_new (NULL, NULL);
  self = g_hash_table_lookup (known.learners, device);
  if (self == NULL)
    {
      self = g_new0 (Learner, 1);
      self->device = device;
      self->identity = device->identity != NULL ? g_bytes_ref (device->identity) : NULL;
      g_hash_table_insert (known.learners, device, self);
    }

  return self;
}

gboolean
ghlo_refined_rates_get (GhloDeviceCore   *device,
                        GhloRefinedRates *refined)
{
  Learner *self;
  gboolean ok;

  g_mutex_lock (&known.lock);
  self = find_learner (device);
  ok = refresh_base (self);
  for (guint i = 0; i < GHLO_RATES_N_FIELDS && ok; i++)
    ghlo_rates_set (&refined->rates, i, correct (i, ghlo_rates_get (&self->lessons.base, i),
                                                 self->lessons.corrections[i]));
  refined->is_calibrated = self->is_calibrated;
  refined->n_runs = self->lessons.n_runs;
  g_mutex_unlock (&known.lock);

  return ok;
}

/* Corrects the rates, given that @amounts and @others took @seconds in total. */
static void
learn (Learner               *self,
       const GhloDeviceRates *amounts,
       double                 others,
       double                 seconds)
{
  double parts[GHLO_RATES_N_FIELDS], all = others, error;

  for (guint i = 0; i < GHLO_RATES_N_FIELDS; i++)
    {
      parts[i] = ghlo_rates_time (&self->lessons.base, amounts, i) * exp (self->lessons.corrections[i]);
      all += parts[i];
    }
  if (!(all > 0) || !isfinite (all))
    return;
  error = CLAMP (log (seconds / all), -MAX_ERROR, MAX_ERROR);
  for (guint i = 0; i < GHLO_RATES_N_FIELDS; i++)
    self->lessons.corrections[i] = CLAMP (self->lessons.corrections[i] + LEARNING_RATE * error * parts[i] / all,
                                          -MAX_CORRECTION, MAX_CORRECTION);
  self->is_changed = TRUE;
  g_debug ("%s: estimated %.3g s, measured %.3g s", self->device->names[0], all, seconds);
}

/* Takes a lesson from the fastest run. */
static void
learn_from_fastest (GhloRunWatch *self)
{
  GhloDeviceRates amounts = self->amounts;

  amounts.uploads += (double) self->uploaded;
  if (refresh_base (self->learner))
    {
      learn (self->learner, &amounts, self->others, (double) self->least / G_USEC_PER_SEC);
      self->learner->lessons.n_runs += self->n_runs;
    }
  self->n_lessons++;
  self->n_runs = 0;
}

/* Returns the content to write, or NULL where nothing has changed or the last write is less than @interval µs ago. */
static GBytes *
take_changed (Learner *self,
              gint64   now,
              gint64   interval)
{
  if (!self->is_changed || (self->written != 0 && now - self->written < interval))
    return NULL;
  self->is_changed = FALSE;
  self->written = now;

  return g_bytes_new (&self->lessons, sizeof self->lessons);
}

/* Called without the lock. Where several processes write, the last one wins; each has started from the stored
 * lessons. */
static void
write_lessons (const Learner *self,
               GBytes        *content)       /* transfer full; nullable */
{
  g_autoptr (GBytes) lessons = content, key = NULL;

  if (lessons == NULL)
    return;
  key = ghlo_rates_key (self->identity);
  ghlo_cache_item_write (GHLO_CACHE_REFINEMENT, key, self->device->title, lessons);
}

GhloRunWatch *
ghlo_run_watch_new (GhloDeviceCore        *device,
                    const GhloDeviceRates *amounts,
                    double                 others)
{
  GhloRunWatch *self;
  Learner *learner;

  if (!ghlo_cache_keeps_items ())
    return NULL;
  g_mutex_lock (&known.lock);
  learner = find_learner (device);
  g_mutex_unlock (&known.lock);
  if (learner->identity == NULL)
    return NULL;
  self = g_new0 (GhloRunWatch, 1);
  self->learner = learner;
  self->amounts = *amounts;
  self->others = others;

  return self;
}

void
ghlo_run_watch_free (GhloRunWatch *self)
{
  GBytes *changed;

  g_mutex_lock (&known.lock);
  if (self->n_runs >= MIN_RUNS)
    learn_from_fastest (self);
  changed = take_changed (self->learner, g_get_monotonic_time (), FREE_INTERVAL);
  g_mutex_unlock (&known.lock);
  write_lessons (self->learner, changed);
  g_free (self);
}

/* Returns 0 where another run is in progress. */
guint64
ghlo_run_watch_begin (GhloRunWatch *self)
{
  guint64 n = __atomic_fetch_add (&self->learner->n_begun, 1, __ATOMIC_ACQ_REL);

  return __atomic_load_n (&self->learner->n_ended, __ATOMIC_ACQUIRE) == n ? n + 1 : 0;
}

static void
add_run (GhloRunWatch *self,
         gint64        now,
         gint64        taken,
         gsize         uploaded)
{
  GBytes *changed;

  if (uploaded != self->uploaded)
    self->n_runs = self->least = 0;
  if (self->n_runs++ == 0)
    self->start = now - taken;
  if (self->least == 0 || taken < self->least)
    self->least = taken;
  self->uploaded = uploaded;
  /* If the lock is taken, the next run will take the lesson. */
  if (self->n_runs < MIN_RUNS || now - self->start < WINDOW || !g_mutex_trylock (&known.lock))
    return;
  learn_from_fastest (self);
  changed = take_changed (self->learner, now, RUN_INTERVAL);
  g_mutex_unlock (&known.lock);
  write_lessons (self->learner, changed);
}

/* A run that began alone keeps every run that begins before its end is reported from counting as alone. So at most one
 * run on the device is in add_run () at a time, and no run waits for another. */
void
ghlo_run_watch_end (GhloRunWatch *self,
                    guint64       number,
                    gint64        now,
                    gint64        taken,
                    gsize         uploaded)
{
  Learner *learner = self->learner;

  if (number != 0 && __atomic_load_n (&learner->n_begun, __ATOMIC_ACQUIRE) == number)
    {
      if (self->has_run && taken >= MIN_TIME && self->n_lessons < MAX_LESSONS)
        add_run (self, now, taken, uploaded);
      self->has_run = TRUE;
    }
  __atomic_fetch_add (&learner->n_ended, 1, __ATOMIC_ACQ_REL);
}
