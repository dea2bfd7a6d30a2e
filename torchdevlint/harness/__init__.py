"""Runs example scripts and looks at what happens: on the CPU, and on machines with accelerators, simulated or real."""

from __future__ import annotations
