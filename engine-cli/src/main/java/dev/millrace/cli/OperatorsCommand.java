package dev.millrace.cli;

import dev.millrace.cli.operators.OperatorJson;
import dev.millrace.cli.operators.OperatorPlaces;
import dev.millrace.cli.operators.OperatorRow;
import dev.millrace.cli.operators.OperatorTable;
import dev.millrace.cli.operators.OperatorText;
import dev.millrace.graph.EngineException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lists operators: versions, types, and the providers that take them. */
@Command(
        name = "operators",
        mixinStandardHelpOptions = true,
        description = "Lists operators with their versions, types and the providers that take them.")
final class OperatorsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--provider", paramLabel = "NAME", description = "Only what this provider takes.")
    private @Nullable String provider;

    @Option(names = "--markdown", description = "Print the page of the documentation.")
    private boolean markdown;

    @Option(names = "--json", description = "Print one object per operator on its own line.")
    private boolean json;

    @Option(
            names = "--where",
            paramLabel = "OPERATOR",
            description = "Print file and line of each phase of this operator in the sources of the checkout.")
    private @Nullable String where;

    @Override
    public Integer call() {
        if (where != null) {
            return printPlaces(where);
        }
        List<OperatorRow> rows = OperatorTable.rows();
        if (provider != null) {
            rows = rows.stream().filter(this::isWanted).toList();
        }
        PrintWriter out = spec.commandLine().getOut();
        if (markdown) {
            out.print(OperatorText.markdown(rows));
        } else {
            rows.forEach(row -> out.println(json ? OperatorJson.line(row) : OperatorText.line(row)));
        }
        out.flush();
        return ExitCode.OK;
    }

    private int printPlaces(String operator) {
        PrintWriter out = spec.commandLine().getOut();
        new OperatorPlaces(OperatorPlaces.checkout(Path.of(""))).of(operator).forEach(out::println);
        out.flush();
        return ExitCode.OK;
    }

    private boolean isWanted(OperatorRow row) {
        OperatorRow.Taken taken = row.providers().get(provider);
        if (taken == null) {
            throw EngineException.invalidArgument("there is no provider '" + provider
                    + "'; those on the class path are " + row.providers().keySet());
        }
        return !taken.versions().isEmpty();
    }
}
