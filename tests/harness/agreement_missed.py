"""The alarms that are known to be missed: for each operator at most how many, and why."""

from __future__ import annotations

RANK = "the number of dimensions of the result is not known, so that it may be a number without any"
OUT = "whether devices are compared with `out=` is not certain, or not in all cases"
SCALAR = "a tensor without dimensions on the host is refused in some cases only"
SEVERAL = "it gives one tensor or several"
VALUE = "the value is read on the host, unless the tensor that is filled is there"
SCALARS = "two numbers without dimensions on the host are one too many"
VARIANCE = "a variance of fewer dimensions than the input is given one in some cases"
TOLERANCE = "a tolerance that is a tensor is no operand of its row"
FACTORY = "of numbers it makes a tensor, of tensors it follows them"

MISSED: dict[str, tuple[int, str]] = {
    "as_strided": (6, RANK),
    "as_strided_copy": (3, RANK),
    "as_strided_partial_views": (4, RANK),
    "atleast_1d": (6, SEVERAL),
    "atleast_2d": (6, SEVERAL),
    "atleast_3d": (6, SEVERAL),
    "broadcast_tensors": (4, SEVERAL),
    "cholesky_solve": (8, OUT),
    "diag": (12, OUT),
    "einsum": (2, RANK),
    "expand_as": (1, RANK),
    "lerp": (1, SCALARS),
    "linalg_cholesky_ex": (1, RANK),
    "linalg_inv_ex": (1, RANK),
    "linalg_ldl_factor_ex": (2, RANK),
    "linalg_ldl_solve": (2, RANK),
    "linalg_lu": (4, RANK),
    "linalg_lu_factor_ex": (2, RANK),
    "linalg_lu_solve": (2, RANK),
    "linalg_matrix_norm": (3, RANK),
    "linalg_pinv": (2, TOLERANCE),
    "linalg_pinv_singular": (6, TOLERANCE),
    "linalg_tensorsolve": (2, RANK),
    "linalg_vecdot": (1, RANK),
    "lu_solve": (4, RANK),
    "lu_unpack": (2, RANK),
    "masked_cumprod": (3, SCALAR),
    "masked_cumsum": (3, SCALAR),
    "masked_fill": (4, VALUE),
    "masked_log_softmax": (1, SCALAR),
    "masked_median": (2, SCALAR),
    "masked_softmax": (1, SCALAR),
    "masked_softmin": (1, SCALAR),
    "masked_std": (1, SCALAR),
    "masked_var": (1, SCALAR),
    "narrow_copy": (4, OUT),
    "native_batch_norm": (2, RANK),
    "native_group_norm": (2, RANK),
    "native_layer_norm": (3, RANK),
    "nn_functional_cosine_similarity": (1, SCALAR),
    "nn_functional_gaussian_nll_loss": (9, VARIANCE),
    "nn_functional_hinge_embedding_loss": (1, RANK),
    "nn_functional_huber_loss": (1, RANK),
    "nn_functional_kl_div": (1, RANK),
    "nn_functional_linear": (1, SCALAR),
    "nn_functional_multi_head_attention_forward": (3, RANK),
    "nn_functional_pairwise_distance": (1, RANK),
    "nn_functional_poisson_nll_loss": (2, RANK),
    "norm": (2, RANK),
    "norm_inf": (2, RANK),
    "norm_nuc": (2, RANK),
    "normal_number_mean": (4, FACTORY),
    "permute_copy": (1, RANK),
    "reshape_as": (3, RANK),
    "resize_as_": (1, RANK),
    "squeeze": (4, RANK),
    "squeeze_copy": (2, RANK),
    "squeeze_multiple": (6, RANK),
    "tensordot": (2, RANK),
    "transpose_copy": (2, RANK),
    "triangular_solve": (2, RANK),
    "view_as": (3, RANK),
}
