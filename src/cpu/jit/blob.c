/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sections of code and constants are laid out behind the header in the order of the file, and references between them
 * are resolved (relocate.h). Unwind tables, notes and debug information are left out. Overlapping relocation tables
 * could make a small file take very long, so all tables together may have no more entries than fit in the file.
 */

#include "cpu/jit/blob.h"

#include <elf.h>
#include <string.h>

#include "base/fail.h"
#include "base/ghlo-error.h"
#include "cpu/jit/relocate.h"

static const char magic[8] = { 'G', 'H', 'L', 'O', 'C', 'O', 'D', '1' };

G_STATIC_ASSERT (sizeof (GhloCodeHeader) == 64);

enum { MAX_NAME = 64, SYMBOL_SIZE = sizeof (Elf64_Sym), RELOCATION_SIZE = sizeof (Elf64_Rela) };

typedef struct
{
  const guint8 *bytes;          /* of the object */
  gsize         size;
  guint         machine;
  Elf64_Shdr   *sections;       /* owned */
  guint32      *starts;         /* owned: offset of each section in the blob; 0 for sections that are left out */
  guint         n_sections;
  guint         names;          /* index of the section that holds section names */
  guint         symbols;        /* index of the symbol table */
  gsize         n_symbols;
  gsize         n_relocations;  /* counted so far */
  guint32       blob_size, alignment;
  guint8       *blob;
} Object;

static gboolean
refuse (GError    **error,
        int         code,
        const char *what,
        const char *name)
{
  g_set_error (error, GHLO_ERROR, code, "%s%s%s%s", what, name != NULL ? " '" : "", name != NULL ? name : "",
               name != NULL ? "'" : "");

  return FALSE;
}

#define refuse(...) GHLO_FALSE_AFTER (refuse (__VA_ARGS__))

static gboolean
refuse_type (GError    **error,
             const char *what,
             guint       type)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "%s %u", what, type);

  return FALSE;
}

static gboolean
is_inside (const Object *self,
           guint64       offset,
           guint64       size)
{
  return offset <= self->size && size <= self->size - offset;
}

/* Copies a name out of a string table: truncated where it is long, "" where there is none. */
static const char *
name_at (const Object *self,
         guint         table,
         guint64       offset,
         char          name[MAX_NAME])
{
  const Elf64_Shdr *section = &self->sections[table];

  name[0] = '\0';
  if (section->sh_type != SHT_STRTAB || offset >= section->sh_size)
    return name;
  for (gsize i = 0; i < MAX_NAME - 1 && offset + i < section->sh_size; i++)
    {
      name[i] = (char) self->bytes[section->sh_offset + offset + i];
      name[i + 1] = '\0';
      if (name[i] == '\0')
        break;
      if (!g_ascii_isprint (name[i]))
        name[i] = '?';
    }

  return name;
}

static gboolean
read_sections (Object  *self,
               GError **error)
{
  Elf64_Ehdr header;

  if (self->size < sizeof header)
    return refuse (error, GHLO_ERROR_DATA, "the object file is cut off", NULL);
  memcpy (&header, self->bytes, sizeof header);
  if (memcmp (header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64
      || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL)
    return refuse (error, GHLO_ERROR_DATA, "expected a little-endian 64-bit ELF object file", NULL);
  if (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64)
    return refuse (error, GHLO_ERROR_UNSUPPORTED, "the object file is for another processor architecture", NULL);
  if (header.e_shentsize != sizeof (Elf64_Shdr) || header.e_shnum == 0 || header.e_shstrndx >= header.e_shnum
      || !is_inside (self, header.e_shoff, (guint64) header.e_shnum * sizeof (Elf64_Shdr)))
    return refuse (error, GHLO_ERROR_DATA, "the object file has no valid section table", NULL);

  self->machine = header.e_machine;
  self->n_sections = header.e_shnum;
  self->names = header.e_shstrndx;
  self->sections = g_memdup2 (self->bytes + header.e_shoff, self->n_sections * sizeof (Elf64_Shdr));
  self->starts = g_new0 (guint32, self->n_sections);
  for (guint i = 0; i < self->n_sections; i++)
    if (self->sections[i].sh_type != SHT_NOBITS && self->sections[i].sh_type != SHT_NULL
        && !is_inside (self, self->sections[i].sh_offset, self->sections[i].sh_size))
      return refuse (error, GHLO_ERROR_DATA, "a section extends beyond the end of the object file", NULL);

  return TRUE;
}

/* Whether a section is left out of the blob. Only sections that the system would load are kept. */
static gboolean
is_left_out (const Elf64_Shdr *section,
             const char       *name)
{
  return (section->sh_flags & SHF_ALLOC) == 0 || section->sh_size == 0 || section->sh_type == SHT_NOTE
         || strcmp (name, ".eh_frame") == 0;
}

static gboolean
is_kind (const char *name,
         const char *kind)
{
  gsize length = strlen (kind);

  return strncmp (name, kind, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

static gboolean
place_section (Object   *self,
               guint     number,
               GError  **error)
{
  const Elf64_Shdr *section = &self->sections[number];
  guint64 alignment = MAX (section->sh_addralign, 1), start;
  char name[MAX_NAME];

  name_at (self, self->names, section->sh_name, name);
  if (is_left_out (section, name))
    return TRUE;
  if (section->sh_type != SHT_PROGBITS || (section->sh_flags & (SHF_WRITE | SHF_TLS)) != 0
      || (!is_kind (name, ".text") && !is_kind (name, ".rodata")))
    return refuse (error, GHLO_ERROR_UNSUPPORTED, "unsupported section", name);
  if ((alignment & (alignment - 1)) != 0 || alignment > GHLO_CODE_ALIGNMENT)
    return refuse (error, GHLO_ERROR_UNSUPPORTED, "unsupported alignment of section", name);
  start = (self->blob_size + alignment - 1) & ~(alignment - 1);
  if (section->sh_size > GHLO_CODE_MAX_SIZE - start)
    return refuse (error, GHLO_ERROR_UNSUPPORTED, "the machine code is too large", NULL);

  self->starts[number] = (guint32) start;
  self->blob_size = (guint32) (start + section->sh_size);
  self->alignment = MAX (self->alignment, (guint32) alignment);

  return TRUE;
}

static gboolean
lay_out (Object  *self,
         GError **error)
{
  self->blob_size = sizeof (GhloCodeHeader);
  self->alignment = 16;
  for (guint i = 0; i < self->n_sections; i++)
    if (!place_section (self, i, error))
      return FALSE;

  self->blob = g_malloc0 (self->blob_size);
  for (guint i = 0; i < self->n_sections; i++)
    if (self->starts[i] != 0)
      memcpy (self->blob + self->starts[i], self->bytes + self->sections[i].sh_offset, self->sections[i].sh_size);

  return TRUE;
}

static gboolean
find_symbols (Object  *self,
              GError **error)
{
  for (guint i = 0; i < self->n_sections; i++)
    if (self->sections[i].sh_type == SHT_SYMTAB)
      self->symbols = i;
  if (self->symbols == 0 || self->sections[self->symbols].sh_entsize != SYMBOL_SIZE
      || self->sections[self->symbols].sh_link >= self->n_sections)
    return refuse (error, GHLO_ERROR_DATA, "the object file has no valid symbol table", NULL);
  self->n_symbols = self->sections[self->symbols].sh_size / SYMBOL_SIZE;

  return TRUE;
}

static Elf64_Sym
symbol_at (const Object *self,
           gsize         number,
           char          name[MAX_NAME])
{
  const Elf64_Shdr *table = &self->sections[self->symbols];
  Elf64_Sym symbol;

  memcpy (&symbol, self->bytes + table->sh_offset + number * SYMBOL_SIZE, SYMBOL_SIZE);
  name_at (self, table->sh_link, symbol.st_name, name);

  return symbol;
}

/* Finds the offset of a symbol in the blob. */
static gboolean
locate (const Object *self,
        gsize         number,
        gint64       *position,
        GError      **error)
{
  char name[MAX_NAME];
  Elf64_Sym symbol;

  if (number >= self->n_symbols)
    return refuse (error, GHLO_ERROR_DATA, "a relocation refers to a symbol that does not exist", NULL);
  symbol = symbol_at (self, number, name);
  if (symbol.st_shndx == SHN_UNDEF)
    return refuse (error, GHLO_ERROR_UNSUPPORTED, "machine code refers to the undefined symbol", name);
  if (symbol.st_shndx >= self->n_sections || self->starts[symbol.st_shndx] == 0
      || symbol.st_value > self->sections[symbol.st_shndx].sh_size
      || ELF64_ST_TYPE (symbol.st_info) == STT_GNU_IFUNC || ELF64_ST_TYPE (symbol.st_info) == STT_TLS)
    return refuse (error, GHLO_ERROR_UNSUPPORTED, "machine code refers to the unsupported symbol", name);
  *position = (gint64) (self->starts[symbol.st_shndx] + symbol.st_value);

  return TRUE;
}

static gboolean
relocate_one (Object           *self,
              guint             section,
              const Elf64_Rela *relocation,
              GError          **error)
{
  const guint type = ELF64_R_TYPE (relocation->r_info);
  const guint size = ghlo_code_relocation_size (self->machine, type);
  gint64 position, target;

  if (ghlo_code_relocation_is_none (self->machine, type))
    return TRUE;
  if (!locate (self, ELF64_R_SYM (relocation->r_info), &target, error))
    return FALSE;
  if (relocation->r_offset > self->sections[section].sh_size
      || size > self->sections[section].sh_size - relocation->r_offset)
    return refuse (error, GHLO_ERROR_DATA, "a relocation is beyond the end of its section", NULL);
  if (size == 0)
    return refuse_type (error, "unsupported relocation type", type);
  position = (gint64) (self->starts[section] + relocation->r_offset);
  if (__builtin_add_overflow (target, relocation->r_addend, &target)
      || !ghlo_code_relocate (self->machine, type, self->blob + position, position, target))
    return refuse_type (error, "the target is out of range of a relocation of type", type);

  return TRUE;
}

/* Applies all relocations of one section. */
static gboolean
relocate_section (Object   *self,
                  guint     number,
                  GError  **error)
{
  const Elf64_Shdr *table = &self->sections[number];
  gsize n = table->sh_size / RELOCATION_SIZE;

  if ((table->sh_type != SHT_RELA && table->sh_type != SHT_REL) || table->sh_info >= self->n_sections
      || self->starts[table->sh_info] == 0)
    return TRUE;
  self->n_relocations += n;
  if (table->sh_type == SHT_REL || table->sh_entsize != RELOCATION_SIZE || table->sh_link != self->symbols
      || self->n_relocations > self->size / RELOCATION_SIZE)
    return refuse (error, GHLO_ERROR_DATA, "the object file has a malformed relocation table", NULL);

  for (gsize i = 0; i < n; i++)
    {
      Elf64_Rela relocation;

      memcpy (&relocation, self->bytes + table->sh_offset + i * RELOCATION_SIZE, RELOCATION_SIZE);
      if (!relocate_one (self, table->sh_info, &relocation, error))
        return FALSE;
    }

  return TRUE;
}

/* Finds the offset of the function in the blob. */
static gboolean
find_entry (const Object *self,
            guint32      *entry,
            GError      **error)
{
  for (gsize i = 0; i < self->n_symbols; i++)
    {
      char name[MAX_NAME];
      Elf64_Sym symbol = symbol_at (self, i, name);

      if (ELF64_ST_TYPE (symbol.st_info) != STT_FUNC || strcmp (name, "kernel") != 0
          || symbol.st_shndx >= self->n_sections || self->starts[symbol.st_shndx] == 0
          || (self->sections[symbol.st_shndx].sh_flags & SHF_EXECINSTR) == 0
          || symbol.st_value >= self->sections[symbol.st_shndx].sh_size
          || (self->machine == EM_AARCH64 && (self->starts[symbol.st_shndx] + symbol.st_value) % 4 != 0))
        continue;
      *entry = (guint32) (self->starts[symbol.st_shndx] + symbol.st_value);
      return TRUE;
    }

  return refuse (error, GHLO_ERROR_DATA, "the object file has no function", "kernel");
}

static gboolean
flatten (Object  *self,
         GError **error)
{
  GhloCodeHeader header = { .alignment = 0 };

  if (!read_sections (self, error) || !find_symbols (self, error) || !lay_out (self, error)
      || !find_entry (self, &header.entry, error))
    return FALSE;
  for (guint i = 0; i < self->n_sections; i++)
    if (!relocate_section (self, i, error))
      return FALSE;

  memcpy (header.magic, magic, sizeof magic);
  header.machine = GUINT32_TO_LE (self->machine);
  header.entry = GUINT32_TO_LE (header.entry);
  header.size = GUINT32_TO_LE (self->blob_size);
  header.alignment = GUINT32_TO_LE (self->alignment);
  memcpy (self->blob, &header, sizeof header);

  return TRUE;
}

GBytes *
ghlo_code_flatten (GBytes  *object,
                   GError **error)
{
  Object self = { .machine = EM_NONE };
  GBytes *blob = NULL;

  self.bytes = g_bytes_get_data (object, &self.size);
  if (flatten (&self, error))
    blob = g_bytes_new_take (g_steal_pointer (&self.blob), self.blob_size);
  g_free (self.blob);
  g_free (self.sections);
  g_free (self.starts);

  return blob;
}

gboolean
ghlo_code_read_header (GBytes          *blob,
                       GhloCodeHeader  *header,
                       GError         **error)
{
  gsize size;
  const guint8 *bytes = g_bytes_get_data (blob, &size);

  if (size < sizeof *header)
    return refuse (error, GHLO_ERROR_DATA, "the machine code is cut off", NULL);
  memcpy (header, bytes, sizeof *header);
  header->machine = GUINT32_FROM_LE (header->machine);
  header->entry = GUINT32_FROM_LE (header->entry);
  header->size = GUINT32_FROM_LE (header->size);
  header->alignment = GUINT32_FROM_LE (header->alignment);
  if (memcmp (header->magic, magic, sizeof magic) != 0 || header->size != size || size > GHLO_CODE_MAX_SIZE
      || header->entry < sizeof *header || header->entry >= size || header->alignment == 0
      || (header->alignment & (header->alignment - 1)) != 0 || header->alignment > GHLO_CODE_ALIGNMENT
      || (header->machine == EM_AARCH64 && header->entry % 4 != 0))
    return refuse (error, GHLO_ERROR_DATA, "the header of the machine code is malformed", NULL);

  return TRUE;
}
