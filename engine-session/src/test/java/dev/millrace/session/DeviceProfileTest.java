package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.spi.ProviderProfiler;
import dev.millrace.scheduler.event.ChromeTrace;
import dev.millrace.scheduler.event.DeviceActivity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of providers that profile their device during a run that is traced. */
class DeviceProfileTest {
    @TempDir
    Path folder;

    private final List<String> calls = new ArrayList<>();
    private boolean fails;

    private final class Profiled extends TestFactory {
        Profiled() {
            super("profiled");
        }

        @Override
        public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
            return new ExecutionProvider() {
                @Override
                public String name() {
                    return "profiled";
                }

                @Override
                public void claim(Graph graph, CapabilitySink sink) {
                    // it only profiles
                }

                @Override
                public ProviderProfiler createProfiler() {
                    return new Profiler();
                }
            };
        }
    }

    private final class Profiler implements ProviderProfiler {
        private long begun;

        @Override
        public void start(long nanoTime) {
            calls.add("start");
            begun = nanoTime;
        }

        @Override
        public List<DeviceActivity> stop() {
            calls.add("stop");
            if (fails) {
                throw new IllegalStateException("no counters");
            }
            return List.of(new DeviceActivity(
                    "Kernel", "matrix \"unit\"", "queue 1", begun + 1_000, 5_000, Map.of("cycles", "42")));
        }

        @Override
        public void close() {
            calls.add("close");
        }
    }

    private String traced(RunOptions.Builder options) throws IOException {
        Path file = folder.resolve("trace.json");
        try (Engine engine = Engine.create(EngineOptions.builder()
                        .threads(1)
                        .providers(List.of(new Profiled()))
                        .build());
                Session session = engine.session(
                        TestModels.perceptron(1, 4, 1),
                        SessionOptions.builder()
                                .provider("profiled")
                                .provider("cpu")
                                .build());
                ChromeTrace trace = ChromeTrace.to(file)) {
            session.run(
                            Inputs.of("x", Tensor.copyOf(new float[4], 1, 4)),
                            options.listener(trace).build())
                    .close();
            session.run(Inputs.of("x", Tensor.copyOf(new float[4], 1, 4))).close();
        }
        return Files.readString(file);
    }

    @Test
    @Rows(116)
    void aTraceHasTheActivityOfTheDeviceInARowOfItsOwn() throws IOException {
        String trace = traced(RunOptions.builder());
        assertThat(calls).containsExactly("start", "stop", "close");
        assertThat(trace)
                .contains("\"name\":\"profiled/queue 1\"", "\"cat\":\"Kernel\"", "\"matrix \\\"unit\\\"\"")
                .contains("\"provider\":\"profiled\",\"cycles\":\"42\"", "\"dur\":5,");
    }

    @Test
    void aProfilerThatFailsFailsNoRun() throws IOException {
        fails = true;
        assertThat(traced(RunOptions.builder())).contains("\"run perceptron\"").doesNotContain("matrix");
        assertThat(calls).containsExactly("start", "stop", "close");
    }
}
