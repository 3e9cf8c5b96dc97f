package dev.millrace.cli;

import dev.millrace.cli.model.InputMaker;
import dev.millrace.cli.show.GraphPage;
import dev.millrace.cli.show.SessionText;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "MODEL", description = "A model file, or a name that 'models' lists.")
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

    @Option(names = "--no-run", description = "Do not run it once to plan memory.")
    private boolean noRun;

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        ModelArgument argument = ModelArgument.of(model);
        OutputFile.mayBe(html, argument);
        showModel(argument, out);
        out.flush();
        try (Engine engine = flags.engine();
                Session session = engine.session(argument.file(), flags.options())) {
            SessionText.notes(session, out);
            out.println("\nOptimised: " + session.report().optimisation());
            out.println("\nPartitions");
            SessionText.partitionList(session, out);
            out.println("\nCreation");
            SessionText.phases(session, out);
            if (!noRun) {
                showMemory(argument, session, out);
            }
            if (html != null) {
                Files.writeString(html, GraphPage.of(argument.label(), session));
                out.println("\nDrawn: " + html.toAbsolutePath());
            }
        }
        out.flush();
        return ExitCode.OK;
    }

    private static void showModel(ModelArgument argument, PrintWriter out) {
        Model read = Models.read(argument.file());
        out.println(argument.file());
        Model.Header header = read.header();
        out.println(
                "IR " + header.irVersion() + ", producer " + header.producerName() + " " + header.producerVersion());
        read.opsets()
                .forEach((domain, opset) ->
                        out.println("opset " + (domain.equals(OpId.ONNX) ? "ai.onnx" : domain) + " " + opset));
        read.graph().inputs().forEach(input -> out.println("input  " + input));
        List<String> names = read.graph().outputNames();
        for (int i = 0; i < names.size(); i++) {
            out.println("output " + names.get(i) + ": "
                    + read.graph().outputs().get(i).described());
        }
        var operators = new TreeMap<String, Integer>();
        count(read.graph(), operators);
        out.println(
                read.graph().nodeCount() + " nodes, " + read.graph().constants().size() + " initializers");
        operators.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .forEach(entry -> out.printf("  %5d %s%n", entry.getValue(), entry.getKey()));
    }

    private static void count(Graph graph, Map<String, Integer> operators) {
        for (Node node : graph.nodes()) {
            operators.merge(node.op().toString(), 1, Integer::sum);
            node.attributes().graphs().forEach(nested -> count(nested, operators));
        }
    }

    private void showMemory(ModelArgument argument, Session session, PrintWriter out) {
        out.println("\nMemory");
        try {
            var maker = new InputMaker(argument.known(), ShapeFlag.parse(shapes), 1);
            session.run(maker.make(session.inputs())).close();
            SessionText.memory(session, out);
            if (program) {
                SessionText.programs(session, out);
            }
        } catch (EngineException e) {
            out.println("  not planned, the model does not run on inputs of these shapes: " + e.getMessage());
        }
    }
}
