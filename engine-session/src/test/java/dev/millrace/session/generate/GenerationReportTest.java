package dev.millrace.session.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.GenerationReport;
import dev.millrace.session.RequestListener;
import dev.millrace.session.RequestReport;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GenerationReportTest {
    private static final long[] PROMPT = {1, 2, 3};
    private static final GenerationOptions FIVE =
            GenerationOptions.builder().maxTokens(5).build();

    private final BlockingQueue<GenerationReport> heard = new LinkedBlockingQueue<>();

    @AutoClose
    private final Engine engine = Engine.create(EngineOptions.builder()
            .requestListener(new RequestListener() {
                @Override
                public void ended(RequestReport request) {}

                @Override
                public void generationEnded(GenerationReport generation) {
                    heard.add(generation);
                }
            })
            .build());

    @AutoClose
    private final Session session = engine.session(
            SummingModel.bytes(1), SessionOptions.builder().name("summing").build());

    /** The next report, which a stream makes on a thread of the engine. */
    private GenerationReport report() throws InterruptedException {
        return Objects.requireNonNull(heard.poll(20, TimeUnit.SECONDS));
    }

    @Test
    void aGenerationIsReportedWhenItHasEnded() throws InterruptedException {
        try (Generator generator = Generator.of(
                session,
                DecoderSignature.of(session),
                GeneratorOptions.builder().prefixBytes(1 << 20).build())) {
            long[] said = generator.run(PROMPT, FIVE).ids();
            GenerationReport report = report();
            assertThat(report.of().name()).isEqualTo("summing");
            assertThat(report.promptTokens()).isEqualTo(3);
            assertThat(report.cachedTokens()).isZero();
            assertThat(report.generatedTokens()).isEqualTo(5);
            assertThat(report.outcome()).isEqualTo("MAX_TOKENS");
            assertThat(report.toFirstToken()).isPositive();
            assertThat(report.perToken()).isPositive();
            assertThat(report.firstNanos() + 4 * report.perToken().toNanos()).isLessThanOrEqualTo(report.ranNanos());
            long[] further = LongStream.concat(LongStream.of(PROMPT), LongStream.of(said))
                    .toArray();
            generator.mono(further, FIVE).block();
            assertThat(report().cachedTokens()).isEqualTo(7);
        }
    }

    @Test
    void nobodyWantsMore() throws InterruptedException {
        Generator generator = Generator.of(session);
        generator.run(PROMPT, FIVE, token -> false);
        GenerationReport one = report();
        assertThat(one.outcome()).isEqualTo("STOPPED");
        assertThat(one.generatedTokens()).isEqualTo(1);
        assertThat(one.perToken()).isEqualTo(Duration.ZERO);
        generator.flux(PROMPT, FIVE).take(2).blockLast();
        GenerationReport two = report();
        assertThat(two.outcome()).isEqualTo("STOPPED");
        assertThat(two.generatedTokens()).isEqualTo(2);
    }

    @Test
    void aFailureIsReported() throws InterruptedException {
        Generator generator = Generator.of(session);
        GenerationOptions none =
                FIVE.toBuilder().constraint(_ -> new NothingAllowed()).build();
        assertThatThrownBy(() -> generator.run(PROMPT, none)).isInstanceOf(EngineException.class);
        GenerationReport report = report();
        assertThat(report.outcome()).isEqualTo("FAILED");
        assertThat(report.toFirstToken()).isEqualTo(Duration.ZERO);
        assertThatThrownBy(() -> generator.mono(PROMPT, none).block()).isInstanceOf(EngineException.class);
        assertThat(report().outcome()).isEqualTo("FAILED");
    }

    private static final class NothingAllowed implements TokenConstraint.State {
        @Override
        public BitSet allowed() {
            return new BitSet();
        }

        @Override
        public boolean mayEnd() {
            return false;
        }

        @Override
        public void accept(long token) {}
    }

    @Test
    void aRecordingHasGenerations(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("recording.jfr");
        try (var recording = new Recording()) {
            recording.start();
            Generator.of(session).run(PROMPT, FIVE);
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("dev.millrace.Generation"))
                .toList();
        assertThat(events).hasSize(1);
        RecordedEvent event = events.getFirst();
        assertThat(event.getString("session")).isEqualTo("summing");
        assertThat(event.getInt("promptTokens")).isEqualTo(3);
        assertThat(event.getInt("generatedTokens")).isEqualTo(5);
        assertThat(event.getString("outcome")).isEqualTo("MAX_TOKENS");
        assertThat(event.getDuration("firstToken")).isPositive().isLessThanOrEqualTo(event.getDuration());
    }
}
