"""What the analysis costs: each module with a function `figures` measures one thing."""
