/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Gives back the resident pages of LLVM's code and constants that are mapped from its file. A page that is needed
 * again is read from the file, usually from the page cache, 64 KiB per page fault. Breakpoints that a debugger has
 * set in LLVM are lost with the pages.
 */

#include "cpu/llvm/emit-llvm.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

static gboolean
contains (const struct dl_phdr_info *info,
          gsize                      address)
{
  for (guint i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *segment = &info->dlpi_phdr[i];

      if (segment->p_type == PT_LOAD && address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
        return TRUE;
    }

  return FALSE;
}

/* Whether the loader has patched segments that are read-only otherwise (text relocations), so that the pages differ
 * from the file. */
static gboolean
is_patched (const struct dl_phdr_info *info)
{
  for (guint i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      for (const ElfW (Dyn) *entry = (gpointer) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
           entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL) != 0))
          return TRUE;

  return FALSE;
}

static int
give_back (struct dl_phdr_info *info,
           size_t               size,
           void                *address)
{
  const gsize page = (gsize) sysconf (_SC_PAGESIZE);

  if (!contains (info, (gsize) address))
    return 0;
  for (guint i = 0; i < info->dlpi_phnum && !is_patched (info); i++)
    {
      const ElfW (Phdr) *segment = &info->dlpi_phdr[i];
      gsize begin = (info->dlpi_addr + segment->p_vaddr) & ~(page - 1);
      gsize end = info->dlpi_addr + segment->p_vaddr + segment->p_filesz;

      if (segment->p_type == PT_LOAD && (segment->p_flags & PF_W) == 0)
        madvise ((gpointer) begin, end - begin, MADV_DONTNEED);
    }

  return 1;
}

void
ghlo_emit_give_back_pages (void)
{
  dl_iterate_phdr (give_back, (gpointer) LLVMContextCreate);
}
