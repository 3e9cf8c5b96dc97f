package dev.millrace.extensions;

import static dev.millrace.graph.tensor.ElementType.BOOL;
import static dev.millrace.graph.tensor.ElementType.FLOAT;
import static dev.millrace.graph.tensor.ElementType.INT32;
import static dev.millrace.graph.tensor.ElementType.INT64;
import static dev.millrace.graph.tensor.ElementType.STRING;
import static dev.millrace.graph.tensor.ElementType.UINT8;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.op.CustomOperator;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The table of operators. */
final class ExtensionOperators {
    private static final List<String> DOMAINS = List.of("ai.onnx.contrib", "com.microsoft.extensions");

    private static final String TEXT = "T = string\nI = int64\n";
    private static final String ANY =
            "T = string bool uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 bfloat16 float double\n";

    private static final String BERT = """
        @ vocab_file:string! do_lower_case:int=1 do_basic_tokenize:int=1 unk_token:string="[UNK]" sep_token:string="[SEP]"
        @ pad_token:string="[PAD]" cls_token:string="[CLS]" mask_token:string="[MASK]" tokenize_chinese_chars:int=1
        @ strip_accents:int tokenize_punctuation:int remove_control_chars:int truncation_strategy_name:string max_length:int=-1
        @ suffix_indicator:string="##"
        """;
    private static final String BYTE_PAIRS = """
        < text:T
        > input_ids:I attention_mask?:I
        @ vocab:string! merges:string! padding_length:int=-1 model_name:string added_token:string
        """;
    private static final String REGEX = """
        < text:T pattern:T rewrite:T
        > output:T
        @ global_replace:int=1 ignore_case:int=0
        """;

    private static final Map<String, ExtensionOperator> BY_NAME = new LinkedHashMap<>();

    static {
        List.of(
                        new ExtensionOperator(
                                "BertTokenizer 1",
                                "< text:T\n> input_ids:I token_type_ids?:I attention_mask?:I\n" + BERT + TEXT,
                                List.of(INT64, INT64, INT64),
                                node -> BertKernels.tokenizer(node, false)),
                        new ExtensionOperator(
                                "HfBertTokenizer 1",
                                "< text:T\n> input_ids:I attention_mask?:I token_type_ids?:I\n" + BERT + TEXT,
                                List.of(INT64, INT64, INT64),
                                node -> BertKernels.tokenizer(node, true)),
                        new ExtensionOperator(
                                "BertTokenizerDecoder 1",
                                "< ids:I position?:I\n> str:T\n" + BERT
                                        + "@ use_indices:int=0 skip_special_tokens:int=0"
                                        + " clean_up_tokenization_spaces:int=1\n"
                                        + TEXT,
                                List.of(STRING),
                                BertKernels::decoder),
                        new ExtensionOperator(
                                "GPT2Tokenizer 1", BYTE_PAIRS + TEXT, List.of(INT64, INT64), BytePairKernels::gpt2),
                        new ExtensionOperator(
                                "RobertaTokenizer 1",
                                BYTE_PAIRS + TEXT,
                                List.of(INT64, INT64),
                                BytePairKernels::roberta),
                        new ExtensionOperator(
                                "CLIPTokenizer 1", BYTE_PAIRS + TEXT, List.of(INT64, INT64), BytePairKernels::clip),
                        new ExtensionOperator(
                                "HfJsonTokenizer 1",
                                "< text:T\n> input_ids:I attention_mask?:I\n"
                                        + "@ tokenizer_vocab:string! tokenizer_config:string\n" + TEXT,
                                List.of(INT64, INT64),
                                BytePairKernels::json),
                        new ExtensionOperator("BpeDecoder 1", """
                            < ids:I
                            > str:T
                            @ id_vocab:string! byte_decoder:string! added_tokens:string all_special_ids:string
                            @ skip_special_tokens:int=0 en_normalization:int=0 whitespace_token:string
                            @ bos_token:string eos_token:string unk_token:string
                            """ + TEXT, List.of(STRING), BytePairKernels::decoder),
                        new ExtensionOperator(
                                "WordpieceTokenizer 1", """
                                    < words:T row_indices?:I
                                    > tokens:T token_indices?:N row_indices?:I
                                    @ vocab:string! suffix_indicator:string! unk_token:string unknown_token:string max_input_chars_per_word:int=200
                                    N = int32
                                    """ + TEXT, List.of(STRING, INT32, INT64), WordPieceKernel::of),
                        new ExtensionOperator(
                                "SentencepieceTokenizer 1", """
                                    < text:T nbest_size?:X alpha?:Y add_bos?:B add_eos?:B reverse?:B fairseq?:B
                                    > tokens:N indices?:I
                                    @ model:string!
                                    X = int64 float
                                    Y = int64 float
                                    B = bool
                                    N = int32
                                    """ + TEXT, List.of(INT32, INT64), SentencePieceKernel::of),
                        new ExtensionOperator(
                                "StringUpper 1", "< x:T\n> y:T\n" + TEXT, List.of(STRING), _ -> StringKernels.upper()),
                        new ExtensionOperator(
                                "StringLower 1", "< x:T\n> y:T\n" + TEXT, List.of(STRING), _ -> StringKernels.lower()),
                        new ExtensionOperator(
                                "StringStrip 1", "< x:T\n> y:T\n" + TEXT, List.of(STRING), _ -> StringKernels.strip()),
                        new ExtensionOperator(
                                "StringLength 1", "< x:T\n> y:I\n" + TEXT, List.of(INT64), _ -> StringKernels::length),
                        new ExtensionOperator(
                                "StringConcat 1",
                                "< x:T y:T\n> z:T\n" + TEXT,
                                List.of(STRING),
                                _ -> StringKernels::concat),
                        new ExtensionOperator(
                                "StringEqual 1",
                                "< x:T y:T\n> z:B\nB = bool\n" + TEXT,
                                List.of(BOOL),
                                _ -> StringKernels::equal),
                        new ExtensionOperator(
                                "StringJoin 1",
                                "< x:T sep:T axis:I\n> y:T\n" + TEXT,
                                List.of(STRING),
                                _ -> StringKernels::join),
                        new ExtensionOperator(
                                "StringSplit 1",
                                "< x:T sep:T skip_empty?:B\n> indices:I values:T shape:I\nB = bool\n" + TEXT,
                                List.of(INT64, STRING, INT64),
                                _ -> StringKernels::split),
                        new ExtensionOperator(
                                "MaskedFill 1",
                                "< x:T mask:B\n> y:T\nB = bool\n" + TEXT,
                                List.of(STRING),
                                _ -> StringKernels::masked),
                        new ExtensionOperator(
                                "StringRegexReplace 1",
                                REGEX + TEXT,
                                List.of(STRING),
                                node -> RegexKernels.replacing(node, RegexKernels::fromRe2)),
                        new ExtensionOperator(
                                "StringECMARegexReplace 1",
                                REGEX + TEXT,
                                List.of(STRING),
                                node -> RegexKernels.replacing(node, RegexKernels::fromEcma)),
                        new ExtensionOperator(
                                "StringRegexSplitWithOffsets 1",
                                "< text:T pattern:T kept?:T\n> words:T offsets?:I row_indices?:I\n" + TEXT,
                                List.of(STRING, INT64, INT64),
                                _ -> RegexKernels::split),
                        new ExtensionOperator(
                                "StringSlice 1",
                                "< x:T starts:N ends:N steps?:N\n> y:T\nN = int64 int32\n" + TEXT,
                                List.of(STRING),
                                _ -> StringKernels::slice),
                        new ExtensionOperator(
                                "StringMapping 1",
                                "< x:T\n> y:T\n@ map:string!\n" + TEXT,
                                List.of(STRING),
                                MappingKernels::strings),
                        new ExtensionOperator(
                                "StringToVector 1",
                                "< x:T\n> y:I\n@ map:string! unk:string!\n" + TEXT,
                                List.of(INT64),
                                MappingKernels::toVectors),
                        new ExtensionOperator(
                                "VectorToString 1",
                                "< x:I\n> y:T\n@ map:string! unk:string!\n" + TEXT,
                                List.of(STRING),
                                MappingKernels::fromVectors),
                        new ExtensionOperator(
                                "StringToHashBucket 1",
                                "< x:T buckets:I\n> y:I\n" + TEXT,
                                List.of(INT64),
                                _ -> HashKernels::buckets),
                        new ExtensionOperator(
                                "StringECMARegexSplitWithOffsets 1",
                                "< text:T pattern:T kept?:T\n> words:T offsets?:I row_indices?:I\n"
                                        + "@ ignore_case:int=0\n" + TEXT,
                                List.of(STRING, INT64, INT64),
                                _ -> RegexKernels::split),
                        new ExtensionOperator(
                                "SentencepieceDecoder 1",
                                "< ids:I fairseq?:B\n> str:T\n@ model:string!\nB = bool\n" + TEXT,
                                List.of(STRING),
                                SentencePieceKernel::decoder),
                        new ExtensionOperator(
                                "RaggedTensorToDense 1",
                                "< unused:I values:I missing:I starts:I\n> rows:I\n@ missing_value:int=-1\nI = int64\n",
                                List.of(INT64),
                                _ -> NumberKernels::dense),
                        new ExtensionOperator(
                                "RaggedTensorToSparse 1",
                                "< starts:I\n> places:I shape:I\nI = int64\n",
                                List.of(INT64, INT64),
                                _ -> NumberKernels::sparse),
                        new ExtensionOperator(
                                "SegmentSum 1",
                                "< data:F segments:I\n> sums:F\nF = float\nI = int64\n",
                                List.of(FLOAT),
                                _ -> NumberKernels::segmentSum),
                        new ExtensionOperator(
                                "SegmentExtraction 1",
                                "< numbers:I\n> places:I values:I\nI = int64\n",
                                List.of(INT64, INT64),
                                _ -> NumberKernels::runs),
                        new ExtensionOperator(
                                "NegPos 1",
                                "< x:F\n> negative:F positive:F\nF = float\n",
                                List.of(FLOAT, FLOAT),
                                _ -> NumberKernels::signs),
                        new ExtensionOperator(
                                "DrawBoundingBoxes 1",
                                "< image:U boxes:F\n"
                                        + "> drawn:U\n"
                                        + "@ mode:string=\"XYXY\" thickness:int=4 num_classes:int=10\n"
                                        + "@ colour_by_classes:int=1\n"
                                        + "U = uint8\n"
                                        + "F = float\n",
                                List.of(UINT8),
                                DrawnBoxes::of),
                        new ExtensionOperator(
                                "DecodeImage 1",
                                "< bytes:U\n> image:U\n@ color_space:string=\"bgr\"\nU = uint8\n",
                                List.of(UINT8),
                                EncodedImages::decoder),
                        new ExtensionOperator(
                                "EncodeImage 1",
                                "< image:U\n> bytes:U\n@ format:string=\"jpg\" color_space:string=\"bgr\"\nU = uint8\n",
                                List.of(UINT8),
                                EncodedImages::encoder),
                        new ExtensionOperator(
                                "AudioDecoder 1",
                                "< bytes:U format?:T\n> samples:F\n@ downsampling_rate:int=0 stereo_to_mono:int=0\n"
                                        + "U = uint8\nF = float\n" + TEXT,
                                List.of(FLOAT),
                                SoundKernels::decoder),
                        new ExtensionOperator(
                                "StftNorm 1",
                                "< samples:F n_fft:I hop_length:I window:F frame_length:I\n> norms:F\n"
                                        + "F = float\nI = int64\n",
                                List.of(FLOAT),
                                SoundKernels::stftNorm))
                .forEach(each -> BY_NAME.put(each.name(), each));
    }

    /** The operators of onnxruntime-extensions that models may have and that have no kernel here. */
    private static final List<String> MISSING = List.of(
            "BasicTokenizer",
            "BlingFireSentenceBreaker",
            "GaussianBlur",
            "ImageReader",
            "Inverse",
            "SpmTokenizer",
            "StringHash",
            "StringHashFast",
            "StringRaggedTensorToDense",
            "StringToHashBucketFast",
            "TrieTokenizer",
            "TrieDetokenizer");

    private ExtensionOperators() {}

    /** Returns the operator, or null if it has no kernel here. */
    static @Nullable ExtensionOperator find(OpId op) {
        return DOMAINS.contains(op.domain()) ? BY_NAME.get(op.name()) : null;
    }

    static List<CustomOperator> definitions() {
        var all = new ArrayList<CustomOperator>();
        for (String domain : DOMAINS) {
            BY_NAME.values().forEach(each -> all.add(each.in(domain)));
            MISSING.forEach(name -> all.add(missing(domain, name)));
        }
        return all;
    }

    /** Returns a definition that refuses all nodes. */
    private static CustomOperator missing(String domain, String name) {
        return CustomOperator.parse(domain, name + " 1\n< x*:T\n> y*:T\n" + ANY, (node, _) -> {
            throw EngineException.notImplemented("operator " + name + " of " + domain
                    + " is not among those of millrace-extensions: " + String.join(", ", BY_NAME.keySet()));
        });
    }
}
