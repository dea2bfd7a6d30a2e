"""Rows of calls that make tensors, move them, combine them and read them."""

from __future__ import annotations

from enum import Enum

from torchdevlint.records import dataclass


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
    REDUCE_LATE = "the same, but keepdim is the fourth argument (`std`)"
    PLUS_ONE = "one more"
    MINUS_ONE = "one less, not below 0"
    LESS = "the same or one less (a reduction that need not keep its dimension)"
    MORE = "the same or more"
    PRODUCT = "that of a product of matrices and vectors: the greatest, one less where one of both is a vector"
    LAST = "the rank of the last operand"
    REDUCTION = "0 unless reduction='none'"


class Mix(Enum):
    """Which operands on the host an operation accepts beside accelerator operands."""

    ZERO_DIM = "0-dim host operands may mix (TensorIterator)"
    STRICT = "none, whatever the rank (common device check)"
    EXPANDED = "0-dim host operands may mix with 0-dim operands only (`broadcast_tensors`)"
    IN_PLACE = "0-dim host operands may mix, but not as the target"
    FREE = "any (copy_, reshape_as): devices are not compared"


@dataclass(frozen=True, slots=True)
class Make:
    """A factory: host, or the default device, unless ``device=`` says otherwise (`torch.zeros`).

    ``shape`` is the index of the first size argument, for `RankRule.SHAPE`. Where ``packed``, the sizes are that
    one argument (or the keyword ``size``), a sequence (`full`; the last positional argument, -1, of `randint`).
    ``device`` is the position of the device, if it has one.
    """

    rank: RankRule = RankRule.SHAPE
    shape: int = 0
    packed: bool = False
    device: int = -1
    always_host: bool = False  # from_numpy, frombuffer: takes no device and ignores the default device
    legacy: str = ""  # "cuda" for torch.cuda.FloatTensor and its kin, "cpu" for torch.FloatTensor
    every: bool = False  # the class of every tensor


@dataclass(frozen=True, slots=True)
class Like:
    """A factory that follows a tensor unless ``device=`` says otherwise (`zeros_like`, `x.new_zeros`)."""

    rank: RankRule = RankRule.SAME
    shape: int = 0
    packed: bool = False  # as in `Make` (`new_full`)


@dataclass(frozen=True, slots=True)
class Unpack:
    """A call that gives a tensor where its argument is, and the lengths in it, on the host (`pad_packed_sequence`)."""


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
    pins: bool = False  # takes host memory only (`pin_memory`)
    demands: bool = False  # `requires_grad_`: a graph is built for its receiver from here on, unless it is given False
    out_mix: Mix = Mix.ZERO_DIM  # how the devices of the operand and of `out=` are compared
    along: bool = False  # `grad`: of a parameter, it is moved with it
    position: int = 0  # of its operand among the arguments of a function (`polygamma`)
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
    out_mix: Mix | None = None  # what it accepts where it is given `out=`, if that is not the same (`clamp`)
    scalars: tuple[str, ...] = ()  # operands that may be 0-dim on the host where the others may not
    number_overload: tuple[str, ...] = ()  # `clamp`: one number among these makes the 0-dim others legal
    format: bool = False  # the first positional argument is no operand; every further one is (`einsum`)
    variadic: bool = False  # every positional argument is an operand (`block_diag`)
    keywords: tuple[str, ...] = ()  # further operands, which are given by keyword
    instead: str = ""  # the option that, where it is given, has the keywords read instead of the `replaced` operand
    replaced: str = ""
    count: int = 0  # number of tensors returned as a tuple; 0 for one tensor, -1 for an unknown number
    sized: Make | None = None  # what it is where a size follows its operands, which are numbers then (`normal`)


@dataclass(frozen=True, slots=True)
class PutAt:
    """`index_put`: values are written where a sequence of tensors says, as by `x[i, j] = v`."""

    in_place: bool = False


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss: the target must be where the prediction is (a 0-dim target may mix unless ``strict``).

    ``operands`` and ``targets`` are parameter names in order; ``weights`` are keyword names of tensors
    that must be there too, of which ``strict_weights`` are refused on the host whatever their rank. Those that
    may be given by position stand in ``operands`` too; of a loss module they are given to the constructor, whose
    parameters in order are ``constructor`` ("" for a parameter that is no tensor).
    """

    operands: tuple[str, ...] = ("input", "target")
    targets: tuple[str, ...] = ("target",)
    strict: bool = False
    expands: bool = False  # a 0-dim target is expanded first, so that it may mix with a 0-dim prediction only
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
    """A move: by `.to(…)`, `.cuda(…)`, `.cpu()`, `.type(…)`; ``type`` is the accelerator of `OTHER_TYPE`.

    ``keywords`` are all that it takes, where that is told.
    """

    kind: MoveKind = MoveKind.TO
    type: str = "cuda"
    empties: bool = False  # `to_empty`: replaces parameters
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cast:
    """`.float()`, `.half()` …: a new tensor, the same module; no change of device.

    ``whole`` tells that the numbers are integers from here on, which carry no graph, ``half`` that they are of the
    precision that only accelerators reckon with.
    """

    whole: bool = False
    half: bool = False


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
    """A call that gives Python data or nothing, and leaves its arguments where they are (`print`, `.item()`).

    ``sizes`` tells that it gives the sizes of a tensor, of which one without dimensions has none. ``demands`` is that
    of `Follow`, of an attribute that is set. ``reads`` tells that it reads the values of a tensor, ``asks`` that it
    asks whether its argument is one, ``modules`` that its arguments are modules.
    """

    tensor_evidence: bool = False
    sizes: bool = False
    demands: bool = False
    counts: bool = False  # it gives the number of elements
    ranks: bool = False  # it gives the number of dimensions
    native: bool = False  # it is of use with an accelerator only
    trains: bool = False  # it runs a whole training, which writes checkpoints
    reads: bool = False
    asks: bool = False
    modules: bool = False
    repeats: bool = False  # it makes results repeat, at the cost of time
    translated: bool = False  # it asks whether the program is being exported or compiled, which one that runs is not


@dataclass(frozen=True, slots=True)
class Quiet:
    """A call of which nothing follows for devices but that leaves its arguments alone and returns its receiver."""


@dataclass(frozen=True, slots=True)
class Backward:
    """`loss.backward()`: the receiver carries a graph, which is freed unless the keyword ``retaining`` is given."""

    retaining: str = ""


@dataclass(frozen=True, slots=True)
class RunForward:
    """A method of a class that runs two others of it: ``forward``, and ``backward`` when gradients come back.

    Both are handed a context first, ``forward`` not where the class has the method ``setup``.
    https://docs.pytorch.org/docs/2.13/notes/extending.html
    """

    forward: str = "forward"
    backward: str = "backward"
    setup: str = "setup_context"


@dataclass(frozen=True, slots=True)
class Differentiate:
    """A call that gives gradients (`torch.autograd.grad`) and does nothing else that is followed."""
