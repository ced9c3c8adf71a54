/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a program takes and gives: the type of the function that runs, and what its
 * attributes say of names and of memory that may be given up.
 */

#pragma once

#include "ir/module.h"
#include "runtime/value.h"

G_BEGIN_DECLS

typedef struct
{
  GhloIrOp         *function;     /* of a module that whoever has the signature owns */
  const GhloIrType *type;         /* of the function: inputs, then outputs */
} GhloSignature;

/* Of the function to run; INVALID_ARGUMENT for a program without one. */
gboolean    ghlo_signature_init          (GhloSignature *self,
                                          GhloIrModule  *module,
                                          GError       **error);

/* Whether @value is what the program takes as input @index; INVALID_ARGUMENT says
 * what it takes. Gives a new reference, to another view of the same memory where
 * the program calls stored numbers quantized. */
GhloValue  *ghlo_signature_accept_input  (const GhloSignature *self,
                                          guint                index,
                                          GhloValue           *value,
                                          GError             **error);
/* Whether some tensor of @type is what the program takes as input @index, with the same error. */
gboolean    ghlo_signature_check_tensor  (const GhloSignature   *self,
                                          guint                  index,
                                          const GhloTensorType  *type,
                                          GError               **error);
/* Whether some value of output @output can be input @input; INVALID_ARGUMENT names
 * both and their types. Sizes that the program leaves open are for the run to check. */
gboolean    ghlo_signature_check_carry   (const GhloSignature *self,
                                          guint                output,
                                          guint                input,
                                          GError             **error);

/* What the program says of an input or output under @name; NULL for nothing. */
const GhloIrAttr *ghlo_signature_input_attribute  (const GhloIrOp *function,
                                                   guint           index,
                                                   const char     *name);
const GhloIrAttr *ghlo_signature_output_attribute (const GhloIrOp *function,
                                                   guint           index,
                                                   const char     *name);
/* The name that the program gives an input or output, or NULL. */
const char *ghlo_signature_input_name    (const GhloIrOp *function,
                                          guint           index);
const char *ghlo_signature_output_name   (const GhloIrOp *function,
                                          guint           index);
/* For errors: "1", or "1 ('rate')"; the caller frees it. */
char       *ghlo_signature_describe_input (const GhloIrOp *function,
                                           guint           index);
/* The number of the input of that name, or -1 with @error set, which lists the names. */
int         ghlo_signature_find_input    (const GhloSignature *self,
                                          const char          *name,
                                          GError             **error);
/* Whether the program allows that a run takes the memory of input @index. */
gboolean    ghlo_signature_is_donatable  (const GhloIrOp *function,
                                          guint           index);
/* The output that the program lets take the memory of input @index, whether there is such a one or not, or -1. */
gint64      ghlo_signature_aliased_output (const GhloIrOp *function,
                                           guint           index);
/* The input whose memory the program lets @output take, or -1. */
int         ghlo_signature_aliased_input (const GhloIrOp *function,
                                          guint           n_inputs,
                                          guint           output);

G_END_DECLS
