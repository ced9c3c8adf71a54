/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LLVM's C API around the emitter: target machine, passes, object, ORC LLJIT. The JIT
 * has no generator of symbols: a kernel that calls anything does not link.
 */

#include "llvm-jit.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <time.h>

struct _SpikeJit
{
  char                *triple, *cpu, *features;
  LLVMTargetRef        target;
  LLVMTargetMachineRef machines[4];     /* by level of code generation, made on first need */
  LLVMOrcLLJITRef      jit;
  guint                n_kernels;
};

/* Of this thread's processor time, so that a busy machine matters less. */
static double
milliseconds (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);

  return (double) time.tv_sec * 1e3 + (double) time.tv_nsec * 1e-6;
}

static gboolean
report (LLVMErrorRef   failure,
        char         **error)
{
  char *message;

  if (failure == NULL)
    return TRUE;
  message = LLVMGetErrorMessage (failure);
  *error = g_strdup (message);
  LLVMDisposeErrorMessage (message);

  return FALSE;
}

SpikeJit *
spike_jit_new (const char  *level,
               char       **error)
{
  SpikeJit *self = g_new0 (SpikeJit, 1);
  char *host_cpu, *host_features, *message = NULL;

  LLVMInitializeNativeTarget ();
  LLVMInitializeNativeAsmPrinter ();
  host_cpu = LLVMGetHostCPUName ();
  host_features = LLVMGetHostCPUFeatures ();
  self->triple = LLVMGetDefaultTargetTriple ();
  self->cpu = g_strdup (level != NULL ? level : host_cpu);
  self->features = g_strdup (level != NULL ? "" : host_features);
  LLVMDisposeMessage (host_cpu);
  LLVMDisposeMessage (host_features);
  if (LLVMGetTargetFromTriple (self->triple, &self->target, &message))
    {
      *error = g_strdup (message);
      LLVMDisposeMessage (message);
      spike_jit_free (self);
      return NULL;
    }
  if (!report (LLVMOrcCreateLLJIT (&self->jit, NULL), error))
    {
      spike_jit_free (self);
      return NULL;
    }

  return self;
}

static LLVMTargetMachineRef
get_machine (SpikeJit *self,
             guint     level)
{
  LLVMTargetMachineOptionsRef options;

  if (self->machines[level] != NULL)
    return self->machines[level];
  options = LLVMCreateTargetMachineOptions ();
  LLVMTargetMachineOptionsSetCPU (options, self->cpu);
  LLVMTargetMachineOptionsSetFeatures (options, self->features);
  LLVMTargetMachineOptionsSetCodeGenOptLevel (options, level);
  LLVMTargetMachineOptionsSetRelocMode (options, LLVMRelocPIC);
  self->machines[level] = LLVMCreateTargetMachineWithOptions (self->target, self->triple, options);
  LLVMDisposeTargetMachineOptions (options);

  return self->machines[level];
}

static gboolean
run_passes (SpikeJit              *self,
            LLVMModuleRef          module,
            const SpikeJitOptions *options,
            char                 **error)
{
  static const char *const pipelines[] = { NULL, "function(early-cse,loop-mssa(licm))", "default<O2>" };
  LLVMPassBuilderOptionsRef builder;
  gboolean ok;

  if (pipelines[options->passes] == NULL)
    return TRUE;
  builder = LLVMCreatePassBuilderOptions ();
  ok = report (LLVMRunPasses (module, pipelines[options->passes], get_machine (self, options->codegen_level), builder),
               error);
  LLVMDisposePassBuilderOptions (builder);

  return ok;
}

/* IR after passes, then assembly. */
static char *
list (LLVMTargetMachineRef machine,
      LLVMModuleRef        module)
{
  LLVMModuleRef copy = LLVMCloneModule (module);
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL, *text = NULL, *ir = LLVMPrintModuleToString (module);

  if (!LLVMTargetMachineEmitToMemoryBuffer (machine, copy, LLVMAssemblyFile, &message, &buffer))
    {
      text = g_strdup_printf ("%s\n%.*s", ir, (int) LLVMGetBufferSize (buffer), LLVMGetBufferStart (buffer));
      LLVMDisposeMemoryBuffer (buffer);
    }
  LLVMDisposeMessage (ir);
  LLVMDisposeMessage (message);
  LLVMDisposeModule (copy);

  return text;
}

static GhloKernelFunc
link_object (SpikeJit            *self,
             LLVMMemoryBufferRef  object,
             const char          *name,
             char               **error)
{
  LLVMOrcExecutorAddress address = 0;

  if (!report (LLVMOrcLLJITAddObjectFile (self->jit, LLVMOrcLLJITGetMainJITDylib (self->jit), object), error)
      || !report (LLVMOrcLLJITLookup (self->jit, &address, name), error))
    return NULL;

  return (GhloKernelFunc) (guintptr) address;
}

static LLVMMemoryBufferRef
make_object (SpikeJit               *self,
             LLVMModuleRef           module,
             const SpikeJitOptions  *options,
             SpikeJitTimes          *times,
             char                  **listing,
             char                  **error)
{
  LLVMTargetMachineRef machine = get_machine (self, options->codegen_level);
  LLVMMemoryBufferRef object = NULL;
  char *message = NULL;
  double start;

  if (LLVMVerifyModule (module, LLVMReturnStatusAction, &message))
    {
      *error = g_strdup (message);
      LLVMDisposeMessage (message);
      return NULL;
    }
  LLVMDisposeMessage (message);
  message = NULL;
  start = milliseconds ();
  if (!run_passes (self, module, options, error))
    return NULL;
  times->passes = milliseconds () - start;
  if (listing != NULL)
    *listing = list (machine, module);
  start = milliseconds ();
  if (LLVMTargetMachineEmitToMemoryBuffer (machine, module, LLVMObjectFile, &message, &object))
    *error = g_strdup (message);
  times->codegen = milliseconds () - start;
  LLVMDisposeMessage (message);
  if (object != NULL)
    times->object_bytes = LLVMGetBufferSize (object);

  return object;
}

GhloKernelFunc
spike_jit_compile (SpikeJit               *self,
                   const GhloKernel       *kernel,
                   const GhloSchedule     *schedule,
                   guint                   copies,
                   const SpikeJitOptions  *options,
                   SpikeJitTimes          *times,
                   char                  **listing,
                   char                  **error)
{
  LLVMTargetMachineRef machine = get_machine (self, options->codegen_level);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout (machine);
  g_autofree char *name = g_strdup_printf ("kernel_%u", self->n_kernels);
  double start = milliseconds ();
  LLVMContextRef context = LLVMContextCreate ();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext (name, context);
  GhloKernelFunc function = NULL;
  LLVMMemoryBufferRef object;

  for (guint i = 0; i < copies; i++)
    {
      g_autofree char *one = g_strdup_printf ("kernel_%u", self->n_kernels++);

      ghlo_llvm_emit (module, kernel, schedule, one, self->cpu, self->features);
    }
  LLVMSetTarget (module, self->triple);
  LLVMSetModuleDataLayout (module, layout);
  times->emit = milliseconds () - start;
  object = make_object (self, module, options, times, listing, error);
  start = milliseconds ();
  if (object != NULL)
    function = link_object (self, object, name, error);
  times->link = milliseconds () - start;
  LLVMDisposeTargetData (layout);
  LLVMDisposeModule (module);
  LLVMContextDispose (context);

  return function;
}

void
spike_jit_free (SpikeJit *self)
{
  if (self->jit != NULL)
    LLVMConsumeError (LLVMOrcDisposeLLJIT (self->jit));
  for (guint i = 0; i < G_N_ELEMENTS (self->machines); i++)
    if (self->machines[i] != NULL)
      LLVMDisposeTargetMachine (self->machines[i]);
  LLVMDisposeMessage (self->triple);
  g_free (self->cpu);
  g_free (self->features);
  g_free (self);
}
