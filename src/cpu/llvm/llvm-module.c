/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The module that links LLVM: turns a kernel into an object file. Of the optimization passes only promotion to
 * registers, early CSE and LICM are run. Code generation is at level 1: higher levels take as long and gain nothing,
 * while level 0 gives code that is up to six times slower.
 */

#include "cpu/llvm/emit-llvm.h"

#include "base/ghlo-error.h"
#include "kernel/expand.h"

#include <gmodule.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <string.h>

#define PASSES "function(mem2reg,early-cse,loop-mssa(licm))"

/* The state of one compile. */
typedef struct
{
  const GhloCodeTarget *target;
  LLVMContextRef        context;
  LLVMModuleRef         module;
  LLVMTargetMachineRef  machine;
  char                 *diagnostic;    /* owned; LLVM's first error or warning, e.g. on a too large frame */
} Compile;

static gboolean
fail (GError     **error,
      const char  *what,
      const char  *message)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s: %s", what, message);

  return FALSE;
}

static gboolean
make_machine (Compile  *self,
              GError  **error)
{
  LLVMTargetMachineOptionsRef options;
  LLVMTargetRef target;
  LLVMTargetDataRef layout;
  char *message = NULL;

  if (LLVMGetTargetFromTriple (self->target->triple, &target, &message))
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "LLVM does not support the target %s: %s",
                   self->target->triple, message);
      LLVMDisposeMessage (message);
      return FALSE;
    }
  options = LLVMCreateTargetMachineOptions ();
  LLVMTargetMachineOptionsSetCPU (options, self->target->cpu);
  LLVMTargetMachineOptionsSetFeatures (options, self->target->features);
  LLVMTargetMachineOptionsSetCodeGenOptLevel (options, LLVMCodeGenLevelLess);
  LLVMTargetMachineOptionsSetRelocMode (options, LLVMRelocPIC);
  self->machine = LLVMCreateTargetMachineWithOptions (target, self->target->triple, options);
  LLVMDisposeTargetMachineOptions (options);
  layout = LLVMCreateTargetDataLayout (self->machine);
  LLVMSetTarget (self->module, self->target->triple);
  LLVMSetModuleDataLayout (self->module, layout);
  LLVMDisposeTargetData (layout);

  return TRUE;
}

static gboolean
run_passes (Compile  *self,
            GError  **error)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions ();
  LLVMErrorRef failure = LLVMRunPasses (self->module, PASSES, self->machine, options);
  char *message;

  LLVMDisposePassBuilderOptions (options);
  if (failure == NULL)
    return TRUE;
  message = LLVMGetErrorMessage (failure);
  fail (error, "LLVM failed to run its passes", message);
  LLVMDisposeErrorMessage (message);

  return FALSE;
}

static gboolean
verify (Compile  *self,
        GError  **error)
{
  char *message = NULL;
  gboolean is_wrong = LLVMVerifyModule (self->module, LLVMReturnStatusAction, &message);

  if (is_wrong)
    fail (error, "LLVM failed to verify the code", message);
  LLVMDisposeMessage (message);

  return !is_wrong;
}

/* Lists the IR, and the assembly that LLVM makes from a copy of the module. */
static char *
make_listing (Compile *self)
{
  LLVMModuleRef copy = LLVMCloneModule (self->module);
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL, *text = NULL, *form = LLVMPrintModuleToString (self->module);

  if (!LLVMTargetMachineEmitToMemoryBuffer (self->machine, copy, LLVMAssemblyFile, &message, &buffer))
    {
      text = g_strdup_printf ("%s\n%.*s", form, (int) LLVMGetBufferSize (buffer), LLVMGetBufferStart (buffer));
      LLVMDisposeMemoryBuffer (buffer);
    }
  LLVMDisposeMessage (form);
  LLVMDisposeMessage (message);
  LLVMDisposeModule (copy);

  return text;
}

/* LLVM ends the process at an error that has no handler. */
static void
keep_diagnostic (LLVMDiagnosticInfoRef  info,
                 void                  *data)
{
  Compile *self = data;
  LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity (info);
  char *message;

  if (self->diagnostic != NULL || (severity != LLVMDSError && severity != LLVMDSWarning))
    return;
  message = LLVMGetDiagInfoDescription (info);
  self->diagnostic = g_strdup (message);
  LLVMDisposeMessage (message);
}

static GBytes *
make_object (Compile  *self,
             GError  **error)
{
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;
  GBytes *object;

  if (LLVMTargetMachineEmitToMemoryBuffer (self->machine, self->module, LLVMObjectFile, &message, &buffer))
    {
      fail (error, "LLVM failed to emit an object file", message);
      LLVMDisposeMessage (message);
      return NULL;
    }
  object = self->diagnostic == NULL
           ? g_bytes_new (LLVMGetBufferStart (buffer), LLVMGetBufferSize (buffer)) : NULL;
  LLVMDisposeMemoryBuffer (buffer);
  if (object == NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "the code was rejected, since LLVM reported: %s",
                 self->diagnostic);

  return object;
}

static void
initialize (void)
{
  static gsize done;

  if (!g_once_init_enter (&done))
    return;
#ifdef GHLO_NATIVE_ALONE
  LLVMInitializeNativeTarget ();
  LLVMInitializeNativeAsmPrinter ();
#else
  LLVMInitializeX86TargetInfo ();
  LLVMInitializeX86Target ();
  LLVMInitializeX86TargetMC ();
  LLVMInitializeX86AsmPrinter ();
  LLVMInitializeAArch64TargetInfo ();
  LLVMInitializeAArch64Target ();
  LLVMInitializeAArch64TargetMC ();
  LLVMInitializeAArch64AsmPrinter ();
#endif
  /* Applying relocations, looking up symbols and running static constructors touches more pages than compiling
   * does. */
  ghlo_emit_give_back_pages ();
  g_once_init_leave (&done, 1);
}

static GBytes *
compile_expanded (Compile                   *self,
                  const GhloKernel          *kernel,
                  const GhloKernelSchedule  *schedule,
                  char                     **listing,
                  GError                   **error)
{
  if (!make_machine (self, error) || !ghlo_emit_function (self->module, kernel, schedule, self->target, error)
      || !verify (self, error) || !run_passes (self, error))
    return NULL;
  if (listing != NULL)
    *listing = make_listing (self);

  return make_object (self, error);
}

static GBytes *
compile (const GhloKernel          *kernel,
         const GhloKernelSchedule  *schedule,
         const GhloCodeTarget      *target,
         char                     **listing,
         GError                   **error)
{
  g_autofree GhloKernel *expanded = target->has_half ? ghlo_kernel_expand_but_narrow (kernel, error)
                                    : ghlo_kernel_expand (kernel, error);
  Compile self = { .target = target };
  GBytes *object;

  if (expanded == NULL)
    return NULL;
  initialize ();
  self.context = LLVMContextCreate ();
  LLVMContextSetDiagnosticHandler (self.context, keep_diagnostic, &self);
  self.module = LLVMModuleCreateWithNameInContext (kernel->name, self.context);
  object = compile_expanded (&self, expanded, schedule, listing, error);
  if (self.machine != NULL)
    LLVMDisposeTargetMachine (self.machine);
  LLVMDisposeModule (self.module);
  LLVMContextDispose (self.context);
  g_free (self.diagnostic);

  return object;
}

G_MODULE_EXPORT const GhloEmitter *ghlo_emitter (void);

const GhloEmitter *
ghlo_emitter (void)
{
  static const GhloEmitter emitter = {
    .library = GHLO_VERSION, .free_bytes = g_bytes_unref, .version = "3", .compile = compile,
    .rest = ghlo_emit_give_back_pages,
  };

  return &emitter;
}
