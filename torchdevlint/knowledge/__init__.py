"""What libraries do to devices, as data: `DEFAULT` is everything that is known."""

from __future__ import annotations

from torchdevlint.knowledge.accelerate import ACCELERATE
from torchdevlint.knowledge.aliases import ALIASES
from torchdevlint.knowledge.audio import AUDIO
from torchdevlint.knowledge.derived import FUNCTIONS, METHODS, Rows
from torchdevlint.knowledge.distributions import DISTRIBUTIONS
from torchdevlint.knowledge.geometric import GEOMETRIC
from torchdevlint.knowledge.host_libraries import (
    ARRAYS,
    CONVERTING,
    EXPECTATIONS,
    FILE_READS,
    HOST_LIBRARIES,
    INERT,
    PROCESSES,
    SKIPS,
)
from torchdevlint.knowledge.ignite import IGNITE
from torchdevlint.knowledge.lightning import LIGHTNING
from torchdevlint.knowledge.methods import (
    CALL,
    MODULE,
    MODULE_ONLY,
    NOT_OF_ALL,
    OPTIMIZER,
    OVERRIDES,
    STATE_OVERRIDES,
    TRAINING,
)
from torchdevlint.knowledge.rows import Knowledge
from torchdevlint.knowledge.torch_functional import TORCH_FUNCTIONAL
from torchdevlint.knowledge.torch_functions import TORCH_FUNCTIONS
from torchdevlint.knowledge.torch_further import FURTHER, FURTHER_OF_TENSORS
from torchdevlint.knowledge.torch_nn import TORCH_NN
from torchdevlint.knowledge.torch_runtime import EXTENSIONS, IMPLIES_ACCELERATOR, TORCH_RUNTIME
from torchdevlint.knowledge.torch_tensor import DTYPES, HALF, TENSOR, TENSOR_ATTRIBUTES, TENSOR_ONLY
from torchdevlint.knowledge.torchmetrics import TORCHMETRICS
from torchdevlint.knowledge.transformers import SPREADS, TRANSFORMERS
from torchdevlint.knowledge.vision import VISION

NAMES = Rows(
    {
        **TORCH_FUNCTIONS,
        **TORCH_FUNCTIONAL,
        **FURTHER,
        **TORCH_NN,
        **TORCH_RUNTIME,
        **DISTRIBUTIONS,
        **LIGHTNING,
        **ACCELERATE,
        **IGNITE,
        **TRANSFORMERS,
        **TORCHMETRICS,
        **GEOMETRIC,
        **VISION,
        **AUDIO,
        **HOST_LIBRARIES,
    },
    FUNCTIONS,
)
OF_TENSORS = Rows({**TENSOR, **FURTHER_OF_TENSORS}, METHODS)

DEFAULT = Knowledge(
    names=NAMES,
    tensor=OF_TENSORS,
    tensor_attributes=TENSOR_ATTRIBUTES,
    module=MODULE,
    optimizer=OPTIMIZER,
    tensor_only=TENSOR_ONLY,
    dtypes=DTYPES,
    half=HALF,
    module_only=MODULE_ONLY,
    module_call=CALL,
    module_mode=TRAINING,
    module_overrides=OVERRIDES,
    state_overrides=STATE_OVERRIDES,
    aliases=ALIASES,
    inert=INERT,
    arrays=ARRAYS,
    implies_accelerator=IMPLIES_ACCELERATOR,
    extensions=EXTENSIONS,
    converting=CONVERTING,
    processes=PROCESSES,
    expectations=EXPECTATIONS,
    skips=SKIPS,
    no_places=("dtype", "precision"),
    not_of_all=NOT_OF_ALL,
    file_reads=FILE_READS,
    spreads=SPREADS,
    by_star=("torch",),
)
