package dev.millrace.bench.serve;

import dev.millrace.bench.compare.RawInputs;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.ReplaceableSession;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** This engine, asked without waiting. */
final class OurServer implements Server {
    private final Engine engine;
    private final List<Served> sessions = new ArrayList<>();

    private record Served(Path model, ReplaceableSession session, Inputs inputs, String output, Checks checks) {}

    /** @param threads of the engine; 0 for as many as it takes by itself */
    OurServer(List<ServedFiles> files, int threads) throws IOException {
        engine = Engine.create(EngineOptions.builder().threads(threads).build());
        for (ServedFiles each : files) {
            var session = ReplaceableSession.of(engine.session(each.model()));
            String output = session.current().outputs().getFirst().name();
            sessions.add(new Served(each.model(), session, inputs(each.inputs()), output, new Checks()));
        }
    }

    private static Inputs inputs(Path file) throws IOException {
        Inputs inputs = Inputs.empty();
        for (RawInputs.Raw raw : RawInputs.read(file)) {
            MemorySegment bytes = MemorySegment.ofBuffer(raw.bytes());
            inputs.and(raw.name(), Tensor.wrap(ElementType.valueOf(raw.type()), Shape.of(raw.dims()), bytes));
        }
        return inputs;
    }

    @Override
    public void begin(int session, Client client) {
        Served served = sessions.get(session);
        served.session()
                .mono(served.inputs())
                .subscribe(outputs -> client.answered(look(served, outputs)), client::answered);
    }

    private static @Nullable Throwable look(Served served, Outputs outputs) {
        try (outputs) {
            return served.checks().isDue()
                    ? served.checks().check(outputs.get(served.output()).floats())
                    : null;
        }
    }

    @Override
    public void replace(int session) {
        Served served = sessions.get(session);
        served.session().replace(engine.session(served.model()));
    }

    @Override
    public void close() {
        sessions.forEach(each -> each.session().close());
        engine.close();
    }
}
