"""Rows of modules, of optimizers, and of the methods that they have."""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeAlias

from torchdevlint.knowledge.rows.tensors import Loss, RankRule
from torchdevlint.records import dataclass


class ContainerKind(Enum):
    """How a torch container holds its modules."""

    NONE = "no container"
    SEQUENTIAL = "arguments are called one after the other"
    LIST = "a registered list of modules or parameters"
    DICT = "a registered dict of modules or parameters"


class Placing(Enum):
    """Who moves the module and its inputs."""

    USER = "the script"
    FRAMEWORK = "a framework moves the module and its batches (Lightning)"
    UNSEEN = "code that cannot be seen"


class Arrives(Enum):
    """What a framework hands to a function or method of the script."""

    ANYTHING = "of which nothing is known"
    MODULE = "a module that it has placed"
    PLACED = "tensors that it has placed where the module is"
    BATCH = "a batch as the loader yields it"


class Replicas(Enum):
    """When a wrapper asks that the module it wraps is on the first of its devices."""

    NEVER = "it does not ask"
    CALLED = "when it is called with several devices; with one it moves the module itself (DataParallel)"
    MADE = "when it is made, if devices are given (DistributedDataParallel)"
    MOVED = "it does not ask: it takes the parameters to the device of its process (FullyShardedDataParallel)"


Output: TypeAlias = Literal["tensor", "pair", "opaque", "input"]
"""What a module returns: a tensor, an output with a state, an object of unknown kind, its input itself."""


@dataclass(frozen=True, slots=True)
class Switch:
    """An argument of a constructor with which a module holds tensors (`affine`); ``on`` is its default."""

    name: str
    position: int
    on: bool = True
    buffers: bool = False  # those tensors are buffers, which nothing trains


@dataclass(frozen=True, slots=True)
class ModuleType:
    """A class of `torch.nn` or of a library: whether it holds tensors, what its call does to inputs.

    ``inputs`` are the parameters of the call that are tensors, ``returns`` is the rank rule of the output.
    ``has_device`` tells that instances have `.device`, ``parameters`` are the attributes that are parameters of all.
    """

    holds_tensors: bool = True
    inputs: tuple[str, ...] = ("input",)
    returns: RankRule = RankRule.UNKNOWN
    output: Output = "tensor"
    loss: Loss | None = None
    container: ContainerKind = ContainerKind.NONE
    placing: Placing = Placing.USER
    framework_methods: tuple[tuple[str, tuple[Arrives, ...]], ...] = ()  # what it hands to which (`training_step`)
    early_methods: tuple[str, ...] = ()  # methods that it calls before it has moved the module (`setup`)
    moves_inputs: tuple[str, ...] = ()  # methods that take their inputs from anywhere (`generate`)
    has_device: bool = False
    metric: bool = False  # a torchmetrics metric or a loss with parameters: stateful, compared like a criterion
    scatters: bool = False  # a wrapper that moves the inputs of what it wraps (DataParallel, DDP, FSDP)
    forwards_attributes: bool = False  # a wrapper whose attributes are those of what it wraps
    abstract: bool = False  # `nn.Module` itself: holds what its subclass registers
    replicas: Replicas = Replicas.NEVER
    empty_with: tuple[tuple[str, object], ...] = ()  # with one of these arguments it holds none (`reduction="none"`)
    prefix: str = ""  # of a wrapper: what it puts before the keys of the state dict of what it wraps (`module.`)
    trained: bool = True  # some of the tensors that it holds are parameters
    switches: tuple[Switch, ...] = ()  # if there are any, it holds tensors where one of them is on
    own: frozenset[str] = frozenset()  # of a wrapper: all its attributes but private ones; others are of what it wraps
    lacks: frozenset[str] = frozenset()  # of a container: the methods of a list or dict that it has not
    parameters: tuple[str, ...] = ()
    moot: tuple[tuple[str, str], ...] = ()  # inputs that it does not look at where the argument beside them is true


@dataclass(frozen=True, slots=True)
class ParameterType:
    """`nn.Parameter`, `nn.Buffer`: a tensor that a module registers when it is assigned."""

    buffer: bool = False


@dataclass(frozen=True, slots=True)
class HoldParameters:
    """A method that gives the parameters of a module (`parameters`, `state_dict`); ``state`` for a state dict."""

    state: bool = False


class RegisterKind(Enum):
    """What a module registers by a call."""

    BUFFER = "buffer"
    PARAMETER = "parameter"
    MODULE = "module"
    HOOK = "a hook that may move the inputs"
    OUTPUT_HOOK = "a hook whose result, if there is one, replaces the output"


@dataclass(frozen=True, slots=True)
class Register:
    """A method that registers its second argument under the name in its first (`register_buffer`)."""

    kind: RegisterKind


@dataclass(frozen=True, slots=True)
class Submodules:
    """`children()`, `modules()`: the modules that a module holds, with their names if ``named``, or ``one`` of them."""

    named: bool = False
    one: bool = False


@dataclass(frozen=True, slots=True)
class Visit:
    """`module.apply(f)` calls ``f`` with every submodule, `module._apply(f)` with every tensor (``tensors``)."""

    tensors: bool = False


@dataclass(frozen=True, slots=True)
class Freeze:
    """`requires_grad_(mode)` of a module: with False no graph is built for its parameters."""


@dataclass(frozen=True, slots=True)
class Mode:
    """`train(mode)` and `eval()` of a module: whether it is to be trained from here on."""

    training: bool = True


@dataclass(frozen=True, slots=True)
class LoadState:
    """`load_state_dict`: of a module it copies into place, of an optimizer it makes state.

    ``assigns`` is the keyword with which a module takes the tensors themselves, where they are, ``proofs`` are those
    that only a module takes.
    """

    assigns: str = ""
    proofs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """A method that replaces some parameters of a module by new ones (`resize_token_embeddings`)."""


@dataclass(frozen=True, slots=True)
class OptimizerType:
    """An optimizer class; ``eager_state`` tells that it makes its state in the constructor (Adagrad).

    ``stateless_without`` names the keyword without which it keeps no state (`SGD` without ``momentum``).
    """

    eager_state: bool = False
    stateless_without: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """`optimizer.step()`: state is made for parameters that have gradients."""


@dataclass(frozen=True, slots=True)
class AddGroup:
    """`optimizer.add_param_group`: the optimizer holds more parameters, whose state it makes at the next step."""


@dataclass(frozen=True, slots=True)
class StateOf:
    """An attribute of an optimizer through which its state is moved by hand."""


@dataclass(frozen=True, slots=True)
class GroupsOf:
    """An attribute of an optimizer with its groups, each of which has its parameters under the key ``parameters``."""

    parameters: str
