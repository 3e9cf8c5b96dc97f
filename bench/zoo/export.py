"""Writes ONNX models of well-known architectures, with random weights, as PyTorch's exporters write them.

    python export.py FOLDER [PART OF A NAME...]

Needs torch, timm, torchvision, transformers, onnx and onnxscript; models quantised by ONNX Runtime's tools are written as well
where onnxruntime is there. What this machine's versions cannot export is named and left out.

Afterwards:

    ./millrace agree FOLDER
    ./millrace bench FOLDER/NAME.onnx --vs onnxruntime --threads 1
"""

import logging
import os
import sys
import warnings

import torch

FOLDER = sys.argv[1] if len(sys.argv) > 1 else sys.exit(__doc__)
WANTED = sys.argv[2:]

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
os.environ["HF_HUB_OFFLINE"] = "1"
os.makedirs(FOLDER, exist_ok=True)
torch.manual_seed(0)

BATCH = {"names": ["x"], "axes": {"x": {0: "n"}}}
TEXTS = {"names": ["ids", "mask"], "axes": {name: {0: "n", 1: "length"} for name in ("ids", "mask")}}


class Called(torch.nn.Module):
    """A model by what calls it, so that it has tensors as outputs."""

    def __init__(self, model, call):
        super().__init__()
        self.model = model
        self.call = call

    def forward(self, *given):
        return self.call(self.model, *given)


def first(model, *given):
    return model(*given)[0]


def export(name, make, given, by="script", names=None, axes=None, opset=17):
    """By 'script' or 'dynamo', or by 'both'."""
    if by == "both":
        export(name, make, given, "script", names, axes, opset)
        export(name, make, given, "dynamo", names, None, opset)
        return
    name += "-dynamo" if by == "dynamo" else ""
    path = os.path.join(FOLDER, name + ".onnx")
    if os.path.exists(path) or WANTED and not any(part in name for part in WANTED):
        return
    options = {"input_names": names} if names else {}
    if by == "dynamo":
        options |= {"dynamo": True, "external_data": False, "verbose": False}
    else:
        options |= {"dynamo": False, "opset_version": opset, "dynamic_axes": axes}
    try:
        with torch.no_grad():
            torch.onnx.export(make().eval(), given, path, **options)
        print("written", name, flush=True)
    except Exception as failure:  # whatever it is, the other models are still wanted
        if os.path.exists(path):
            os.remove(path)
        print("left out", name, type(failure).__name__, str(failure).split("\n")[0][:120], flush=True)


def image(size, batch=1):
    return (torch.randn(batch, 3, size, size),)


def classifiers():
    import timm

    sizes = {"mobilevit_xs": 256, "edgenext_xx_small": 256, "fastvit_t8": 256, "inception_v3": 299}
    sizes["maxvit_rmlp_pico_rw_256"] = 256
    for name in """efficientnet_b0 mobilenetv3_small_100 convnext_atto swin_tiny_patch4_window7_224 vit_tiny_patch16_224
            regnety_004 ghostnet_100 mobilevit_xs edgenext_xx_small poolformer_s12 levit_128s pvt_v2_b0 hrnet_w18_small
            res2net50_26w_4s resnest14d xcit_nano_12_p16_224 mixer_s32_224 repvgg_a0 fastvit_t8 efficientformer_l1 mixnet_s
            focalnet_tiny_srf efficientvit_b0 rexnet_100 coat_lite_tiny maxvit_rmlp_pico_rw_256 skresnet18 dpn68 nfnet_l0
            tiny_vit_5m_224 gcvit_xxtiny inception_v3""".split():
        export(name, lambda: timm.create_model(name), image(sizes.get(name, 224)), **BATCH)
    for name in ["mobilenetv3_small_100", "convnext_atto", "swin_tiny_patch4_window7_224", "vit_tiny_patch16_224"]:
        export(name, lambda: timm.create_model(name), image(224), "dynamo")
    for name in ["efficientnet_b0", "volo_d1_224", "resnet18"]:
        export(name, lambda: timm.create_model(name), image(224), "dynamo")


def images_and_videos():
    from torchvision import models

    plain = {"weights": None, "weights_backbone": None}
    video = (torch.randn(1, 3, 8, 64, 64),)
    long_video = (torch.randn(1, 3, 16, 224, 224),)
    masks = lambda model, x: model(x)["out"]
    segmentation = models.segmentation
    export("lraspp", lambda: Called(segmentation.lraspp_mobilenet_v3_large(**plain), masks), image(256), **BATCH)
    export("deeplab", lambda: Called(segmentation.deeplabv3_mobilenet_v3_large(**plain), masks), image(256))
    export("fcn50", lambda: Called(segmentation.fcn_resnet50(**plain), masks), image(128))
    export("r3d", lambda: models.video.r3d_18(weights=None), video)
    export("r2plus1d", lambda: models.video.r2plus1d_18(weights=None), video)
    export("s3d", lambda: models.video.s3d(weights=None), long_video)
    export("mvit", lambda: models.video.mvit_v2_s(weights=None), long_video, "dynamo")
    export("swin3d", lambda: models.video.swin3d_t(weights=None), video, "dynamo")
    export("raft_small", lambda: models.optical_flow.raft_small(weights=None), image(128) + image(128))
    export("shufflenet_v2", lambda: models.shufflenet_v2_x1_0(weights=None), image(224), **BATCH)
    export("googlenet", lambda: models.googlenet(weights=None, init_weights=False, aux_logits=False), image(224))
    export("mnasnet", lambda: models.mnasnet1_0(weights=None), image(224))
    export("alexnet", lambda: models.alexnet(weights=None), image(224))


def texts():
    import transformers as t

    given = (torch.randint(0, 90, (1, 24)), torch.ones(1, 24, dtype=torch.long))
    small = {"hidden_size": 128, "num_attention_heads": 4, "intermediate_size": 256, "vocab_size": 100}
    more = {
        "Electra": {"embedding_size": 128},
        "ConvBert": {"embedding_size": 128},
        "SqueezeBert": {"embedding_size": 128},
        "Albert": {"embedding_size": 64},
        "BigBird": {"attention_type": "original_full"},
        "ModernBert": {"pad_token_id": 0, "attn_implementation": "eager"},
    }
    for name in """Bert Roberta Electra MobileBert DebertaV2 SqueezeBert BigBird RemBert Nystromformer MPNet ConvBert
            ModernBert RoFormer MegatronBert Albert""".split():
        config = getattr(t, name + "Config")(num_hidden_layers=3, **small, **more.get(name, {}))
        make = lambda: Called(getattr(t, name + "Model")(config), first)
        export(name.lower(), make, given, "both" if name in ("Bert", "DebertaV2", "ModernBert") else "script", **TEXTS)
    distil = t.DistilBertConfig(dim=128, n_layers=3, n_heads=4, hidden_dim=256, vocab_size=100)
    export("distilbert", lambda: Called(t.DistilBertModel(distil), first), given, **TEXTS)
    logits = lambda model, ids, mask: model(input_ids=ids, attention_mask=mask, use_cache=False).logits
    few = {"num_key_value_heads": 2}
    decoders = {
        "Llama": few,
        "Qwen2": few,
        "Qwen3": few | {"head_dim": 32},
        "Gemma2": few | {"head_dim": 32},
        "Phi3": few | {"pad_token_id": 0},
        "Mistral": few,
        "GPTNeoX": {},
        "OPT": {"ffn_dim": 256, "word_embed_proj_dim": 128},
        "Falcon": {},
        "Bloom": {"n_head": 4},
        "Olmo2": {},
        "Starcoder2": few,
    }
    for name, own in decoders.items():
        lengths = {"max_position_embeddings": 128, "attn_implementation": "eager"}
        config = getattr(t, name + "Config")(num_hidden_layers=2, **small, **lengths, **own)
        export(name.lower(), lambda: Called(getattr(t, name + "ForCausalLM")(config), logits), given, "both", **TEXTS)
    t5 = t.T5Config(d_model=128, d_kv=32, d_ff=256, num_layers=2, num_heads=4, vocab_size=100)
    export("t5-encoder", lambda: Called(t.T5EncoderModel(t5), first), given, **TEXTS)
    both = lambda model, ids, mask: model(input_ids=ids, attention_mask=mask, decoder_input_ids=ids, use_cache=False)[0]
    export("t5", lambda: Called(t.T5Model(t5), both), given, **TEXTS)


def images_and_sounds_by_transformers():
    import transformers as t

    size = {"hidden_size": 96, "num_hidden_layers": 3, "num_attention_heads": 3, "intermediate_size": 192}
    boxes = lambda model, x: (lambda out: (out.logits, out.pred_boxes))(model(x))

    def add(name, kind, config, given, call=first):
        export(name, lambda: Called(getattr(t, kind)(config), call), given, "both")

    add("segformer", "SegformerForSemanticSegmentation", t.SegformerConfig(), image(256))
    add("yolos", "YolosForObjectDetection", t.YolosConfig(image_size=[128, 128], **size), image(128), boxes)
    add("rtdetr", "RTDetrForObjectDetection", t.RTDetrConfig(), image(256), boxes)
    add("swinv2", "Swinv2Model", t.Swinv2Config(image_size=128, embed_dim=48, depths=[1, 1, 2, 1], window_size=4), image(128))
    add("beit", "BeitModel", t.BeitConfig(image_size=128, **size), image(128))
    add("dinov2", "Dinov2Model", t.Dinov2Config(image_size=112, **size), image(112))
    add("cvt", "CvtModel", t.CvtConfig(), image(128))
    add("clip", "CLIPVisionModel", t.CLIPVisionConfig(image_size=128, patch_size=16, **size), image(128))
    add("siglip", "SiglipVisionModel", t.SiglipVisionConfig(image_size=128, patch_size=16, **size), image(128))
    for name in ["Wav2Vec2", "Hubert", "WavLM"]:
        config = getattr(t, name + "Config")(conv_dim=[64] * 7, **size)
        add(name.lower(), name + "Model", config, (torch.randn(1, 8000),))
    add("ast", "ASTModel", t.ASTConfig(max_length=256, **size), (torch.randn(1, 256, 128),))
    vocoder = t.SpeechT5HifiGanConfig(upsample_initial_channel=64)
    add("hifigan", "SpeechT5HifiGan", vocoder, (torch.randn(1, 30, 80),), lambda model, x: model(x))
    state_space = t.MambaConfig(hidden_size=64, num_hidden_layers=2, vocab_size=100)
    words = (torch.randint(0, 90, (1, 8)),)
    add("mamba", "MambaModel", state_space, words, lambda model, ids: model(ids, use_cache=False)[0])


def quantised():
    try:
        from onnxruntime import quantization as q
        from onnxruntime.quantization.shape_inference import quant_pre_process
    except ImportError:
        print("left out what onnxruntime quantises: it is not there")
        return
    import numpy
    import onnx

    class Typical(q.CalibrationDataReader):
        def __init__(self, path):
            random = numpy.random.default_rng(0)
            given = {}
            for value in onnx.load(path).graph.input:
                dims = value.type.tensor_type.shape.dim
                shape = [dim.dim_value or (1 if axis == 0 else 24) for axis, dim in enumerate(dims)]
                if value.type.tensor_type.elem_type == onnx.TensorProto.INT64:
                    given[value.name] = random.integers(1, 2 if value.name == "mask" else 90, shape)
                else:
                    given[value.name] = random.standard_normal(shape).astype(numpy.float32)
            self.left = [given]

        def get_next(self):
            return self.left.pop() if self.left else None

    unsigned, signed = q.QuantType.QUInt8, q.QuantType.QInt8
    ways = {
        "qdq-u8s8": {"quant_format": q.QuantFormat.QDQ, "activation_type": unsigned, "weight_type": signed, "per_channel": True},
        "qdq-s8s8": {"quant_format": q.QuantFormat.QDQ, "activation_type": signed, "weight_type": signed},
        "qop-u8u8": {"quant_format": q.QuantFormat.QOperator, "activation_type": unsigned, "weight_type": unsigned},
        "qop-u8s8": {"quant_format": q.QuantFormat.QOperator, "activation_type": unsigned, "weight_type": signed, "per_channel": True},
        "dynamic": None,
    }
    for name in """mobilenetv3_small_100 efficientnet_b0 resnet18-dynamo vit_tiny_patch16_224 ghostnet_100 shufflenet_v2
            convnext_atto lraspp repvgg_a0 levit_128s swin_tiny_patch4_window7_224 googlenet bert distilbert t5-encoder
            llama""".split():
        source = os.path.join(FOLDER, name + ".onnx")
        for way, options in ways.items():
            path = os.path.join(FOLDER, f"{name}-{way}.onnx")
            wanted = not WANTED or any(part in name + "-" + way for part in WANTED)
            if not wanted or os.path.exists(path) or not os.path.exists(source):
                continue
            prepared = os.path.join(FOLDER, "prepared.tmp")
            try:
                quant_pre_process(source, prepared, skip_symbolic_shape=True)
                if options is None:
                    q.quantize_dynamic(prepared, path, weight_type=unsigned)
                else:
                    q.quantize_static(prepared, path, Typical(source), **options)
                print("written", name, way, flush=True)
            except Exception as failure:  # its tools do not know all operators in all formats
                print("left out", name, way, type(failure).__name__, str(failure)[:120], flush=True)
            finally:
                if os.path.exists(prepared):
                    os.remove(prepared)


for part in (classifiers, images_and_videos, texts, images_and_sounds_by_transformers, quantised):
    try:
        part()
    except ImportError as missing:
        print("left out", part.__name__.replace("_", " ") + ":", missing)
