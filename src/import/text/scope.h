/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What value names mean. Operations whose regions see nothing of the outside
 * have tables of their own; within one, a name is known from its definition to
 * the end of the region around it. A name may be used before its definition: a
 * value of no operation stands for it until then.
 */

#pragma once

#include "import/memo.h"
#include "import/vector.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* A name as the text uses it: "%3", "%arg0", "%r#1". */
typedef struct
{
  const char *text;         /* without the %, in the source */
  guint32     length;
  guint32     number;       /* behind the #, else 0 */
  guint32     line, column;
} GhloImportName;

typedef struct
{
  const char  *text;
  guint32      length;
  guint32      hash;
  guint32      n;           /* values; 0: not defined now */
  gboolean     numbered;    /* found by number, not by hash */
  gboolean     broken;      /* defined by an operation that could not be read */
  GhloIrValue *values;
  guint32      awaited;     /* latest of the uses before a definition, + 1; 0: none */
} GhloImportSymbol;

/* A use before the definition. */
typedef struct
{
  GhloImportName  name;
  GhloIrValue    *stand_in;
  guint32         next;     /* of the same name, + 1 */
  gboolean        met;
} GhloImportAwaited;

/* Slots hold a symbol's index while their generation is the table's. */
typedef struct
{
  guint32 generation;
  guint32 index;
} GhloImportSlot;

typedef struct
{
  guint32            generation;
  GHLO_IMPORT_VECTOR (GhloImportSymbol) symbols;
  GHLO_IMPORT_VECTOR (guint32) defined;        /* indices, in the order of definition */
  GHLO_IMPORT_VECTOR (GhloImportAwaited) awaited;
  GhloImportMemo     stand_ins;                /* by index of the symbol and number of the result */
  GhloImportSlot    *slots;                    /* by hash, open addressing */
  gsize              n_slots;
  gsize              n_hashed;
  GhloImportSlot    *numbers;                  /* of names that are numbers */
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
void  ghlo_import_scopes_open   (GhloImportScopes *self);   /* a table of its own */
void  ghlo_import_scopes_close  (GhloImportScopes *self);
/* The uses of the innermost table that were never defined, one at a time. */
const GhloImportName *ghlo_import_scopes_unmet (GhloImportScopes *self, gsize *position);

/* A region: what is defined behind @mark is forgotten on leaving. */
gsize ghlo_import_scopes_mark   (const GhloImportScopes *self);
void  ghlo_import_scopes_forget (GhloImportScopes *self, gsize mark);

/* @values are @n values in a row. *other is the type that a use before expected, on TYPE. */
GhloImportScopeResult ghlo_import_scopes_define  (GhloImportScopes *self, const GhloImportName *name,
                                                  GhloIrValue *values, guint n, const GhloIrType **other);
/* The name of an operation that could not be read: uses of it are no errors. */
void                  ghlo_import_scopes_break   (GhloImportScopes *self, const GhloImportName *name);
/* *other is the value's own type on TYPE. */
GhloImportScopeResult ghlo_import_scopes_resolve (GhloImportScopes *self, const GhloImportName *name,
                                                  const GhloIrType *type, GhloIrValue **value,
                                                  const GhloIrType **other);

G_END_DECLS
