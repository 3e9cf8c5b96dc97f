package dev.millrace.cli;

import dev.millrace.cli.model.InputMaker;
import dev.millrace.cli.show.SessionText;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.PlainText;
import dev.millrace.inspect.GraphPage;
import dev.millrace.inspect.Inspection;
import dev.millrace.inspect.InspectionJson;
import dev.millrace.inspect.ModelFacts;
import dev.millrace.inspect.Profile;
import dev.millrace.inspect.RunTimeline;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what a model is and what the engine makes of it. */
@Command(
        name = "inspect",
        mixinStandardHelpOptions = true,
        description = "Shows a model's inputs, outputs, opsets and operators, how it is shared out, and its memory.")
final class InspectCommand implements Callable<Integer> {
    private static final int MEASURED_RUNS = 5;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "MODEL", description = ModelArgument.DESCRIPTION)
    private String model = "";

    @Option(names = "--html", paramLabel = "FILE", description = "Draw the partitioned graph on a page.")
    private @Nullable Path html;

    @Option(
            names = "--shape",
            paramLabel = "NAME=EXTENTS",
            description = "The shape for which memory is planned, like x=1,3,224,224.")
    private List<String> shapes = new ArrayList<>();

    @Option(names = "--program", description = "Print the programs that partitions became, step by step.")
    private boolean program;

    @Option(names = "--no-run", description = "Do not run it to plan memory and to measure times.")
    private boolean noRun;

    @Option(names = "--json", description = "Print all of it as one JSON object.")
    private boolean json;

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        ModelArgument argument = ModelArgument.of(model);
        OutputFile.mayBe(html, argument);
        ModelFacts facts = ModelFacts.of(argument.file());
        if (!json) {
            SessionText.facts(facts, out);
            out.flush();
        }
        try (Engine engine = flags.engine();
                Session session = engine.session(argument.file(), flags.options())) {
            var profile = new Profile(true);
            var timeline = new RunTimeline();
            String failure = noRun ? "it was not run" : run(argument, session, RunListener.both(profile, timeline));
            var inspection = failure.isEmpty()
                    ? new Inspection(argument.label(), facts, session, profile, timeline)
                    : new Inspection(argument.label(), facts, session, null, null);
            if (json) {
                out.println(InspectionJson.of(inspection, 0));
            } else {
                print(session, failure, out);
            }
            if (html != null) {
                Files.writeString(html, GraphPage.of(inspection));
                if (!json) {
                    out.println("\nDrawn: " + html.toAbsolutePath());
                }
            }
        }
        out.flush();
        return ExitCode.OK;
    }

    /** Runs the model often enough for times that mean something; what keeps it from running, or nothing. */
    private String run(ModelArgument argument, Session session, @Nullable RunListener listener) {
        try {
            Inputs inputs = new InputMaker(argument.known(), ShapeFlag.parse(shapes), 1).make(session.inputs());
            session.run(inputs).close();
            for (int i = 0; i < MEASURED_RUNS && (json || html != null); i++) {
                session.run(inputs, RunOptions.builder().listener(listener).build())
                        .close();
            }
            return "";
        } catch (EngineException e) {
            return "the model does not run on inputs of these shapes: " + e.getMessage();
        }
    }

    private void print(Session session, String failure, PrintWriter out) {
        SessionText.notes(session, out);
        out.println("\nOptimised: " + session.report().optimisation());
        out.println("\nPartitions");
        SessionText.partitionList(session, out);
        out.println("\nCreation");
        SessionText.phases(session, out);
        if (noRun) {
            return;
        }
        out.println("\nMemory");
        if (!failure.isEmpty()) {
            out.println(PlainText.line("  not planned, " + failure));
            return;
        }
        SessionText.memory(session, out);
        if (program) {
            SessionText.programs(session, out);
        }
    }
}
