package dev.millrace.graph.format;

import static dev.millrace.graph.format.Protos.attribute;
import static dev.millrace.graph.format.Protos.bytes;
import static dev.millrace.graph.format.Protos.graph;
import static dev.millrace.graph.format.Protos.model;
import static dev.millrace.graph.format.Protos.node;
import static dev.millrace.graph.format.Protos.opset;
import static dev.millrace.graph.format.Protos.reference;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.sun.management.ThreadMXBean;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.FunctionInliner;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.FunctionProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.NodeProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.proto.TypeProto;
import dev.millrace.graph.proto.ValueInfoProto;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files made to break a reader give a model or an {@link EngineException}, soon and in little memory. */
class HostileModelsTest {
    private static final int MUTATIONS = 2_000;
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final long FREE_BYTES = 16L << 20;
    private static final long BYTES_PER_BYTE = 400;

    @TempDir
    private static Path folder;

    @Test
    void bytesThatWereMutatedAreReadOrRefused() throws IOException {
        List<byte[]> originals = originals();
        int read = 0;
        int refused = 0;
        for (int seed = 0; seed < MUTATIONS; seed++) {
            var random = new Random(seed);
            byte[] bytes = originals.get(seed % originals.size());
            for (int i = 0; i <= random.nextInt(3); i++) {
                bytes = mutate(bytes, originals.get(random.nextInt(originals.size())), random);
            }
            if (tryToRead(bytes, "seed " + seed)) {
                read++;
            } else {
                refused++;
            }
        }
        assertThat(read).isPositive();
        assertThat(refused).isGreaterThan(MUTATIONS / 2);
    }

    @Test
    void fieldsThatWereMutatedAreReadOrRefused() throws IOException {
        List<byte[]> originals = originals();
        int read = 0;
        for (int seed = 0; seed < MUTATIONS; seed++) {
            ModelProto original = ModelProto.parseFrom(originals.get(seed % originals.size()));
            byte[] bytes = ProtoMutator.mutate(original, new Random(seed));
            read += tryToRead(bytes, "seed " + seed) ? 1 : 0;
        }
        assertThat(read).isBetween(MUTATIONS / 5, MUTATIONS * 4 / 5);
    }

    private static List<byte[]> originals() throws IOException {
        Files.write(folder.resolve("weights.bin"), new byte[64]);
        var originals = new ArrayList<byte[]>();
        originals.add(rich().build().toByteArray());
        originals.add(model(NotesTest.annotated()).build().toByteArray());
        for (String name : List.of(
                "test_loop13_seq",
                "test_if_opt",
                "test_scan_sum",
                "test_constant_pad",
                "test_attention_4d_expanded",
                "test_string_split_basic",
                "test_layer_normalization_4d_axis1_expanded")) {
            Path file = OnnxData.model("node", name);
            if (Files.exists(file)) {
                originals.add(Files.readAllBytes(file));
            }
        }
        assertThat(originals).hasSizeGreaterThan(5).allMatch(bytes -> tryToRead(bytes, "original"));
        return originals;
    }

    /** A model with something of everything that the reader knows. */
    private static ModelProto.Builder rich() {
        GraphProto.Builder branch = graph(List.of(), List.of("t"), node("Abs", List.of("x"), List.of("t")));
        FunctionProto.Builder function = FunctionProto.newBuilder()
                .setName("F")
                .setDomain("f")
                .addInput("a")
                .addOutput("b")
                .addAttribute("k")
                .addAttributeProto(attribute("d", 1))
                .addOpsetImport(opset("", 13))
                .addNode(node("Elu", List.of("a"), List.of("b")).addAttribute(reference("alpha", "k")));
        GraphProto.Builder graph = graph(
                        List.of("x"),
                        List.of("z"),
                        node("F", List.of("x"), List.of("y")).setDomain("f").addAttribute(attribute("k", 3)),
                        node("If", List.of("y"), List.of("z"))
                                .addAttribute(attribute("then_branch", branch))
                                .addAttribute(attribute("else_branch", branch)),
                        node("Constant", List.of(), List.of("c"))
                                .addAttribute(AttributeProto.newBuilder()
                                        .setName("value")
                                        .setType(AttributeProto.AttributeType.TENSOR)
                                        .setT(bytes("v", 1, 2, 3))))
                .addInitializer(bytes("w", 1, 2, 3, 4))
                .addInitializer(TensorProto.newBuilder()
                        .setName("typed")
                        .setDataType(TensorProto.DataType.INT64_VALUE)
                        .addDims(3)
                        .addInt64Data(1)
                        .addInt64Data(300)
                        .addInt64Data(-1))
                .addInitializer(TensorProto.newBuilder()
                        .setName("text")
                        .setDataType(TensorProto.DataType.STRING_VALUE)
                        .addDims(1)
                        .addStringData(ByteString.copyFromUtf8("word")))
                .addInitializer(Protos.external("e", 4, "weights.bin", "offset", "16", "length", "4"));
        graph.addSparseInitializerBuilder()
                .setValues(bytes("sparse", 7))
                .setIndices(TensorProto.newBuilder()
                        .setDataType(TensorProto.DataType.INT64_VALUE)
                        .addDims(1)
                        .addInt64Data(2))
                .addDims(5);
        return model(graph).addFunctions(function).addOpsetImport(opset("f", 1));
    }

    private static byte[] mutate(byte[] bytes, byte[] other, Random random) {
        int at = random.nextInt(Math.max(bytes.length, 1));
        return switch (random.nextInt(6)) {
            case 0 -> Arrays.copyOf(bytes, at);
            case 1 -> {
                byte[] flipped = bytes.clone();
                for (int i = 0; i < 1 + random.nextInt(8) && flipped.length > 0; i++) {
                    flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
                }
                yield flipped;
            }
            case 2 -> replace(bytes, at, 0, wildNumber(random));
            case 3 -> replace(bytes, at, 1 + random.nextInt(3), wildNumber(random));
            case 4 -> replace(bytes, at, random.nextInt(64), new byte[0]);
            default -> {
                int from = random.nextInt(Math.max(other.length, 1));
                int to = Math.min(other.length, from + random.nextInt(128));
                yield replace(bytes, at, random.nextInt(32), Arrays.copyOfRange(other, from, to));
            }
        };
    }

    private static byte[] wildNumber(Random random) {
        byte[] number = new byte[1 + random.nextInt(11)];
        Arrays.fill(number, (byte) 0xff);
        number[number.length - 1] = (byte) random.nextInt(128);
        return number;
    }

    private static byte[] replace(byte[] bytes, int at, int length, byte[] with) {
        int end = Math.min(bytes.length, at + length);
        var made = new ByteArrayOutputStream();
        made.write(bytes, 0, Math.min(at, bytes.length));
        made.writeBytes(with);
        made.write(bytes, end, bytes.length - end);
        return made.toByteArray();
    }

    /** Whether the bytes make a model, which can then be inlined and written too, or refused. */
    private static boolean tryToRead(byte[] bytes, String what) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        long before = threads.getCurrentThreadAllocatedBytes();
        boolean read = false;
        try {
            Model model = Models.read(bytes, folder);
            read = true;
            Models.toBytes(FunctionInliner.inline(model));
        } catch (EngineException e) {
            assertThat(e).hasMessageNotContaining("null");
        } catch (Throwable e) {
            throw new AssertionError(what + ": " + e, e);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).as(what).isLessThan(FREE_BYTES + bytes.length * BYTES_PER_BYTE);
        assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - start))
                .as(what)
                .isLessThan(LIMIT);
        return read;
    }

    @Test
    void aChainOfTenThousandNodesIsReadInAnyOrder() {
        var nodes = new ArrayList<NodeProto.Builder>();
        for (int i = 10_000; i > 0; i--) {
            nodes.add(node("Abs", List.of("v" + (i - 1)), List.of("v" + i)));
        }
        GraphProto.Builder chain = graph(List.of("v0"), List.of("v10000"), nodes.toArray(NodeProto.Builder[]::new));
        byte[] bytes = model(chain).build().toByteArray();
        assertThat(tryToRead(bytes, "chain")).isTrue();
        Graph graph = Models.read(bytes, null).graph();
        Node first = Objects.requireNonNull(graph.firstNode());
        assertThat(first.requireInput(0)).isSameAs(graph.inputs().getFirst());
        chain.setNode(9_999, node("Abs", List.of("v10000"), List.of("v1")));
        assertThatThrownBy(() -> Models.read(model(chain).build().toByteArray(), null))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("cycle");
    }

    @Test
    void graphsNestedAThousandDeepAreRefused() {
        GraphProto graph = graph(List.of(), List.of("o"), node("Constant", List.of(), List.of("o")))
                .build();
        for (int i = 0; i < 30; i++) {
            graph = around(graph);
        }
        assertThat(tryToRead(model(graph.toBuilder()).build().toByteArray(), "nested graphs"))
                .isTrue();
        byte[] nested = graph.toByteArray();
        for (int i = 0; i < 1000; i++) {
            nested = wrap(
                    GraphProto.NODE_FIELD_NUMBER,
                    concat(
                            node("If", List.of(), List.of()).build().toByteArray(),
                            wrap(NodeProto.ATTRIBUTE_FIELD_NUMBER, branch(nested))));
        }
        assertRefused(wrap(ModelProto.GRAPH_FIELD_NUMBER, nested), Status.INVALID_GRAPH, "deeper than 64");
    }

    private static GraphProto around(GraphProto inner) {
        return graph(
                        List.of(),
                        List.of("o"),
                        node("If", List.of(), List.of("o")).addAttribute(attribute("then_branch", inner.toBuilder())))
                .build();
    }

    private static byte[] branch(byte[] graph) {
        return concat(
                AttributeProto.newBuilder()
                        .setName("then_branch")
                        .setType(AttributeProto.AttributeType.GRAPH)
                        .build()
                        .toByteArray(),
                wrap(AttributeProto.G_FIELD_NUMBER, graph));
    }

    @Test
    void typesNestedAThousandDeepAreRefused() {
        byte[] type = new byte[0];
        for (int i = 0; i < 1000; i++) {
            type = wrap(TypeProto.SEQUENCE_TYPE_FIELD_NUMBER, wrap(TypeProto.Sequence.ELEM_TYPE_FIELD_NUMBER, type));
        }
        byte[] info = wrap(ValueInfoProto.TYPE_FIELD_NUMBER, type);
        byte[] model = wrap(ModelProto.GRAPH_FIELD_NUMBER, wrap(GraphProto.INPUT_FIELD_NUMBER, info));
        assertRefused(model, Status.INVALID_GRAPH, "deeper than 64");
    }

    @Test
    void aFileThatEndsEarlyIsToldFromOneThatIsWrongInside() {
        byte[] graph = wrap(ModelProto.GRAPH_FIELD_NUMBER, new byte[100]);
        assertRefused(Arrays.copyOf(graph, 50), Status.INVALID_PROTOBUF, "the file ends early, as a download that was");
        byte[] inside = wrap(ModelProto.GRAPH_FIELD_NUMBER, new byte[] {0x0a, 0x7f});
        assertThatThrownBy(() -> Models.read(inside, null))
                .hasMessageContaining("claims 127 bytes where 0 are left")
                .hasMessageNotContaining("ends early");
    }

    @Test
    void whatIsNoProtobufIsRefusedWithAPlace() {
        assertRefused(new byte[0], Status.INVALID_PROTOBUF, "no graph");
        assertRefused("version of a text".getBytes(StandardCharsets.UTF_8), Status.INVALID_PROTOBUF, "is a text");
        assertRefused("version \0".getBytes(StandardCharsets.UTF_8), Status.INVALID_PROTOBUF, "byte ");
        assertRefused(new byte[] {0x3a, 0x7f}, Status.INVALID_PROTOBUF, "claims 127 bytes where 0 are left");
        assertRefused(new byte[] {0x3a, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1}, Status.INVALID_PROTOBUF, "claims");
        assertRefused(new byte[] {8, -1}, Status.INVALID_PROTOBUF, "cut off");
        assertRefused(new byte[] {8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}, Status.INVALID_PROTOBUF, "ten bytes");
        assertRefused(new byte[] {0x3b}, Status.INVALID_PROTOBUF, "wire type 3");
        assertRefused(new byte[] {0x38, 1}, Status.INVALID_PROTOBUF, "wire type 0 where 2 belongs");
        assertRefused(new byte[] {0}, Status.INVALID_PROTOBUF, "no field 0");
    }

    @Test
    void fieldsThatNobodyKnowsAreSkipped() {
        byte[] graph = concat(
                graph(List.of("x"), List.of("x")).build().toByteArray(),
                new byte[] {(byte) 0xa0, 6, 1, (byte) 0xa1, 6, 0, 0, 0, 0, 0, 0, 0, 0},
                wrap(101, new byte[9]),
                new byte[] {(byte) 0xa5, 6, 0, 0, 0, 0});
        assertThat(Models.read(wrap(ModelProto.GRAPH_FIELD_NUMBER, graph), null)
                        .graph()
                        .inputs())
                .hasSize(1);
    }

    @Test
    void textThatIsNoUtf8IsTolerated() {
        byte[] graph = wrap(GraphProto.NAME_FIELD_NUMBER, new byte[] {(byte) 0xc0, 'a'});
        assertThat(Models.read(wrap(ModelProto.GRAPH_FIELD_NUMBER, graph), null)
                        .graph()
                        .name())
                .isEqualTo("\ufffda");
    }

    private static void assertRefused(byte[] bytes, Status status, String message) {
        assertThat(tryToRead(bytes, message)).isFalse();
        assertThatThrownBy(() -> Models.read(bytes, null))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContaining(message);
    }

    private static byte[] wrap(int field, byte[] message) {
        try {
            var bytes = new ByteArrayOutputStream();
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            out.writeByteArray(field, message);
            out.flush();
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] concat(byte[]... parts) {
        var bytes = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }
}
