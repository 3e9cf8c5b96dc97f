package dev.millrace.session.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.ContextResolver;
import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.epcontext.SourceInitializers;
import dev.millrace.epcontext.Workspaces;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.providers.partition.Partitioner;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Partition;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Providers that claim more than they can compile. */
class CompilationTest {
    private static final ShapedKernel KERNEL = context -> Launch.none();

    private static final BuildOptions OPTIONS = new BuildOptions(
            new ProviderSelection(List.of(), null),
            Optimiser.Options.DEFAULT,
            1,
            EpContextOptions.defaults(),
            false,
            false,
            false,
            false,
            null,
            FileUse.READ,
            () -> false);

    private final Graph graph = Graph.named("test");
    private final GraphEditor editor = new GraphEditor(graph);
    private final Notes notes = new Notes();

    /** Fuses all it is asked about, and throws for a partition that has both of these operators. */
    private record Greedy(String name, String bad, String together) implements ExecutionProvider {
        @Override
        public void claim(Graph graph, CapabilitySink sink) {
            var all = new ArrayList<Node>();
            graph.nodes().forEach(all::add);
            sink.fuse(all);
        }

        @Override
        public List<Kernel> compile(List<Partition> partitions, CompileContext context) {
            for (Partition partition : partitions) {
                List<String> names =
                        partition.nodes().stream().map(node -> node.op().name()).toList();
                if (names.contains(bad) && names.contains(together)) {
                    throw new IllegalStateException(bad + " takes more registers than there are");
                }
            }
            return partitions.stream().map(partition -> (Kernel) KERNEL).toList();
        }
    }

    /** Takes nodes one by one, and has a kernel for all operators but one. */
    private record Plain(String name, String missing) implements ExecutionProvider {
        @Override
        public void claim(Graph graph, CapabilitySink sink) {
            graph.nodes().forEach(sink::single);
        }

        @Override
        public KernelFactory kernels() {
            return node -> node.op().name().equals(missing) ? null : KERNEL;
        }
    }

    private Value chain(String... operators) {
        Value value = editor.addInput("x", null);
        for (String op : operators) {
            value = editor.append(NodeSpec.of(OpId.onnx(op), 21, value), List.of("v" + graph.nodeCount()))
                    .requireOutput(0);
        }
        editor.addOutput("y", value);
        return value;
    }

    private Partitioning compile(ExecutionProvider... providers) {
        return compile(new OpenProviders(), List.of(providers));
    }

    private Partitioning compile(OpenProviders open, List<ExecutionProvider> all) {
        all.forEach(open::add);
        var header = new Model.Header(10, "test", "1", "", 1, "");
        var model = new Model(header, Map.of(OpId.ONNX, 21), Map.of(), Map.of(), graph, null);
        Partitioner partitioner = Partitioner.share(graph, all, "m");
        try (var resolver =
                new ContextResolver(new Workspaces(), EpContextOptions.defaults(), null, FileUse.READ, model)) {
            var compilation = new Compilation(
                    OPTIONS, partitioner, resolver, open, new KeptContexts(false, SourceInitializers.none()), notes);
            Map<Node, Kernel> kernels = compilation.compile();
            graph.nodes().forEach(node -> assertThat(kernels).containsKey(node));
        }
        return partitioner.parts();
    }

    private List<String> owners(Partitioning parts) {
        var owners = new ArrayList<String>();
        for (Node node : graph.nodes()) {
            ExecutionProvider owner = parts.singles().get(node);
            owners.add(
                    (owner == null ? "nobody" : owner.name()) + " " + node.op().name());
        }
        return owners;
    }

    @Test
    void aNodeThatCannotBeCompiledGoesToTheNextAndTheRestStays() {
        chain("Relu", "Neg", "Sum", "Abs", "Exp");
        Partitioning parts = compile(new Greedy("fast", "Sum", "Sum"), new Plain("plain", ""));

        assertThat(owners(parts))
                .contains("plain Sum")
                .filteredOn("plain Sum"::equals)
                .hasSize(1);
        assertThat(owners(parts)).filteredOn(owner -> owner.startsWith("plain")).hasSize(1);
        assertThat(parts.fused().stream()
                        .mapToInt(each -> each.partition().graph().nodeCount())
                        .sum())
                .isEqualTo(4);
        assertThat(notes.all())
                .singleElement()
                .asString()
                .contains("provider 'fast' cannot compile Sum -> 'v2'")
                .contains("takes more registers than there are");
    }

    @Test
    void nodesThatCannotBeCompiledTogetherAreCompiledApart() {
        chain("Sum", "Relu");
        Partitioning parts = compile(new Greedy("fast", "Sum", "Relu"), new Plain("plain", ""));

        assertThat(owners(parts)).containsExactly("fast fast", "fast fast");
        assertThat(notes.all()).isEmpty();
    }

    @Test
    void theNextMayGiveItBackToo() {
        chain("Sum");
        Partitioning parts =
                compile(new Greedy("fast", "Sum", "Sum"), new Greedy("other", "Sum", "Sum"), new Plain("plain", ""));

        assertThat(owners(parts)).containsExactly("plain Sum");
        assertThat(notes.all()).hasSize(2);
    }

    @Test
    void aSingleNodeWithoutAKernelGoesToTheNext() {
        chain("Relu", "Sum");
        Partitioning parts = compile(new Plain("some", "Sum"), new Plain("plain", ""));

        assertThat(owners(parts)).containsExactly("some Relu", "plain Sum");
        assertThat(notes.all()).singleElement().asString().contains("'some'").contains("Sum");
    }

    @Test
    void whatNobodyCompilesIsRefusedWithTheFirstReason() {
        chain("Relu", "Sum");
        assertThatThrownBy(() -> compile(new Greedy("fast", "Sum", "Sum")))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.EP_FAIL))
                .hasMessageContaining("provider 'fast'")
                .hasMessageContaining("takes more registers");
    }

    @Test
    void outputsKeepTheirNamesAndPlaces() {
        Value inner = chain("Relu", "Sum");
        editor.addOutput("again", inner);
        compile(new Greedy("fast", "Sum", "Sum"), new Plain("plain", ""));

        assertThat(graph.outputNames()).containsExactly("y", "again");
        assertThat(graph.outputs().getFirst()).isSameAs(graph.outputs().getLast());
        @Nullable Node producer = graph.outputs().getFirst().producer();
        assertThat(producer).isNotNull().extracting(node -> node.op().name()).isEqualTo("Sum");
    }

    /** A kernel that is no other one's equal. */
    private static final class OwnKernel implements ShapedKernel {
        @Override
        public Launch bind(BindContext context) {
            return Launch.none();
        }
    }

    /** Makes a kernel of its own for each partition, unless one has both of these operators, and counts what comes back. */
    private static class Counting implements ExecutionProvider {
        private final Set<Kernel> made = Collections.newSetFromMap(new IdentityHashMap<>());
        private final List<Kernel> released = new ArrayList<>();
        private final Greedy claims = new Greedy("counting", "Sum", "Relu");
        private final Error thrown;

        Counting(Error thrown) {
            this.thrown = thrown;
        }

        @Override
        public String name() {
            return claims.name();
        }

        @Override
        public void claim(Graph graph, CapabilitySink sink) {
            claims.claim(graph, sink);
        }

        @Override
        public List<Kernel> compile(List<Partition> partitions, CompileContext context) {
            try {
                claims.compile(partitions, context);
            } catch (IllegalStateException e) {
                throw thrown;
            }
            var kernels = new ArrayList<Kernel>();
            for (Partition _ : partitions) {
                kernels.add(new OwnKernel());
            }
            made.addAll(kernels);
            return kernels;
        }

        @Override
        public void release(List<Kernel> kernels) {
            released.addAll(kernels);
        }
    }

    @Test
    void eachKernelIsReleasedOnceThoseOfTriesAtOnceAndTheOthersAtTheEnd() {
        chain("Sum", "Relu", "Neg", "Abs");
        var counting = new Counting(new NoClassDefFoundError("a/driver"));
        try (var open = new OpenProviders()) {
            Partitioning parts = compile(open, List.of(counting, new Plain("plain", "")));
            int used = parts.fused().size();
            assertThat(used).isGreaterThan(1);
            assertThat(counting.released).hasSize(counting.made.size() - used).doesNotHaveDuplicates();
        }
        assertThat(counting.released).hasSameSizeAs(counting.made).doesNotHaveDuplicates();
    }

    @Test
    void aProviderThatCannotBeLinkedIsNamedAndItsNodesGoToTheNext() {
        chain("Sum");
        ExecutionProvider unlinked = new Counting(new NoClassDefFoundError("a/driver")) {
            @Override
            public List<Kernel> compile(List<Partition> partitions, CompileContext context) {
                throw new NoClassDefFoundError("a/driver");
            }
        };
        Partitioning parts = compile(unlinked, new Plain("plain", ""));
        assertThat(owners(parts)).containsExactly("plain Sum");
        assertThat(notes.all())
                .singleElement()
                .asString()
                .contains("'counting'")
                .contains("a/driver");
    }

    @Test
    void whatAProviderThrowsWhileItClaimsNamesIt() {
        chain("Sum");
        ExecutionProvider broken = new Counting(new NoClassDefFoundError("a/driver")) {
            @Override
            public void claim(Graph graph, CapabilitySink sink) {
                throw new NoSuchMethodError("a.driver.Open");
            }
        };
        assertThatThrownBy(() -> compile(broken))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.EP_FAIL))
                .hasMessageContaining("provider 'counting'")
                .hasMessageContaining("a.driver.Open");
    }

    @Test
    void allProvidersAreClosedWhateverOneThrows() {
        var closed = new ArrayList<String>();
        var open = new OpenProviders();
        for (String name : List.of("one", "two", "three")) {
            open.add(new ExecutionProvider() {
                @Override
                public String name() {
                    return name;
                }

                @Override
                public void claim(Graph graph, CapabilitySink sink) {
                    // takes nothing
                }

                @Override
                public void close() {
                    closed.add(name);
                    if (name.equals("two")) {
                        throw new IllegalStateException("the device is gone");
                    }
                }
            });
        }
        assertThatThrownBy(open::close)
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("provider 'two'")
                .hasMessageContaining("the device is gone");
        open.close();
        assertThat(closed).containsExactly("one", "two", "three");
    }
}
