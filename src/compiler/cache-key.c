/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What identifies an entry: the text of the options, the name of a file, and the key, which is the SHA-256 of the
 * options, the elements of large constants, and the artifact without these.
 */

#include "compiler/cache-key.h"

#include <string.h>

#include "base/element.h"
#include "base/sizes.h"
#include "compiler/digest.h"
#include "import/import.h"
#include "passes/walk.h"
#include "runtime/build-id.h"
#include "runtime/parallel.h"

/* Constants of at least this many bytes are left out. */
#define LARGE ((gsize) 4096)
/* Constants are hashed by several threads: the bytes of one chunk, and the time that hashing takes. */
#define CHUNK ((gsize) 1 << 18)
#define NANOSECONDS_PER_BYTE 3.0

char *
ghlo_cache_key_describe_options (const GhloOptimizeOptions *options,
                                 const char                *device,
                                 gboolean                   keep_locations)
{
  g_auto (GStrv) passes = ghlo_optimize_dup_passes (options);
  g_autofree char *names = g_strjoinv (",", passes);
  guint max_merges;

  if (ghlo_build_id () == NULL)
    return NULL;
  ghlo_passes_read_fuse (&max_merges, NULL);

  return g_strdup_printf ("ghlo %s %s\n%s\nO%u%s%s\n%s\n%u\n%s\n", GHLO_VERSION, ghlo_build_id (), device,
                          options->level, options->excess_precision ? " excess-precision" : "",
                          keep_locations ? " locations" : "", names, max_merges,
                          options->evaluator != NULL ? options->evaluator->names[0] : "");
}

GPtrArray *
ghlo_cache_key_constants (const GhloIrModule *module)
{
  GPtrArray *constants = g_ptr_array_new ();

  for (GhloIrOp *op = module->op; op != NULL; op = ghlo_pass_next_op (op, module->op))
    if (op->kind == GHLO_OP_STABLEHLO_CONSTANT)
      g_ptr_array_add (constants, op);

  return constants;
}

static const GhloIrAttr *
dense_value (const GhloIrOp *constant)
{
  const GhloIrAttr *value = ghlo_ir_op_get (constant, "value");

  return value != NULL && value->kind == GHLO_IR_ATTR_DENSE ? value : NULL;
}

const GhloIrAttr *
ghlo_cache_key_large_value (const GhloIrOp *constant)
{
  const GhloIrAttr *value = dense_value (constant);

  return value != NULL && !value->dense.splat && g_bytes_get_size (value->dense.bytes) >= LARGE ? value : NULL;
}

void
ghlo_cache_key_elide (GhloIrModule  *module,
                      GhloIrOp      *constant)
{
  const GhloIrAttr *value = dense_value (constant);
  gsize size = g_bytes_get_size (value->dense.bytes) / value->dense.n_elements;
  GBytes *zero = g_bytes_new_take (g_malloc0 (size), size);

  ghlo_ir_op_set (module, constant, "value", ghlo_ir_attr_dense (module, value->type, zero, TRUE, NULL));
}

gboolean
ghlo_cache_key_restore (GhloIrModule     *module,
                        GhloIrOp         *constant,
                        const GhloIrAttr *value)
{
  const GhloIrAttr *place = dense_value (constant);
  gsize size;

  if (place == NULL || !place->dense.splat
      || !ghlo_size_mul (&size, place->dense.n_elements, g_bytes_get_size (place->dense.bytes))
      || size != g_bytes_get_size (value->dense.bytes) || place->type->element_type != value->type->element_type)
    return FALSE;
  ghlo_ir_op_set (module, constant, "value",
                  ghlo_ir_attr_dense (module, place->type, g_bytes_ref (value->dense.bytes), FALSE, NULL));

  return TRUE;
}

/* A fast hash for names. It does not resist attempts to find programs with the same name; those merely overwrite each
 * other's file. */
typedef struct
{
  guint64 state;
} Mixer;

static void
mix (Mixer   *self,
     guint64  number)
{
  self->state = (self->state ^ number) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  self->state ^= self->state >> 29;
}

static void
mix_type (Mixer            *self,
          const GhloIrType *type)
{
  mix (self, (guint64) type->kind << 32 | (guint64) type->element_type << 16 | type->rank);
  if (type->kind == GHLO_IR_TYPE_TENSOR)
    for (guint i = 0; i < type->rank; i++)
      mix (self, type->dimensions[i]);
}

static void
mix_attr (Mixer            *self,
          const GhloIrAttr *attr)
{
  guint8 first[8] = { 0 };
  guint64 number;

  mix (self, (guint64) attr->kind << 32 | attr->length);
  if (attr->kind == GHLO_IR_ATTR_DENSE_ARRAY && attr->type->element_type != GHLO_ELEMENT_TYPE_INVALID
      && !ghlo_element_type_is_float (attr->type->element_type))
    for (gsize i = 0; i < attr->length; i++)
      mix (self, attr->integers[i]);
  else if (attr->kind == GHLO_IR_ATTR_DENSE && g_bytes_get_size (attr->dense.bytes) > 0)
    {
      memcpy (first, g_bytes_get_data (attr->dense.bytes, NULL),
              MIN (sizeof first, g_bytes_get_size (attr->dense.bytes)));
      memcpy (&number, first, sizeof number);
      mix (self, number);
    }
}

static void
mix_op (Mixer          *self,
        const GhloIrOp *op)
{
  mix (self, (guint64) op->kind << 32 | op->n_operands << 16 | op->n_results << 8 | op->n_regions);
  for (guint i = 0; i < op->n_results; i++)
    mix_type (self, op->results[i].type);
  for (guint i = 0; i < ghlo_ir_op_get_spec (op)->n_attributes; i++)
    if (op->attributes[i] != NULL)
      mix_attr (self, op->attributes[i]);
}

char *
ghlo_cache_key_name (GhloIrModule *module,
                     const char   *options)
{
  Mixer mixer = { 0 };

  for (const char *c = options; *c != '\0'; c++)
    mix (&mixer, (guint8) *c);
  for (GhloIrOp *op = module->op; op != NULL; op = ghlo_pass_next_op (op, module->op))
    mix_op (&mixer, op);

  return g_strdup_printf ("%016" G_GINT64_MODIFIER "x", mixer.state);
}

/* The elements of a constant, whose chunks are hashed in parallel. */
typedef struct
{
  const guint8 *bytes;
  gsize         size;
  guint8       *digests;      /* one for each chunk */
} Chunks;

static void
digest_chunks (gpointer data,
               gsize    begin,
               gsize    end,
               guint    worker)
{
  Chunks *chunks = data;

  for (gsize i = begin; i < end; i++)
    ghlo_digest (chunks->bytes + i * CHUNK, MIN (CHUNK, chunks->size - i * CHUNK),
                 chunks->digests + i * GHLO_DIGEST_SIZE);
}

/* FALSE when cancelled. */
static gboolean
add_elements (GChecksum         *checksum,
              GBytes            *elements,
              const GhloMonitor *monitor,
              GError           **error)
{
  const GhloMonitor quiet = { .cancellable = monitor != NULL ? monitor->cancellable : NULL };
  Chunks chunks = { 0 };
  gsize n_chunks;
  g_autofree guint8 *digests = NULL;
  guint64 size;

  chunks.bytes = g_bytes_get_data (elements, &chunks.size);
  n_chunks = ghlo_size_ceil_div (chunks.size, CHUNK);
  chunks.digests = digests = g_malloc (n_chunks * GHLO_DIGEST_SIZE);
  if (!ghlo_parallel_for (n_chunks, 1, chunks.size * NANOSECONDS_PER_BYTE, digest_chunks, &chunks, &quiet))
    {
      ghlo_monitor_cancelled (monitor, error);
      return FALSE;
    }
  size = chunks.size;
  g_checksum_update (checksum, (const guint8 *) &size, sizeof size);
  g_checksum_update (checksum, digests, n_chunks * GHLO_DIGEST_SIZE);

  return TRUE;
}

static gboolean
is_too_large (GPtrArray *constants)
{
  gsize total = 0;

  for (guint i = 0; i < constants->len; i++)
    {
      const GhloIrAttr *value = ghlo_cache_key_large_value (constants->pdata[i]);

      if (value != NULL)
        total += g_bytes_get_size (value->dense.bytes);
    }

  return total > GHLO_CACHE_KEY_MAX_CONSTANTS;
}

/* Removes the large constants from @module, and adds their elements and indices to the checksum. */
static gboolean
add_constants (GChecksum          *checksum,
               GhloIrModule       *module,
               GPtrArray          *constants,
               const GhloMonitor  *monitor,
               GError            **error)
{
  for (guint32 i = 0; i < constants->len; i++)
    {
      const GhloIrAttr *value = ghlo_cache_key_large_value (constants->pdata[i]);

      if (value == NULL)
        continue;
      g_checksum_update (checksum, (const guint8 *) &i, sizeof i);
      if (!add_elements (checksum, value->dense.bytes, monitor, error))
        return FALSE;
      ghlo_cache_key_elide (module, constants->pdata[i]);
      ghlo_monitor_progress (monitor, (i + 1.0) / constants->len, "constants");
    }
  g_checksum_update (checksum, (const guint8 *) &(guint32) { G_MAXUINT32 }, sizeof (guint32));

  return TRUE;
}

char *
ghlo_cache_key_compute (GhloIrModule       *module,
                        const char         *options,
                        gboolean            keep_locations,
                        const GhloMonitor  *monitor,
                        GError            **error)
{
  g_autoptr (GhloIrModule) copy = ghlo_ir_module_copy (module);
  g_autoptr (GPtrArray) constants = ghlo_cache_key_constants (copy);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GError) local_error = NULL;
  g_autoptr (GBytes) artifact = NULL;

  if (ghlo_monitor_cancelled (monitor, error) || is_too_large (constants))
    return NULL;
  /* Including the terminator, so that no option can be mistaken for a part of what follows. */
  g_checksum_update (checksum, (const guint8 *) options, strlen (options) + 1);
  if (!add_constants (checksum, copy, constants, monitor, error))
    return NULL;

  artifact = ghlo_export_artifact (copy, GHLO_IR_VERSION_CURRENT,
                                   keep_locations ? GHLO_EXPORT_DEFAULT : GHLO_EXPORT_STRIP_LOCATIONS, monitor,
                                   &local_error);
  if (artifact == NULL)
    {
      if (!ghlo_monitor_cancelled (monitor, error))
        g_debug ("%s is not looked up in the cache: %s", module->file_name, local_error->message);
      return NULL;
    }
  g_checksum_update (checksum, g_bytes_get_data (artifact, NULL), g_bytes_get_size (artifact));

  return g_strdup (g_checksum_get_string (checksum));
}
