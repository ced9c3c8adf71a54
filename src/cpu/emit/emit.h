/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Machine code of kernels, made by LLVM: what the module that links LLVM offers, and how its code is
 * called. The module is opened when there is a kernel to compile, and nothing else needs it: code
 * that was made once is bytes, which run without it.
 *
 * The bits that code computes are those of ghlo_kernel_interpret (), whatever the schedule and the target.
 */

#pragma once

#include "kernel/schedule.h"

G_BEGIN_DECLS

/* What code is called with; the same for all parts of a run but for scratch, which each thread has of its own. */
typedef struct
{
  gpointer const *buffers;      /* of all that the kernel has */
  const gint64   *extents;      /* of all axes; those of axes that are not run-time are the kernel's */
  guint8 *const  *temporaries;  /* where each lies in the scratch, aligned to 64; those that span no axis lie nowhere */
  guint8         *scratch;      /* GHLO_CODE_WASTE bytes, aligned to 64, for what is outside: read, and overwritten */
  gboolean      (*stops) (gpointer data);       /* whether to stop */
  gpointer        data;
  /* a × b + c, rounded once, of @n elements that may overlap none but as a whole: for processors that have no
   * such instruction. */
  void          (*fma_f32) (float *result, const float *a, const float *b, const float *c, gsize n);
  void          (*fma_f64) (double *result, const double *a, const double *b, const double *c, gsize n);
} GhloCodeCall;

enum { GHLO_CODE_WASTE = 1024 };

/* The parallel points [begin, end), counted in row-major order of the parallel axes, but that the axis whose points
 * are lanes comes last. FALSE where it was stopped: some points are done then. */
typedef gboolean (*GhloCodeFunc) (const GhloCodeCall *call,
                                  gint64              begin,
                                  gint64              end);

/* A processor as LLVM names it. */
typedef struct
{
  const char *triple;           /* "x86_64-unknown-linux-gnu" */
  const char *cpu;              /* "x86-64-v3", "generic" */
  const char *features;         /* "+avx512f,-avx512er"; may be "" */
  guint       vector_bytes;     /* of one register */
  guint       masked_bytes;     /* the least element that loads and stores of some lanes only are made for; 0: none */
  gboolean    has_fma;          /* an instruction for FMA */
  gboolean    has_rounding;     /* and for FLOOR and the like */
} GhloCodeTarget;

typedef struct
{
  /* First, and in each version: GHLO_VERSION, since others have other kernels, and g_bytes_unref (), which is another
   * one where the module is linked with another GLib than who opens it: neither frees what the other allocates. */
  const char *library;
  void      (*free_bytes) (GBytes *bytes);
  const char *version;          /* of emitter and LLVM: other versions may make other code */
  /* An object file of one function, whose name is "kernel", position-independent and without undefined symbols;
   * UNSUPPORTED where the kernel has what the emitter does not do. Any thread may call it. @listing (nullable) gets
   * LLVM's intermediate form and the assembly, to be freed by g_free (). */
  GBytes   *(*compile) (const GhloKernel          *kernel,
                        const GhloKernelSchedule  *schedule,
                        const GhloCodeTarget      *target,
                        char                     **listing,
                        GError                   **error);
  /* Gives back memory that the next compile gets again by itself, for when there is nothing to compile. Any thread may
   * call it, also while others compile. */
  void      (*rest)    (void);
} GhloEmitter;

/* The only symbol of the module. */
#define GHLO_EMITTER_SYMBOL "ghlo_emitter"
typedef const GhloEmitter *(*GhloEmitterFunc) (void);

G_END_DECLS
