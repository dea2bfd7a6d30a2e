"""torchvision and timm: models, datasets, image helpers."""

from __future__ import annotations

from torchdevlint.knowledge.rows import (
    Build,
    Combine,
    DatasetType,
    Follow,
    Loss,
    Make,
    Mix,
    ModuleType,
    ObjectType,
    Plain,
    RankRule,
    Row,
)
from torchdevlint.knowledge.words import words

_CLASSIFIER = ModuleType(inputs=("x",))
_OPAQUE = ModuleType(inputs=(), output="opaque")

_MODELS = words("""
alexnet vgg11 vgg11_bn vgg13 vgg13_bn vgg16 vgg16_bn vgg19 vgg19_bn resnet18 resnet34 resnet50 resnet101 resnet152
resnext50_32x4d resnext101_32x8d resnext101_64x4d wide_resnet50_2 wide_resnet101_2 squeezenet1_0 squeezenet1_1
densenet121 densenet161 densenet169 densenet201 mobilenet_v2 mobilenet_v3_large mobilenet_v3_small mnasnet0_5
mnasnet1_0 shufflenet_v2_x0_5 shufflenet_v2_x1_0 efficientnet_b0 efficientnet_b1 efficientnet_b2 efficientnet_b3
efficientnet_b4 efficientnet_b5 efficientnet_b6 efficientnet_b7 efficientnet_v2_s efficientnet_v2_m efficientnet_v2_l
regnet_y_400mf regnet_y_16gf convnext_tiny convnext_small convnext_base convnext_large vit_b_16 vit_b_32 vit_l_16
vit_l_32 swin_t swin_s swin_b swin_v2_t maxvit_t get_model
""")

_OPAQUE_MODELS = words("""
inception_v3 googlenet detection.fasterrcnn_resnet50_fpn detection.maskrcnn_resnet50_fpn
detection.keypointrcnn_resnet50_fpn detection.retinanet_resnet50_fpn detection.ssd300_vgg16 detection.fcos_resnet50_fpn
segmentation.deeplabv3_resnet50 segmentation.deeplabv3_resnet101 segmentation.fcn_resnet50 segmentation.fcn_resnet101
segmentation.lraspp_mobilenet_v3_large video.r3d_18 video.mc3_18 video.r2plus1d_18
""")

_DATASETS = words("""
MNIST FashionMNIST KMNIST EMNIST QMNIST CIFAR10 CIFAR100 SVHN STL10 ImageFolder DatasetFolder ImageNet FakeData
CelebA Caltech101 Caltech256 Food101 Flowers102 OxfordIIITPet StanfordCars FGVCAircraft GTSRB Places365 LSUN
CocoDetection CocoCaptions VOCDetection VOCSegmentation Cityscapes VisionDataset Omniglot USPS SBDataset
""")

_TORCHVISION: dict[str, Row] = {
    **{f"models.{name}": Build(_CLASSIFIER) for name in _MODELS},
    **{f"models.{name}": Build(_OPAQUE) for name in _OPAQUE_MODELS},
    **dict.fromkeys(words("models.ResNet models.VGG models.DenseNet models.VisionTransformer"), _CLASSIFIER),
    **{f"datasets.{name}": DatasetType(whole=True) for name in _DATASETS},
    "utils.save_image": Plain(),
    "utils.make_grid": Follow(rank=RankRule.UNKNOWN, graph=False),
    "ops.box_iou": Combine(operands=("boxes1", "boxes2"), rank=RankRule.VECTOR),
    "ops.nms": Combine(operands=("boxes", "scores"), mix=Mix.STRICT, rank=RankRule.ONE, graph=False),
}

_TO_TENSOR = Make(rank=RankRule.VECTOR, always_host=True)
_FOLLOW = Follow(rank=RankRule.UNKNOWN)
_PIPELINE = ObjectType("transform", pipeline=True)

# An image of another library becomes a host tensor; what takes either gives what it got.
_TRANSFORMS: dict[str, Row] = {
    **dict.fromkeys(words("ToTensor PILToTensor ToImage"), ObjectType("transform", call=_TO_TENSOR)),
    **dict.fromkeys(words("functional.to_tensor functional.pil_to_tensor functional.to_image"), _TO_TENSOR),
    **dict.fromkeys(
        words("""Normalize Resize CenterCrop RandomCrop RandomResizedCrop RandomHorizontalFlip RandomVerticalFlip
        RandomRotation RandomAffine RandomPerspective RandomErasing ColorJitter Grayscale RandomGrayscale GaussianBlur
        Pad ConvertImageDtype ToDtype RandomInvert RandomPosterize RandomSolarize RandomAdjustSharpness
        RandomAutocontrast RandomEqualize AutoAugment RandAugment TrivialAugmentWide AugMix"""),
        ObjectType("transform", call=_FOLLOW),
    ),
    **dict.fromkeys(
        (
            "functional." + name
            for name in words("""normalize resize center_crop crop hflip vflip rotate pad affine perspective erase
            rgb_to_grayscale adjust_brightness adjust_contrast adjust_saturation adjust_hue adjust_gamma gaussian_blur
            convert_image_dtype to_dtype""")
        ),
        _FOLLOW,
    ),
    "Compose": _PIPELINE,
    "Lambda": _PIPELINE,
}

VISION: dict[str, Row] = {
    **{f"torchvision.transforms.{name}": row for name, row in _TRANSFORMS.items()},
    **{f"torchvision.{name}": row for name, row in _TORCHVISION.items()},
    "timm.create_model": Build(ModuleType(inputs=("x",), output="opaque")),
    "timm.loss.LabelSmoothingCrossEntropy": ModuleType(
        holds_tensors=False, inputs=("x", "target"), loss=Loss(operands=("x", "target"), strict=True)
    ),
    "timm.loss.SoftTargetCrossEntropy": ModuleType(
        holds_tensors=False, inputs=("x", "target"), loss=Loss(operands=("x", "target"))
    ),
}
