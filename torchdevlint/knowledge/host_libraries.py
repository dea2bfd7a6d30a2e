"""Libraries that live on the host: what reads tensors as arrays, and what leaves its arguments alone."""

from __future__ import annotations

from torchdevlint.knowledge.rows import (
    Arguments,
    Clock,
    CopyFile,
    Environment,
    Leave,
    MemoryFile,
    ObjectType,
    OfProcess,
    Option,
    Plain,
    Quiet,
    ReadHost,
    Row,
    SetVariables,
    Transparent,
)
from torchdevlint.knowledge.words import words

_READ = ReadHost()
_READ_ALL = ReadHost(all_arguments=True)
_PLAIN = Plain()

# `np.mean`, `np.sum`, `np.max` and their like call the tensor's own method and fail on the host too: not here.
_NUMPY = words("""
array asarray asanyarray ascontiguousarray copy float32 float64 int32 int64
argmax argmin argsort sort unique median average ravel cumsum cumprod clip round abs sqrt exp log log10 log1p square
sign floor rint sin tanh isnan isinf isfinite nanmean nansum nanstd nanmax diff histogram bincount flatnonzero
atleast_1d diag flipud ptp nan_to_num linalg.norm random.permutation concatenate stack hstack vstack
""")

_NUMPY_ALL = words("dot matmul allclose isclose array_equal save savetxt maximum minimum corrcoef interp")

# A tensor has these methods itself and answers with them; of a list of tensors numpy makes an array.
_READ_LIST = ReadHost(only_lists=True)

CONVERTING = frozenset({"monai"})
"""`MetaTensor.__array_function__` in monai/data/meta_tensor.py."""

_PYPLOT = words(
    "plot scatter imshow hist bar barh errorbar fill_between step semilogy semilogx loglog contourf contour"
)
_PYPLOT += ["matshow", "pcolormesh", "boxplot", "violinplot", "stem", "pie", "hist2d"]

_SKLEARN = words("""
accuracy_score balanced_accuracy_score f1_score fbeta_score precision_score recall_score roc_auc_score roc_curve auc
average_precision_score precision_recall_curve precision_recall_fscore_support confusion_matrix classification_report
mean_squared_error mean_absolute_error r2_score log_loss cohen_kappa_score matthews_corrcoef jaccard_score
hamming_loss top_k_accuracy_score silhouette_score normalized_mutual_info_score adjusted_rand_score
""")

_PARSER = ObjectType(
    "ArgumentParser",
    methods={
        **dict.fromkeys(words("parse_args parse_known_args parse_intermixed_args"), Arguments()),
        **dict.fromkeys(words("add_argument_group add_mutually_exclusive_group"), Quiet()),
        "add_argument": Option(),
        **dict.fromkeys(words("set_defaults print_help format_help"), _PLAIN),
        **dict.fromkeys(words("error exit"), Leave()),
    },
)

# https://docs.python.org/3/library/unittest.html#unittest.TestCase.skipTest
_TEST = ObjectType("TestCase", methods=dict.fromkeys(words("skipTest fail"), Leave()))

_LOGGER = ObjectType(
    "Logger", methods=dict.fromkeys(words("debug info warning warn error exception critical log"), _PLAIN)
)

# https://docs.nvidia.com/cuda/cuda-c-programming-guide/#cuda-environment-variables
_ONCE = ("CUDA_VISIBLE_DEVICES",)

# https://docs.pytorch.org/docs/stable/elastic/run.html#environment-variables
_LOCAL = ("LOCAL_RANK",)

# https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
# https://docs.pytorch.org/docs/stable/debugging_environment_variables.html
_DEBUGGING = (
    ("CUDA_LAUNCH_BLOCKING", "the host waits for every kernel"),
    ("TORCH_SHOW_CPP_STACKTRACES", "every error collects a stack of C++"),
)

# Some results repeat only with these: https://docs.pytorch.org/docs/2.13/generated/torch.nn.LSTM.html
_REPEATS = ("CUDA_LAUNCH_BLOCKING",)

HOST_LIBRARIES: dict[str, Row] = {
    **{f"numpy.{name}": _READ for name in _NUMPY},
    **{f"numpy.{name}": _READ_ALL for name in _NUMPY_ALL},
    **{f"numpy.{name}": _READ_LIST for name in words("mean sum max min std var median average amax amin prod")},
    **{f"matplotlib.pyplot.{name}": _READ_ALL for name in _PYPLOT},
    **{f"sklearn.metrics.{name}": _READ_ALL for name in _SKLEARN},
    **dict.fromkeys(("pandas.DataFrame", "pandas.Series", "seaborn.heatmap"), _READ),
    **dict.fromkeys(("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm", "tqdm.std.tqdm"), Transparent()),
    **dict.fromkeys(
        ("itertools.islice", "itertools.cycle", "rich.progress.track", "more_itertools.peekable"),
        Transparent(),
    ),
    **dict.fromkeys(("argparse.ArgumentParser", "configargparse.ArgumentParser"), _PARSER),
    "logging.getLogger": _LOGGER,
    **dict.fromkeys(("unittest.TestCase", "unittest.IsolatedAsyncioTestCase"), _TEST),
    # https://docs.pytest.org/en/stable/reference/reference.html#functions
    **dict.fromkeys(words("pytest.skip pytest.xfail pytest.fail pytest.exit"), Leave()),
    **dict.fromkeys(words("sys.exit os._exit os.abort builtins.exit builtins.quit"), Leave()),
    **dict.fromkeys(("argparse.Namespace", "types.SimpleNamespace"), Arguments(holds=True)),
    **dict.fromkeys(
        words("""omegaconf.OmegaConf.load omegaconf.OmegaConf.create omegaconf.OmegaConf.from_cli
        omegaconf.OmegaConf.merge yacs.config.CfgNode absl.flags.FLAGS"""),
        Arguments(),
    ),
    **dict.fromkeys(
        words("""time.time time.time_ns time.perf_counter time.perf_counter_ns time.monotonic time.monotonic_ns
        timeit.default_timer"""),
        Clock(),
    ),
    **dict.fromkeys(words("shutil.copy shutil.copy2 shutil.copyfile shutil.move os.rename os.replace"), CopyFile()),
    "io.BytesIO": MemoryFile(),
    "os.environ": Environment(_ONCE, _LOCAL, _DEBUGGING, _REPEATS),
    **dict.fromkeys(("os.getenv", "os.environ.get"), OfProcess(local=_LOCAL)),
    "os.environ.update": SetVariables(_ONCE, mapping=True, debugging=_DEBUGGING, repeats=_REPEATS),
    "os.putenv": SetVariables(_ONCE, debugging=_DEBUGGING, repeats=_REPEATS),
    **dict.fromkeys(("print", "builtins.print"), _PLAIN),
}

# Context managers of test frameworks whose block has to fail, and decorators of tests that have to.
EXPECTATIONS = frozenset({"raises", "assertRaises", "assertRaisesRegex", "expectedFailure", "xfail"})

# Decorators of tests that nothing runs.
SKIPS = frozenset({"unittest.skip", "pytest.mark.skip"})

INERT = tuple(
    f"{module}."
    for module in words("""
    os sys math time random json logging warnings pathlib shutil glob re string datetime csv pprint traceback
    subprocess gc platform getpass socket signal tempfile argparse inspect textwrap struct hashlib uuid
    numpy matplotlib seaborn pandas scipy sklearn PIL cv2 wandb mlflow neptune comet_ml tensorboardX psutil tabulate
    loguru absl.logging termcolor rich colorama torchsummary torchvision.transforms torch.utils.tensorboard
    torch.backends torch.version torch.cuda.nvtx torch.onnx
    """)
)

# Prefixes of names whose calls give host arrays.
ARRAYS = ("numpy.",)

PROCESSES = (
    *("subprocess.", "multiprocessing.", "torch.multiprocessing.", "concurrent.futures.", "ray.", "joblib."),
    *("os.system", "os.popen", "os.exec", "os.spawn", "os.posix_spawn", "os.fork"),
    *("torch.distributed.launch", "torch.distributed.elastic", "accelerate.notebook_launcher"),
)

# What reads a file and decodes it: work for the workers of a loader.
FILE_READS = frozenset(
    words("""
    PIL.Image.open cv2.imread cv2.VideoCapture torchvision.io.read_image torchvision.io.decode_image
    torchvision.io.read_video torchaudio.load soundfile.read librosa.load scipy.io.wavfile.read scipy.io.loadmat
    skimage.io.imread imageio.imread imageio.v2.imread imageio.v3.imread tifffile.imread numpy.load numpy.loadtxt
    numpy.genfromtxt pandas.read_csv nibabel.load pydicom.dcmread rasterio.open h5py.File
    """)
)
