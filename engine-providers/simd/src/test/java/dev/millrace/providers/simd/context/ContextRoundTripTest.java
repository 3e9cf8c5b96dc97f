package dev.millrace.providers.simd.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.Kernels;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.Inferred;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.rule.Rules;
import dev.millrace.providers.simd.weights.Usage;
import dev.millrace.providers.simd.weights.Weights;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.PackedTensors;
import dev.millrace.providers.spi.Partition;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A partition that was compiled, kept in a context binary and resolved again gives the same results to the bit. */
class ContextRoundTripTest {
    private final Random random = new Random(1);

    private Tensor words(int batch, int count) {
        long[] words = new long[batch * count];
        Arrays.setAll(words, _ -> random.nextInt(40));
        return Tensor.copyOf(words, batch, count);
    }

    private Tensor images(int batch, int height, int width) {
        return Nets.random(random, batch, 3, height, width);
    }

    private static void assertSame(List<Tensor> actual, List<Tensor> expected) {
        assertThat(actual).hasSameSizeAs(expected).isNotEmpty();
        for (int i = 0; i < actual.size(); i++) {
            assertThat(actual.get(i).shape()).isEqualTo(expected.get(i).shape());
            assertThat(actual.get(i).segment().mismatch(expected.get(i).segment()))
                    .isEqualTo(-1);
        }
    }

    @Test
    void aConvolutionalNetAnswersBitForBit() {
        var kept = new KeptPartition(Nets.convolutions(Dim.of(24), Dim.of(24)));
        for (int batch = 1; batch < 4; batch++) {
            List<Tensor> images = List.of(images(batch, 24, 24));
            assertSame(kept.runResolved(images), kept.runCompiled(images));
        }
    }

    @Test
    void aConvolutionalNetForImagesOfAnySizeAnswersBitForBit() {
        var kept = new KeptPartition(Nets.convolutions(Dim.symbol("height"), Dim.symbol("width")));
        for (int side : new int[] {4, 24, 120}) {
            List<Tensor> images = List.of(images(1, side, side + 1));
            assertSame(kept.runResolved(images), kept.runCompiled(images));
        }
    }

    /** Narrow images are convolved faster outside blocks, where channels are in their own order. */
    @Test
    void aNetThatShufflesItsChannelsAnswersBitForBit() {
        for (int width : new int[] {3, 24}) {
            for (Dim height : List.of(Dim.of(24), Dim.symbol("height"))) {
                var kept = new KeptPartition(Nets.shuffled(height, width));
                for (int rows : height instanceof Dim.Known ? new int[] {24} : new int[] {1, 24, 90}) {
                    List<Tensor> images = List.of(images(2, rows, width));
                    assertSame(kept.runResolved(images), kept.runCompiled(images));
                }
            }
        }
    }

    @Test
    void aTransformerAnswersBitForBit() {
        var kept = new KeptPartition(Nets.transformer());
        for (int count : new int[] {1, 7, 16, 50}) {
            List<Tensor> words = List.of(words(2, count));
            assertSame(kept.runResolved(words), kept.runCompiled(words));
        }
    }

    @Test
    void branchesAreKeptThatNoProgramHasTakenYet() {
        var kept = new KeptPartition(Nets.branches());
        for (int rows = 1; rows < 4; rows++) {
            List<Tensor> inputs = List.of(Nets.random(random, rows, 32));
            assertSame(kept.runResolved(inputs), kept.runCompiled(inputs));
        }
    }

    @Test
    void weightsAreKeptPackedAndNotAsTheyWereWhereNobodyReadsThemSo() {
        long fixed = new KeptPartition(Nets.convolutions(Dim.of(24), Dim.of(24))).bulkBytes();
        long free = new KeptPartition(Nets.convolutions(Dim.symbol("h"), Dim.symbol("w"))).bulkBytes();
        // only what has a choice of methods, or was transformed, is kept twice
        assertThat(free).isEqualTo(fixed);
        long twice =
                new KeptPartition(Nets.convolutions(Dim.of(24), Dim.of(24)), Map.of("portable", "true")).bulkBytes();
        assertThat(twice - fixed).isBetween(4L * 32 * (27 + 9 + 32 + 10), 4L * 32 * (27 + 9 + 32 + 10) + 4096);
    }

    @Test
    void nothingIsPackedAndNothingCopiedOnceItIsResolved() {
        var kept = new KeptPartition(Nets.transformer());
        var weights = new Weights(new PackedTensors());
        Graph context = kept.context();
        var part = new Partition("kept", context, Objects.requireNonNull(context.firstNode()));
        Graph graph = ContextReader.read(
                        kept.kept(), part, weights, Kernels.shared().set().target())
                .graph();
        weights.own(graph);
        long before = weights.bytes();
        var usage = new Usage();
        Kernels kernels = Kernels.shared();
        var environment =
                new CompileEnvironment(kernels.set(), kernels.gemm(), weights.observedBy(usage), kept.fallback());
        var kernel = new ShapedKernel() {
            @Override
            public List<@Nullable ValueType> outputs(Node node, Facts facts) {
                return Inferred.of(graph, facts, environment).types();
            }

            @Override
            public Launch bind(BindContext binding) {
                return new PartitionCompiler(graph, binding, environment, Rules::of).lower();
            }
        };
        KeptPartition.run(kernel, context, List.of(words(1, 9)));
        assertThat(usage.packed()).isNotEmpty();
        assertThat(weights.bytes()).isEqualTo(before);
    }

    @Test
    void largeConstantsAreTheContextsOwnMemory() {
        var kept = new KeptPartition(Nets.transformer());
        StoredPlan plan = PlanReader.read(
                kept.kept().plan(),
                kept.segments,
                Machine.vectors(Kernels.shared().set().target()));
        int found = 0;
        for (Value constant : plan.graph().constants()) {
            Tensor tensor = Objects.requireNonNull(constant.constant());
            if (!tensor.isClosed() && tensor.segment().byteSize() > PlanFormat.MOST_SMALL_BYTES) {
                assertThat(kept.segments).anyMatch(segment -> holds(segment, tensor.segment()));
                found++;
            }
        }
        assertThat(found).isPositive();
        assertThat(plan.left()).isNotEmpty();
    }

    private static boolean holds(MemorySegment whole, MemorySegment part) {
        long offset = part.address() - whole.address();
        return offset >= 0 && offset + part.byteSize() <= whole.byteSize();
    }

    @Test
    void anInputThatBecameAConstantAndAnOutputThatNobodyReadsAreMissedByNobody() {
        var kept = new KeptPartition(Nets.transformer());
        Tensor words = words(1, 5);
        Graph context = Graph.named("context");
        var editor = new GraphEditor(context);
        var inputs = new ArrayList<@Nullable Value>(List.of(editor.addConstant("ids", words)));
        Value scores = kept.addContext(editor, inputs).requireOutput(0);
        editor.addOutput("scores", scores);
        Kernel kernel = kept.resolve(context);
        Graph around = Graph.named("around");
        var outer = new GraphEditor(around);
        Node node = outer.append(NodeSpec.of(EpContext.OP, 1), List.of("scores"));
        outer.addOutput("scores", node.requireOutput(0));
        assertSame(
                KeptPartition.run(kernel, around, List.of()),
                kept.runCompiled(List.of(words)).subList(0, 1));
    }
}
