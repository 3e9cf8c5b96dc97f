package dev.millrace.providers.simd.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Weights of every packed kind are unpacked to the bit for other vectors. */
class RecoveredTest {
    private static final int OPSET = 21;
    private static final int ROWS = 68;
    private static final int COLUMNS = 83;
    private static final int IMAGE = 24;
    private static final int CHANNELS = 32;
    private static final int ROUNDS = 2_000;

    private final Random random = new Random(11);

    private Value input(GraphEditor editor, ElementType type, long... dims) {
        Dim[] fixed = new Dim[dims.length];
        for (int i = 0; i < dims.length; i++) {
            fixed[i] = Dim.of(dims[i]);
        }
        return editor.addInput("x", ValueType.tensor(type, SymbolicShape.of(fixed)));
    }

    private Consumer<GraphEditor> net(NodeSpecs specs, ElementType type, long... dims) {
        return editor -> {
            Value x = input(editor, type, dims);
            editor.addOutput(
                    "y", editor.append(specs.of(editor, x), List.of("y")).requireOutput(0));
        };
    }

    private interface NodeSpecs {
        NodeSpec of(GraphEditor editor, Value x);
    }

    private Value constant(GraphEditor editor, ElementType type, long... dims) {
        Tensor tensor = type == ElementType.FLOAT
                ? RandomTensors.uniform(random, -0.5f, 0.5f, dims)
                : RandomTensors.bits(random, type, dims);
        return editor.addConstant("c" + editor.graph().constants().size(), tensor);
    }

    private Consumer<GraphEditor> productOfBytes(ElementType weights, long n) {
        return net(
                (editor, x) -> NodeSpec.of(OpId.onnx("MatMulInteger"), OPSET, x, constant(editor, weights, ROWS, n)),
                ElementType.UINT8,
                5,
                ROWS);
    }

    private Consumer<GraphEditor> productOfHalves(ElementType type) {
        return net(
                (editor, x) -> NodeSpec.of(OpId.onnx("MatMul"), OPSET, x, constant(editor, type, ROWS, COLUMNS)),
                type,
                5,
                ROWS);
    }

    private Consumer<GraphEditor> productInBlocks(int bits) {
        int block = 32;
        int blocks = Math.ceilDiv(ROWS, block);
        return net(
                (editor, x) -> NodeSpec.of(
                                new OpId(OpId.MICROSOFT, "MatMulNBits"),
                                1,
                                x,
                                constant(editor, ElementType.UINT8, COLUMNS, blocks, (long) block * bits / 8),
                                constant(editor, ElementType.FLOAT, (long) COLUMNS * blocks))
                        .with(Attributes.of(Map.of(
                                "K", Attribute.of(ROWS),
                                "N", Attribute.of(COLUMNS),
                                "bits", Attribute.of(bits),
                                "block_size", Attribute.of(block)))),
                ElementType.FLOAT,
                5,
                ROWS);
    }

    private Consumer<GraphEditor> convolution(long groups) {
        return net(
                (editor, x) -> NodeSpec.of(
                                OpId.onnx("Conv"),
                                OPSET,
                                x,
                                constant(editor, ElementType.FLOAT, CHANNELS, CHANNELS / groups, 3, 3),
                                constant(editor, ElementType.FLOAT, CHANNELS))
                        .with("group", Attribute.of(groups))
                        .with("pads", Attribute.of(1, 1, 1, 1)),
                ElementType.FLOAT,
                1,
                CHANNELS,
                IMAGE,
                IMAGE);
    }

    private Consumer<GraphEditor> convolutionOfBytes(long groups) {
        return net(
                (editor, x) -> NodeSpec.of(
                                OpId.onnx("ConvInteger"),
                                OPSET,
                                x,
                                constant(editor, ElementType.INT8, CHANNELS, CHANNELS / groups, 3, 3))
                        .with("group", Attribute.of(groups))
                        .with("pads", Attribute.of(1, 1, 1, 1)),
                ElementType.UINT8,
                1,
                CHANNELS,
                IMAGE,
                IMAGE);
    }

    private Consumer<GraphEditor> recurrent() {
        long hidden = 20;
        return net(
                (editor, x) -> NodeSpec.of(
                                OpId.onnx("LSTM"),
                                OPSET,
                                x,
                                constant(editor, ElementType.FLOAT, 1, 4 * hidden, ROWS),
                                constant(editor, ElementType.FLOAT, 1, 4 * hidden, hidden),
                                constant(editor, ElementType.FLOAT, 1, 8 * hidden))
                        .with("hidden_size", Attribute.of(hidden)),
                ElementType.FLOAT,
                6,
                1,
                ROWS);
    }

    /** Compiles a net, and asserts that a machine with other vectors reads every constant as the source has it. */
    private static KeptPartition recovered(Consumer<GraphEditor> net) {
        var kept = new KeptPartition(net);
        assertThat(kept.info()).doesNotEndWith(";weights=source");
        Graph source = Graph.named("source");
        net.accept(new GraphEditor(source));
        Graph read = PlanReader.read(MemorySegment.ofArray(kept.plan), kept.segments, "others")
                .graph();
        for (Value constant : read.constants()) {
            Tensor tensor = Objects.requireNonNull(constant.constant());
            assertThat(tensor.isClosed()).as(constant.name()).isFalse();
            assertThat(source.constants()).anySatisfy(original -> {
                Tensor wanted = Objects.requireNonNull(original.constant());
                assertThat(original.name()).isEqualTo(constant.name());
                assertThat(tensor.type()).isEqualTo(wanted.type());
                assertThat(tensor.shape()).isEqualTo(wanted.shape());
                assertThat(tensor.segment().mismatch(wanted.segment())).isEqualTo(-1);
            });
        }
        return kept;
    }

    /** Asserts that some constants are kept only packed, so that unpacking was tested. */
    private void assertPutBack(Consumer<GraphEditor> net) {
        KeptPartition kept = recovered(net);
        assertThat(kept.info()).doesNotEndWith(";weights=source");
        random.setSeed(11);
        assertThat(kept.bulkBytes()).isLessThan(new KeptPartition(net, Map.of("portable", "true")).bulkBytes());
    }

    @ParameterizedTest
    @CsvSource({"INT8, 83", "UINT8, 83", "INT8, 16", "UINT8, 8"})
    void matricesOfBytesArePutBack(ElementType weights, long columns) {
        assertPutBack(seeded(productOfBytes(weights, columns)));
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"FLOAT16", "BFLOAT16"})
    void matricesOfHalvesArePutBack(ElementType type) {
        assertPutBack(seeded(productOfHalves(type)));
    }

    @ParameterizedTest
    @CsvSource({"4", "8"})
    void matricesInBlocksArePutBack(int bits) {
        assertPutBack(seeded(productInBlocks(bits)));
    }

    @Test
    void filtersOfBytesArePutBack() {
        assertPutBack(seeded(convolutionOfBytes(1)));
    }

    @Test
    void recurrentWeightsArePutBackThoughTheirBiasesAreAddedUp() {
        assertPutBack(seeded(recurrent()));
    }

    @Test
    void whatIsTransformedOrWidenedIsKeptAsItWasToo() {
        recovered(seeded(convolution(1)));
        recovered(seeded(convolution(CHANNELS)));
        recovered(seeded(convolutionOfBytes(CHANNELS)));
        recovered(Nets.convolutions(Dim.of(IMAGE), Dim.of(IMAGE)));
    }

    /** Returns a net that draws the same random numbers each time that it is built. */
    private Consumer<GraphEditor> seeded(Consumer<GraphEditor> net) {
        return editor -> {
            random.setSeed(11);
            net.accept(editor);
        };
    }

    @Test
    void waysThatWereDamagedLeadNowhereElse() {
        for (Consumer<GraphEditor> net : List.of(
                seeded(productOfBytes(ElementType.UINT8, COLUMNS)),
                seeded(productOfHalves(ElementType.FLOAT16)),
                seeded(productInBlocks(4)))) {
            var kept = new KeptPartition(net);
            int refused = 0;
            for (int seed = 0; seed < ROUNDS; seed++) {
                var damage = new Random(seed);
                byte[] plan = kept.plan.clone();
                plan[damage.nextInt(plan.length)] = (byte) damage.nextInt(256);
                try {
                    PlanReader.read(MemorySegment.ofArray(plan), kept.segments, "others");
                } catch (EngineException e) {
                    refused++;
                }
            }
            assertThat(refused).isBetween(ROUNDS / 8, ROUNDS);
        }
    }
}
