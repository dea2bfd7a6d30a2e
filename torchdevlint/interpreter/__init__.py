"""The abstract interpreter: it knows Python, and asks rows and transfer functions about everything else."""
