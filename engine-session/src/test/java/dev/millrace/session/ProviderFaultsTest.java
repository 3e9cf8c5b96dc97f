package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.Partition;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderLevel;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.spi.ProviderProfiler;
import dev.millrace.providers.spi.RunHook;
import dev.millrace.providers.spi.RunInfo;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.DeviceType;
import dev.millrace.scheduler.event.ChromeTrace;
import dev.millrace.scheduler.event.DeviceActivity;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of faults of a provider at each of the engine's calls to it. What happens is the table in
 * {@code docs/internals/provider-faults.md}, and a session beside the faulty one always answers.
 */
@SuppressWarnings("NullAway") // faulty providers return null where they must not
class ProviderFaultsTest {
    private static final int WIDTH = 4;

    /** The engine's calls to a provider, in the order of the table. */
    private enum Call {
        DEVICES("`ProviderFactory.devices`", "a device of hardware that was not offered", true),
        LEVEL("`ProviderFactory.level`", "", false),
        CREATE("`ProviderFactory.create`", "", true),
        CLAIM("`claim`", "changes the graph", false),
        CLAIM_ALL("`claim`, of all nodes", "claims what it has no kernel for", false),
        COMPILE("`compile`", "one kernel too many", true),
        RELEASE("`release`", "", false),
        KERNELS("`kernels`", "", true),
        KERNEL("`KernelFactory.create`", "", true),
        OUTPUTS("`ShapedKernel.outputs`", "another type than the operator's", true),
        BIND("`ShapedKernel.bind`", "", true),
        RUN("`Launch.run`", "", false),
        SESSION_READY("`onSessionReady`", "", false),
        CONCURRENT("`isConcurrentRunSupported`", "", false),
        RUN_HOOK("`runHook`", "", false),
        RUN_START("`RunHook.onRunStart`", "", false),
        RUN_END("`RunHook.onRunEnd`", "", false),
        PROFILER("`createProfiler`", "", false),
        PROFILE("`ProviderProfiler.stop`", "", true),
        DYNAMIC("`setDynamicOptions`", "", false),
        TROUBLE("`trouble`", "says that its device is lost", false),
        CLOSE("`close`", "", false),
        FACTORY_CLOSE("`ProviderFactory.close`", "", false);

        private final String name;
        private final String lie;
        private final boolean hasResult;

        /**
         * @param lie what a wrong answer is; empty where there is none
         * @param hasResult whether null is a wrong answer
         */
        Call(String name, String lie, boolean hasResult) {
            this.name = name;
            this.lie = lie;
            this.hasResult = hasResult;
        }
    }

    private enum Fault {
        NONE,
        THROWS,
        UNLINKED,
        NULL,
        LIES
    }

    @TempDir
    Path folder;

    private static final Path DOCUMENT = Path.of("..", "docs", "internals", "provider-faults.md");

    private Call call = Call.DEVICES;
    private Fault fault = Fault.NONE;
    private boolean reached;

    /** The latch that the compiler waits for; null where it does not hang. */
    private volatile @Nullable CountDownLatch hang;

    private final CountDownLatch compiling = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Does what is wrong at a call; returns whether the call is to answer null or wrongly. */
    private boolean isFaulty(Call here) {
        if (here != call) {
            return false;
        }
        reached = true;
        switch (fault) {
            case THROWS -> throw new IllegalStateException("broken " + here);
            case UNLINKED -> throw new NoClassDefFoundError("gone " + here);
            default -> {
                return fault != Fault.NONE;
            }
        }
    }

    private final class Faulty extends TestFactory {
        Faulty() {
            super("faulty");
        }

        @Override
        public List<ProviderDevice> devices(List<HardwareDevice> hardware) {
            if (isFaulty(Call.DEVICES)) {
                return fault == Fault.NULL
                        ? null
                        : List.of(new ProviderDevice(
                                name(),
                                new HardwareDevice(DeviceType.NPU, 1, "nobody", 1, Map.of()),
                                Map.of(),
                                Map.of(),
                                List.of()));
            }
            return super.devices(hardware);
        }

        @Override
        public @Nullable ProviderLevel level() {
            isFaulty(Call.LEVEL);
            return null;
        }

        @Override
        public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
            return isFaulty(Call.CREATE) ? null : new Provider();
        }

        @Override
        public void close() {
            isFaulty(Call.FACTORY_CLOSE);
        }
    }

    private final class Provider implements ExecutionProvider, RunHook {
        @Override
        public String name() {
            return "faulty";
        }

        @Override
        public void claim(Graph graph, CapabilitySink sink) {
            if (isFaulty(Call.CLAIM)) {
                new GraphEditor(graph).addInput("more", null);
            }
            boolean claimsAll = isFaulty(Call.CLAIM_ALL);
            var fused = new ArrayList<Node>();
            for (Node node : graph.nodes()) {
                if (node.op().equals(OpId.onnx("Relu"))) {
                    fused.add(node);
                } else if (claimsAll || node.op().equals(OpId.onnx("Identity"))) {
                    sink.single(node);
                }
            }
            sink.fuse(fused);
        }

        @Override
        public List<Kernel> compile(List<Partition> partitions, CompileContext context) {
            CountDownLatch waits = hang;
            while (waits != null && waits.getCount() > 0) {
                compiling.countDown();
                Thread.onSpinWait();
            }
            if (isFaulty(Call.COMPILE)) {
                return fault == Fault.NULL ? null : kernels(partitions.size() + 1);
            }
            return kernels(partitions.size());
        }

        private List<Kernel> kernels(int count) {
            var kernels = new ArrayList<Kernel>();
            for (int i = 0; i < count; i++) {
                kernels.add(new Copy(true));
            }
            return kernels;
        }

        @Override
        public void release(List<Kernel> kernels) {
            isFaulty(Call.RELEASE);
        }

        @Override
        public @Nullable KernelFactory kernels() {
            return isFaulty(Call.KERNELS)
                    ? null
                    : node ->
                            isFaulty(Call.KERNEL) || !node.op().equals(OpId.onnx("Identity")) ? null : new Copy(false);
        }

        @Override
        public void onSessionReady() {
            isFaulty(Call.SESSION_READY);
        }

        @Override
        public boolean isConcurrentRunSupported() {
            isFaulty(Call.CONCURRENT);
            return true;
        }

        @Override
        public RunHook runHook() {
            isFaulty(Call.RUN_HOOK);
            return this;
        }

        @Override
        public void onRunStart(RunInfo run) {
            isFaulty(Call.RUN_START);
        }

        @Override
        public void onRunEnd(RunInfo run) {
            isFaulty(Call.RUN_END);
        }

        @Override
        public ProviderProfiler createProfiler() {
            isFaulty(Call.PROFILER);
            return new ProviderProfiler() {
                @Override
                public void start(long nanoTime) {
                    // it has no clock of its own
                }

                @Override
                public List<DeviceActivity> stop() {
                    return isFaulty(Call.PROFILE) ? null : List.of();
                }
            };
        }

        @Override
        public void setDynamicOptions(Map<String, String> options) {
            isFaulty(Call.DYNAMIC);
        }

        @Override
        public @Nullable String trouble() {
            return isFaulty(Call.TROUBLE) && fault == Fault.LIES ? "the device is lost" : null;
        }

        @Override
        public void close() {
            closed.countDown();
            isFaulty(Call.CLOSE);
        }
    }

    /** A kernel that returns its input, or its positive part. */
    private final class Copy implements ShapedKernel {
        private final boolean rectifies;

        Copy(boolean rectifies) {
            this.rectifies = rectifies;
        }

        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            if (isFaulty(Call.OUTPUTS)) {
                return fault == Fault.NULL ? null : List.of(ValueType.tensor(ElementType.FLOAT, Shape.of(7)));
            }
            return List.of(facts.type(0));
        }

        @Override
        public Launch bind(BindContext context) {
            if (isFaulty(Call.BIND)) {
                return null;
            }
            return run -> {
                isFaulty(Call.RUN);
                for (long at = 0; at < run.output(0).byteSize(); at += Float.BYTES) {
                    float value = run.input(0).get(ValueLayout.JAVA_FLOAT, at);
                    run.output(0).set(ValueLayout.JAVA_FLOAT, at, rectifies ? Math.max(0, value) : value);
                }
            };
        }
    }

    /** y = relu(x), z = identity(x), and a node of an unknown domain that nothing needs. */
    private static byte[] model() {
        var editor = new GraphEditor(Graph.named("faults"));
        var x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, Shape.of(1, WIDTH)));
        editor.addOutput("y", TestModels.node(editor, "Relu", x));
        editor.addOutput("z", TestModels.node(editor, "Identity", TestModels.node(editor, "Neg", x)));
        return Models.toBytes(TestModels.model(editor.graph()));
    }

    private static SessionOptions.Builder options() {
        return SessionOptions.builder()
                .optimiser(Optimiser.Options.builder().level(Level.DISABLED).build());
    }

    private static String failure(String stage, EngineException e) {
        assertThat(e).as(stage).hasMessageContaining("faulty");
        return stage + " fails (`" + e.status() + "`)";
    }

    /** Returns the outcome for a session that names the provider before {@code cpu}, in the words of the table. */
    private String outcome() throws IOException {
        Engine engine = Engine.create(EngineOptions.builder()
                .threads(1)
                .providers(List.of(new Faulty()))
                .build());
        String outcome;
        try (Session beside = engine.session(model(), options().provider("cpu").build())) {
            outcome = ofSession(engine);
            assertThat(TestModels.answer(beside, WIDTH)).containsExactly(.5f, .5f, .5f, .5f);
        }
        try {
            engine.close();
        } catch (EngineException e) {
            outcome = failure("closing the engine", e);
        }
        return outcome;
    }

    private String ofSession(Engine engine) throws IOException {
        Session session;
        try {
            session = engine.session(
                    model(), options().provider("faulty").provider("cpu").build());
        } catch (EngineException e) {
            return failure("the session's creation", e);
        }
        String outcome;
        try {
            outcome = used(engine, session);
        } finally {
            String closing = closed(session);
            if (!closing.isEmpty()) {
                outcome = closing;
            }
        }
        return outcome;
    }

    private static String closed(Session session) {
        try {
            session.close();
            return "";
        } catch (EngineException e) {
            return failure("closing the session", e);
        }
    }

    private String used(Engine engine, Session session) throws IOException {
        String notes =
                session.report().notes().stream().anyMatch(note -> note.contains("faulty")) ? ", with a note" : "";
        try (ChromeTrace trace = ChromeTrace.to(Files.createTempFile(folder, "trace", ".json"));
                Outputs outputs = session.run(
                        Inputs.of("x", TestModels.halves(WIDTH)),
                        RunOptions.builder().listener(trace).build())) {
            assertThat(outputs.get("y").floats()).containsExactly(.5f, .5f, .5f, .5f);
            assertThat(outputs.get("z").floats()).containsExactly(-.5f, -.5f, -.5f, -.5f);
        } catch (EngineException e) {
            return failure("the run", e);
        }
        try {
            session.setDynamicOptions("faulty", Map.of("mode", "fast"));
        } catch (EngineException e) {
            return failure("the call of the session", e);
        }
        if (engine.platform().notes().stream().anyMatch(note -> note.contains("faulty"))) {
            return "the platform report has a note";
        }
        if (session.health().condition() != Health.Condition.UP) {
            return "the health is `" + session.health().condition() + "`";
        }
        boolean isUsed = session.label().providers().contains("faulty");
        return (isUsed ? "the session answers" : "the providers behind it answer") + notes;
    }

    private String cell(Call at, Fault with) throws IOException {
        if (with == Fault.NULL && !at.hasResult || with == Fault.LIES && at.lie.isEmpty()) {
            return "";
        }
        call = at;
        fault = with;
        reached = false;
        String outcome = outcome();
        assertThat(reached).as(at + " " + with).isTrue();
        return outcome;
    }

    private String row(Call at) throws IOException {
        var cells = new ArrayList<String>();
        cells.add(at.name);
        String unlinked = cell(at, Fault.UNLINKED);
        assertThat(cell(at, Fault.THROWS)).as(at.name).isEqualTo(unlinked);
        cells.add(unlinked);
        cells.add(cell(at, Fault.NULL));
        String lie = cell(at, Fault.LIES);
        cells.add(at.lie.isEmpty() ? "" : at.lie + ": " + lie);
        return "| " + String.join(" | ", cells) + " |";
    }

    @Test
    void eachFaultEndsAsTheDocumentSays() throws IOException {
        var rows = new ArrayList<String>();
        for (Call at : Call.values()) {
            rows.add(row(at));
        }
        assertThat(Files.readString(DOCUMENT)).contains(String.join("\n", rows));
    }

    @Test
    @Timeout(60)
    void aCompilerThatHangsIsLeftWhenTheSessionIsCancelled() throws Exception {
        hang = new CountDownLatch(1);
        var cancellation = new Cancellation();
        Engine engine = Engine.create(EngineOptions.builder()
                .threads(1)
                .providers(List.of(new Faulty()))
                .build());
        try (Session beside = engine.session(model(), options().provider("cpu").build())) {
            Thread.ofVirtual().start(() -> {
                try {
                    compiling.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                cancellation.cancel();
            });
            CompiledTest.assertRefused(
                    Status.MODEL_LOAD_CANCELED,
                    () -> engine.session(
                            model(),
                            options()
                                    .provider("faulty")
                                    .provider("cpu")
                                    .cancellation(cancellation)
                                    .build()),
                    "compiling was cancelled");
            assertThat(closed.getCount()).isEqualTo(1);
            assertThat(TestModels.answer(beside, WIDTH)).containsExactly(.5f, .5f, .5f, .5f);
            hang.countDown();
            closed.await();
        }
        engine.close();
    }
}
