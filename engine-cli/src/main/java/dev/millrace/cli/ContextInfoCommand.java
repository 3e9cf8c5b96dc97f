package dev.millrace.cli;

import dev.millrace.cli.show.ContextJson;
import dev.millrace.cli.show.ContextPage;
import dev.millrace.cli.show.ContextText;
import dev.millrace.epcontext.ContextInfo;
import dev.millrace.session.Engine;
import dev.millrace.session.ModelCompatibility;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what a compiled model holds. */
@Command(
        name = "ctx-info",
        mixinStandardHelpOptions = true,
        description = {
            "Shows what a compiled model holds: nodes, graphs, segments, who shares what, and whether it suits this"
                    + " machine.",
            "Exit code 1 where a context binary is missing, damaged or another model's, and where the source is not the"
                    + " one that --source names."
        })
final class ContextInfoCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "MODEL", description = ModelArgument.DESCRIPTION)
    private String model = "";

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Option(names = "--html", paramLabel = "FILE", description = "Draw who shares what on a page.")
    private @Nullable Path html;

    @Option(
            names = "--source",
            paramLabel = "FILE",
            description = "Say whether this is the model that it was made from.")
    private @Nullable Path source;

    @Mixin
    private LibraryFlag libraries = new LibraryFlag();

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        ModelArgument argument = ModelArgument.of(model);
        OutputFile.mayBe(html, argument);
        ContextInfo info = ContextInfo.of(argument.file());
        Boolean same = source == null ? null : info.isOf(source);
        if (json) {
            out.println(ContextJson.of(info, verdicts(argument), same));
        } else {
            ContextText.print(info, verdicts(argument), out);
            if (same != null) {
                out.println((same ? "made from " : "not made from this state of ") + source);
            }
        }
        if (html != null) {
            Files.writeString(html, ContextPage.of(info));
            if (!json) {
                out.println("Drawn: " + html.toAbsolutePath());
            }
        }
        out.flush();
        boolean whole = info.binaries().stream().allMatch(each -> each.trouble().isEmpty());
        return whole && !Boolean.FALSE.equals(same) ? ExitCode.OK : ExitCode.NO;
    }

    private List<ModelCompatibility> verdicts(ModelArgument argument) {
        try (Engine engine = libraries.registeredWith(Engine.create())) {
            return engine.compatibility(argument.file());
        }
    }
}
