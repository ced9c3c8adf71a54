/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The module and what it owns: operations in blocks in regions, values with
 * their uses, types, attributes, locations. Everything lives in the module's
 * arena and goes with it in one call; removing an operation unlinks it only.
 *
 * A module is built and changed by one thread. Once it is shared (referenced
 * from a second place) nobody changes it, and any thread may read it.
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
  guint                        line, column;          /* 0 where not given */
  guint                        end_line, end_column;  /* 0 where there is no range */
  const GhloIrLocation *const *children;
  guint                        n_children;
  const GhloIrAttr            *metadata;
  guint32                      extent;                /* how much of it there is to print; see context.h */
};

struct _GhloIrUse
{
  GhloIrValue *value;
  GhloIrOp    *op;          /* the user; the operand's number is use - op->operands */
  GhloIrUse   *next;        /* uses of the same value, latest first */
  GhloIrUse  **previous;    /* what points to this use */
};

struct _GhloIrValue
{
  const GhloIrType     *type;
  GhloIrUse            *uses;
  GhloIrOp             *op;         /* the defining operation; NULL for a block argument */
  GhloIrBlock          *block;      /* of a block argument; NULL for a result */
  guint32               index;      /* among the results or arguments */
  guint32               id;         /* scratch of whoever walks the module: printer, executor */
  const char           *name;       /* as the text had it, without %, or NULL */
  const GhloIrLocation *location;   /* block arguments only; NULL when not given */
};

struct _GhloIrRegion
{
  GhloIrOp    *op;                  /* the parent */
  GhloIrBlock *first, *last;        /* at most one in StableHLO itself */
};

struct _GhloIrBlock
{
  GhloIrRegion  *region;
  GhloIrBlock   *previous, *next;
  GhloIrOp      *first, *last;
  GhloIrValue  **arguments;
  guint          n_arguments;
  const char    *label;             /* "bb0" when the text gave one, without ^ */
};

struct _GhloIrOp
{
  GhloIrOpKind            kind;
  guint32                 n_operands, n_results, n_regions, n_discardable;
  GhloIrUse              *operands;
  GhloIrValue            *results;
  GhloIrRegion           *regions;
  const GhloIrAttr      **attributes;    /* inherent, in the row's order; NULL where absent */
  const GhloIrNamedAttr  *discardable;   /* in name order; other operations may share the list */
  GhloIrBlock            *block;         /* where it stands; NULL for the module's own op */
  GhloIrOp               *previous, *next;
  const GhloIrLocation   *location;      /* NULL when not given */
  guint32                 line, column;  /* of the text it was read from, 0 when there was none; of
                                            bytecode the upper and lower half of the byte's number */
  guint32                 id;            /* scratch, as GhloIrValue.id */
  GHashTable             *symbols;       /* of a symbol table: its symbols by name; module.c's own */
};

struct _GhloIrModule
{
  gatomicrefcount  ref_count;
  char            *file_name;       /* as errors show it */
  gboolean         is_binary;       /* read from bytecode: what line and column of operations are */
  GhloIrOp        *op;              /* the outermost builtin.module */
  struct _GhloIrContext *context;   /* arena and interning tables, private to module.c */
};

GhloIrModule      *ghlo_ir_module_new        (const char *file_name);
GhloIrModule      *ghlo_ir_module_ref        (GhloIrModule *self);
void               ghlo_ir_module_unref      (GhloIrModule *self);
/* Memory of the module's arena: zeroed, aligned to 16, never freed alone. */
gpointer           ghlo_ir_module_alloc      (GhloIrModule *self, gsize size);
/* The bytes that the arena and the module's constants hold. */
gsize              ghlo_ir_module_get_size   (const GhloIrModule *self);
/* The bytes that go with the module: constants may be shared, and are left out. */
gsize              ghlo_ir_module_get_own_size (const GhloIrModule *self);
/* One copy per text; equal texts give equal pointers. @length -1: NUL-terminated. */
const char        *ghlo_ir_module_intern     (GhloIrModule *self, const char *text, gssize length);
/* A copy to change: same shape, constants shared by reference. */
GhloIrModule      *ghlo_ir_module_copy       (GhloIrModule *self);
/* A copy of @op with its regions, in no block yet. @made says what stands for values
 * that the operation uses from outside, and afterwards also what stands for those that
 * it defines. @same: the operation is @module's own, and a value that @made does not
 * know stands for itself; else @made gets types, attributes and locations too and must
 * know every value. */
GhloIrOp          *ghlo_ir_op_copy           (GhloIrModule *module, const GhloIrOp *op, gboolean same,
                                              GHashTable *made);
/* A type or attribute of another module, as one of this; @made as above. */
const GhloIrAttr  *ghlo_ir_attr_copy         (GhloIrModule *module, const GhloIrAttr *attr, GHashTable *made);
const GhloIrType  *ghlo_ir_type_copy         (GhloIrModule *module, const GhloIrType *type, GHashTable *made);
/* The function of that name directly inside the outermost module, or NULL. */
GhloIrOp          *ghlo_ir_module_find       (const GhloIrModule *self, const char *name);
/* The symbol @name as seen from @from: looked for in the nearest symbol table
 * around it, then further out. NULL when there is none. */
GhloIrOp          *ghlo_ir_op_find_symbol    (const GhloIrOp *from, const char *name);
/* "main" where there is one; else the only public function; else NULL. */
GhloIrOp          *ghlo_ir_module_get_entry  (const GhloIrModule *self);
/* What there is instead of an entry with a body, for a message: "2 public functions, @f and @g". */
char              *ghlo_ir_module_describe_functions (const GhloIrModule *self);

const GhloIrLocation *ghlo_ir_location_unknown   (GhloIrModule *module);
const GhloIrLocation *ghlo_ir_location_file      (GhloIrModule *module, const char *file,
                                                  guint line, guint column, guint end_line, guint end_column);
const GhloIrLocation *ghlo_ir_location_name      (GhloIrModule *module, const char *name, const GhloIrLocation *child);
const GhloIrLocation *ghlo_ir_location_call_site (GhloIrModule *module, const GhloIrLocation *callee,
                                                  const GhloIrLocation *caller);
const GhloIrLocation *ghlo_ir_location_fused     (GhloIrModule *module, const GhloIrLocation *const *children,
                                                  gsize n, const GhloIrAttr *metadata);
/* The place in a file that a location leads to, the first of several; NULL when
 * there is none. @location may be NULL. */
const GhloIrLocation *ghlo_ir_location_get_file  (const GhloIrLocation *location);

/* Building. An operation is made with room for its operands, results and
 * regions, filled in, and put into a block. */
typedef struct
{
  GhloIrOpKind             kind;
  GhloIrValue *const      *operands;
  gsize                    n_operands;
  const GhloIrType *const *result_types;
  gsize                    n_results;
  gsize                    n_regions;
  const GhloIrNamedAttr   *attributes;     /* inherent and discardable mixed, any order; names need
                                              not be interned; a later one of a name wins */
  gsize                    n_attributes;
  const GhloIrLocation    *location;
  guint                    line, column;
} GhloIrOpState;

GhloIrOp          *ghlo_ir_op_new            (GhloIrModule *module, const GhloIrOpState *state);
void               ghlo_ir_block_append      (GhloIrBlock *block, GhloIrOp *op);
void               ghlo_ir_op_insert_before  (GhloIrOp *op, GhloIrOp *next);
/* Takes it out of its block, if it is in one; what it uses and what uses it stay as they are. */
void               ghlo_ir_op_unlink         (GhloIrOp *op);
/* Unlinks from its block and drops its operands' uses; results must be unused. */
void               ghlo_ir_op_remove         (GhloIrOp *op);
GhloIrBlock       *ghlo_ir_region_add_block  (GhloIrModule *module, GhloIrRegion *region);
GhloIrValue       *ghlo_ir_block_add_argument (GhloIrModule *module, GhloIrBlock *block, const GhloIrType *type,
                                              const GhloIrLocation *location);
/* The argument must be unused. */
void               ghlo_ir_block_remove_argument (GhloIrBlock *block, guint index);
void               ghlo_ir_op_set_operand    (GhloIrOp *op, guint index, GhloIrValue *value);
void               ghlo_ir_value_replace     (GhloIrValue *value, GhloIrValue *with);

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

/* "stablehlo.add"; of an unregistered operation the name that it was written with. */
const char        *ghlo_ir_op_get_name       (const GhloIrOp *op);

/* Appends "FILE:LINE:COLUMN", of the text that @module (nullable) was read from, or else as the operation's location
 * states it. FALSE where neither is known. */
gboolean           ghlo_ir_op_append_place   (const GhloIrOp *op, const GhloIrModule *module, GString *text);

/* In a module that was read from bytecode: where the file has the operation. */
static inline guint64
ghlo_ir_op_get_offset (const GhloIrOp *op)
{
  return (guint64) op->line << 32 | op->column;
}

/* The attribute, inherent or discardable; NULL when absent (defaults are not filled in). */
const GhloIrAttr  *ghlo_ir_op_get            (const GhloIrOp *op, const char *name);
/* The elements of a constant that are all the same, or but one; NULL for any other value. */
const GhloIrAttr  *ghlo_ir_constant_get_splat (const GhloIrValue *value);
/* Inherent attributes with their defaults filled in: an integer, boolean or
 * enumeration; @fallback where neither attribute nor default is there. */
gint64             ghlo_ir_op_get_int        (const GhloIrOp *op, const char *name, gint64 fallback);
double             ghlo_ir_op_get_real       (const GhloIrOp *op, const char *name, double fallback);
const char        *ghlo_ir_op_get_string     (const GhloIrOp *op, const char *name);
/* array<i64: …> or dense of i64, spread out; NULL with *n 0 when absent. The
 * caller frees it with g_free. */
gint64            *ghlo_ir_op_dup_ints       (const GhloIrOp *op, const char *name, gsize *n);
/* TRUE when the list is absent, or all of its numbers are @value. */
gboolean           ghlo_ir_op_ints_are       (const GhloIrOp *op, const char *name, gint64 value);
/* Without a copy; only for array<i64|i1: …>. */
const gint64      *ghlo_ir_op_get_ints       (const GhloIrOp *op, const char *name, gsize *n);
void               ghlo_ir_op_set            (GhloIrModule *module, GhloIrOp *op, const char *name,
                                              const GhloIrAttr *value);
/* The operands (results) of the row's group @group: first index and number.
 * FALSE when the operation's numbers fit no reading of the row. */
gboolean           ghlo_ir_op_operand_group  (const GhloIrOp *op, guint group, guint *first, guint *n);
gboolean           ghlo_ir_op_result_group   (const GhloIrOp *op, guint group, guint *first, guint *n);
/* The region's only block, or NULL. */
GhloIrBlock       *ghlo_ir_op_region_block   (const GhloIrOp *op, guint region);
/* The operation around @op, or NULL. */
GhloIrOp          *ghlo_ir_op_get_parent     (const GhloIrOp *op);
/* Of func.func: its body's block, or NULL for a declaration. */
GhloIrBlock       *ghlo_ir_func_get_body     (const GhloIrOp *func);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloIrModule, ghlo_ir_module_unref)

G_END_DECLS
