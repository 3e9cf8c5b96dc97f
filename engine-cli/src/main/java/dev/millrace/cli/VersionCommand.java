package dev.millrace.cli;

import dev.millrace.cli.model.ModelCache;
import dev.millrace.cli.show.MachineFacts;
import dev.millrace.graph.PlainText;
import dev.millrace.inspect.JsonText;
import dev.millrace.session.Engine;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what the engine found on this machine. */
@Command(
        name = "version",
        mixinStandardHelpOptions = true,
        description =
                "Shows the version, the JDK, how kernels run here and why, the caches, and the container's limits.")
final class VersionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--json", description = "Print all of it as one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        MachineFacts facts;
        try (Engine engine = Engine.create()) {
            facts = MachineFacts.of(engine, Main.VERSION, ModelCache.ofUser().folder());
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(json(facts));
        } else {
            facts.byName().forEach((name, fact) -> out.println(PlainText.line("%-15s %s".formatted(name, fact))));
            facts.notes().forEach(note -> out.println(PlainText.line("%-15s %s".formatted("note", note))));
        }
        out.flush();
        return ExitCode.OK;
    }

    private static String json(MachineFacts facts) {
        return JsonText.object(to -> {
            for (Map.Entry<String, String> fact : facts.byName().entrySet()) {
                to.writeStringProperty(fact.getKey(), fact.getValue());
            }
            JsonText.array(to, "notes", facts.notes(), to::writeString);
        });
    }
}
