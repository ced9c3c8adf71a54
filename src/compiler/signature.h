/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The signature of a program: the type of the function that runs, and what its attributes say of names and of inputs
 * that may be donated.
 */

#pragma once

#include "ir/module.h"
#include "runtime/value.h"

G_BEGIN_DECLS

typedef struct
{
  GhloIrOp         *function;     /* belongs to a module that must outlive the signature */
  const GhloIrType *type;         /* type of @function: inputs, then outputs */
} GhloSignature;

/* Sets the signature of the function to run; INVALID_ARGUMENT for a program without one. */
gboolean    ghlo_signature_init          (GhloSignature *self,
                                          GhloIrModule  *module,
                                          GError       **error);

/* Checks that @value fits input @index; otherwise, the error INVALID_ARGUMENT says what the program expects. Returns a
 * new reference: to @value, or to another view of the same memory, if the input is quantized and the value has plain
 * stored numbers. */
GhloValue  *ghlo_signature_accept_input  (const GhloSignature *self,
                                          guint                index,
                                          GhloValue           *value,
                                          GError             **error);
/* Whether a tensor of @type fits input @index, with the same error. */
gboolean    ghlo_signature_check_tensor  (const GhloSignature   *self,
                                          guint                  index,
                                          const GhloTensorType  *type,
                                          GError               **error);
/* Whether a value of output @output may fit input @input; otherwise, INVALID_ARGUMENT names both and their types.
 * Dimensions that the program leaves open are checked in the run. */
gboolean    ghlo_signature_check_carry   (const GhloSignature *self,
                                          guint                output,
                                          guint                input,
                                          GError             **error);

/* The attribute @name of an input or output; NULL where there is none. */
const GhloIrAttr *ghlo_signature_input_attribute  (const GhloIrOp *function,
                                                   guint           index,
                                                   const char     *name);
const GhloIrAttr *ghlo_signature_output_attribute (const GhloIrOp *function,
                                                   guint           index,
                                                   const char     *name);
/* The name that the program gives to an input or output, or NULL. */
const char *ghlo_signature_input_name    (const GhloIrOp *function,
                                          guint           index);
const char *ghlo_signature_output_name   (const GhloIrOp *function,
                                          guint           index);
/* The input's number and name for errors: "1", or "1 ('rate')"; the caller frees it. */
char       *ghlo_signature_describe_input (const GhloIrOp *function,
                                           guint           index);
/* Appends that to a list of inputs for errors, with a comma before it; a long list gets an ellipsis instead. */
void        ghlo_signature_append_input  (const GhloIrOp *function,
                                          guint           index,
                                          GString        *list);
/* The number of the input with that name, or -1 with @error set, which lists the names. */
int         ghlo_signature_find_input    (const GhloSignature *self,
                                          const char          *name,
                                          GError             **error);
/* Whether the program allows a run to take the memory of input @index. */
gboolean    ghlo_signature_is_donatable  (const GhloIrOp *function,
                                          guint           index);
/* The number of the output that the program lets take the memory of input @index, or -1. There may be no
 * such output. */
gint64      ghlo_signature_aliased_output (const GhloIrOp *function,
                                           guint           index);
/* The input whose memory the program lets @output take, or -1. */
int         ghlo_signature_aliased_input (const GhloIrOp *function,
                                          guint           n_inputs,
                                          guint           output);

G_END_DECLS
