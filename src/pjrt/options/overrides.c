/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Further compile options that a caller sets by the names of XLA's DebugOptions (xla/xla.proto); in JAX,
 * compiler_options. Options with a counterpart in the library are applied; all other options whose names begin with
 * xla_ belong to another compiler and are ignored.
 *
 * An override is a name and a value, which may have the option's type or be text. Errors use XLA's wording, which
 * callers look for.
 */

#include "pjrt/compile-options.h"

#include <string.h>

#include "base/ghlo-error.h"

typedef enum
{
  BOOLEAN,
  INTEGER,
} Kind;

/* For options whose value is only checked. */
#define NOWHERE G_MAXSIZE

typedef struct
{
  const char *name;
  Kind        kind;
  gsize       place;    /* the offset of a gint64 in GhloPjrtCompileOptions */
  gint64      most;     /* of an INTEGER; values are clamped to 0 … most */
} Option;

static const Option known[] = {
  { "xla_allow_excess_precision", BOOLEAN, G_STRUCT_OFFSET (GhloPjrtCompileOptions, excess_precision) },
  { "xla_backend_optimization_level", INTEGER, G_STRUCT_OFFSET (GhloPjrtCompileOptions, optimization_level),
    GHLO_OPTIMIZATION_LEVEL_O3 },
  { "xla_embed_ir_in_executable", BOOLEAN, NOWHERE },
};

/* The field numbers of an OptionOverrideProto. */
enum { NONE, TEXT, TRUTH, NUMBER, REAL };

typedef struct
{
  guint64  field;       /* NONE when there is no value */
  gint64   number;      /* of TRUTH and NUMBER */
  char    *text;        /* of TEXT; owned */
} Value;

static char *
take_text (const GhloPjrtField *field)
{
  return g_utf8_make_valid ((const char *) field->bytes.next, field->bytes.end - field->bytes.next);
}

static gboolean
read_value (GhloPjrtCursor  message,
            Value          *value)
{
  GhloPjrtField field;

  while (message.next < message.end)
    {
      if (!ghlo_pjrt_read_field (&message, &field))
        return FALSE;
      if (field.number < TEXT || field.number > REAL)
        continue;
      value->field = field.number;
      value->number = field.wire == GHLO_PJRT_WIRE_VARINT ? (gint64) field.value : 0;
      g_clear_pointer (&value->text, g_free);
      if (field.number == TEXT && field.wire == GHLO_PJRT_WIRE_BYTES)
        value->text = take_text (&field);
    }

  return TRUE;
}

static gboolean
parse_boolean (const char *text,
               gint64     *number)
{
  *number = g_ascii_strcasecmp (text, "true") == 0;

  return *number != 0 || g_ascii_strcasecmp (text, "false") == 0;
}

static gboolean
convert (const Option *option,
         const Value  *value,
         gint64       *number)
{
  *number = value->number;
  if (value->text != NULL)
    return option->kind == BOOLEAN ? parse_boolean (value->text, number)
                                   : g_ascii_string_to_signed (value->text, 10, G_MININT32, G_MAXINT32, number, NULL);

  return value->field == (option->kind == BOOLEAN ? TRUTH : NUMBER);
}

static char *
describe (const Value *value)
{
  if (value->text != NULL)
    return g_strdup (value->text);

  return value->field == TRUTH ? g_strdup (value->number != 0 ? "true" : "false")
         : value->field == NUMBER ? g_strdup_printf ("%" G_GINT64_FORMAT, value->number)
         : g_strdup (value->field == REAL ? "a real number" : "nothing");
}

static gboolean
set (GhloPjrtCompileOptions  *options,
     const Option            *option,
     const Value             *value,
     GError                 **error)
{
  gint64 number;

  if (!convert (option, value, &number))
    {
      g_autofree char *found = describe (value);

      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "While setting option %s, '%s' is not a valid %s value.", option->name, found,
                   option->kind == BOOLEAN ? "bool" : "int32");
      return FALSE;
    }
  if (option->place != NOWHERE)
    *(gint64 *) G_STRUCT_MEMBER_P (options, option->place)
      = option->kind == BOOLEAN ? number != 0 : CLAMP (number, 0, option->most);

  return TRUE;
}

static gboolean
apply (GhloPjrtCompileOptions  *options,
       const char              *name,
       const Value             *value,
       GError                 **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i].name, name) == 0)
      return set (options, &known[i], value, error);
  if (g_str_has_prefix (name, "xla_"))
    return TRUE;
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "No such compile option: '%s'", name);

  return FALSE;
}

gboolean
ghlo_pjrt_override_read (GhloPjrtCompileOptions  *options,
                         GhloPjrtCursor           entry,
                         GError                 **error)
{
  g_autofree char *name = NULL;
  Value value = { NONE };
  gboolean is_read = TRUE;
  GhloPjrtField field;

  while (is_read && entry.next < entry.end)
    {
      is_read = ghlo_pjrt_read_field (&entry, &field);
      if (!is_read || field.wire != GHLO_PJRT_WIRE_BYTES)
        continue;
      if (field.number == 1)
        {
          g_free (name);
          name = take_text (&field);
        }
      else if (field.number == 2)
        is_read = read_value (field.bytes, &value);
    }
  is_read = is_read && apply (options, name != NULL ? name : "", &value, error);
  g_free (value.text);

  return is_read;
}
