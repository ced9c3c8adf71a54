/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dispatches of shaders/fft.glsl, with the tables of roots of unity that they read.
 */

#pragma once

#include "base/monitor.h"
#include "gpu/device.h"
#include "gpu/spirv/spirv.h"
#include "gpu/shaders.h"

G_BEGIN_DECLS

typedef struct
{
  GHLO_GPU_TABLE_HEAD
#include "shaders/fft.words"
} GhloFourierWords;

/* A table of complex numbers: ROOTS of the passes, exp (-2πi v k / (r s)) for each pass of radix r after s but the
 * first, v > 0 and k < s; HALVES, -i exp (-πi k / n) for k up to n / 2; TWIDDLES, exp (-2πi e j / (m n)) for e < m and
 * j < n; CHIRP, exp (-πi k² / n) for k < n; FILTER, the transform, of length m, of its conjugates, divided by m. */
typedef enum
{
  GHLO_FOURIER_NONE,
  GHLO_FOURIER_ROOTS,
  GHLO_FOURIER_HALVES,
  GHLO_FOURIER_TWIDDLES,
  GHLO_FOURIER_CHIRP,
  GHLO_FOURIER_FILTER,
} GhloFourierKind;

typedef struct
{
  GhloFourierKind kind;
  gsize           m, n;
} GhloFourierTable;

/* The tables of a stage, in the order of its words. */
enum { GHLO_FOURIER_OF_PASSES, GHLO_FOURIER_OF_PAIRS, GHLO_FOURIER_FILTERS, GHLO_FOURIER_LOADS, GHLO_FOURIER_STORES,
       GHLO_FOURIER_N_TABLES };

enum { GHLO_FOURIER_MAX_PASSES = 8, GHLO_FOURIER_N_CONSTANTS = 6 };

/* A dispatch. */
typedef struct
{
  guint               n;                /* numbers of a line */
  guint32             form;             /* bits FFT_* */
  guint               radices[GHLO_FOURIER_MAX_PASSES], n_radices;
  guint               lines, threads, size;
  guint64             n_points;
  guint               points_per_group;
  GhloFourierTable    tables[GHLO_FOURIER_N_TABLES];
  GhloFourierWords    words;            /* the addresses of tables are offsets in all of them */
  GhloVulkanPipeline *pipeline;
  guint               from, to;         /* for the step: where the numbers are, … */
  gsize               out_size;         /* … and the bytes that it writes */
} GhloFourierStage;

/* Whether all prime factors of @n are radices. */
gboolean ghlo_fourier_is_smooth  (gsize                n);
/* The most numbers of a line of which @n_lines fit a workgroup. */
gsize    ghlo_fourier_most       (const GhloGpuDevice *device,
                                  gboolean             is_f64,
                                  guint                n_lines);
/* Chooses the radices and the tile of a stage, whose other members but the pipeline are set. */
void     ghlo_fourier_tile       (GhloFourierStage    *stage,
                                  const GhloGpuDevice *device,
                                  gboolean             is_f64);
gboolean ghlo_fourier_compile    (GhloFourierStage    *stage,
                                  GhloGpuDevice       *device,
                                  gboolean             is_f64,
                                  GError             **error);
/* The bytes of a stage's tables. */
gsize    ghlo_fourier_count_bytes (const GhloFourierStage *stage,
                                   gboolean                is_f64);
/* Fills in the stage's tables at @tables + @at. FALSE where there is no memory. */
gboolean ghlo_fourier_fill       (GhloFourierStage    *stage,
                                  gboolean             is_f64,
                                  guint8              *tables,
                                  gsize                at);

G_END_DECLS
