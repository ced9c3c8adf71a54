/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The command `ghlo`: a table of sub-commands, from which dispatch, --help and
 * shell completion are derived.
 */

#include "tools/tool.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/debug.h"
#include "base/stack.h"

const GhloToolCommand ghlo_tool_commands[] = {
  { "bench", "[FILE…]", -1, "measure how long programs take",
    "Each program is loaded, compiled and then run many times. The roofline column is a percentage:\n"
    "the least time in which the machine can move the program's bytes or compute its matrix\n"
    "products, divided by the median time. The rates of the machine are measured first; without\n"
    "a FILE, only they are printed. For a device with memory of its own, the rates are that\n"
    "device's, the inputs are in its memory, and the JSON and CSV formats tell the time of a run of\n"
    "several that do not wait for each other (queued_s). Inputs are given as to ghlo run.\n"
    "\n"
    "Example:\n"
    "  ghlo bench --save=before.json model.mlir\n"
    "  ghlo bench --baseline=before.json model.mlir",
    ghlo_tool_bench },
  { "cache", "[list|clear|path|size]", 1, "show or clear the cache of compiled programs on disk",
    "Programs whose passes took long enough are stored after the passes, among other files, in\n"
    "$XDG_CACHE_HOME/ghlo-1.0. When the cache is full, the least recently used files are deleted.\n"
    "GHLO_CACHE=off turns the cache off: nothing is stored and nothing is looked up.",
    ghlo_tool_cache },
  { "calibrate", NULL, 0, "measure how fast the devices are",
    "Small programs are run on the CPU and on real GPUs, for a few seconds on each. The measured\n"
    "rates are stored in $XDG_CACHE_HOME/ghlo-1.0 and used until the device, its driver or the\n"
    "version of the library changes: a program for which no device is named runs on the device\n"
    "with the shortest estimated time. Run nothing else on the machine during the measurement.",
    ghlo_tool_calibrate },
  { "check", "FILE…", -1, "run test programs and check what they compute",
    "Each FILE (or every .mlir file of a folder) is a test in the form of StableHLO's own tests:\n"
    "programs separated by lines \"// -----\", with check.* operations or custom_call @check.*.\n"
    "With --diagnostics, no program is run; instead, lines marked expected-error must be rejected.",
    ghlo_tool_check },
  { "convert", "IN OUT", 2, "write a program in another form",
    "IN is a program in any form: text, a portable artifact, other MLIR bytecode or a file\n"
    "written by jax.export; \"-\" is standard input. The extension of OUT selects the form that\n"
    "is written:\n"
    "  .mlir                      text\n"
    "  .mlirbc, .bc, .mlir.bc     bytecode: a portable artifact of StableHLO\n"
    "Other extensions need --to. \"-\" is standard output, which gets text unless --to is given.\n"
    "\n"
    "Examples:\n"
    "  ghlo convert model.mlir model.mlirbc\n"
    "  ghlo convert model.mlir model.mlirbc --target=1.0.0\n"
    "  ghlo convert exported.bin - | less",
    ghlo_tool_convert },
  { "devices", NULL, 0, "list the devices that programs can run on", NULL, ghlo_tool_devices },
  { "dump", "FILE", 1, "show a program at one stage of its compilation",
    "Stages:\n"
    "  --stage=parsed             the program as it was read\n"
    "  --stage=passes             the program after the passes\n"
    "  --stage=fusion             the program with its fusions, as the device receives it; comments\n"
    "                             before it list the merges, with the numbers that GHLO_FUSE counts,\n"
    "                             and the reasons why other operations were not merged\n"
    "  --stage=plan               the steps that the device takes in a run\n"
    "  --stage=kernels            the kernels that were generated for these steps\n"
    "  --stage=code               the machine code of these kernels\n"
    "\n"
    "Example:\n"
    "  ghlo dump --device=cpu --stage=plan --disable=reshape,cse model.mlir",
    ghlo_tool_dump },
  { "info", "FILE", 1, "show the inputs, outputs and operations of a program", NULL, ghlo_tool_info },
  { "ops", NULL, 0, "list the known operations and which devices support them", NULL, ghlo_tool_ops },
  { "opt", "FILE", 1, "read a program, run passes over it and print it",
    "Examples:\n"
    "  ghlo opt --passes=O2 --report model.mlir   all passes of a level, with a report\n"
    "  ghlo opt --passes=inline,fold model.mlir   these passes, in this order",
    ghlo_tool_opt },
  { "run", "FILE", 1, "run a program",
    "An input is given by its name with NAME= in front. Inputs given without a name fill the\n"
    "remaining ones in order:\n"
    "  --input=image.npy                          a NumPy file\n"
    "  --input=1,2,3,4                            elements (a single one stands for all)\n"
    "  --input=4xf32=1,2,3,4                      shape, type and elements\n"
    "  --input=4xf32=random:SEED                  shape, type and one of the words below\n"
    "  --input='dense<[1, 2]> : tensor<2xi32>'    a constant in MLIR syntax\n"
    "  --input=zeros                              zeros of the type that the program declares\n"
    "  --input=random:SEED                        random numbers: floats uniform in [0.1, 1],\n"
    "                                             integers in [0, 10), booleans true\n"
    "\n"
    "Examples:\n"
    "  ghlo run model.mlir --input=x.npy --fill=random:1 --output-dir=out\n"
    "  ghlo run model.mlir --input=rate=0.5 --input=image=x.npy",
    ghlo_tool_run },
  { NULL, NULL, 0, NULL, NULL, NULL },
};

static void
print_usage (FILE *stream)
{
  fputs ("Usage: ghlo COMMAND [OPTION…] [ARGUMENT…]\n\n"
         "Compiles and runs StableHLO programs.\n\n"
         "Commands:\n", stream);
  for (const GhloToolCommand *command = ghlo_tool_commands; command->name != NULL; command++)
    fprintf (stream, "  %-9s %s\n", command->name, command->summary);
  fputs ("\n\"ghlo COMMAND --help\" describes a command, \"ghlo --version\" prints the version.\n"
         "A FILE of \"-\" means standard input.\n", stream);
}

static const GhloToolCommand *
find_command (const char *name)
{
  for (const GhloToolCommand *command = ghlo_tool_commands; command->name != NULL; command++)
    if (strcmp (command->name, name) == 0)
      return command;

  return NULL;
}

/* Handles "ghlo help", "ghlo help COMMAND" and "ghlo --version". */
static int
print_help_or_version (int    argc,
                       char **argv)
{
  gboolean is_version = strcmp (argv[1], "--version") == 0;
  const GhloToolCommand *command = argc > 2 && !is_version ? find_command (argv[2]) : NULL;
  int n_used = command != NULL ? 3 : 2;

  if (argc > n_used)
    {
      ghlo_tool_error ("expected nothing after '%s', found '%s'; \"ghlo --help\" lists the commands", argv[n_used - 1],
                       argv[n_used]);
      return GHLO_TOOL_USAGE;
    }
  if (command != NULL)
    return command->run (2, (char *[]) { argv[2], (char *) "--help", NULL });
  if (is_version)
    printf ("ghlo %s\n", GHLO_VERSION);
  else
    print_usage (stdout);

  return GHLO_TOOL_OK;
}

static int
run (int    argc,
     char **argv)
{
  g_autofree char *aids = ghlo_debug_dup_help ();
  const GhloToolCommand *command;

  if (aids != NULL)
    fputs (aids, stderr);
  /* Characters follow the user's locale; numbers always keep the C locale's form. */
  setlocale (LC_CTYPE, "");
  ghlo_tool_output_init ();

  if (argc < 2)
    {
      print_usage (stderr);
      return GHLO_TOOL_USAGE;
    }
  if (g_strv_contains ((const char *const[]) { "--help", "-h", "help", "--version", NULL }, argv[1]))
    return print_help_or_version (argc, argv);
  if (strcmp (argv[1], "--") == 0 && argc > 2)
    {
      argc--;
      argv++;
    }

  command = find_command (argv[1]);
  if (command == NULL)
    {
      ghlo_tool_error ("there is no command '%s'; \"ghlo --help\" lists the commands", argv[1]);
      return GHLO_TOOL_USAGE;
    }

  return command->run (argc - 1, argv + 1);
}

typedef struct
{
  int    argc;
  char **argv;
} Arguments;

static gpointer
run_arguments (gpointer data)
{
  const Arguments *self = data;

  return GINT_TO_POINTER (run (self->argc, self->argv));
}

/* The shell's limit for the stack may be low. */
int
main (int    argc,
      char **argv)
{
  return GPOINTER_TO_INT (ghlo_stack_call (run_arguments, &(Arguments) { argc, argv }));
}
