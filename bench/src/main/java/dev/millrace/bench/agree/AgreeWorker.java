package dev.millrace.bench.agree;

import dev.millrace.bench.compare.LineWorker;
import dev.millrace.bench.reference.OnnxRuntimeSession;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import java.net.URI;
import java.nio.file.Path;

/** The process that runs models on both sides: reads a file's address, prints a row. */
final class AgreeWorker {
    private AgreeWorker() {}

    /** @param arguments those of {@link Settings} */
    public static void main(String[] arguments) throws Exception {
        Settings settings = Settings.ofArguments(arguments);
        var runtime = new OnnxRuntimeSession.Runtime();
        try (Engine engine = Engine.create(
                EngineOptions.builder().threads(settings.threads()).build())) {
            LineWorker.serve((address, stages) -> {
                Path file = Path.of(URI.create(address));
                Row row;
                try {
                    row = ModelCheck.run(file, settings, engine, runtime, stages);
                } catch (OutOfMemoryError e) {
                    String why = "no memory to compare it; a larger --heap helps: " + e.getMessage();
                    row = new Row(file.toString(), Verdict.CRASHED_HERE, why, null);
                } catch (Exception | LinkageError | AssertionError | StackOverflowError defect) {
                    String why = "an exception that is no answer: " + defect;
                    row = new Row(file.toString(), Verdict.CRASHED_HERE, why, null);
                }
                return row.toLine();
            });
        }
    }
}
