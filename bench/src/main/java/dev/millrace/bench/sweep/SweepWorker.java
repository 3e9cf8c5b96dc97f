package dev.millrace.bench.sweep;

import dev.millrace.cli.conformance.BackendCase;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.SessionOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A process of its own, so that a case that hangs or crashes takes no other with it: reads folders, prints rows. */
final class SweepWorker {
    private SweepWorker() {}

    /** @param arguments threads, elements, nanoseconds to measure, and providers if not all */
    public static void main(String[] arguments) throws Exception {
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        var options = SessionOptions.builder();
        for (int i = 3; i < arguments.length; i++) {
            options.provider(arguments[i]);
        }
        int threads = Integer.parseInt(arguments[0]);
        long elements = Long.parseLong(arguments[1]);
        long budget = Long.parseLong(arguments[2]);
        var folders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Engine engine = Engine.create(EngineOptions.defaults().withThreads(threads));
                var bench = new SweepBench(engine, options.build(), elements, budget)) {
            for (String folder = folders.readLine(); folder != null; folder = folders.readLine()) {
                for (BackendCase test : BackendCase.find(List.of(Path.of(folder)))) {
                    out.println(bench.run(test).toLine());
                }
            }
        }
    }
}
