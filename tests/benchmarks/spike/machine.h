/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A processor as whoever chooses a schedule sees it: plain numbers, for CPUs and GPUs
 * alike. What does not apply is 0. It has another name than plan/target.h, which is
 * what a device offers to a plan.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

enum { GHLO_MACHINE_MAX_MATRICES = 16 };

/* One shape of the machine's matrix multiply-add, types as GhloElementType. */
typedef struct
{
  guint16 m, n, k;
  guint8  operand, accumulator;
} GhloMachineMatrix;

typedef struct
{
  char              name[64];           /* for humans and cache keys */
  guint             vector_bits;        /* of one register, as far as code should use them */
  guint             n_registers;        /* vector registers, or registers of one invocation */
  gboolean          fma;                /* rounds once, at the cost of a multiplication */
  gboolean          masks;              /* masked loads and stores cost no more than plain ones */
  gboolean          keeps_denormals;
  guint             fma_latency;        /* cycles: chains in flight = latency × units */
  guint             fma_units;
  gsize             cache_bytes[3];     /* of one core; the last one is shared */
  guint             line_bytes;
  guint             n_cores;            /* or compute units */
  guint             min_subgroup, max_subgroup;
  guint             max_workgroup;      /* invocations */
  gsize             scratch_bytes;      /* of a workgroup, or what a CPU kernel may use of the run's scratch */
  guint             load_bytes;         /* the widest load of one invocation */
  guint64           max_groups;         /* workgroups in one dimension of a dispatch */
  guint             n_matrices;
  GhloMachineMatrix matrices[GHLO_MACHINE_MAX_MATRICES];
} GhloMachine;

/* The processor that this runs on, from what GCC's and Linux's tables say. */
void  ghlo_machine_init_host (GhloMachine       *self);
char *ghlo_machine_print     (const GhloMachine *self);

G_END_DECLS
