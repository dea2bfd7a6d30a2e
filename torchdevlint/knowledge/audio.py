"""torchaudio: transforms that hold a window, a filter bank or a kernel, and reading of files.

Sources: torchaudio/transforms/_transforms.py (`register_buffer`); that the buffers have to be where the waveform is was
measured with torchaudio 2.11, and for windows stands in ATen/native/SpectralOps.cpp.
"""

from __future__ import annotations

from torchdevlint.knowledge.rows import ModuleType, RankRule, Row
from torchdevlint.knowledge.words import words

_EMPTY = ModuleType(holds_tensors=False, returns=RankRule.SAME)

_TRANSFORMS: dict[str, ModuleType] = {
    **dict.fromkeys(
        words("Spectrogram MelSpectrogram MFCC LFCC Resample PitchShift SpectralCentroid"),
        ModuleType(inputs=("waveform",)),
    ),
    **dict.fromkeys(words("GriffinLim InverseSpectrogram MelScale TimeStretch"), ModuleType(inputs=("specgram",))),
    "Speed": ModuleType(inputs=("waveform",), output="opaque"),
    **dict.fromkeys(
        words("""AmplitudeToDB ComputeDeltas Deemphasis Fade FrequencyMasking MuLawDecoding MuLawEncoding Preemphasis
        SlidingWindowCmn TimeMasking Vol"""),
        _EMPTY,
    ),
}

AUDIO: dict[str, Row] = {f"torchaudio.transforms.{name}": row for name, row in _TRANSFORMS.items()}
