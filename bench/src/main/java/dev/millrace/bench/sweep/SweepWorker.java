package dev.millrace.bench.sweep;

import dev.millrace.bench.compare.LineWorker;
import dev.millrace.cli.ProviderFlag;
import dev.millrace.cli.conformance.BackendCase;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.SessionOptions;
import java.nio.file.Path;
import java.util.List;

/** The process that measures: reads a case's folder, prints its row. */
final class SweepWorker {
    private SweepWorker() {}

    /** @param arguments threads, elements, nanoseconds to measure, and providers if not all */
    public static void main(String[] arguments) throws Exception {
        var options = SessionOptions.builder();
        for (int i = 3; i < arguments.length; i++) {
            ProviderFlag.add(arguments[i], options);
        }
        int threads = Integer.parseInt(arguments[0]);
        long elements = Long.parseLong(arguments[1]);
        long budget = Long.parseLong(arguments[2]);
        try (Engine engine =
                        Engine.create(EngineOptions.builder().threads(threads).build());
                var bench = new SweepBench(engine, options.build(), elements, budget)) {
            LineWorker.serve((folder, _) -> bench.run(
                            BackendCase.find(List.of(Path.of(folder))).getFirst())
                    .toLine());
        }
    }
}
