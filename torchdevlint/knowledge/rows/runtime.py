"""Rows of what runs a training: devices, guards, modes, data, checkpoints."""

from __future__ import annotations

from torchdevlint.knowledge.rows.libraries import ObjectType, Precision
from torchdevlint.records import dataclass


@dataclass(frozen=True, slots=True)
class Query:
    """A test that an accelerator exists: a guard (`torch.cuda.is_available`).

    ``begins`` tells that it initialises the accelerator's runtime, which reads the environment once.
    """

    type: str = "cuda"
    begins: bool = False


@dataclass(frozen=True, slots=True)
class Count:
    """A number of accelerators (`torch.cuda.device_count`): positive means that one exists."""

    type: str = "cuda"


@dataclass(frozen=True, slots=True)
class DeviceType:
    """`torch.device(…)`."""


@dataclass(frozen=True, slots=True)
class DeviceNumber:
    """`get_device()` of a tensor: the number of its device, -1 on the host."""


@dataclass(frozen=True, slots=True)
class CurrentDevice:
    """A call that names the current device (`torch.cuda.current_device`, `torch.get_default_device`).

    ``type`` is empty where the call answers with whatever device there is. ``begins`` is that of `Query`.
    """

    type: str = ""
    begins: bool = False


@dataclass(frozen=True, slots=True)
class SetDevice:
    """`torch.cuda.set_device(…)`: the current device of a type changes. ``begins`` is that of `Query`."""

    type: str = "cuda"
    begins: bool = False


@dataclass(frozen=True, slots=True)
class Begin:
    """A call that gives Python data or nothing, and initialises the accelerator's runtime."""


@dataclass(frozen=True, slots=True)
class Leave:
    """A call that does not return, but ends the program."""


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables of the process (`os.environ`); ``once`` are those that are read when CUDA is initialised.

    ``local`` number the processes of one machine; ``debugging`` are switches for debugging, with what they do.
    """

    once: tuple[str, ...] = ()
    local: tuple[str, ...] = ()
    debugging: tuple[tuple[str, str], ...] = ()
    repeats: tuple[str, ...] = ()  # variables with which results repeat


@dataclass(frozen=True, slots=True)
class SetVariables:
    """A call that sets variables of the process: a name and a value, or a dict of them where ``mapping``."""

    once: tuple[str, ...] = ()
    mapping: bool = False
    debugging: tuple[tuple[str, str], ...] = ()
    repeats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Debugging:
    """A switch for debugging, or a context of one, and what it does; ``mode`` is the argument that turns it off."""

    effect: str
    mode: str = ""


@dataclass(frozen=True, slots=True)
class OfProcess:
    """A call whose answer every process of a training has of its own (`get_rank`, `os.getenv`).

    ``on_machine`` tells that it numbers those of one machine; of variables, those in ``local`` do.
    """

    on_machine: bool = False
    local: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StartProcesses:
    """A call that runs a function in other processes of this machine (`torch.multiprocessing.spawn`)."""


@dataclass(frozen=True, slots=True)
class DefaultDevice:
    """A switch of the default device (`torch.set_default_device`, `set_default_tensor_type`)."""

    legacy: bool = False


@dataclass(frozen=True, slots=True)
class DeviceContext:
    """A context manager that changes the current device (`torch.cuda.device`)."""


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """A call or import that shows that CUDA is there (`init_process_group("nccl")`, `import triton`).

    ``processes`` is the argument that tells how many processes join, ``rank`` that which of them this one is.
    """

    type: str = "cuda"
    argument: str = ""
    processes: str = ""
    rank: str = ""


@dataclass(frozen=True, slots=True)
class Collective:
    """A call in which processes exchange tensors: those of its first parameters that are named in ``tensors``.

    ``group`` is the index of the parameter that names another process group than the default one.
    """

    tensors: tuple[str, ...]
    group: int


@dataclass(frozen=True, slots=True)
class GeneratorType:
    """A call that gives a generator of random numbers: of the device that it names (``placed``), else of the host.

    The default device does not count.
    """

    type: ObjectType
    placed: bool = True


@dataclass(frozen=True, slots=True)
class Draw:
    """A call that draws at random, on the default device, from the host's generator unless it is given one.

    What it draws are parts of its first argument, a dataset (`random_split`), which they have as attribute ``part``.
    """

    part: str = "dataset"


@dataclass(frozen=True, slots=True)
class Arguments:
    """A namespace of command-line arguments or configuration: attributes are places and flags.

    ``unplaced`` is that of `ObjectType` (`TrainingArguments`). ``holds`` tells that it has its keyword arguments.
    """

    unplaced: tuple[tuple[str, object], ...] | None = None
    holds: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """The declaration of one argument of the command line: what it is where nobody gives it stands in ``default=``."""


@dataclass(frozen=True, slots=True)
class NoGrad:
    """A context manager or decorator under which no graph is built."""


@dataclass(frozen=True, slots=True)
class GradMode:
    """`torch.set_grad_enabled(mode)`: as a statement or a context, no graph is built unless the mode is True."""


@dataclass(frozen=True, slots=True)
class Autocast:
    """A context, or decorator, of mixed precision on one type of device: ``type``, or what its first argument names.

    ``enabled`` is the index of the parameter that switches it off.
    """

    precision: Precision
    type: str = ""
    enabled: int = 2


@dataclass(frozen=True, slots=True)
class Clock:
    """A call that reads a clock of the host's; the difference of two readings is a time."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """A switch after which a move of a module replaces its parameters."""


@dataclass(frozen=True, slots=True)
class DatasetType:
    """A dataset class; ``tensors`` tells that its items are its tensor arguments (`TensorDataset`).

    ``whole`` tells that an instance has all its items in every process, under their numbers, ``reads`` that each of
    them is read from a file of its own. ``part`` is the argument that it is a part of, ``graphs`` tells that an item is
    like a batch. Where ``transform`` is the position of a transform, each item is an image and a label, to which that
    and the next argument are applied; ``numbered`` tells that the label is the number of a class. ``transforms`` are
    the arguments and attributes that change the image, its label, or both.
    """

    tensors: bool = False
    part: str = ""
    graphs: bool = False
    transform: int | None = None
    transforms: tuple[str, str, str] = ("transform", "target_transform", "transforms")
    numbered: bool = True
    whole: bool = False
    reads: bool = False


@dataclass(frozen=True, slots=True)
class LoaderType:
    """A data loader class; ``collate`` is the argument that decides what arrives, ``collated`` its position if known.

    ``workers`` is the number of processes that make the items, ``context`` how these are started, ``size`` how many
    items are in a batch. Only the first arguments, ``positional`` in number, are known by their position.
    """

    dataset: str = "dataset"
    collate: str = "collate_fn"
    collated: int = -1
    pin: str = "pin_memory"
    shuffle: str = ""  # the argument with which it draws an order, by a generator of the host's if it is given none
    samplers: tuple[str, ...] = ()  # arguments that decide the order instead
    workers: str = "num_workers"
    context: str = "multiprocessing_context"
    size: str = "batch_size"
    positional: int = 3


@dataclass(frozen=True, slots=True)
class Collate:
    """The function that a loader makes batches with unless it is given another (`default_collate`)."""


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """A call that gives something in a worker of a loader, and None elsewhere."""


@dataclass(frozen=True, slots=True)
class StartMethod:
    """A call that decides how processes are started (`set_start_method`)."""


@dataclass(frozen=True, slots=True)
class LoadFile:
    """A read of a checkpoint; ``position`` is the index of `map_location`, ``keyword`` its name.

    One that ``falls_back`` reads to the host what it cannot read to the device it was saved from. What is
    ``published`` under a prefix of addresses was saved from the host.
    """

    position: int = 1
    keyword: str = "map_location"
    module: bool = False  # returns a module (`torch.jit.load`, `load_from_checkpoint`)
    falls_back: bool = False
    published: str = ""


@dataclass(frozen=True, slots=True)
class CopyFile:
    """A file that is copied or moved: from the first argument to the second."""


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file in memory (`io.BytesIO`): whoever reads it has what was in it already."""


@dataclass(frozen=True, slots=True)
class SaveFile:
    """A write of a checkpoint: the object is the argument ``value``, the path the argument ``path``."""

    value: int = 0
    path: int = 1
