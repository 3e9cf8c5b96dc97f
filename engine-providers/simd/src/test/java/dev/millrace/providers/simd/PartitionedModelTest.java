package dev.millrace.providers.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.CpuFactory;
import dev.millrace.providers.partition.Partitioner;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Partition;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.scheduler.kernel.DirectRun;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A model shared out between {@code simd} and {@code cpu}, node by node on one thread. */
class PartitionedModelTest {
    @Test
    void whatTheTwoShareOutIsWhatTheModelSays() {
        var part = new PartitionUnderTest(1);
        Value x = part.input(6, 40);
        Value wide = part.op("Gelu", part.op("Add", part.op("MatMul", x, part.constant(40, 300)), part.constant(300)));
        Value back = part.op("MatMul", wide, part.constant(300, 40));
        Value sum = part.op("Add", back, x);
        // cpu's: a lonely product of two values that change, and what it feeds is simd's again
        Value dynamic = part.op("MatMul", sum, part.input(40, 40));
        part.output(part.op("Tanh", part.op("Add", dynamic, back)));
        part.output(sum);
        List<Tensor> inputs = part.randomInputs();
        List<double[]> expected = Reference.run(part.graph, inputs);

        ExecutionProvider simd = PartitionUnderTest.provider();
        ExecutionProvider cpu = new CpuFactory().create(List.of(), new ProviderOptions(1, Map.of()));
        Partitioning partitioning = Partitioner.partition(part.graph, List.of(simd, cpu), "model");
        List<Partition> partitions =
                partitioning.fused().stream().map(Partitioning.Fused::partition).toList();
        assertThat(partitions).hasSize(2);
        List<Kernel> compiled = simd.compile(partitions, PartitionUnderTest.context(null));
        var kernels = new HashMap<Node, Kernel>();
        for (int i = 0; i < compiled.size(); i++) {
            kernels.put(partitions.get(i).fused(), compiled.get(i));
        }

        var values = new HashMap<Value, Tensor>();
        for (int i = 0; i < inputs.size(); i++) {
            values.put(part.graph.inputs().get(i), inputs.get(i));
        }
        for (Node node : part.graph.nodes()) {
            Kernel kernel = kernels.get(node);
            if (kernel == null) {
                kernel = Objects.requireNonNull(
                        Objects.requireNonNull(cpu.kernels()).create(node));
            }
            var arguments = new ArrayList<@Nullable Tensor>();
            node.inputs().forEach(input -> arguments.add(values.get(input)));
            var results = DirectRun.run(kernel, node, arguments);
            for (int i = 0; i < results.size(); i++) {
                values.put(node.requireOutput(i), (Tensor) Objects.requireNonNull(results.get(i)));
            }
        }
        for (int output = 0; output < expected.size(); output++) {
            float[] found = Objects.requireNonNull(
                            values.get(part.graph.outputs().get(output)))
                    .floats();
            for (int i = 0; i < found.length; i++) {
                double exact = expected.get(output)[i];
                assertThat((double) found[i]).isCloseTo(exact, within(1e-4 * (1 + Math.abs(exact))));
            }
        }
    }
}
