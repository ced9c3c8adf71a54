/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each version of each operation of VHLO, made once out of ops.def and vhlo.def.
 *
 * An attribute of ours is a group of VHLO's: mostly one of the same name, several
 * for a structure. Groups stand in the order of the operation's row; parts know
 * their index among VHLO's attributes, which are in alphabetical order.
 */

#pragma once

#include "import/vhlo/vhlo.h"

G_BEGIN_DECLS

/* How a group and the IR's attribute are converted to each other (conversion.c). */
typedef enum
{
  GHLO_VHLO_CONVERSION_SAME,
  GHLO_VHLO_CONVERSION_INTEGERS,    /* array<i64: …>, array<i1: …>: a tensor */
  GHLO_VHLO_CONVERSION_SYMBOL,      /* a string */
  GHLO_VHLO_CONVERSION_SYMBOLS,     /* an array of strings */
  GHLO_VHLO_CONVERSION_UNIT,        /* true */
  GHLO_VHLO_CONVERSION_STRUCT,      /* an attribute for each field */
  GHLO_VHLO_CONVERSION_ALGORITHM,   /* the same, all of the type none when absent */
  GHLO_VHLO_CONVERSION_CHANNEL,     /* the handle, and the type where the row asks for it */
  GHLO_VHLO_CONVERSION_PADDING,     /* VHLO's alone: zeros */
  GHLO_VHLO_N_CONVERSIONS
} GhloVhloConversion;

/* What stands in VHLO for an attribute that is absent here (filler.c). */
typedef enum
{
  GHLO_VHLO_FILLER_NONE,         /* nothing: VHLO requires one */
  GHLO_VHLO_FILLER_FALSE,
  GHLO_VHLO_FILLER_FALLBACK,     /* the integer that the row has as the default */
  GHLO_VHLO_FILLER_WORD,         /* the first of an enumeration */
  GHLO_VHLO_FILLER_ORIGINAL,     /* API_VERSION_ORIGINAL */
  GHLO_VHLO_FILLER_STRING,       /* "" */
  GHLO_VHLO_FILLER_ARRAY,        /* [] */
  GHLO_VHLO_FILLER_DICTIONARY,   /* {} */
  GHLO_VHLO_FILLER_CONFIG,       /* "" or {}, as the version of the interface is */
  GHLO_VHLO_FILLER_LAYOUTS,      /* [], when all of these are */
  GHLO_VHLO_FILLER_PRECISIONS,   /* [DEFAULT, DEFAULT] */
  GHLO_VHLO_FILLER_ONES,         /* for each window dimension */
  GHLO_VHLO_FILLER_FALSES,
  GHLO_VHLO_FILLER_ZERO_PAIRS,
  GHLO_VHLO_FILLER_NO_INTEGERS,  /* tensor<0xi64> */
  GHLO_VHLO_FILLER_ACCURACY,     /* DEFAULT */
  GHLO_VHLO_FILLER_CHANNEL,      /* 0 */
  GHLO_VHLO_FILLER_NONE_TYPES,   /* the type none in each part */
  GHLO_VHLO_N_FILLERS
} GhloVhloFiller;

enum { GHLO_VHLO_MAX_PARTS = 9, GHLO_VHLO_ABSENT = 0xff };

typedef struct
{
  const char *name;
  guint8      field;     /* of the structure */
  guint8      since;     /* the version _vN that introduced it */
  guint8      index;     /* among the attributes of this version, or ABSENT */
} GhloVhloPart;

typedef struct
{
  const GhloIrAttrSpec *spec;      /* NULL for what only VHLO has */
  GhloVhloConversion    conversion;
  GhloVhloFiller        filler;
  gboolean              is_extra;  /* no version of VHLO has it */
  gboolean              is_here;   /* a part of it is in this version */
  guint                 n_parts;
  GhloVhloPart          parts[GHLO_VHLO_MAX_PARTS];
} GhloVhloGroup;

struct _GhloVhloOp
{
  GhloIrOpKind    kind;
  guint           version;
  GhloIrVersion   since;
  char            name[48];
  guint           n_attributes, n_groups;
  const char    **attributes;
  GhloVhloGroup  *groups;          /* those of the row first, in its order */
  gboolean        single, no_regions;
};

/* The versions of an operation in their order; NULL with *n 0 when VHLO lacks it. */
const GhloVhloOp *ghlo_vhlo_versions (GhloIrOpKind kind, guint *n);

/* What is being converted. */
typedef struct
{
  const GhloVhloOp        *self;
  GhloIrModule            *module;
  GhloImportMemo          *memo;     /* upgrading */
  const GhloIrAttr *const *values;   /* upgrading: by index */
  const GhloIrOp          *op;       /* downgrading */
  GError                 **error;
} GhloVhloCall;

/* Our attribute out of a group's @parts (NULL for what this version lacks), and
 * back; FALSE with the call's error set. conversion.c */
gboolean          ghlo_vhlo_conversion_read  (GhloVhloCall            *call,
                                              const GhloVhloGroup     *group,
                                              const GhloIrAttr *const *parts,
                                              const GhloIrAttr       **attr);
void              ghlo_vhlo_conversion_write (GhloVhloCall            *call,
                                              const GhloVhloGroup     *group,
                                              const GhloIrAttr        *attr,
                                              const GhloIrAttr       **parts);
/* The elements of a tensor or array of i64 or i1, spread out, which the caller
 * frees; FALSE for anything else. */
gboolean          ghlo_vhlo_get_integers     (const GhloIrAttr       *attr,
                                              GhloElementType          element_type,
                                              gint64                 **values,
                                              gsize                   *n);

/* A tensor of zeros with two columns: no padding. */
const GhloIrAttr *ghlo_vhlo_zero_pairs       (GhloIrModule            *module,
                                              gsize                    n);

/* Whether @parts stand for an absent attribute; the parts that do. filler.c */
gboolean          ghlo_vhlo_filler_is        (GhloVhloCall            *call,
                                              const GhloVhloGroup     *group,
                                              const GhloIrAttr *const *parts);
const GhloIrAttr *ghlo_vhlo_filler_make      (GhloVhloCall            *call,
                                              const GhloVhloGroup     *group);

G_END_DECLS
