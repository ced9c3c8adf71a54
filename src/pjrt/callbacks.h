/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls from programs back into Python. JAX's package gives the plugin three functions, once. A program calls one of
 * the package's functions by its number there, which is the entry "index" in the configuration of a custom call of
 * "ghlo_python_callback". An executable that contains such calls holds their numbers, so that the functions exist as
 * long as a run may call them. Other functions of the package are notified of something when a program is compiled,
 * through the same call: its one operand is then the bytes of a message, and there are no results.
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

/* A row-major tensor without gaps. */
typedef struct
{
  void   *data;
  size_t  size;         /* bytes */
  void   *owner;        /* of an operand: the owner of the data, of which Python gets one reference; of a result:
                           NULL */
} GhloPjrtArray;

/* One call. Operands and results do not include tokens. Everything except the operands' data is only valid until the
 * call returns. */
typedef struct
{
  size_t               struct_size;
  int64_t              index;           /* of the function */
  const GhloPjrtArray *operands;        /* read-only */
  size_t               n_operands;
  const GhloPjrtArray *results;         /* the callee writes every byte */
  size_t               n_results;
  void               (*drop) (void *owner);             /* releases an operand's reference, at any time */
  void               (*fail) (void *error, const char *message);
  void                *error;           /* for fail, which a failing call must call before it returns */
} GhloPjrtCall;

typedef struct
{
  size_t   struct_size;
  int32_t (*call)   (const GhloPjrtCall *call);         /* returns 0 on failure; called on any thread, and
                                                           concurrently */
  int32_t (*hold)   (int64_t index);                    /* returns 0 when there is no such function, and then holds
                                                           nothing */
  void    (*let_go) (int64_t index);
} GhloPjrtCallbacks;

/* Copies *@callbacks. Only the first call that sets callbacks has an effect, since programs hold numbers of that
 * set. NULL means that Python is ending: none of the functions is called any more. */
__attribute__ ((visibility ("default")))
void     ghlo_pjrt_set_callbacks  (const GhloPjrtCallbacks  *callbacks);

/* Finds the calls in @module. On success *@targets is a table for the compile that answers them, or NULL when there
 * are none, and *@have_effects tells whether one of them has side effects. Returns FALSE with @error set when
 * @module calls a function that does not exist. */
gboolean ghlo_pjrt_callbacks_find (const GhloIrModule       *module,
                                   GhloCustomTargets       **targets,
                                   gboolean                 *have_effects,
                                   GError                  **error);

/* Calls function @index with @message. */
gboolean ghlo_pjrt_callbacks_tell (gint64                    index,
                                   GBytes                   *message,
                                   GError                  **error);

G_END_DECLS
