"""PyTorch Geometric and DGL: graphs that carry tensors, and layers that take them."""

from __future__ import annotations

from torchdevlint.knowledge.rows import (
    Build,
    Carrier,
    Combine,
    DatasetType,
    Follow,
    LoaderType,
    Mix,
    ModuleType,
    ObjectType,
    Plain,
    RankRule,
    Row,
)
from torchdevlint.knowledge.words import words

_TENSOR = Follow(rank=RankRule.UNKNOWN)

DATA = ObjectType(
    "Data",
    methods=dict.fromkeys(words("is_undirected has_isolated_nodes has_self_loops validate"), Plain()),
    attributes={
        **dict.fromkeys(
            words("""x y edge_index edge_attr edge_weight pos batch ptr train_mask val_mask test_mask edge_label
            edge_label_index n_id"""),
            _TENSOR,
        ),
        **dict.fromkeys(words("num_nodes num_edges num_features num_node_features num_graphs batch_size"), Plain()),
    },
    carrier=Carrier.IN_PLACE,
)

GRAPH = ObjectType(
    "DGLGraph",
    methods=dict.fromkeys(
        words("num_nodes num_edges number_of_nodes number_of_edges batch_num_nodes apply_edges update_all"), Plain()
    ),
    carrier=Carrier.COPY,
)

_CONV = ModuleType(inputs=("x", "edge_index"), output="opaque")
_LOADER = LoaderType()

_CONVOLUTIONS = words("""
GCNConv GATConv GATv2Conv SAGEConv GINConv GINEConv ChebConv GraphConv SGConv TAGConv APPNP ARMAConv TransformerConv
RGCNConv NNConv EdgeConv PointNetConv GatedGraphConv ClusterGCNConv FastRGCNConv GENConv PNAConv GCN2Conv
""")

_LOADERS = words("""
DataLoader NeighborLoader NeighborSampler ClusterLoader GraphSAINTRandomWalkSampler LinkNeighborLoader HGTLoader
DataListLoader RandomNodeLoader
""")

_DATASETS = words("""
Planetoid TUDataset ModelNet ShapeNet QM9 ZINC Reddit Flickr Yelp PPI CoraFull Amazon Coauthor KarateClub MoleculeNet
GNNBenchmarkDataset MNISTSuperpixels Entities WikiCS
""")

_GEOMETRIC: dict[str, Row] = {
    "data.Data": DATA,
    "data.HeteroData": DATA,
    "data.Batch": DATA,
    "data.Batch.from_data_list": Build(DATA),
    "data.Dataset": DatasetType(graphs=True),
    "data.InMemoryDataset": DatasetType(graphs=True),
    "data.DataLoader": _LOADER,
    **{f"loader.{name}": _LOADER for name in _LOADERS},
    **{f"datasets.{name}": DatasetType(graphs=True) for name in _DATASETS},
    **{f"nn.{name}": _CONV for name in _CONVOLUTIONS},
    "nn.MessagePassing": ModuleType(abstract=True, inputs=(), output="opaque"),
    **dict.fromkeys(
        ("nn.global_mean_pool", "nn.global_add_pool", "nn.global_max_pool"),
        Combine(operands=("x", "batch"), mix=Mix.STRICT, rank=RankRule.VECTOR),
    ),
}

_DGL: dict[str, Row] = {
    "DGLGraph": GRAPH,
    "graph": Build(GRAPH),
    "heterograph": Build(GRAPH),
    "batch": Build(GRAPH),
    **dict.fromkeys(
        words("add_self_loop remove_self_loop to_bidirected add_reverse_edges"), Build(GRAPH, follows=True)
    ),
    "dataloading.GraphDataLoader": _LOADER,
    "dataloading.DataLoader": _LOADER,
}

GEOMETRIC: dict[str, Row] = {
    **{f"torch_geometric.{name}": row for name, row in _GEOMETRIC.items()},
    **{f"dgl.{name}": row for name, row in _DGL.items()},
}
