package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.spi.RunHook;
import dev.millrace.providers.spi.RunInfo;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.DeviceType;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.session.runtime.OpenSession;
import dev.millrace.session.runtime.RunTurns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the options that a provider is created with, and of the calls that it gets until its end. */
@Timeout(60)
class ProviderLifeTest {
    private static final String NAME = "told";
    private static final int WIDTH = 4;

    @TempDir
    private Path folder = Path.of("");

    private final Told told = new Told();
    private final Engine engine = Engine.create(EngineOptions.builder()
            .threads(2)
            .virtualDevices(List.of(device(1), device(2)))
            .providers(List.of(told))
            .build());
    private Path file = Path.of("");

    @BeforeEach
    void write() throws IOException {
        file = Files.write(folder.resolve("net.onnx"), TestModels.perceptron(1, WIDTH, 1));
        // old enough for sessions to share it
        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH.plusSeconds(1_000_000)));
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private static HardwareDevice device(int id) {
        return new HardwareDevice(DeviceType.GPU, 7, "test", id, Map.of());
    }

    private static SessionOptions.Builder options(Map<String, String> asked) {
        return SessionOptions.builder().provider(NAME, asked).provider("cpu");
    }

    private Session session() {
        return engine.session(file, options(Map.of()).build());
    }

    private static void run(Session session) {
        session.run(inputs()).close();
    }

    @Test
    void optionsOfDevicesAreTheProvidersWhereTheSessionSaysNothing() {
        told.ofDevices = List.of(
                Map.of("compile_optimization", "O3", "cache", "16"),
                Map.of("compile_optimization", "O1", "queue", "2"));
        session().close();
        engine.session(file, options(Map.of("cache", "64", "mine", "yes")).build())
                .close();
        assertThat(told.made)
                .extracting(ProviderOptions::values)
                .containsExactly(
                        Map.of("compile_optimization", "O3", "cache", "16", "queue", "2"),
                        Map.of("compile_optimization", "O3", "cache", "64", "queue", "2", "mine", "yes"));
    }

    @Test
    void optionsOfDevicesAreTheCompilersToo() {
        told.ofDevices = List.of(Map.of("compile_optimization", "O3"), Map.of());
        engine.compiler(CompileOptions.of(options(Map.of()).build()).build())
                .compile(ModelInput.file(file), ModelOutput.besideSource());
        assertThat(told.made).extracting(ProviderOptions::values).containsExactly(Map.of("compile_optimization", "O3"));
    }

    @Test
    void aProviderHearsOnceThatItsSessionIsReadyAndIsClosedOnceAfterIt() {
        Session session = session();
        assertThat(told.heard).containsExactly("claim", "ready");
        run(session);
        run(session);
        session.close();
        session.close();
        assertThat(told.heard)
                .containsExactly("claim", "ready", "run starts", "run ends", "run starts", "run ends", "closed");
    }

    @Test
    void aProviderThatSessionsShareIsReadyOnceAndClosedAfterTheLast() {
        told.shared = true;
        Session first = session();
        Session second = session();
        assertThat(told.made).hasSize(1);
        first.close();
        run(second);
        assertThat(told.heard).containsExactly("claim", "ready", "run starts", "run ends");
        second.close();
        assertThat(told.heard).endsWith("run ends", "closed").containsOnlyOnce("closed");
    }

    @Test
    void aProviderOutlivesItsEngineWithItsSession() {
        Session session = session();
        engine.close();
        run(session);
        assertThat(told.heard).doesNotContain("closed", "factory closed");
        session.close();
        assertThat(told.heard).endsWith("closed", "factory closed").containsOnlyOnce("closed", "factory closed");
    }

    @Test
    void aProviderThatIsNotReadyFailsItsSessionAndIsClosed() {
        told.failing = "ready";
        CompiledTest.assertRefused(Status.EP_FAIL, this::session, "provider 'told'", "no ready here");
        assertThat(told.heard).containsExactly("claim", "ready", "closed");
    }

    @Test
    void aProviderOfASessionThatCannotBeMadeIsClosedAndNeverReady() {
        told.failing = "claim";
        var alone = SessionOptions.builder().provider("told").build();
        CompiledTest.assertRefused(
                Status.EP_FAIL, () -> engine.session(file, alone), "provider 'told'", "no claim here");
        assertThat(told.heard).containsExactly("claim", "closed");
    }

    @Test
    void nodesOfAProviderThatCannotClaimGoToTheProvidersBehindIt() {
        told.failing = "claim";
        try (Session session = session()) {
            run(session);
            assertThat(session.report().notes())
                    .anySatisfy(note -> assertThat(note).contains("provider 'told'", "no claim here", "dropped"));
        }
    }

    @Test
    void aProviderThatOnlyCompilesIsClosedAndNeverReady() {
        engine.compiler(CompileOptions.of(options(Map.of()).build()).build())
                .compile(ModelInput.file(file), ModelOutput.besideSource());
        assertThat(told.heard).containsExactly("claim", "closed");
    }

    /** Spins until a condition holds, for half a minute at most. */
    private static void until(BooleanSupplier so) {
        long begun = System.nanoTime();
        while (!so.getAsBoolean()) {
            if (System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(30)) {
                throw new IllegalStateException("that took too long");
            }
            Thread.onSpinWait();
        }
    }

    /** The first run is held at its start until the second one waits for its turn. */
    @Test
    void runsTakeTurnsWhereAProviderWantsOneAtATime() throws InterruptedException {
        told.concurrent = false;
        var held = new CountDownLatch(1);
        try (Session session = session()) {
            RunTurns turns =
                    Objects.requireNonNull(OpenSession.of(session).model().turns(), "runs that take turns");
            told.atStart = () -> {
                told.atStart = () -> {};
                held.countDown();
                until(turns::isAwaited);
            };
            Thread first = Thread.ofPlatform().start(() -> run(session));
            held.await();
            Thread second = Thread.ofPlatform().start(() -> run(session));
            first.join();
            second.join();
        }
        assertThat(told.heard)
                .containsExactly("claim", "ready", "run starts", "run ends", "run starts", "run ends", "closed");
        assertThat(told.mostAtOnce).hasValue(1);
    }

    /** Holds a run where it starts, until another one has ended that waits for its turn. */
    private void assertWaitEnds(Status status, BiConsumer<Session, Runnable> other) throws InterruptedException {
        told.concurrent = false;
        var held = new CountDownLatch(1);
        var ended = new CountDownLatch(1);
        try (Session session = session()) {
            RunTurns turns =
                    Objects.requireNonNull(OpenSession.of(session).model().turns(), "runs that take turns");
            told.atStart = () -> {
                told.atStart = () -> {};
                held.countDown();
                until(() -> ended.getCount() == 0);
            };
            Thread first = Thread.ofPlatform().start(() -> run(session));
            held.await();
            CompiledTest.assertRefused(status, () -> other.accept(session, () -> until(turns::isAwaited)), "the run");
            ended.countDown();
            first.join();
            assertThat(turns.isTaken()).isFalse();
            run(session);
        }
        assertThat(told.heard)
                .containsExactly("claim", "ready", "run starts", "run ends", "run starts", "run ends", "closed");
    }

    @Test
    void optionsAreGivenToAProviderWhileTheSessionIsOpen() {
        try (Session session = session()) {
            session.setDynamicOptions(NAME, Map.of("workload", "efficient"));
            assertThat(told.dynamic).containsExactly(Map.of("workload", "efficient"));
            assertThatThrownBy(() -> session.setDynamicOptions("nobody", Map.of()))
                    .hasMessageContaining("has no provider 'nobody'");
            assertThatThrownBy(() -> session.setDynamicOptions("cpu", Map.of("a", "b")))
                    .isInstanceOfSatisfying(
                            EngineException.class,
                            failure -> assertThat(failure.status()).isEqualTo(Status.NOT_IMPLEMENTED));
        }
    }

    private static Inputs inputs() {
        return Inputs.of("x", Tensor.copyOf(new float[WIDTH], 1, WIDTH));
    }

    @Test
    void aRunThatWaitsForItsTurnHearsItsCancellation() throws InterruptedException {
        var cancellation = new Cancellation();
        assertWaitEnds(Status.CANCELLED, (session, waits) -> {
            Thread.ofPlatform().start(() -> {
                waits.run();
                cancellation.cancel();
            });
            session.run(
                    inputs(), RunOptions.builder().cancellation(cancellation).build());
        });
    }

    @Test
    void aRunThatWaitsForItsTurnHearsItsDeadline() throws InterruptedException {
        assertWaitEnds(
                Status.DEADLINE_EXCEEDED,
                (session, _) -> session.run(
                        inputs(),
                        RunOptions.builder().within(Duration.ofMillis(50)).build()));
    }

    @Test
    void aRequestThatWaitsForItsTurnHearsItsDeadline() throws InterruptedException {
        assertWaitEnds(
                Status.DEADLINE_EXCEEDED,
                (session, _) -> session.mono(
                                inputs(),
                                RunOptions.builder()
                                        .within(Duration.ofMillis(50))
                                        .build())
                        .block());
    }

    /** Each run is held at its start until both have started. */
    @Test
    void runsDoNotWaitForEachOtherWhereAProviderTakesSeveral() throws InterruptedException {
        try (Session session = session()) {
            told.atStart = () -> until(() -> told.mostAtOnce.get() == 2);
            Thread first = Thread.ofPlatform().start(() -> run(session));
            Thread second = Thread.ofPlatform().start(() -> run(session));
            first.join();
            second.join();
        }
        assertThat(told.heard).hasSize(2 + 4 + 1);
        assertThat(told.mostAtOnce).hasValue(2);
    }

    /** A provider that claims no node and records the calls that it gets. */
    private static final class Told extends TestFactory {
        final List<ProviderOptions> made = new ArrayList<>();
        final List<String> heard = Collections.synchronizedList(new ArrayList<>());
        final List<Map<String, String>> dynamic = new ArrayList<>();
        final AtomicInteger mostAtOnce = new AtomicInteger();
        final AtomicInteger underWay = new AtomicInteger();
        List<Map<String, String>> ofDevices = List.of(Map.of(), Map.of());
        boolean concurrent = true;
        boolean shared;
        /** The name of the call that throws. */
        String failing = "";

        volatile Runnable atStart = () -> {};

        private void hear(String what) {
            heard.add(what);
            if (what.equals(failing)) {
                throw new IllegalStateException("no " + what + " here");
            }
        }

        Told() {
            super(NAME);
        }

        @Override
        public List<ProviderDevice> devices(List<HardwareDevice> hardware) {
            return hardware.stream()
                    .filter(each -> each.type() == DeviceType.GPU)
                    .map(each -> new ProviderDevice(
                            NAME, each, Map.of(), ofDevices.get(each.deviceId() - 1), List.of(MemoryKind.DEFAULT)))
                    .toList();
        }

        @Override
        public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
            made.add(options);
            return new Listening();
        }

        @Override
        public void close() {
            hear("factory closed");
        }

        private final class Listening implements ExecutionProvider, RunHook {
            @Override
            public String name() {
                return NAME;
            }

            @Override
            public void claim(Graph graph, CapabilitySink sink) {
                hear("claim");
            }

            @Override
            public void setDynamicOptions(Map<String, String> options) {
                dynamic.add(options);
            }

            @Override
            public void onSessionReady() {
                hear("ready");
            }

            @Override
            public boolean isSharedBySessions() {
                return shared;
            }

            @Override
            public boolean isConcurrentRunSupported() {
                return concurrent;
            }

            @Override
            public RunHook runHook() {
                return this;
            }

            @Override
            public void onRunStart(RunInfo run) {
                int now = underWay.incrementAndGet();
                mostAtOnce.accumulateAndGet(now, Math::max);
                hear("run starts");
                atStart.run();
            }

            @Override
            public void onRunEnd(RunInfo run) {
                hear("run ends");
                underWay.decrementAndGet();
            }

            @Override
            public void close() {
                hear("closed");
            }
        }
    }
}
