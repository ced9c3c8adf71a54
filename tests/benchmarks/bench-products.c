/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrix products by cooperative matrices on a Vulkan device, timed by the device: for each row of the table of tiles,
 * number of steps per block and prefetch distance, the time of one product in a sequence of dependent ones. Warm, all
 * have the same weights (rhs), which the device's caches may hold; cold, each has its own, at least 100 MB in total.
 * The first line of a size is the library's choice; the fastest with cold and with warm weights are marked at the end.
 *
 *   bench-products [DEVICE]    "vulkan" by itself; --quick for a software device, which emulates matrices
 *   --types=bf16,f32           f32 is multiplied as two numbers of bf16
 *   --sizes=512x768x768,…      m × n × k; weights are transposed where a "t" is behind it
 *   --rows=1,2,3 --steps=1,2,4 --distances=1,2,4,8,12
 */

#include "../unit/vulkan/vulkan-product.h"
#include "gpu/core.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sizes.h"

/* Bytes of weights that exceed every cache; the least number of products in a sequence; the number of rounds; and the
 * alignment of all addresses. */
enum { COLD = 100 << 20, LEAST_PRODUCTS = 12, ROUNDS = 7, ALIGNMENT = 256 };

enum { LHS, WEIGHTS, RESULT, SCRATCH, N_BUFFERS };

typedef struct
{
  GhloElementType type;
  gint64          m, n, k;
  gboolean        is_transposed;        /* weights: contiguous along k */
} Product;

/* One way to compute a product. */
typedef struct
{
  Product                  product;
  gboolean                 is_chosen;   /* by the library; always the first variant of its product */
  GhloGpuDevice         device;      /* a copy with the parameters of this variant */
  gint64                   strides[3][2];
  GhloView                 views[3];
  GhloStepOperandSelection operands[2];
  GhloStepRequest          request;
  GhloGpuProduct        read;
  gpointer                 compiled;
  gsize                    sizes[N_BUFFERS];    /* bytes; the weights of one product */
  double                   warm, cold;  /* seconds */
} Variant;

enum { TYPES, SIZES, ROWS, STEPS, DISTANCES, N_LISTS };

/* The values to try by default, and with --quick. */
static const struct { const char *all, *quick; } lists[N_LISTS] = {
  { "bf16,f32", "bf16,f32" },
  { "512x768x768,512x768x2304,512x3072x768,512x768x3072,512x50257x768t,197x768x768,1024x1024x1024,2048x2048x2048,"
    "4096x4096x4096", "64x64x128,72x40x72t" },
  { "1,2,3", "3" }, { "1,2,4", "4" }, { "1,2,4,8,12", "1,4" },
};

static char *given[N_LISTS];
static gboolean is_quick;

/* Prints the error and exits, if there is one. */
static void
check (const GError *error)
{
  if (error == NULL)
    return;
  g_printerr ("bench-products: %s\n", error->message);
  exit (1);
}

/* Returns FALSE where cooperative matrices cannot compute the product. */
static gboolean
read_variant (Variant            *self,
              const GhloIrOp     *op)
{
  static const guint32 alignments[] = { ALIGNMENT, ALIGNMENT, ALIGNMENT };

  for (guint i = 0; i < 3; i++)
    {
      const GhloIrType *type = i < 2 ? ghlo_ir_op_operand (op, i)->type : op->results[0].type;
      const gint64 size = (gint64) ghlo_element_info (type->element_type)->size;

      self->strides[i][1] = size;
      self->strides[i][0] = type->dimensions[1] * size;
      self->views[i] = (GhloView) { .element_type = type->element_type, .rank = 2, .dimensions = type->dimensions,
                                    .strides = self->strides[i] };
      self->sizes[i] = (gsize) ghlo_round_up (type->dimensions[0] * type->dimensions[1] * size, ALIGNMENT);
    }
  self->request = (GhloStepRequest) { .op = op, .n_operands = 2, .n_results = 1, .operands = self->views,
                                      .results = self->views + 2, .alignments = alignments };

  return ghlo_gpu_product_read (&self->read, &self->device, &self->request, TRUE) == NULL
         && self->read.shader.subgroup > 0;
}

/* Called on any thread. */
static void
compile (gpointer data,
         gpointer nothing)
{
  Variant *self = data;
  GhloStepSelection selection = { .operands = self->operands };
  g_autoptr (GError) error = NULL;

  if (!ghlo_step_select (&ghlo_gpu_step_product, &self->device.vulkan.core, &self->request, &selection))
    g_error ("a product of %" G_GINT64_FORMAT " rows was read, but not selected: %s", self->product.m,
             selection.reason);
  self->sizes[SCRATCH] = MAX (selection.scratch, ALIGNMENT);
  self->compiled = ghlo_step_compile_request (&ghlo_gpu_step_product, &self->device.vulkan.core, &self->request, NULL,
                                              &error);
  check (error);
}

/* Returns the number of cold weights; two on a software device, where caches make no difference. */
static guint
count_weights (const Variant *variant)
{
  const gsize cold = is_quick ? 0 : COLD;

  return (guint) MAX (2, (cold + variant->sizes[WEIGHTS] - 1) / variant->sizes[WEIGHTS]);
}

/* Returns the seconds of a product, the least of several rounds. */
static double
measure (const Variant *variant,
         guint8 *const *buffers,
         guint          n_weights)
{
  const GhloDeviceCore *core = &variant->device.vulkan.core;
  GhloDeviceQueue *queue = core->queue;
  const guint least_products = is_quick ? 1 : LEAST_PRODUCTS, n_rounds = is_quick ? 1 : ROUNDS;
  const guint n = n_weights * ((least_products + n_weights - 1) / n_weights);
  GhloBufferExtent extents[N_BUFFERS];
  const GhloBufferRef result = { RESULT, 0 }, scratch = { SCRATCH, 0 };
  gint64 least = G_MAXINT64;
  g_autoptr (GError) error = NULL;
  GhloCommandBuffer *recording;

  for (guint i = 0; i < N_BUFFERS; i++)
    extents[i] = (GhloBufferExtent) { i, 0, G_MAXUINT32, i };
  recording = core->command_buffers->begin ((GhloDeviceCore *) core, extents);
  for (guint i = 0; i < n; i++)
    {
      const GhloBufferRef operands[] = { { LHS, 0 }, { WEIGHTS, (gint64) (i % n_weights * variant->sizes[WEIGHTS]) } };

      ghlo_gpu_step_product.record (variant->compiled, operands, &result, scratch, recording, &error);
      check (error);
    }
  core->command_buffers->end (recording, 0);
  for (guint round = 0; round < n_rounds; round++)
    {
      gint64 nanoseconds = -1;

      if (queue->klass->begin_timing (queue, &error)
          && core->command_buffers->replay (recording, buffers, NULL, &error))
        queue->klass->end_timing (queue, &nanoseconds, NULL, &error);
      check (error);
      if (nanoseconds < 0)
        g_error ("the device does not tell how long it takes");
      least = MIN (least, nanoseconds);
    }
  core->command_buffers->free (recording);

  return (double) least * 1e-9 / n;
}

static void
print_way (const char    *what,
           const Variant *variant)
{
  const Product *product = &variant->product;
  const GhloSpirvProduct *shader = &variant->read.shader;
  const double n = 2.0 * (double) product->m * (double) product->n * (double) product->k * 1e-12;

  g_print ("%-10s %s %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "%s: tiles %ux%u%s, steps %u+%u, "
           "distance %2u, pieces %" G_GINT64_FORMAT ": warm %7.1f µs, cold %7.1f µs, %.0f and %.0f TFLOP/s\n", what,
           ghlo_element_info (product->type)->name, product->m, product->n, product->k,
           product->is_transposed ? "t" : "", ghlo_spirv_tile_rows (&shader->tile),
           ghlo_spirv_tile_columns (&shader->tile), shader->has_whole_tiles ? " whole" : "", shader->n_steps[0],
           shader->n_steps[1], shader->distance, variant->read.n_pieces, variant->warm * 1e6,
           variant->cold * 1e6, n / variant->warm, n / variant->cold);
}

/* Fills weights and other operands alike, with small numbers of either type. */
static void
allocate (const GhloGpuDevice  *device,
          const GPtrArray      *variants,
          guint8              **buffers)
{
  GhloDeviceMemory *memory = device->vulkan.core.memory;
  gsize sizes[N_BUFFERS] = { 0 };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < variants->len; i++)
    for (guint b = 0; b < N_BUFFERS; b++)
      {
        const Variant *variant = variants->pdata[i];

        sizes[b] = MAX (sizes[b], variant->sizes[b] * (b == WEIGHTS ? count_weights (variant) : 1));
      }
  for (guint b = 0; b < N_BUFFERS; b++)
    {
      const gsize n_words = (sizes[b] + 63) / sizeof (guint32);
      g_autofree guint32 *words = g_new (guint32, n_words);
      guint32 random = 1;

      for (gsize i = 0; i < n_words; i++)
        {
          random = random * 1664525u + 1013904223u;
          words[i] = 0x3c003c00u | (random >> 8 & 0x80ff80ffu);
        }
      buffers[b] = memory->klass->alloc (memory, GHLO_MEMORY_DEVICE, n_words * sizeof *words, NULL, &error);
      check (error);
      memory->klass->upload (memory, words, buffers[b], n_words * sizeof *words, FALSE, NULL, &error);
      check (error);
    }
}

static Product
read_size (const char      *text,
           GhloElementType  type)
{
  Product product = { .type = type };
  int length = 0;

  if (sscanf (text, "%5" G_GINT64_MODIFIER "dx%5" G_GINT64_MODIFIER "dx%5" G_GINT64_MODIFIER "d%n", &product.m,
              &product.n, &product.k, &length) != 3 || MIN (MIN (product.m, product.n), product.k) < 1
      || (text[length] != '\0' && !g_str_equal (text + length, "t")))
    {
      g_printerr ("bench-products: expected a size as 512x768x768 or 512x768x768t, found \"%s\"\n", text);
      exit (1);
    }
  product.is_transposed = text[length] == 't';

  return product;
}

/* Reads an option's list. Only sizes may be other than those in the default list. */
static GStrv
read_list (guint list)
{
  g_auto (GStrv) all = g_strsplit (lists[list].all, ",", 0);
  GStrv words = g_strsplit (given[list] != NULL ? given[list] : is_quick ? lists[list].quick : lists[list].all, ",", 0);

  for (guint i = 0; list != SIZES && words[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) all, words[i]))
      {
        g_printerr ("bench-products: expected some of %s, found \"%s\"\n", lists[list].all, words[i]);
        exit (1);
      }

  return words;
}

static guint
read_number (const char *text)
{
  return (guint) g_ascii_strtoull (text, NULL, 10);
}

/* Adds a variant, unless an equal one of the same product, whose variants begin at @first, is there already. Blocks
 * that do not fit are shortened, which may make variants equal. */
static void
add_variant (GPtrArray      *variants,
             guint           first,
             const Variant  *variant,
             const GhloIrOp *op)
{
  g_autofree Variant *self = g_memdup2 (variant, sizeof *variant);

  self->is_chosen = variants->len == first;
  if (!read_variant (self, op))
    return;
  for (guint i = first + 1; i < variants->len; i++)
    {
      const GhloSpirvProduct *a = &((const Variant *) variants->pdata[i])->read.shader, *b = &self->read.shader;

      if (memcmp (&a->tile, &b->tile, sizeof a->tile) == 0
          && memcmp (a->n_steps, b->n_steps, sizeof a->n_steps) == 0 && a->distance == b->distance)
        return;
    }
  g_ptr_array_add (variants, g_steal_pointer (&self));
}

static void
add_variants (GPtrArray           *variants,
              const GhloGpuDevice *device,
              Product              product)
{
  g_auto (GStrv) rows = read_list (ROWS), steps = read_list (STEPS), distances = read_list (DISTANCES);
  const Types types = { product.type, product.type, product.type };
  g_autofree char *text = print_matrices (product.m, product.n, product.k, &types, "DEFAULT", FALSE,
                                          product.is_transposed);
  const GhloIrOp *op = step_find_op (parse (text));     /* its module is never freed */
  g_autofree Variant *variant = g_new0 (Variant, 1);
  const guint first = variants->len;

  variant->product = product;
  variant->device = *device;
  add_variant (variants, first, variant, op);
  for (guint r = 0; rows[r] != NULL; r++)
    for (guint s = 0; steps[s] != NULL; s++)
      for (guint d = 0; distances[d] != NULL; d++)
        {
          variant->device.forced_matrices.row = read_number (rows[r]);
          variant->device.forced_matrices.n_steps = read_number (steps[s]);
          variant->device.forced_matrices.distance = read_number (distances[d]);
          add_variant (variants, first, variant, op);
        }
}

static GPtrArray *
find_ways (const GhloGpuDevice *device)
{
  g_auto (GStrv) types = read_list (TYPES), sizes = read_list (SIZES);
  GPtrArray *variants = g_ptr_array_new ();

  for (guint t = 0; types[t] != NULL; t++)
    for (guint s = 0; sizes[s] != NULL; s++)
      add_variants (variants, device, read_size (sizes[s], g_str_equal (types[t], "f32") ? GHLO_ELEMENT_TYPE_F32
                                                                                         : GHLO_ELEMENT_TYPE_BF16));

  return variants;
}

/* Reports the variants of one product, which are contiguous from @first on. Returns their end. */
static guint
measure_product (const GPtrArray *variants,
                 guint8 *const   *buffers,
                 guint            first)
{
  const Variant *warm = NULL, *cold = NULL;
  guint i;

  for (i = first; i < variants->len && (i == first || !((const Variant *) variants->pdata[i])->is_chosen); i++)
    {
      Variant *variant = variants->pdata[i];

      variant->warm = measure (variant, buffers, 1);
      variant->cold = measure (variant, buffers, count_weights (variant));
      print_way (variant->is_chosen ? "chosen" : "", variant);
      if (warm == NULL || variant->warm < warm->warm)
        warm = variant;
      if (cold == NULL || variant->cold < cold->cold)
        cold = variant;
    }
  print_way ("best cold", cold);
  print_way ("best warm", warm);

  return i;
}

/* Opens a copy of the device @name, on which f32 operands are split into two bf16 numbers. */
static void
open_device (const char    *name,
             GhloGpuDevice *copy)
{
  GhloGpuDevice *device = (GhloGpuDevice *) ghlo_devices_find (name);
  g_autoptr (GError) error = NULL;

  if (device == NULL)
    {
      g_printerr ("bench-products: there is no device \"%s\"\n", name);
      exit (1);
    }
  ghlo_gpu_device_open (device, NULL, &error);
  check (error);
  *copy = *device;
  copy->forced_splits = X3;
  if (is_quick)
    {
      copy->emulates_matrices = TRUE;
      copy->vulkan.matrices = OF (BF16);
    }
  g_print ("%s, %s\n", device->vulkan.core.title, device->vulkan.core.driver);
}

int
main (int    argc,
      char **argv)
{
  const GOptionEntry entries[] = {
    { "quick", 'q', 0, G_OPTION_ARG_NONE, &is_quick, "Few small ones, by emulated matrices", NULL },
    { "types", 0, 0, G_OPTION_ARG_STRING, &given[TYPES], "bf16 and f32", "TYPES" },
    { "sizes", 0, 0, G_OPTION_ARG_STRING, &given[SIZES], "Sizes as 512x768x768", "SIZES" },
    { "rows", 0, 0, G_OPTION_ARG_STRING, &given[ROWS], "Rows of the table of tiles, from 1 on", "NUMBERS" },
    { "steps", 0, 0, G_OPTION_ARG_STRING, &given[STEPS], "Steps of blocks", "NUMBERS" },
    { "distances", 0, 0, G_OPTION_ARG_STRING, &given[DISTANCES], "Prefetch distances", "NUMBERS" },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("[DEVICE]");
  g_autoptr (GPtrArray) variants = NULL;
  g_autoptr (GError) error = NULL;
  GhloGpuDevice device;
  guint8 *buffers[N_BUFFERS];
  GThreadPool *pool;

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_parse (context, &argc, &argv, &error);
  check (error);
  open_device (argc > 1 ? argv[1] : "vulkan", &device);
  variants = find_ways (&device);
  if (variants->len == 0)
    g_print ("it does none of the products by matrices\n");
  pool = g_thread_pool_new (compile, NULL, (gint) g_get_num_processors (), FALSE, NULL);
  for (guint i = 0; i < variants->len; i++)
    g_thread_pool_push (pool, variants->pdata[i], NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
  allocate (&device, variants, buffers);
  for (guint i = 0; i < variants->len;)
    i = measure_product (variants, buffers, i);

  return 0;
}
