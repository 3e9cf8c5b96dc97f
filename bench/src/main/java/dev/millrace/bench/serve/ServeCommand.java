package dev.millrace.bench.serve;

import dev.millrace.cli.ExitCode;
import dev.millrace.cli.Progress;
import dev.millrace.cli.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures a service: many clients of many sessions, a light model beside a heavy one, models replaced under load. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        description = {
            "Serves many clients from many sessions, in turns with ONNX Runtime's Java package.",
            "Each side has processes of its own; ONNX Runtime's sessions are as they are by default, and then with"
                    + " one pool of threads that they share.",
            "A client asks again as soon as it has its answer; ONNX Runtime's runs block, and each of its clients"
                    + " has a thread.",
            "Prints answers per second, failed requests, the least index of fairness among the clients of a model"
                + " (Jain's: 1 where all get as much), memory after a tenth, half and all of the time, what of it is"
                + " beside the heap, the peak, and the 95th percentile of the light model's answers alone and beside a"
                + " heavy model with a tenth of the clients.",
            "Then models are replaced under the same load, on our side alone."
        })
public final class ServeCommand implements Callable<Integer> {
    private static final int LIGHT_PART = 4;
    private static final int HEAVY_CLIENTS = 10;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--models",
            paramLabel = "MODEL",
            split = ",",
            description = "Files, or names that 'models' lists; the first is the light one, the last the heavy one"
                    + " (default: ${DEFAULT-VALUE}).",
            defaultValue = "silero-vad,ppocr-cls,blazeface,speech-embedding,ppocr-rec,minilm")
    private List<String> models = new ArrayList<>();

    @Option(
            names = "--copies",
            paramLabel = "N",
            description = "Sessions of each model (default: ${DEFAULT-VALUE}).",
            defaultValue = "4")
    private int copies;

    @Option(
            names = "--clients",
            paramLabel = "N",
            description = "Clients that ask at once (default: ${DEFAULT-VALUE}).",
            defaultValue = "200")
    private int clients;

    @Option(
            names = "--peer-callers",
            paramLabel = "N",
            description = "Threads that call ONNX Runtime, where its clients shall wait for one (default: one each).",
            defaultValue = "0")
    private int callers;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "How long a process serves in a round, after a quarter of that to get warm (default:"
                    + " ${DEFAULT-VALUE}).",
            defaultValue = "60")
    private double seconds;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often each side has its turn; figures are medians; 0 for replacements alone (default:"
                    + " ${DEFAULT-VALUE}).",
            defaultValue = "3")
    private int rounds;

    @Option(
            names = "--replacements",
            paramLabel = "N",
            description = "How often a session is replaced under load; 0 for never (default: ${DEFAULT-VALUE}).",
            defaultValue = "100")
    private int replacements;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Threads of our engine and of ONNX Runtime's shared pool; by default as many as each takes.",
            defaultValue = "0")
    private int threads;

    @Option(names = "--no-peer", description = "Measure our side alone.")
    private boolean alone;

    @Option(names = "--markdown", description = "Print the tables in Markdown.")
    private boolean markdown;

    @Option(names = "--csv", paramLabel = "FILE", description = "Write a row for each turn as comma-separated values.")
    private @Nullable Path csv;

    @Override
    public Integer call() throws Exception {
        UsageException.requireAtLeast(1, "--clients", clients);
        UsageException.requireAtLeast(1, "--copies", copies);
        UsageException.requireAtLeast(0, "--rounds", rounds);
        UsageException.requireAtLeast(0, "--threads", threads);
        UsageException.requireAtLeast(0, "--peer-callers", callers);
        UsageException.requireAtLeast(0, "--replacements", replacements);
        if (!(seconds > 0)) {
            throw new UsageException("--seconds is more than 0");
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println("%d sessions of %d models, %d clients, %d rounds of %.0f seconds for each side%n"
                .formatted(copies * models.size(), models.size(), clients, rounds, seconds));
        out.flush();
        List<ServeSide> sides = alone ? List.of(ServeSide.OURS) : List.of(ServeSide.values());
        var turns = new ArrayList<Turn>();
        ReplacingFigures replaced = null;
        long steps = (long) rounds * sides.size() + (replacements > 0 ? 1 : 0);
        try (var served = ServedModels.of(models);
                var progress = Progress.of("serving", steps)) {
            for (int round = 1; round <= rounds; round++) {
                for (ServeSide side : sides) {
                    turns.add(new Turn(
                            round,
                            side,
                            LoadFigures.of(orders(side, served.files())),
                            LightFigures.of(lightAndHeavy(side, served.files()))));
                    write(turns);
                    progress.step();
                }
            }
            if (replacements > 0) {
                replaced = ReplacingFigures.of(orders(ServeSide.OURS, served.files()), replacements);
                progress.step();
            }
        }
        new ServeTable(turns, models, replaced, markdown).print(out);
        out.flush();
        boolean good =
                turns.stream().filter(turn -> turn.side() == ServeSide.OURS).allMatch(Turn::isGood)
                        && (replaced == null || replaced.failures() == 0);
        return good ? ExitCode.OK : ExitCode.NO;
    }

    private Orders orders(ServeSide side, List<ServedFiles> files) {
        return new Orders(side, seconds, clients, copies, callers == 0 ? clients : callers, threads, files);
    }

    private Orders lightAndHeavy(ServeSide side, List<ServedFiles> files) {
        List<ServedFiles> two = List.of(files.getFirst(), files.getLast());
        int heavy = Math.max(1, clients / HEAVY_CLIENTS);
        return new Orders(side, seconds / LIGHT_PART, heavy, 1, callers == 0 ? heavy + 1 : callers, threads, two);
    }

    /** After each turn, so that what is cut short leaves what it has. */
    private void write(List<Turn> turns) throws IOException {
        if (csv != null) {
            Files.writeString(csv, Turn.csv(turns, models));
        }
    }
}
