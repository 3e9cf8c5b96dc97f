package dev.millrace.bench.generate;

import dev.millrace.bench.compare.ProcessMemory;
import dev.millrace.bench.flag.ThreadCounts;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.UsageException;
import dev.millrace.text.ModelFolder;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures text generation. */
@Command(
        name = "generate",
        mixinStandardHelpOptions = true,
        description = {
            "Measures how fast a language model reads prompts and generates tokens, in turns with ONNX Runtime in the"
                    + " same process, whose caches are written in place.",
            "A folder that does not exist is made: a decoder of TinyLlama's shape with random 4-bit weights, 1 GB.",
            "With --gguf, llama.cpp's command llama-bench measures that file in the same turns.",
            "Rates are tokens per second, medians over rounds; a ratio is our rate divided by the other's: more is"
                    + " better."
        })
public final class GenerateBenchCommand implements Callable<Integer> {
    private static final long SEED = 7;
    private static final int FIRST_WORD = 3;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "FOLDER", description = "The folder of a model, or where to make one.")
    private Path folder = Path.of("");

    @Option(
            names = "--prompt",
            paramLabel = "N",
            split = ",",
            description = "Lengths of prompts (default: ${DEFAULT-VALUE}).",
            defaultValue = "128,1024")
    private List<Integer> prompts = new ArrayList<>();

    @Option(
            names = {"-n", "--tokens"},
            paramLabel = "N",
            description = "Tokens behind each prompt (default: ${DEFAULT-VALUE}).",
            defaultValue = "32")
    private int tokens;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description =
                    "Generations of each side that are measured, after one to warm up (default: ${DEFAULT-VALUE}).",
            defaultValue = "3")
    private int rounds;

    @Option(
            names = "--layers",
            paramLabel = "N",
            description = "Layers of a model that is made (default: ${DEFAULT-VALUE}).",
            defaultValue = "22")
    private int layers;

    @Option(names = "--gguf", paramLabel = "FILE", description = "The same model for llama.cpp.")
    private @Nullable Path gguf;

    @Option(
            names = "--llama-bench",
            paramLabel = "COMMAND",
            description = "How llama.cpp's command is called (default: ${DEFAULT-VALUE}).",
            defaultValue = "llama-bench")
    private String llamaBench = "";

    @Mixin
    private ThreadCounts threads = new ThreadCounts();

    @Override
    public Integer call() throws Exception {
        UsageException.requireAtLeast(2, "--tokens", tokens);
        UsageException.requireAtLeast(1, "--rounds", rounds);
        UsageException.requireAtLeast(1, "--layers", layers);
        if (!Files.exists(folder)) {
            DecoderFolder.write(DecoderSize.ofTinyLlama(layers), SEED, folder);
        }
        Path model = Files.isDirectory(folder) && !Files.exists(folder.resolve("tokenizer.json"))
                ? folder.resolve(DecoderFolder.MODEL)
                : ModelFolder.read(folder).model();
        PrintWriter out = spec.commandLine().getOut();
        out.println("%-16s %7s %9s %9s %7s %9s %7s   %s"
                .formatted("tokens/s", "threads", "ours", "ORT", "ratio", "llama.cpp", "ratio", "same tokens"));
        for (int count : threads.get()) {
            measure(model, count, out);
        }
        out.println("resident %d MB at most, both engines together".formatted(ProcessMemory.peakKib() >> 10));
        out.flush();
        return ExitCode.OK;
    }

    private void measure(Path model, int count, PrintWriter out) throws Exception {
        try (var ours = new OurDecoder(model, count, 0);
                var peer = new PeerDecoder(model, count)) {
            for (int length : prompts) {
                UsageException.requireAtLeast(1, "--prompt", length);
                measure(ours, peer, length, count, out);
            }
        }
    }

    private void measure(TimedDecoder ours, TimedDecoder reference, int length, int count, PrintWriter out)
            throws Exception {
        long[] prompt =
                new Random(SEED).longs(length, FIRST_WORD, FIRST_WORD + 1000).toArray();
        var mine = new ArrayList<DecodeTimes>();
        var others = new ArrayList<DecodeTimes>();
        var prefills = new ArrayList<Double>();
        var decodes = new ArrayList<Double>();
        for (int round = 0; round <= rounds; round++) {
            DecodeTimes one = ours.generate(prompt, tokens);
            DecodeTimes other = reference.generate(prompt, tokens);
            if (round > 0) {
                mine.add(one);
                others.add(other);
            }
            if (round > 0 && gguf != null) {
                var llama = new LlamaBench(llamaBench, gguf);
                prefills.add(llama.prefill(count, length));
                decodes.add(llama.decode(count, length, tokens));
            }
        }
        String equal = equal(mine.getFirst(), others.getFirst());
        row(out, "prefill " + length, count, mine, others, times -> times.prefillRate(length), prefills, "");
        row(out, "decode at " + length, count, mine, others, DecodeTimes::decodeRate, decodes, equal);
    }

    /** Returns how many tokens are the same, and how near the other's two best scores are where they part. */
    private static String equal(DecodeTimes ours, DecodeTimes reference) {
        int parts = Arrays.mismatch(ours.ids(), reference.ids());
        int all = reference.ids().length;
        return parts < 0
                ? all + " of " + all
                : "%d of %d, then ORT's two best are %.3f apart"
                        .formatted(parts, all, reference.margins()[parts]);
    }

    private static void row(
            PrintWriter out,
            String name,
            int count,
            List<DecodeTimes> mine,
            List<DecodeTimes> others,
            ToDoubleFunction<DecodeTimes> rate,
            List<Double> third,
            String equal) {
        double ours = median(mine.stream().mapToDouble(rate).toArray());
        double reference = median(others.stream().mapToDouble(rate).toArray());
        double llama = third.isEmpty()
                ? Double.NaN
                : median(third.stream().mapToDouble(Double::doubleValue).toArray());
        out.println("%-16s %7d %9.2f %9.2f %7.2f %9s %7s   %s"
                .formatted(
                        name,
                        count,
                        ours,
                        reference,
                        ours / reference,
                        third.isEmpty() ? "–" : "%.2f".formatted(llama),
                        third.isEmpty() ? "–" : "%.2f".formatted(ours / llama),
                        equal));
        out.flush();
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
