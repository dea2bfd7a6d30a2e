"""Runs scripts on the CPU, on a simulated accelerator or on a real one, and compares with what they declare."""
