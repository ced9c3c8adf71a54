/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The versions of VHLO's operations, built from ops.def and vhlo.def on first use and immutable from then on.
 */

#include "import/vhlo/table.h"

#include <string.h>

typedef struct
{
  GhloIrOpKind  kind;
  guint         version;    /* SINCE, GONE, SINGLE, NO_REGIONS: the N of _vN; 0 for NEVER */
  const char   *name;
} Exception;

#define ROW(ID, version, ...) { GHLO_OP_##ID, version, __VA_ARGS__ },

static const Exception since_rows[] = {
#define SINCE(ID, version, name) ROW (ID, version, name)
#define NEVER(ID, name) ROW (ID, 0, name)
#include "import/vhlo/vhlo.def"
};

static const Exception gone_rows[] = {
#define GONE(ID, version, name) ROW (ID, version, name)
#include "import/vhlo/vhlo.def"
};

static const Exception single_rows[] = {
#define SINGLE(ID, version) ROW (ID, version, NULL)
#include "import/vhlo/vhlo.def"
};

static const Exception region_rows[] = {
#define NO_REGIONS(ID, version) ROW (ID, version, NULL)
#include "import/vhlo/vhlo.def"
};

static const struct
{
  GhloIrOpKind    kind;
  const char     *name;
  GhloVhloFiller  filler;
} filler_rows[] = {
#define FILLER(ID, name, filler) { GHLO_OP_##ID, name, GHLO_VHLO_FILLER_##filler },
#include "import/vhlo/vhlo.def"
};

typedef struct
{
  GhloVhloConversion conversion;
  GhloVhloFiller     filler;
} Treatment;

#define TREATMENT(conversion, filler) { GHLO_VHLO_CONVERSION_##conversion, GHLO_VHLO_FILLER_##filler }

/* Indexed by the kind of the attribute; the filler is used if the attribute may be absent. */
static const Treatment by_kind[] = {
  [GHLO_IR_KIND_UNIT] = TREATMENT (UNIT, FALSE),
  [GHLO_IR_KIND_BOOL] = TREATMENT (SAME, FALSE),
  [GHLO_IR_KIND_I32] = TREATMENT (SAME, FALLBACK),
  [GHLO_IR_KIND_I64] = TREATMENT (SAME, FALLBACK),
  [GHLO_IR_KIND_STRING] = TREATMENT (SAME, STRING),
  [GHLO_IR_KIND_SYMBOL] = TREATMENT (SYMBOL, NONE),
  [GHLO_IR_KIND_SYMBOLS] = TREATMENT (SYMBOLS, ARRAY),
  [GHLO_IR_KIND_ARRAY] = TREATMENT (SAME, ARRAY),
  [GHLO_IR_KIND_DICTIONARY] = TREATMENT (SAME, DICTIONARY),
  [GHLO_IR_KIND_DICTIONARIES] = TREATMENT (SAME, ARRAY),
  [GHLO_IR_KIND_STRING_OR_DICTIONARY] = TREATMENT (SAME, CONFIG),
  [GHLO_IR_KIND_I64_ELEMENTS] = TREATMENT (SAME, ZERO_PAIRS),
  [GHLO_IR_KIND_INDEX_VECTORS] = TREATMENT (SAME, LAYOUTS),
  [GHLO_IR_KIND_INDEX_VECTOR_ARRAYS] = TREATMENT (SAME, ARRAY),
  [GHLO_IR_KIND_I64_ARRAY] = TREATMENT (INTEGERS, ONES),
  [GHLO_IR_KIND_BOOL_ARRAY] = TREATMENT (INTEGERS, FALSES),
  [GHLO_IR_KIND_ENUM] = TREATMENT (SAME, WORD),
  [GHLO_IR_KIND_ENUMS] = TREATMENT (SAME, PRECISIONS),
  [GHLO_IR_KIND_STRUCTS] = TREATMENT (SAME, ARRAY),
  [GHLO_IR_KIND_REPLICA_GROUPS] = TREATMENT (SAME, NONE),
};

static const Treatment by_struct[GHLO_IR_N_STRUCTS] = {
  [GHLO_IR_STRUCT_SCATTER] = TREATMENT (STRUCT, NONE),
  [GHLO_IR_STRUCT_GATHER] = TREATMENT (STRUCT, NONE),
  [GHLO_IR_STRUCT_DOT] = TREATMENT (STRUCT, NONE),
  [GHLO_IR_STRUCT_CONV] = TREATMENT (STRUCT, NONE),
  [GHLO_IR_STRUCT_DOT_ALGORITHM] = TREATMENT (ALGORITHM, NONE_TYPES),
  [GHLO_IR_STRUCT_CHANNEL_HANDLE] = TREATMENT (CHANNEL, CHANNEL),
  [GHLO_IR_STRUCT_RESULT_ACCURACY] = TREATMENT (SAME, ACCURACY),
};

static GhloVhloOp *by_op[GHLO_N_OPS];

/* The version that introduced the attribute or part @name: 1 unless stated otherwise, 0 if none did. */
static guint
introduced_in (GhloIrOpKind  kind,
               const char   *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (since_rows); i++)
    if (since_rows[i].kind == kind && strcmp (since_rows[i].name, name) == 0)
      return since_rows[i].version;

  return 1;
}

static gboolean
is_limited (const Exception *rows,
            guint            n_rows,
            GhloIrOpKind     kind,
            guint            version)
{
  for (guint i = 0; i < n_rows; i++)
    if (rows[i].kind == kind && version <= rows[i].version)
      return TRUE;

  return FALSE;
}

static void
add_part (GhloVhloGroup *group,
          GhloIrOpKind   kind,
          const char    *name,
          guint          field,
          guint          version)
{
  guint since = MAX (introduced_in (kind, group->spec->name), introduced_in (kind, name));

  g_assert (group->n_parts < GHLO_VHLO_MAX_PARTS);
  group->parts[group->n_parts++] = (GhloVhloPart) { name, field, since, GHLO_VHLO_ABSENT };
  if (since <= version)
    group->is_here = TRUE;
}

static GhloVhloFiller
filler_of (GhloIrOpKind          kind,
           const GhloIrAttrSpec *spec,
           GhloVhloFiller        by_treatment)
{
  if (spec->presence == GHLO_IR_REQUIRED)
    return GHLO_VHLO_FILLER_NONE;
  for (guint i = 0; i < G_N_ELEMENTS (filler_rows); i++)
    if (filler_rows[i].kind == kind && strcmp (filler_rows[i].name, spec->name) == 0)
      return filler_rows[i].filler;

  return by_treatment;
}

/* Makes the group of one attribute of the row. */
static void
make_group (GhloVhloGroup        *group,
            GhloIrOpKind          kind,
            const GhloIrAttrSpec *spec,
            guint                 version)
{
  const Treatment *treatment = spec->kind == GHLO_IR_KIND_STRUCT ? &by_struct[spec->detail]
                               : spec->kind < G_N_ELEMENTS (by_kind) ? &by_kind[spec->kind] : &by_kind[0];
  const GhloIrStructSpec *structure = &ghlo_ir_struct_specs[spec->kind == GHLO_IR_KIND_STRUCT ? spec->detail : 0];

  group->spec = spec;
  group->conversion = treatment->conversion;
  group->filler = filler_of (kind, spec, treatment->filler);
  group->is_extra = introduced_in (kind, spec->name) == 0;
  if (group->is_extra)
    return;

  if (group->conversion == GHLO_VHLO_CONVERSION_STRUCT || group->conversion == GHLO_VHLO_CONVERSION_ALGORITHM)
    {
      for (guint i = 0; i < structure->n_fields; i++)
        add_part (group, kind, structure->fields[i].name, i, version);
    }
  else if (group->conversion == GHLO_VHLO_CONVERSION_CHANNEL)
    {
      add_part (group, kind, "channel_id", 0, version);
      if (spec->presence == GHLO_IR_REQUIRED)
        add_part (group, kind, "channel_type", 1, version);
    }
  else
    {
      add_part (group, kind, spec->name, 0, version);
    }
}

static int
compare_parts (gconstpointer a,
               gconstpointer b)
{
  return strcmp ((*(GhloVhloPart *const *) a)->name, (*(GhloVhloPart *const *) b)->name);
}

/* Assigns indices, in alphabetical order, to the parts that this version has. */
static void
index_parts (GhloVhloOp *self)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();

  for (guint i = 0; i < self->n_groups; i++)
    for (guint j = 0; j < self->groups[i].n_parts; j++)
      if (self->groups[i].parts[j].since <= self->version)
        g_ptr_array_add (parts, &self->groups[i].parts[j]);
  g_ptr_array_sort (parts, compare_parts);

  self->n_attributes = parts->len;
  self->attributes = g_new (const char *, MAX (parts->len, 1));
  for (guint i = 0; i < parts->len; i++)
    {
      GhloVhloPart *part = parts->pdata[i];

      part->index = i;
      self->attributes[i] = part->name;
    }
}

static void
make_version (GhloVhloOp              *self,
              GhloIrOpKind             kind,
              const GhloIrVhloVersion *version)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);

  self->kind = kind;
  self->version = version->version;
  self->since = (GhloIrVersion) { version->major, version->minor, version->patch };
  g_snprintf (self->name, sizeof self->name, "%s_v%u", strchr (spec->name, '.') + 1, self->version);
  self->single = is_limited (single_rows, G_N_ELEMENTS (single_rows), kind, self->version);
  self->no_regions = is_limited (region_rows, G_N_ELEMENTS (region_rows), kind, self->version);

  self->groups = g_new0 (GhloVhloGroup, spec->n_attributes + G_N_ELEMENTS (gone_rows));
  self->n_groups = spec->n_attributes;
  for (guint i = 0; i < spec->n_attributes; i++)
    make_group (&self->groups[i], kind, &spec->attributes[i], self->version);
  for (guint i = 0; i < G_N_ELEMENTS (gone_rows); i++)
    if (gone_rows[i].kind == kind && self->version <= gone_rows[i].version)
      self->groups[self->n_groups++] = (GhloVhloGroup) {
        .conversion = GHLO_VHLO_CONVERSION_PADDING,
        .is_here = TRUE,
        .n_parts = 1,
        .parts = { { gone_rows[i].name, 0, 1, GHLO_VHLO_ABSENT } },
      };
  index_parts (self);
}

static gpointer
fill_table (gpointer data)
{
  for (guint kind = 1; kind < GHLO_N_OPS; kind++)
    {
      const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);

      if (spec->n_versions == 0)
        continue;
      by_op[kind] = g_new0 (GhloVhloOp, spec->n_versions);
      for (guint i = 0; i < spec->n_versions; i++)
        make_version (&by_op[kind][i], kind, &spec->versions[i]);
    }

  return NULL;
}

const GhloVhloOp *
ghlo_vhlo_versions (GhloIrOpKind  kind,
                    guint        *n)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, fill_table, NULL);
  *n = ghlo_ir_op_spec (kind)->n_versions;

  return by_op[kind];
}

/* "func.call_v1" is "call_v1" in VHLO. A return is StableHLO's until its place is known. */
static GhloIrOpKind
kind_of (const char *name,
         gsize       length)
{
  static const char *const functions[] = { "func", "call" };
  g_autofree char *full = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (strlen (functions[i]) == length && memcmp (functions[i], name, length) == 0)
      full = g_strconcat ("func.", functions[i], NULL);
  if (full == NULL)
    full = g_strdup_printf ("stablehlo.%.*s", (int) length, name);

  return ghlo_ir_op_kind_from_name (full, -1);
}

const GhloVhloOp *
ghlo_vhlo_op_find (const char *name)
{
  const char *suffix = g_strrstr (name, "_v");
  const GhloVhloOp *versions;
  GhloIrOpKind kind;
  guint n;

  if (suffix == NULL || strlen (name) >= sizeof versions->name)
    return NULL;
  kind = kind_of (name, suffix - name);
  versions = ghlo_vhlo_versions (kind, &n);
  for (guint i = 0; i < n; i++)
    if (strcmp (versions[i].name, name) == 0)
      return &versions[i];

  return NULL;
}

const char *
ghlo_vhlo_op_name (const GhloVhloOp *self)
{
  return self->name;
}

const char *const *
ghlo_vhlo_op_attributes (const GhloVhloOp *self,
                         guint            *n)
{
  *n = self->n_attributes;

  return self->attributes;
}

gboolean
ghlo_vhlo_has_op (GhloIrOpKind kind)
{
  return ghlo_ir_op_spec (kind)->n_versions > 0;
}
