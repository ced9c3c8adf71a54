/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the printer and the parser of kernels: the syntax after a node's type, and the spelling of constants.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_KERNEL_FORM_OPERANDS,    /* add f32 %0 %1; divide f32 %0 %1 bounded, approximate or narrow */
  GHLO_KERNEL_FORM_BITS,        /* constant f32 0.125 */
  GHLO_KERNEL_FORM_AXIS,        /* axis i64 row */
  GHLO_KERNEL_FORM_ACCESS,      /* inside i1 @0 */
  GHLO_KERNEL_FORM_LOAD,        /* load f32 @0, load f32 @0 else %3 */
  GHLO_KERNEL_FORM_TEMPORARY,   /* temporary f32 most */
  GHLO_KERNEL_FORM_FOLD,        /* left f32 $0 */
} GhloKernelForm;

GhloKernelForm ghlo_kernel_node_form  (GhloNodeKind       kind);

/* Returns the keyword after the operands of a quotient with known properties. */
const char    *ghlo_kernel_quotient_word (GhloQuotient    quotient);

/* Appends the constant with @bits of @type: true or false; an integer; the shortest decimal that reads back to the same
 * bits; inf or -inf; or 0x and the bits of a NaN. */
void           ghlo_kernel_append_constant (GString         *text,
                                            GhloElementType  type,
                                            guint64          bits);
/* Sets *@bits to those of an unsigned decimal @text, negated if @is_negative; FALSE where @type has no such number. */
gboolean       ghlo_kernel_read_decimal    (GhloElementType  type,
                                            gboolean         is_negative,
                                            const char      *text,
                                            guint64         *bits);

G_END_DECLS
