package dev.millrace.session.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.spi.RunHook;
import dev.millrace.providers.spi.RunInfo;
import dev.millrace.session.CompiledTest;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.TestFactory;
import dev.millrace.session.TestModels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests of the calls that providers get around runs when one of them fails. */
class RunHooksTest {
    private final List<String> heard = new ArrayList<>();
    private final List<RunInfo> runs = new ArrayList<>();
    /** The provider and call that fails. */
    private String failing = "";

    private final class Listening extends TestFactory implements ExecutionProvider, RunHook {
        Listening(String name) {
            super(name);
        }

        @Override
        public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
            return this;
        }

        @Override
        public void claim(Graph graph, CapabilitySink sink) {
            // it only listens
        }

        @Override
        public RunHook runHook() {
            return this;
        }

        @Override
        public void onRunStart(RunInfo run) {
            runs.add(run);
            hear("start of " + name());
        }

        @Override
        public void onRunEnd(RunInfo run) {
            runs.add(run);
            hear("end of " + name());
        }

        @Override
        public void close() {
            // it holds nothing, as a factory and as a provider
        }
    }

    private void hear(String what) {
        heard.add(what);
        if (what.equals(failing)) {
            throw new IllegalStateException("no more of that");
        }
    }

    private Runnable run(Engine engine) {
        var options = SessionOptions.builder().provider("one").provider("two").provider("cpu");
        return () -> {
            try (Session session = engine.session(TestModels.perceptron(1, 4, 1), options.build())) {
                session.run(Inputs.of("x", Tensor.copyOf(new float[4], 1, 4))).close();
            }
        };
    }

    private Engine engine() {
        return Engine.create(EngineOptions.builder()
                .threads(1)
                .providers(List.of(new Listening("one"), new Listening("two")))
                .build());
    }

    @Test
    void whoHeardOfTheStartHearsOfTheEnd() {
        try (Engine engine = engine()) {
            run(engine).run();
        }
        assertThat(heard).containsExactly("start of one", "start of two", "end of one", "end of two");
    }

    @Test
    void aRunHasANumberItsSessionATagAndItsOptions() {
        var options = SessionOptions.builder().provider("one").provider("cpu").name("net");
        RunOptions told = RunOptions.builder()
                .tag("first")
                .config("qnn.htp_perf_mode", "burst")
                .leaveOnDevice(RunOptions.ALL)
                .build();
        Inputs inputs = Inputs.of("x", Tensor.copyOf(new float[4], 1, 4));
        try (Engine engine = engine();
                Session session = engine.session(TestModels.perceptron(1, 4, 1), options.build())) {
            session.run(inputs, told).close();
            session.run(inputs).close();
            Objects.requireNonNull(session.mono(inputs, told).block()).close();
        }
        assertThat(runs).hasSize(6);
        RunInfo first = runs.getFirst();
        assertThat(first)
                .isEqualTo(new RunInfo(first.id(), "net", "first", Map.of("qnn.htp_perf_mode", "burst"), false));
        assertThat(runs.get(2)).isEqualTo(new RunInfo(runs.get(2).id(), "net", "", Map.of(), true));
        assertThat(runs.get(4).tag()).isEqualTo("first");
        assertThat(runs.stream().map(RunInfo::id).distinct()).hasSize(3);
        assertThat(runs.get(1)).isEqualTo(first);
    }

    @Test
    void whereOneFailsAtTheStartThoseBeforeItHearOfTheEnd() {
        failing = "start of two";
        try (Engine engine = engine()) {
            CompiledTest.assertRefused(Status.EP_FAIL, run(engine), "provider 'two'", "no more of that");
        }
        assertThat(heard).containsExactly("start of one", "start of two", "end of one");
    }

    @Test
    void whereOneFailsAtTheEndTheOthersHearOfItToo() {
        failing = "end of one";
        try (Engine engine = engine()) {
            CompiledTest.assertRefused(Status.EP_FAIL, run(engine), "provider 'one'", "no more of that");
        }
        assertThat(heard).containsExactly("start of one", "start of two", "end of one", "end of two");
    }
}
