/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Assembles a SPIR-V module word by word. Sections are arrays that are joined at the end in the order that the format
 * requires. Each type and constant is declared once.
 */

#pragma once

#include <glib.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

G_BEGIN_DECLS

typedef guint32 Id;

typedef enum
{
  GHLO_SPIRV_CAPABILITIES,
  GHLO_SPIRV_EXTENSIONS,
  GHLO_SPIRV_ENTRY,             /* memory model, entry point, execution modes */
  GHLO_SPIRV_DECORATIONS,
  GHLO_SPIRV_GLOBALS,           /* types, constants, global variables */
  GHLO_SPIRV_FUNCTION,          /* the function's head and its variables */
  GHLO_SPIRV_CODE,
  GHLO_SPIRV_OTHER_FUNCTIONS,   /* functions without variables */
  GHLO_SPIRV_N_SECTIONS
} GhloSpirvSection;

typedef struct
{
  GArray     *sections[GHLO_SPIRV_N_SECTIONS];
  GHashTable *unique;           /* GBytes of an instruction → its result id */
  Id          last;
} GhloSpirvBuilder;

GhloSpirvBuilder *ghlo_spirv_builder_new  (void);
void              ghlo_spirv_builder_free (GhloSpirvBuilder *self);
GBytes           *ghlo_spirv_builder_end  (GhloSpirvBuilder *self);

Id                ghlo_spirv_new_id       (GhloSpirvBuilder *self);
void              ghlo_spirv_add          (GhloSpirvBuilder *self,
                                           GhloSpirvSection  section,
                                           SpvOp             op,
                                           const guint32    *operands,
                                           guint             n);
/* Like ghlo_spirv_add (), with a string inserted before operand @at. */
void              ghlo_spirv_add_string   (GhloSpirvBuilder *self,
                                           GhloSpirvSection  section,
                                           SpvOp             op,
                                           const guint32    *operands,
                                           guint             n,
                                           guint             at,
                                           const char       *string);
/* Adds an instruction with a result to the code. */
Id                ghlo_spirv_code         (GhloSpirvBuilder *self,
                                           SpvOp             op,
                                           Id                type,
                                           const guint32    *operands,
                                           guint             n);
/* Returns the id of a type or constant, which is declared on first use. @type is the constant's type, or 0 for a
 * type. */
Id                ghlo_spirv_unique       (GhloSpirvBuilder *self,
                                           SpvOp             op,
                                           Id                type,
                                           const guint32    *operands,
                                           guint             n);
/* Redirects code to the other functions, or back. */
void              ghlo_spirv_builder_toggle_section (GhloSpirvBuilder *self);
void              ghlo_spirv_capability   (GhloSpirvBuilder *self,
                                           SpvCapability     capability);

#define GHLO_SPIRV_WORDS(...) (const guint32[]) { __VA_ARGS__ }, G_N_ELEMENTS (((const guint32[]) { __VA_ARGS__ }))

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloSpirvBuilder, ghlo_spirv_builder_free)

G_END_DECLS
