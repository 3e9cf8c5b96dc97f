package dev.millrace.bench;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import dev.millrace.bench.BenchResult.Timing;
import dev.millrace.bench.compare.Answers;
import dev.millrace.bench.compare.Contender;
import dev.millrace.bench.compare.Duel;
import dev.millrace.bench.compare.Millrace;
import dev.millrace.bench.compare.Numbers;
import dev.millrace.bench.compare.OnnxRuntime;
import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.Progress;
import dev.millrace.cli.SessionFlags;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Measures one model: sessions are created in turns, answers are compared, both warm up, then blocks of runs alternate.
 * The ratio is the median over pairs of neighbouring blocks, so that a machine that slows down slows both.
 */
final class ModelBench {
    private static final int CREATIONS = 5;
    private static final long WARM_UP_NANOS = 3_000_000_000L;
    private static final long BLOCK_NANOS = 100_000_000L;

    private final ModelArgument model;
    private final SessionFlags flags;
    private final Map<String, long[]> shapes;
    private final int blocks;
    private final boolean withReference;

    ModelBench(ModelArgument model, SessionFlags flags, Map<String, long[]> shapes, int blocks, boolean withReference) {
        this.model = model;
        this.flags = flags;
        this.shapes = shapes;
        this.blocks = blocks;
        this.withReference = withReference;
    }

    BenchResult run() throws Exception {
        try (Engine engine = flags.engine();
                var ours = new Millrace(engine, model.file(), flags.options());
                OnnxRuntime onnxRuntime =
                        withReference ? new OnnxRuntime(model.file(), engine.threads(), OptLevel.ALL_OPT) : null) {
            ours.create();
            Inputs inputs = new InputMaker(model.known(), shapes, 1).make(ours.inputs());
            var oursTimes = new Times(ours, inputs);
            Times referenceTimes = onnxRuntime == null ? null : new Times(onnxRuntime, inputs);
            measureCreation(oursTimes, referenceTimes);
            double difference = onnxRuntime == null ? 0 : difference(ours, inputs);
            return measureRuns(engine.threads(), inputs, oursTimes, referenceTimes, difference);
        }
    }

    private static void measureCreation(Times ours, @Nullable Times reference) throws Exception {
        for (int i = 0; i < CREATIONS; i++) {
            ours.create();
            if (reference != null) {
                reference.create();
            }
        }
    }

    /** Against an answer of ONNX Runtime; without its optimisations where they change what a quantised model means. */
    private double difference(Millrace ours, Inputs inputs) throws Exception {
        try (var reference = new OnnxRuntime(model.file(), 1, isQuantised() ? OptLevel.NO_OPT : OptLevel.ALL_OPT)) {
            reference.create();
            return Answers.relativeDiff(ours.answer(inputs), reference.answer(inputs));
        }
    }

    private boolean isQuantised() {
        return Quantised.isQuantised(model.file());
    }

    private BenchResult measureRuns(
            int threads, Inputs inputs, Times ours, @Nullable Times reference, double difference) throws Exception {
        var duel = new Duel(ours::run, reference == null ? null : reference::run);
        try (var progress = Progress.of("measuring " + model.label(), blocks)) {
            duel.run(new Duel.Pace(WARM_UP_NANOS, BLOCK_NANOS, 0, blocks), progress::step);
        }
        var extents = new LinkedHashMap<String, String>();
        for (Map.Entry<String, Datum> input : inputs.asMap().entrySet()) {
            if (input.getValue() instanceof Tensor tensor) {
                extents.put(
                        input.getKey(),
                        Arrays.toString(tensor.shape().toArray()).replaceAll("[\\[\\] ]", ""));
            }
        }
        Timing oursTiming = ours.timing(duel.ourMicros());
        Double referenceMicros = duel.referenceMicros();
        Double ratio = duel.ratio();
        Timing referenceTiming =
                reference == null || referenceMicros == null ? null : reference.timing(referenceMicros);
        return new BenchResult(
                model.label(),
                flags.providerLabel() + (flags.optimizes() ? "" : ", not optimised"),
                threads,
                extents,
                oursTiming,
                referenceTiming,
                ratio == null ? 0 : ratio,
                referenceTiming == null ? 0 : referenceTiming.best() / oursTiming.best(),
                difference);
    }

    /** The times of one contender. */
    private static final class Times {
        private final Contender contender;
        private final Inputs inputs;
        private final List<Double> creations = new ArrayList<>();
        private double best = Double.MAX_VALUE;
        private @Nullable Double first;

        Times(Contender contender, Inputs inputs) {
            this.contender = contender;
            this.inputs = inputs;
        }

        void create() throws Exception {
            long start = System.nanoTime();
            contender.create();
            creations.add((System.nanoTime() - start) / 1e6);
            if (first == null) {
                first = once();
            }
        }

        void run() throws Exception {
            best = Math.min(best, once());
        }

        private double once() throws Exception {
            long start = System.nanoTime();
            contender.run(inputs);
            return (System.nanoTime() - start) / 1e6;
        }

        Timing timing(double micros) {
            return new Timing(micros / 1e3, best, Numbers.median(creations), Objects.requireNonNull(first));
        }
    }
}
