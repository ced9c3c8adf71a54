/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The module and what it owns: operations in blocks in regions, values with their uses, types, attributes and
 * locations. All of it lives in the module's arena and is freed at once; removing an operation only unlinks it.
 *
 * One thread builds and changes a module. Once the module is shared (a
 * second reference exists) it is immutable, and any thread may read it.
 */

#pragma once

#include "base/diagnostics.h"
#include "base/sizes.h"
#include "base/monitor.h"
#include "ir/op-spec.h"

G_BEGIN_DECLS

typedef struct _GhloIrOp     GhloIrOp;
typedef struct _GhloIrBlock  GhloIrBlock;
typedef struct _GhloIrRegion GhloIrRegion;
typedef struct _GhloIrValue  GhloIrValue;
typedef struct _GhloIrUse    GhloIrUse;

typedef enum
{
  GHLO_IR_LOCATION_UNKNOWN,
  GHLO_IR_LOCATION_FILE,        /* text, line, column, end_line, end_column */
  GHLO_IR_LOCATION_NAME,        /* text, children[0] (may be UNKNOWN) */
  GHLO_IR_LOCATION_CALL_SITE,   /* children[0] callee at children[1] caller */
  GHLO_IR_LOCATION_FUSED,       /* children, metadata or NULL */
  GHLO_IR_LOCATION_OPAQUE,      /* text */
} GhloIrLocationKind;

struct _GhloIrLocation
{
  GhloIrLocationKind           kind;
  const char                  *text;
  guint                        line, column;          /* 0 if not given */
  guint                        end_line, end_column;  /* 0 if there is no range */
  const GhloIrLocation *const *children;
  guint                        n_children;
  const GhloIrAttr            *metadata;
  guint32                      extent;                /* the size of its printed form; see context.h */
};

struct _GhloIrUse
{
  GhloIrValue *value;
  GhloIrOp    *op;          /* the user; the operand's index is use - op->operands */
  GhloIrUse   *next;        /* uses of the same value, latest first */
  GhloIrUse  **previous;    /* the pointer that points to this use */
};

struct _GhloIrValue
{
  const GhloIrType     *type;
  GhloIrUse            *uses;
  GhloIrOp             *op;         /* the defining operation; NULL for a block argument */
  GhloIrBlock          *block;      /* of a block argument; NULL for a result */
  guint32               index;      /* index among the results or arguments */
  guint32               id;         /* scratch for passes that walk the module: printer, executor */
  const char           *name;       /* as written in the text, without %, or NULL */
  const GhloIrLocation *location;   /* block arguments only; NULL if not given */
};

struct _GhloIrRegion
{
  GhloIrOp    *op;                  /* the parent */
  GhloIrBlock *first, *last;        /* regions of StableHLO's own operations have at most one block */
};

struct _GhloIrBlock
{
  GhloIrRegion  *region;
  GhloIrBlock   *previous, *next;
  GhloIrOp      *first, *last;
  GhloIrValue  **arguments;
  guint          n_arguments;
  const char    *label;             /* as written in the text, without ^ ("bb0"), or NULL */
};

struct _GhloIrOp
{
  GhloIrOpKind            kind;
  guint32                 n_operands, n_results, n_regions, n_discardable;
  GhloIrUse              *operands;
  GhloIrValue            *results;
  GhloIrRegion           *regions;
  const GhloIrAttr      **attributes;    /* inherent, in the order of the row; NULL if absent */
  const GhloIrNamedAttr  *discardable;   /* sorted by name; several operations may share one list */
  GhloIrBlock            *block;         /* the block that contains the operation; NULL for the module's own op */
  GhloIrOp               *previous, *next;
  const GhloIrLocation   *location;      /* NULL if not given */
  guint32                 line, column;  /* position in the source text, 0 if there was none; for bytecode the upper
                                            and the lower half of the byte offset */
  guint32                 id;            /* scratch, like GhloIrValue.id */
  GHashTable             *symbols;       /* of a symbol table: its symbols by name; private to module.c */
};

struct _GhloIrModule
{
  gatomicrefcount  ref_count;
  char            *file_name;       /* the name that errors show */
  gboolean         is_binary;       /* read from bytecode; determines the meaning of an operation's line and column */
  GhloIrOp        *op;              /* the outermost builtin.module */
  struct _GhloIrContext *context;   /* arena and interning tables, private to module.c */
};

GhloIrModule      *ghlo_ir_module_new        (const char *file_name);
GhloIrModule      *ghlo_ir_module_ref        (GhloIrModule *self);
void               ghlo_ir_module_unref      (GhloIrModule *self);
/* Allocates from the module's arena: zeroed, aligned to 16 bytes, never freed individually. */
gpointer           ghlo_ir_module_alloc      (GhloIrModule *self, gsize size);
/* Returns the number of bytes in the arena and in the module's constants. */
gsize              ghlo_ir_module_get_size   (const GhloIrModule *self);
/* Returns the number of bytes that are freed with the module. Excludes constants, which may be shared. */
gsize              ghlo_ir_module_get_own_size (const GhloIrModule *self);
/* Returns the only copy of a text; equal texts give equal pointers. @length is -1 if @text is NUL-terminated. */
const char        *ghlo_ir_module_intern     (GhloIrModule *self, const char *text, gssize length);
/* Returns a copy that the caller may change. Its structure is
 * the same; the bytes of constants are shared by reference. */
GhloIrModule      *ghlo_ir_module_copy       (GhloIrModule *self);
/* Returns a copy of @op with its regions, which is in no block yet. @made maps values that @op uses from outside to
 * the values that replace them; the function adds the values that @op defines. @same: @op belongs to @module, and a
 * value that @made lacks stands for itself. Otherwise @made must contain every value from outside, and the function
 * adds types, attributes and locations to it as well. */
GhloIrOp          *ghlo_ir_op_copy           (GhloIrModule *module, const GhloIrOp *op, gboolean same,
                                              GHashTable *made);
/* Returns the equivalent in @module of a type or attribute of another module; @made as above. */
const GhloIrAttr  *ghlo_ir_attr_copy         (GhloIrModule *module, const GhloIrAttr *attr, GHashTable *made);
const GhloIrType  *ghlo_ir_type_copy         (GhloIrModule *module, const GhloIrType *type, GHashTable *made);
/* Returns the function of that name directly inside the outermost module, or NULL. */
GhloIrOp          *ghlo_ir_module_find       (const GhloIrModule *self, const char *name);
/* Returns the symbol @name as seen from @from: searches the nearest enclosing symbol table first, then outer ones.
 * Returns NULL if there is none. */
GhloIrOp          *ghlo_ir_op_find_symbol    (const GhloIrOp *from, const char *name);
/* Returns the function "main" if there is one, else the only public function, else NULL. */
GhloIrOp          *ghlo_ir_module_get_entry  (const GhloIrModule *self);
/* Describes, for an error message, what the module has in place of
 * an entry function with a body: "2 public functions, @f and @g". */
char              *ghlo_ir_module_describe_functions (const GhloIrModule *self);

const GhloIrLocation *ghlo_ir_location_unknown   (GhloIrModule *module);
const GhloIrLocation *ghlo_ir_location_file      (GhloIrModule *module, const char *file,
                                                  guint line, guint column, guint end_line, guint end_column);
const GhloIrLocation *ghlo_ir_location_name      (GhloIrModule *module, const char *name, const GhloIrLocation *child);
const GhloIrLocation *ghlo_ir_location_call_site (GhloIrModule *module, const GhloIrLocation *callee,
                                                  const GhloIrLocation *caller);
const GhloIrLocation *ghlo_ir_location_fused     (GhloIrModule *module, const GhloIrLocation *const *children,
                                                  gsize n, const GhloIrAttr *metadata);
/* Returns the position in a file that a location leads to, the first
 * if there are several; NULL if there is none. @location may be NULL. */
const GhloIrLocation *ghlo_ir_location_get_file  (const GhloIrLocation *location);

/* Building: an operation is created with room for its operands,
 * results and regions, then filled in and inserted into a block. */
typedef struct
{
  GhloIrOpKind             kind;
  GhloIrValue *const      *operands;
  gsize                    n_operands;
  const GhloIrType *const *result_types;
  gsize                    n_results;
  gsize                    n_regions;
  const GhloIrNamedAttr   *attributes;     /* inherent and discardable ones in any order; names need not be interned;
                                              if a name occurs twice, the later one wins */
  gsize                    n_attributes;
  const GhloIrLocation    *location;
  guint                    line, column;
} GhloIrOpState;

GhloIrOp          *ghlo_ir_op_new            (GhloIrModule *module, const GhloIrOpState *state);
void               ghlo_ir_block_append      (GhloIrBlock *block, GhloIrOp *op);
void               ghlo_ir_op_insert_before  (GhloIrOp *op, GhloIrOp *next);
/* Takes @op out of its block, if it is in one. Its operands and its uses stay. */
void               ghlo_ir_op_unlink         (GhloIrOp *op);
/* Takes @op out of its block and drops the uses of its operands. Its results must be unused. */
void               ghlo_ir_op_remove         (GhloIrOp *op);
GhloIrBlock       *ghlo_ir_region_add_block  (GhloIrModule *module, GhloIrRegion *region);
GhloIrValue       *ghlo_ir_block_add_argument (GhloIrModule *module, GhloIrBlock *block, const GhloIrType *type,
                                              const GhloIrLocation *location);
/* The argument must be unused. */
void               ghlo_ir_block_remove_argument (GhloIrBlock *block, guint index);
void               ghlo_ir_op_set_operand    (GhloIrOp *op, guint index, GhloIrValue *value);
void               ghlo_ir_value_replace     (GhloIrValue *value, GhloIrValue *with);

static inline gboolean
ghlo_ir_value_has_one_use (const GhloIrValue *self)
{
  return self->uses != NULL && self->uses->next == NULL;
}

/* Reading. */
static inline GhloIrValue *
ghlo_ir_op_operand (const GhloIrOp *op, guint index)
{
  return op->operands[index].value;
}

static inline const GhloIrOpSpec *
ghlo_ir_op_get_spec (const GhloIrOp *op)
{
  return ghlo_ir_op_spec (op->kind);
}

/* Returns "stablehlo.add"; for an unregistered operation, the name in the source. */
const char        *ghlo_ir_op_get_name       (const GhloIrOp *op);

/* Appends "FILE:LINE:COLUMN": the position in the text that @module (nullable) was read from, or else the position in
 * the operation's location. Returns FALSE if neither is known. */
gboolean           ghlo_ir_op_append_place   (const GhloIrOp *op, const GhloIrModule *module, GString *text);

/* Returns the byte offset of an operation in the file, for a module that was read from bytecode. */
static inline guint64
ghlo_ir_op_get_offset (const GhloIrOp *op)
{
  return (guint64) op->line << 32 | op->column;
}

/* Returns an inherent or discardable attribute; NULL if absent (defaults are not filled in). */
const GhloIrAttr  *ghlo_ir_op_get            (const GhloIrOp *op, const char *name);
/* Returns the value of a constant that is a splat or has only one element; NULL for any other value. */
const GhloIrAttr  *ghlo_ir_constant_get_splat (const GhloIrValue *value);
/* Inherent attributes. An integer, boolean or enumeration, and a real, are replaced by their default if absent, and
 * by @fallback if there is no default either. A string or symbol is NULL if absent. */
gint64             ghlo_ir_op_get_int        (const GhloIrOp *op, const char *name, gint64 fallback);
double             ghlo_ir_op_get_real       (const GhloIrOp *op, const char *name, double fallback);
const char        *ghlo_ir_op_get_string     (const GhloIrOp *op, const char *name);
/* Returns the elements of an array<i64: …> or of a dense of i64, a splat repeated for each element. Returns NULL with
 * *n 0 if absent. Free with g_free (). */
gint64            *ghlo_ir_op_dup_ints       (const GhloIrOp *op, const char *name, gsize *n);
/* Returns TRUE if the list is absent or all its numbers are @value. */
gboolean           ghlo_ir_op_ints_are       (const GhloIrOp *op, const char *name, gint64 value);
/* The same without a copy; only for array<i64|i1: …>. */
const gint64      *ghlo_ir_op_get_ints       (const GhloIrOp *op, const char *name, gsize *n);
void               ghlo_ir_op_set            (GhloIrModule *module, GhloIrOp *op, const char *name,
                                              const GhloIrAttr *value);
/* Return the first index and the number of the operands (results) in group @group of the row. Return FALSE if the
 * operation's numbers of values do not match the row. */
gboolean           ghlo_ir_op_operand_group  (const GhloIrOp *op, guint group, guint *first, guint *n);
gboolean           ghlo_ir_op_result_group   (const GhloIrOp *op, guint group, guint *first, guint *n);
/* Returns the region's only block, or NULL. */
GhloIrBlock       *ghlo_ir_op_region_block   (const GhloIrOp *op, guint region);
/* Returns the operation that contains @op, or NULL. */
GhloIrOp          *ghlo_ir_op_get_parent     (const GhloIrOp *op);
/* Returns the body block of a func.func, or NULL for a declaration. */
GhloIrBlock       *ghlo_ir_func_get_body     (const GhloIrOp *func);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloIrModule, ghlo_ir_module_unref)

G_END_DECLS
