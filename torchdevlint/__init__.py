"""Static detection of PyTorch device bugs, as a flake8 plugin (codes TDLnnn)."""

from __future__ import annotations

__version__ = "0.1.0"
