package dev.millrace.bench.agree;

import ai.onnxruntime.OrtException;
import dev.millrace.bench.reference.OnnxRuntimeSession;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs small models on {@code cpu} unoptimised, on all providers with optimisation, and on ONNX Runtime. */
final class Trials implements AutoCloseable {
    /** The outcome of a model: whether ONNX Runtime ran it, the difference if so, and the reason if not. */
    record Outcome(
            boolean ran,
            @Nullable String difference,
            @Nullable String refusal) {
        /** Whether ONNX Runtime has the operator on other processors only. */
        boolean isOfOtherProcessors() {
            return refusal != null && refusal.contains("not yet supported on this hardware platform");
        }
    }

    private final Path file;
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());
    private final OnnxRuntimeSession.Runtime runtime = new OnnxRuntimeSession.Runtime();

    Trials(Path folder) throws OrtException {
        file = folder.resolve("trial.onnx");
    }

    /** @param providers the providers; all that there are if none is named */
    static SessionOptions options(Level level, String... providers) {
        var options = SessionOptions.builder()
                .optimiser(Optimiser.Options.builder().level(level).build());
        for (String provider : providers) {
            options.provider(provider);
        }
        return options.build();
    }

    /** A model and its inputs. */
    record Question(byte[] model, Inputs inputs) {}

    Outcome run(byte[] model, Inputs inputs) throws IOException {
        return run(new Question(model, inputs), null);
    }

    /**
     * @param wider the same model and inputs in double: a difference is due to rounding if this engine's answer is as
     *     near to that model's as ONNX Runtime's
     */
    Outcome run(Question question, @Nullable Question wider) throws IOException {
        Files.write(file, question.model());
        Inputs inputs = question.inputs();
        Side.Result expected;
        try (var reference = new Side.Theirs(runtime, file, 1)) {
            expected = reference.run(inputs);
        }
        if (expected.answers() == null) {
            return new Outcome(false, null, expected.refusal());
        }
        var judge = new Judge(Tolerances.of(List.of()), ModelFileFacts.of(file));
        SessionOptions unchanged = options(Level.DISABLED, "cpu");
        Side.Result plainly = ours(unchanged, inputs);
        Side.Result quickly = ours(options(Level.ALL, "simd", "cpu"), inputs);
        String plain = difference(judge, expected, plainly);
        String fast = difference(judge, expected, quickly);
        if (wider != null && (plain != null || fast != null)) {
            Files.write(file, wider.model());
            Side.Result exact = ours(unchanged, wider.inputs());
            plain = plain != null && Nearness.explains(exact, expected, plainly) ? null : plain;
            fast = fast != null && Nearness.explains(exact, expected, quickly) ? null : fast;
        }
        String difference = plain == null ? null : "plain, " + plain;
        return new Outcome(true, difference == null && fast != null ? "optimised, " + fast : difference, null);
    }

    private Side.Result ours(SessionOptions options, Inputs inputs) {
        try (var ours = new Side.Ours(engine, file, options)) {
            return ours.run(inputs);
        }
    }

    private static @Nullable String difference(Judge judge, Side.Result expected, Side.Result actual) {
        return actual.answers() == null || expected.answers() == null
                ? "refused: " + actual.refusal()
                : judge.difference(expected.answers(), actual.answers());
    }

    @Override
    public void close() {
        engine.close();
    }
}
