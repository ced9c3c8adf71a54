/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Trees of Python containers. A container of a user-defined class is stored under its registered name with data that
 * only the program understands. For named tuples and ordered dictionaries, that data is known to be a JSON array of
 * the names (JAX: jax/_src/export/_export.py).
 */

#include "import/exported/tree.h"

#include <string.h>

#include "base/sizes.h"

/* Fields of PyTreeDef (serialization.fbs). */
enum { TREE_KIND, TREE_CHILDREN, TREE_NAMES, TREE_CLASS, TREE_DATA };

typedef enum
{
  KIND_LEAF,
  KIND_NONE,
  KIND_TUPLE,
  KIND_LIST,
  KIND_DICTIONARY,
  KIND_CUSTOM,
  N_KINDS
} Kind;

typedef struct
{
  GhloFlatbuffer *file;
  GPtrArray      *paths;
  GString        *path;     /* path of the current node */
  GString        *text;
  guint           hidden;   /* number of outermost levels whose keys are left out of the paths */
} Walk;

typedef struct
{
  gsize          at;
  Kind           kind;
  GhloFlatVector children;
  GhloFlatVector names;        /* of a dictionary */
  const char    *class_name;
  gsize          class_length;
  GPtrArray     *members;      /* names of a custom node's children, or NULL */
} Node;

/* Appends a string as Python's repr () spells it. */
static void
append_quoted (GString    *string,
               const char *text,
               gsize       length)
{
  char quote = memchr (text, '\'', length) != NULL && memchr (text, '"', length) == NULL ? '"' : '\'';

  g_string_append_c (string, quote);
  for (const char *at = text; at < text + length; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      const char *escape = c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\t' ? "\\t" : c == '\\' ? "\\\\" : NULL;

      if (escape != NULL)
        g_string_append (string, escape);
      else if (c == (gunichar) quote)
        g_string_append_printf (string, "\\%c", quote);
      else if (c == ' ' || (g_unichar_isprint (c) && !g_unichar_isspace (c)))
        g_string_append_unichar (string, c);
      else if (c < 0x100)
        g_string_append_printf (string, "\\x%02x", c);
      else
        g_string_append_printf (string, c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    }
  g_string_append_c (string, quote);
}

static gboolean
read_hex (const char *at,
          const char *end,
          gunichar   *value)
{
  *value = 0;
  for (guint i = 0; i < 4; i++)
    {
      if (at + i >= end || !g_ascii_isxdigit (at[i]))
        return FALSE;
      *value = *value << 4 | (gunichar) g_ascii_xdigit_value (at[i]);
    }

  return TRUE;
}

/* Reads the character after a backslash in JSON; surrogates come in pairs. */
static gboolean
read_escape (const char **at,
             const char  *end,
             GString     *string)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *found = *at < end && **at != '\0' ? strchr (from, **at) : NULL;
  gunichar c, low;

  if (found != NULL)
    {
      g_string_append_c (string, to[found - from]);
      *at += 1;
      return TRUE;
    }
  if (*at >= end || **at != 'u' || !read_hex (*at + 1, end, &c))
    return FALSE;
  *at += 5;
  if (c >= 0xd800 && c < 0xdc00)
    {
      if (end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u' || !read_hex (*at + 2, end, &low)
          || low < 0xdc00 || low > 0xdfff)
        return FALSE;
      c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
      *at += 6;
    }
  if (!g_unichar_validate (c) || c == 0)
    return FALSE;
  g_string_append_unichar (string, c);

  return TRUE;
}

static gboolean
read_word (const char **at,
           const char  *end,
           GPtrArray   *words)
{
  g_autoptr (GString) string = g_string_new (NULL);

  if (*at >= end || *(*at)++ != '"')
    return FALSE;
  while (*at < end && **at != '"')
    {
      const char *start = (*at)++;

      if (*start != '\\')
        g_string_append_c (string, *start);
      else if (!read_escape (at, end, string))
        return FALSE;
    }
  if (*at >= end || !g_utf8_validate (string->str, string->len, NULL))
    return FALSE;
  *at += 1;
  g_ptr_array_add (words, g_string_free (g_steal_pointer (&string), FALSE));

  return TRUE;
}

/* Returns the strings of a JSON array of @n strings; NULL if @text is anything else. */
static GPtrArray *
parse_words (const char *text,
             gsize       length,
             gsize       n)
{
  const char *at = text, *end = text + length;
  g_autoptr (GPtrArray) words = NULL;

  if (length < 2 || *at++ != '[' || end[-1] != ']')
    return NULL;
  end--;
  words = g_ptr_array_new_with_free_func (g_free);
  for (gsize i = 0; i < n; i++)
    {
      if (i > 0 && (at >= end || *at++ != ','))
        return NULL;
      while (at < end && *at == ' ')
        at++;
      if (!read_word (&at, end, words))
        return NULL;
    }

  return at == end ? g_steal_pointer (&words) : NULL;
}

static gboolean
read_members (Walk                *walk,
              const GhloFlatTable *table,
              Node                *node)
{
  GhloFlatVector data;

  if (!ghlo_flat_string (walk->file, table, TREE_CLASS, &node->class_name, &node->class_length)
      || !ghlo_flat_vector (walk->file, table, TREE_DATA, 1, &data)
      || !ghlo_flatbuffer_charge (walk->file, data.at, data.n))
    return FALSE;
  if (node->class_name == NULL)
    return ghlo_flatbuffer_fail (walk->file, table->at, "expected the name of a custom node's class, found none");
  node->members = parse_words ((const char *) walk->file->data + data.at, data.n, node->children.n);

  return TRUE;
}

static gboolean
read_node (Walk                *walk,
           const GhloFlatTable *table,
           Node                *node)
{
  guint64 kind;

  *node = (Node) { .at = table->at };
  if (!ghlo_flat_scalar (walk->file, table, TREE_KIND, 1, KIND_LEAF, &kind)
      || !ghlo_flat_vector (walk->file, table, TREE_CHILDREN, 4, &node->children)
      || !ghlo_flat_vector (walk->file, table, TREE_NAMES, 4, &node->names))
    return FALSE;
  node->kind = kind;
  if (kind >= N_KINDS)
    return ghlo_flatbuffer_fail (walk->file, table->at, "expected a kind of tree node below %d, found %"
                                 G_GUINT64_FORMAT, N_KINDS, kind);
  if (kind <= KIND_NONE && node->children.n > 0)
    return ghlo_flatbuffer_fail (walk->file, node->children.at, "expected a leaf, found a node with %" G_GSIZE_FORMAT
                                 " children", node->children.n);
  if (kind == KIND_DICTIONARY && node->names.n != node->children.n)
    return ghlo_flatbuffer_fail (walk->file, table->at, "expected %" G_GSIZE_FORMAT " names of a dictionary, found %"
                                 G_GSIZE_FORMAT, node->children.n, node->names.n);

  return kind != KIND_CUSTOM || read_members (walk, table, node);
}

/* Appends the key of child @index to the path and, for dictionaries, to the text. */
static gboolean
append_key (Walk       *walk,
            const Node *node,
            gsize       index)
{
  gboolean ordered = node->class_length == strlen ("collections.OrderedDict")
                     && memcmp (node->class_name, "collections.OrderedDict", node->class_length) == 0;
  gsize start = walk->path->len, length;
  const char *name;

  if (node->kind == KIND_DICTIONARY)
    {
      if (!ghlo_flat_string_at (walk->file, &node->names, index, &name, &length))
        return FALSE;
      g_string_append_c (walk->path, '[');
      append_quoted (walk->path, name, length);
      g_string_append_len (walk->text, walk->path->str + start + 1, walk->path->len - start - 1);
      g_string_append (walk->text, ": ");
      g_string_append_c (walk->path, ']');
    }
  else if (node->kind != KIND_CUSTOM)
    g_string_append_printf (walk->path, "[%" G_GSIZE_FORMAT "]", index);
  else if (node->members == NULL)
    g_string_append_printf (walk->path, "[<flat index %" G_GSIZE_FORMAT ">]", index);
  else if (!ordered)
    g_string_append_printf (walk->path, ".%s", (char *) g_ptr_array_index (node->members, index));
  else
    {
      name = g_ptr_array_index (node->members, index);
      g_string_append_c (walk->path, '[');
      append_quoted (walk->path, name, strlen (name));
      g_string_append_c (walk->path, ']');
    }

  return TRUE;
}

static gboolean walk_tree (Walk *walk, const GhloFlatTable *table, guint depth);

static gboolean
walk_children (Walk       *walk,
               const Node *node,
               guint       depth)
{
  for (gsize i = 0; i < node->children.n; i++)
    {
      gsize length = walk->path->len, written = walk->text->len;
      GhloFlatTable child;

      if (i > 0)
        g_string_append (walk->text, ", ");
      if (!ghlo_flat_table_at (walk->file, &node->children, i, &child) || !append_key (walk, node, i))
        return FALSE;
      if (depth < walk->hidden)
        g_string_truncate (walk->path, length);
      if (!ghlo_flatbuffer_charge (walk->file, child.at, walk->path->len + walk->text->len - written)
          || !walk_tree (walk, &child, depth + 1))
        return FALSE;
      g_string_truncate (walk->path, length);
    }

  return TRUE;
}

static gboolean
walk_tree (Walk                *walk,
           const GhloFlatTable *table,
           guint                depth)
{
  static const char *const open[N_KINDS] = { "*", "None", "(", "[", "{", "" };
  static const char *const close[N_KINDS] = { "", "", ")", "]", "}", "])" };
  Node node;
  gboolean good;

  if (depth > GHLO_MAX_NESTING)
    return ghlo_flatbuffer_fail (walk->file, table->at, "expected a tree of at most %d levels, found more",
                                 GHLO_MAX_NESTING);
  if (!read_node (walk, table, &node))
    return FALSE;
  g_string_append (walk->text, open[node.kind]);
  if (node.kind == KIND_CUSTOM)
    g_string_append_printf (walk->text, "CustomNode(%.*s, [", (int) MIN (node.class_length, G_MAXINT), node.class_name);
  if (node.kind == KIND_LEAF)
    g_ptr_array_add (walk->paths, g_strndup (walk->path->str, walk->path->len));
  good = walk_children (walk, &node, depth);
  if (node.kind == KIND_TUPLE && node.children.n == 1)
    g_string_append_c (walk->text, ',');
  g_string_append (walk->text, close[node.kind]);
  g_clear_pointer (&node.members, g_ptr_array_unref);

  return good;
}

/* Whether the tree has the form ((positional…), {named}). */
static gboolean
is_call (GhloFlatbuffer      *file,
         const GhloFlatTable *tree)
{
  static const guint64 kinds[] = { KIND_TUPLE, KIND_DICTIONARY };
  GhloFlatbuffer quiet = *file;
  GhloFlatVector children;
  GhloFlatTable child;
  guint64 kind;

  quiet.diagnostics = NULL;
  if (!ghlo_flat_scalar (&quiet, tree, TREE_KIND, 1, KIND_LEAF, &kind) || kind != KIND_TUPLE
      || !ghlo_flat_vector (&quiet, tree, TREE_CHILDREN, 4, &children) || children.n != G_N_ELEMENTS (kinds))
    return FALSE;
  for (gsize i = 0; i < children.n; i++)
    if (!ghlo_flat_table_at (&quiet, &children, i, &child)
        || !ghlo_flat_scalar (&quiet, &child, TREE_KIND, 1, KIND_LEAF, &kind) || kind != kinds[i])
      return FALSE;

  return TRUE;
}

gboolean
ghlo_exported_read_tree (GhloFlatbuffer      *file,
                         const GhloFlatTable *tree,
                         gboolean             arguments,
                         GPtrArray           *paths,
                         GString             *text)
{
  g_autoptr (GString) path = g_string_new (NULL);
  Walk walk = {
    .file = file,
    .paths = paths,
    .path = path,
    .text = text,
    .hidden = arguments && is_call (file, tree) ? 1 : 0,
  };

  return walk_tree (&walk, tree, 0);
}
