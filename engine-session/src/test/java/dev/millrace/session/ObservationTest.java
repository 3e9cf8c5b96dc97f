package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.device.ThreadedFactory;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.PlanStep;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of request reports, and of requests' events in JFR. */
@Timeout(60)
class ObservationTest {
    private final LinkedBlockingQueue<RequestReport> heard = new LinkedBlockingQueue<>();

    private Engine engine(RequestListener listener) {
        return Engine.create(
                EngineOptions.builder().threads(1).requestListener(listener).build());
    }

    private static Inputs inputs() {
        return Inputs.of("a", 1f).and("b", Tensor.copyOf(new float[] {3}, 1));
    }

    @Test
    void everyRequestIsHeardOfWithItsOutcome() throws InterruptedException {
        try (Engine engine = engine(heard::add);
                Session session = engine.session(
                        TestModels.sumAndProduct(),
                        SessionOptions.builder().name("two").build())) {
            session.run(inputs()).close();
            session.mono(inputs()).blockOptional().orElseThrow().close();
            assertThatThrownBy(() -> session.run(Inputs.empty())).isInstanceOf(EngineException.class);
            session.mono(Inputs.empty()).onErrorComplete().block();
        }
        RequestReport first = heard.take();
        assertThat(first.session()).isEqualTo("two");
        assertThat(first.number()).isEqualTo(1);
        assertThat(first.outcome()).isEqualTo("OK");
        assertThat(first.ran()).isPositive();
        assertThat(first.shapes()).containsEntry("b", Shape.of(1));
        assertThat(heard.take().number()).isEqualTo(2);
        assertThat(heard.take().outcome()).isEqualTo("INVALID_ARGUMENT");
        RequestReport refused = heard.take();
        assertThat(refused.outcome()).isEqualTo("INVALID_ARGUMENT");
        assertThat(refused.ran()).isZero();
    }

    @Test
    void theTimeInTheQueueIsTold() throws InterruptedException {
        try (Engine engine = engine(heard::add);
                Session session = engine.session(
                        TestModels.loop(),
                        SessionOptions.builder().maxConcurrentRuns(1).build())) {
            var first = session.mono(SessionTest.forever()).subscribe(Outputs::close, _ -> {});
            var options = RunOptions.builder().within(Duration.ofMillis(500)).build();
            session.mono(SessionTest.forever(), options).onErrorComplete().block();
            first.dispose();
            RequestReport waited = heard.take();
            assertThat(waited.outcome()).isEqualTo("DEADLINE_EXCEEDED");
            assertThat(waited.queued()).isGreaterThanOrEqualTo(Duration.ofMillis(100));
            assertThat(waited.ran()).isZero();
            RequestReport stopped = heard.take();
            assertThat(stopped.outcome()).isEqualTo("CANCELLED");
            assertThat(stopped.ran()).isPositive();
        }
    }

    @Test
    void theBeginningOfARunWithATagIsTold() {
        var begun = new LinkedBlockingQueue<String>();
        var listener = new RequestListener() {
            @Override
            public void ended(RequestReport request) {
                begun.add("end");
            }

            @Override
            public void began(SessionLabel of, String tag) {
                begun.add(of.name() + " " + tag);
            }
        };
        var tagged = RunOptions.builder().tag("first").build();
        try (Engine engine = engine(listener);
                Session session = engine.session(
                        TestModels.sumAndProduct(),
                        SessionOptions.builder().name("two").build())) {
            session.run(inputs(), tagged).close();
            session.mono(inputs(), tagged).blockOptional().orElseThrow().close();
            session.run(inputs()).close();
        }
        assertThat(begun).containsExactly("two first", "end", "two first", "end", "end");
    }

    @Test
    void aListenerThatThrowsHarmsNoRequest() {
        try (Engine engine = engine(_ -> {
                    throw new IllegalStateException("meant to");
                });
                Session session = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults())) {
            Thread.currentThread().setUncaughtExceptionHandler((_, _) -> {});
            session.run(inputs()).close();
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(null);
        }
    }

    @Test
    void aRecordingHasRunsThatLastAsLongAsTheyDid(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("recording.jfr");
        try (Engine engine = Engine.create();
                var recording = new Recording()) {
            recording.start();
            try (Session session = engine.session(
                    TestModels.loop(), SessionOptions.builder().name("loop").build())) {
                var options =
                        RunOptions.builder().within(Duration.ofMillis(300)).build();
                assertThatThrownBy(() -> session.run(SessionTest.forever(), options))
                        .isInstanceOf(EngineException.class);
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        RecordedEvent run = named(events, "dev.millrace.Run");
        assertThat(run.getString("session")).isEqualTo("loop");
        assertThat(run.getString("outcome")).isEqualTo("DEADLINE_EXCEEDED");
        assertThat(run.getString("inputs")).contains("[");
        assertThat(run.getDuration()).isGreaterThan(Duration.ofMillis(20));
        assertThat(all(events, "dev.millrace.Step")).isEmpty();
        RecordedEvent creation = named(events, "dev.millrace.Session");
        assertThat(creation.getString("outcome")).isEqualTo("OK");
        assertThat(creation.getDuration()).isPositive();
        assertThat(creation.getEndTime()).isBeforeOrEqualTo(run.getStartTime());
    }

    @Test
    void stepsAndBindingsOfARecordingSayWhichRunTheyAreOf(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("recording.jfr");
        try (Engine engine = engine(heard::add);
                Session session = engine.session(
                        TestModels.sumAndProduct(),
                        SessionOptions.builder().name("two").build());
                var recording = new Recording()) {
            recording.enable("dev.millrace.Step");
            recording.start();
            session.run(inputs()).close();
            session.run(inputs()).close();
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        List<RecordedEvent> bindings = all(events, "dev.millrace.Binding");
        assertThat(bindings).hasSize(1);
        RecordedEvent binding = bindings.getFirst();
        assertThat(binding.getString("session")).isEqualTo("two");
        assertThat(binding.getString("values")).contains("b float[1]");
        RecordedEvent first = named(events, "dev.millrace.Run");
        assertThat(binding.getLong("number")).isEqualTo(first.getLong("number"));
        assertThat(binding.getStartTime()).isBetween(first.getStartTime(), first.getEndTime());
        assertThat(binding.getDuration()).isPositive();
        List<RecordedEvent> steps = all(events, "dev.millrace.Step");
        assertThat(steps).allMatch(step -> step.getString("session").equals("two"));
        assertThat(steps)
                .extracting(step -> step.getLong("number") - first.getLong("number"))
                .contains(0L, 1L);
    }

    @Test
    void aRecordingHasTheStepsAndTheWaitsOfDevices(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("recording.jfr");
        var device = new ThreadedFactory("device", 0, "Add", "Mul");
        var options = SessionOptions.builder()
                .name("two")
                .provider("device")
                .provider("cpu")
                .build();
        try (Engine engine = TestEngines.with(device);
                Session session = engine.session(TestModels.sumAndProduct(), options);
                var recording = new Recording()) {
            recording.enable("dev.millrace.DeviceStep");
            recording.enable("dev.millrace.DeviceWait");
            recording.start();
            session.run(inputs()).close();
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(all(events, "dev.millrace.DeviceStep"))
                .allMatch(step -> step.getString("session").equals("two"))
                .allMatch(step -> step.getString("device").equals("device"))
                .extracting(step -> step.getString("operator"))
                .contains("Add", "Mul", "dev.millrace.Copy");
    }

    @Test
    void aListenerHearsOfBindings() {
        var bound = new LinkedBlockingQueue<String>();
        RunListener listener = new RunListener() {
            @Override
            public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {}

            @Override
            public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {}

            @Override
            public BindingListener bindingBegins(String plan) {
                return values -> {
                    bound.add(values);
                    throw new IllegalStateException("meant to");
                };
            }
        };
        var options = RunOptions.builder()
                .listener(RunListener.both(listener, listener))
                .build();
        Thread.currentThread().setUncaughtExceptionHandler((_, _) -> {});
        try (Engine engine = engine(heard::add);
                Session session = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults())) {
            session.run(inputs(), options).close();
            session.run(inputs(), options).close();
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(null);
        }
        assertThat(bound).hasSize(1).allMatch(values -> values.contains("b float[1]"));
    }

    @Test
    @Rows(134)
    void theListenerOfASessionAndThatOfARunHearTheSameRun() {
        var ofSession = new HeardSteps();
        var ofRun = new HeardSteps();
        var options = SessionOptions.builder().listener(ofSession).build();
        try (Engine engine = engine(heard::add);
                Session session = engine.session(TestModels.sumAndProduct(), options)) {
            session.run(inputs(), RunOptions.builder().listener(ofRun).build()).close();
            assertThat(ofRun.heard).isNotEmpty().isEqualTo(ofSession.heard);
            session.run(inputs()).close();
            assertThat(ofSession.heard).hasSize(2 * ofRun.heard.size());
        }
    }

    private static final class HeardSteps implements RunListener {
        private final List<String> heard = new ArrayList<>();

        @Override
        public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
            heard.add(step + " from " + startNanos + " to " + endNanos);
        }

        @Override
        public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
            heard.add("run from " + startNanos + " to " + endNanos);
        }
    }

    private static List<RecordedEvent> all(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(name))
                .toList();
    }

    private static RecordedEvent named(List<RecordedEvent> events, String name) {
        return all(events, name).getFirst();
    }
}
