"""torchvision and timm: models, datasets, transforms, operations on boxes.

Sources: the documentation of torchvision 0.28 (models, transforms, `torchvision.ops`, `torchvision.io`); timm/loss.
"""

from __future__ import annotations

from torchdevlint.knowledge.rows import (
    Build,
    Combine,
    Convert,
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
_SEGMENTER = ModuleType(inputs=("x",), output="opaque")
_OPAQUE = ModuleType(inputs=(), output="opaque")
_DETECTOR = ModuleType(inputs=("images",), output="opaque")
_LAYER = ModuleType(inputs=("input",))
_EMPTY = ModuleType(holds_tensors=False)

_MODELS = words("""
alexnet vgg11 vgg11_bn vgg13 vgg13_bn vgg16 vgg16_bn vgg19 vgg19_bn resnet18 resnet34 resnet50 resnet101 resnet152
resnext50_32x4d resnext101_32x8d resnext101_64x4d wide_resnet50_2 wide_resnet101_2 squeezenet1_0 squeezenet1_1
densenet121 densenet161 densenet169 densenet201 mobilenet_v2 mobilenet_v3_large mobilenet_v3_small mnasnet0_5
mnasnet0_75 mnasnet1_0 mnasnet1_3 shufflenet_v2_x0_5 shufflenet_v2_x1_0 shufflenet_v2_x1_5 shufflenet_v2_x2_0
efficientnet_b0 efficientnet_b1 efficientnet_b2 efficientnet_b3
efficientnet_b4 efficientnet_b5 efficientnet_b6 efficientnet_b7 efficientnet_v2_s efficientnet_v2_m efficientnet_v2_l
regnet_x_400mf regnet_x_800mf regnet_x_1_6gf regnet_x_3_2gf regnet_x_8gf regnet_x_16gf regnet_x_32gf regnet_y_400mf
regnet_y_800mf regnet_y_1_6gf regnet_y_3_2gf regnet_y_8gf regnet_y_16gf regnet_y_32gf regnet_y_128gf
convnext_tiny convnext_small convnext_base convnext_large vit_b_16 vit_b_32 vit_l_16
vit_l_32 vit_h_14 swin_t swin_s swin_b swin_v2_t swin_v2_s swin_v2_b maxvit_t
video.r3d_18 video.mc3_18 video.r2plus1d_18 video.s3d video.mvit_v1_b video.mvit_v2_s video.swin3d_t video.swin3d_s
video.swin3d_b
""")

_OPAQUE_MODELS = words("""
inception_v3 googlenet segmentation.deeplabv3_resnet50 segmentation.deeplabv3_resnet101
segmentation.deeplabv3_mobilenet_v3_large segmentation.fcn_resnet50 segmentation.fcn_resnet101
segmentation.lraspp_mobilenet_v3_large
""")

_DETECTORS = words("""
fasterrcnn_resnet50_fpn fasterrcnn_resnet50_fpn_v2 fasterrcnn_mobilenet_v3_large_fpn
fasterrcnn_mobilenet_v3_large_320_fpn maskrcnn_resnet50_fpn maskrcnn_resnet50_fpn_v2 keypointrcnn_resnet50_fpn
retinanet_resnet50_fpn retinanet_resnet50_fpn_v2 ssd300_vgg16 ssdlite320_mobilenet_v3_large fcos_resnet50_fpn
""")

# The position of what is given by its name only.
_BY_NAME = -2

# Data sets whose items are images and the numbers of their classes, with the position of the transform.
_CLASSES = {
    **dict.fromkeys(words("MNIST FashionMNIST KMNIST CIFAR10 CIFAR100 USPS SVHN Omniglot FER2013 PCAM"), 2),
    **dict.fromkeys(words("STL10 FakeData"), 3),
    "EMNIST": _BY_NAME,
}

# Those of which each item is a file.
_CLASSES_OF_FILES = {
    **dict.fromkeys(words("ImageFolder EuroSAT SUN397 Caltech256"), 1),
    **dict.fromkeys(words("StanfordCars GTSRB RenderedSST2 Country211 Food101 Flowers102"), 2),
    **dict.fromkeys(words("DTD FGVCAircraft"), 3),
    **dict.fromkeys(words("Places365 Imagenette"), 4),
    "ImageNet": _BY_NAME,
}

# Those whose labels are images, boxes, or one of several kinds.
_LABELLED_FILES = {
    **dict.fromkeys(words("CocoDetection CocoCaptions Kitti"), 2),
    "CelebA": 3,
    **dict.fromkeys(words("OxfordIIITPet VOCDetection VOCSegmentation Cityscapes"), 4),
}
_FOLDERS = words("DatasetFolder Caltech101 SBDataset LFWPeople INaturalist UCF101 HMDB51 Kinetics")

_TORCHVISION: dict[str, Row] = {
    **{f"models.{name}": Build(_CLASSIFIER) for name in _MODELS},
    **{f"models.{name}": Build(_SEGMENTER) for name in _OPAQUE_MODELS},
    **{f"models.detection.{name}": Build(_DETECTOR) for name in _DETECTORS},
    "models.get_model": Build(_OPAQUE),
    **dict.fromkeys(words("models.ResNet models.VGG models.DenseNet models.VisionTransformer"), _CLASSIFIER),
    **{f"datasets.{name}": DatasetType(whole=True) for name in words("QMNIST LSUN VisionDataset")},
    **{f"datasets.{name}": DatasetType(whole=True, reads=True) for name in _FOLDERS},
    **{f"datasets.{name}": DatasetType(whole=True, transform=at) for name, at in _CLASSES.items()},
    **{f"datasets.{name}": DatasetType(whole=True, reads=True, transform=at) for name, at in _CLASSES_OF_FILES.items()},
    **{
        f"datasets.{name}": DatasetType(whole=True, reads=True, transform=at, numbered=False)
        for name, at in _LABELLED_FILES.items()
    },
    "utils.save_image": Plain(),
    "utils.make_grid": Follow(rank=RankRule.UNKNOWN, graph=False),
    **dict.fromkeys(
        words("utils.draw_bounding_boxes utils.draw_segmentation_masks utils.draw_keypoints"),
        Follow(rank=RankRule.UNKNOWN, graph=False),
    ),
    **dict.fromkeys(
        words("ops.box_iou ops.generalized_box_iou ops.distance_box_iou ops.complete_box_iou"),
        Combine(operands=("boxes1", "boxes2"), rank=RankRule.VECTOR),
    ),
    **dict.fromkeys(
        words("ops.generalized_box_iou_loss ops.distance_box_iou_loss ops.complete_box_iou_loss"),
        Loss(operands=("boxes1", "boxes2"), targets=("boxes2",)),
    ),
    "ops.sigmoid_focal_loss": Loss(operands=("inputs", "targets"), targets=("targets",)),
    **dict.fromkeys(
        words("ops.nms ops.batched_nms"),
        Combine(operands=("boxes", "scores"), mix=Mix.STRICT, rank=RankRule.ONE, graph=False),
    ),
    **dict.fromkeys(
        words("ops.roi_align ops.roi_pool ops.ps_roi_align ops.ps_roi_pool"),
        Combine(operands=("input", "boxes"), mix=Mix.STRICT, rank=RankRule.VECTOR),
    ),
    **dict.fromkeys(
        words("ops.box_convert ops.box_area ops.clip_boxes_to_image ops.masks_to_boxes ops.remove_small_boxes"),
        Follow(rank=RankRule.UNKNOWN),
    ),
    **dict.fromkeys(
        words("ops.SqueezeExcitation ops.Conv2dNormActivation ops.Conv3dNormActivation ops.MLP ops.FrozenBatchNorm2d"),
        _LAYER,
    ),
    **dict.fromkeys(words("ops.StochasticDepth ops.DropBlock2d ops.DropBlock3d ops.Permute"), _EMPTY),
    **dict.fromkeys(words("io.read_image io.decode_image"), Make(rank=RankRule.VECTOR, always_host=True)),
    **dict.fromkeys(words("tv_tensors.Image tv_tensors.Mask tv_tensors.BoundingBoxes tv_tensors.Video"), Convert()),
}

_TO_TENSOR = Make(rank=RankRule.VECTOR, always_host=True)
_FOLLOW = Follow(rank=RankRule.UNKNOWN)
_PIPELINE = ObjectType("transform", pipeline="transforms")

# An image of another library becomes a host tensor; what takes either gives what it got.
_TRANSFORMS: dict[str, Row] = {
    **dict.fromkeys(words("ToTensor PILToTensor ToImage"), ObjectType("transform", call=_TO_TENSOR)),
    **dict.fromkeys(words("functional.to_tensor functional.pil_to_tensor functional.to_image"), _TO_TENSOR),
    **dict.fromkeys(
        words("""Normalize Resize CenterCrop RandomCrop RandomResizedCrop RandomHorizontalFlip RandomVerticalFlip
        RandomRotation RandomAffine RandomPerspective RandomErasing ColorJitter Grayscale RandomGrayscale GaussianBlur
        Pad ConvertImageDtype ToDtype RandomInvert RandomPosterize RandomSolarize RandomAdjustSharpness
        RandomAutocontrast RandomEqualize AutoAugment RandAugment TrivialAugmentWide AugMix ElasticTransform JPEG RGB
        GaussianNoise Identity RandomChannelPermutation RandomPhotometricDistort RandomResize RandomShortestSize
        RandomZoomOut ScaleJitter UniformTemporalSubsample"""),
        ObjectType("transform", call=_FOLLOW),
    ),
    **dict.fromkeys(
        (
            "functional." + name
            for name in words("""normalize resize center_crop crop hflip vflip rotate pad affine perspective erase
            resized_crop autocontrast equalize invert posterize solarize elastic adjust_sharpness
            gaussian_noise permute_channels horizontal_flip vertical_flip
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
    **dict.fromkeys(
        words("timm.loss.AsymmetricLossMultiLabel timm.loss.AsymmetricLossSingleLabel"),
        ModuleType(holds_tensors=False, inputs=("x", "y"), loss=Loss(operands=("x", "y"), targets=("y",))),
    ),
    "timm.loss.LabelSmoothingCrossEntropy": ModuleType(
        holds_tensors=False, inputs=("x", "target"), loss=Loss(operands=("x", "target"), strict=True)
    ),
    "timm.loss.SoftTargetCrossEntropy": ModuleType(
        holds_tensors=False, inputs=("x", "target"), loss=Loss(operands=("x", "target"))
    ),
}
