/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs machine code of kernels for another processor under an emulator: a program by itself, without libraries.
 *
 *   run-kernels IN OUT
 *
 * IN is what test-cpu-code.c writes: a count, and for each kernel a Record, extents of axes, offsets of temporaries in
 * the scratch, sizes of buffers, all in 64 bits; then the blob and the buffers. OUT gets the buffers of all kernels
 * after their runs.
 */

#define _GNU_SOURCE

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct
{
  uint64_t blob_size, n_axes, n_temporaries, n_buffers, scratch_size, n_points, piece;
} Record;

/* Equal to GhloCodeCall in cpu/llvm/emit.h. */
typedef struct
{
  void *const    *buffers;
  const int64_t  *extents;
  uint8_t *const *temporaries;
  uint8_t        *dummy;
  int           (*stops) (void *data);
  void           *data;
  void          (*fma_f32) (float *result, const float *a, const float *b, const float *c, size_t n);
  void          (*fma_f64) (double *result, const double *a, const double *b, const double *c, size_t n);
} Call;

typedef int (*Code) (const Call *call, int64_t begin, int64_t end);

static int
never (void *data)
{
  (void) data;

  return 0;
}

static void
fma_f32 (float       *result,
         const float *a,
         const float *b,
         const float *c,
         size_t       n)
{
  for (size_t i = 0; i < n; i++)
    result[i] = fmaf (a[i], b[i], c[i]);
}

static void
fma_f64 (double       *result,
         const double *a,
         const double *b,
         const double *c,
         size_t        n)
{
  for (size_t i = 0; i < n; i++)
    result[i] = fma (a[i], b[i], c[i]);
}

static void
fail (const char *what)
{
  perror (what);
  exit (1);
}

static void
read_all (FILE   *file,
          void   *data,
          size_t  size)
{
  if (size > 0 && fread (data, size, 1, file) != 1)
    fail ("cannot read");
}

static uint64_t *
read_words (FILE     *file,
            uint64_t  n)
{
  uint64_t *words = calloc (n + 1, sizeof *words);

  read_all (file, words, n * sizeof *words);

  return words;
}

static uint8_t *
map_blob (FILE     *file,
          uint64_t  size)
{
  uint8_t *blob = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (blob == MAP_FAILED)
    fail ("mmap");
  read_all (file, blob, size);
  if (mprotect (blob, size, PROT_READ | PROT_EXEC) != 0)
    fail ("mprotect");
  __builtin___clear_cache ((char *) blob, (char *) blob + size);

  return blob;
}

static void
run (FILE *in,
     FILE *out)
{
  Record record;
  uint64_t *extents, *offsets, *sizes;
  uint8_t *blob, *scratch, **temporaries;
  uint32_t entry;
  void **buffers;
  Call call = { .stops = never, .fma_f32 = fma_f32, .fma_f64 = fma_f64 };

  read_all (in, &record, sizeof record);
  extents = read_words (in, record.n_axes);
  offsets = read_words (in, record.n_temporaries);
  sizes = read_words (in, record.n_buffers);
  blob = map_blob (in, record.blob_size);
  memcpy (&entry, blob + 12, sizeof entry);
  temporaries = calloc (record.n_temporaries + 1, sizeof *temporaries);
  buffers = calloc (record.n_buffers + 1, sizeof *buffers);
  scratch = aligned_alloc (64, record.scratch_size);
  memset (scratch, 0xa5, record.scratch_size);
  for (uint64_t i = 0; i < record.n_temporaries; i++)
    temporaries[i] = scratch + offsets[i];
  for (uint64_t i = 0; i < record.n_buffers; i++)
    {
      buffers[i] = malloc (sizes[i] + 1);
      read_all (in, buffers[i], sizes[i]);
    }
  call.buffers = buffers;
  call.extents = (const int64_t *) extents;
  call.temporaries = temporaries;
  call.dummy = scratch;
  for (uint64_t i = 0; i < record.n_points; i += record.piece)
    {
      uint64_t end = record.n_points - i < record.piece ? record.n_points : i + record.piece;

      if (!((Code) (uintptr_t) (blob + entry)) (&call, (int64_t) i, (int64_t) end))
        fail ("the code stopped");
    }
  for (uint64_t i = 0; i < record.n_buffers; i++)
    if (sizes[i] > 0 && fwrite (buffers[i], sizes[i], 1, out) != 1)
      fail ("cannot write");
  for (uint64_t i = 0; i < record.n_buffers; i++)
    free (buffers[i]);
  munmap (blob, record.blob_size);
  free (buffers);
  free (scratch);
  free (temporaries);
  free (sizes);
  free (offsets);
  free (extents);
}

int
main (int    argc,
      char **argv)
{
  FILE *in = fopen (argc > 2 ? argv[1] : "", "rb"), *out = fopen (argc > 2 ? argv[2] : "", "wb");
  uint64_t n;

  if (in == NULL || out == NULL)
    fail ("run-kernels IN OUT");
  read_all (in, &n, sizeof n);
  for (uint64_t i = 0; i < n; i++)
    run (in, out);
  if (fclose (out) != 0)
    fail ("cannot write");
  fclose (in);

  return 0;
}
