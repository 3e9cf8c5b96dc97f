package dev.millrace.bench.compare;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.ValueInfo;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** This engine. */
public final class Millrace implements Contender {
    private final Engine engine;
    private final Path model;
    private final SessionOptions options;
    private @Nullable Session session;

    public Millrace(Engine engine, Path model, SessionOptions options) {
        this.engine = engine;
        this.model = model;
        this.options = options;
    }

    @Override
    public void create() {
        close();
        session = engine.session(model, options);
    }

    private Session session() {
        return Objects.requireNonNull(session);
    }

    /** The inputs of the model. */
    public List<ValueInfo> inputs() {
        return session().inputs();
    }

    @Override
    public void run(Inputs inputs) {
        session().run(inputs).close();
    }

    /** A run that {@code listener} hears. */
    public void run(Inputs inputs, RunListener listener) {
        session().run(inputs, RunOptions.builder().listener(listener).build()).close();
    }

    @Override
    public Map<String, Tensor> answer(Inputs inputs) {
        var answer = new LinkedHashMap<String, Tensor>();
        try (Outputs outputs = session().run(inputs)) {
            for (Map.Entry<String, Datum> output : outputs.asMap().entrySet()) {
                if (output.getValue() instanceof Tensor tensor) {
                    answer.put(output.getKey(), Tensor.copyOf(tensor));
                }
            }
        }
        return answer;
    }

    @Override
    public void close() {
        if (session != null) {
            session.close();
            session = null;
        }
    }
}
