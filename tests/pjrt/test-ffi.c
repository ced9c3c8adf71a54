/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Handlers of XLA's FFI, written in C and registered through the plugin's extensions; tests/jax/ffi.py tests C++ ones.
 */

#include "call.h"

#include <string.h>

#include "pjrt/abi-extensions.h"
#include "pjrt/ffi/abi.h"

#define FFI(frame, function, ...) \
  (__extension__ ({ \
    XLA_FFI_##function##_Args args_ = { .struct_size = sizeof args_, __VA_ARGS__ }; \
    ffi_check (frame, frame->api->XLA_FFI_##function (&args_)); \
    args_; \
  }))

static const float numbers[] = { 1, 2, 3, 4 };

static XLA_FFI_TypeId counter_type, number_type;
/* Atomic. */
static int n_counters, n_calls;

/* Aborts the test if there is an error. */
static void
ffi_check (const XLA_FFI_CallFrame *frame,
           XLA_FFI_Error           *error)
{
  XLA_FFI_Error_GetMessage_Args message = { .struct_size = sizeof message, .error = error };

  if (error == NULL)
    return;
  frame->api->XLA_FFI_Error_GetMessage (&message);
  g_error ("%s", message.message);
}

/* Returns whether @frame is a query for the handler's metadata, and answers it. */
static gboolean
tell (XLA_FFI_CallFrame *frame,
      int                major)
{
  XLA_FFI_Metadata_Extension *extension = (XLA_FFI_Metadata_Extension *) frame->extension_start;

  if (extension == NULL || extension->extension_base.type != XLA_FFI_Extension_Metadata)
    return FALSE;
  g_assert_cmpuint (extension->metadata->struct_size, >=, XLA_FFI_SIZE (XLA_FFI_Metadata, traits));
  extension->metadata->api_version.major_version = major;
  extension->metadata->api_version.minor_version = XLA_FFI_API_MINOR;

  return TRUE;
}

static XLA_FFI_Error *
make_error (XLA_FFI_CallFrame *frame,
            int                code,
            const char        *message)
{
  XLA_FFI_Error_Create_Args args = { .struct_size = sizeof args, .message = message, .errc = code };

  return frame->api->XLA_FFI_Error_Create (&args);
}

/* Returns the attribute of that name and kind. */
static const void *
find (const XLA_FFI_Attrs *attributes,
      const char          *name,
      XLA_FFI_AttrType     kind)
{
  for (int64_t i = 0; i < attributes->size; i++)
    if (attributes->names[i]->len == strlen (name) && memcmp (attributes->names[i]->ptr, name, strlen (name)) == 0)
      {
        g_assert_cmpint (attributes->types[i], ==, kind);
        return attributes->attrs[i];
      }
  g_assert_not_reached ();
}

static void
check_attributes (const XLA_FFI_Attrs *attributes)
{
  static const gint64 list[] = { 3, -4 };
  static const float splat[] = { 0.5f, 0.5f };
  const XLA_FFI_Scalar *flag = find (attributes, "flag", XLA_FFI_AttrType_SCALAR);
  const XLA_FFI_Scalar *ratio = find (attributes, "ratio", XLA_FFI_AttrType_SCALAR);
  const XLA_FFI_Array *numbers_of = find (attributes, "list", XLA_FFI_AttrType_ARRAY);
  const XLA_FFI_Array *dense = find (attributes, "dense", XLA_FFI_AttrType_ARRAY);
  const XLA_FFI_ByteSpan *text = find (attributes, "text", XLA_FFI_AttrType_STRING);
  const XLA_FFI_Attrs *inner = find (attributes, "inner", XLA_FFI_AttrType_DICTIONARY);
  const XLA_FFI_Scalar *deep = find (inner, "deep", XLA_FFI_AttrType_SCALAR);

  g_assert_cmpint (flag->dtype, ==, XLA_FFI_DataType_PRED);
  g_assert_cmpint (*(const guint8 *) flag->value, ==, 1);
  g_assert_cmpint (ratio->dtype, ==, XLA_FFI_DataType_F64);
  g_assert_cmpfloat (*(const double *) ratio->value, ==, 0.1);
  g_assert_cmpint (numbers_of->dtype, ==, XLA_FFI_DataType_S64);
  g_assert_cmpmem (numbers_of->data, numbers_of->size * sizeof (gint64), list, sizeof list);
  g_assert_cmpint (dense->dtype, ==, XLA_FFI_DataType_F32);
  g_assert_cmpmem (dense->data, dense->size * sizeof (float), splat, sizeof splat);
  g_assert_cmpmem (text->ptr, text->len, "a word", 6);
  g_assert_cmpint (deep->dtype, ==, XLA_FFI_DataType_U8);
  g_assert_cmpint (*(const guint8 *) deep->value, ==, 200);
  for (int64_t i = 1; i < attributes->size; i++)
    g_assert_cmpint (memcmp (attributes->names[i - 1]->ptr, attributes->names[i]->ptr, 1), <=, 0);
}

/* Doubles its operand, if all attributes have the program's values; a token is passed through. */
static XLA_FFI_Error *
twice (XLA_FFI_CallFrame *frame)
{
  const XLA_FFI_Buffer *x, *token, *y;

  if (tell (frame, 0))
    return NULL;
  g_assert_cmpint (frame->stage, ==, XLA_FFI_ExecutionStage_EXECUTE);
  g_assert_cmpint (frame->args.size, ==, 2);
  g_assert_cmpint (frame->rets.size, ==, 2);
  token = frame->args.args[0];
  x = frame->args.args[1];
  y = frame->rets.rets[1];
  check_attributes (&frame->attrs);
  g_assert_cmpint (token->dtype, ==, XLA_FFI_DataType_TOKEN);
  g_assert_cmpint (x->dtype, ==, XLA_FFI_DataType_F32);
  g_assert_cmpint (x->rank, ==, 2);
  g_assert_cmpint (x->dims[0], ==, 2);
  for (gsize i = 0; i < 4; i++)
    ((float *) y->data)[i] = 2 * ((const float *) x->data)[i];

  return NULL;
}

static XLA_FFI_Error *
refuse (XLA_FFI_CallFrame *frame)
{
  return tell (frame, 0) ? NULL : make_error (frame, PJRT_Error_Code_INVALID_ARGUMENT, "no, thank you");
}

static XLA_FFI_Error *
stranger (XLA_FFI_CallFrame *frame)
{
  return tell (frame, 7) ? NULL : make_error (frame, PJRT_Error_Code_INTERNAL, "is never called");
}

static void
counter_free (void *object)
{
  g_free (object);
  g_atomic_int_add (&n_counters, -1);
}

/* Leaves a counter for later stages. */
static XLA_FFI_Error *
begin (XLA_FFI_CallFrame *frame)
{
  g_atomic_int_inc (&n_counters);
  FFI (frame, State_Set, .ctx = frame->ctx, .stage = frame->stage, .type_id = &counter_type, .state = g_new0 (int, 1));

  return NULL;
}

/* Counts its calls. Allocates scratch memory, and leaves a part of it to the caller to free. */
static XLA_FFI_Error *
count (XLA_FFI_CallFrame *frame)
{
  XLA_FFI_State_Get_Args wrong = { .struct_size = sizeof wrong, .stage = XLA_FFI_ExecutionStage_INSTANTIATE };
  XLA_FFI_TypeId other = { 77 };
  XLA_FFI_Error *error;
  const XLA_FFI_Buffer *y;
  void *memory, *counter;

  if (tell (frame, 0))
    return NULL;
  y = frame->rets.rets[0];
  g_atomic_int_inc (&n_calls);
  counter = FFI (frame, State_Get, .ctx = frame->ctx, .stage = XLA_FFI_ExecutionStage_INSTANTIATE,
                 .type_id = &counter_type).state;
  *(float *) y->data = (float) ++*(int *) counter;
  memory = FFI (frame, DeviceMemory_Allocate, .ctx = frame->ctx, .size = 1000, .alignment = 64).data;
  memset (memory, 1, 1000);
  g_assert_cmpuint ((guintptr) memory % 64, ==, 0);
  FFI (frame, DeviceMemory_Free, .ctx = frame->ctx, .size = 1000, .data = memory);
  memset (FFI (frame, DeviceMemory_Allocate, .ctx = frame->ctx, .size = 1000, .alignment = 1).data, 1, 1000);

  wrong.ctx = frame->ctx;
  wrong.type_id = &other;
  error = frame->api->XLA_FFI_State_Get (&wrong);
  g_assert_nonnull (error);
  frame->api->XLA_FFI_Error_Destroy (&(XLA_FFI_Error_Destroy_Args) { .struct_size = sizeof (XLA_FFI_Error_Destroy_Args),
                                                                     .error = error });

  return NULL;
}

/* The arguments of a task. */
typedef struct
{
  XLA_FFI_CallFrame  frame;
  XLA_FFI_Future    *future;
  float             *y;         /* NULL: the task fails */
} Later;

static void
later (void *data)
{
  g_autofree Later *self = data;

  g_usleep (2000);
  if (self->y == NULL)
    {
      FFI ((&self->frame), Future_SetError, .future = self->future,
           .error = make_error (&self->frame, PJRT_Error_Code_UNAVAILABLE, "too late"));
      return;
    }
  *self->y = 5;
  FFI ((&self->frame), Future_SetAvailable, .future = self->future);
}

/* Returns a number after a task has ended, or fails then where there is an operand. */
static XLA_FFI_Error *
future (XLA_FFI_CallFrame *frame)
{
  Later *task;
  int64_t n_threads = 0;

  if (tell (frame, 0))
    return NULL;
  FFI (frame, ThreadPool_NumThreads, .ctx = frame->ctx, .num_threads = &n_threads);
  g_assert_cmpint (n_threads, >=, 1);
  frame->future = FFI (frame, Future_Create, .extension_start = NULL).future;
  task = g_new (Later, 1);
  *task = (Later) { *frame, frame->future,
                    frame->args.size == 0 ? ((const XLA_FFI_Buffer *) frame->rets.rets[0])->data : NULL };
  FFI (frame, ThreadPool_Schedule, .ctx = frame->ctx, .task = later, .data = task);

  return NULL;
}

/* Returns the number in the caller's execution context. */
static XLA_FFI_Error *
recall (XLA_FFI_CallFrame *frame)
{
  XLA_FFI_ExecutionContext_Get_Args args = { .struct_size = sizeof args, .ctx = frame->ctx, .type_id = &number_type };
  XLA_FFI_Error *error;

  if (tell (frame, 0))
    return NULL;
  error = frame->api->XLA_FFI_ExecutionContext_Get (&args);
  if (error == NULL)
    *(float *) ((const XLA_FFI_Buffer *) frame->rets.rets[0])->data = *(const float *) args.data;

  return error;
}

static const PJRT_Extension_Base *
find_extension (PJRT_Extension_Type type)
{
  for (const PJRT_Extension_Base *each = api->extension_start; each != NULL; each = each->next)
    if (each->type == type)
      return each;
  g_assert_not_reached ();
}

static PJRT_Error *
register_bundle (const char      *name,
                 int              version,
                 XLA_FFI_Handler *instantiate,
                 XLA_FFI_Handler *prepare_run,
                 XLA_FFI_Handler *execute)
{
  const PJRT_Gpu_Custom_Call *extension
    = (const PJRT_Gpu_Custom_Call *) find_extension (PJRT_Extension_Type_Gpu_Custom_Call);
  PJRT_Gpu_Register_Custom_Call_Args args = {
    .struct_size = sizeof args, .function_name = name, .function_name_size = strlen (name), .api_version = version,
    .handler_instantiate = instantiate, .handler_prepare = prepare_run, .handler_execute = execute,
  };

  return extension->custom_call (&args);
}

static PJRT_Error *
register_handler (const char      *name,
                  XLA_FFI_Handler *handler)
{
  const PJRT_FFI_Extension *extension = (const PJRT_FFI_Extension *) find_extension (PJRT_Extension_Type_FFI);
  PJRT_FFI_Register_Handler_Args args = {
    .struct_size = sizeof args, .target_name = name, .target_name_size = strlen (name), .api_version = 1,
    .handler = handler, .platform_name = "ghlo", .platform_name_size = 4,
  };

  return extension->register_handler (&args);
}

static PJRT_Error *
register_type (const char *name,
               int64_t    *id)
{
  const PJRT_FFI_Extension *extension = (const PJRT_FFI_Extension *) find_extension (PJRT_Extension_Type_FFI);
  PJRT_FFI_Type_Info info = { .deleter = counter_free };
  PJRT_FFI_Type_Register_Args args = {
    .struct_size = sizeof args, .type_name = name, .type_name_size = strlen (name), .type_id = *id, .type_info = &info,
  };
  PJRT_Error *error = extension->type_register (&args);

  *id = args.type_id;

  return error;
}

static void
register_all (void)
{
  call_check ("twice", register_handler ("test_twice", twice));
  call_check ("refuse", register_handler ("test_refuse", refuse));
  call_check ("future", register_handler ("test_future", future));
  call_check ("recall", register_handler ("test_recall", recall));
  call_check ("type", register_type ("counter", &counter_type.type_id));
  call_check ("type", register_type ("number", &number_type.type_id));
  call_check ("count", register_bundle ("test_count", 1, begin, begin, count));
}

static void
test_registration (void)
{
  int64_t id = 0;

  call_check ("again", register_handler ("test_twice", twice));
  call_check_error (register_handler ("test_twice", refuse), PJRT_Error_Code_INVALID_ARGUMENT,
                    "another handler has been registered");
  call_check_error (register_handler ("test_new", stranger), PJRT_Error_Code_UNIMPLEMENTED, "found version 7.3");
  call_check_error (register_handler ("test_new", NULL), PJRT_Error_Code_INVALID_ARGUMENT, "for the execute stage");
  call_check_error (register_handler ("", twice), PJRT_Error_Code_INVALID_ARGUMENT, "the name of a handler");
  call_check_error (register_handler ("\xff", twice), PJRT_Error_Code_INVALID_ARGUMENT, "the name of a handler");
  call_check_error (register_bundle ("test_new", 0, NULL, NULL, twice), PJRT_Error_Code_UNIMPLEMENTED, "api_version 0");

  call_check ("known", register_type ("counter", &id));
  g_assert_cmpint (id, ==, counter_type.type_id);
  id = 4711;
  call_check_error (register_type ("counter", &id), PJRT_Error_Code_INVALID_ARGUMENT, "type 'counter'");
  call_check ("given", register_type ("given", &id));
  g_assert_cmpint (id, ==, 4711);
  call_check_error (register_type ("taken", &id), PJRT_Error_Code_INVALID_ARGUMENT, "type 'taken'");
}

static void
test_call (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *executable = call_compile (client,
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = stablehlo.create_token : !stablehlo.token\n"
    "  %1 = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>\n"
    "  %2:2 = stablehlo.custom_call @test_twice(%0, %1) {api_version = 4 : i32, backend_config = {flag = true, "
    "ratio = 0.1 : f64, list = array<i64: 3, -4>, dense = dense<0.5> : tensor<2xf32>, text = \"a word\", "
    "inner = {deep = 200 : ui8}}} : (!stablehlo.token, tensor<2x2xf32>) -> (!stablehlo.token, tensor<2x2xf32>)\n"
    "  %3 = stablehlo.reshape %2#1 : (tensor<2x2xf32>) -> tensor<4xf32>\n"
    "  return %3 : tensor<4xf32>\n"
    "}\n");
  PJRT_Buffer *input = call_floats (client, numbers, 4), *output;
  float found[4];

  call_check ("Execute", call_run (executable, &input, 1, &output));
  call_read (output, found, sizeof found);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpfloat (found[i], ==, 2 * numbers[i]);
  CALL (Buffer_Destroy, .buffer = output);
  CALL (Buffer_Destroy, .buffer = input);
  CALL (LoadedExecutable_Destroy, .executable = executable);
  CALL (Client_Destroy, .client = client);
}

/* Checks that a run of @body, which returns %0, fails with this error. */
static void
check_failure (const char      *body,
               PJRT_Error_Code  code,
               const char      *part)
{
  PJRT_Client *client = call_client ("cpu");
  g_autofree char *program = g_strdup_printf ("func.func @main(%%x: tensor<4xf32>) -> tensor<f32> {\n"
                                              "  %s\n  return %%0 : tensor<f32>\n}\n", body);
  PJRT_LoadedExecutable *executable = call_compile (client, program);
  PJRT_Buffer *input = call_floats (client, numbers, 4), *output;

  call_check_error (call_run (executable, &input, 1, &output), code, part);
  CALL (Buffer_Destroy, .buffer = input);
  CALL (LoadedExecutable_Destroy, .executable = executable);
  CALL (Client_Destroy, .client = client);
}

static void
test_failures (void)
{
  check_failure ("%0 = stablehlo.custom_call @test_refuse() {api_version = 4 : i32} : () -> tensor<f32>",
                 PJRT_Error_Code_INVALID_ARGUMENT, "'stablehlo.custom_call @test_refuse': no, thank you");
  check_failure ("%0 = stablehlo.custom_call @test_future(%x) {api_version = 4 : i32} : "
                 "(tensor<4xf32>) -> tensor<f32>",
                 PJRT_Error_Code_UNAVAILABLE, "too late");
  check_failure ("%0 = stablehlo.custom_call @test_refuse() {api_version = 4 : i32, backend_config = "
                 "{odd = [@main]}} : () -> tensor<f32>",
                 PJRT_Error_Code_UNIMPLEMENTED, "attribute 'odd'");
  check_failure ("%0 = stablehlo.custom_call @test_refuse() {api_version = 4 : i32, backend_config = "
                 "{inner = {many = dense<0.5> : tensor<1000000x1000000x1000xf64>}}} : () -> tensor<f32>",
                 PJRT_Error_Code_RESOURCE_EXHAUSTED, "8000000000000000 bytes");
  check_failure ("%1 = stablehlo.constant dense<1> : tensor<4xi4>\n"
                 "%0 = stablehlo.custom_call @test_refuse(%1) {api_version = 4 : i32} : (tensor<4xi4>) -> tensor<f32>",
                 PJRT_Error_Code_UNIMPLEMENTED, "elements of whole bytes");
}

/* Each call site of a program has a state of its own, which is freed with the program. */
static void
test_state (void)
{
  PJRT_Client *client = call_client ("cpu");
  PJRT_LoadedExecutable *executable = call_compile (client,
    "func.func @main() -> tensor<f32> {\n"
    "  %0 = stablehlo.custom_call @test_count() {api_version = 4 : i32, has_side_effect = true} : () -> tensor<f32>\n"
    "  %1 = stablehlo.custom_call @test_count() {api_version = 4 : i32, has_side_effect = true} : () -> tensor<f32>\n"
    "  %2 = stablehlo.custom_call @test_future() {api_version = 4 : i32, has_side_effect = true} : () -> tensor<f32>\n"
    "  %3 = stablehlo.multiply %0, %1 : tensor<f32>\n"
    "  %4 = stablehlo.add %3, %2 : tensor<f32>\n"
    "  return %4 : tensor<f32>\n"
    "}\n");
  PJRT_Buffer *output;
  float found;

  g_atomic_int_set (&n_calls, 0);
  for (int i = 1; i <= 3; i++)
    {
      call_check ("Execute", call_run (executable, NULL, 0, &output));
      call_read (output, &found, sizeof found);
      g_assert_cmpfloat (found, ==, (float) (i * i + 5));
      CALL (Buffer_Destroy, .buffer = output);
      /* The states of the runs have been freed. */
      g_assert_cmpint (g_atomic_int_get (&n_counters), ==, 2);
    }
  g_assert_cmpint (g_atomic_int_get (&n_calls), ==, 6);
  CALL (LoadedExecutable_Destroy, .executable = executable);
  CALL (Client_Destroy, .client = client);
  for (int i = 0; i < 20000 && g_atomic_int_get (&n_counters) != 0; i++)
    g_usleep (1000);
  g_assert_cmpint (g_atomic_int_get (&n_counters), ==, 0);
}

/* Counts the runs of its call site, in any order. */
static XLA_FFI_Error *
number (XLA_FFI_CallFrame *frame)
{
  int *counter;

  if (tell (frame, 0))
    return NULL;
  counter = FFI (frame, State_Get, .ctx = frame->ctx, .stage = XLA_FFI_ExecutionStage_INSTANTIATE,
                 .type_id = &counter_type).state;
  *(float *) ((const XLA_FFI_Buffer *) frame->rets.rets[0])->data = (float) (g_atomic_int_add (counter, 1) + 1);

  return NULL;
}

static const char numbered[] =
  "func.func @main() -> tensor<f32> {\n"
  "  %0 = stablehlo.custom_call @test_number() {api_version = 4 : i32, has_side_effect = true} : () -> tensor<f32>\n"
  "  return %0 : tensor<f32>\n"
  "}\n";

enum { N_THREADS = 6, N_RUNS = 50 };

typedef struct
{
  PJRT_Client           *client;
  PJRT_LoadedExecutable *executable;        /* shared by all threads */
  guint8                 seen[N_THREADS * N_RUNS];
  GMutex                 lock;              /* guards seen */
} Together;

static float
run_numbered (PJRT_LoadedExecutable *executable)
{
  PJRT_Buffer *output;
  float found;

  call_check ("Execute", call_run (executable, NULL, 0, &output));
  call_read (output, &found, sizeof found);
  CALL (Buffer_Destroy, .buffer = output);

  return found;
}

/* Runs the shared program and short-lived ones of its own, while handlers are being registered. */
static gpointer
run_together (gpointer data)
{
  Together *self = data;

  for (guint i = 0; i < N_RUNS; i++)
    {
      guint found = (guint) run_numbered (self->executable);

      g_mutex_lock (&self->lock);
      g_assert_cmpuint (found, >=, 1);
      g_assert_cmpuint (found, <=, N_THREADS * N_RUNS);
      g_assert_cmpuint (self->seen[found - 1]++, ==, 0);
      g_mutex_unlock (&self->lock);
      if (i % 10 == 0)
        {
          g_autofree char *name = g_strdup_printf ("test_%p_%u", (gpointer) g_thread_self (), i);
          PJRT_LoadedExecutable *own = call_compile (self->client, numbered);

          call_check ("register", register_handler (name, refuse));
          g_assert_cmpfloat (run_numbered (own), ==, 1);
          CALL (LoadedExecutable_Destroy, .executable = own);
        }
    }

  return NULL;
}

/* A call site is instantiated once, by whichever thread is first, and its runs share the state. */
static void
test_threads (void)
{
  Together self = { .client = call_client ("cpu") };
  GThread *threads[N_THREADS];

  call_check ("number", register_bundle ("test_number", 1, begin, NULL, number));
  self.executable = call_compile (self.client, numbered);
  g_mutex_init (&self.lock);
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("ffi", run_together, &self);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  g_mutex_clear (&self.lock);
  CALL (LoadedExecutable_Destroy, .executable = self.executable);
  CALL (Client_Destroy, .client = self.client);
}

static PJRT_Error *
add_user_data (PJRT_ExecuteContext *context,
               int64_t              type,
               void                *data)
{
  const PJRT_FFI_Extension *extension = (const PJRT_FFI_Extension *) find_extension (PJRT_Extension_Type_FFI);
  PJRT_FFI_UserData_Add_Args args = { .struct_size = sizeof args, .context = context,
                                      .user_data = { .type_id = type, .data = data } };

  return extension->user_data_add (&args);
}

/* Creates an execution context that holds a number, under a type of this test. */
static PJRT_ExecuteContext *
new_context (const float *number)
{
  PJRT_ExecuteContext *context = CALL (ExecuteContext_Create).context;

  call_check ("UserData_Add", add_user_data (context, number_type.type_id, (void *) number));

  return context;
}

/* Checks the results or the error of executions of a program without inputs, on one device or two. All begin before any
 * has ended, and contexts are destroyed at once. */
static void
check_recalled (PJRT_LoadedExecutable *executable,
                gsize                  n_devices)
{
  static const float expected[] = { 2, 4, 6 };
  PJRT_Buffer *outputs[G_N_ELEMENTS (expected)][2];
  PJRT_Buffer *const *const none[] = { NULL, NULL };

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      PJRT_ExecuteContext *context = new_context (&expected[i]);
      PJRT_ExecuteOptions options = { .struct_size = sizeof options, .context = context };
      PJRT_Buffer **const lists[] = { &outputs[i][0], &outputs[i][1] };

      CALL (LoadedExecutable_Execute, .executable = executable, .options = &options, .argument_lists = none,
            .num_devices = n_devices, .num_args = 0, .output_lists = lists);
      CALL (ExecuteContext_Destroy, .context = context);
    }
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    for (gsize k = 0; k < n_devices; k++)
      {
        float found = 0;

        call_read (outputs[i][k], &found, sizeof found);
        g_assert_cmpfloat (found, ==, expected[i]);
        CALL (Buffer_Destroy, .buffer = outputs[i][k]);
      }
}

static void
test_user_data (void)
{
  PJRT_Client *client = call_client ("cpu");
  const float number = 1;
  PJRT_ExecuteContext *context = new_context (&number);
  PJRT_LoadedExecutable *executable = call_compile (client,
    "func.func @main() -> tensor<f32> {\n"
    "  %0 = stablehlo.custom_call @test_recall() {api_version = 4 : i32, has_side_effect = true} : () -> tensor<f32>\n"
    "  return %0 : tensor<f32>\n"
    "}\n");
  PJRT_Buffer *output;

  check_recalled (executable, 1);
  call_check_error (call_run (executable, NULL, 0, &output), PJRT_Error_Code_INVALID_ARGUMENT,
                    "the execution context has no user data");
  call_check_error (add_user_data (context, number_type.type_id, NULL), PJRT_Error_Code_ALREADY_EXISTS,
                    "has user data of type ID");
  call_check_error (add_user_data (context, 0, NULL), PJRT_Error_Code_INVALID_ARGUMENT, "a type ID");
  call_check_error (add_user_data (NULL, 1, NULL), PJRT_Error_Code_INVALID_ARGUMENT, "an execution context");
  CALL (ExecuteContext_Destroy, .context = context);
  CALL (LoadedExecutable_Destroy, .executable = executable);
  CALL (Client_Destroy, .client = client);
}

/* Each of two devices calls the handler, in a manual computation. */
static void
test_user_data_of_devices (void)
{
  /* Compile options as in call_compile (), for two partitions. */
  static const char options[] = { 0x1a, 4, 0x20, 1, 0x28, 2 };
  const PJRT_NamedValue devices = { .struct_size = sizeof devices, .name = "devices", .name_size = strlen ("devices"),
                                    .type = PJRT_NamedValue_kString, .string_value = "2", .value_size = 1 };
  char code[] =
    "sdy.mesh @line = <[\"z\"=2]>\n"
    "func.func @main() -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@line, [{\"z\"}]>}) {\n"
    "  %r = sdy.manual_computation() in_shardings=[] out_shardings=[<@line, [{\"z\"}]>] manual_axes={\"z\"} () {\n"
    "    %0 = stablehlo.custom_call @test_recall() {api_version = 4 : i32, has_side_effect = true} "
    "        : () -> tensor<1xf32>\n"
    "    sdy.return %0 : tensor<1xf32>\n"
    "  } : () -> tensor<2xf32>\n"
    "  return %r : tensor<2xf32>\n"
    "}\n";
  const PJRT_Program program = { .struct_size = sizeof program, .code = code, .code_size = strlen (code),
                                 .format = "mlir", .format_size = strlen ("mlir") };
  PJRT_Client *client = CALL (Client_Create, .create_options = &devices, .num_options = 1).client;
  PJRT_LoadedExecutable *executable = CALL (Client_Compile, .client = client, .program = &program,
                                            .compile_options = options, .compile_options_size = sizeof options)
                                      .executable;

  check_recalled (executable, 2);
  CALL (LoadedExecutable_Destroy, .executable = executable);
  CALL (Client_Destroy, .client = client);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  call_load ();
  register_all ();

  g_test_add_func ("/pjrt/ffi/registration", test_registration);
  g_test_add_func ("/pjrt/ffi/call", test_call);
  g_test_add_func ("/pjrt/ffi/failures", test_failures);
  g_test_add_func ("/pjrt/ffi/state", test_state);
  g_test_add_func ("/pjrt/ffi/threads", test_threads);
  g_test_add_func ("/pjrt/ffi/user-data", test_user_data);
  g_test_add_func ("/pjrt/ffi/user-data-of-devices", test_user_data_of_devices);

  return g_test_run ();
}
