/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The engine, the thread count, and primitives with their cache. Runs reuse the memory objects that earlier runs
 * left, so that none are created in the steady state.
 */

#include "cpu/library/onednn-private.h"

#include <dlfcn.h>
#ifdef __GLIBC__
#include <execinfo.h>
#endif
#include <string.h>

#include "base/ghlo-error.h"
#include "base/hash.h"
#include "cpu/isa/level.h"
#include "runtime/memory.h"

enum { MAX_CACHED = 256 };

/* Bytes that have to be free where the library is loaded, and where it generates code: it does not survive a failure to
 * allocate there. */
enum { LIBRARY_ROOM = 128 << 20, CODE_ROOM = 32 << 20 };

GhloCpuDnnl ghlo_cpu_dnnl;

static struct
{
  dnnl_engine_t  engine;                       /* NULL where oneDNN is not available */
  void         (*set_threads) (int threads);   /* both are NULL where oneDNN has no threads */
  int          (*get_threads) (void);
  gboolean       has_sgemm;
} onednn;

static struct
{
  GMutex      lock;      /* guards the other members */
  GHashTable *table;     /* key (GBytes of a description) → link in @order */
  GQueue      order;     /* of Entry; the most recently used one first */
} cache;

typedef struct
{
  GBytes           *key;
  GhloCpuPrimitive *primitive;
} Entry;

/* Looks the functions up. The version has to be that of the headers, which the calls are compiled against. */
static gboolean
find_functions (gpointer library)
{
  const struct
  {
    const char *name;
    gpointer    slot;
  } functions[] = {
#define ROW(name) { "dnnl_" #name, &ghlo_cpu_dnnl.name },
    GHLO_CPU_DNNL_FUNCTIONS (ROW)
#undef ROW
  };

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      gpointer function = dlsym (library, functions[i].name);

      if (function == NULL)
        return FALSE;
      *(gpointer *) functions[i].slot = function;
    }

  return ghlo_cpu_dnnl.version ()->major == DNNL_VERSION_MAJOR;
}

/* Finds the thread count functions of whichever OpenMP oneDNN is linked with. */
static gboolean
find_threads (gpointer library)
{
  if (ghlo_cpu_dnnl.version ()->cpu_runtime == DNNL_RUNTIME_SEQ)
    return TRUE;
  if (ghlo_cpu_dnnl.version ()->cpu_runtime != DNNL_RUNTIME_OMP)
    return FALSE;
  *(gpointer *) &onednn.set_threads = dlsym (library, "omp_set_num_threads");
  *(gpointer *) &onednn.get_threads = dlsym (library, "omp_get_max_threads");

  return onednn.set_threads != NULL && onednn.get_threads != NULL;
}

/* sgemm does not say how it is implemented, but it is what matmul calls "gemm:jit". */
static gboolean
find_sgemm (void)
{
  const GhloCpuDnnl *dnnl = &ghlo_cpu_dnnl;
  dnnl_primitive_desc_iterator_t iterator;
  dnnl_matmul_desc_t description;
  dnnl_memory_desc_t matrix;
  gboolean found = FALSE;

  if (!ghlo_cpu_onednn_describe (&matrix, (const gint64[]) { 64, 64 }, 2, dnnl_f32, dnnl_ab)
      || dnnl->matmul_desc_init (&description, &matrix, &matrix, NULL, &matrix) != dnnl_success
      || dnnl->primitive_desc_iterator_create (&iterator, &description, NULL, onednn.engine, NULL) != dnnl_success)
    return FALSE;
  do
    {
      dnnl_primitive_desc_t desc = dnnl->primitive_desc_iterator_fetch (iterator);
      const char *name = "";

      if (desc == NULL)
        break;
      dnnl->primitive_desc_query (desc, dnnl_query_impl_info_str, 0, &name);
      found = strstr (name, "gemm:jit") != NULL;
      dnnl->primitive_desc_destroy (desc);
    }
  while (!found && dnnl->primitive_desc_iterator_next (iterator) == dnnl_success);
  dnnl->primitive_desc_iterator_destroy (iterator);

  return found;
}

static guint
hash_key (gconstpointer key)
{
  gsize size;
  gconstpointer data = g_bytes_get_data ((GBytes *) key, &size);

  return (guint) ghlo_hash_bytes (data, size);
}

/* An exception that passes through a function of the C library makes that load the unwinder, which ends the process
 * when there is no memory for it. This loads the unwinder. */
static void
load_unwinder (void)
{
#ifdef __GLIBC__
  gpointer frame;

  backtrace (&frame, 1);
#endif
}

static gpointer
open_library (void)
{
  if (!ghlo_memory_check_room (LIBRARY_ROOM, "oneDNN", NULL))
    return NULL;
  load_unwinder ();

  return dlopen ("libdnnl.so." G_STRINGIFY (DNNL_VERSION_MAJOR), RTLD_LAZY | RTLD_LOCAL);
}

static void
start (void)
{
  gpointer library = open_library ();

  if (library == NULL)
    {
      const char *reason = dlerror ();

      g_debug ("oneDNN cannot be used: %s", reason != NULL ? reason : "there is not enough memory");
      return;
    }
  if (!find_functions (library) || !find_threads (library)
      || ghlo_cpu_dnnl.engine_create (&onednn.engine, dnnl_cpu, 0) != dnnl_success)
    {
      g_debug ("oneDNN cannot be used: a function is missing, there is no CPU engine, or its threads cannot be "
               "limited");
      onednn.engine = NULL;
      return;
    }
  onednn.has_sgemm = find_sgemm ();
  cache.table = g_hash_table_new (hash_key, g_bytes_equal);
}

dnnl_engine_t
ghlo_cpu_onednn_engine (void)
{
  static gsize started;

  if (g_once_init_enter (&started))
    {
      start ();
      g_once_init_leave (&started, 1);
    }

  return onednn.engine;
}

gboolean
ghlo_cpu_onednn_available (void)
{
  return ghlo_cpu_onednn_engine () != NULL;
}

char *
ghlo_cpu_onednn_dup_version (void)
{
  const dnnl_version_t *version = ghlo_cpu_onednn_available () ? ghlo_cpu_dnnl.version () : NULL;

  return version != NULL ? g_strdup_printf ("%d.%d.%d", version->major, version->minor, version->patch) : NULL;
}

int
ghlo_cpu_onednn_enter (void)
{
  int threads = onednn.get_threads != NULL ? onednn.get_threads () : 1;

  if (threads != 1)
    onednn.set_threads (1);

  return threads;
}

void
ghlo_cpu_onednn_leave (int threads)
{
  if (threads != 1)
    onednn.set_threads (threads);
}

static gboolean
has_isa (unsigned isa)
{
  return ghlo_cpu_onednn_available () && ((unsigned) ghlo_cpu_dnnl.get_effective_cpu_isa () & isa) == isa;
}

double
ghlo_cpu_onednn_speed (GhloElementType type)
{
  const gboolean has_tiles = has_isa (dnnl_cpu_isa_avx512_core_amx);

  if (type == GHLO_ELEMENT_TYPE_F32)
    return 1;
  if (type == GHLO_ELEMENT_TYPE_BF16)
    return has_tiles ? 6 : !has_isa (dnnl_cpu_isa_avx512_core_bf16) ? 0 : ghlo_cpu_has_bf16 () ? 2 : 0.5;

  return has_tiles ? 12 : 4;
}

gboolean
ghlo_cpu_onednn_has_sgemm (void)
{
  return ghlo_cpu_onednn_available () && onednn.has_sgemm;
}

static gboolean
check (dnnl_status_t   status,
       const char     *what,
       GError        **error)
{
  if (status == dnnl_success)
    return TRUE;
  g_set_error (error, GHLO_ERROR, status == dnnl_out_of_memory ? GHLO_ERROR_OUT_OF_MEMORY : GHLO_ERROR_DEVICE,
               "oneDNN failed to run %s: expected status 0, found %d", what, (int) status);

  return FALSE;
}

/* The code for a kind of call is generated by the first one. Vectors and narrow matrices have code of their own. */
static gboolean
check_code_room (gboolean   a_transposed,
                 gboolean   b_transposed,
                 gint64     m,
                 gint64     n,
                 gboolean   accumulate,
                 GError   **error)
{
  enum { NARROW = 64 };
  static guint seen;            /* a bit for each kind; atomic */
  const guint kind = a_transposed | b_transposed << 1 | (m <= NARROW) << 2 | (n <= NARROW) << 3 | accumulate << 4;

  if (g_atomic_int_get (&seen) & 1u << kind)
    return TRUE;
  if (!ghlo_memory_check_room (CODE_ROOM, "oneDNN", error))
    return FALSE;
  g_atomic_int_or (&seen, 1u << kind);

  return TRUE;
}

gboolean
ghlo_cpu_onednn_sgemm (gboolean      a_transposed,
                       gboolean      b_transposed,
                       gint64        m,
                       gint64        n,
                       gint64        k,
                       const float  *a,
                       gint64        a_leading,
                       const float  *b,
                       gint64        b_leading,
                       gboolean      accumulate,
                       float        *c,
                       gint64        c_leading,
                       GError      **error)
{
  dnnl_dims_t numbers;
  const gint64 given[] = { m, n, k, a_leading, b_leading, c_leading };
  gboolean fit = ghlo_cpu_onednn_set_numbers (numbers, given, G_N_ELEMENTS (given));
  dnnl_status_t status;
  int threads;

  g_assert (fit);
  if (!check_code_room (a_transposed, b_transposed, m, n, accumulate, error))
    return FALSE;
  threads = ghlo_cpu_onednn_enter ();
  status = ghlo_cpu_dnnl.sgemm (a_transposed ? 'T' : 'N', b_transposed ? 'T' : 'N', m, n, k, 1, a, a_leading, b,
                                b_leading, accumulate ? 1 : 0, c, c_leading);
  ghlo_cpu_onednn_leave (threads);

  return check (status, "sgemm", error);
}

/* The objects that a run needs. */
typedef struct _Objects Objects;

struct _Objects
{
  Objects        *next;         /* link in the primitive's list */
  dnnl_stream_t   stream;
  dnnl_memory_t   scratch;
  dnnl_memory_t   memories[GHLO_CPU_PRIMITIVE_MAX_MEMORIES];
};

static void
objects_free (Objects *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->memories); i++)
    if (self->memories[i] != NULL)
      ghlo_cpu_dnnl.memory_destroy (self->memories[i]);
  if (self->scratch != NULL)
    ghlo_cpu_dnnl.memory_destroy (self->scratch);
  if (self->stream != NULL)
    ghlo_cpu_dnnl.stream_destroy (self->stream);
  g_free (self);
}

static Objects *
objects_new (const GhloCpuPrimitive *primitive)
{
  dnnl_engine_t engine = ghlo_cpu_onednn_engine ();
  Objects *self = g_new0 (Objects, 1);
  gboolean ok;

  ok = ghlo_cpu_dnnl.stream_create (&self->stream, engine, dnnl_stream_default_flags) == dnnl_success
       && ghlo_cpu_dnnl.memory_create (&self->scratch, &primitive->scratch_layout, engine, DNNL_MEMORY_NONE)
          == dnnl_success;
  for (guint i = 0; ok && i < primitive->n_memories; i++)
    ok = ghlo_cpu_dnnl.memory_create (&self->memories[i], &primitive->memories[i].layout, engine, DNNL_MEMORY_NONE)
         == dnnl_success;
  if (ok)
    return self;
  objects_free (self);

  return NULL;
}

GhloCpuPrimitive *
ghlo_cpu_primitive_ref (GhloCpuPrimitive *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_cpu_primitive_unref (GhloCpuPrimitive *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  if (self->primitive != NULL)
    ghlo_cpu_dnnl.primitive_destroy (self->primitive);
  ghlo_cpu_dnnl.primitive_desc_destroy (self->description);
  g_mutex_clear (&self->lock);
  while (self->spare != NULL)
    {
      Objects *objects = self->spare;

      self->spare = objects->next;
      objects_free (objects);
    }
  g_free (self->name);
  g_free (self);
}

gsize
ghlo_cpu_primitive_scratch_size (const GhloCpuPrimitive *self)
{
  return self->scratch_size;
}

const char *
ghlo_cpu_primitive_name (const GhloCpuPrimitive *self)
{
  return self->name;
}

gsize
ghlo_cpu_onednn_weights_size (const GhloCpuPrimitive *self)
{
  return ghlo_cpu_dnnl.memory_desc_get_size (&self->memories[GHLO_CPU_PRIMITIVE_WEIGHTS].layout);
}

GBytes *
ghlo_cpu_onednn_weights_layout (const GhloCpuPrimitive *self)
{
  const dnnl_memory_desc_t *layout = &self->memories[GHLO_CPU_PRIMITIVE_WEIGHTS].layout;

  return g_bytes_new (layout, sizeof (*layout));
}

static dnnl_status_t
execute (const GhloCpuPrimitive *self,
         Objects                *objects,
         gpointer const         *data,
         gpointer                scratch)
{
  dnnl_exec_arg_t arguments[GHLO_CPU_PRIMITIVE_MAX_MEMORIES + 1];
  dnnl_status_t status = ghlo_cpu_dnnl.memory_set_data_handle (objects->scratch, scratch);

  for (guint i = 0; status == dnnl_success && i < self->n_memories; i++)
    {
      status = ghlo_cpu_dnnl.memory_set_data_handle (objects->memories[i], data[i]);
      arguments[i] = (dnnl_exec_arg_t) { self->memories[i].argument, objects->memories[i] };
    }
  arguments[self->n_memories] = (dnnl_exec_arg_t) { DNNL_ARG_SCRATCHPAD, objects->scratch };

  if (status != dnnl_success)
    return status;

  return ghlo_cpu_dnnl.primitive_execute (self->primitive, objects->stream, (int) self->n_memories + 1, arguments);
}

/* As many objects are kept as runs ever took place at the same time. */
static Objects *
take_objects (GhloCpuPrimitive *self)
{
  Objects *objects;

  g_mutex_lock (&self->lock);
  objects = self->spare;
  if (objects != NULL)
    self->spare = objects->next;
  g_mutex_unlock (&self->lock);

  return objects != NULL ? objects : objects_new (self);
}

static void
give_back_objects (GhloCpuPrimitive *self,
                   Objects          *objects)
{
  g_mutex_lock (&self->lock);
  objects->next = self->spare;
  self->spare = objects;
  g_mutex_unlock (&self->lock);
}

gboolean
ghlo_cpu_primitive_run (GhloCpuPrimitive *self,
                        gpointer const   *data,
                        gpointer          scratch,
                        GError          **error)
{
  int threads = ghlo_cpu_onednn_enter ();
  Objects *objects = take_objects (self);
  dnnl_status_t status = objects != NULL ? execute (self, objects, data, scratch) : dnnl_out_of_memory;
  ghlo_cpu_onednn_leave (threads);

  if (objects != NULL)
    give_back_objects (self, objects);

  return check (status, self->name, error);
}

gboolean
ghlo_cpu_primitive_compile (GhloCpuPrimitive *self)
{
  gboolean ok;
  int threads;

  if (!ghlo_memory_check_room (CODE_ROOM, "oneDNN", NULL))
    return FALSE;
  threads = ghlo_cpu_onednn_enter ();
  g_mutex_lock (&self->lock);
  ok = self->primitive != NULL || ghlo_cpu_dnnl.primitive_create (&self->primitive, self->description) == dnnl_success;
  g_mutex_unlock (&self->lock);
  ghlo_cpu_onednn_leave (threads);

  return ok;
}

/* Takes over @desc. */
static GhloCpuPrimitive *
primitive_new (dnnl_primitive_desc_t  desc,
               const int             *arguments,
               guint                  n_arguments)
{
  g_autoptr (GhloCpuPrimitive) self = g_new0 (GhloCpuPrimitive, 1);
  const dnnl_memory_desc_t *layout;
  const char *name = "";
  gboolean ok;

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  self->description = desc;
  ghlo_cpu_dnnl.primitive_desc_query (desc, dnnl_query_impl_info_str, 0, &name);
  self->name = g_strdup (name);
  self->n_memories = n_arguments;
  layout = ghlo_cpu_dnnl.primitive_desc_query_md (desc, dnnl_query_scratchpad_md, 0);
  ok = strstr (name, "ref") == NULL && layout != NULL;
  if (ok)
    {
      self->scratch_layout = *layout;
      self->scratch_size = ghlo_cpu_dnnl.memory_desc_get_size (layout);
    }
  for (guint i = 0; ok && i < n_arguments; i++)
    {
      layout = ghlo_cpu_dnnl.primitive_desc_query_md (desc, dnnl_query_exec_arg_md, arguments[i]);
      ok = layout != NULL;
      if (ok)
        self->memories[i] = (GhloCpuPrimitiveMemory) { arguments[i], *layout };
    }

  return ok ? g_steal_pointer (&self) : NULL;
}

/* The attributes of every primitive: the caller provides the scratch. NULL also where there is too little memory to
 * make one. */
static dnnl_primitive_attr_t
new_attributes (void)
{
  dnnl_primitive_attr_t attributes;

  if (!ghlo_memory_check_room (CODE_ROOM, "oneDNN", NULL))
    return NULL;
  if (ghlo_cpu_dnnl.primitive_attr_create (&attributes) != dnnl_success)
    return NULL;
  ghlo_cpu_dnnl.primitive_attr_set_scratchpad_mode (attributes, dnnl_scratchpad_mode_user);

  return attributes;
}

static void
entry_free (Entry *entry)
{
  g_bytes_unref (entry->key);
  ghlo_cpu_primitive_unref (entry->primitive);
  g_free (entry);
}

static GhloCpuPrimitive *
cache_find (GBytes *key)
{
  GhloCpuPrimitive *found = NULL;
  GList *link;

  g_mutex_lock (&cache.lock);
  link = g_hash_table_lookup (cache.table, key);
  if (link != NULL)
    {
      g_queue_unlink (&cache.order, link);
      g_queue_push_head_link (&cache.order, link);
      found = ghlo_cpu_primitive_ref (((Entry *) link->data)->primitive);
    }
  g_mutex_unlock (&cache.lock);

  return found;
}

/* Adds a primitive, and drops the least recently used one where there are too many. */
static void
cache_add (GBytes           *key,
           GhloCpuPrimitive *primitive)
{
  Entry *entry = g_new (Entry, 1), *old = NULL;

  *entry = (Entry) { g_bytes_ref (key), ghlo_cpu_primitive_ref (primitive) };
  g_mutex_lock (&cache.lock);
  if (g_hash_table_contains (cache.table, key))
    old = entry;
  else
    {
      g_queue_push_head (&cache.order, entry);
      g_hash_table_insert (cache.table, entry->key, g_queue_peek_head_link (&cache.order));
      if (g_queue_get_length (&cache.order) > MAX_CACHED)
        {
          old = g_queue_pop_tail (&cache.order);
          g_hash_table_remove (cache.table, old->key);
        }
    }
  g_mutex_unlock (&cache.lock);
  if (old != NULL)
    entry_free (old);
}

guint
ghlo_cpu_primitive_cached (void)
{
  guint n;

  g_mutex_lock (&cache.lock);
  n = g_queue_get_length (&cache.order);
  g_mutex_unlock (&cache.lock);

  return n;
}

GhloCpuPrimitive *
ghlo_cpu_primitive_get (gconstpointer  description,
                        gsize          size,
                        const int     *arguments,
                        guint          n_arguments)
{
  g_autoptr (GBytes) key = g_bytes_new (description, size);
  GhloCpuPrimitive *primitive;
  dnnl_primitive_attr_t attributes;
  dnnl_primitive_desc_t desc;
  int threads;

  if (!ghlo_cpu_onednn_available ())
    return NULL;
  primitive = cache_find (key);
  attributes = primitive == NULL ? new_attributes () : NULL;
  if (attributes == NULL)
    return primitive;

  threads = ghlo_cpu_onednn_enter ();
  if (ghlo_cpu_dnnl.primitive_desc_create (&desc, description, attributes, ghlo_cpu_onednn_engine (), NULL)
      == dnnl_success)
    primitive = primitive_new (desc, arguments, n_arguments);
  ghlo_cpu_onednn_leave (threads);
  ghlo_cpu_dnnl.primitive_attr_destroy (attributes);
  if (primitive != NULL)
    cache_add (key, primitive);

  return primitive;
}

GhloCpuPrimitive *
ghlo_cpu_primitive_get_reorder (const dnnl_memory_desc_t *from,
                                const dnnl_memory_desc_t *to)
{
  dnnl_memory_desc_t both[2] = { *from, *to };
  g_autoptr (GBytes) key = g_bytes_new (both, sizeof (both));
  dnnl_engine_t engine = ghlo_cpu_onednn_engine ();
  GhloCpuPrimitive *primitive;
  dnnl_primitive_attr_t attributes;
  dnnl_primitive_desc_t desc;
  int threads;

  if (engine == NULL)
    return NULL;
  primitive = cache_find (key);
  attributes = primitive == NULL ? new_attributes () : NULL;
  if (attributes == NULL)
    return primitive;

  threads = ghlo_cpu_onednn_enter ();
  if (ghlo_cpu_dnnl.reorder_primitive_desc_create (&desc, from, engine, to, engine, attributes) == dnnl_success)
    primitive = primitive_new (desc, (const int[]) { DNNL_ARG_FROM, DNNL_ARG_TO }, 2);
  ghlo_cpu_onednn_leave (threads);
  ghlo_cpu_dnnl.primitive_attr_destroy (attributes);
  if (primitive != NULL)
    cache_add (key, primitive);

  return primitive;
}
