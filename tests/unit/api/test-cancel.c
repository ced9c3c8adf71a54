/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The time from a cancel to the end of the work, for programs that would run for hours. They are sections of the file
 * that is given, each but the first of which begins with its name. GHLO_DEVICE chooses the device. A program may also
 * end early, for want of memory or because its result is known.
 */

#include "api-help.h"

#include <string.h>
#include <time.h>

/* In µs: the processor time of a call at which it is cancelled, the time at which it is cancelled at the latest, and
 * the time after which it counts as endless. */
enum { WORK = 30000, MOMENT = 100000, ENDLESS = 20000000 };

typedef struct
{
  const char           *name, *text;
  GhloOptimizationLevel level;
} Case;

/* A sync call on a thread of its own. */
typedef struct
{
  GThreadFunc         func;
  const char         *what;             /* for messages */
  GhloProgram        *program;
  GhloCompileOptions *options;
  GhloExecutable     *executable;       /* of the last compile, or to run */
  GCancellable       *cancellable;
  GError             *error;
  gint64              end, worked;      /* µs: when it ended, and the processor time by then */
  gint                has_ended;        /* atomic */
} Call;

static gint64
get_processor_time (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);

  return time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}

static void
end_call (Call *self)
{
  self->end = g_get_monotonic_time ();
  self->worked = get_processor_time ();
  g_atomic_int_set (&self->has_ended, TRUE);
}

static gpointer
compile (gpointer data)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  Call *self = data;

  g_clear_object (&self->executable);
  self->executable = ghlo_client_compile (client, self->program, self->options, NULL, self->cancellable, &self->error);
  end_call (self);

  return NULL;
}

static gpointer
execute (gpointer data)
{
  Call *self = data;
  GhloValueInfo **infos = ghlo_executable_list_inputs (self->executable);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GhloResult) result = NULL;

  for (guint i = 0; infos[i] != NULL; i++)
    {
      g_ptr_array_add (inputs, ghlo_buffer_new_zeros (ghlo_value_info_get_tensor_type (infos[i]), &self->error));
      g_assert_no_error (self->error);
      ghlo_value_info_unref (infos[i]);
    }
  g_free (infos);
  result = ghlo_executable_execute (self->executable, (GhloBuffer **) inputs->pdata, inputs->len, self->cancellable,
                                    &self->error);
  end_call (self);

  return NULL;
}

/* A dispatch ends by itself, and at equal moments always as much of it would be left. */
static gboolean
is_vulkan (void)
{
  return g_str_has_prefix (g_getenv ("GHLO_DEVICE"), "vulkan");
}

/* Makes the call and cancels it. Returns the time until its end, or the processor time of all threads where that is
 * less, as other processes may delay the end. */
static gint64
cancel (gpointer data)
{
  Call *self = data;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  gint64 begin = g_get_monotonic_time (), worked = get_processor_time ();
  GThread *thread;

  self->cancellable = cancellable;
  self->has_ended = FALSE;
  thread = g_thread_new ("call", self->func, self);
  while (!g_atomic_int_get (&self->has_ended) && g_get_monotonic_time () - begin < MOMENT
         && (is_vulkan () || get_processor_time () - worked < WORK))
    g_usleep (1000);
  begin = g_get_monotonic_time ();
  worked = get_processor_time ();
  g_cancellable_cancel (cancellable);
  while (!g_atomic_int_get (&self->has_ended))
    {
      if (g_get_monotonic_time () - begin > ENDLESS * HELP_SLOWER)
        g_error ("%s goes on after the cancel", self->what);
      g_usleep (1000);
    }
  g_thread_join (thread);
  begin = MAX (self->end - begin, 0);
  worked = MAX (self->worked - worked, 0);
  g_test_message ("%s: %s, %.1f ms after the cancel, of which %.1f were work", self->what,
                  self->error != NULL ? self->error->message : "it ended by itself", begin * 1e-3, worked * 1e-3);
  g_clear_error (&self->error);

  return MIN (begin, worked);
}

static void
test_program (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (GBytes) text = g_bytes_new_static (test->text, strlen (test->text));
  g_autoptr (GhloCompileOptions) options = ghlo_compile_options_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = ghlo_program_parse (text, NULL, NULL, &error);
  Call compilation = { .func = compile, .what = "the compilation", .program = program, .options = options };
  Call run = { .func = execute, .what = "the run" };
  g_autoptr (GhloClient) client = ghlo_client_new ();

  g_assert_no_error (error);
  ghlo_compile_options_set_optimization_level (options, test->level);
  ghlo_compile_options_set_caching (options, FALSE);
  ghlo_compile_options_set_wait_for_code (options, TRUE);
  /* A driver's compiler cannot be interrupted. */
  if (!is_vulkan ())
    soon_assert (cancel, &compilation, HELP_CANCEL_LIMIT);
  g_clear_object (&compilation.executable);
  run.executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);
  if (error != NULL)
    g_test_skip (error->message);
  else
    soon_assert (cancel, &run, HELP_CANCEL_LIMIT);
  g_clear_object (&run.executable);
}

/* Splits off the next section of *text. */
static char *
take_section (char **text)
{
  char *section = *text, *end = strstr (section, "// -----\n");

  *text = end;
  if (end != NULL)
    {
      *end = '\0';
      *text = end + strlen ("// -----\n");
    }

  return section;
}

int
main (int    argc,
      char **argv)
{
  static const GhloOptimizationLevel levels[] = { GHLO_OPTIMIZATION_LEVEL_O0, GHLO_OPTIMIZATION_LEVEL_O2 };
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  char *rest;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  g_file_get_contents (argv[1], &text, NULL, &error);
  g_assert_no_error (error);
  rest = text;
  take_section (&rest);
  while (rest != NULL)
    {
      const char *section = g_strstrip (take_section (&rest));
      g_autofree char *name = g_strndup (section + strlen ("// "), strcspn (section, "\n") - strlen ("// "));

      for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
        {
          g_autofree char *path = g_strdup_printf ("/cancel/%s/O%u", name, levels[i]);
          Case *test = g_new (Case, 1);

          *test = (Case) { name, section, levels[i] };
          g_test_add_data_func_full (path, test, test_program, g_free);
        }
    }

  return g_test_run ();
}
