/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Formats are recognized by magic numbers where they have some, and otherwise by what every writer begins with: the
 * fields of ONNX's ModelProto, the header of safetensors, and the name of the first member of an archive.
 */

#include "base/foreign-format.h"

#include <string.h>

#define EXPORT "export the model it was made from with jax.export, torch_xla or torchax"
#define KERAS "export the model with jax.export, with Keras on JAX"
#define TORCH "export the model with torch_xla or torchax"
#define WEIGHTS "give its tensors to the program's inputs, as .npy files or as arrays"

/* Little-endian. */
static guint64
read_number (const guint8 *data,
             guint         n_bytes)
{
  guint64 number = 0;

  for (guint i = n_bytes; i > 0; i--)
    number = number << 8 | data[i - 1];

  return number;
}

/* ModelProto: the field ir_version, a small number, and then one of the other fields up to 8, which are numbers or have
 * a length (onnx.proto). */
static gboolean
is_onnx (const guint8 *data,
         gsize         size)
{
  return size > 4 && data[0] == 0x08 && data[1] > 0 && data[1] < 0x20 && data[2] < 0x48
         && (data[2] >> 3) >= 2 && ((data[2] & 7) == 2 || data[2] == 0x28);
}

/* The length of a JSON object, and the object. */
static gboolean
is_safetensors (const guint8 *data,
                gsize         size)
{
  return size > 9 && data[8] == '{' && read_number (data, 8) < (guint64) 1 << 32 && read_number (data, 8) > 1;
}

/* Protocol 2 or later. */
static gboolean
is_pickle (const guint8 *data,
           gsize         size)
{
  return size > 2 && data[0] == 0x80 && data[1] >= 2 && data[1] <= 5;
}

/* Whether the first member of a ZIP archive has a name with this end. */
static gboolean
has_member (const guint8 *data,
            gsize         size,
            const char   *end)
{
  enum { NAME_LENGTH = 26, NAME = 30 };
  gsize n = strlen (end), length;

  if (size < NAME || memcmp (data, "PK\3\4", 4) != 0)
    return FALSE;
  length = (gsize) read_number (data + NAME_LENGTH, 2);

  return length >= n && size >= NAME + length && memcmp (data + NAME + length - n, end, n) == 0;
}

static gboolean
is_npz (const guint8 *data,
        gsize         size)
{
  return has_member (data, size, ".npy");
}

static gboolean
is_keras (const guint8 *data,
          gsize         size)
{
  return has_member (data, size, "metadata.json") || has_member (data, size, "config.json")
         || has_member (data, size, "model.weights.h5");
}

static gboolean
is_torch (const guint8 *data,
          gsize         size)
{
  return has_member (data, size, "/data.pkl") || has_member (data, size, "archive_format")
         || has_member (data, size, "/version") || has_member (data, size, ".format_version")
         || has_member (data, size, "/byteorder");
}

static const struct
{
  const char *magic;
  guint       at, length;
  gboolean  (*matches) (const guint8 *data, gsize size);    /* in place of a magic number */
  const char *what;
} rows[] = {
  { "GGUF", 0, 4, NULL, "weights in the format of llama.cpp (GGUF); " WEIGHTS },
  { "TFL3", 4, 4, NULL, "a model of TensorFlow Lite; " EXPORT ", or the model in TensorFlow with jax2tf" },
  { "\x93NUMPY", 0, 6, NULL, "an array of NumPy (.npy); give it to an input of a program" },
  { "\x89HDF\r\n\x1a\n", 0, 8, NULL, "an HDF5 file, such as a model of Keras; " KERAS },
  { NULL, 0, 0, is_npz, "an archive of arrays of NumPy (.npz); save each one as .npy" },
  { NULL, 0, 0, is_keras, "a model of Keras; " KERAS },
  { NULL, 0, 0, is_torch, "a program or weights of PyTorch; " TORCH },
  { "PK\3\4", 0, 4, NULL, "a ZIP archive" },
  { NULL, 0, 0, is_pickle, "a pickle of Python, such as weights of PyTorch; " TORCH },
  { NULL, 0, 0, is_safetensors, "weights (safetensors); " WEIGHTS },
  { NULL, 0, 0, is_onnx, "an ONNX model; " EXPORT },
};

const char *
ghlo_foreign_format_describe (const guint8 *data,
                              gsize         size)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].matches != NULL
        ? rows[i].matches (data, size)
        : size >= rows[i].at + rows[i].length && memcmp (data + rows[i].at, rows[i].magic, rows[i].length) == 0)
      return rows[i].what;

  return NULL;
}

char *
ghlo_foreign_format_describe_folder (const char *path)
{
  static const struct { const char *member, *text; } folders[] = {
    { "functions/forward.bytecode", "which torch_xla wrote: its program is '%s'" },
    { "saved_model.pb", "a model of TensorFlow ('%s'); export the model with jax2tf and jax.export" },
    { "model.safetensors", "which has weights ('%s'); export the model with jax.export, torch_xla or torchax" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *member = g_build_filename (path, folders[i].member, NULL);

      if (g_file_test (member, G_FILE_TEST_EXISTS))
        {
          g_auto (GStrv) parts = g_strsplit (folders[i].text, "%s", 2);

          return g_strconcat (parts[0], member, parts[1], NULL);
        }
    }

  return NULL;
}
