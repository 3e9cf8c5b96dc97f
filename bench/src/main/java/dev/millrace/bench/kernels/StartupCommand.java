package dev.millrace.bench.kernels;

import dev.millrace.bench.compare.FreshProcess;
import dev.millrace.bench.compare.Pairs;
import dev.millrace.bench.compare.ScratchFolder;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.UsageException;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
            "Ours maps a file of B and multiplies by it; ONNX Runtime opens a model that holds B and runs it.",
            "Both are measured again with an ahead-of-time cache of the JVM, each with one of its own."
        })
final class StartupCommand implements Callable<Integer> {
    private static final int M = 128;
    private static final int K = 768;
    private static final int N = 3072;

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
        UsageException.requireAtLeast(1, "--runs", runs);
        try (var scratch = new ScratchFolder("millrace-startup");
                Arena arena = Arena.ofConfined()) {
            Path weights = scratch.path().resolve("b.bin");
            Path model = scratch.path().resolve("b.onnx");
            Tensor b = new Operands(arena).floats(K, N);
            try (FileChannel file =
                    FileChannel.open(weights, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                file.write(b.segment().asByteBuffer());
            }
            var reference = new ReferenceModel();
            Tensor a = new Operands(arena).floats(M, K);
            reference.output("y", reference.node("MatMul", reference.input("a", a), reference.constant("b", b)));
            Files.write(model, reference.bytes());
            report(weights, model);
        }
        return ExitCode.OK;
    }

    private void report(Path weights, Path model) throws IOException, InterruptedException {
        var ours = new FreshProcess(FirstProduct.class, weights, M, K, N);
        var onnxRuntime = new FreshProcess(FirstOnnxRuntimeProduct.class, model, M, K, N);
        line("from main", ours, onnxRuntime);
        if (!FreshProcess.cachesWork()) {
            spec.commandLine().getOut().println(FreshProcess.NO_CACHES);
            return;
        }
        try (var ourCache = ours.train();
                var referenceCache = onnxRuntime.train()) {
            line("from main, each side with an AOT cache", ourCache.process(), referenceCache.process());
        }
    }

    private void line(String what, FreshProcess ours, FreshProcess onnxRuntime)
            throws IOException, InterruptedException {
        var pairs = new Pairs();
        for (int i = 0; i < runs; i++) {
            pairs.add(ours.millis(), onnxRuntime.millis());
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println("first product %dx%dx%d %s: ours %.1f ms, peer %.1f ms, ratio %.2f"
                .formatted(M, K, N, what, pairs.one(), pairs.other(), pairs.ratio()));
        out.flush();
    }
}
