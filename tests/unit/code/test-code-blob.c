/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Object files made by compilers become blobs that give the same results, on this processor and, where an emulator is
 * installed, on aarch64. Objects with unsupported contents are refused with an error that names the cause, and damaged
 * objects and blobs do no harm.
 */

#include "base/ghlo-error.h"
#include "cpu/jit/blob.h"
#include "cpu/jit/map.h"

#include "../sanitized.h"
#include "code-objects.h"
#include "code-samples.h"

#include <elf.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = -40, END = 60 };

typedef int64_t (*Function) (int64_t);

static const struct
{
  const char *name;
  Function    function;
} samples[] = {
#define X(name) { #name, name },
  SAMPLES (X)
#undef X
};

static const char *const options[] = {
  "-O0", "-O1", "-O2", "-O2 -ffunction-sections -fdata-sections", "-O3 -fno-asynchronous-unwind-tables",
};

static GBytes *
compile_sample (const char *compiler,
                guint       number,
                const char *option)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "unit", "code", "code-samples.h", NULL);
  g_autofree char *all = g_strdup_printf ("%s -DSAMPLE=%s -x c", option, samples[number].name);

  return code_object_compile (compiler, all, path);
}

static GBytes *
flatten (GBytes *object)
{
  g_autoptr (GError) error = NULL;
  GBytes *blob = ghlo_code_flatten (object, &error);
  GhloCodeHeader header;

  g_assert_no_error (error);
  ghlo_code_read_header (blob, &header, &error);
  g_assert_no_error (error);

  return blob;
}

static void
run_here (guint   number,
          GBytes *blob)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloCodeMap) map = ghlo_code_map_new (blob, &error);
  Function function;

  g_assert_no_error (error);
  *(gpointer *) &function = ghlo_code_map_get_entry (map);
  for (int64_t i = FIRST; i < END; i++)
    g_assert_cmpint (function (i), ==, samples[number].function (i));
}

static void
check_own (const char *compiler)
{
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    for (guint j = 0; j < G_N_ELEMENTS (options); j++)
      {
        g_autoptr (GBytes) object = compile_sample (compiler, i, options[j]);
        g_autoptr (GBytes) blob = NULL;

        if (object == NULL)
          {
            g_test_skip ("the compiler is not installed");
            return;
          }
        blob = flatten (object);
        run_here (i, blob);
      }
}

static void
test_own (gconstpointer compiler)
{
  check_own (compiler);
}

/* The emulator's output; NULL where no emulator is installed. */
static char *
run_emulator (const char *runner,
              GBytes     *blob)
{
  g_autofree char *path = NULL, *line = NULL, *output = NULL;
  g_autoptr (GError) error = NULL;
  int status, fd = g_file_open_tmp ("ghlo-blob-XXXXXX", &path, &error);

  g_assert_no_error (error);
  close (fd);
  g_file_set_contents (path, g_bytes_get_data (blob, NULL), (gssize) g_bytes_get_size (blob), &error);
  g_assert_no_error (error);
  line = g_strdup_printf ("%s %s %d %d", runner, path, FIRST, END);
  if (!g_spawn_command_line_sync (line, &output, NULL, &status, NULL))
    g_clear_pointer (&output, g_free);
  else
    g_assert_cmpint (status, ==, 0);
  g_unlink (path);

  return g_steal_pointer (&output);
}

/* The program that runs blobs, built once. */
static char *
build_runner (const char *folder)
{
  g_autofree char *source = g_test_build_filename (G_TEST_DIST, "unit", "code", "run-blob.c", NULL);
  g_autofree char *line = g_strdup_printf ("aarch64-linux-gnu-gcc -static -O1 -o %s/run-blob %s", folder, source);
  int status;

  if (!g_spawn_command_line_sync (line, NULL, NULL, &status, NULL) || status != 0)
    return NULL;

  return g_strdup_printf ("qemu-aarch64-static %s/run-blob", folder);
}

static void
check_answers (guint       number,
               const char *output)
{
  g_auto (GStrv) lines = g_strsplit (output, "\n", -1);

  g_assert_cmpuint (g_strv_length (lines), ==, END - FIRST + 1);
  for (int64_t i = FIRST; i < END; i++)
    g_assert_cmpint (g_ascii_strtoll (lines[i - FIRST], NULL, 10), ==, samples[number].function (i));
}

static void
run_samples_elsewhere (const char *runner)
{
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    for (guint j = 0; j < G_N_ELEMENTS (options); j++)
      {
        g_autoptr (GBytes) object = compile_sample ("aarch64-linux-gnu-gcc", i, options[j]);
        g_autoptr (GBytes) blob = flatten (object);
        g_autofree char *output = run_emulator (runner, blob);
        g_autoptr (GError) error = NULL;

        if (output == NULL)
          {
            g_test_skip ("there is no emulator of aarch64");
            return;
          }
        check_answers (i, output);
#ifndef __aarch64__
        g_assert_null (ghlo_code_map_new (blob, &error));
        g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
#endif
      }
}

static void
test_aarch64 (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("ghlo-runner-XXXXXX", &error);
  g_autofree char *runner = build_runner (folder);
  g_autofree char *program = g_build_filename (folder, "run-blob", NULL);

  if (runner != NULL)
    run_samples_elsewhere (runner);
  else
    g_test_skip ("there is no compiler for aarch64");
  g_unlink (program);
  g_rmdir (folder);
}

static void
test_refused (void)
{
  static const struct
  {
    const char *source, *option, *message;
  } cases[] = {
    { "extern long other (long);\nlong kernel (long x) { return other (x) + 1; }\n", "-O1",
      "*undefined symbol 'other'" },
    { "static long n;\nlong kernel (long x) { return n += x; }\n", "-O1", "unsupported section '.bss*" },
    { "static long n = 3;\nlong kernel (long x) { return n += x; }\n", "-O1", "unsupported section '.data*" },
    { "static const int a, b;\nstatic const int *const t[] = { &a, &b };\n"
      "long kernel (long x) { return *t[x & 1]; }\n", "-O1", "unsupported section '.data.rel.ro*" },
    { "static __thread long n;\nlong kernel (long x) { return n += x; }\n", "-O1", "unsupported section '.tbss*" },
    { "long kernel (long x) { __attribute__ ((used, aligned (8192))) static const long t[] = { 1 }; return t[x]; }\n",
      "-O1", "unsupported alignment of section '.rodata*" },
    { "long another (long x) { return x; }\n ", "-O1", "*no function 'kernel'" },
    { "const long kernel = 5;\n ", "-O1", "*no function 'kernel'" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) object = code_object_compile ("cc", cases[i].option, cases[i].source);
      g_autoptr (GError) error = NULL;

      if (object == NULL)
        {
          g_test_skip ("the compiler is not installed");
          return;
        }
      g_assert_null (ghlo_code_flatten (object, &error));
      g_assert_nonnull (error);
      if (!g_pattern_match_simple (cases[i].message, error->message))
        g_error ("expected %s, found %s", cases[i].message, error->message);
    }
}

/* Changes the type of a relocation in the first relocation section. */
static void
change_relocation (GByteArray *object,
                   guint       type)
{
  Elf64_Ehdr header;

  memcpy (&header, object->data, sizeof header);
  for (guint i = 0; i < header.e_shnum; i++)
    {
      Elf64_Shdr section;
      Elf64_Rela relocation;

      memcpy (&section, object->data + header.e_shoff + i * sizeof section, sizeof section);
      if (section.sh_type != SHT_RELA || section.sh_size == 0)
        continue;
      memcpy (&relocation, object->data + section.sh_offset, sizeof relocation);
      relocation.r_info = ELF64_R_INFO (ELF64_R_SYM (relocation.r_info), type);
      memcpy (object->data + section.sh_offset, &relocation, sizeof relocation);
      return;
    }
  g_assert_not_reached ();
}

static void
test_absolute (void)
{
  g_autoptr (GBytes) object = compile_sample ("cc", 1, "-O2 -fno-asynchronous-unwind-tables");
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GBytes) changed = NULL;
  g_autoptr (GError) error = NULL;

  if (object == NULL)
    {
      g_test_skip ("the compiler is not installed");
      return;
    }
  g_byte_array_append (bytes, g_bytes_get_data (object, NULL), (guint) g_bytes_get_size (object));
  change_relocation (bytes, 10);
  changed = g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
  g_assert_null (ghlo_code_flatten (changed, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_true (g_str_has_suffix (error->message, "unsupported relocation type 10"));
}

/* Changes some bytes, mostly counts and offsets, or truncates. The copy is a block of exactly its size, so that
 * sanitizers detect reads beyond. */
static GBytes *
damage (GRand  *rand,
        GBytes *bytes)
{
  static const guint8 values[] = { 0, 1, 2, 4, 8, 0x7f, 0x80, 0xff };
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  guint8 *changed = g_memdup2 (data, size);

  for (guint n = (guint) g_rand_int_range (rand, 1, 6); n > 0; n--)
    {
      /* Headers are at either end. */
      gsize at = (gsize) g_rand_int_range (rand, 0, (gint32) size);

      if (g_rand_boolean (rand))
        at = g_rand_boolean (rand) ? at % MIN (size, 64) : size - 1 - at % MIN (size, 1200);
      changed[at] = g_rand_boolean (rand) ? values[g_rand_int_range (rand, 0, G_N_ELEMENTS (values))]
                                          : (guint8) g_rand_int (rand);
    }
  if (g_rand_int_range (rand, 0, 10) == 0)
    {
      size = (gsize) g_rand_int_range (rand, 0, (gint32) size);
      changed = g_realloc (changed, size);
    }

  return g_bytes_new_take (changed, size);
}

static void
damage_many (GRand  *rand,
             GBytes *object)
{
  g_autoptr (GBytes) blob = flatten (object);
  guint n_made = 0;

  for (guint i = 0; i < (SANITIZED ? 3000 : 30000); i++)
    {
      g_autoptr (GBytes) other = damage (rand, object), made = NULL, header = damage (rand, blob);
      GhloCodeHeader found;

      made = ghlo_code_flatten (other, NULL);
      n_made += made != NULL;
      if (made != NULL)
        g_assert_true (ghlo_code_read_header (made, &found, NULL));
      if (ghlo_code_read_header (header, &found, NULL))
        {
          g_assert_cmpuint (found.size, ==, g_bytes_get_size (header));
          g_assert_cmpuint (found.entry, <, found.size);
        }
    }
  g_assert_cmpuint (n_made, >, 0);
}

static void
test_damage (void)
{
  static const char *const compilers[] = { "cc", "aarch64-linux-gnu-gcc" };
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) g_test_rand_int ());

  for (guint i = 0; i < G_N_ELEMENTS (compilers); i++)
    {
      g_autoptr (GBytes) object = compile_sample (compilers[i], 4, "-O2 -ffunction-sections");

      if (object != NULL)
        damage_many (rand, object);
    }
}

/* Code in a page is not writable, and its memory is accounted for. */
static void
test_map (void)
{
  g_autoptr (GBytes) object = compile_sample ("cc", 0, "-O2");
  g_autoptr (GBytes) blob = NULL;
  GhloCodeMap *map;
  g_autofree char *maps = NULL, *address = NULL;

  if (object == NULL)
    {
      g_test_skip ("the compiler is not installed");
      return;
    }
  blob = flatten (object);
  map = ghlo_code_map_new (blob, NULL);
  g_assert_nonnull (map);
  address = g_strdup_printf ("\n%" G_GINT64_MODIFIER "x-",
                             (guint64) ((guintptr) ghlo_code_map_get_entry (map) & ~(guintptr) 4095));
  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  g_assert_null (strstr (maps, "rwx"));
  g_assert_nonnull (strstr (maps, address));
  g_assert_true (strstr (strstr (maps, address), " r-xp ") < strchr (strstr (maps, address) + 1, '\n'));
  ghlo_code_map_free (map);
}

static void
test_speed (void)
{
  enum { ROUNDS = 50, TIMES = 20 };
  g_autoptr (GBytes) object = compile_sample ("cc", 4, "-O2");
  double flat = G_MAXDOUBLE, mapped = G_MAXDOUBLE;

  for (guint i = 0; object != NULL && i < ROUNDS; i++)
    {
      g_autoptr (GBytes) blob = flatten (object);

      g_test_timer_start ();
      for (guint j = 0; j < TIMES; j++)
        g_bytes_unref (flatten (object));
      flat = MIN (flat, g_test_timer_elapsed () / TIMES);
      g_test_timer_start ();
      for (guint j = 0; j < TIMES; j++)
        ghlo_code_map_free (ghlo_code_map_new (blob, NULL));
      mapped = MIN (mapped, g_test_timer_elapsed () / TIMES);
    }
  g_test_message ("%.2f us to flatten, %.2f us to map and unmap", flat * 1e6, mapped * 1e6);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
#if defined __x86_64__ || defined __aarch64__
  g_test_add_data_func ("/code/blob/cc", "cc", test_own);
  g_test_add_data_func ("/code/blob/clang", "clang", test_own);
  g_test_add_func ("/code/blob/refused", test_refused);
  g_test_add_func ("/code/blob/map", test_map);
  g_test_add_func ("/code/blob/speed", test_speed);
#endif
#ifdef __x86_64__
  g_test_add_func ("/code/blob/absolute", test_absolute);
#endif
  g_test_add_func ("/code/blob/aarch64", test_aarch64);
  g_test_add_func ("/code/blob/damage", test_damage);

  return g_test_run ();
}
