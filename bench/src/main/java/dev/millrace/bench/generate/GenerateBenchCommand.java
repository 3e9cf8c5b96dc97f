package dev.millrace.bench.generate;

import dev.millrace.bench.compare.Numbers;
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
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
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

    @Option(
            names = "--conversations",
            paramLabel = "N",
            split = ",",
            description =
                    "Also measure so many conversations at once, such as 1,8,32, and print their tokens per second"
                            + " together.")
    private List<Integer> conversations = new ArrayList<>();

    @Option(
            names = "--history",
            paramLabel = "N",
            split = ",",
            description = "Also measure the time to the first token of 64 new ones behind a history of so many tokens.")
    private List<Integer> histories = new ArrayList<>();

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
            talk(model, count, out);
        }
        out.println("resident %d MB at most, both engines together".formatted(ProcessMemory.peakKib() >> 10));
        out.flush();
        return ExitCode.OK;
    }

    private void measure(Path model, int count, PrintWriter out) throws Exception {
        try (var ours = new OurDecoder(model, count, 0);
                var reference = new OnnxRuntimeDecoder(model, count)) {
            for (int length : prompts) {
                UsageException.requireAtLeast(1, "--prompt", length);
                measure(ours, reference, length, count, out);
            }
        }
    }

    private void talk(Path model, int count, PrintWriter out) {
        if (conversations.isEmpty() && histories.isEmpty()) {
            return;
        }
        try (var talk = new Conversations(model, count)) {
            double first = 0;
            for (int many : conversations) {
                UsageException.requireAtLeast(1, "--conversations", many);
                talk.rate(many, 2);
                double rate = median(() -> talk.rate(many, tokens));
                first = first == 0 ? rate : first;
                out.println("%-16s %7d %9.2f   %.2f times that of the first row"
                        .formatted(many + " together", count, rate, rate / first));
                out.flush();
            }
            for (int history : histories) {
                UsageException.requireAtLeast(1, "--history", history);
                Conversations.Turn turn = talk.turn(history);
                out.println("%-16s %7d %7.2f s   %.2f s without the history"
                        .formatted("turn at " + history, count, turn.behindHistory(), turn.alone()));
                out.flush();
            }
        }
    }

    private double median(DoubleSupplier rate) {
        return Numbers.median(
                IntStream.range(0, rounds).mapToObj(i -> rate.getAsDouble()).toList());
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
        double ours = Numbers.median(mine.stream().map(rate::applyAsDouble).toList());
        double reference =
                Numbers.median(others.stream().map(rate::applyAsDouble).toList());
        double llama = third.isEmpty() ? Double.NaN : Numbers.median(third);
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
}
