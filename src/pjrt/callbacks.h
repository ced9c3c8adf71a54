/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls back into Python out of programs. JAX's package gives the plugin three functions, once; a program calls one of
 * the package's own functions by the number that it has there: the entry "index" of the configuration of a custom call
 * of "ghlo_python_callback". Whoever has such a program holds those numbers, so that the functions are there as long as
 * a run may call them. Others of its functions are told something when a program is compiled, by the same call: its one
 * operand is then the bytes of a message, and there are no results.
 *
 * The structures are the ABI between the plugin and the package, introspection/jax/jax_plugins/ghlo/_callbacks.py.
 */

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "ir/module.h"
#include "runtime/custom-calls.h"

G_BEGIN_DECLS

#define GHLO_PJRT_CALLBACK_TARGET "ghlo_python_callback"

/* A tensor, row by row without gaps. */
typedef struct
{
  void   *data;
  size_t  size;         /* bytes */
  void   *owner;        /* of an operand: what keeps the data, of which Python has one reference; of a result: NULL */
} GhloPjrtArray;

/* One call. Tokens are not among operands and results. All of it but the operands' data is there until it returns. */
typedef struct
{
  size_t               struct_size;
  int64_t              index;           /* of the function */
  const GhloPjrtArray *operands;        /* not to be written to */
  size_t               n_operands;
  const GhloPjrtArray *results;         /* to be written, every byte of them */
  size_t               n_results;
  void               (*drop) (void *owner);             /* gives an operand's reference back, whenever */
  void               (*fail) (void *error, const char *message);
  void                *error;           /* for fail, which is called before a call that fails returns */
} GhloPjrtCall;

typedef struct
{
  size_t   struct_size;
  int32_t (*call)   (const GhloPjrtCall *call);         /* 0: it has failed; on any thread, on several at once */
  int32_t (*hold)   (int64_t index);                    /* 0: there is no such function, and nothing is held */
  void    (*let_go) (int64_t index);
} GhloPjrtCallbacks;

/* Copies *@callbacks. The first that are set count: programs hold their numbers. NULL: Python ends, and none of them is
 * called any more. */
__attribute__ ((visibility ("default")))
void     ghlo_pjrt_set_callbacks  (const GhloPjrtCallbacks  *callbacks);

/* FALSE with @error set where @module calls what is not there; else *@targets is a table for its compile that answers
 * such calls, or NULL where there are none, and *@have_effects whether one of them is made for its effects. */
gboolean ghlo_pjrt_callbacks_find (const GhloIrModule       *module,
                                   GhloCustomTargets       **targets,
                                   gboolean                 *have_effects,
                                   GError                  **error);

/* Calls function @index with @message. */
gboolean ghlo_pjrt_callbacks_tell (gint64                    index,
                                   GBytes                   *message,
                                   GError                  **error);

G_END_DECLS
