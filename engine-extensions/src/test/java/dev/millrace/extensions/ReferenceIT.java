package dev.millrace.extensions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.extensions.OrtxPackage;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that operators answer as those of onnxruntime-extensions do. */
@Tag("reference")
class ReferenceIT {
    private static final String[] TEXTS = {
        "hello world", "Hello  WORLD louder!", "", "hey hey he", "don't", "\u00e9 hello", "\u6c34hello\u6c34 world"
    };

    private static Arguments node(String name, Supplier<OneNode> made) {
        return Arguments.of(name, made);
    }

    static Stream<Arguments> nodes() {
        var all = new ArrayList<Arguments>();
        for (String text : TEXTS) {
            all.add(node(
                    "BERT " + text,
                    () -> TokenizersTest.bert("BertTokenizer", 3).input(text)));
            all.add(node(
                    "HF BERT " + text,
                    () -> TokenizersTest.bert("HfBertTokenizer", 3).input(text, "world")));
            all.add(node(
                    "pieces " + text,
                    () -> TokenizersTest.sentencePieces()
                            .input(text)
                            .input(Tensor.copyOf(new long[] {0}, 1))
                            .input(Tensor.copyOf(new float[] {0}, 1))
                            .input(Tensor.copyOf(new boolean[] {true}, 1))
                            .input(Tensor.copyOf(new boolean[] {false}, 1))
                            .input(Tensor.copyOf(new boolean[] {true}, 1))));
            all.add(node("lower " + text, () -> new OneNode("StringLower", 1).input(text)));
            all.add(node("upper " + text, () -> new OneNode("StringUpper", 1).input(text)));
            all.add(node("length " + text, () -> new OneNode("StringLength", 1).input(text)));
        }
        all.add(node("BERT pair", () -> TokenizersTest.bert("BertTokenizer", 3).input("hello", "world")));
        all.add(node("GPT2 rows", () -> TokenizersTest.pairs("GPT2Tokenizer").input("hey hey", "he")));
        all.add(node(
                "GPT2 width",
                () -> TokenizersTest.pairs("GPT2Tokenizer")
                        .flag("padding_length", 3)
                        .input("hey hey hey hey", "he")));
        all.add(node("RoBERTa", () -> TokenizersTest.pairs("RobertaTokenizer").input("hey hey", "he")));
        all.add(node("CLIP", () -> TokenizersTest.pairs("CLIPTokenizer").input("Hey  HEY")));
        all.add(node("join 0", () -> StringsAndImagesTest.join(0)));
        all.add(node("join 1", () -> StringsAndImagesTest.join(1)));
        all.add(node(
                "concat", () -> new OneNode("StringConcat", 1).input("a", "b").input("c", "d")));
        all.add(node(
                "equal", () -> new OneNode("StringEqual", 1).input("a", "b").input("a", "c")));
        all.add(node(
                "split",
                () -> new OneNode("StringSplit", 3)
                        .input("a b,c", "", "d")
                        .input(",")
                        .input(Tensor.copyOf(new boolean[] {true}, 1))));
        all.add(node(
                "split at several",
                () -> new OneNode("StringSplit", 3)
                        .input("a b,c")
                        .input(", ")
                        .input(Tensor.copyOf(new boolean[] {true}, 1))));
        all.add(node(
                "split keeping",
                () -> new OneNode("StringSplit", 3)
                        .input("a,,b")
                        .input(",")
                        .input(Tensor.copyOf(new boolean[] {false}, 1))));
        all.add(node(
                "regex",
                () -> new OneNode("StringRegexReplace", 1)
                        .input("def f(x)", "xx")
                        .input("x")
                        .input("[\\0]")));
        all.add(node(
                "ECMA regex",
                () -> new OneNode("StringECMARegexReplace", 1)
                        .input("def f(x)", "xx")
                        .input("(x)")
                        .input("[$1]")));
        all.add(node(
                "masked",
                () -> new OneNode("MaskedFill", 1)
                        .input("a", "b")
                        .input(Tensor.copyOf(new boolean[] {false, true}, 2))));
        all.add(node(
                "decoder",
                () -> TokenizersTest.bert("BertTokenizerDecoder", 1)
                        .flag("use_indices", 1)
                        .input(Tensor.copyOf(new long[] {2, 5, 7, 8, 9, 3}, 6))
                        .input(Tensor.copyOf(new long[] {0, 3, 2, 5}, 2, 2))));
        for (String text : TEXTS) {
            all.add(node(
                    "byte pairs " + text,
                    () -> TokenizersTest.sentencePairs()
                            .input(text)
                            .input(Tensor.copyOf(new long[] {0}, 1))
                            .input(Tensor.copyOf(new float[] {0}, 1))
                            .input(Tensor.copyOf(new boolean[] {true}, 1))
                            .input(Tensor.copyOf(new boolean[] {true}, 1))
                            .input(Tensor.copyOf(new boolean[] {false}, 1))));
        }
        tablesAndRows(all);
        all.add(node("sound", () -> SoundsTest.decoder(SoundsTest.wav(1, 16000, 300))));
        all.add(node("sound of two channels", () -> SoundsTest.decoder(SoundsTest.wav(2, 16000, 300))));
        all.add(node("spectrum", () -> SoundsTest.spectrum(400, 160, 400, 3000)));
        all.add(node("spectrum of an odd number of samples", () -> SoundsTest.spectrum(64, 16, 64, 501)));
        return all.stream();
    }

    private static void tablesAndRows(List<Arguments> all) {
        String single = "a\t0\nb\t2\n";
        String pairs = "a\t0 1\nb\t2 3\n";
        long[] numbers = {0, 2, 2, 3};
        all.add(node("mapping", TablesAndRowsTest::mapped));
        all.add(node("vectors", () -> TablesAndRowsTest.toVectors(pairs, "-1 -1", "b", "x", "a")));
        all.add(node("vectors of one number", () -> TablesAndRowsTest.toVectors(single, "-1", "b", "x")));
        all.add(node("strings of vectors", () -> TablesAndRowsTest.fromVectors(pairs, numbers, 2, 2)));
        all.add(node("strings of more vectors", () -> TablesAndRowsTest.fromVectors(pairs, numbers, 1, 2, 2)));
        all.add(node("strings of numbers", () -> TablesAndRowsTest.fromVectors(single, numbers, 4)));
        all.add(node("strings of a column", () -> TablesAndRowsTest.fromVectors(single, numbers, 4, 1)));
        all.add(node("buckets", TablesAndRowsTest::buckets));
        all.add(node("dense rows", () -> TablesAndRowsTest.dense(new long[] {0, 2, 2, 5}, 1, 2, 3, 4, 5)));
        all.add(node(
                "sparse rows",
                () -> new OneNode("RaggedTensorToSparse", 2).input(Tensor.copyOf(new long[] {0, 2, 2, 3}, 4))));
        all.add(node("sums", () -> TablesAndRowsTest.sums(new float[] {1, 2, 3, 4, 5, 6}, 0, 0, 1)));
        all.add(node(
                "runs",
                () -> new OneNode("SegmentExtraction", 2)
                        .input(Tensor.copyOf(new long[] {1, 1, 0, 0, 2, 2, 3, 0, 5}, 1, 9))));
        all.add(node("signs", () -> new OneNode("NegPos", 2).input(Tensor.copyOf(new float[] {-1, 0, 2}, 3))));
        all.add(node("text of pieces", () -> TablesAndRowsTest.decoder(1, 3, 7, 0, 5, 6, 2)));
        all.add(node("text of an unknown piece", () -> TablesAndRowsTest.decoder(0, 3, 4, 3)));
        float[] boxes = {2, 3, 9, 8, 0.9f, 4, 5, 1, 15, 11, 0.5f, 6, -3, 6, 4, 30, 0.7f, 4, 9, 9, 10, 10, 0.3f, 1};
        for (String mode : List.of("XYXY", "XYWH", "CENTER_XYWH")) {
            for (long thickness : new long[] {1, 2, 3, 9}) {
                all.add(node(
                        "boxes " + mode + " " + thickness,
                        () -> TablesAndRowsTest.boxes(mode, thickness, thickness % 2, boxes)));
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("nodes")
    void answersAreThoseOfTheReference(String name, Supplier<OneNode> made) throws OrtException {
        OneNode node = made.get();
        List<Object> expected = reference(node);
        List<Object> ours = new ArrayList<>();
        for (Tensor each : node.run()) {
            ours.add(List.of(each.shape().toArray()));
            ours.add(values(each));
        }
        assertThat(ours)
                .usingRecursiveComparison()
                .withComparatorForType(
                        (a, b) -> Math.abs(a - b) <= 1e-4 * Math.max(1, Math.abs(b)) ? 0 : Float.compare(a, b),
                        Float.class)
                .isEqualTo(expected);
    }

    private static Object values(Tensor tensor) {
        return switch (tensor.type()) {
            case STRING -> tensor.strings();
            case INT32 -> tensor.ints();
            case FLOAT -> tensor.floats();
            case BOOL -> tensor.booleans();
            case UINT8 -> tensor.segment().toArray(ValueLayout.JAVA_BYTE);
            default -> tensor.longs();
        };
    }

    private static OnnxTensor given(OrtEnvironment environment, Tensor tensor) throws OrtException {
        long[] dims = tensor.shape().toArray();
        return switch (tensor.type()) {
            case STRING -> OnnxTensor.createTensor(environment, tensor.strings(), dims);
            case FLOAT -> OnnxTensor.createTensor(environment, FloatBuffer.wrap(tensor.floats()), dims);
            case BOOL, UINT8 ->
                OnnxTensor.createTensor(
                        environment,
                        tensor.segment().asByteBuffer().order(ByteOrder.nativeOrder()),
                        dims,
                        tensor.type() == ElementType.BOOL ? OnnxJavaType.BOOL : OnnxJavaType.UINT8);
            default -> OnnxTensor.createTensor(environment, LongBuffer.wrap(tensor.longs()), dims);
        };
    }

    /** Returns the shapes and values of the outputs. */
    private static List<Object> reference(OneNode node) throws OrtException {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        var options = new OrtSession.SessionOptions();
        try {
            options.registerCustomOpLibrary(OrtxPackage.getLibraryPath());
        } catch (RuntimeException | UnsatisfiedLinkError e) {
            abort("onnxruntime-extensions has no library for this platform: " + e.getMessage());
        }
        Map<String, OnnxTensor> inputs = new HashMap<>();
        try (OrtSession session = environment.createSession(node.model(), options)) {
            for (Map.Entry<String, Tensor> each : node.inputs().entrySet()) {
                inputs.put(each.getKey(), given(environment, each.getValue()));
            }
            var all = new ArrayList<Object>();
            try (OrtSession.Result result = session.run(inputs)) {
                for (int i = 0; i < node.outputs(); i++) {
                    OnnxTensor output = (OnnxTensor) result.get(i);
                    long[] dims = output.getInfo().getShape();
                    all.add(List.of(dims));
                    all.add(read(output, dims));
                }
            }
            return all;
        } finally {
            inputs.values().forEach(OnnxTensor::close);
        }
    }

    private static Object read(OnnxTensor output, long[] dims) throws OrtException {
        int count = Math.toIntExact(Shape.of(dims).elements());
        return switch (output.getInfo().type) {
            case STRING -> strings(output.getValue(), new ArrayList<>()).toArray(String[]::new);
            case INT32 -> {
                int[] made = new int[count];
                output.getIntBuffer().get(made);
                yield made;
            }
            case FLOAT -> {
                float[] made = new float[count];
                output.getFloatBuffer().get(made);
                yield made;
            }
            case BOOL -> {
                boolean[] made = new boolean[count];
                for (int i = 0; i < count; i++) {
                    made[i] = output.getByteBuffer().get(i) != 0;
                }
                yield made;
            }
            case UINT8 -> {
                byte[] made = new byte[count];
                output.getByteBuffer().get(made);
                yield made;
            }
            default -> {
                long[] made = new long[count];
                output.getLongBuffer().get(made);
                yield made;
            }
        };
    }

    private static List<String> strings(Object value, List<String> to) {
        if (value instanceof Object[] rows) {
            for (Object row : rows) {
                strings(row, to);
            }
        } else {
            to.add((String) value);
        }
        return to;
    }
}
