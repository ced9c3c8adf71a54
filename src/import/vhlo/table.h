/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every version of every VHLO operation, built once from ops.def and vhlo.def.
 *
 * One attribute of the IR corresponds to a group of VHLO attributes: usually one of the same name, several for a
 * structure. Groups are in the order of the operation's row. Each part stores its index among VHLO's attributes,
 * which are in alphabetical order.
 */

#pragma once

#include "import/vhlo/vhlo.h"

G_BEGIN_DECLS

/* The conversion between a group and the IR's attribute (conversion.c). */
typedef enum
{
  GHLO_VHLO_CONVERSION_SAME,
  GHLO_VHLO_CONVERSION_INTEGERS,    /* array<i64: …>, array<i1: …> ↔ a tensor */
  GHLO_VHLO_CONVERSION_SYMBOL,      /* ↔ a string */
  GHLO_VHLO_CONVERSION_SYMBOLS,     /* ↔ an array of strings */
  GHLO_VHLO_CONVERSION_UNIT,        /* ↔ true */
  GHLO_VHLO_CONVERSION_STRUCT,      /* ↔ one attribute for each field */
  GHLO_VHLO_CONVERSION_ALGORITHM,   /* as STRUCT; each part is the type none if absent */
  GHLO_VHLO_CONVERSION_CHANNEL,     /* the handle, and the type if the row has a part for it */
  GHLO_VHLO_CONVERSION_PADDING,     /* only in VHLO: zeros */
  GHLO_VHLO_N_CONVERSIONS
} GhloVhloConversion;

/* The VHLO attribute that stands for an absent attribute of the IR (filler.c). */
typedef enum
{
  GHLO_VHLO_FILLER_NONE,         /* no substitute: VHLO requires the attribute */
  GHLO_VHLO_FILLER_FALSE,
  GHLO_VHLO_FILLER_FALLBACK,     /* the default integer in the row */
  GHLO_VHLO_FILLER_WORD,         /* the first word of the enumeration */
  GHLO_VHLO_FILLER_ORIGINAL,     /* API_VERSION_ORIGINAL */
  GHLO_VHLO_FILLER_STRING,       /* "" */
  GHLO_VHLO_FILLER_ARRAY,        /* [] */
  GHLO_VHLO_FILLER_DICTIONARY,   /* {} */
  GHLO_VHLO_FILLER_CONFIG,       /* "" or {}, depending on the version of the interface */
  GHLO_VHLO_FILLER_LAYOUTS,      /* [], if all LAYOUTS groups are absent */
  GHLO_VHLO_FILLER_PRECISIONS,   /* [DEFAULT, DEFAULT] */
  GHLO_VHLO_FILLER_ONES,         /* one for each window dimension */
  GHLO_VHLO_FILLER_FALSES,
  GHLO_VHLO_FILLER_ZERO_PAIRS,
  GHLO_VHLO_FILLER_NO_INTEGERS,  /* tensor<0xi64> */
  GHLO_VHLO_FILLER_ACCURACY,     /* DEFAULT */
  GHLO_VHLO_FILLER_CHANNEL,      /* 0 */
  GHLO_VHLO_FILLER_NONE_TYPES,   /* the type none for each part */
  GHLO_VHLO_N_FILLERS
} GhloVhloFiller;

enum { GHLO_VHLO_MAX_PARTS = 9, GHLO_VHLO_ABSENT = 0xff };

typedef struct
{
  const char *name;
  guint8      field;     /* index of the structure's field */
  guint8      since;     /* the version _vN that introduced it */
  guint8      index;     /* index among the attributes of this version, or ABSENT */
} GhloVhloPart;

typedef struct
{
  const GhloIrAttrSpec *spec;      /* NULL for an attribute that only VHLO has */
  GhloVhloConversion    conversion;
  GhloVhloFiller        filler;
  gboolean              is_extra;  /* not in any version of VHLO */
  gboolean              is_here;   /* at least one part is in this version */
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
  GhloVhloGroup  *groups;          /* those of the row come first, in its order */
  gboolean        single, no_regions;
};

/* Returns the versions of an operation, oldest first; NULL with *n 0 if VHLO lacks it. */
const GhloVhloOp *ghlo_vhlo_versions (GhloIrOpKind kind, guint *n);

/* The conversion in progress. */
typedef struct
{
  const GhloVhloOp        *self;
  GhloIrModule            *module;
  GhloImportMemo          *memo;     /* for upgrades */
  const GhloIrAttr *const *values;   /* for upgrades: values by index */
  const GhloIrOp          *op;       /* for downgrades */
  GError                 **error;
} GhloVhloCall;

/* conversion.c: the IR's attribute from a group's @parts (NULL for parts that this version lacks), and back. Reading
 * returns FALSE with the call's error set. */
gboolean          ghlo_vhlo_conversion_read  (GhloVhloCall            *call,
                                              const GhloVhloGroup     *group,
                                              const GhloIrAttr *const *parts,
                                              const GhloIrAttr       **attr);
void              ghlo_vhlo_conversion_write (GhloVhloCall            *call,
                                              const GhloVhloGroup     *group,
                                              const GhloIrAttr        *attr,
                                              const GhloIrAttr       **parts);
/* Reads the elements of a tensor or array of i64 or i1, a splat repeated for each element, into an array that the
 * caller frees. Returns FALSE for any other attribute. */
gboolean          ghlo_vhlo_get_integers     (const GhloIrAttr       *attr,
                                              GhloElementType          element_type,
                                              gint64                 **values,
                                              gsize                   *n);

/* A tensor of zeros with two columns: no padding. */
const GhloIrAttr *ghlo_vhlo_zero_pairs       (GhloIrModule            *module,
                                              gsize                    n);

/* filler.c: whether @parts stand for an absent attribute, and the parts that do. */
gboolean          ghlo_vhlo_filler_is        (GhloVhloCall            *call,
                                              const GhloVhloGroup     *group,
                                              const GhloIrAttr *const *parts);
const GhloIrAttr *ghlo_vhlo_filler_make      (GhloVhloCall            *call,
                                              const GhloVhloGroup     *group);

G_END_DECLS
