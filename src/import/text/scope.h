/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Maps value names to values. Each isolated operation, whose regions cannot use values from outside, has a table of
 * its own. Within a table, a name is visible from its definition to the end of the enclosing region. A name may be
 * used before its definition; a placeholder value, which belongs to no operation, represents it until then.
 */

#pragma once

#include "import/memo.h"
#include "import/vector.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* A name as spelled in the text: "%3", "%arg0", "%r#1". */
typedef struct
{
  const char *text;         /* without the %, points into the source */
  guint32     length;
  guint32     number;       /* the number after the #, else 0 */
  guint32     line, column;
} GhloImportName;

typedef struct
{
  const char  *text;
  guint32      length;
  guint32      hash;
  guint32      n;           /* number of values; 0: currently undefined */
  gboolean     numbered;    /* looked up by number, not by hash */
  gboolean     broken;      /* defined by an operation that failed to parse */
  GhloIrValue *values;
  guint32      forward_use; /* index + 1 of the latest use before the definition; 0: none */
} GhloImportSymbol;

/* A use of a name before its definition. */
typedef struct
{
  GhloImportName  name;
  GhloIrValue    *placeholder;
  guint32         next;     /* index + 1 of the next forward use of the same name */
  gboolean        resolved; /* the definition of the name has been read */
} GhloImportForwardUse;

/* A slot is valid if its generation is the table's; it then holds the index of a symbol. */
typedef struct
{
  guint32 generation;
  guint32 index;
} GhloImportSlot;

typedef struct
{
  guint32            generation;
  GHLO_IMPORT_VECTOR (GhloImportSymbol) symbols;
  GHLO_IMPORT_VECTOR (guint32) defined;        /* indices of symbols, in order of definition */
  GHLO_IMPORT_VECTOR (GhloImportForwardUse) forward_uses;
  GhloImportMemo     placeholders;             /* by index of the symbol and result number */
  GhloImportSlot    *slots;                    /* by hash, open addressing */
  gsize              n_slots;
  gsize              n_hashed;
  GhloImportSlot    *numbers;                  /* indexed by number, for names that are numbers */
  gsize              n_numbers;
} GhloImportTable;

typedef struct
{
  GhloIrModule *module;
  GHLO_IMPORT_VECTOR (GhloImportTable *) tables;   /* owned; the first n_open are in use */
  gsize         n_open;
} GhloImportScopes;

typedef enum
{
  GHLO_IMPORT_SCOPE_OK,
  GHLO_IMPORT_SCOPE_TYPE,        /* used with another type */
  GHLO_IMPORT_SCOPE_RANGE,       /* result number out of range */
  GHLO_IMPORT_SCOPE_REDEFINED,
} GhloImportScopeResult;

void  ghlo_import_scopes_clear  (GhloImportScopes *self);
void  ghlo_import_scopes_open   (GhloImportScopes *self);   /* a new table */
void  ghlo_import_scopes_close  (GhloImportScopes *self);
/* Iterates over the names in the innermost table that were used but never defined. */
const GhloImportName *ghlo_import_scopes_unresolved (GhloImportScopes *self, gsize *position);

/* For regions: names that are defined after @mark are forgotten at the region's end. */
gsize ghlo_import_scopes_mark   (const GhloImportScopes *self);
void  ghlo_import_scopes_forget (GhloImportScopes *self, gsize mark);

/* @values points to @n consecutive values. If the result is TYPE, *other is the type that an earlier use expected. */
GhloImportScopeResult ghlo_import_scopes_define  (GhloImportScopes *self, const GhloImportName *name,
                                                  GhloIrValue *values, guint n, const GhloIrType **other);
/* Marks a name whose operation failed to parse: uses of it are no errors. */
void                  ghlo_import_scopes_break   (GhloImportScopes *self, const GhloImportName *name);
/* If the result is TYPE, *other is the value's own type. */
GhloImportScopeResult ghlo_import_scopes_resolve (GhloImportScopes *self, const GhloImportName *name,
                                                  const GhloIrType *type, GhloIrValue **value,
                                                  const GhloIrType **other);

G_END_DECLS
