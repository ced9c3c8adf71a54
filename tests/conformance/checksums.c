/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     checksums FILE…
 *
 * Runs each program on the CPU on two sets of inputs, and prints a line for each set: the program's name, the set's
 * name, the implementations of the plan's steps that may depend on the level of the instruction set ("-" for none),
 * and a checksum of all outputs. The environment sets the number of threads and that level, which a process chooses
 * once. So the output of two processes differs where bits depend on these.
 *
 * The inputs are generated here and are the same everywhere: floats uniform in [0.1, 1], or of both signs with
 * some zeros; integers in [0, 10); booleans true.
 */

#include <ghlo/ghlo.h>

#include <stdlib.h>
#include <string.h>

typedef enum { UNIFORM, MIXED, N_FILLS } Fill;

static const char *const fill_names[N_FILLS] = { [UNIFORM] = "uniform", [MIXED] = "mixed" };

/* Returns 64 bits, number @at of a stream: a counter mixed by SplitMix64. */
static inline guint64
random_bits (guint64 stream,
             guint64 at)
{
  guint64 x = stream * 0x9e3779b97f4a7c15 + at * 0xd1342543de82ef95;

  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;

  return x ^ x >> 31;
}

/* Returns zero for one in 16; otherwise the sum of four 15-bit numbers, close enough to a normal distribution. */
static inline float
mixed_number (guint64 bits)
{
  gint64 sum = -4 * 0x4000;

  for (guint i = 0; i < 4; i++)
    sum += bits >> (4 + 15 * i) & 0x7fff;

  return bits % 16 == 0 ? 0 : (float) sum / 18918;
}

static void
fill_floats (float   *to,
             gsize    n,
             Fill     fill,
             guint64  stream)
{
  for (gsize i = 0; i < n; i++)
    {
      guint64 bits = random_bits (stream, i);

      to[i] = fill == MIXED ? mixed_number (bits) : 0.1f + 0.9f * (float) (bits >> 40) / (1 << 24);
    }
}

static GhloBuffer *
make_input (GhloTensorType  *type,
            Fill             fill,
            guint            index,
            GError         **error)
{
  GhloElementType element_type = ghlo_tensor_type_get_element_type (type);
  gsize n = (gsize) ghlo_tensor_type_get_n_elements (type), size = element_type == GHLO_ELEMENT_TYPE_I1 ? 1 : 4;
  guint8 *data = g_malloc (MAX (n * size, 1));
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, n * size);

  switch (element_type)
    {
    case GHLO_ELEMENT_TYPE_F32:
      fill_floats ((float *) (gpointer) data, n, fill, index + 1);
      break;
    case GHLO_ELEMENT_TYPE_I32:
      for (gsize i = 0; i < n; i++)
        ((gint32 *) (gpointer) data)[i] = (gint32) (random_bits (index + 1, i) % 10);
      break;
    case GHLO_ELEMENT_TYPE_I1:
      memset (data, 1, n);
      break;
    default:
      g_error ("no input of type %s is made here", ghlo_element_type_to_string (element_type));
    }

  return ghlo_buffer_new_from_bytes (type, bytes, error);
}

static GPtrArray *
make_inputs (GhloExecutable  *executable,
             Fill             fill,
             GError         **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autofree GhloValueInfo **infos = ghlo_executable_list_inputs (executable);
  gboolean failed = FALSE;

  for (guint i = 0; infos[i] != NULL; i++)
    {
      GhloBuffer *buffer = failed ? NULL : make_input (ghlo_value_info_get_tensor_type (infos[i]), fill, i, error);

      failed |= buffer == NULL;
      if (buffer != NULL)
        g_ptr_array_add (inputs, buffer);
      ghlo_value_info_unref (infos[i]);
    }

  return failed ? NULL : g_steal_pointer (&inputs);
}

/* Lists the libraries that the plan's steps call, and "tiles" where float products are fused with sums. */
static char *
find_parts (GhloExecutable *executable)
{
  static const struct
  {
    const char *text;
    const char *name;
  } known[] = {
    { "onednn", "onednn" }, { "openblas", "openblas" },
    { "panels of f", "tiles" }, { "panels of complex", "tiles" }, { "lanes of f", "tiles" },
    { "lanes of complex", "tiles" }, { "rows of f", "tiles" },
  };
  g_autoptr (GhloPlan) plan = ghlo_executable_get_plan (executable);
  g_autofree char *text = plan != NULL ? ghlo_plan_to_string (plan) : g_strdup ("");
  GString *found = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strstr (text, known[i].text) != NULL)
      g_string_append_printf (found, "%s%s", found->len > 0 ? "," : "", known[i].name);
  if (found->len == 0)
    g_string_append_c (found, '-');

  return g_string_free (found, FALSE);
}

static char *
run (GhloExecutable  *executable,
     Fill             fill,
     GError         **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_MD5);
  g_autoptr (GPtrArray) inputs = make_inputs (executable, fill, error);
  g_autoptr (GhloResult) result = NULL;

  if (inputs == NULL)
    return NULL;
  result = ghlo_executable_execute (executable, (GhloBuffer **) inputs->pdata, inputs->len, NULL, error);
  for (guint i = 0; result != NULL && i < ghlo_result_get_n_outputs (result); i++)
    {
      g_autoptr (GBytes) bytes = ghlo_buffer_read (ghlo_result_get_output (result, i), NULL, error);
      gsize size;
      const guchar *data;

      if (bytes == NULL)
        return NULL;
      data = g_bytes_get_data (bytes, &size);
      g_checksum_update (checksum, data, (gssize) size);
    }

  return result != NULL ? g_strdup (g_checksum_get_string (checksum)) : NULL;
}

static gboolean
check_program (GhloClient  *client,
               const char  *path,
               GError     **error)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);
  g_autofree char *name = g_file_get_basename (file);
  g_autoptr (GhloProgram) program = ghlo_program_load (file, NULL, error);
  g_autoptr (GhloExecutable) executable = NULL;
  g_autofree char *parts = NULL;

  if (program == NULL)
    return FALSE;
  executable = ghlo_client_compile (client, program, NULL, NULL, NULL, error);
  if (executable == NULL)
    return FALSE;
  parts = find_parts (executable);
  for (Fill fill = 0; fill < N_FILLS; fill++)
    {
      g_autofree char *checksum = run (executable, fill, error);

      if (checksum == NULL)
        return FALSE;
      g_print ("%s %s %s %s\n", name, fill_names[fill], parts, checksum);
    }

  return TRUE;
}

int
main (int    argc,
      char **argv)
{
  g_autoptr (GhloClient) client = NULL;

  /* Where there is a GPU, the device would otherwise be chosen by estimates, and so by the number of threads. */
  g_setenv ("GHLO_DEVICE", "cpu", TRUE);
  client = ghlo_client_new ();
  for (int i = 1; i < argc; i++)
    {
      g_autoptr (GError) error = NULL;

      if (!check_program (client, argv[i], &error))
        {
          g_printerr ("%s: %s\n", argv[i], error->message);
          return EXIT_FAILURE;
        }
    }

  return EXIT_SUCCESS;
}
