package dev.millrace.bench.suite;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import dev.millrace.bench.compare.Answers;
import dev.millrace.bench.compare.Contender;
import dev.millrace.bench.compare.Duel;
import dev.millrace.bench.compare.Millrace;
import dev.millrace.bench.compare.OnnxRuntime;
import dev.millrace.bench.kernels.FloatPeak;
import dev.millrace.bench.suite.SuiteRow.Outcome;
import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.SessionOptions;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Measures cases: answers are compared first, then both sides run in turns. A case that fails is a row that says so. */
final class SuiteBench {
    private static final long SEED = 1;
    private static final double TOLERANCE = 1e-3;
    private static final double SECONDS_OF_MICRO = 1e-6;

    private final SessionOptions options;
    private final Duel.Pace pace;
    private final boolean withReference;

    SuiteBench(SessionOptions options, Duel.Pace pace, boolean withReference) {
        this.options = options;
        this.pace = pace;
        this.withReference = withReference;
    }

    SuiteRow run(SuiteCase test, int threads) {
        try {
            return measure(test, threads);
        } catch (AbsentModel absent) {
            return SuiteRow.unmeasured(test, threads, Outcome.SKIPPED, String.valueOf(absent.getMessage()));
        } catch (Exception | LinkageError failure) {
            return SuiteRow.unmeasured(test, threads, Outcome.FAILED, reason(failure));
        }
    }

    static String reason(Throwable failure) {
        return failure instanceof EngineException refused
                ? refused.status() + ": " + refused.getMessage()
                : failure.toString();
    }

    private SuiteRow measure(SuiteCase test, int threads) throws Exception {
        ModelArgument model = test.model().get();
        try (Engine engine =
                        Engine.create(EngineOptions.builder().threads(threads).build());
                var ours = new Millrace(engine, model.file(), options)) {
            ours.create();
            Inputs inputs = new InputMaker(model.known(), test.shapes(), SEED).make(ours.inputs());
            if (!withReference) {
                return row(test, threads, duel(test, threads, ours, null, inputs), Differences.NONE);
            }
            try (var onnxRuntime = new OnnxRuntime(model.file(), threads, OptLevel.ALL_OPT)) {
                onnxRuntime.create();
                Differences differences =
                        differences(test, model.file(), inputs, ours.answer(inputs), onnxRuntime.answer(inputs));
                return row(test, threads, duel(test, threads, ours, onnxRuntime, inputs), differences);
            }
        }
    }

    /** How far answers are from what they should be; null where nothing was compared. */
    private record Differences(
            @Nullable Double ours, @Nullable Double reference) {
        static final Differences NONE = new Differences(null, null);

        /** Ours may be a little off, or as far off as ONNX Runtime's, and half of that more. */
        boolean isBad() {
            double allowed = reference == null ? TOLERANCE : Math.max(TOLERANCE, 1.5 * reference);
            return ours != null && !(ours <= allowed);
        }
    }

    private static Differences differences(
            SuiteCase test, Path model, Inputs inputs, Map<String, Tensor> ours, Map<String, Tensor> reference)
            throws Exception {
        if (test.exact() != null) {
            Map<String, Tensor> exact = answer(test.exact().get().file(), OptLevel.BASIC_OPT, inputs);
            return new Differences(Answers.relativeDiff(ours, exact), Answers.relativeDiff(reference, exact));
        }
        var direct = new Differences(Answers.relativeDiff(ours, reference), null);
        if (!direct.isBad()) {
            return direct;
        }
        Map<String, Tensor> plain = answer(model, OptLevel.NO_OPT, inputs);
        return new Differences(direct.ours(), Answers.relativeDiff(plain, reference));
    }

    private static Map<String, Tensor> answer(Path model, OptLevel level, Inputs inputs) throws Exception {
        try (var onnxRuntime = new OnnxRuntime(model, 1, level)) {
            onnxRuntime.create();
            return onnxRuntime.answer(inputs);
        }
    }

    private SuiteRow.Times duel(
            SuiteCase test, int threads, Millrace ours, @Nullable Contender reference, Inputs inputs) throws Exception {
        Duel duel = Duel.of(() -> ours.run(inputs), reference == null ? null : () -> reference.run(inputs), pace);
        Double ofPeak = null;
        if (test.group() == Group.FP32) {
            var operations = new Operations();
            ours.run(inputs, operations);
            ofPeak = operations.count() / (duel.ourMicros() * SECONDS_OF_MICRO * FloatPeak.perSecond(threads));
        }
        return new SuiteRow.Times(duel.ourMicros(), duel.referenceMicros(), duel.ratio(), ofPeak);
    }

    private static SuiteRow row(SuiteCase test, int threads, SuiteRow.Times times, Differences differences) {
        boolean bad = differences.isBad();
        return new SuiteRow(
                test.group(),
                test.name(),
                threads,
                bad ? Outcome.DIFFERS : Outcome.MEASURED,
                times,
                differences.ours(),
                differences.reference(),
                bad ? "answers differ" : "");
    }
}
