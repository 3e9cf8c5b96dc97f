package dev.millrace.bench.suite;

import dev.millrace.bench.compare.ProcessMemory;
import dev.millrace.bench.compare.RawInputs;
import dev.millrace.cli.ProviderFlag;
import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;

/**
 * A process of its own: opens sessions of a model and runs each. Prints the nanoseconds of the creation and of the first
 * run, and, when all has run, the peak of its memory in KiB.
 */
final class FirstRun {
    private FirstRun() {}

    /**
     * @param arguments the model, the inputs, threads, sessions, runs of each, the folder of a context cache or {@code -},
     *     whether sessions are told to expect these inputs, and providers if not all
     */
    public static void main(String[] arguments) throws IOException {
        Inputs inputs = Inputs.empty();
        for (RawInputs.Raw raw : RawInputs.read(Path.of(arguments[1]))) {
            MemorySegment bytes = MemorySegment.ofBuffer(raw.bytes());
            inputs.and(raw.name(), Tensor.wrap(ElementType.valueOf(raw.type()), Shape.of(raw.dims()), bytes));
        }
        int threads = Integer.parseInt(arguments[2]);
        int count = Integer.parseInt(arguments[3]);
        int runs = Integer.parseInt(arguments[4]);
        var options = SessionOptions.builder();
        ContextCache cache = arguments[5].equals("-") ? null : ContextCache.in(Path.of(arguments[5]));
        if (Boolean.parseBoolean(arguments[6])) {
            options.expect(inputs);
        }
        for (int i = 7; i < arguments.length; i++) {
            ProviderFlag.add(arguments[i], options);
        }
        Path model = Path.of(arguments[0]);
        long start = System.nanoTime();
        var sessions = new ArrayList<Session>();
        try (Engine engine = Engine.create(
                EngineOptions.builder().threads(threads).contextCache(cache).build())) {
            sessions.add(engine.session(model, options.build()));
            long created = System.nanoTime();
            sessions.getFirst().run(inputs).close();
            long ran = System.nanoTime();
            System.out.println((created - start) + " " + (ran - created));
            while (sessions.size() < count) {
                sessions.add(engine.session(model, options.build()));
            }
            for (int run = 0; run < runs; run++) {
                sessions.forEach(session -> session.run(inputs).close());
            }
            System.out.println(ProcessMemory.peakKib());
            sessions.forEach(Session::close);
        }
    }
}
