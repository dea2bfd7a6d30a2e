"""Derives rows of knowledge from the installed PyTorch: from its signatures, and from what it does on the simulator."""
