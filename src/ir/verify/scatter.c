/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies scatter: dimension numbers, shapes of the updates,
 * and the region that combines updates with existing elements.
 */

#include "base/sizes.h"
#include "ir/verify/reduce.h"

typedef struct
{
  const gint64     *window, *inserted, *input_batch, *indices_batch, *index_map;
  gsize             n_window, n_inserted, n_input_batch, n_indices_batch, n_index_map;
  gint64            index_vector_dim;
  guint             n;               /* number of inputs, and of updates */
  guint64           skipped;         /* bit mask of the inputs' dimensions without a window dimension in the updates */
  const GhloIrType *indices;
} Scatter;

static void
read_scatter (const GhloIrOp *op,
              Scatter        *scatter)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "scatter_dimension_numbers");

  scatter->window = ghlo_ir_struct_get_dims (numbers, "update_window_dims", &scatter->n_window);
  scatter->inserted = ghlo_ir_struct_get_dims (numbers, "inserted_window_dims", &scatter->n_inserted);
  scatter->input_batch = ghlo_ir_struct_get_dims (numbers, "input_batching_dims", &scatter->n_input_batch);
  scatter->indices_batch = ghlo_ir_struct_get_dims (numbers, "scatter_indices_batching_dims",
                                                    &scatter->n_indices_batch);
  scatter->index_map = ghlo_ir_struct_get_dims (numbers, "scatter_dims_to_operand_dims", &scatter->n_index_map);
  scatter->index_vector_dim = ghlo_ir_struct_get_int (numbers, "index_vector_dim");
  scatter->n = (op->n_operands - 1) / 2;
  scatter->indices = ghlo_ir_operand_type (op, scatter->n);
  scatter->skipped = 0;
}

/* Checks that the batching dimensions of inputs and indices are paired and have compatible sizes. */
static gboolean
verify_batching (GhloIrVerifier *verifier,
                 const GhloIrOp *op,
                 const Scatter  *scatter)
{
  guint64 seen = 0;

  if (!ghlo_ir_verify_dim_set (verifier, op, "scatter_indices_batching_dims", scatter->indices_batch,
                               scatter->n_indices_batch, scatter->indices->rank, &seen))
    return FALSE;
  if (ghlo_dims_contain (scatter->indices_batch, scatter->n_indices_batch, scatter->index_vector_dim))
    return ghlo_ir_verify_fail (verifier, op,
                                "expected scatter_indices_batching_dims without index_vector_dim, found %"
                                G_GINT64_FORMAT, scatter->index_vector_dim);
  if (scatter->n_input_batch != scatter->n_indices_batch)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected as many scatter_indices_batching_dims as input_batching_dims, found %"
                                G_GSIZE_FORMAT " and %" G_GSIZE_FORMAT,
                                scatter->n_indices_batch, scatter->n_input_batch);

  for (guint i = 0; i < scatter->n; i++)
    for (gsize j = 0; j < scatter->n_input_batch; j++)
      {
        gint64 left = ghlo_ir_operand_type (op, i)->dimensions[scatter->input_batch[j]];
        gint64 right = scatter->indices->dimensions[scatter->indices_batch[j]];

        if (!ghlo_ir_dims_compatible (left, right))
          return ghlo_ir_verify_fail (verifier, op,
                                      "expected equal sizes of batching dimensions %" G_GINT64_FORMAT " of the input"
                                      " and %" G_GINT64_FORMAT " of scatter_indices, found %" G_GINT64_FORMAT
                                      " and %" G_GINT64_FORMAT,
                                      scatter->input_batch[j], scatter->indices_batch[j], left, right);
      }

  return TRUE;
}

static gboolean
verify_numbers (GhloIrVerifier *verifier,
                const GhloIrOp *op,
                Scatter        *scatter)
{
  guint rank = ghlo_ir_operand_type (op, 0)->rank;
  guint update_rank = ghlo_ir_operand_type (op, scatter->n + 1)->rank;
  gsize covered = scatter->n_window + scatter->n_inserted + scatter->n_input_batch;
  guint64 windows = 0, mapped;

  if (covered != rank)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected update_window_dims, inserted_window_dims and input_batching_dims for %u"
                                " dimensions of the inputs together, found %" G_GSIZE_FORMAT, rank, covered);
  if (!ghlo_ir_verify_index_vector (verifier, op, scatter->indices, "scatter_dims_to_operand_dims",
                                    scatter->n_index_map, scatter->index_vector_dim)
      || !ghlo_ir_verify_dims_sorted (verifier, op, "update_window_dims", scatter->window, scatter->n_window)
      || !ghlo_ir_verify_dims_sorted (verifier, op, "inserted_window_dims", scatter->inserted, scatter->n_inserted)
      || !ghlo_ir_verify_dims_sorted (verifier, op, "input_batching_dims", scatter->input_batch,
                                      scatter->n_input_batch)
      || !ghlo_ir_verify_dim_set (verifier, op, "update_window_dims", scatter->window, scatter->n_window,
                                  update_rank, &windows)
      || !ghlo_ir_verify_dim_set (verifier, op, "input_batching_dims", scatter->input_batch,
                                  scatter->n_input_batch, rank, &scatter->skipped))
    return FALSE;
  mapped = scatter->skipped;

  return ghlo_ir_verify_dim_set (verifier, op, "inserted_window_dims", scatter->inserted, scatter->n_inserted, rank,
                                 &scatter->skipped)
         && verify_batching (verifier, op, scatter)
         && ghlo_ir_verify_dim_set (verifier, op, "scatter_dims_to_operand_dims", scatter->index_map,
                                    scatter->n_index_map, rank, &mapped);
}

/* Checks that the window dimensions of an update fit into the input and that its other dimensions are those of the
 * indices without the index vector. */
static gboolean
verify_update (GhloIrVerifier   *verifier,
               const GhloIrOp   *op,
               const Scatter    *scatter,
               const GhloIrType *input,
               const GhloIrType *update)
{
  guint64 windows = 0;
  guint dim = 0, index = 0;

  for (gsize i = 0; i < scatter->n_window; i++)
    windows |= G_GUINT64_CONSTANT (1) << scatter->window[i];

  for (guint i = 0; i < update->rank; i++)
    if ((windows & (G_GUINT64_CONSTANT (1) << i)) != 0)
      {
        while ((scatter->skipped & (G_GUINT64_CONSTANT (1) << dim)) != 0)
          dim++;
        if (input->dimensions[dim] >= 0 && update->dimensions[i] > input->dimensions[dim])
          return ghlo_ir_verify_fail (verifier, op,
                                      "expected dimension %u of the updates to be at most the input's %"
                                      G_GINT64_FORMAT ", found %" G_GINT64_FORMAT,
                                      i, input->dimensions[dim], update->dimensions[i]);
        dim++;
      }
    else
      {
        if (index == scatter->index_vector_dim)
          index++;
        if (!ghlo_ir_dims_compatible (update->dimensions[i], scatter->indices->dimensions[index]))
          return ghlo_ir_verify_fail (verifier, op,
                                      "expected dimension %u of the updates to be as dimension %u of scatter_indices,"
                                      " %" G_GINT64_FORMAT ", found %" G_GINT64_FORMAT,
                                      i, index, scatter->indices->dimensions[index], update->dimensions[i]);
        index++;
      }

  return TRUE;
}

static gboolean
verify_update_rank (GhloIrVerifier *verifier,
                    const GhloIrOp *op,
                    const Scatter  *scatter)
{
  const GhloIrType *update = ghlo_ir_operand_type (op, scatter->n + 1);
  guint64 n_scattered = scatter->indices->rank - (scatter->index_vector_dim == scatter->indices->rank ? 0 : 1);

  if (update->rank == n_scattered + scatter->n_window)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op, "expected updates of rank %" G_GUINT64_FORMAT ", found rank %u",
                              n_scattered + scatter->n_window, update->rank);
}

gboolean
ghlo_ir_verify_scatter (GhloIrVerifier *verifier,
                        const GhloIrOp *op)
{
  GhloIrReducer reducer;
  Scatter scatter;

  if (op->n_operands < 3)
    return ghlo_ir_verify_fail (verifier, op, "expected at least one input and its updates, found none");
  read_scatter (op, &scatter);
  reducer = (GhloIrReducer) {
    .n = scatter.n, .inputs = op->operands, .inits = op->operands + scatter.n + 1, .scalar_inits = TRUE,
  };
  if (!ghlo_ir_verify_same_shapes (verifier, op, 0, scatter.n, "inputs")
      || !ghlo_ir_verify_same_shapes (verifier, op, scatter.n + 1, scatter.n, "updates")
      || !ghlo_ir_verify_reducer (verifier, op, &reducer)
      || !verify_numbers (verifier, op, &scatter)
      || !verify_update_rank (verifier, op, &scatter)
      || !ghlo_ir_verify_result_count (verifier, op, scatter.n))
    return FALSE;

  for (guint i = 0; i < scatter.n; i++)
    if (!verify_update (verifier, op, &scatter, ghlo_ir_operand_type (op, i),
                        ghlo_ir_operand_type (op, scatter.n + 1 + i))
        || !ghlo_ir_verify_reduced_like (verifier, op, i, ghlo_ir_operand_type (op, i), 0, i))
      return FALSE;

  return TRUE;
}
