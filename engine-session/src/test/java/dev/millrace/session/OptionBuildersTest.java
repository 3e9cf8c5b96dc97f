package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.DeviceType;
import dev.millrace.scheduler.event.ChromeTrace;
import dev.millrace.session.generate.BeamOptions;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Mirostat;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Builders of options. */
class OptionBuildersTest {
    /** Asserts that a copy has all components, none of which is the default. */
    private static void assertCopied(Record copy, Record options, Record defaults) throws ReflectiveOperationException {
        assertCopied(copy, options, defaults, "");
    }

    /** @param elsewhere a component that does not go with the others, and is copied elsewhere */
    private static void assertCopied(Record copy, Record options, Record defaults, String elsewhere)
            throws ReflectiveOperationException {
        assertThat(copy).isEqualTo(options);
        for (RecordComponent component : options.getClass().getRecordComponents()) {
            if (component.getName().equals(elsewhere)) {
                continue;
            }
            assertThat(component.getAccessor().invoke(options))
                    .as(component.getName())
                    .isNotEqualTo(component.getAccessor().invoke(defaults));
        }
    }

    @Test
    void optionsOfAnEngineAreCopied(@TempDir Path folder) throws ReflectiveOperationException {
        EngineOptions options = EngineOptions.builder()
                .threads(3)
                .contextCache(ContextCache.in(folder))
                .virtualDevices(List.of(new HardwareDevice(DeviceType.NPU, 1, "maker", 0, Map.of())))
                .requestListener(request -> {})
                .memoryBudget(1 << 20)
                .deviceMemory(1 << 21)
                .providers(List.of(new ScalingFactory()))
                .build();
        assertCopied(options.toBuilder().build(), options, EngineOptions.defaults());
        assertThat(EngineOptions.builder().build()).isEqualTo(EngineOptions.defaults());
    }

    @Test
    void optionsOfARunAreCopiedWithTheirCancellation(@TempDir Path folder)
            throws ReflectiveOperationException, IOException {
        try (ChromeTrace trace = ChromeTrace.to(folder.resolve("trace.json"))) {
            RunOptions options = RunOptions.builder()
                    .outputs("sum", "product")
                    .listener(trace)
                    .deadline(Instant.EPOCH)
                    .priority(2)
                    .into("sum", Tensor.scalar(1f))
                    .into("product", Tensor.scalar(2f))
                    .leaveOnDevice("product")
                    .tag("first")
                    .config("key", "value")
                    .build();
            assertCopied(options.toBuilder().build(), options, RunOptions.defaults());
            assertThat(options.into()).containsOnlyKeys("sum", "product");
        }
    }

    @Test
    void defaultsOfARunHaveACancellationOfTheirOwn() {
        RunOptions one = RunOptions.defaults();
        assertThat(RunOptions.defaults().cancellation()).isNotSameAs(one.cancellation());
        assertThat(RunOptions.builder().build().cancellation())
                .isNotSameAs(RunOptions.builder().build().cancellation());
        assertThat(RunOptions.builder().cancellation(one.cancellation()).build())
                .isEqualTo(one);
    }

    @Test
    void optionsDoNotChangeWithTheirBuilder() {
        RunOptions.Builder run = RunOptions.builder().into("sum", Tensor.scalar(1f));
        RunOptions before = run.build();
        run.into("product", Tensor.scalar(2f));
        assertThat(before.into()).containsOnlyKeys("sum");
        BatchOptions.Builder batch = BatchOptions.builder().along("x", 0);
        BatchOptions axes = batch.build();
        batch.along("y", 1);
        assertThat(axes.along()).containsOnlyKeys("x");
        GenerationOptions.Builder generation = GenerationOptions.builder().stopTokens(1);
        GenerationOptions stops = generation.build();
        generation.stopTokens(2);
        assertThat(stops.stopTokens()).containsExactly(1L);
    }

    @Test
    void optionsOfAStreamAreCopied() throws ReflectiveOperationException {
        FluxOptions options = FluxOptions.builder()
                .concurrency(2)
                .ordered(false)
                .prefetch(3)
                .deadline(Duration.ofSeconds(1))
                .outputs("sum")
                .leaveOnDevice("sum")
                .priority(4)
                .retries(5)
                .build();
        assertCopied(options.toBuilder().build(), options, FluxOptions.defaults());
        assertThat(FluxOptions.builder().build()).isEqualTo(FluxOptions.defaults());
    }

    @Test
    void aRequestOfAStreamHasItsOutputsPriorityAndDeadline() {
        RunOptions run = FluxOptions.builder()
                .outputs("sum")
                .priority(4)
                .deadline(Duration.ofHours(1))
                .build()
                .forRun();
        assertThat(run.outputs()).containsExactly("sum");
        assertThat(run.priority()).isEqualTo(4);
        assertThat(run.deadline())
                .isBetween(
                        Instant.now().plus(Duration.ofMinutes(50)),
                        Instant.now().plus(Duration.ofMinutes(61)));
    }

    @Test
    void optionsOfBatchesAreCopied() throws ReflectiveOperationException {
        BatchOptions options = BatchOptions.builder()
                .axis("n")
                .along("x", 1)
                .maxSize(4)
                .maxDelay(Duration.ofSeconds(1))
                .preferred(2, 4)
                .padded(true)
                .build();
        assertCopied(options.toBuilder().build(), options, BatchOptions.defaults());
        assertThat(BatchOptions.builder().build()).isEqualTo(BatchOptions.defaults());
    }

    @Test
    void optionsOfSequencesAreCopied() throws ReflectiveOperationException {
        StateOptions options = StateOptions.builder()
                .maxSequences(1)
                .idle(Duration.ofSeconds(1))
                .build();
        assertCopied(options.toBuilder().build(), options, StateOptions.defaults());
        assertThat(StateOptions.builder().build()).isEqualTo(StateOptions.defaults());
    }

    @Test
    void optionsOfACompilationAreCopied(@TempDir Path folder) throws ReflectiveOperationException {
        CompileOptions options = CompileOptions.of(
                        SessionOptions.builder().name("compiled").build())
                .binary(folder, "net")
                .binaryTarget(_ -> OutputStream.nullOutputStream(), "net")
                .externalInitializers(null, 5)
                .placement((_, _, original) -> original)
                .errorIfNothingCompiled(true)
                .errorIfOutputExists(true)
                .progress(_ -> {})
                .build();
        assertCopied(options.toBuilder().build(), options, CompileOptions.defaults());
    }

    @Test
    void optionsOfAGenerationAreCopied() throws ReflectiveOperationException {
        GenerationOptions options = GenerationOptions.builder()
                .maxTokens(1)
                .temperature(0.5)
                .topK(2)
                .topP(0.5)
                .minP(0.1)
                .typicalP(0.9)
                .repetitionPenalty(2)
                .frequencyPenalty(0.1)
                .presencePenalty(0.2)
                .noRepeatNgram(3)
                .speculativeTokens(4)
                .logitBias(1, 2)
                .logprobs(4)
                .seed(3)
                .stopTokens(4)
                .constraint(prompt -> {
                    throw new IllegalStateException();
                })
                .timeLimit(Duration.ofSeconds(1))
                .priority(5)
                .cancellation(new Cancellation())
                .build();
        assertCopied(options.toBuilder().build(), options, GenerationOptions.defaults(), "mirostat");
        GenerationOptions surprising = GenerationOptions.builder()
                .temperature(1)
                .mirostat(new Mirostat(5, 0.1))
                .build();
        assertThat(surprising.toBuilder().build()).isEqualTo(surprising);
        assertThat(GenerationOptions.builder().build()).isEqualTo(GenerationOptions.defaults());
        assertThat(GenerationOptions.defaults().toBuilder().build()).isEqualTo(GenerationOptions.defaults());
    }

    @Test
    void optionsOfABeamSearchAreCopied() throws ReflectiveOperationException {
        BeamOptions options = BeamOptions.builder()
                .beams(6)
                .returned(2)
                .lengthPenalty(0.5)
                .stopping(BeamOptions.Stopping.AT_FIRST)
                .build();
        assertCopied(options.toBuilder().build(), options, BeamOptions.defaults());
        assertThat(BeamOptions.builder().build()).isEqualTo(BeamOptions.defaults());
    }
}
