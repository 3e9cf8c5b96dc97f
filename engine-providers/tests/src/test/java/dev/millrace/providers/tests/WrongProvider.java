package dev.millrace.providers.tests;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HostFactory;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The subject of tests that have to fail. */
final class WrongProvider extends ProviderTests {
    private final boolean hasFactory;
    private final boolean takesNodes;

    WrongProvider(boolean hasFactory, boolean takesNodes) {
        this.hasFactory = hasFactory;
        this.takesNodes = takesNodes;
    }

    @Override
    protected @Nullable ProviderFactory factory() {
        return hasFactory ? new Faulty(takesNodes) : null;
    }

    @Override
    protected Set<String> operators() {
        return Set.of("Relu", "Softmax");
    }

    /** A provider whose Relu lets negative numbers through. */
    private static final class Faulty extends HostFactory {
        private final boolean takesNodes;

        Faulty(boolean takesNodes) {
            super("faulty", "test", "1.0.0");
            this.takesNodes = takesNodes;
        }

        @Override
        public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
            return new ExecutionProvider() {
                @Override
                public String name() {
                    return "faulty";
                }

                @Override
                public void claim(Graph graph, CapabilitySink sink) {
                    for (Node node : graph.nodes()) {
                        if (takesNodes && node.is("Relu")) {
                            sink.single(node);
                        }
                    }
                }

                @Override
                public KernelFactory kernels() {
                    return node -> node.is("Relu") ? new Identity() : null;
                }
            };
        }
    }

    private record Identity() implements ShapedKernel {
        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            var types = new ArrayList<@Nullable ValueType>();
            types.add(facts.type(0));
            return types;
        }

        @Override
        public Launch bind(BindContext context) {
            return run -> {
                for (long at = 0; at < run.output(0).byteSize(); at += Float.BYTES) {
                    run.output(0).set(ValueLayout.JAVA_FLOAT, at, run.input(0).get(ValueLayout.JAVA_FLOAT, at));
                }
            };
        }
    }
}
