package dev.millrace.bench.agree;

import ai.onnxruntime.OrtException;
import dev.millrace.bench.reference.OnnxRuntimeSession;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.ValueInfo;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An engine that runs a model, or refuses it. */
interface Side extends AutoCloseable {
    /** The result of a run: answers, or the reason why there are none. */
    record Result(@Nullable Map<String, Datum> answers, String refusal) {}

    /** Returns the reason why the model cannot be run at all, or null if it may be. */
    @Nullable
    String refusal();

    Result run(Inputs inputs);

    @Override
    void close();

    /** This engine. */
    final class Ours implements Side {
        private final @Nullable Session session;
        private final @Nullable String refusal;

        Ours(Engine engine, Path model, SessionOptions options) {
            this(() -> engine.session(model, options));
        }

        Ours(Engine engine, byte[] model, SessionOptions options) {
            this(() -> engine.session(model, options));
        }

        private Ours(Supplier<Session> maker) {
            Session made = null;
            String why = null;
            try {
                made = maker.get();
            } catch (EngineException e) {
                why = said(e);
            }
            session = made;
            refusal = why;
        }

        private static String said(EngineException e) {
            return e.status() + ": " + e.getMessage();
        }

        @Override
        public @Nullable String refusal() {
            return refusal;
        }

        /** Returns the inputs of the session, or null without a session. */
        @Nullable
        List<ValueInfo> inputs() {
            return session == null ? null : session.inputs();
        }

        @Override
        public Result run(Inputs inputs) {
            if (session == null) {
                return new Result(null, String.valueOf(refusal));
            }
            try (Outputs outputs = session.run(inputs)) {
                var answers = new LinkedHashMap<String, Datum>();
                outputs.asMap().forEach((name, datum) -> answers.put(name, copyOf(datum)));
                return new Result(answers, "");
            } catch (EngineException e) {
                return new Result(null, said(e));
            }
        }

        private static Datum copyOf(Datum datum) {
            return switch (datum) {
                case Tensor tensor -> Tensor.copyOf(tensor);
                case TensorSequence sequence ->
                    new TensorSequence(
                            sequence.elements().stream().map(Ours::copyOf).toList());
                case OptionalDatum optional ->
                    optional.value() == null ? optional : new OptionalDatum(copyOf(optional.value()));
                case MapDatum map -> {
                    var entries = new LinkedHashMap<Object, Datum>();
                    map.entries().forEach((key, value) -> entries.put(key, copyOf(value)));
                    yield new MapDatum(map.keyType(), entries);
                }
            };
        }

        @Override
        public void close() {
            if (session != null) {
                session.close();
            }
        }
    }

    /** ONNX Runtime. */
    final class Theirs implements Side {
        private final @Nullable OnnxRuntimeSession session;
        private final @Nullable String refusal;

        Theirs(OnnxRuntimeSession.Runtime runtime, Path model, int threads) {
            OnnxRuntimeSession made = null;
            String why = null;
            try {
                made = runtime.session(model, threads);
            } catch (OrtException e) {
                why = String.valueOf(e.getMessage());
            }
            session = made;
            refusal = why;
        }

        @Override
        public @Nullable String refusal() {
            return refusal;
        }

        @Override
        public Result run(Inputs inputs) {
            if (session == null) {
                return new Result(null, String.valueOf(refusal));
            }
            try {
                return new Result(session.run(inputs.asMap()), "");
            } catch (OrtException e) {
                return new Result(null, String.valueOf(e.getMessage()));
            }
        }

        @Override
        public void close() {
            if (session != null) {
                session.close();
            }
        }
    }
}
