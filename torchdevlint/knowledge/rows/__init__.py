"""The kinds of knowledge row: what a call does to devices, as typed data. Each has one transfer function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from torchdevlint.knowledge.rows.libraries import (
    Batches,
    Build,
    Carrier,
    Distribution,
    Feed,
    FrameworkDevice,
    Given,
    MoveHelper,
    ObjectType,
    Precision,
    Prepare,
    Result,
    Sample,
    Transparent,
    TreeMap,
)
from torchdevlint.knowledge.rows.modules import (
    AddGroup,
    Arrives,
    ContainerKind,
    Exchange,
    Freeze,
    GroupsOf,
    HoldParameters,
    LoadState,
    Mode,
    ModuleType,
    OptimizerType,
    ParameterType,
    Placing,
    Register,
    RegisterKind,
    Replicas,
    StateOf,
    Step,
    Submodules,
    Switch,
    Visit,
)
from torchdevlint.knowledge.rows.runtime import (
    Arguments,
    Autocast,
    Begin,
    Clock,
    Collate,
    Collective,
    Conversion,
    CopyFile,
    Count,
    CurrentDevice,
    DatasetType,
    Debugging,
    DefaultDevice,
    DeviceContext,
    DeviceNumber,
    DeviceType,
    Draw,
    Environment,
    EnvironmentRow,
    GeneratorType,
    GradMode,
    Leave,
    LoaderType,
    LoadFile,
    MemoryFile,
    NoGrad,
    OfProcess,
    Option,
    Query,
    SaveFile,
    SetDevice,
    SetVariables,
    StartMethod,
    StartProcesses,
    WorkerInfo,
)
from torchdevlint.knowledge.rows.tensors import (
    Backward,
    Cast,
    Combine,
    Convert,
    Differentiate,
    Follow,
    Like,
    Loss,
    Make,
    Mix,
    Move,
    MoveKind,
    Plain,
    PutAt,
    Quiet,
    RankRule,
    ReadHost,
    RunForward,
    Unpack,
)
from torchdevlint.records import dataclass

Row: TypeAlias = (
    Make
    | Distribution
    | Sample
    | Like
    | Unpack
    | Convert
    | Follow
    | Combine
    | Loss
    | Move
    | Cast
    | ReadHost
    | Plain
    | PutAt
    | Query
    | Count
    | DeviceType
    | CurrentDevice
    | SetDevice
    | DefaultDevice
    | ModuleType
    | Option
    | OptimizerType
    | DatasetType
    | LoaderType
    | LoadFile
    | SaveFile
    | CopyFile
    | MemoryFile
    | NoGrad
    | GradMode
    | Autocast
    | Clock
    | Collate
    | Conversion
    | AddGroup
    | StateOf
    | GroupsOf
    | Exchange
    | Freeze
    | DeviceContext
    | Transparent
    | TreeMap
    | ParameterType
    | MoveHelper
    | ObjectType
    | Build
    | Prepare
    | Result
    | Batches
    | Feed
    | Given
    | FrameworkDevice
    | Arguments
    | EnvironmentRow
    | GeneratorType
    | Draw
    | Quiet
    | HoldParameters
    | Register
    | Submodules
    | Visit
    | Step
    | LoadState
    | Mode
    | Backward
    | Differentiate
    | RunForward
    | WorkerInfo
    | StartMethod
    | StartProcesses
    | Begin
    | Leave
    | Environment
    | SetVariables
    | Debugging
    | OfProcess
    | DeviceNumber
    | Collective
)


@dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    """Everything that rows tell, as one value passed into the engine.

    ``names`` maps canonical dotted names to rows; ``aliases`` rewrites prefixes of dotted names to canonical
    ones, longest first; ``tensor`` maps method names of a tensor, ``tensor_attributes`` its attributes;
    ``module`` and ``optimizer`` map method names likewise. ``tensor_only`` are methods and attributes that
    prove a tensor (no array, list, dict, string or module has them), ``module_only`` those that prove a
    module, ``not_of_all`` those of ``module`` that some modules only have.
    ``inert`` are prefixes of modules whose functions leave their arguments alone,
    ``arrays`` of those whose functions give host arrays.
    ``implies_accelerator`` are modules whose import shows that CUDA is there,
    ``extensions`` endings of names of compiled extensions, which show it too; ``converting`` those whose tensors are of
    a class of their own that functions of NumPy take from anywhere. ``dtypes`` are the values that
    stand where a device may and are none, ``half`` those that only accelerators reckon with, ``spreads`` texts that
    stand there and mean several devices. ``by_star`` are packages that a name means which `from … import *` brought.
    ``expectations`` are marks of code that is meant to fail, ``skips`` those of tests that nothing runs.
    ``file_reads`` are functions that read a file and decode it. ``processes`` are prefixes of calls that start other
    processes.
    ``default_device`` is where tensors are made that are given no device, if that is not the host.
    ``module_call`` is the method that calling a module runs, ``module_mode`` the attribute that tells whether it
    trains; a class that overrides one of ``module_overrides`` moves what it likes, one of ``state_overrides`` names its
    state as it likes.
    """

    names: Mapping[str, Row]
    tensor: Mapping[str, Row]
    tensor_attributes: Mapping[str, Row]
    module: Mapping[str, Row]
    optimizer: Mapping[str, Row]
    tensor_only: frozenset[str]
    module_only: frozenset[str]
    module_call: str
    module_mode: str
    dtypes: frozenset[str]
    half: frozenset[str]
    module_overrides: tuple[str, ...]
    state_overrides: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...]
    inert: tuple[str, ...]
    arrays: tuple[str, ...]
    implies_accelerator: frozenset[str]
    extensions: tuple[str, ...]
    converting: frozenset[str]
    processes: tuple[str, ...]
    expectations: frozenset[str]
    skips: frozenset[str]
    no_places: tuple[str, ...]
    not_of_all: frozenset[str]
    file_reads: frozenset[str]
    spreads: frozenset[str]
    by_star: tuple[str, ...] = ()
    default_device: str = ""


__all__ = [
    "AddGroup",
    "Arguments",
    "Arrives",
    "Autocast",
    "Backward",
    "Batches",
    "Begin",
    "Build",
    "Carrier",
    "Cast",
    "Clock",
    "Collate",
    "Collective",
    "Combine",
    "ContainerKind",
    "Conversion",
    "Convert",
    "CopyFile",
    "Count",
    "CurrentDevice",
    "DatasetType",
    "Debugging",
    "DefaultDevice",
    "DeviceContext",
    "DeviceNumber",
    "DeviceType",
    "Differentiate",
    "Distribution",
    "Draw",
    "Environment",
    "EnvironmentRow",
    "Exchange",
    "Feed",
    "Follow",
    "FrameworkDevice",
    "Freeze",
    "GeneratorType",
    "Given",
    "GradMode",
    "GroupsOf",
    "HoldParameters",
    "Knowledge",
    "Leave",
    "Like",
    "LoadFile",
    "LoadState",
    "LoaderType",
    "Loss",
    "Make",
    "MemoryFile",
    "Mix",
    "Mode",
    "ModuleType",
    "Move",
    "MoveHelper",
    "MoveKind",
    "NoGrad",
    "ObjectType",
    "OfProcess",
    "OptimizerType",
    "Option",
    "ParameterType",
    "Placing",
    "Plain",
    "Precision",
    "Prepare",
    "PutAt",
    "Query",
    "Quiet",
    "RankRule",
    "ReadHost",
    "Register",
    "RegisterKind",
    "Replicas",
    "Result",
    "Row",
    "RunForward",
    "Sample",
    "SaveFile",
    "SetDevice",
    "SetVariables",
    "StartMethod",
    "StartProcesses",
    "StateOf",
    "Step",
    "Submodules",
    "Switch",
    "Transparent",
    "TreeMap",
    "Unpack",
    "Visit",
    "WorkerInfo",
]
