package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.PackedPlace;
import dev.millrace.providers.spi.PackedTensors;
import dev.millrace.providers.spi.Partition;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.session.runtime.OpenEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A provider of somebody else's asks whether a tensor is already packed in a layout. */
class PackedTensorsTest {
    private static final int WIDTH = 96;

    private final Packing packing = new Packing();

    @Test
    @Rows(135)
    void whatAnotherSessionPackedIsThereAlready() {
        try (Engine engine =
                        OpenEngine.create(EngineOptions.builder().threads(1).build(), List.of(packing));
                Session first = engine.session(TestModels.perceptron(3, WIDTH, 5), SessionOptions.defaults())) {
            assertThat(packing.asked).hasSize(3).doesNotContain(true);
            packing.asked.clear();
            List<MemorySegment> packed = List.copyOf(packing.places);
            packing.places.clear();
            try (Session second = engine.session(TestModels.perceptron(4, WIDTH, 5), SessionOptions.defaults())) {
                assertThat(packing.asked).containsExactlyInAnyOrder(true, true, true, false);
                assertThat(packing.places).hasSize(4).containsAll(packed);
                assertThat(first).isNotSameAs(second);
            }
        }
    }

    @Test
    void enginesHaveTheirOwn() {
        for (Packing each : List.of(packing, new Packing())) {
            try (Engine engine =
                    OpenEngine.create(EngineOptions.builder().threads(1).build(), List.of(each))) {
                engine.session(TestModels.perceptron(2, WIDTH, 5), SessionOptions.defaults())
                        .close();
                assertThat(each.asked).containsExactly(false, false);
            }
        }
    }

    /** Takes everything, and packs constants of two axes back to front. */
    private static final class Packing extends TestFactory {
        private final PackedTensors known = new PackedTensors();
        final List<Boolean> asked = new ArrayList<>();
        final List<MemorySegment> places = new ArrayList<>();

        Packing() {
            super("packing");
        }

        @Override
        public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
            return new ExecutionProvider() {
                @Override
                public String name() {
                    return "packing";
                }

                @Override
                public void claim(Graph graph, CapabilitySink sink) {
                    var all = new ArrayList<Node>();
                    graph.nodes().forEach(all::add);
                    sink.fuse(all);
                }

                @Override
                public List<Kernel> compile(List<Partition> partitions, CompileContext context) {
                    return partitions.stream().map(this::compile).toList();
                }

                private Kernel compile(Partition partition) {
                    List<PackedPlace> weights = partition.graph().constants().stream()
                            .map(Value::constant)
                            .filter(Objects::nonNull)
                            .filter(each -> each.shape().rank() == 2)
                            .map(Packing.this::pack)
                            .toList();
                    return new Holding(weights);
                }
            };
        }

        private PackedPlace pack(Tensor tensor) {
            long bytes = tensor.segment().byteSize();
            PackedPlace place = known.find(List.of(tensor), "back to front", bytes);
            asked.add(place.isFilled());
            MemorySegment memory = place.place(bytes, size -> OwnMemory.allocate(size, 64));
            place.fill(target -> {
                for (long i = 0; i < bytes; i++) {
                    target.set(ValueLayout.JAVA_BYTE, i, tensor.segment().get(ValueLayout.JAVA_BYTE, bytes - 1 - i));
                }
            });
            places.add(memory);
            return place;
        }
    }

    /** Runs nothing, and has its weights for as long as a session has it. */
    private record Holding(List<PackedPlace> weights) implements ShapedKernel {
        @Override
        public Launch bind(BindContext context) {
            return Launch.none();
        }
    }
}
