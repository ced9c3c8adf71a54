/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Exports buffers to consumers of DLPack (https://dmlc.github.io/dlpack), which
 * share the memory. The structures are DLPack's ABI: version 1.1, and the form
 * before 1.0. They own a reference to the runtime's value, so a consumer may delete
 * them on any thread, and after the interpreter of the language that requested them
 * has shut down.
 */

#include "ghlo-buffer-private.h"

#include <string.h>

#include "base/element.h"
#include "base/sizes.h"
#include "runtime/place.h"

enum
{
  VERSION_MAJOR = 1,
  VERSION_MINOR = 1,
  DEVICE_CPU = 1,
  FLAG_READ_ONLY = 1,
  FLAG_PADDED = 4,       /* elements of less than 8 bits occupy a byte each */
};

/* DLDataTypeCode */
enum
{
  CODE_INT = 0,
  CODE_UINT = 1,
  CODE_FLOAT = 2,
  CODE_BFLOAT = 4,
  CODE_COMPLEX = 5,
  CODE_BOOL = 6,
};

typedef struct
{
  gpointer  data;
  gint32    device_type;
  gint32    device_id;
  gint32    rank;
  guint8    code;
  guint8    bits;
  guint16   lanes;
  gint64   *shape;
  gint64   *strides;       /* in elements */
  guint64   byte_offset;
} Tensor;

typedef struct
{
  Tensor          tensor;
  gpointer        owner;
  GDestroyNotify  deleter;     /* called with this structure */
} Managed;

typedef struct
{
  guint32         major;
  guint32         minor;
  gpointer        owner;
  GDestroyNotify  deleter;     /* called with this structure */
  guint64         flags;
  Tensor          tensor;
} ManagedVersioned;

/* The memory block of an exported structure in either form. */
typedef struct
{
  GhloValue *value;
  union
  {
    Managed          old;
    ManagedVersioned versioned;
  } managed;
  gint64     sizes[];      /* the shape, then the strides */
} Export;

/* DLPack codes by element type; 0 where the class of the type determines the code. */
static const guint8 float_codes[] = {
  [GHLO_ELEMENT_TYPE_BF16] = CODE_BFLOAT,
  [GHLO_ELEMENT_TYPE_F8E3M4] = 7,
  [GHLO_ELEMENT_TYPE_F8E4M3] = 8,
  [GHLO_ELEMENT_TYPE_F8E4M3B11FNUZ] = 9,
  [GHLO_ELEMENT_TYPE_F8E4M3FN] = 10,
  [GHLO_ELEMENT_TYPE_F8E4M3FNUZ] = 11,
  [GHLO_ELEMENT_TYPE_F8E5M2] = 12,
  [GHLO_ELEMENT_TYPE_F8E5M2FNUZ] = 13,
  [GHLO_ELEMENT_TYPE_F8E8M0FNU] = 14,
  [GHLO_ELEMENT_TYPE_F6E2M3FN] = 15,
  [GHLO_ELEMENT_TYPE_F6E3M2FN] = 16,
  [GHLO_ELEMENT_TYPE_F4E2M1FN] = 17,
};

static const guint8 class_codes[] = {
  [GHLO_ELEMENT_CLASS_BOOLEAN] = CODE_BOOL,
  [GHLO_ELEMENT_CLASS_SIGNED] = CODE_INT,
  [GHLO_ELEMENT_CLASS_UNSIGNED] = CODE_UINT,
  [GHLO_ELEMENT_CLASS_FLOAT] = CODE_FLOAT,
  [GHLO_ELEMENT_CLASS_COMPLEX] = CODE_COMPLEX,
};

/* Integers and booleans are described by their storage, which has at least a byte. */
static void
describe_elements (Tensor          *tensor,
                   GhloElementType  type)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  gboolean is_float = info->element_class == GHLO_ELEMENT_CLASS_FLOAT;

  tensor->code = class_codes[info->element_class];
  if ((gsize) type < G_N_ELEMENTS (float_codes) && float_codes[type] != 0)
    tensor->code = float_codes[type];
  tensor->bits = is_float ? info->bits : info->size * 8;
  tensor->lanes = 1;
}

static void
export_free (Export *self)
{
  ghlo_value_unref (self->value);
  g_free (self);
}

static void
delete_old (gpointer data)
{
  export_free (((Managed *) data)->owner);
}

static void
delete_versioned (gpointer data)
{
  export_free (((ManagedVersioned *) data)->owner);
}

static void
describe_tensor (Export *self,
                 Tensor *tensor)
{
  const GhloTensorType *type = self->value->type;

  tensor->data = self->value->data;
  tensor->device_type = DEVICE_CPU;
  tensor->rank = type->rank;
  tensor->shape = self->sizes;
  tensor->strides = self->sizes + type->rank;
  memcpy (tensor->shape, type->dimensions, type->rank * sizeof type->dimensions[0]);
  ghlo_shape_strides (type->dimensions, type->rank, 1, tensor->strides);
  describe_elements (tensor, type->element_type);
}

static guintptr
export_versioned (Export *self)
{
  ManagedVersioned *managed = &self->managed.versioned;

  describe_tensor (self, &managed->tensor);
  managed->major = VERSION_MAJOR;
  managed->minor = VERSION_MINOR;
  managed->flags = FLAG_READ_ONLY | (managed->tensor.bits < 8 ? FLAG_PADDED : 0);
  managed->owner = self;
  managed->deleter = delete_versioned;

  return (guintptr) managed;
}

static guintptr
export_old (Export *self)
{
  Managed *managed = &self->managed.old;

  describe_tensor (self, &managed->tensor);
  managed->owner = self;
  managed->deleter = delete_old;

  return (guintptr) managed;
}

/**
 * ghlo_buffer_export_dlpack:
 * @self: a buffer
 * @versioned: %TRUE for a `DLManagedTensorVersioned`, %FALSE for the older
 *   `DLManagedTensor`, which cannot be marked as read-only
 * @error: return location for an error
 *
 * Exports the elements of a tensor in host memory to a consumer of DLPack; for
 * language bindings. Nothing is copied, and the elements must not be written to. Data
 * in device memory is read first, as by [method@Ghlo.Buffer.read]. Integers of less
 * than 8 bits are exported as the bytes that hold them; floats of less than 8 bits as
 * padded elements.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when the buffer was released or holds no
 * tensor, and as reading does.
 *
 * Returns: the address of the structure, whose deleter must be called once, or 0
 *   with @error set
 *
 * Since: 1.0
 */
guintptr
ghlo_buffer_export_dlpack (GhloBuffer  *self,
                           gboolean     versioned,
                           GError     **error)
{
  g_autoptr (GhloValue) value = NULL;
  Export *export;

  g_return_val_if_fail (GHLO_IS_BUFFER (self), 0);

  value = ghlo_buffer_take_value (self, error);
  if (value == NULL)
    return 0;
  if (value->kind != GHLO_VALUE_TENSOR)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                           "expected a buffer that holds a tensor for DLPack, found one that does not");
      return 0;
    }
  if (!ghlo_value_fetch (value, NULL, error))
    return 0;

  export = g_malloc0 (sizeof (Export) + 2 * value->type->rank * sizeof (gint64));
  export->value = g_steal_pointer (&value);

  return versioned ? export_versioned (export) : export_old (export);
}
