package dev.millrace.cli;

import dev.millrace.cli.show.SessionText;
import dev.millrace.epcontext.cache.CachedModel;
import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.PlainText;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks after a folder of compiled models. */
@Command(
        name = "cache",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        description = "Looks after the folder that --context-cache or EngineOptions.contextCache names.")
final class CacheCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command: list, verify or prune");
    }

    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists what there is, that used last first.")
    Integer list(@Parameters(paramLabel = "FOLDER", description = "The cache.") Path folder) throws IOException {
        print(cache(folder).list());
        return ExitCode.OK;
    }

    @Command(
            name = "verify",
            mixinStandardHelpOptions = true,
            description = "Lists what no session can be made from; exit code 1 where there is such.")
    Integer verify(@Parameters(paramLabel = "FOLDER", description = "The cache.") Path folder) throws IOException {
        List<CachedModel> bad =
                cache(folder).list().stream().filter(each -> !each.isUsable()).toList();
        print(bad);
        return bad.isEmpty() ? ExitCode.OK : ExitCode.NO;
    }

    @Command(
            name = "prune",
            mixinStandardHelpOptions = true,
            description = "Takes away what is of no use, and what was used least lately where there is too much.")
    Integer prune(
            @Parameters(paramLabel = "FOLDER", description = "The cache.") Path folder,
            @Option(
                            names = "--max-mb",
                            paramLabel = "N",
                            description = "Keep at most so many megabytes (default: ${DEFAULT-VALUE}).",
                            defaultValue = "4096")
                    long megabytes)
            throws IOException {
        if (megabytes < 0) {
            throw new UsageException("--max-mb is " + megabytes + "; it is at least 0");
        }
        ContextCache cache = cache(folder);
        int gone = cache.prune(Math.min(megabytes, Long.MAX_VALUE >> 20) << 20);
        PrintWriter out = spec.commandLine().getOut();
        out.println(gone + " taken away, " + SessionText.bytes(cache.bytes()) + " left");
        out.flush();
        return ExitCode.OK;
    }

    /** The cache of a folder that is there: a name with a slip of the pen is no empty cache. */
    private static ContextCache cache(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new EngineException(
                    Status.NO_SUCH_FILE,
                    "there is no cache " + folder.toAbsolutePath()
                            + (Files.exists(folder)
                                    ? ": that is no folder"
                                    : "; sessions make one where they are told to"));
        }
        return ContextCache.in(folder);
    }

    private void print(List<CachedModel> models) {
        PrintWriter out = spec.commandLine().getOut();
        for (CachedModel each : models) {
            out.printf(
                    "%s %10s  %s  %s%s%n",
                    each.folder().getFileName(),
                    SessionText.bytes(each.bytes()),
                    each.used(),
                    each.source().isEmpty() ? "unknown source" : PlainText.line(each.source()),
                    each.isUsable() ? "" : ": " + PlainText.line(each.trouble()));
        }
        out.flush();
    }
}
