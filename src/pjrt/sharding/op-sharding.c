/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads xla.OpSharding. A tensor is divided into a grid of tiles. The dimensions of the grid are those of the tensor,
 * followed by those along which devices hold copies or addends. The device of each tile is given by a list, or by the
 * numbers from 0 on in a grid of another shape whose dimensions are then permuted.
 */

#include "pjrt/sharding/op-sharding.h"

#include "base/fail.h"

/* Field numbers, and the values of the type and of the kinds of the last dimensions. */
enum
{
  TYPE = 1, TILES = 3, DEVICES = 4, ELEMENTS = 5, COPIES_LAST = 6, LAST_TILES = 8, GRID = 9, ORDER = 10,
};
enum { REPLICATED = 0, TUPLE = 2, TILED = 3, UNREDUCED = 6 };

/* The limit on the length of a list, which no valid list reaches. */
enum { MAX_NUMBERS = 1 << 10 };

typedef struct
{
  guint64  type;
  gboolean copies_last;
  GArray  *tiles, *devices, *last, *grid, *order;       /* owned; of guint64 */
} Message;

static void
message_clear (Message *self)
{
  g_array_unref (self->tiles);
  g_array_unref (self->devices);
  g_array_unref (self->last);
  g_array_unref (self->grid);
  g_array_unref (self->order);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Message, message_clear)

static guint64
number (const GArray *list,
        guint         index)
{
  return g_array_index (list, guint64, index);
}

/* Appends a number or a packed list of numbers. */
static gboolean
append_numbers (GArray        *list,
                GhloPjrtField *field)
{
  if (field->wire == GHLO_PJRT_WIRE_VARINT)
    g_array_append_val (list, field->value);
  else if (field->wire != GHLO_PJRT_WIRE_BYTES)
    return FALSE;
  while (field->wire == GHLO_PJRT_WIRE_BYTES && field->bytes.next < field->bytes.end && list->len <= MAX_NUMBERS)
    {
      guint64 value;

      if (!ghlo_pjrt_read_varint (&field->bytes, &value))
        return FALSE;
      g_array_append_val (list, value);
    }

  return list->len <= MAX_NUMBERS;
}

static gboolean
take_field (Message       *self,
            GhloPjrtField *field)
{
  switch (field->number)
    {
    case TYPE:
      self->type = field->value;
      return field->wire == GHLO_PJRT_WIRE_VARINT;
    case COPIES_LAST:
      self->copies_last = field->value != 0;
      return field->wire == GHLO_PJRT_WIRE_VARINT;
    case TILES:
      return append_numbers (self->tiles, field);
    case DEVICES:
      return append_numbers (self->devices, field);
    case LAST_TILES:
      return append_numbers (self->last, field);
    case GRID:
      return append_numbers (self->grid, field);
    case ORDER:
      return append_numbers (self->order, field);
    default:
      return TRUE;
    }
}

/* Clear @self also on failure. */
static gboolean
message_read (Message         *self,
              GhloPjrtCursor   bytes,
              GError         **error)
{
  GArray **const lists[] = { &self->tiles, &self->devices, &self->last, &self->grid, &self->order };
  GhloPjrtField field;

  *self = (Message) { 0 };
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    *lists[i] = g_array_new (FALSE, FALSE, sizeof (guint64));
  while (bytes.next < bytes.end)
    if (!ghlo_pjrt_read_field (&bytes, &field) || !take_field (self, &field))
      return ghlo_invalid (error, "expected an xla.OpSharding, found other bytes");

  return TRUE;
}

/* Whether the product of @list is @expected. */
static gboolean
is_product (const GArray *list,
            guint64       expected)
{
  guint64 product = 1;

  for (guint i = 0; i < list->len; i++)
    {
      if (number (list, i) == 0 || number (list, i) > expected)
        return FALSE;
      product *= number (list, i);
      if (product > expected)
        return FALSE;
    }

  return product == expected;
}

/* Lists the devices that @self specifies by a grid and a permutation. */
static gboolean
list_devices (Message  *self,
              guint     n_partitions,
              GError  **error)
{
  const guint rank = self->grid->len;
  g_autofree guint64 *strides = g_new0 (guint64, MAX (rank, 1));
  guint64 stride = 1, seen = 0;

  if (!is_product (self->grid, n_partitions) || rank > 64 || (self->order->len > 0 && self->order->len != rank))
    return ghlo_invalid (error, "expected a grid of %u devices in an xla.OpSharding", n_partitions);
  for (guint i = rank; i-- > 0; stride *= number (self->grid, i))
    strides[i] = stride;
  for (guint i = 0; i < self->order->len; i++)
    seen |= number (self->order, i) < rank ? G_GUINT64_CONSTANT (1) << number (self->order, i) : 0;
  if (self->order->len > 0 && seen != (rank == 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << rank) - 1))
    return ghlo_invalid (error, "expected each dimension once in the order of an xla.OpSharding's grid");
  for (guint64 i = 0; i < n_partitions; i++)
    {
      guint64 device = 0, rest = i;

      for (guint j = rank; j-- > 0;)
        {
          const guint from = self->order->len > 0 ? (guint) number (self->order, j) : j;

          device += rest % number (self->grid, from) * strides[from];
          rest /= number (self->grid, from);
        }
      g_array_append_val (self->devices, device);
    }

  return TRUE;
}

/* Checks that each tile has one device, and each device one tile. */
static gboolean
check_devices (Message  *self,
               guint     n_partitions,
               GError  **error)
{
  g_autofree gboolean *seen = g_new0 (gboolean, n_partitions);

  if (self->devices->len == 0 && !list_devices (self, n_partitions, error))
    return FALSE;
  if (self->devices->len != n_partitions || !is_product (self->tiles, n_partitions))
    return ghlo_unsupported (error, "expected a sharding over the program's %u partitions, found one over %u devices",
                             n_partitions, self->devices->len);
  for (guint i = 0; i < n_partitions; i++)
    {
      const guint64 device = number (self->devices, i);

      if (device >= n_partitions || seen[device])
        return ghlo_invalid (error, "expected each of the %u partitions once in a sharding, found %" G_GUINT64_FORMAT,
                             n_partitions, device);
      seen[device] = TRUE;
    }

  return TRUE;
}

/* Checks the kinds of the last dimensions of the grid, after the tensor's. */
static gboolean
check_last (Message           *self,
            GhloPjrtSharding  *sharding,
            GError           **error)
{
  const guint64 copies = REPLICATED;

  if (self->last->len == 0 && self->copies_last)
    g_array_append_val (self->last, copies);
  if (self->tiles->len != sharding->rank + self->last->len)
    return ghlo_invalid (error, "expected tiles of %u dimensions in a sharding, found %u", sharding->rank,
                         self->tiles->len - MIN (self->last->len, self->tiles->len));
  for (guint i = 0; i < self->last->len; i++)
    {
      if (number (self->last, i) == UNREDUCED && !ghlo_pjrt_sharding_check_sum (sharding, error))
        return FALSE;
      if (number (self->last, i) != UNREDUCED && number (self->last, i) != REPLICATED)
        return ghlo_unsupported (error, "expected subgroups of type REPLICATED or UNREDUCED in a sharding, found type %"
                                 G_GUINT64_FORMAT, number (self->last, i));
    }

  return TRUE;
}

/* Sets the parts that device number @place of the list holds. */
static void
set_parts (const Message    *self,
           GhloPjrtSharding *sharding,
           guint             place)
{
  const guint partition = (guint) number (self->devices, place);
  guint rest = place, factor = 1;

  for (guint i = self->tiles->len; i-- > 0;)
    {
      const guint size = (guint) number (self->tiles, i), index = rest % size;

      rest /= size;
      if (i < sharding->rank)
        sharding->parts[(gsize) partition * sharding->rank + i] = index;
      else if (number (self->last, i - sharding->rank) == UNREDUCED)
        {
          sharding->addends[partition] += index * factor;
          factor *= size;
        }
    }
}

static gboolean
set_tiles (const Message     *self,
           GhloPjrtSharding  *sharding,
           GError           **error)
{
  for (guint i = 0; i < sharding->rank; i++)
    {
      sharding->counts[i] = (gint64) number (self->tiles, i);
      if (sharding->whole->dimensions[i] % sharding->counts[i] != 0)
        return ghlo_unsupported (error, "expected a dimension that divides into %" G_GINT64_FORMAT " equal parts, "
                                 "found size %" G_GINT64_FORMAT, sharding->counts[i], sharding->whole->dimensions[i]);
    }
  for (guint i = 0; i < sharding->n_partitions; i++)
    set_parts (self, sharding, i);

  return TRUE;
}

GhloPjrtSharding *
ghlo_pjrt_op_sharding_read (GhloPjrtCursor   bytes,
                            GhloTensorType  *whole,
                            guint            n_partitions,
                            GError         **error)
{
  g_autoptr (GhloPjrtSharding) self = ghlo_pjrt_sharding_new_whole (whole, n_partitions);
  g_auto (Message) message = { 0 };

  if (!message_read (&message, bytes, error))
    return NULL;
  if (message.type == REPLICATED)
    return g_steal_pointer (&self);
  if (message.type != TILED)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "expected a sharding over all partitions, found one of type %" G_GUINT64_FORMAT, message.type);
      return NULL;
    }
  if (!check_last (&message, self, error) || !check_devices (&message, n_partitions, error)
      || !set_tiles (&message, self, error) || !ghlo_pjrt_sharding_settle (self, error))
    return NULL;
  g_bytes_unref (self->bytes);
  self->bytes = g_bytes_new (bytes.next, (gsize) (bytes.end - bytes.next));

  return g_steal_pointer (&self);
}

gboolean
ghlo_pjrt_op_sharding_elements (GhloPjrtCursor   message,
                                GhloPjrtCursor  *elements,
                                guint            n,
                                GError         **error)
{
  GhloPjrtField field;
  guint64 type = REPLICATED;
  guint found = 0;

  while (message.next < message.end)
    {
      if (!ghlo_pjrt_read_field (&message, &field))
        return ghlo_invalid (error, "expected an xla.OpSharding, found other bytes");
      if (field.number == TYPE && field.wire == GHLO_PJRT_WIRE_VARINT)
        type = field.value;
      if (field.number != ELEMENTS || field.wire != GHLO_PJRT_WIRE_BYTES)
        continue;
      if (found < n)
        elements[found] = field.bytes;
      found++;
    }
  if (type != TUPLE || found != n)
    return ghlo_invalid (error, "expected a sharding for each of %u results, found %u", n, found);

  return TRUE;
}

GBytes *
ghlo_pjrt_op_sharding_tuple (GBytes *const *elements,
                             guint          n)
{
  GByteArray *bytes = g_byte_array_new ();

  ghlo_pjrt_append_number (bytes, TYPE, TUPLE);
  for (guint i = 0; i < n; i++)
    ghlo_pjrt_append_bytes (bytes, ELEMENTS, elements[i]);

  return g_byte_array_free_to_bytes (bytes);
}
