/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the sub-commands of `ghlo` share. Each lives in a file of its own and is
 * one row of the table in main.c.
 */

#pragma once

#include <stdio.h>

#include "compiler/devices.h"
#include "import/file.h"
#include "import/import.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* Exit status: everything right; something in the input is wrong; the command
 * line is wrong. */
enum { GHLO_TOOL_OK = 0, GHLO_TOOL_FAILED = 1, GHLO_TOOL_USAGE = 2 };

typedef struct
{
  const char *name;
  const char *arguments;      /* "FILE…" */
  int         max_arguments;  /* -1: any number */
  const char *summary;        /* one line */
  const char *description;    /* what --help adds; examples */
  int       (*run) (int argc, char **argv);
} GhloToolCommand;

extern const GhloToolCommand ghlo_tool_commands[];     /* ends with a name of NULL */

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

/* Parses a sub-command's options and takes "--" out of what is left, of which there is not more
 * than the command takes. FALSE when it is to stop, with *status set. */
gboolean       ghlo_tool_parse_options (const char         *name,
                                        const GOptionEntry *entries,
                                        int                *argc,
                                        char             ***argv,
                                        int                *status);

/* Prints "ghlo: MESSAGE" on standard error, in colour on a terminal. */
void           ghlo_tool_error         (const char *format, ...) G_GNUC_PRINTF (1, 2);
gboolean       ghlo_tool_use_colour    (int fd);

/* Has the process end with a message and a status when what it printed could not be written. */
void           ghlo_tool_output_init   (void);
/* A device or a pipe is written to; a file is replaced, also behind a link, by a new one, so
 * that there is never half of one. */
gboolean       ghlo_tool_write_file    (const char   *path,
                                        GBytes       *bytes,
                                        GError      **error);

/* A file's bytes; "-" is standard input. */
GBytes        *ghlo_tool_read_file     (const char   *path,
                                        GError      **error);
/* Reads and verifies a program in whatever form. NULL when an error was added to
 * *diagnostics, which the caller frees in any case, before @bytes; @source, which
 * may be NULL, is the caller's to clear. */
GhloIrModule  *ghlo_tool_parse         (const char        *name,
                                        GBytes            *bytes,
                                        GhloImportFlags    flags,
                                        GhloDiagnostics  **diagnostics,
                                        GhloImportSource  *source);
/* Reads and verifies a file, printing what is wrong with it. */
GhloIrModule  *ghlo_tool_load          (const char        *path,
                                        GhloImportSource  *source);
void           ghlo_tool_print_findings (const GhloDiagnostics *diagnostics);

/* The program as the device is to get it: with the passes of O2 run over a copy, and its
 * fusions made, where it wants them. NULL with @error set. */
GhloIrModule  *ghlo_tool_optimize      (GhloIrModule          *module,
                                        GhloDeviceCore        *device,
                                        GError               **error);

/* Prepares it for the device; @is_chosen: nobody asked for that one, so that some of its steps may be the CPU's. */
GhloPrepared  *ghlo_tool_prepare       (GhloDeviceCore        *device,
                                        gboolean               is_chosen,
                                        GhloIrModule          *module,
                                        GhloIrOp              *function,
                                        GError               **error);

/* Whether a pass is called so; of a name that it had before, its name is told. */
gboolean       ghlo_tool_check_pass     (const char        *name);
/* Whether GHLO_FUSE can be understood; what cannot is told. */
gboolean       ghlo_tool_check_fuse     (void);
/* What an option --passes asks for: a level, "O2", or names with commas between them; NULL
 * is O0. @names holds what @options borrows. FALSE when it is neither, which is told. */
gboolean       ghlo_tool_read_passes    (const char        *text,
                                         GhloPassOptions   *options,
                                         char            ***names);

/* One program of a file. */
typedef struct
{
  GBytes *bytes;
  guint   first_line;     /* of the file, 1-based */
} GhloToolSection;

/* A file of programs: one in whatever form or, as text and with @split, those
 * between lines "// -----". "-" is standard input. */
typedef struct
{
  const char     *name;       /* as messages show it */
  GhloImportFile  file;
  gboolean        is_text;
  GArray         *sections;   /* of GhloToolSection */
} GhloToolFile;

gboolean       ghlo_tool_file_open     (GhloToolFile      *self,
                                        const char        *path,
                                        gboolean           split,
                                        GError           **error);
void           ghlo_tool_file_clear    (GhloToolFile      *self);
/* As ghlo_tool_parse, for section @index. */
GhloIrModule  *ghlo_tool_file_parse    (GhloToolFile      *self,
                                        guint              index,
                                        GhloImportFlags    flags,
                                        GhloDiagnostics  **diagnostics,
                                        GhloImportSource  *source);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloToolFile, ghlo_tool_file_clear)

/* What --input= gives each of the inputs, as the next function takes it; NULL where it gives nothing. Specs that begin
 * with an input's name and "=" are that input's; the others are the inputs that are left, in order. Borrows @specs,
 * which may be NULL; NULL with @error set for names that there are not, and for too many. */
const char   **ghlo_tool_assign_inputs (char                **specs,
                                        const GhloIrOp       *function,
                                        guint                 n_inputs,
                                        GError              **error);

/* An input as the command line gives it: a .npy file, "1,2,3,4", "4xf32=1,2,3,4",
 * "dense<…> : tensor<…>", "zeros", "random:SEED". @type is the program's. */
GhloValue     *ghlo_tool_make_input    (const char           *spec,
                                        const GhloIrType     *type,
                                        guint                 index,
                                        GError              **error);

typedef enum
{
  GHLO_TOOL_FORMAT_TENSOR,    /* "tensor<2xi32> {\n  [1, 2]\n}" */
  GHLO_TOOL_FORMAT_DENSE,     /* "dense<[1, 2]> : tensor<2xi32>" */
} GhloToolFormat;

/* Prints a value and a newline on standard output as it goes, until that cannot be written any more. One of more than
 * @max_elements is shortened, with "…". */
void           ghlo_tool_print_value   (const GhloValue *value,
                                        GhloToolFormat   format,
                                        gsize            max_elements);

/* A time with a unit that leaves three digits; the caller frees it. */
char          *ghlo_tool_format_time   (double           seconds);
/* Ends a column of @width characters, of which a byte may be a part, with @text. */
void           ghlo_tool_print_cell    (FILE            *file,
                                        const char      *text,
                                        int              width);
/* A line for each step of @prepared, with what it took in all runs together. */
void           ghlo_tool_print_profile (FILE                 *file,
                                        const GhloPrepared   *prepared,
                                        const GhloRunProfile *profile);

/* Progress on standard error while it is a terminal: set up once, given to
 * executors as a monitor, ended before anything else is printed. */
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
