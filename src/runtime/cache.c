/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of the cache on disk. Each file begins with eight bytes that name the format and a checksum of the rest.
 * The checksum detects accidental damage only: an attacker who can write files can write checksums as well. A file
 * is written under a temporary name and renamed, so that readers find all of it or nothing. Its modification time
 * is the time of its last use.
 *
 * The folder must belong to the user and be inaccessible to others. It is opened once for each call, and files are
 * opened relative to it, never by path.
 */

#include "runtime/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/ghlo-error.h"
#include "base/hash.h"

static const char magic[8] = { 'G', 'H', 'L', 'O', 'C', 'A', 'C', '2' };

enum { HEADER_SIZE = sizeof magic + sizeof (guint64), NAME_LENGTH = 16 };

/* The files are gone through with the first write, and again after every so many bytes written. */
#define SHRINK_AFTER ((gsize) GHLO_CACHE_MAX_SIZE / 16)

#define TEMPORARY "new-"
/* The age in µs from which a temporary file counts as abandoned. */
#define TEMPORARY_AGE (G_GINT64_CONSTANT (3600) * G_USEC_PER_SEC)

GhloCacheMode
ghlo_cache_get_mode (void)
{
  static const struct { const char *word; GhloCacheMode mode; } words[] = {
    { "off", GHLO_CACHE_OFF }, { "memory", GHLO_CACHE_MEMORY }, { "all", GHLO_CACHE_ALL },
  };
  const char *word = ghlo_environment_get ("GHLO_CACHE");

  /* Others name the folders of such a program. */
  if (!ghlo_environment_is_trusted ())
    return GHLO_CACHE_MEMORY;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_strcmp0 (word, words[i].word) == 0)
      return words[i].mode;
  if (word != NULL && *word != '\0')
    g_debug ("GHLO_CACHE is '%s'; it may be 'off', 'memory' or 'all'", word);

  return GHLO_CACHE_ON;
}

/* The XDG Base Directory Specification has relative paths ignored; GLib takes them. */
static char *
find_path (void)
{
  const char *folder = g_get_user_cache_dir ();
  g_autofree char *home = g_build_filename (g_get_home_dir (), ".cache", NULL);

  return g_build_filename (g_path_is_absolute (folder) ? folder : home, "ghlo-1.0", NULL);
}

const char *
ghlo_cache_get_path (void)
{
  static gsize path;

  if (g_once_init_enter (&path))
    g_once_init_leave (&path, (gsize) find_path ());

  return (const char *) path;
}

gboolean
ghlo_cache_is_name (const char *name)
{
  return strlen (name) == NAME_LENGTH && strspn (name, "0123456789abcdef") == NAME_LENGTH;
}

/* Returns whether the folder belongs to the user. Removes access for others where it exists. */
static gboolean
check_folder (int      fd,
              GError **error)
{
  struct stat status;

  if (fstat (fd, &status) == 0 && status.st_uid == geteuid ()
      && ((status.st_mode & 077) == 0 || fchmod (fd, 0700) == 0))
    return TRUE;

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "the folder '%s' belongs to another user and is not used",
               ghlo_cache_get_path ());

  return FALSE;
}

/* Returns -1 on failure; @error is not set if the folder does not exist and was not to be created. */
static int
open_folder (gboolean   create,
             GError   **error)
{
  const char *path = ghlo_cache_get_path ();
  int fd;

  if (create)
    {
      g_autofree char *parent = g_path_get_dirname (path);

      g_mkdir_with_parents (parent, 0700);
      g_mkdir (path, 0700);
    }
  fd = g_open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (fd < 0)
    {
      if (create || errno != ENOENT)
        g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "the folder '%s' cannot be opened: %s", path,
                     g_strerror (errno));
      return -1;
    }
  if (check_folder (fd, error))
    return fd;
  g_close (fd, NULL);

  return -1;
}

/* The same where errors are only worth a debug message. */
static int
open_folder_or_log (gboolean create)
{
  g_autoptr (GError) error = NULL;
  int fd = open_folder (create, &error);

  if (error != NULL)
    g_debug ("the cache is not used: %s", error->message);

  return fd;
}

/* Reads up to @size bytes from the current position; returns fewer at the end of the file or on an error. */
static gsize
read_all (int     fd,
          guint8 *bytes,
          gsize   size)
{
  gsize done = 0;

  while (done < size)
    {
      gssize n = read (fd, bytes + done, size - done);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      done += n;
    }

  return done;
}

static gboolean
write_all (int           fd,
           const guint8 *bytes,
           gsize         size)
{
  while (size > 0)
    {
      gssize n = write (fd, bytes, size);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return FALSE;
      bytes += n;
      size -= n;
    }

  return TRUE;
}

static guint64
sum_bytes (gconstpointer bytes,
           gsize         size)
{
  static const guint64 key[2] = { 0x676c686f2d636163, 0x68652d66696c6573 };

  return GUINT64_TO_LE (ghlo_hash_keyed (key, 1, 3, bytes, size));
}

/* Returns the contents of an open file if they are undamaged. */
static GBytes *
read_contents (int         fd,
               const char *name)
{
  guint64 found;
  struct stat status;
  g_autoptr (GBytes) whole = NULL;
  guint8 *bytes;
  gsize size;

  if (fstat (fd, &status) != 0 || !S_ISREG (status.st_mode) || status.st_uid != geteuid ()
      || status.st_size < HEADER_SIZE || (guint64) status.st_size > HEADER_SIZE + GHLO_CACHE_MAX_FILE)
    {
      g_debug ("the cache's file '%s' was not written by the cache, and is ignored", name);
      return NULL;
    }
  size = status.st_size;
  bytes = g_try_malloc (size);
  if (bytes == NULL)
    return NULL;

  whole = g_bytes_new_take (bytes, size);
  if (read_all (fd, bytes, size) == size && memcmp (bytes, magic, sizeof magic) == 0)
    {
      found = sum_bytes (bytes + HEADER_SIZE, size - HEADER_SIZE);
      if (memcmp (&found, bytes + sizeof magic, sizeof found) == 0)
        return g_bytes_new_from_bytes (whole, HEADER_SIZE, size - HEADER_SIZE);
    }
  g_debug ("the cache's file '%s' was cut off or changed, and is ignored", name);

  return NULL;
}

static GBytes *
read_file (const char *name,
           gboolean    touch)
{
  int folder = ghlo_cache_is_name (name) ? open_folder_or_log (FALSE) : -1;
  GBytes *contents = NULL;
  int fd;

  if (folder < 0)
    return NULL;

  /* O_NONBLOCK: do not wait for a pipe or the like that somebody put there. */
  fd = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0)
    {
      contents = read_contents (fd, name);
      if (contents != NULL && touch)
        futimens (fd, NULL);
      close (fd);
    }
  close (folder);

  return contents;
}

GBytes *
ghlo_cache_read (const char *name)
{
  return read_file (name, TRUE);
}

GBytes *
ghlo_cache_peek (const char *name)
{
  return read_file (name, FALSE);
}

static gboolean
write_file (int         folder,
            const char *temporary,
            GBytes     *contents)
{
  guint8 header[HEADER_SIZE];
  gsize size;
  const guint8 *bytes = g_bytes_get_data (contents, &size);
  const guint64 sum = sum_bytes (bytes, size);
  int fd = openat (folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  gboolean ok;

  if (fd < 0)
    return FALSE;
  memcpy (header, magic, sizeof magic);
  memcpy (header + sizeof magic, &sum, sizeof sum);
  ok = write_all (fd, header, HEADER_SIZE) && write_all (fd, bytes, size);

  return close (fd) == 0 && ok;
}

/* Each process counts the bytes that it writes, because going through all files takes longer than writing one. */
static void
shrink_if_due (gsize size)
{
  static gsize written = SHRINK_AFTER;

  if (__atomic_fetch_add (&written, size, __ATOMIC_RELAXED) < SHRINK_AFTER)
    return;
  __atomic_store_n (&written, 0, __ATOMIC_RELAXED);
  ghlo_cache_shrink (GHLO_CACHE_MAX_SIZE);
}

void
ghlo_cache_write (const char *name,
                  GBytes     *contents)
{
  g_autofree char *temporary = NULL;
  int folder;

  if (!ghlo_cache_is_name (name) || g_bytes_get_size (contents) > GHLO_CACHE_MAX_FILE)
    return;
  folder = open_folder_or_log (TRUE);
  if (folder < 0)
    return;

  temporary = g_strdup_printf (TEMPORARY "%08x%08x", g_random_int (), (guint) getpid ());
  if (!write_file (folder, temporary, contents) || renameat (folder, temporary, folder, name) != 0)
    {
      g_debug ("the cache's file '%s' cannot be written: %s", name, g_strerror (errno));
      unlinkat (folder, temporary, 0);
    }
  close (folder);
  shrink_if_due (HEADER_SIZE + g_bytes_get_size (contents));
}

void
ghlo_cache_remove (const char *name)
{
  int folder = ghlo_cache_is_name (name) ? open_folder_or_log (FALSE) : -1;

  if (folder < 0)
    return;
  unlinkat (folder, name, 0);
  close (folder);
}

static void
cache_file_free (gpointer data)
{
  GhloCacheFile *file = data;

  g_free (file->name);
  g_free (file);
}

static int
compare_use (gconstpointer a,
             gconstpointer b)
{
  const GhloCacheFile *x = *(GhloCacheFile *const *) a, *y = *(GhloCacheFile *const *) b;

  if (x->used != y->used)
    return x->used < y->used ? 1 : -1;

  return strcmp (x->name, y->name);
}

/* Lists the cache's files; with @temporary, those that were never finished. */
static GPtrArray *
list_folder (int      folder,
             gboolean temporary)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (cache_file_free);
  int copy = dup (folder);
  DIR *directory = copy >= 0 ? fdopendir (copy) : NULL;
  struct dirent *entry;
  struct stat status;

  if (directory == NULL)
    {
      if (copy >= 0)
        close (copy);
      return files;
    }
  rewinddir (directory);
  while ((entry = readdir (directory)) != NULL)
    {
      GhloCacheFile *file;

      if (!(temporary ? g_str_has_prefix (entry->d_name, TEMPORARY) : ghlo_cache_is_name (entry->d_name))
          || fstatat (folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG (status.st_mode))
        continue;
      file = g_new (GhloCacheFile, 1);
      *file = (GhloCacheFile) { g_strdup (entry->d_name), status.st_size,
                                status.st_mtim.tv_sec * G_USEC_PER_SEC + status.st_mtim.tv_nsec / 1000 };
      g_ptr_array_add (files, file);
    }
  closedir (directory);
  g_ptr_array_sort (files, compare_use);

  return files;
}

static void
remove_temporary (int    folder,
                  gint64 age)
{
  g_autoptr (GPtrArray) files = list_folder (folder, TRUE);
  gint64 now = g_get_real_time ();

  for (guint i = 0; i < files->len; i++)
    {
      const GhloCacheFile *file = files->pdata[i];

      if (now - file->used >= age)
        unlinkat (folder, file->name, 0);
    }
}

void
ghlo_cache_shrink (guint64 size)
{
  int folder = open_folder_or_log (FALSE);
  g_autoptr (GPtrArray) files = NULL;
  guint64 total = 0;

  if (folder < 0)
    return;
  files = list_folder (folder, FALSE);
  for (guint i = 0; i < files->len; i++)
    {
      const GhloCacheFile *file = files->pdata[i];

      total += file->size;
      if (total > size)
        unlinkat (folder, file->name, 0);
    }
  remove_temporary (folder, TEMPORARY_AGE);
  close (folder);
}

GPtrArray *
ghlo_cache_list (GError **error)
{
  g_autoptr (GError) local_error = NULL;
  int folder = open_folder (FALSE, &local_error);
  GPtrArray *files;

  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }
  if (folder < 0)
    return g_ptr_array_new_with_free_func (cache_file_free);
  files = list_folder (folder, FALSE);
  close (folder);

  return files;
}

gboolean
ghlo_cache_clear (GError **error)
{
  g_autoptr (GError) local_error = NULL;
  int folder = open_folder (FALSE, &local_error);
  g_autoptr (GPtrArray) files = NULL;

  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  if (folder < 0)
    return TRUE;

  files = list_folder (folder, FALSE);
  for (guint i = 0; i < files->len; i++)
    unlinkat (folder, ((GhloCacheFile *) files->pdata[i])->name, 0);
  remove_temporary (folder, 0);
  close (folder);

  return TRUE;
}
