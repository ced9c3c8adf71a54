/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Branches that a device selects by itself: the reference device's bits, whatever the index is and wherever the branch
 * is, without a missing or superfluous barrier, and in one submission.
 */

#include "vulkan-program.h"

#include "compiler/devices.h"
#include "plan/plan.h"
#include "runtime/place.h"
#include "vulkan/handles.h"

/* The beginning of the programs. */
#define BEGIN(inputs, results) \
  "func.func @main(" inputs ") -> (" results ") {\n" \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "  %all = stablehlo.constant dense<1> : tensor<32xi32>\n" \
  "  %x = stablehlo.iota dim = 0 : tensor<32xi32>\n" \
  "  %y = stablehlo.multiply %x, %x : tensor<32xi32>\n"

#define END(results, types) \
  "  return " results " : " types "\n" \
  "}\n"

#define NUMBER "%n: tensor<i32>"
#define ARRAY  "tensor<32xi32>"

/* Whether %n is odd, computed by the device. */
#define ODD(to, from) \
  "  %" to "b = stablehlo.and %" from ", %one : tensor<i32>\n" \
  "  %" to " = stablehlo.compare EQ, %" to "b, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"

/* Steps that cannot be merged into one kernel. */
#define REVERSED_1(to, from) "    %" to " = stablehlo.reverse %" from ", dims = [0] : tensor<32xi32>\n"
#define REVERSED_3(to, from) REVERSED_1 (to "0", from) SORTED (to "1", to "0") REVERSED_1 (to, to "1")
#define SORTED(to, from) \
  "    %" to " = \"stablehlo.sort\"(%" from ") ({\n" \
  "    ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n" \
  "      %c = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "      stablehlo.return %c : tensor<i1>\n" \
  "    }) {dimension = 0 : i64} : (tensor<32xi32>) -> tensor<32xi32>\n"

/* A number selects one of three bodies: one kernel, several, and nothing. */
static const char numbered[] =
  BEGIN (NUMBER, ARRAY ", " ARRAY)
  "  %r:2 = \"stablehlo.case\"(%n) ({\n"
  "    %s = stablehlo.reverse %y, dims = [0] : tensor<32xi32>\n"
  "    stablehlo.return %s, %x : tensor<32xi32>, tensor<32xi32>\n"
  "  }, {\n"
  REVERSED_3 ("s", "y")
  "    %t = stablehlo.subtract %s, %x : tensor<32xi32>\n"
  "    stablehlo.return %t, %s : tensor<32xi32>, tensor<32xi32>\n"
  "  }, {\n"
  "    stablehlo.return %y, %all : tensor<32xi32>, tensor<32xi32>\n"
  "  }) : (tensor<i32>) -> (tensor<32xi32>, tensor<32xi32>)\n"
  "  %0 = stablehlo.subtract %r#0, %r#1 : tensor<32xi32>\n"
  END ("%0, %r#1", ARRAY ", " ARRAY);

/* The predicate is an input. */
static const char given[] =
  BEGIN ("%c: tensor<i1>", ARRAY)
  "  %r = \"stablehlo.if\"(%c) ({\n"
  "    %s = stablehlo.reverse %y, dims = [0] : tensor<32xi32>\n"
  "    stablehlo.return %s : tensor<32xi32>\n"
  "  }, {\n"
  "    stablehlo.return %y : tensor<32xi32>\n"
  "  }) : (tensor<i1>) -> tensor<32xi32>\n"
  "  %0 = stablehlo.add %r, %x : tensor<32xi32>\n"
  END ("%0", ARRAY);

/* The index is one of several numbers. */
static const char among[] =
  BEGIN (NUMBER, ARRAY)
  "  %m = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<32xi32>\n"
  "  %d = stablehlo.subtract %m, %x : tensor<32xi32>\n"
  "  %e = stablehlo.reverse %d, dims = [0] : tensor<32xi32>\n"
  "  %at = stablehlo.slice %e [30:31] : (tensor<32xi32>) -> tensor<1xi32>\n"
  "  %i = stablehlo.reshape %at : (tensor<1xi32>) -> tensor<i32>\n"
  "  %r = \"stablehlo.case\"(%i) ({\n"
  "    %s = stablehlo.reverse %y, dims = [0] : tensor<32xi32>\n"
  "    stablehlo.return %s : tensor<32xi32>\n"
  "  }, {\n"
  "    %s = stablehlo.add %y, %e : tensor<32xi32>\n"
  "    stablehlo.return %s : tensor<32xi32>\n"
  "  }) : (tensor<i32>) -> tensor<32xi32>\n"
  "  %0 = stablehlo.add %r, %e : tensor<32xi32>\n"
  END ("%0", ARRAY);

/* Nested branches: where the outer branch is not taken the inner predicates still have their values of an earlier
 * run. */
static const char nested[] =
  BEGIN (NUMBER, ARRAY)
  ODD ("p", "n")
  "  %two = stablehlo.constant dense<2> : tensor<i32>\n"
  "  %h = stablehlo.divide %n, %two : tensor<i32>\n"
  "  %r = \"stablehlo.if\"(%p) ({\n"
  "    %q = \"stablehlo.case\"(%h) ({\n"
  REVERSED_3 ("s", "y")
  "      stablehlo.return %s : tensor<32xi32>\n"
  "    }, {\n"
  "      %s = stablehlo.add %y, %x : tensor<32xi32>\n"
  "      stablehlo.return %s : tensor<32xi32>\n"
  "    }) : (tensor<i32>) -> tensor<32xi32>\n"
  "    %t = stablehlo.reverse %q, dims = [0] : tensor<32xi32>\n"
  "    stablehlo.return %t : tensor<32xi32>\n"
  "  }, {\n"
  "    %q = \"stablehlo.case\"(%h) ({\n"
  "      stablehlo.return %x : tensor<32xi32>\n"
  "    }, {\n"
  REVERSED_1 ("s", "x")
  "      stablehlo.return %s : tensor<32xi32>\n"
  "    }) : (tensor<i32>) -> tensor<32xi32>\n"
  "    %t = stablehlo.subtract %q, %y : tensor<32xi32>\n"
  "    stablehlo.return %t : tensor<32xi32>\n"
  "  }) : (tensor<i1>) -> tensor<32xi32>\n"
  "  %0 = stablehlo.reverse %r, dims = [0] : tensor<32xi32>\n"
  END ("%0", ARRAY);

/* A condition on %i, which counts to @n. */
#define COUNTED(n) \
  "  cond {\n" \
  "    %most = stablehlo.constant dense<" n "> : tensor<i32>\n" \
  "    %c = stablehlo.compare LT, %i, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "    stablehlo.return %c : tensor<i1>\n" \
  "  } do {\n" \
  "    %next = stablehlo.add %i, %one : tensor<i32>\n"

/* A branch on the first of %v's numbers. */
#define BY_DATA \
  "    %at = stablehlo.slice %v [0:1] : (tensor<32xi32>) -> tensor<1xi32>\n" \
  "    %first = stablehlo.reshape %at : (tensor<1xi32>) -> tensor<i32>\n" \
  ODD ("p", "first") \
  "    %w = \"stablehlo.if\"(%p) ({\n" \
  REVERSED_1 ("s", "v") \
  "      %t = stablehlo.add %s, %y : tensor<32xi32>\n" \
  "      stablehlo.return %t : tensor<32xi32>\n" \
  "    }, {\n" \
  "      %s = stablehlo.subtract %v, %all : tensor<32xi32>\n" \
  "      stablehlo.return %s : tensor<32xi32>\n" \
  "    }) : (tensor<i1>) -> tensor<32xi32>\n"

/* A branch in each iteration of a counted loop. */
static const char in_counted[] =
  BEGIN (NUMBER, ARRAY)
  "  %m = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<32xi32>\n"
  "  %r:2 = stablehlo.while(%i = %zero, %v = %m) : tensor<i32>, tensor<32xi32>\n"
  COUNTED ("13")
  BY_DATA
  "    stablehlo.return %next, %w : tensor<i32>, tensor<32xi32>\n"
  "  }\n"
  END ("%r#1", ARRAY);

/* A branch in each iteration of a loop that ends by its data: after the loop's end the predicates of the last iteration
 * must not stay open. */
static const char in_ended[] =
  BEGIN (NUMBER, ARRAY ", " ARRAY)
  "  %m = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<32xi32>\n"
  "  %r:2 = stablehlo.while(%v = %m, %u = %x) : tensor<32xi32>, tensor<32xi32>\n"
  "  cond {\n"
  "    %last = stablehlo.slice %u [31:32] : (tensor<32xi32>) -> tensor<1xi32>\n"
  "    %l = stablehlo.reshape %last : (tensor<1xi32>) -> tensor<i32>\n"
  "    %most = stablehlo.constant dense<50> : tensor<i32>\n"
  "    %c = stablehlo.compare LT, %l, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  BY_DATA
  "    %more = stablehlo.add %u, %all : tensor<32xi32>\n"
  "    stablehlo.return %w, %more : tensor<32xi32>, tensor<32xi32>\n"
  "  }\n"
  END ("%r#0, %r#1", ARRAY ", " ARRAY);

/* A branch in the condition of such a loop. */
static const char in_condition[] =
  BEGIN (NUMBER, ARRAY)
  "  %m = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<32xi32>\n"
  "  %r:2 = stablehlo.while(%v = %x, %k = %m) : tensor<32xi32>, tensor<32xi32>\n"
  "  cond {\n"
  BY_DATA
  "    %z = stablehlo.add %w, %k : tensor<32xi32>\n"
  "    %last = stablehlo.slice %z [31:32] : (tensor<32xi32>) -> tensor<1xi32>\n"
  "    %l = stablehlo.reshape %last : (tensor<1xi32>) -> tensor<i32>\n"
  "    %most = stablehlo.constant dense<1020> : tensor<i32>\n"
  "    %c = stablehlo.compare LT, %l, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %more = stablehlo.add %v, %all : tensor<32xi32>\n"
  "    stablehlo.return %more, %k : tensor<32xi32>, tensor<32xi32>\n"
  "  }\n"
  END ("%r#0", ARRAY);

/* A loop in a branch, of @n iterations, whose buffers change places. */
#define LOOP(to, from, n) \
  "    %" to "r:2 = stablehlo.while(%i = %zero, %v = %" from ") : tensor<i32>, tensor<32xi32>\n" \
  COUNTED (n) \
  REVERSED_1 ("s", "v") \
  "      %u = stablehlo.subtract %s, %v : tensor<32xi32>\n" \
  "      stablehlo.return %next, %u : tensor<i32>, tensor<32xi32>\n" \
  "    }\n" \
  "    %" to " = stablehlo.add %" to "r#1, %x : tensor<32xi32>\n"

/* Buffers that changed places in the branch are read there only; all of this twice. */
static const char with_loops[] =
  BEGIN (NUMBER, ARRAY)
  "  %m = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<32xi32>\n"
  "  %o:2 = stablehlo.while(%j = %zero, %k = %m) : tensor<i32>, tensor<32xi32>\n"
  "  cond {\n"
  "    %two = stablehlo.constant dense<3> : tensor<i32>\n"
  "    %d = stablehlo.compare LT, %j, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %d : tensor<i1>\n"
  "  } do {\n"
  "    %after = stablehlo.add %j, %one : tensor<i32>\n"
  "    %at = stablehlo.slice %k [0:1] : (tensor<32xi32>) -> tensor<1xi32>\n"
  "    %first = stablehlo.reshape %at : (tensor<1xi32>) -> tensor<i32>\n"
  ODD ("p", "first")
  "    %r = \"stablehlo.if\"(%p) ({\n"
  LOOP ("q", "k", "3")
  REVERSED_1 ("t", "q")
  "      stablehlo.return %t : tensor<32xi32>\n"
  "    }, {\n"
  LOOP ("q", "k", "4")
  "      stablehlo.return %q : tensor<32xi32>\n"
  "    }) : (tensor<i1>) -> tensor<32xi32>\n"
  "    %e = stablehlo.add %r, %all : tensor<32xi32>\n"
  "    stablehlo.return %after, %e : tensor<i32>, tensor<32xi32>\n"
  "  }\n"
  END ("%o#1", ARRAY);

/* Which of two buffers holds the loop's result depends on the branch taken: the host must know which. */
static const char with_result_of_loop[] =
  BEGIN (NUMBER, ARRAY)
  ODD ("p", "n")
  "  %r = \"stablehlo.if\"(%p) ({\n"
  "    %s = stablehlo.subtract %y, %x : tensor<32xi32>\n"
  "    stablehlo.return %s : tensor<32xi32>\n"
  "  }, {\n"
  "    %z = stablehlo.add %y, %x : tensor<32xi32>\n"
  "    %q:2 = stablehlo.while(%i = %zero, %v = %z) : tensor<i32>, tensor<32xi32>\n"
  COUNTED ("3")
  REVERSED_1 ("s", "v")
  "      %u = stablehlo.subtract %s, %v : tensor<32xi32>\n"
  "      stablehlo.return %next, %u : tensor<i32>, tensor<32xi32>\n"
  "    }\n"
  "    stablehlo.return %q#1 : tensor<32xi32>\n"
  "  }) : (tensor<i1>) -> tensor<32xi32>\n"
  "  %0 = stablehlo.reverse %r, dims = [0] : tensor<32xi32>\n"
  "  %1 = stablehlo.add %0, %r : tensor<32xi32>\n"
  END ("%1", ARRAY);

/* A loop that ends by its data, in a branch: both run on the host. */
static const char with_ended[] =
  BEGIN (NUMBER, ARRAY)
  ODD ("p", "n")
  "  %r = \"stablehlo.if\"(%p) ({\n"
  "    %q = stablehlo.while(%v = %y) : tensor<32xi32>\n"
  "    cond {\n"
  "      %at = stablehlo.slice %v [0:1] : (tensor<32xi32>) -> tensor<1xi32>\n"
  "      %first = stablehlo.reshape %at : (tensor<1xi32>) -> tensor<i32>\n"
  "      %c = stablehlo.compare LT, %first, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "      stablehlo.return %c : tensor<i1>\n"
  "    } do {\n"
  "      %u = stablehlo.add %v, %all : tensor<32xi32>\n"
  "      stablehlo.return %u : tensor<32xi32>\n"
  "    }\n"
  "    stablehlo.return %q : tensor<32xi32>\n"
  "  }, {\n"
  "    %s = stablehlo.subtract %y, %x : tensor<32xi32>\n"
  "    stablehlo.return %s : tensor<32xi32>\n"
  "  }) : (tensor<i1>) -> tensor<32xi32>\n"
  END ("%r", ARRAY);

/* A branch with a step of the CPU. */
static const char with_host[] =
  BEGIN (NUMBER, ARRAY)
  ODD ("p", "n")
  "  %r = \"stablehlo.if\"(%p) ({\n"
  "    %f = stablehlo.convert %y : (tensor<32xi32>) -> tensor<32xf64>\n"
  "    %m = stablehlo.reshape %f : (tensor<32xf64>) -> tensor<8x4xf64>\n"
  "    %u = stablehlo.constant dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], "
  "[0.0, 0.0, 0.0, 1.0]]> : tensor<4x4xf64>\n"
  "    %t = \"stablehlo.triangular_solve\"(%u, %m) {left_side = false, lower = true, unit_diagonal = false, "
  "transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<4x4xf64>, tensor<8x4xf64>) -> tensor<8x4xf64>\n"
  "    %l = stablehlo.reshape %t : (tensor<8x4xf64>) -> tensor<32xf64>\n"
  "    %s = stablehlo.convert %l : (tensor<32xf64>) -> tensor<32xi32>\n"
  "    stablehlo.return %s : tensor<32xi32>\n"
  "  }, {\n"
  "    %s = stablehlo.subtract %y, %x : tensor<32xi32>\n"
  "    stablehlo.return %s : tensor<32xi32>\n"
  "  }) : (tensor<i1>) -> tensor<32xi32>\n"
  END ("%r", ARRAY);

static const GhloStep *
find_branch (const GhloStepBody *body)
{
  for (guint i = 0; i < body->n_steps; i++)
    {
      const GhloStep *step = body->steps[i], *found = step->kind == GHLO_STEP_BRANCH ? step : NULL;

      for (guint k = 0; found == NULL && k < step->n_bodies; k++)
        found = find_branch (&step->bodies[k]);
      if (found != NULL)
        return found;
    }

  return NULL;
}

/* Whether the device runs the first branch of the program by itself. */
static gboolean
is_of_device (GhloGpuDevice *device,
              const char    *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = vulkan_program_prepare (&device->vulkan.core, text, &error);
  const GhloStep *branch;

  g_assert_no_error (error);
  branch = find_branch (&ghlo_prepared_get_plan (prepared)->body);
  g_assert_nonnull (branch);
  g_assert_cmpstr (ghlo_step_get_unit (branch), ==, branch->target != NULL ? device->vulkan.core.names[0] : "host");

  return branch->target != NULL;
}

static VulkanProgramReplays
check_with (GhloGpuDevice   *device,
            const char      *text,
            GhloElementType  element_type,
            gint32           number)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (element_type, NULL, 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloValue) input = ghlo_value_new_uninitialized (type, &error);

  g_assert_no_error (error);
  if (element_type == GHLO_ELEMENT_TYPE_I1)
    input->data[0] = number != 0;
  else
    *(gint32 *) (gpointer) input->data = number;

  return vulkan_program_check (device, text, &input, 1);
}

/* Each run is one recording and one submission, so that nothing waits in between. */
static void
test_one_submission (void)
{
  static const char *const texts[] = { numbered, among, nested, in_counted, with_loops };
  static const gint32 numbers[] = { 0, 1, 2, 3, 4, -1, 7, G_MAXINT32, G_MININT32 };
  GhloGpuDevice *device = vulkan_program_open ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (texts); i++)
    {
      g_assert_true (is_of_device (device, texts[i]));
      for (guint k = 0; k < G_N_ELEMENTS (numbers); k++)
        {
          const VulkanProgramReplays seen = check_with (device, texts[i], GHLO_ELEMENT_TYPE_I32, numbers[k]);

          g_assert_cmpuint (seen.n_replays, ==, 3);
          g_assert_cmpuint (seen.n_submissions, ==, 3);
        }
    }
}

static void
test_predicate (void)
{
  GhloGpuDevice *device = vulkan_program_open ();

  if (device == NULL)
    return;
  g_assert_true (is_of_device (device, given));
  for (gint32 i = 0; i < 2; i++)
    g_assert_cmpuint (check_with (device, given, GHLO_ELEMENT_TYPE_I1, i).n_submissions, ==, 3);
}

/* Loops that end by their data are submitted block by block, as without a branch in them. */
static void
test_ended (void)
{
  static const char *const texts[] = { in_ended, in_condition };
  GhloGpuDevice *device = vulkan_program_open ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (texts); i++)
    {
      g_assert_true (is_of_device (device, texts[i]));
      for (gint32 k = 0; k < 4; k++)
        {
          const VulkanProgramReplays seen = check_with (device, texts[i], GHLO_ELEMENT_TYPE_I32, k);

          g_test_message ("%d: %u recordings, %u submissions", k, seen.n_replays, seen.n_submissions);
          g_assert_cmpuint (seen.n_submissions, <, 3 * 20);
        }
    }
}

/* Branches that the host must handle. */
static void
test_host (void)
{
  static const struct
  {
    const char *text;
    gboolean    is_of_device;           /* in the plan */
  } cases[] = { { with_result_of_loop, TRUE }, { with_ended, FALSE }, { with_host, FALSE } };
  GhloGpuDevice *device = vulkan_program_open ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_cmpint (is_of_device (device, cases[i].text), ==, cases[i].is_of_device);
      for (gint32 k = 0; k < 4; k++)
        g_assert_cmpuint (check_with (device, cases[i].text, GHLO_ELEMENT_TYPE_I32, k).n_submissions, >, 3);
    }
}

/* A program with @n steps in each of two branches. */
static char *
make_long (guint n)
{
  GString *text = g_string_new (BEGIN (NUMBER, ARRAY) ODD ("p", "n") "  %r = \"stablehlo.if\"(%p) ({\n");

  for (guint k = 0; k < 2; k++)
    {
      const char *from = k == 0 ? "x" : "y";

      g_string_append_printf (text, "    %%v0 = stablehlo.add %%%s, %%all : tensor<32xi32>\n", from);
      for (guint i = 0; i + 1 < n; i++)
        g_string_append_printf (text, "    %%v%u = stablehlo.subtract %%y, %%v%u : tensor<32xi32>\n", i + 1, i);
      g_string_append_printf (text, "    stablehlo.return %%v%u : tensor<32xi32>\n%s", n - 1, k == 0 ? "  }, {\n" : "");
    }
  g_string_append (text, "  }) : (tensor<i1>) -> tensor<32xi32>\n" END ("%r", ARRAY));

  return g_string_free (text, FALSE);
}

static struct
{
  PFN_vkCmdBeginConditionalRenderingEXT begin;
  guint                                 n;
} conditional;

static VKAPI_ATTR void VKAPI_CALL
count_and_begin (VkCommandBuffer                           commands,
                 const VkConditionalRenderingBeginInfoEXT *info)
{
  conditional.n++;
  conditional.begin (commands, info);
}

/* Branches of many steps are skipped as a whole where the device supports that, and step by step where it does not;
 * for too many steps the host decides. */
static void
test_long (void)
{
  static const struct
  {
    guint    n;                         /* steps */
    gboolean is_conditional, is_of_device;
  } cases[] = { { 2, FALSE, TRUE }, { 9, TRUE, TRUE }, { 40, FALSE, FALSE } };
  GhloGpuDevice *device = vulkan_program_open ();
  GhloVulkanFunctions *vk = device != NULL ? ghlo_vulkan_instance_get (NULL)->vk : NULL;
  const gboolean has_conditional = device != NULL && device->vulkan.has_predicates;

  if (device == NULL)
    return;
  /* Vulkan requires the feature of devices that have the extension. */
  g_assert_cmpint (has_conditional, ==, device->vulkan.handles->has_conditional);
  conditional.begin = vk->CmdBeginConditionalRenderingEXT;
  vk->CmdBeginConditionalRenderingEXT = count_and_begin;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint k = 0; k < 4; k++)
      {
        g_autofree char *text = make_long (cases[i].n);
        VulkanProgramReplays seen;

        device->vulkan.has_predicates = has_conditional && k < 2;
        conditional.n = 0;
        g_assert_cmpint (is_of_device (device, text), ==, cases[i].is_of_device);
        seen = check_with (device, text, GHLO_ELEMENT_TYPE_I32, (gint32) k);
        g_assert_cmpint (seen.n_submissions == 3, ==, cases[i].is_of_device);
        g_assert_cmpint (conditional.n > 0, ==, cases[i].is_conditional && has_conditional && k < 2);
      }
  device->vulkan.has_predicates = has_conditional;
  vk->CmdBeginConditionalRenderingEXT = conditional.begin;
}

/* Work that is estimated to occupy the device for more than 20 ms is split into several submissions. */
static void
test_slow (void)
{
  GhloGpuDevice *device = vulkan_program_open ();
  VulkanProgramReplays seen;

  if (device == NULL)
    return;
  vulkan_program_set_rate (device, 1e4);
  g_assert_true (is_of_device (device, numbered));
  for (gint32 i = 0; i < 3; i++)
    {
      seen = check_with (device, numbered, GHLO_ELEMENT_TYPE_I32, i);
      g_assert_cmpuint (seen.n_submissions, >, 3);
    }
  vulkan_program_set_rate (device, 1e30);
}

/* An infinite loop that contains a branch. */
static const char endless[] =
  BEGIN ("", ARRAY)
  "  %r = stablehlo.while(%v = %x) : tensor<32xi32>\n"
  "  cond {\n"
  "    %m = stablehlo.multiply %v, %v : tensor<32xi32>\n"
  "    %k = stablehlo.minimum %m, %all : tensor<32xi32>\n"
  "    %last = stablehlo.slice %k [31:32] : (tensor<32xi32>) -> tensor<1xi32>\n"
  "    %l = stablehlo.reshape %last : (tensor<1xi32>) -> tensor<i32>\n"
  "    %c = stablehlo.compare LE, %l, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  BY_DATA
  "    stablehlo.return %w : tensor<32xi32>\n"
  "  }\n"
  END ("%r", ARRAY);

static void
test_cancel (void)
{
  GhloGpuDevice *device = vulkan_program_open ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GError) error = NULL;
  GhloValue *outputs[VULKAN_PROGRAM_MAX_OUTPUTS];
  GThread *thread;

  if (device == NULL)
    return;
  g_assert_true (is_of_device (device, endless));
  prepared = vulkan_program_prepare (&device->vulkan.core, endless, &error);
  g_assert_no_error (error);
  thread = g_thread_new (NULL, vulkan_program_cancel_soon, cancellable);
  g_assert_false (ghlo_prepared_run (prepared, NULL, NULL, 0, outputs, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
  check_with (device, in_ended, GHLO_ELEMENT_TYPE_I32, 1);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/branches/one-submission", test_one_submission);
  g_test_add_func ("/vulkan/branches/predicate", test_predicate);
  g_test_add_func ("/vulkan/branches/ended", test_ended);
  g_test_add_func ("/vulkan/branches/host", test_host);
  g_test_add_func ("/vulkan/branches/long", test_long);
  g_test_add_func ("/vulkan/branches/slow", test_slow);
  g_test_add_func ("/vulkan/branches/cancel", test_cancel);

  return g_test_run ();
}
