package dev.millrace.bench.kernels;

import dev.millrace.cli.ExitCode;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures how long a fresh process takes to its first product. */
@Command(
        name = "startup",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the first product of a fresh process, from its main method to the answer.",
            "Ours maps a file of B, packs it and multiplies; the peer opens a model that holds B and runs it."
        })
final class StartupCommand implements Callable<Integer> {
    private static final int M = 128;
    private static final int K = 768;
    private static final int N = 3072;
    private static final double MILLI = 1e6;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--runs",
            paramLabel = "N",
            description = "Processes of each side (default: ${DEFAULT-VALUE}).",
            defaultValue = "9")
    private int runs;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (runs < 1) {
            throw EngineException.invalidArgument("--runs is " + runs + "; it is at least 1");
        }
        Path weights = Files.createTempFile("millrace-startup", ".bin");
        Path model = Files.createTempFile("millrace-startup", ".onnx");
        try (Arena arena = Arena.ofConfined()) {
            Tensor b = new Operands(arena).floats(K, N);
            try (FileChannel file = FileChannel.open(weights, StandardOpenOption.WRITE)) {
                file.write(b.segment().asByteBuffer());
            }
            var peer = new PeerModel();
            Tensor a = new Operands(arena).floats(M, K);
            peer.output("y", peer.node("MatMul", peer.input("a", a), peer.constant("b", b)));
            Files.write(model, peer.bytes());
            report(weights, model);
        } finally {
            Files.delete(weights);
            Files.delete(model);
        }
        return ExitCode.OK;
    }

    private void report(Path weights, Path model) throws IOException, InterruptedException {
        List<Double> ours = new ArrayList<>();
        List<Double> theirs = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            ours.add(fork(FirstProduct.class, weights));
            theirs.add(fork(FirstPeerProduct.class, model));
        }
        PrintWriter out = spec.commandLine().getOut();
        double mine = Duel.median(ours);
        double peer = Duel.median(theirs);
        out.println("first product %dx%dx%d from main: ours %.1f ms, peer %.1f ms, ratio %.2f"
                .formatted(M, K, N, mine, peer, peer / mine));
        out.flush();
    }

    /** The milliseconds that a fresh process says it took. */
    private static double fork(Class<?> main, Path file) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName(),
                        file.toString(),
                        Integer.toString(M),
                        Integer.toString(K),
                        Integer.toString(N))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() != 0) {
            throw EngineException.invalidArgument(main.getSimpleName() + " ended with " + process.exitValue());
        }
        return Long.parseLong(said) / MILLI;
    }
}
