"""Transformers: models that know their device, tokenizers whose output moves in place, the Trainer."""

from __future__ import annotations

from torchdevlint.knowledge.rows import (
    Arguments,
    Arrives,
    Build,
    Carrier,
    Follow,
    Given,
    Make,
    ModuleType,
    ObjectType,
    Placing,
    Plain,
    RankRule,
    Row,
)
from torchdevlint.knowledge.words import words

_PLAIN = Plain()
_TENSOR = Follow(rank=RankRule.UNKNOWN)

# Models move labels themselves, so labels are no inputs here.
MODEL = ModuleType(
    inputs=(
        *("input_ids", "attention_mask", "token_type_ids"),
        *("pixel_values", "input_values", "input_features", "decoder_input_ids"),
    ),
    output="opaque",
    moves_inputs=("generate",),  # transformers/generation/utils.py, `prepare_inputs_for_generation`
    has_device=True,
)

# https://huggingface.co/docs/accelerate/concept_guides/big_model_inference
SPREADS = frozenset({"auto", "balanced", "balanced_low_0", "sequential"})
PLACED_BY = ("device_map", "load_in_8bit", "load_in_4bit", "quantization_config")

BATCH_ENCODING = ObjectType(
    "BatchEncoding",
    methods=dict.fromkeys(words("word_ids tokens char_to_token token_to_chars sequence_ids"), _PLAIN),
    attributes=dict.fromkeys(
        words("""input_ids attention_mask token_type_ids pixel_values input_values input_features special_tokens_mask
        labels pixel_mask"""),
        _TENSOR,
    ),
    carrier=Carrier.IN_PLACE,
    on_host=True,
    placed_by=("device",),  # of fast image processors
)

_TOKENIZER = ObjectType(
    "tokenizer",
    methods={
        **dict.fromkeys(words("encode_plus batch_encode_plus pad"), Build(BATCH_ENCODING)),
        "apply_chat_template": Given("return_tensors", Build(BATCH_ENCODING)),
        "encode": Given("return_tensors", Make(rank=RankRule.VECTOR, always_host=True)),
        **dict.fromkeys(
            words("""decode batch_decode convert_ids_to_tokens convert_tokens_to_ids convert_tokens_to_string tokenize
            add_tokens add_special_tokens save_pretrained get_vocab"""),
            _PLAIN,
        ),
    },
    attributes=dict.fromkeys(
        words("""pad_token pad_token_id eos_token eos_token_id bos_token bos_token_id sep_token_id cls_token_id
        mask_token mask_token_id unk_token_id vocab_size padding_side model_max_length all_special_ids vocab"""),
        _PLAIN,
    ),
    call=Build(BATCH_ENCODING),
)

_AUTO_MODELS = words("""
AutoModel AutoModelForCausalLM AutoModelForSeq2SeqLM AutoModelForMaskedLM AutoModelForSequenceClassification
AutoModelForTokenClassification AutoModelForQuestionAnswering AutoModelForMultipleChoice
AutoModelForNextSentencePrediction
AutoModelForImageClassification AutoModelForObjectDetection AutoModelForSemanticSegmentation AutoModelForCTC
AutoModelForSpeechSeq2Seq AutoModelForAudioClassification AutoModelForVision2Seq AutoModelForImageTextToText
AutoModelWithLMHead AutoModelForPreTraining AutoModelForMaskGeneration AutoModelForDepthEstimation
AutoModelForVideoClassification AutoModelForZeroShotImageClassification AutoModelForZeroShotObjectDetection
AutoModelForInstanceSegmentation AutoModelForUniversalSegmentation AutoModelForDocumentQuestionAnswering
AutoModelForTableQuestionAnswering AutoModelForVisualQuestionAnswering AutoModelForAudioFrameClassification
AutoModelForAudioXVector AutoModelForMultimodalLM AutoModelForTextToWaveform AutoModelForKeypointDetection
""")

_MODELS = words("""
BertModel BertForSequenceClassification BertForTokenClassification BertForMaskedLM BertForQuestionAnswering
BertForPreTraining BertForNextSentencePrediction BertLMHeadModel
RobertaModel RobertaForSequenceClassification RobertaForTokenClassification RobertaForMaskedLM
RobertaForQuestionAnswering XLMRobertaModel XLMRobertaForSequenceClassification XLMRobertaForTokenClassification
DistilBertModel DistilBertForSequenceClassification DistilBertForTokenClassification DistilBertForQuestionAnswering
DistilBertForMaskedLM AlbertModel AlbertForSequenceClassification ElectraModel ElectraForSequenceClassification
DebertaModel DebertaV2Model DebertaV2ForSequenceClassification XLNetModel XLNetForSequenceClassification
GPT2Model GPT2LMHeadModel GPT2ForSequenceClassification GPTNeoForCausalLM GPTJForCausalLM OPTForCausalLM
BloomForCausalLM LlamaModel LlamaForCausalLM MistralForCausalLM Qwen2ForCausalLM GemmaForCausalLM
T5Model T5ForConditionalGeneration T5EncoderModel MT5ForConditionalGeneration BartModel
BartForConditionalGeneration BartForSequenceClassification PegasusForConditionalGeneration MarianMTModel
MBartForConditionalGeneration EncoderDecoderModel LongformerModel LongformerForSequenceClassification
ViTModel ViTForImageClassification CLIPModel CLIPVisionModel CLIPTextModel Wav2Vec2Model Wav2Vec2ForCTC
WhisperForConditionalGeneration SwinModel SwinForImageClassification
""")

_TOKENIZERS = words("""
AutoTokenizer BertTokenizer BertTokenizerFast RobertaTokenizer RobertaTokenizerFast DistilBertTokenizer
DistilBertTokenizerFast GPT2Tokenizer GPT2TokenizerFast T5Tokenizer T5TokenizerFast AlbertTokenizer ElectraTokenizer
XLNetTokenizer XLMRobertaTokenizer XLMRobertaTokenizerFast LlamaTokenizer LlamaTokenizerFast BartTokenizer
BartTokenizerFast CLIPTokenizer CLIPTokenizerFast MarianTokenizer PreTrainedTokenizerFast
""")

_PROCESSORS = words("""
AutoProcessor AutoImageProcessor AutoFeatureExtractor CLIPProcessor CLIPImageProcessor ViTImageProcessor
ViTFeatureExtractor Wav2Vec2Processor Wav2Vec2FeatureExtractor WhisperProcessor
""")

_TRAINER = ObjectType(
    "Trainer",
    methods={
        "train": Plain(trains=True),
        **dict.fromkeys(
            words("""evaluate predict save_model save_state log_metrics save_metrics push_to_hub add_callback
            create_optimizer create_scheduler"""),
            _PLAIN,
        ),
    },
    placing=Placing.UNSEEN,
    # transformers/trainer.py: `training_step` and `prediction_step` prepare the inputs, then ask for the loss
    overrides={
        "compute_loss": (Arrives.MODULE, Arrives.PLACED),
        **dict.fromkeys(words("training_step prediction_step"), (Arrives.MODULE,)),
    },
)

_ARGUMENTS = Arguments(unplaced=(("use_cpu", True), ("no_cuda", True)))

# They make tensors of Python lists, whatever the items were (transformers/data/data_collator.py, `to_py_obj`).
_COLLATORS = words("""
DataCollatorWithPadding DataCollatorForTokenClassification DataCollatorForSeq2Seq DataCollatorForLanguageModeling
DataCollatorForWholeWordMask DataCollatorForMultipleChoice
""")

_COLLATOR = ObjectType("data collator", call=Build(BATCH_ENCODING))

_SCHEDULER = ObjectType(
    "LRScheduler", methods=dict.fromkeys(words("step state_dict load_state_dict get_last_lr"), _PLAIN)
)

_ROWS: dict[str, Row] = {
    **{f"{name}.from_pretrained": Build(MODEL, PLACED_BY) for name in (*_AUTO_MODELS, *_MODELS)},
    **{f"{name}.from_config": Build(MODEL, PLACED_BY) for name in _AUTO_MODELS},
    **dict.fromkeys(_MODELS, MODEL),
    "PreTrainedModel": ModuleType(abstract=True, inputs=(), output="opaque", has_device=True),
    **{f"{name}.from_pretrained": Build(_TOKENIZER) for name in (*_TOKENIZERS, *_PROCESSORS)},
    "BatchEncoding": BATCH_ENCODING,
    **dict.fromkeys(_COLLATORS, _COLLATOR),
    "Trainer": _TRAINER,
    "Seq2SeqTrainer": _TRAINER,
    "set_seed": _PLAIN,
    **dict.fromkeys(
        words("""get_scheduler get_linear_schedule_with_warmup get_cosine_schedule_with_warmup get_constant_schedule
        get_constant_schedule_with_warmup get_polynomial_decay_schedule_with_warmup
        get_cosine_with_hard_restarts_schedule_with_warmup"""),
        _SCHEDULER,
    ),
    "TrainingArguments": _ARGUMENTS,
    "Seq2SeqTrainingArguments": _ARGUMENTS,
}

TRANSFORMERS: dict[str, Row] = {f"transformers.{name}": row for name, row in _ROWS.items()}
