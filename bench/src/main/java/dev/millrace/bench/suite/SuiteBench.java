package dev.millrace.bench.suite;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import dev.millrace.bench.compare.Answers;
import dev.millrace.bench.compare.Contender;
import dev.millrace.bench.compare.Duel;
import dev.millrace.bench.compare.Millrace;
import dev.millrace.bench.compare.OnnxRuntime;
import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.SessionOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Measures cases: answers are compared first, then both sides run in turns. A case that fails is a row that says so. */
final class SuiteBench {
    private static final long SEED = 1;

    private final SessionOptions options;
    private final Duel.Pace pace;
    private final boolean withPeer;

    SuiteBench(SessionOptions options, Duel.Pace pace, boolean withPeer) {
        this.options = options;
        this.pace = pace;
        this.withPeer = withPeer;
    }

    SuiteRow run(SuiteCase test, int threads) {
        try {
            return measure(test, threads);
        } catch (AbsentModel absent) {
            return SuiteRow.unmeasured(test, threads, "skipped: " + absent.getMessage());
        } catch (Exception | LinkageError failure) {
            return SuiteRow.unmeasured(test, threads, "failed: " + reason(failure));
        }
    }

    static String reason(Throwable failure) {
        return failure instanceof EngineException refused
                ? refused.status() + ": " + refused.getMessage()
                : failure.toString();
    }

    private SuiteRow measure(SuiteCase test, int threads) throws Exception {
        ModelArgument model = test.model().get();
        try (Engine engine = Engine.create(EngineOptions.defaults().withThreads(threads));
                var ours = new Millrace(engine, model.file(), options)) {
            ours.create();
            Inputs inputs = new InputMaker(model.known(), test.shapes(), SEED).make(ours.inputs());
            if (!withPeer) {
                return row(test, threads, duel(ours, null, inputs), null, null);
            }
            try (var peer = new OnnxRuntime(model.file(), threads, OptLevel.ALL_OPT)) {
                peer.create();
                Map<String, Tensor> mine = ours.answer(inputs);
                Map<String, Tensor> theirs = peer.answer(inputs);
                Map<String, Tensor> exact = exactAnswer(test, inputs);
                double difference = Answers.relativeDiff(mine, exact == null ? theirs : exact);
                Double peerDifference = exact == null ? null : (Double) Answers.relativeDiff(theirs, exact);
                return row(test, threads, duel(ours, peer, inputs), difference, peerDifference);
            }
        }
    }

    private static @Nullable Map<String, Tensor> exactAnswer(SuiteCase test, Inputs inputs) throws Exception {
        if (test.exact() == null) {
            return null;
        }
        try (var exact = new OnnxRuntime(test.exact().get().file(), 1, OptLevel.BASIC_OPT)) {
            exact.create();
            return exact.answer(inputs);
        }
    }

    private SuiteRow.Times duel(Contender ours, @Nullable Contender peer, Inputs inputs) throws Exception {
        var duel = new Duel(() -> ours.run(inputs), peer == null ? null : () -> peer.run(inputs));
        duel.run(pace);
        return new SuiteRow.Times(duel.ourMicros(), duel.peerMicros(), duel.ratio());
    }

    private static SuiteRow row(
            SuiteCase test,
            int threads,
            SuiteRow.Times times,
            @Nullable Double difference,
            @Nullable Double peerDifference) {
        boolean differs = difference != null && !(difference <= test.group().tolerance());
        String note = differs ? "answers differ" : "";
        return new SuiteRow(test.group(), test.name(), threads, times, difference, peerDifference, note);
    }
}
