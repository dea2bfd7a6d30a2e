"""Training programs written at random, run on a simulated GPU, and compared with what the linter says of them.

`python -m tests.differential --programs 20000 --seed 1 -j 2` compares that many; `tests/test_differential.py` a few.
"""
