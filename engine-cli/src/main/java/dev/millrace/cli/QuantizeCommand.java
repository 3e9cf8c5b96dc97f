package dev.millrace.cli;

import dev.millrace.cli.io.InputFiles;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.cli.quantize.ModelComparison;
import dev.millrace.cli.quantize.QuantizationJson;
import dev.millrace.cli.quantize.QuantizationText;
import dev.millrace.cli.show.SessionText;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.quantize.ModelQuantizer;
import dev.millrace.graph.quantize.ModelQuantizer.TensorFile;
import dev.millrace.graph.quantize.QuantizeOptions;
import dev.millrace.graph.quantize.QuantizeOptions.Method;
import dev.millrace.graph.quantize.QuantizeReport;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Session;
import dev.millrace.session.ValueInfo;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Quantises the weights of a model. */
@Command(
        name = "quantize",
        mixinStandardHelpOptions = true,
        description = {
            "Quantises the weights of matrix products in a model to 4 or 8 bits, and reports the errors.",
            "Other runtimes that have MatMulNBits or MatMulInteger run the result, too. The model stays as it is."
        })
final class QuantizeCommand implements Callable<Integer> {
    /** Whether blocks have zero points. */
    static final class Range {
        @Option(names = "--symmetric", description = "Give blocks no zero points (the default).")
        private boolean symmetric;

        @Option(names = "--asymmetric", description = "Give each block a zero point: smaller errors, larger files.")
        private boolean asymmetric;
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "MODEL", description = ModelArgument.DESCRIPTION)
    private String model = "";

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT.onnx",
            required = true,
            description = "The quantised model.")
    private Path output = Path.of("");

    @Option(
            names = "--method",
            description = "BLOCKS: scales for each block of weights, products of floats. DYNAMIC: a scale for each"
                    + " column, products of bytes (default: ${DEFAULT-VALUE}).",
            defaultValue = "BLOCKS")
    private Method method = Method.BLOCKS;

    @Option(names = "--bits", paramLabel = "N", description = "4 or 8 (default: 4 in blocks, 8 with DYNAMIC).")
    private @Nullable Integer bits;

    @Option(
            names = "--block",
            paramLabel = "N",
            description = "Weights of a block: 16, 32, 64, 128 or 256 (default: ${DEFAULT-VALUE}).",
            defaultValue = "32")
    private int block;

    @ArgGroup
    private Range range = new Range();

    @Option(
            names = "--accuracy-level",
            paramLabel = "N",
            description = "0 to 4: the attribute of MatMulNBits. 4 lets runtimes round the other operand to bytes"
                    + " (default: ${DEFAULT-VALUE}).",
            defaultValue = "0")
    private int accuracyLevel;

    @Option(
            names = "--no-search",
            description = "Take the scale of each block from its largest weight: faster, with larger errors.")
    private boolean noSearch;

    @Option(names = "--embedding", description = "Quantise the tables of Gather, too.")
    private boolean embedding;

    @Option(names = "--fp16-scales", description = "Store scales in 16 bits where the model computes in 32.")
    private boolean fp16Scales;

    @Option(
            names = "--min-elements",
            paramLabel = "N",
            description = "Keep weights of fewer elements (default: ${DEFAULT-VALUE}).",
            defaultValue = "4096")
    private long minElements;

    @Option(
            names = "--include",
            paramLabel = "PATTERN",
            description = "Quantise only nodes or weights of such names; * is any text, ? a character.")
    private List<String> include = new ArrayList<>();

    @Option(names = "--exclude", paramLabel = "PATTERN", description = "Keep nodes or weights of such names.")
    private List<String> exclude = new ArrayList<>();

    @Option(
            names = "--external-data",
            description = "Whether tensors go to OUT.onnx.data: ${COMPLETION-CANDIDATES}; AUTO does so from 1 GiB on"
                    + " (default: ${DEFAULT-VALUE}).",
            defaultValue = "AUTO")
    private TensorFile externalData = TensorFile.AUTO;

    @Option(
            names = "--compare",
            paramLabel = "N",
            description = "Run both models on so many samples that are made up, and report the differences.",
            defaultValue = "0")
    private int compare;

    @Option(
            names = {"-i", "--input"},
            paramLabel = "NAME=VALUE",
            description = "An input of a sample for the comparison, as 'run' takes it. Others are made up.")
    private List<String> values = new ArrayList<>();

    @Option(
            names = "--samples",
            paramLabel = "FOLDER",
            arity = "1..*",
            description = "Folders with a sample each: NAME.npy or NAME.pb for each input, or input_0.pb and so on.")
    private List<Path> samples = new ArrayList<>();

    @Option(
            names = "--shape",
            paramLabel = "NAME=EXTENTS",
            description = "The shape of an input that is made up, like x=1,3,224,224.")
    private List<String> shapes = new ArrayList<>();

    @Option(names = "--json", description = "Print the report as one JSON object.")
    private boolean json;

    @Option(
            names = "--force",
            description = "Replace OUT.onnx if it exists, and write it even if no weight can be quantised.")
    private boolean force;

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws IOException {
        UsageException.requireAtLeast(0, "--compare", compare);
        ModelArgument argument = ModelArgument.of(model);
        OutputFile.mayBe(output, argument);
        if (Files.exists(output) && !force) {
            throw EngineException.invalidArgument("the output " + output + " exists; --force replaces it");
        }
        var comparison = new ModelComparison();
        QuantizeReport report;
        try (Engine engine = flags.engine()) {
            if (compare > 0 || !values.isEmpty() || !samples.isEmpty()) {
                try (Session session = engine.session(argument.file(), flags.options())) {
                    addSamples(comparison, argument, session.inputs());
                    comparison.runSource(session);
                }
            }
            report = ModelQuantizer.of(quantizeOptions()).quantize(argument.file(), output, externalData, force);
            if (!comparison.isEmpty()) {
                try (Session session = engine.session(output, flags.options())) {
                    comparison.runQuantized(session);
                }
            }
        }
        print(report, comparison);
        return ExitCode.OK;
    }

    private QuantizeOptions quantizeOptions() {
        var builder = QuantizeOptions.builder()
                .method(method)
                .blockSize(block)
                .symmetric(!range.asymmetric)
                .scaleSearch(!noSearch)
                .accuracyLevel(accuracyLevel)
                .embedding(embedding)
                .fp16Scales(fp16Scales)
                .minElements(minElements)
                .include(include)
                .exclude(exclude);
        if (bits != null) {
            builder.bits(bits);
        }
        if (flags.threads() > 0) {
            builder.threads(flags.threads());
        }
        return builder.build();
    }

    private void addSamples(ModelComparison comparison, ModelArgument argument, List<ValueInfo> declared)
            throws IOException {
        for (Path folder : samples) {
            comparison.addSample(ModelComparison.read(folder, declared), declared, maker(argument, 1));
        }
        int made = compare == 0 && !values.isEmpty() ? 1 : compare;
        for (int seed = 1; seed <= made; seed++) {
            Inputs given = InputFiles.read(values, declared);
            comparison.addSample(given, declared, maker(argument, seed));
        }
    }

    private InputMaker maker(ModelArgument argument, long seed) {
        return new InputMaker(argument.known(), ShapeFlag.parse(shapes), seed);
    }

    private void print(QuantizeReport report, ModelComparison comparison) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(QuantizationJson.of(output, report, comparison));
        } else {
            QuantizationText.weights(report, out);
            if (!comparison.isEmpty()) {
                QuantizationText.outputs(comparison, out);
            }
            out.println(output + ", " + SessionText.bytes(Files.size(output)));
        }
        out.flush();
    }
}
