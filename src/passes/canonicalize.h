/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rules of the pass "canonicalize", grouped by topic. Each group is a table in a file of its own. A rule holds for
 * every value that its operands may have; rules that hold only for some values are not in the tables. "Sound for" in a
 * comment names the types or conditions that a rule relies on.
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
