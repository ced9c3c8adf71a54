/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the sub-commands of `ghlo`. Each sub-command has a file of its own and
 * one row in the table in main.c.
 */

#pragma once

#include <stdio.h>

#include "compiler/devices.h"
#include "import/file.h"
#include "import/import.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* Exit status: success; a problem with the input; a wrong command line. */
enum { GHLO_TOOL_OK = 0, GHLO_TOOL_FAILED = 1, GHLO_TOOL_USAGE = 2 };

typedef struct
{
  const char *name;
  const char *arguments;      /* "FILE…" */
  int         max_arguments;  /* -1: any number */
  const char *summary;        /* one line */
  const char *description;    /* added by --help; may contain examples */
  int       (*run) (int argc, char **argv);
} GhloToolCommand;

extern const GhloToolCommand ghlo_tool_commands[];     /* terminated by a NULL name */

int ghlo_tool_bench   (int argc, char **argv);
int ghlo_tool_cache   (int argc, char **argv);
int ghlo_tool_calibrate (int argc, char **argv);
int ghlo_tool_check   (int argc, char **argv);
int ghlo_tool_convert (int argc, char **argv);
int ghlo_tool_devices (int argc, char **argv);
int ghlo_tool_dump    (int argc, char **argv);
int ghlo_tool_info    (int argc, char **argv);
int ghlo_tool_ops     (int argc, char **argv);
int ghlo_tool_opt     (int argc, char **argv);
int ghlo_tool_run     (int argc, char **argv);

/* Parses a sub-command's options, removes "--" from the remaining words and checks that there are not more
 * of them than the command takes. FALSE when the command is to exit, with *status set. */
gboolean       ghlo_tool_parse_options (const char         *name,
                                        const GOptionEntry *entries,
                                        int                *argc,
                                        char             ***argv,
                                        int                *status);

/* Prints "ghlo: MESSAGE" to standard error, in colour on a terminal. */
void           ghlo_tool_error         (const char *format, ...) G_GNUC_PRINTF (1, 2);
gboolean       ghlo_tool_use_colour    (int fd);

/* Makes the process exit with a message and a failure status when its output could not be written. */
void           ghlo_tool_output_init   (void);
/* Writes to a device or a pipe directly. A file, also one behind a link, is replaced by a new one, so that
 * it is never half written. */
gboolean       ghlo_tool_write_file    (const char   *path,
                                        GBytes       *bytes,
                                        GError      **error);

/* Reads a file; "-" is standard input. */
GBytes        *ghlo_tool_read_file     (const char   *path,
                                        GError      **error);
/* Reads and verifies a program in any form. NULL when *diagnostics received an error. The caller frees
 * *diagnostics in any case, before @bytes, and clears @source, which is nullable. */
GhloIrModule  *ghlo_tool_parse         (const char        *name,
                                        GBytes            *bytes,
                                        GhloImportFlags    flags,
                                        GhloDiagnostics  **diagnostics,
                                        GhloImportSource  *source);
/* Reads and verifies a file, and prints what is wrong with it. */
GhloIrModule  *ghlo_tool_load          (const char        *path,
                                        GhloImportSource  *source);
void           ghlo_tool_print_findings (const GhloDiagnostics *diagnostics);

/* A copy of the program as the device gets it: after the passes of O2 and with fusions, if the device wants
 * them. NULL with @error set. */
GhloIrModule  *ghlo_tool_optimize      (GhloIrModule          *module,
                                        GhloDeviceCore        *device,
                                        GError               **error);

/* Prepares @function for @device. @is_chosen says that the device was chosen automatically, so the CPU may
 * run some of its steps. */
GhloPrepared  *ghlo_tool_prepare       (GhloDeviceCore        *device,
                                        gboolean               is_chosen,
                                        GhloIrModule          *module,
                                        GhloIrOp              *function,
                                        GError               **error);

/* Whether the value of GHLO_FUSE is valid. Prints an error if it is not. */
gboolean       ghlo_tool_check_fuse     (void);
/* Parses the argument of --passes: a level such as "O2", or pass names separated by commas. NULL means O0.
 * @names owns the strings that @options borrows. Prints an error and returns FALSE when the argument is
 * neither. */
gboolean       ghlo_tool_read_passes    (const char        *text,
                                         GhloPassOptions   *options,
                                         char            ***names);

/* One program of a file. */
typedef struct
{
  GBytes *bytes;
  guint   first_line;     /* 1-based, in the file */
} GhloToolSection;

/* A file of one program in any form or, for text with @split, of several programs separated by lines "//
 * -----". "-" is standard input. */
typedef struct
{
  const char     *name;       /* as shown in messages */
  GhloImportFile  file;
  gboolean        is_text;
  GArray         *sections;   /* of GhloToolSection */
} GhloToolFile;

gboolean       ghlo_tool_file_open     (GhloToolFile      *self,
                                        const char        *path,
                                        gboolean           split,
                                        GError           **error);
void           ghlo_tool_file_clear    (GhloToolFile      *self);
/* Like ghlo_tool_parse, for section @index. */
GhloIrModule  *ghlo_tool_file_parse    (GhloToolFile      *self,
                                        guint              index,
                                        GhloImportFlags    flags,
                                        GhloDiagnostics  **diagnostics,
                                        GhloImportSource  *source);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloToolFile, ghlo_tool_file_clear)

/* Appends the inputs of @function to @inputs, of GhloValue. @specs are arguments of --input=: one that begins with an
 * input's name and "=" is for that input, the others are for the remaining inputs, in order. A spec is a .npy file,
 * "1,2,3,4", "4xf32=1,2,3,4", "4xf32=random:SEED", "dense<…> : tensor<…>", "zeros" or "random:SEED". @fill is the spec
 * of inputs without one. Both are nullable. FALSE with @error set where an input has no value, or an unfitting one. */
gboolean       ghlo_tool_make_inputs   (char                **specs,
                                        const char           *fill,
                                        const GhloIrOp       *function,
                                        GPtrArray            *inputs,
                                        GError              **error);

typedef enum
{
  GHLO_TOOL_FORMAT_TENSOR,    /* "tensor<2xi32> {\n  [1, 2]\n}" */
  GHLO_TOOL_FORMAT_DENSE,     /* "dense<[1, 2]> : tensor<2xi32>" */
} GhloToolFormat;

/* Prints a value and a newline to standard output piece by piece, until output fails. Values of more than
 * @max_elements elements are abbreviated with "…". */
void           ghlo_tool_print_value   (const GhloValue *value,
                                        GhloToolFormat   format,
                                        gsize            max_elements);

/* Formats a time with three significant digits and a fitting unit. The caller frees it. */
char          *ghlo_tool_format_time   (double           seconds);
/* Prints @text right-aligned in a column of @width characters, counting characters rather than bytes. */
void           ghlo_tool_print_cell    (FILE            *file,
                                        const char      *text,
                                        int              width);
/* Prints a line for each step of @prepared, with its total time in all runs. */
void           ghlo_tool_print_profile (FILE                 *file,
                                        const GhloPrepared   *prepared,
                                        const GhloRunProfile *profile);

/* Progress on standard error, if that is a terminal. Initialized once, passed to executors as a monitor, and
 * ended before anything else is printed. */
typedef struct
{
  GhloMonitor  monitor;
  const char  *label;
  gint64       started;        /* microseconds */
  gint64       last_shown;
  gboolean     shown;
  gboolean     enabled;
} GhloToolProgress;

void           ghlo_tool_progress_init (GhloToolProgress *self,
                                        const char       *label);
void           ghlo_tool_progress_end  (GhloToolProgress *self);

G_END_DECLS
