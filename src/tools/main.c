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

const GhloToolCommand ghlo_tool_commands[] = {
  { "bench", "[FILE…]", -1, "measure how long programs take",
    "Each program is read, prepared and run again and again. The roofline is the time that\n"
    "the machine needs at least, to move the program's bytes or to do its products, as a\n"
    "share of the median; the machine's own rates are measured before, and are all there is\n"
    "without a FILE.\n"
    "\n"
    "Example:\n"
    "  ghlo bench --save=before.json model.mlir\n"
    "  ghlo bench --baseline=before.json model.mlir",
    ghlo_tool_bench },
  { "cache", "[list|clear|path|size]", 1, "show or clear what compiles keep on disk",
    "What passes made of programs is kept where making it took long enough to pay, in\n"
    "$XDG_CACHE_HOME/ghlo-1.0; what was not used for the longest time goes first.\n"
    "GHLO_CACHE=off keeps nothing and looks for nothing.",
    ghlo_tool_cache },
  { "calibrate", NULL, 0, "measure how fast the devices are",
    "Small programs are run on the CPU and on real GPUs, for a few seconds on each. What\n"
    "they take is kept in $XDG_CACHE_HOME/ghlo-1.0, until the device, its driver or the\n"
    "version of the library is another: programs that name no device go to where they are\n"
    "estimated to end first. Nothing else should run meanwhile.",
    ghlo_tool_calibrate },
  { "check", "FILE…", -1, "run test programs and check what they compute",
    "Each FILE (or every .mlir file of a folder) is a test as StableHLO's own: programs\n"
    "between lines \"// -----\", with check.* operations or custom_call @check.*. With\n"
    "--diagnostics, lines marked expected-error must be refused instead.",
    ghlo_tool_check },
  { "convert", "IN OUT", 2, "write a program in another form",
    "IN is a program in whatever form, text, a portable artifact, other MLIR bytecode or\n"
    "a file of jax.export; \"-\" is standard input. OUT says by its ending what is written:\n"
    "  .mlir                      text\n"
    "  .mlirbc, .bc, .mlir.bc     bytecode: a portable artifact of StableHLO\n"
    "Other endings need --to. \"-\" is standard output, for text unless --to says otherwise.\n"
    "\n"
    "Examples:\n"
    "  ghlo convert model.mlir model.mlirbc\n"
    "  ghlo convert model.mlir model.mlirbc --target=1.0.0\n"
    "  ghlo convert exported.bin - | less",
    ghlo_tool_convert },
  { "devices", NULL, 0, "list the devices that programs can run on", NULL, ghlo_tool_devices },
  { "dump", "FILE", 1, "show what becomes of a program in a compile",
    "Stages:\n"
    "  --stage=parsed             the program as it was read\n"
    "  --stage=passes             the program after the passes\n"
    "  --stage=fusion             the same with the device's fusions, as it gets it; comments in front\n"
    "                             tell the merges, which GHLO_FUSE counts, and why there are no others\n"
    "  --stage=plan               what the device does in a run\n"
    "\n"
    "Example:\n"
    "  ghlo dump --device=cpu --stage=plan --disable=reshape,cse model.mlir",
    ghlo_tool_dump },
  { "info", "FILE", 1, "show what a program takes, gives and consists of", NULL, ghlo_tool_info },
  { "ops", NULL, 0, "list the operations that are known, and how far", NULL, ghlo_tool_ops },
  { "opt", "FILE", 1, "read a program, run passes over it and print it",
    "Examples:\n"
    "  ghlo opt --passes=O2 --report model.mlir   all passes of a level, and what they did\n"
    "  ghlo opt --passes=inline,fold model.mlir   these passes, in this order",
    ghlo_tool_opt },
  { "run", "FILE", 1, "run a program",
    "Inputs are given in order, and by name with NAME= in front; those without a name are\n"
    "the inputs that no name is given for:\n"
    "  --input=image.npy                          a NumPy file\n"
    "  --input=1,2,3,4                            elements (one for all)\n"
    "  --input=4xf32=1,2,3,4                      shape, type and elements\n"
    "  --input='dense<[1, 2]> : tensor<2xi32>'    as MLIR writes it\n"
    "  --input=zeros                              zeros of the type that is wanted\n"
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
  fputs ("\n\"ghlo COMMAND --help\" tells more about a command, \"ghlo --version\" which ghlo this is.\n"
         "A FILE of \"-\" is standard input.\n", stream);
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

int
main (int    argc,
      char **argv)
{
  const GhloToolCommand *command;

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
