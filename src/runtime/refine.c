/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A run tells how long all of it took, and no more. Of what was estimated each rate has a share, and the larger that is
 * the more of the error is taken to be the rate's: a step down the gradient of the squared logarithm of measured by
 * estimated, with respect to the logarithms of the rates. Programs that depend on one rate correct that one, others
 * several, and what no program depends on stays as it is.
 *
 * Whatever else a machine does makes runs longer, never shorter. So the quickest run of an executable counts, of those
 * that no other run on the device was beside, and is a lesson again after each second of runs. The first run makes what
 * later ones find, and is left out.
 */

#include "runtime/refine.h"

#include <math.h>
#include <string.h>

#include "runtime/cache-item.h"
#include "runtime/rates.h"

enum
{
  MIN_RUNS = 4,                     /* for a lesson */
  MAX_LESSONS = 16,                 /* of an executable: then it has been heard */
  MIN_TIME = 10,                    /* µs; the clock has no parts of them */
  WINDOW = G_USEC_PER_SEC,          /* µs from the first of a lesson's runs to the last */
  RUN_INTERVAL = 60 * G_USEC_PER_SEC,       /* µs, between files that are written at the end of a run */
  FREE_INTERVAL = G_USEC_PER_SEC,           /* the same at the end of an executable */
};

/* How much of an error one lesson takes away. */
#define LEARNING_RATE 0.3
/* Natural logarithms: the largest error that a lesson is taken to have, a factor of 8; and what rates are refined by at
 * most, a factor of 1000, since guesses are those of the slowest cards, of 3 TFLOP/s, and the fastest have 1000. */
#define MAX_ERROR      2.08
#define MAX_CORRECTION 6.91

/* What is kept of a device. */
typedef struct
{
  GhloStepRates base;               /* what is refined */
  double        corrections[GHLO_RATES_N_FIELDS];     /* logarithms of how many times as long as by base it takes */
  guint64       n_runs;
} Lessons;

/* Belongs to the process, as its device does. */
typedef struct
{
  GhloDeviceCore *device;
  GBytes         *identity;         /* nullable: then nothing is kept of it */
  guint64         n_begun, n_ended; /* runs; atomic */

  /* Guarded by the lock. */
  Lessons         lessons;
  gboolean        is_calibrated;
  gboolean        is_changed;       /* since it was written */
  gint64          written;          /* µs of the monotonic clock; 0: never */
} Learner;

struct _GhloRunWatch
{
  Learner       *learner;
  GhloStepRates  amounts;
  double         others;

  /* Touched by a run that nobody else's is beside, before its end is told; see ghlo_run_watch_end (). */
  gboolean       has_run;
  guint          n_lessons, n_runs; /* the latter since the last lesson */
  gint64         start;             /* of the first of these, µs of the monotonic clock */
  gint64         least;             /* µs that a run took, ever; 0: there was none … */
  gsize          uploaded;          /* … bytes that it uploaded, as did those since */
};

static struct
{
  GMutex      lock;
  GHashTable *learners;             /* GhloDeviceCore → Learner */
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
  GhloStepRates calibrated;
  Lessons found;

  self->is_calibrated = ghlo_rates_recall (self->identity, &calibrated)
                        && memcmp (&calibrated, &self->lessons.base, sizeof calibrated) == 0;
  content = ghlo_cache_item_read (GHLO_CACHE_REFINEMENT, key);
  if (content == NULL || g_bytes_get_size (content) != sizeof found)
    return;
  memcpy (&found, g_bytes_get_data (content, NULL), sizeof found);
  /* Those of other rates say nothing. */
  if (memcmp (&found.base, &self->lessons.base, sizeof found.base) != 0)
    return;
  for (guint i = 0; i < GHLO_RATES_N_FIELDS; i++)
    if (!(fabs (found.corrections[i]) <= MAX_CORRECTION))
      return;
  self->lessons = found;
}

/* Under the lock: begins anew where the device states other rates than before. FALSE where they are not known. */
static gboolean
look (Learner *self)
{
  const GhloStepRates *rates = ghlo_device_core_get_rates (self->device);

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

/* Under the lock. */
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
      self->identity = device->klass->identify != NULL ? device->klass->identify (device) : NULL;
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
  ok = look (self);
  for (guint i = 0; i < GHLO_RATES_N_FIELDS && ok; i++)
    ghlo_rates_set (&refined->rates, i, correct (i, ghlo_rates_get (&self->lessons.base, i),
                                                 self->lessons.corrections[i]));
  refined->is_calibrated = self->is_calibrated;
  refined->n_runs = self->lessons.n_runs;
  g_mutex_unlock (&known.lock);

  return ok;
}

/* @seconds is what @amounts and @others took. */
static void
learn (Learner             *self,
       const GhloStepRates *amounts,
       double               others,
       double               seconds)
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

/* Once more what the quickest run took. */
static void
teach (GhloRunWatch *self)
{
  GhloStepRates amounts = self->amounts;

  amounts.uploads += (double) self->uploaded;
  if (look (self->learner))
    {
      learn (self->learner, &amounts, self->others, (double) self->least / G_USEC_PER_SEC);
      self->learner->lessons.n_runs += self->n_runs;
    }
  self->n_lessons++;
  self->n_runs = 0;
}

/* What is to be written, where something is and nothing was for @interval µs; else NULL. */
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

/* Without the lock. Of several processes the last one's stay, which began with what the others had kept. */
static void
keep (const Learner *self,
      GBytes        *content)       /* taken over; nullable */
{
  g_autoptr (GBytes) lessons = content, key = NULL;

  if (lessons == NULL)
    return;
  key = ghlo_rates_key (self->identity);
  ghlo_cache_item_write (GHLO_CACHE_REFINEMENT, key, self->device->title, lessons);
}

GhloRunWatch *
ghlo_run_watch_new (GhloDeviceCore      *device,
                    const GhloStepRates *amounts,
                    double               others)
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
    teach (self);
  changed = take_changed (self->learner, g_get_monotonic_time (), FREE_INTERVAL);
  g_mutex_unlock (&known.lock);
  keep (self->learner, changed);
  g_free (self);
}

/* 0 where other runs go on. */
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
  /* Where somebody has the lock the next run will do. */
  if (self->n_runs < MIN_RUNS || now - self->start < WINDOW || !g_mutex_trylock (&known.lock))
    return;
  teach (self);
  changed = take_changed (self->learner, now, RUN_INTERVAL);
  g_mutex_unlock (&known.lock);
  keep (self->learner, changed);
}

/* Until the end of a run that nobody else's is beside is told, each that begins finds that it is not alone. So one run
 * at a time is in add_run (), of all on the device, and nobody waits for another. */
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
