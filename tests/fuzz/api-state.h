/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the parts of fuzz-api: the pool of objects, the choices of arguments, async calls, and a watchdog for runs.
 */

#pragma once

#include <ghlo/ghlo.h>

#include <stdlib.h>

G_BEGIN_DECLS

enum { POOL_SIZE = 6, MAX_INPUTS = 4 };

typedef struct
{
  const guint8 *data;
  gsize         size;
} Input;

typedef enum
{
  POOL_CLIENT,
  POOL_PROGRAM,
  POOL_EXECUTABLE,
  POOL_BUFFER,
  POOL_RESULT,
  POOL_OPTIONS,
  POOL_PROGRESS,
  POOL_CANCELLABLE,
  POOL_DEVICE,
  POOL_SESSION,
  N_POOLS
} PoolKind;

typedef struct
{
  Input         input;
  GMainContext *context;
  GObject      *pools[N_POOLS][POOL_SIZE];
  guint         pending;        /* async calls without an answer yet */
} State;

static inline guint
take (State *state)
{
  if (state->input.size == 0)
    return 0;
  state->input.size--;

  return *state->input.data++;
}

static inline gboolean
maybe (State *state)
{
  return take (state) % 4 == 0;
}

/* By kind. */
static GType (*const pool_types[]) (void) = {
  ghlo_client_get_type, ghlo_program_get_type, ghlo_executable_get_type, ghlo_buffer_get_type, ghlo_result_get_type,
  ghlo_compile_options_get_type, ghlo_progress_get_type, g_cancellable_get_type, ghlo_device_get_type,
  ghlo_session_get_type,
};

G_STATIC_ASSERT (G_N_ELEMENTS (pool_types) == N_POOLS);

/* Returns an object of the pool, or an unconstructed one (transfer none). */
static inline gpointer
pick (State    *state,
      PoolKind  kind)
{
  guint slot = take (state) % POOL_SIZE;

  if (state->pools[kind][slot] == NULL)
    state->pools[kind][slot] = g_object_new (pool_types[kind] (), NULL);

  return state->pools[kind][slot];
}

static inline gpointer
pick_or_null (State    *state,
              PoolKind  kind)
{
  return maybe (state) ? NULL : pick (state, kind);
}

/* Returns an object of any class, since a binding may pass one of a wrong class. */
static inline gpointer
pick_any (State    *state,
          PoolKind  kind)
{
  return take (state) % 16 == 0 ? pick (state, take (state) % N_POOLS) : pick_or_null (state, kind);
}

static inline void
put (State    *state,
     PoolKind  kind,
     gpointer  object)
{
  guint slot = take (state) % POOL_SIZE;

  if (object == NULL)
    return;
  g_clear_object (&state->pools[kind][slot]);
  state->pools[kind][slot] = object;
}

/* Checks that a call returned an object, or NULL and an error with a message. */
static inline void
check (gpointer  made,
       GError   *error)
{
  if ((made == NULL) != (error != NULL))
    abort ();
  if (error != NULL
      && (error->message == NULL || *error->message == '\0' || !g_utf8_validate (error->message, -1, NULL)))
    abort ();
  g_clear_error (&error);
}

static inline void
check_done (gboolean  done,
            GError   *error)
{
  check (done ? GINT_TO_POINTER (1) : NULL, error);
}

static inline GCancellable *
pick_cancellable (State *state)
{
  return pick_or_null (state, POOL_CANCELLABLE);
}

/* Starts the thread that cancels runs. */
void          api_start_watchdog (void);
/* Sets the deadline for an input that begins; 0 when the input is done. */
void          api_set_watch      (gint64 deadline);
/* Returns a cancellable that the watchdog knows; never NULL. */
GCancellable *api_pick_watched   (State *state);

typedef struct _Call Call;

/* The data of an async call on @self, which is NULL for functions: @finish is told the answer. */
Call         *api_call_new       (State    *state,
                                  gpointer  self,
                                  void    (*finish) (State *state, gpointer self, GAsyncResult *result));
/* The callback of each async call. */
void          api_ready          (GObject      *source,
                                  GAsyncResult *result,
                                  gpointer      data);

/* Calls of the library; each chooses its arguments by the input. */

/* api-programs.c */
void api_call_parse          (State *state);
void api_call_load           (State *state);
void api_call_check          (State *state);
void api_call_text           (State *state);
void api_call_serialize      (State *state);
void api_call_lists          (State *state);
void api_call_devices        (State *state);
void api_call_compile        (State *state);
void api_call_register       (State *state);
void api_call_options        (State *state);

/* api-runs.c */
void api_call_execute        (State *state);
void api_call_result         (State *state);
void api_call_session_run    (State *state);
void api_call_session        (State *state);
void api_call_session_set_up (State *state);
void api_call_copy_state     (State *state);

/* api-buffers.c */
void api_call_buffer         (State *state);
void api_call_strided        (State *state);
void api_call_numbers        (State *state);
void api_call_copy           (State *state);
void api_call_file           (State *state);
void api_call_tuple          (State *state);
void api_call_token          (State *state);
void api_call_read           (State *state);
void api_call_ask_buffer     (State *state);
void api_call_release        (State *state);

G_END_DECLS
