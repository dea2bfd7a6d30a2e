"""The kinds of knowledge row: what a call does to devices, as typed data. Each has one transfer function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TypeAlias


class RankRule(Enum):
    """How the rank of a result follows from the call."""

    SAME = "the rank of the first operand"
    UNKNOWN = "not known"
    SCALAR = "0"
    VECTOR = "1 or more"
    ONE = "exactly 1"
    BROADCAST = "the greatest rank of the operands"
    SHAPE = "the number of sizes that the call names"
    SIZES = "the number of sizes that the call names after its operand, 1 or more where that cannot be counted"
    REDUCE = "0 without `dim`, else one less (the same with keepdim)"
    PLUS_ONE = "one more"
    MINUS_ONE = "one less, not below 0"
    REDUCTION = "0 unless reduction='none'"


class Mix(Enum):
    """Which operands on the host an operation accepts beside accelerator operands."""

    ZERO_DIM = "0-dim host operands may mix (TensorIterator)"
    STRICT = "none, whatever the rank (common device check)"
    IN_PLACE = "0-dim host operands may mix, but not as the target"
    FREE = "any (copy_, reshape_as): devices are not compared"


@dataclass(frozen=True, slots=True)
class Make:
    """A factory: host, or the default device, unless ``device=`` says otherwise (`torch.zeros`).

    ``shape`` is the index of the first size argument, for `RankRule.SHAPE`. Where ``packed``, the sizes are that
    one argument (or the keyword ``size``), a sequence (`full`; the last positional argument, -1, of `randint`).
    """

    rank: RankRule = RankRule.SHAPE
    shape: int = 0
    packed: bool = False
    always_host: bool = False  # from_numpy, frombuffer: takes no device and ignores the default device
    legacy: str = ""  # "cuda" for torch.cuda.FloatTensor and its kin, "cpu" for torch.FloatTensor


@dataclass(frozen=True, slots=True)
class Like:
    """A factory that follows a tensor unless ``device=`` says otherwise (`zeros_like`, `x.new_zeros`)."""

    rank: RankRule = RankRule.SAME
    shape: int = 0
    packed: bool = False  # as in `Make` (`new_full`)


@dataclass(frozen=True, slots=True)
class Convert:
    """`torch.tensor`, `as_tensor`: a tensor keeps its device, anything else is made on the host.

    ``copies`` tells that a tensor is a strange argument (`torch.tensor`), so an unknown one is taken for none.
    """

    graph: bool = False
    copies: bool = False


@dataclass(frozen=True, slots=True)
class Follow:
    """An operation on one tensor: the result is where its first operand is."""

    rank: RankRule = RankRule.SAME
    count: int = 0  # number of tensors returned as a tuple; 0 for one tensor, -1 for an unknown number
    graph: bool | None = None  # False: the result carries none (detach, argmax, a comparison)
    in_place: bool = False  # returns its receiver (`relu_`, `requires_grad_`)
    returns_pair_with_dim: bool = False  # max, min, median, mode, sort with `dim`: (values, indices)
    binary: bool = False  # max, min: a tensor as second argument makes it an elementwise combination


@dataclass(frozen=True, slots=True)
class Combine:
    """An operation whose tensor operands must share a device.

    ``operands`` are parameter names in order, "" for a parameter that is no tensor (the `dim` of `gather`); for
    a method the receiver is the first. ``sequence`` marks an
    operation whose first operand is a list of tensors (`cat`, `stack`). ``index`` names the operands that are
    indices, ``optional_host`` those that may stay on the host.
    """

    operands: tuple[str, ...] = ("input", "other")
    mix: Mix = Mix.ZERO_DIM
    rank: RankRule = RankRule.BROADCAST
    sequence: bool = False
    index: tuple[str, ...] = ()
    optional_host: tuple[str, ...] = ()
    graph: bool | None = None
    in_place: bool = False
    count: int = 0
    number_overload: tuple[str, ...] = ()  # `clamp`: one number among these makes the 0-dim others legal
    format: str = ""  # "einsum": the first positional argument is no operand; every further one is


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss: the target must be where the prediction is (a 0-dim target may mix unless ``strict``).

    ``predictions`` and ``targets`` are parameter names in order; ``weights`` are keyword names of tensors
    that must be there too, of which ``strict_weights`` are refused on the host whatever their rank. Those that
    may be given by position stand in ``operands`` too; of a loss module they are given to the constructor, whose
    parameters in order are ``constructor`` ("" for a parameter that is no tensor).
    """

    operands: tuple[str, ...] = ("input", "target")
    targets: tuple[str, ...] = ("target",)
    strict: bool = False
    weights: tuple[str, ...] = ()
    strict_weights: tuple[str, ...] = ()
    optional_host: tuple[str, ...] = ()
    constructor: tuple[str, ...] = ()


class MoveKind(Enum):
    """Which call moves."""

    TO = "to"
    CUDA = "cuda"
    CPU = "cpu"
    TYPE = "type"
    TYPE_AS = "type_as"
    OTHER_TYPE = "npu, xpu, hpu, mlu …: a method named by an accelerator"


@dataclass(frozen=True, slots=True)
class Move:
    """A move: by `.to(…)`, `.cuda(…)`, `.cpu()`, `.type(…)`; ``type`` is the accelerator of `OTHER_TYPE`."""

    kind: MoveKind = MoveKind.TO
    type: str = "cuda"
    empties: bool = False  # `to_empty`: replaces parameters


@dataclass(frozen=True, slots=True)
class Cast:
    """`.float()`, `.half()` …: a new tensor, the same module; no change of device."""


@dataclass(frozen=True, slots=True)
class ReadHost:
    """A read that needs host memory and fails on an accelerator (`.numpy()`, `np.asarray`, `plt.plot`).

    ``tensor_evidence`` tells that only a tensor has this method. ``forced`` names a keyword that makes it legal.
    """

    tensor_evidence: bool = False
    forced: str = ""
    all_arguments: bool = False
    only_lists: bool = False  # reads a list of tensors; a tensor itself has the method (`np.mean`)


@dataclass(frozen=True, slots=True)
class Plain:
    """A call that gives Python data or nothing, and leaves its arguments where they are (`print`, `.item()`)."""

    tensor_evidence: bool = False
    synchronises: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A test that an accelerator exists: a guard (`torch.cuda.is_available`)."""

    type: str = "cuda"


@dataclass(frozen=True, slots=True)
class Count:
    """A number of accelerators (`torch.cuda.device_count`): positive means that one exists."""

    type: str = "cuda"


@dataclass(frozen=True, slots=True)
class DeviceType:
    """`torch.device(…)`."""


@dataclass(frozen=True, slots=True)
class CurrentDevice:
    """A call that names the current device (`torch.cuda.current_device`, `torch.get_default_device`).

    ``type`` is empty where the call answers with whatever device there is.
    """

    type: str = ""


@dataclass(frozen=True, slots=True)
class SetDevice:
    """`torch.cuda.set_device(…)`: the current device of a type changes."""

    type: str = "cuda"


@dataclass(frozen=True, slots=True)
class DefaultDevice:
    """A switch of the default device (`torch.set_default_device`, `set_default_tensor_type`)."""

    legacy: bool = False


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


@dataclass(frozen=True, slots=True)
class ModuleType:
    """A class of `torch.nn` or of a library: whether it holds tensors, what its call does to inputs.

    ``moves_in_place`` is True for every module. ``has_device`` tells that instances have `.device`.
    ``returns`` is the rank rule of the output, ``count`` as in `Follow` (an LSTM returns a pair).
    """

    holds_tensors: bool = True
    inputs: tuple[str, ...] = ("input",)
    returns: RankRule = RankRule.UNKNOWN
    output: str = "tensor"  # "tensor", "pair" (output, state), "opaque", "input" (the input itself)
    mix: Mix = Mix.STRICT
    loss: Loss | None = None
    container: ContainerKind = ContainerKind.NONE
    placing: Placing = Placing.USER
    framework_methods: tuple[str, ...] = ()  # methods whose arguments the framework moves (`training_step`)
    has_device: bool = False
    metric: bool = False  # a torchmetrics metric or a loss with parameters: stateful, compared like a criterion
    scatters: bool = False  # a wrapper that moves the inputs of what it wraps (DataParallel, DDP, FSDP)
    forwards_attributes: bool = False  # a wrapper whose attributes are those of what it wraps
    abstract: bool = False  # `nn.Module` itself: holds what its subclass registers
    empty_without: tuple[str, ...] = ()  # where all these keywords are False it holds none (`elementwise_affine`)


@dataclass(frozen=True, slots=True)
class Compile:
    """A call that returns its module argument, wrapped or not (`torch.compile`, `torch.jit.script`)."""


@dataclass(frozen=True, slots=True)
class OptimizerType:
    """An optimizer class; ``eager_state`` tells that it makes its state in the constructor (Adagrad).

    ``stateless_without`` names the keyword without which it keeps no state (`SGD` without ``momentum``).
    """

    eager_state: bool = False
    stateless_without: str = ""


@dataclass(frozen=True, slots=True)
class DatasetType:
    """A dataset class; ``tensors`` tells that its items are its tensor arguments (`TensorDataset`)."""

    tensors: bool = False


@dataclass(frozen=True, slots=True)
class LoaderType:
    """A data loader class; ``collate`` is the argument that decides what arrives."""

    dataset: str = "dataset"
    collate: str = "collate_fn"
    objects: bool = False  # its items are objects with attributes (PyTorch Geometric, DGL)


@dataclass(frozen=True, slots=True)
class LoadFile:
    """A read of a checkpoint; ``position`` is the index of `map_location`, ``keyword`` its name."""

    position: int = 1
    keyword: str = "map_location"
    module: bool = False  # returns a module (`torch.jit.load`, `load_from_checkpoint`)


@dataclass(frozen=True, slots=True)
class SaveFile:
    """A write of a checkpoint: the object is the argument ``value``, the path the argument ``path``."""

    value: int = 0
    path: int = 1


@dataclass(frozen=True, slots=True)
class NoGrad:
    """A context manager or decorator under which no graph is built."""


@dataclass(frozen=True, slots=True)
class GradMode:
    """`torch.set_grad_enabled(mode)`: as a statement or a context, no graph is built unless the mode is True."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """A switch after which a move of a module replaces its parameters."""


@dataclass(frozen=True, slots=True)
class AddGroup:
    """`optimizer.add_param_group`: the optimizer holds more parameters, whose state it makes at the next step."""


@dataclass(frozen=True, slots=True)
class StateOf:
    """An attribute of an optimizer through which its state is moved by hand."""


@dataclass(frozen=True, slots=True)
class Freeze:
    """`requires_grad_(mode)` of a module: with False no graph is built for its parameters."""


@dataclass(frozen=True, slots=True)
class DeviceContext:
    """A context manager that changes the current device (`torch.cuda.device`)."""


@dataclass(frozen=True, slots=True)
class Transparent:
    """A call whose result iterates like its first argument (`tqdm`, `islice`)."""

    argument: int = 0


@dataclass(frozen=True, slots=True)
class TreeMap:
    """A call that applies a function to every leaf (`tree_map`, `map_structure`, `apply_to_collection`)."""

    function: int = 0
    tree: int = 1


@dataclass(frozen=True, slots=True)
class ParameterType:
    """`nn.Parameter`, `nn.Buffer`: a tensor that a module registers when it is assigned."""

    buffer: bool = False


@dataclass(frozen=True, slots=True)
class MoveHelper:
    """A library function that moves its first argument to its second (`send_to_device`, `move_data_to_device`)."""

    source: int = 0
    device: int = 1


class Carrier(Enum):
    """How an object with tensors inside moves."""

    NONE = "it does not"
    IN_PLACE = "`to` moves it and returns it (`BatchEncoding`, PyG `Data`)"
    COPY = "`to` returns a moved copy (`PackedSequence`, DGL graph)"


@dataclass(frozen=True, slots=True)
class ObjectType:
    """A library class of which instances are objects with known methods and attributes.

    ``methods`` and ``attributes`` map names to rows; ``call`` is the row of calling an instance. A class
    whose ``open`` is True has whatever attributes the script asks for.
    """

    name: str
    methods: Mapping[str, Row] = field(default_factory=lambda: MappingProxyType({}))
    attributes: Mapping[str, Row] = field(default_factory=lambda: MappingProxyType({}))
    array: bool = False  # a host array: whatever is asked of it gives another one
    call: Row | None = None
    carrier: Carrier = Carrier.NONE
    on_host: bool = False  # made on the host; its elements are where it is
    placing: Placing = Placing.USER


@dataclass(frozen=True, slots=True)
class Build:
    """A call that returns an object of a library class or a module (`AutoModel.from_pretrained`).

    ``placed_by`` names keywords that leave the placement to the library (`device_map`).
    """

    type: ObjectType | ModuleType
    placed_by: tuple[str, ...] = ()
    follows: bool = False  # the object is where the first argument is (`pack_padded_sequence`)


@dataclass(frozen=True, slots=True)
class Prepare:
    """A framework's `prepare`/`setup`: returns its arguments, modules moved and loaders moving their batches."""

    moves: bool = True


@dataclass(frozen=True, slots=True)
class FrameworkDevice:
    """The device that a framework gives this process (`accelerator.device`, `fabric.device`)."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """A namespace of command-line arguments or configuration: attributes are places and flags."""


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """A call or import that shows that CUDA is there (`init_process_group("nccl")`, `import triton`)."""

    type: str = "cuda"
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Quiet:
    """A call of which nothing follows for devices but that leaves its arguments alone and returns its receiver."""


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


@dataclass(frozen=True, slots=True)
class Register:
    """A method that registers its second argument under the name in its first (`register_buffer`)."""

    kind: RegisterKind


@dataclass(frozen=True, slots=True)
class Visit:
    """`module.apply(f)` calls ``f`` with every submodule, `module._apply(f)` with every tensor (``tensors``)."""

    tensors: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """`optimizer.step()`: state is made for parameters that have gradients."""


@dataclass(frozen=True, slots=True)
class LoadState:
    """`load_state_dict`: of a module it copies into place, of an optimizer it makes state."""


@dataclass(frozen=True, slots=True)
class Backward:
    """`loss.backward()`: the receiver carries a graph, which is freed."""


Row: TypeAlias = (
    Make
    | Like
    | Convert
    | Follow
    | Combine
    | Loss
    | Move
    | Cast
    | ReadHost
    | Plain
    | Query
    | Count
    | DeviceType
    | CurrentDevice
    | SetDevice
    | DefaultDevice
    | ModuleType
    | Compile
    | OptimizerType
    | DatasetType
    | LoaderType
    | LoadFile
    | SaveFile
    | NoGrad
    | GradMode
    | Conversion
    | AddGroup
    | StateOf
    | Freeze
    | DeviceContext
    | Transparent
    | TreeMap
    | ParameterType
    | MoveHelper
    | ObjectType
    | Build
    | Prepare
    | FrameworkDevice
    | Arguments
    | EnvironmentRow
    | Quiet
    | HoldParameters
    | Register
    | Visit
    | Step
    | LoadState
    | Backward
)


@dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    """Everything that rows tell, as one value passed into the engine.

    ``names`` maps canonical dotted names to rows; ``aliases`` rewrites prefixes of dotted names to canonical
    ones, longest first; ``tensor`` maps method names of a tensor, ``tensor_attributes`` its attributes;
    ``module`` and ``optimizer`` map method names likewise. ``tensor_only`` are methods and attributes that
    prove a tensor (no array, list, dict, string or module has them), ``module_only`` those that prove a
    module. ``inert`` are prefixes of modules whose functions leave their arguments alone,
    ``arrays`` of those whose functions give host arrays.
    ``implies_accelerator`` are modules whose import shows that CUDA is there,
    ``extensions`` endings of names of compiled extensions, which show it too. ``module_call`` is the method
    that calling a module runs; a class that overrides one of ``module_overrides`` moves what it likes.
    """

    names: Mapping[str, Row]
    tensor: Mapping[str, Row]
    tensor_attributes: Mapping[str, Row]
    module: Mapping[str, Row]
    optimizer: Mapping[str, Row]
    tensor_only: frozenset[str]
    module_only: frozenset[str]
    module_call: str
    module_overrides: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...]
    inert: tuple[str, ...]
    arrays: tuple[str, ...]
    implies_accelerator: frozenset[str]
    extensions: tuple[str, ...]
