/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether an application keeps its frame rate while a model runs on the same device. 60 times a second a picture goes
 * to the device and comes back, first alone and then while MODEL runs repeatedly. Also how long a cancel of MODEL takes
 * until it is answered. Frames are those of a window in bench-window, else those of a timer in the main loop.
 *
 *   bench-frames [--device=NAME] [--frames=N] PICTURE MODEL
 *
 * Both are programs. PICTURE takes a tensor<HxWx3xui8> and others that stay zero; its first output is such a picture.
 */

#include <ghlo/ghlo.h>

#include <locale.h>
#include <stdlib.h>

#ifdef WITH_WINDOW
#include <gtk/gtk.h>
#endif

enum { FRAME = G_USEC_PER_SEC / 60, FRAMES_BEFORE = 30, CANCELS = 50 };

static char *device_name;
static int n_frames = 300;

/* A program that always runs with the same inputs. */
typedef struct
{
  GhloExecutable *executable;
  GPtrArray      *inputs;       /* GhloBuffer */
  gboolean        is_wanted;    /* to run once more after this run */
  gboolean        is_running;
  GCancellable   *cancellable;
  guint           n_runs;
  gint64          started;      /* monotonic, as all times here, µs */
  gint64          worst, sum;   /* of finished runs */
} Runner;

typedef struct
{
  Runner  picture;
  Runner  model;
  gint64  last;         /* frame */
  gint64  worst_gap;
  int     n;            /* frames to come, including the first ones, which are not counted */
#ifdef WITH_WINDOW
  GtkWidget *image;
#endif
} App;

static void
check (GError *error)
{
  if (error == NULL)
    return;
  g_printerr ("bench-frames: %s\n", error->message);
  exit (1);
}

static void
load (Runner     *self,
      GhloClient *client,
      const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = ghlo_program_load (file, NULL, &error);
  g_autofree GhloValueInfo **infos = NULL;

  check (error);
  self->executable = ghlo_client_compile (client, program, NULL, NULL, NULL, &error);
  check (error);
  self->inputs = g_ptr_array_new_with_free_func (g_object_unref);
  infos = ghlo_executable_list_inputs (self->executable);
  for (guint i = 0; infos[i] != NULL; i++)
    {
      g_ptr_array_add (self->inputs, ghlo_buffer_new_zeros (ghlo_value_info_get_tensor_type (infos[i]), &error));
      check (error);
      ghlo_value_info_unref (infos[i]);
    }
}

static void
clear (Runner *self)
{
  g_clear_object (&self->executable);
  g_clear_pointer (&self->inputs, g_ptr_array_unref);
}

static void
run (Runner              *self,
     GAsyncReadyCallback  done,
     gpointer             data)
{
  self->is_running = TRUE;
  self->started = g_get_monotonic_time ();
  ghlo_executable_execute_async (self->executable, (GhloBuffer *const *) self->inputs->pdata, self->inputs->len,
                                 self->cancellable, done, data);
}

static void
end_run (Runner *self)
{
  gint64 time = g_get_monotonic_time () - self->started;

  self->is_running = FALSE;
  self->worst = MAX (self->worst, time);
  self->sum += time;
  self->n_runs++;
}

static void
on_model (GObject      *source,
          GAsyncResult *result,
          gpointer      data)
{
  Runner *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) outputs = ghlo_executable_execute_finish (self->executable, result, &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      self->is_running = FALSE;
      return;
    }
  check (error);
  g_assert (outputs != NULL);
  end_run (self);
  if (self->is_wanted)
    run (self, on_model, self);
}

static void
on_read (GObject      *source,
         GAsyncResult *result,
         gpointer      data)
{
  App *app = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = ghlo_buffer_read_finish (GHLO_BUFFER (source), result, &error);

  check (error);
  g_assert (bytes != NULL);
  end_run (&app->picture);
#ifdef WITH_WINDOW
  const gint64 *size = ghlo_tensor_type_get_dimensions (ghlo_buffer_get_tensor_type (GHLO_BUFFER (source)), NULL);
  g_autoptr (GdkTexture) texture = gdk_memory_texture_new ((int) size[1], (int) size[0], GDK_MEMORY_R8G8B8, bytes,
                                                           (gsize) size[1] * 3);

  gtk_picture_set_paintable (GTK_PICTURE (app->image), GDK_PAINTABLE (texture));
#endif
}

static void
on_picture (GObject      *source,
            GAsyncResult *result,
            gpointer      data)
{
  App *app = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) outputs = ghlo_executable_execute_finish (GHLO_EXECUTABLE (source), result, &error);

  check (error);
  ghlo_buffer_read_async (ghlo_result_get_output (outputs, 0), NULL, on_read, app);
}

/* Starts no further run while the previous picture is under way. */
static gboolean
do_frame (App *app)
{
  gint64 now = g_get_monotonic_time ();

  if (app->n < n_frames)
    app->worst_gap = MAX (app->worst_gap, now - app->last);
  app->last = now;
  if (!app->picture.is_running)
    run (&app->picture, on_picture, app);

  return --app->n > 0;
}

#ifdef WITH_WINDOW
static gboolean
on_tick (GtkWidget     *widget,
         GdkFrameClock *clock,
         gpointer       data)
{
  return do_frame (data);
}

static void
begin_frames (App *app)
{
  gtk_widget_add_tick_callback (app->image, on_tick, app, NULL);
}

static void
make_window (App *app)
{
  GtkWidget *window;

  gtk_init ();
  window = gtk_window_new ();
  app->image = gtk_picture_new ();
  gtk_window_set_child (GTK_WINDOW (window), app->image);
  gtk_window_present (GTK_WINDOW (window));
}
#else
typedef struct
{
  GSource source;
  gint64  next;
} FrameSource;

/* The next frame is due one period after the time when this one was due, as in a window, even if this one is late. */
static gboolean
dispatch_frame (GSource     *source,
                GSourceFunc  callback,
                gpointer     data)
{
  FrameSource *self = (FrameSource *) source;

  while (self->next <= g_get_monotonic_time ())
    self->next += FRAME;
  g_source_set_ready_time (source, self->next);

  return callback (data);
}

static GSourceFuncs frame_source = { .dispatch = dispatch_frame };

static gboolean
on_frame (gpointer data)
{
  return do_frame (data);
}

static void
begin_frames (App *app)
{
  g_autoptr (GSource) source = g_source_new (&frame_source, sizeof (FrameSource));

  ((FrameSource *) source)->next = g_get_monotonic_time () + FRAME;
  g_source_set_ready_time (source, ((FrameSource *) source)->next);
  g_source_set_callback (source, on_frame, app, NULL);
  g_source_attach (source, NULL);
}

static void
make_window (App *app)
{
}
#endif

static void
measure_frames (App        *app,
                const char *what,
                gboolean    beside)
{
  app->picture.worst = app->picture.sum = app->worst_gap = 0;
  app->picture.n_runs = app->model.n_runs = 0;
  app->model.sum = 0;
  app->model.is_wanted = beside;
  app->n = n_frames + FRAMES_BEFORE;
  if (beside)
    run (&app->model, on_model, &app->model);
  begin_frames (app);
  while (app->n > 0)
    g_main_context_iteration (NULL, TRUE);
  app->model.is_wanted = FALSE;
  while (app->picture.is_running || app->model.is_running)
    g_main_context_iteration (NULL, TRUE);
  g_print ("%-20s %d frames, at most %.1f ms apart; %u pictures, %.1f ms each, at most %.1f", what, n_frames,
           app->worst_gap / 1e3, app->picture.n_runs, app->picture.sum / 1e3 / MAX (app->picture.n_runs, 1),
           app->picture.worst / 1e3);
  if (app->model.n_runs > 0)
    g_print ("; %u runs of the model, %.1f ms each", app->model.n_runs, app->model.sum / 1e3 / app->model.n_runs);
  g_print ("\n");
}

static gboolean
on_cancel (gpointer data)
{
  Runner *self = data;

  self->started = g_get_monotonic_time ();
  g_cancellable_cancel (self->cancellable);

  return G_SOURCE_REMOVE;
}

/* Cancels each run at a different moment; runs that ended before are not counted. */
static void
measure_cancels (Runner *self)
{
  const gint64 whole = self->sum / MAX (self->n_runs, 1);
  gint64 worst = 0;
  guint n = 0;

  for (guint i = 0; i < CANCELS; i++)
    {
      guint n_before = self->n_runs;

      self->cancellable = g_cancellable_new ();
      run (self, on_model, self);
      g_timeout_add ((guint) (whole * i / CANCELS / 1000), on_cancel, self);
      while (self->is_running || !g_cancellable_is_cancelled (self->cancellable))
        {
          g_main_context_iteration (NULL, TRUE);
          if (!self->is_running && g_cancellable_is_cancelled (self->cancellable) && self->n_runs == n_before)
            {
              worst = MAX (worst, g_get_monotonic_time () - self->started);
              n++;
            }
        }
      g_clear_object (&self->cancellable);
    }
  g_print ("%-20s %u of %d before the end, answered after at most %.1f ms\n", "cancel", n, CANCELS, worst / 1e3);
}

int
main (int    argc,
      char **argv)
{
  const GOptionEntry entries[] = {
    { "device", 'd', 0, G_OPTION_ARG_STRING, &device_name, "What runs both (vulkan)", "NAME" },
    { "frames", 'n', 0, G_OPTION_ARG_INT, &n_frames, "How many (300)", "N" },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("PICTURE MODEL");
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;
  App app = { 0 };

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_parse (context, &argc, &argv, &error);
  check (error);
  if (argc != 3 || n_frames < 1)
    {
      g_printerr ("bench-frames: two programs and a number of frames above 0 are wanted; see --help\n");
      return 2;
    }
  g_setenv ("GHLO_DEVICE", device_name != NULL ? device_name : "vulkan", TRUE);
  load (&app.picture, client, argv[1]);
  load (&app.model, client, argv[2]);
  make_window (&app);
  measure_frames (&app, "alone", FALSE);
  measure_frames (&app, "beside the model", TRUE);
  measure_cancels (&app.model);
  clear (&app.picture);
  clear (&app.model);

  return 0;
}
