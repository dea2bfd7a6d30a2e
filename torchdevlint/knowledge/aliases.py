"""Prefixes of dotted names that mean the same as others, longest first."""

from __future__ import annotations

from torchdevlint.knowledge.words import words

_NN_MODULES = words("""
activation adaptive batchnorm channelshuffle container conv distance dropout flatten fold instancenorm linear loss
module normalization padding pixelshuffle pooling rnn sparse transformer upsampling
""")

_OPTIMIZERS = words("""
adadelta:Adadelta adagrad:Adagrad adam:Adam adamax:Adamax adamw:AdamW asgd:ASGD lbfgs:LBFGS nadam:NAdam radam:RAdam
rmsprop:RMSprop rprop:Rprop sgd:SGD sparse_adam:SparseAdam optimizer:Optimizer
""")

_DISTRIBUTIONS = words("""
bernoulli beta categorical dirichlet exponential gamma geometric kl laplace log_normal multivariate_normal normal
one_hot_categorical poisson uniform
""")

# They stand nowhere else.
_HOOKS = words("""
torch.nn.modules.module.register_module_forward_pre_hook torch.nn.modules.module.register_module_forward_hook
""")

_PAIRS = {
    **{f"torch.distributions.{module}.": "torch.distributions." for module in _DISTRIBUTIONS},
    **{f"torch.nn.modules.{module}.": "torch.nn." for module in _NN_MODULES},
    **{name: name for name in _HOOKS},
    "torch.nn.modules.": "torch.nn.",
    "torch.nn.parameter.": "torch.nn.",
    "torch.nn.parallel.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parallel.data_parallel.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parallel.distributed.": "torch.nn.parallel.",
    "torch.distributed.fsdp.fully_sharded_data_parallel.": "torch.distributed.fsdp.",
    "torch.distributed._composable.fsdp.": "torch.distributed.fsdp.",
    **{
        f"torch.optim.{module}.{name}": f"torch.optim.{name}"
        for module, name in (pair.split(":") for pair in _OPTIMIZERS)
    },
    "torch.functional.": "torch.",
    "torch.utils.data.dataloader.": "torch.utils.data.",
    "torch.utils.data.dataset.": "torch.utils.data.",
    "torch.utils.data.sampler.": "torch.utils.data.",
    "torch.utils.data.distributed.": "torch.utils.data.",
    "torch.cuda.amp.grad_scaler.": "torch.cuda.amp.",
    "torch.cuda.amp.autocast_mode.": "torch.cuda.amp.",
    "torch.autograd.grad_mode.": "torch.",
    "torch.autograd.variable.": "torch.autograd.",
    "torch.autograd.anomaly_mode.": "torch.autograd.",
    "torch.serialization.": "torch.",
    "torch.utils.tree_map": "torch.utils._pytree.tree_map",
    "torch.utils.tensorboard.writer.": "torch.utils.tensorboard.",
    "tensorboardX.SummaryWriter": "torch.utils.tensorboard.SummaryWriter",
    "pytorch_lightning.core.lightning.": "lightning.pytorch.",
    "pytorch_lightning.core.module.": "lightning.pytorch.",
    "pytorch_lightning.core.": "lightning.pytorch.",
    "pytorch_lightning.trainer.": "lightning.pytorch.",
    "pytorch_lightning.utilities.seed.": "lightning.pytorch.",
    "pytorch_lightning.": "lightning.pytorch.",
    "lightning.pytorch.core.module.": "lightning.pytorch.",
    "lightning.pytorch.core.": "lightning.pytorch.",
    "lightning_fabric.": "lightning.fabric.",
    "torch_geometric.nn.conv.": "torch_geometric.nn.",
    "torch_geometric.data.dataloader.": "torch_geometric.loader.",
    "torchvision.models.resnet.": "torchvision.models.",
    "torchvision.models.vgg.": "torchvision.models.",
    "torchvision.datasets.mnist.": "torchvision.datasets.",
    "torchvision.transforms.transforms.": "torchvision.transforms.",
    "torchvision.transforms.v2.": "torchvision.transforms.",
    "torchvision.datasets.cifar.": "torchvision.datasets.",
    "transformers.modeling_utils.": "transformers.",
    "transformers.tokenization_utils_base.": "transformers.",
    "transformers.trainer.": "transformers.",
    "transformers.optimization.": "transformers.",
    **{f"torchmetrics.image.{module}.": "torchmetrics.image." for module in ("fid", "kid", "inception", "lpip")},
    "torchmetrics.aggregation.": "torchmetrics.",
    "tqdm.autonotebook.": "tqdm.",
    "tqdm.asyncio.": "tqdm.",
    "timm.models.create_model": "timm.create_model",
    "timm.models.factory.": "timm.",
    "matplotlib.pylab.": "matplotlib.pyplot.",
    "pylab.": "matplotlib.pyplot.",
}

ALIASES: tuple[tuple[str, str], ...] = tuple(sorted(_PAIRS.items(), key=lambda pair: -len(pair[0])))
