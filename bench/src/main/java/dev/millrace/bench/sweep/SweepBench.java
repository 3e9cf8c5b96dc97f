package dev.millrace.bench.sweep;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import dev.millrace.bench.compare.Answers;
import dev.millrace.bench.compare.Duel;
import dev.millrace.bench.compare.Millrace;
import dev.millrace.bench.compare.OnnxRuntime;
import dev.millrace.bench.sweep.SweepRow.Outcome;
import dev.millrace.cli.conformance.BackendCase;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Scales a case in one way after another until both sides run it and agree, and measures it. */
final class SweepBench implements AutoCloseable {
    private static final long WARM_UP_NANOS = 100_000_000;
    private static final long BLOCK_NANOS = 2_000_000;
    private static final int LEAST_BLOCKS = 5;
    private static final double TOLERANCE = 1e-3;

    private final Engine engine;
    private final SessionOptions options;
    private final long elements;
    private final Duel.Pace pace;
    private final Path file;

    SweepBench(Engine engine, SessionOptions options, long elements, long budgetNanos) throws IOException {
        this.engine = engine;
        this.options = options;
        this.elements = elements;
        pace = new Duel.Pace(Math.max(WARM_UP_NANOS, budgetNanos), BLOCK_NANOS, budgetNanos, LEAST_BLOCKS);
        file = Files.createTempFile("millrace-sweep", ".onnx");
    }

    SweepRow run(BackendCase test) {
        ScaledCase scaled;
        try {
            scaled = new ScaledCase(test);
        } catch (IOException | RuntimeException failure) {
            return SweepRow.unmeasured(test.name(), "", "", Outcome.UNSCALED, String.valueOf(failure.getMessage()));
        }
        SweepRow best = SweepRow.unmeasured(
                test.name(), scaled.operator(), "", Outcome.UNSCALED, "no extent of its inputs can grow");
        for (List<long[]> way : new Scaling(scaled.originals(), elements).ways()) {
            SweepRow row = run(test, scaled, way);
            best = row.outcome().compareTo(best.outcome()) > 0 ? row : best;
            if (best.outcome() == Outcome.MEASURED) {
                break;
            }
        }
        return best;
    }

    private SweepRow run(BackendCase test, ScaledCase scaled, List<long[]> way) {
        String shapes = way.stream()
                .map(dims -> Arrays.stream(dims).mapToObj(Long::toString).collect(Collectors.joining("x")))
                .collect(Collectors.joining(" "));
        var at = Outcome.UNSCALED;
        try (var ours = new Millrace(engine, file, options);
                var onnxRuntime = new OnnxRuntime(file, engine.threads(), OptLevel.ALL_OPT)) {
            Files.write(file, scaled.model(way));
            Inputs inputs = scaled.inputs(way);
            at = Outcome.PEER_REFUSED;
            onnxRuntime.create();
            Map<String, Tensor> theirs = onnxRuntime.answer(inputs);
            at = Outcome.OURS_REFUSED;
            ours.create();
            Map<String, Tensor> mine = ours.answer(inputs);
            double difference = Answers.relativeDiff(mine, theirs);
            if (!(difference <= TOLERANCE)) {
                String note = "answers differ by " + difference;
                return SweepRow.unmeasured(test.name(), scaled.operator(), shapes, Outcome.DIFFERS, note);
            }
            var duel = new Duel(() -> ours.run(inputs), () -> onnxRuntime.run(inputs), clock());
            duel.run(pace);
            return new SweepRow(
                    test.name(),
                    scaled.operator(),
                    shapes,
                    Outcome.MEASURED,
                    duel.ourMicros(),
                    duel.referenceMicros(),
                    duel.ratio(),
                    "");
        } catch (Exception | LinkageError | StackOverflowError | OutOfMemoryError failure) {
            return SweepRow.unmeasured(
                    test.name(), scaled.operator(), shapes, at, String.valueOf(failure.getMessage()));
        }
    }

    /**
     * Returns the clock: a single thread is measured by its processor time, so that other load
     * on the machine counts for less.
     */
    private LongSupplier clock() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        boolean alone = engine.threads() == 1 && threads.isCurrentThreadCpuTimeSupported();
        return alone ? threads::getCurrentThreadCpuTime : System::nanoTime;
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
    }
}
