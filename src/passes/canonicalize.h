/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rules of the pass "canonicalize", by what they are about. Each group is a table of
 * its own file; a rule is right for every value that its operands may have, or it
 * is not there. "Sound for" in a comment says what a rule relies on.
 */

#pragma once

#include "passes/rewrite.h"

G_BEGIN_DECLS

typedef struct
{
  const GhloRuleRow *rows;
  gsize              n_rows;
} GhloRuleGroup;

extern const GhloRuleGroup ghlo_canonicalize_arithmetic;
extern const GhloRuleGroup ghlo_canonicalize_logic;
extern const GhloRuleGroup ghlo_canonicalize_conversions;
extern const GhloRuleGroup ghlo_canonicalize_moves;
extern const GhloRuleGroup ghlo_canonicalize_indexing;
extern const GhloRuleGroup ghlo_canonicalize_reductions;
extern const GhloRuleGroup ghlo_canonicalize_structure;
extern const GhloRuleGroup ghlo_canonicalize_dynamic;
extern const GhloRuleGroup ghlo_canonicalize_forms;

G_END_DECLS
