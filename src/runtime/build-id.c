/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the build id from the note that the linker writes into each program and library (--build-id), either of the
 * object that contains this code or of a file.
 */

#include "runtime/build-id.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  guintptr  address;     /* an address inside the object to find */
  char     *id;
} Search;

static gboolean
object_contains (const struct dl_phdr_info *info,
                 guintptr                   address)
{
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *header = &info->dlpi_phdr[i];
      guintptr begin = info->dlpi_addr + header->p_vaddr;

      if (header->p_type == PT_LOAD && address >= begin && address - begin < header->p_memsz)
        return TRUE;
    }

  return FALSE;
}

static char *
to_hex (const guint8 *bytes,
        gsize         n)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (text, "%02x", bytes[i]);

  return g_string_free (text, FALSE);
}

/* A note is a header, a name and a description, each padded to 4 bytes. */
static char *
find_note (const guint8 *bytes,
           gsize         size)
{
  ElfW (Nhdr) note;

  while (size >= sizeof note)
    {
      gsize name, description;

      memcpy (&note, bytes, sizeof note);
      name = ((gsize) note.n_namesz + 3) & ~(gsize) 3;
      description = ((gsize) note.n_descsz + 3) & ~(gsize) 3;
      if (size - sizeof note < name || size - sizeof note - name < description)
        return NULL;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz > 0
          && memcmp (bytes + sizeof note, "GNU", 4) == 0)
        return to_hex (bytes + sizeof note + name, note.n_descsz);
      bytes += sizeof note + name + description;
      size -= sizeof note + name + description;
    }

  return NULL;
}

static int
inspect_object (struct dl_phdr_info *info,
                size_t               size,
                void                *data)
{
  Search *search = data;

  if (!object_contains (info, search->address))
    return 0;
  for (int i = 0; i < info->dlpi_phnum && search->id == NULL; i++)
    if (info->dlpi_phdr[i].p_type == PT_NOTE)
      search->id = find_note ((const guint8 *) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                              info->dlpi_phdr[i].p_memsz);

  return 1;
}

const char *
ghlo_build_id (void)
{
  static gsize done;
  static char *id;

  if (g_once_init_enter (&done))
    {
      Search search = { .address = (guintptr) &done };

      dl_iterate_phdr (inspect_object, &search);
      id = search.id;
      g_once_init_leave (&done, 1);
    }

  return id;
}

/* Reads exactly @size bytes at @offset. */
static gboolean
read_at (int      fd,
         guint64  offset,
         gpointer bytes,
         gsize    size)
{
  return offset <= G_MAXINT32 && pread (fd, bytes, size, (off_t) offset) == (gssize) size;
}

static char *
read_note (int              fd,
           const ElfW (Phdr) *header)
{
  guint8 bytes[1024];

  if (header->p_type != PT_NOTE || header->p_filesz > sizeof bytes
      || !read_at (fd, header->p_offset, bytes, header->p_filesz))
    return NULL;

  return find_note (bytes, header->p_filesz);
}

static char *
read_id (int fd)
{
  ElfW (Ehdr) header;
  char *id = NULL;

  if (!read_at (fd, 0, &header, sizeof header) || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0
      || header.e_phentsize != sizeof (ElfW (Phdr)))
    return NULL;
  for (guint i = 0; i < header.e_phnum && id == NULL; i++)
    {
      ElfW (Phdr) part;

      if (!read_at (fd, header.e_phoff + i * sizeof part, &part, sizeof part))
        return NULL;
      id = read_note (fd, &part);
    }

  return id;
}

char *
ghlo_build_id_read (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  char *id;

  if (fd < 0)
    return NULL;
  id = read_id (fd);
  close (fd);

  return id;
}
