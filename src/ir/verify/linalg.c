/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies matrix decompositions and solvers, Fourier transforms, Einstein sums and torch_index_select.
 */

#include "ir/verify/common.h"

#include <string.h>

gboolean
ghlo_ir_verify_cholesky (GhloIrVerifier *verifier,
                         const GhloIrOp *op)
{
  const GhloIrType *a = ghlo_ir_operand_type (op, 0);

  if (a->rank < 2)
    return ghlo_ir_verify_fail (verifier, op, "expected 'a' of at least rank 2, found rank %u", a->rank);
  if (!ghlo_ir_dims_compatible (a->dimensions[a->rank - 2], a->dimensions[a->rank - 1]))
    return ghlo_ir_verify_fail (verifier, op, "expected square matrices in 'a', found %" G_GINT64_FORMAT " by %"
                                G_GINT64_FORMAT, a->dimensions[a->rank - 2], a->dimensions[a->rank - 1]);

  return ghlo_ir_verify_inferred_type (verifier, op, 0, a);
}

gboolean
ghlo_ir_verify_triangular_solve (GhloIrVerifier *verifier,
                                 const GhloIrOp *op)
{
  const GhloIrType *a = ghlo_ir_operand_type (op, 0);
  const GhloIrType *b = ghlo_ir_operand_type (op, 1);
  gboolean left_side = ghlo_ir_op_get_int (op, "left_side", 0) != 0;
  gint64 columns, shared;

  if (a->rank < 2)
    return ghlo_ir_verify_fail (verifier, op, "expected 'a' of at least rank 2, found rank %u", a->rank);
  columns = a->dimensions[a->rank - 1];
  if (!ghlo_ir_dims_compatible (a->dimensions[a->rank - 2], columns))
    return ghlo_ir_verify_fail (verifier, op, "expected square matrices in 'a', found %" G_GINT64_FORMAT " by %"
                                G_GINT64_FORMAT, a->dimensions[a->rank - 2], columns);
  if (a->rank != b->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected 'b' of the rank of 'a', %u, found rank %u", a->rank, b->rank);
  shared = b->dimensions[b->rank - (left_side ? 2 : 1)];
  if (!ghlo_ir_dims_compatible (columns, shared))
    return ghlo_ir_verify_fail (verifier, op, "expected size %" G_GINT64_FORMAT " in 'b' of the dimension it shares"
                                " with 'a', found %" G_GINT64_FORMAT, columns, shared);
  if (!ghlo_ir_extents_compatible (a->dimensions, a->rank - 2, b->dimensions, b->rank - 2))
    return ghlo_ir_verify_fail_type (verifier, op, "'b' with the batch dimensions of", a, b);
  if (g_strcmp0 (ghlo_ir_enum_word (ghlo_ir_op_get (op, "transpose_a")), "TRANSPOSE_INVALID") == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected NO_TRANSPOSE, TRANSPOSE or ADJOINT in transpose_a,"
                                " found TRANSPOSE_INVALID");

  return ghlo_ir_verify_inferred_type (verifier, op, 0, b);
}

/* Returns the element type of the result of a transform of @kind, or INVALID after an error. */
static GhloElementType
fft_element (GhloIrVerifier *verifier,
             const GhloIrOp *op,
             const char     *kind)
{
  GhloElementType element = ghlo_ir_operand_type (op, 0)->element_type;

  if (g_strcmp0 (kind, "RFFT") == 0)
    {
      if (element == GHLO_ELEMENT_TYPE_F32)
        return GHLO_ELEMENT_TYPE_COMPLEX_F32;
      if (element == GHLO_ELEMENT_TYPE_F64)
        return GHLO_ELEMENT_TYPE_COMPLEX_F64;
      ghlo_ir_verify_fail (verifier, op, "expected f32 or f64 elements for RFFT, found %s",
                           ghlo_element_info (element)->name);
      return GHLO_ELEMENT_TYPE_INVALID;
    }
  if (!ghlo_element_type_is_complex (element))
    {
      ghlo_ir_verify_fail (verifier, op, "expected complex elements for %s, found %s", kind,
                           ghlo_element_info (element)->name);
      return GHLO_ELEMENT_TYPE_INVALID;
    }

  return g_strcmp0 (kind, "IRFFT") == 0 ? ghlo_element_type_real_part (element) : element;
}

/* Checks that the first @n_checked transformed dimensions have the sizes in fft_length. */
static gboolean
fft_lengths_fit (GhloIrVerifier *verifier,
                 const GhloIrOp *op,
                 const gint64   *lengths,
                 guint           n,
                 guint           n_checked)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  guint first = operand->rank - n;

  for (guint i = 0; i < n_checked; i++)
    if (!ghlo_ir_dims_compatible (operand->dimensions[first + i], lengths[i]))
      return ghlo_ir_verify_fail (verifier, op, "expected size %" G_GINT64_FORMAT " of operand dimension %u, as"
                                  " fft_length says, found %" G_GINT64_FORMAT,
                                  lengths[i], first + i, operand->dimensions[first + i]);

  return TRUE;
}

gboolean
ghlo_ir_verify_fft (GhloIrVerifier *verifier,
                    const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const char *kind = ghlo_ir_enum_word (ghlo_ir_op_get (op, "fft_type"));
  gboolean forward = g_strcmp0 (kind, "RFFT") == 0;
  gboolean inverse = g_strcmp0 (kind, "IRFFT") == 0;
  GhloElementType element;
  GhloIrShape shape;
  const gint64 *lengths;
  gint64 half;
  gsize n;

  lengths = ghlo_ir_op_get_ints (op, "fft_length", &n);
  if (n < 1 || n > 3)
    return ghlo_ir_verify_fail (verifier, op, "expected 1 to 3 elements in fft_length, found %" G_GSIZE_FORMAT, n);
  for (gsize i = 0; i < n; i++)
    if (lengths[i] < 0)
      return ghlo_ir_verify_fail (verifier, op, "expected lengths of at least 0 in fft_length, found %" G_GINT64_FORMAT,
                                  lengths[i]);
  element = fft_element (verifier, op, kind);
  if (element == GHLO_ELEMENT_TYPE_INVALID)
    return FALSE;
  if (operand->rank < n)
    return ghlo_ir_verify_fail (verifier, op, "expected an operand of at least rank %" G_GSIZE_FORMAT
                                ", the size of fft_length, found rank %u", n, operand->rank);

  ghlo_ir_shape_from_type (&shape, operand);
  half = lengths[n - 1] / 2 + 1;
  if (forward || inverse)
    {
      gint64 last = operand->dimensions[operand->rank - 1];

      if (!fft_lengths_fit (verifier, op, lengths, (guint) n, (guint) n - inverse))
        return FALSE;
      if (inverse && !ghlo_ir_dims_compatible (last, half) && (last != 0 || lengths[n - 1] != 0))
        return ghlo_ir_verify_fail (verifier, op,
                                    "expected size %" G_GINT64_FORMAT " of the innermost dimension, half of"
                                    " fft_length and one, found %" G_GINT64_FORMAT, half, last);
      if (inverse || lengths[n - 1] != 0)
        {
          shape.dimensions[shape.rank - 1] = inverse ? lengths[n - 1] : half;
          shape.bounds[shape.rank - 1] = -1;
        }
    }

  return ghlo_ir_verify_inferred_element (verifier, op, 0, &shape, element);
}

/* The sizes of the labels of an Einstein sum; -2 for an unused letter. */
typedef struct
{
  gint64 sizes[128];
} Labels;

/* Checks a term such as "abc" against a type: one letter for each dimension, equal sizes for equal letters, and in a
 * result only letters that operands have. Terms with an ellipsis are not checked. */
static gboolean
einsum_term (GhloIrVerifier   *verifier,
             const GhloIrOp   *op,
             Labels           *labels,
             const char       *term,
             gsize             length,
             const GhloIrType *type,
             gboolean          is_result)
{
  guint dimension = 0;

  for (gsize i = 0; i < length; i++)
    {
      guchar letter = (guchar) term[i];

      if (letter == ' ')
        continue;
      if (!g_ascii_isalpha (letter))
        return ghlo_ir_verify_fail (verifier, op, "expected letters in einsum_config, found '%c'",
                                    g_ascii_isprint (letter) ? letter : '?');
      if (is_result && labels->sizes[letter] == -2)
        return ghlo_ir_verify_fail (verifier, op, "expected letters of operands in the result of einsum_config,"
                                    " found '%c'", letter);
      if (dimension < type->rank)
        {
          gint64 size = type->dimensions[dimension];

          if (labels->sizes[letter] < 0)
            labels->sizes[letter] = size;
          else if (!ghlo_ir_dims_compatible (labels->sizes[letter], size))
            return ghlo_ir_verify_fail (verifier, op, "expected size %" G_GINT64_FORMAT " for '%c' of einsum_config,"
                                        " found %" G_GINT64_FORMAT, labels->sizes[letter], letter, size);
        }
      dimension++;
    }
  if (dimension != type->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected %u letters for %s of rank %u in einsum_config, found %u",
                                type->rank, is_result ? "a result" : "an operand", type->rank, dimension);

  return TRUE;
}

static guint
count_terms (const char *term,
             const char *end)
{
  guint n = 1;

  while (term < end)
    n += *term++ == ',';

  return n;
}

gboolean
ghlo_ir_verify_einsum (GhloIrVerifier *verifier,
                       const GhloIrOp *op)
{
  const char *term = ghlo_ir_op_get_string (op, "einsum_config");
  const char *arrow = strstr (term, "->");
  Labels labels;

  if (strstr (term, "...") != NULL)
    return TRUE;
  if (arrow == NULL)
    return ghlo_ir_verify_fail (verifier, op, "expected '->' before the result's letters in einsum_config, found none");

  for (guint i = 0; i < G_N_ELEMENTS (labels.sizes); i++)
    labels.sizes[i] = -2;
  for (guint i = 0; i < op->n_operands; i++)
    {
      gsize length = strcspn (term, ",-");

      if (term[length] == '-' && term + length != arrow)
        return ghlo_ir_verify_fail (verifier, op, "expected letters in einsum_config, found '-'");
      if ((term[length] == ',') != (i + 1 < op->n_operands))
        return ghlo_ir_verify_fail (verifier, op, "expected %u terms before '->' in einsum_config, found %u",
                                    op->n_operands, count_terms (term, arrow) + i);
      if (!einsum_term (verifier, op, &labels, term, length, ghlo_ir_operand_type (op, i), FALSE))
        return FALSE;
      term += length + 1;
    }

  return einsum_term (verifier, op, &labels, arrow + 2, strlen (arrow + 2), ghlo_ir_result_type (op, 0), TRUE);
}

/* The operand's shape with dimension @dim replaced by the dimensions of the index that are not batch dimensions. */
static void
selected_shape (GhloIrShape      *shape,
                const GhloIrType *operand,
                const GhloIrType *index,
                guint             dim,
                guint             batch_dims)
{
  guint n_index = index->rank - batch_dims;

  ghlo_ir_shape_init (shape, operand->rank - 1 + n_index);
  for (guint i = 0; i < shape->rank; i++)
    {
      gboolean from_index = i >= dim && i < dim + n_index;
      const GhloIrType *type = from_index ? index : operand;
      guint d = from_index ? i - dim + batch_dims : i < dim ? i : i - n_index + 1;

      shape->dimensions[i] = type->dimensions[d];
      shape->bounds[i] = ghlo_ir_type_bound (type, d);
    }
}

/* Operand and index share the batch dimensions; the other dimensions of the index replace the selected one. */
gboolean
ghlo_ir_verify_torch_index_select (GhloIrVerifier *verifier,
                                   const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *index = ghlo_ir_operand_type (op, 1);
  gint64 dim = ghlo_ir_op_get_int (op, "dim", 0);
  gint64 batch_dims = ghlo_ir_op_get_int (op, "batch_dims", 0);
  GhloIrShape shape;

  if (dim < -(gint64) operand->rank || dim >= operand->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected dim in [-%u, %u), found %" G_GINT64_FORMAT,
                                operand->rank, operand->rank, dim);
  if (batch_dims > index->rank || batch_dims < -(gint64) index->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected batch_dims in [-%u, %u], found %" G_GINT64_FORMAT,
                                index->rank, index->rank, batch_dims);
  dim += dim < 0 ? operand->rank : 0;
  batch_dims += batch_dims < 0 ? index->rank : 0;
  if (batch_dims > dim)
    return ghlo_ir_verify_fail (verifier, op, "expected at most %" G_GINT64_FORMAT " batch_dims, as many dimensions as"
                                " stand before dim, found %" G_GINT64_FORMAT, dim, batch_dims);
  if (!ghlo_ir_extents_compatible (operand->dimensions, batch_dims, index->dimensions, batch_dims))
    return ghlo_ir_verify_fail_type (verifier, op, "an index with the batch dimensions of", operand, index);
  if (operand->rank + index->rank > GHLO_MAX_RANK)
    return ghlo_ir_verify_fail (verifier, op, "expected operands of at most rank %d together, found %u",
                                GHLO_MAX_RANK, operand->rank + index->rank);
  selected_shape (&shape, operand, index, (guint) dim, (guint) batch_dims);

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, operand);
}
