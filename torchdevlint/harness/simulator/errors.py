"""What a simulated run raises: device errors as PyTorch words them, and what cannot be simulated."""

from __future__ import annotations

import re

DEVICE_MISMATCH = (
    r"(Expected all tensors to be on the same device"
    r"|indices should be either on"
    r"|expected self and mask to be on the same device"
    r"|Input type \(torch\..*\) and (weight|bias) type"
    r"|are not at the same device"
    r"|Expected query, key, and value to have the same device)"
)
"""A regular expression that finds each message about tensors on different devices.

The messages stand in the binaries of torch 2.13; before 2.9 the first one went on with other words.
"""

_OTHER_DEVICE_ERRORS = (
    r"(can't convert cuda:\d+ device type tensor to numpy"
    r"|'lengths' argument should be a 1D CPU int64 tensor"
    r"|Expected a '\w+' device type for generator but found"
    r"|cannot pin 'torch\.cuda\."
    r"|module must have its parameters and buffers on device"
    r"|attempting to assign a gradient with device type"
    r"|invalid gradient at index \d+ - expected device"
    r"|Trying to pass too many CPU scalars to non-CPU kernel"
    r"|Attempting to deserialize object on (a )?CUDA device"
    r"|Cannot re-initialize CUDA in forked subprocess"
    r"|No CUDA GPUs are available"
    r"|invalid device ordinal"
    r"|Expected out tensor to have device"
    r"|Expected tensor to have \w+ DeviceType, but got tensor with"
    r"|CUDA error: initialization error"
    r"|same device)"  # checks of single operations, such as those of grid_sample and meshgrid
)


class SimulationError(RuntimeError):
    """The script does what cannot be simulated, so nothing can be said about it; the message names the feature."""


def is_device_error(error: BaseException) -> bool:
    """Whether the exception is one that PyTorch raises for tensors, modules or processes at the wrong device."""
    if isinstance(error, SimulationError):
        return False
    message = str(error)
    return re.search(DEVICE_MISMATCH, message) is not None or re.search(_OTHER_DEVICE_ERRORS, message) is not None
