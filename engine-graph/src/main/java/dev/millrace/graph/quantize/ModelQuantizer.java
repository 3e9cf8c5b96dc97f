package dev.millrace.graph.quantize;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.DataListener;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphCopier;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.op.StoredConstants;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Quantises the weights of models: constant matrices of MatMul and Gemm and, on request, tables of Gather. The result has
 * operators that ONNX Runtime has, too. Equal models and options give equal bytes. For several threads.
 */
public final class ModelQuantizer {
    /** The key of the model's metadata that names the options. */
    public static final String METADATA_KEY = "millrace.quantization";

    /** The size in bytes from which tensors are written to a file beside the model by default. */
    private static final long LARGE = 1L << 30;

    private static final int NAMED_REASONS = 3;

    private final QuantizeOptions options;

    private ModelQuantizer(QuantizeOptions options) {
        this.options = options;
    }

    public static ModelQuantizer of(QuantizeOptions options) {
        return new ModelQuantizer(options);
    }

    /** A quantised model, with the report on its weights. */
    public record Quantized(Model model, QuantizeReport report) {}

    /** Says whether the tensors of a written model go to a file beside it, named after it with {@code .data}. */
    public enum TensorFile {
        /** Only if they have more than 1 GiB. */
        AUTO,
        ALWAYS,
        NEVER
    }

    /** Returns a quantised copy of {@code model}, which stays as it is. Tensors that were not quantised are shared. */
    public Quantized quantize(Model model) {
        return quantize(model, TensorStore.IN_MEMORY);
    }

    /**
     * Quantises the model in {@code source} and writes the result. Besides the pages of the source, only one weight is in
     * memory at a time. An existing target is replaced when all is written. If this fails, nothing is left behind.
     *
     * @param evenIfUnchanged whether a model without a weight to quantise is written, rather than refused
     */
    public QuantizeReport quantize(Path source, Path target, TensorFile external, boolean evenIfUnchanged) {
        var files = new ArrayList<Path>(List.of(source));
        Model model = Models.read(source, FileUse.MAP, new DataListener() {
            @Override
            public void opened(Path file) {
                files.add(file);
            }
        });
        String dataName = target.getFileName() + ".data";
        Path mark = target.resolveSibling(target.getFileName() + "." + UUID.randomUUID() + ".tmp");
        if (Files.isDirectory(target)) {
            throw EngineException.invalidArgument("the output " + target + " is a folder");
        }
        try {
            refuseSource(files, target);
            try (SpillFile spill = new SpillFile(mark)) {
                Quantized made = quantize(model, spill);
                if (made.report().weights().isEmpty() && !evenIfUnchanged) {
                    throw nothing(made.report());
                }
                boolean isExternal = external == TensorFile.ALWAYS
                        || external == TensorFile.AUTO && made.report().bytesAfter() > LARGE;
                if (isExternal) {
                    refuseSource(files, target.resolveSibling(dataName));
                }
                Models.write(
                        made.model(), target, isExternal ? WriteOptions.externalData(dataName) : WriteOptions.inline());
                return made.report();
            }
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "model " + target + " cannot be written: " + e, e);
        }
    }

    private static void refuseSource(List<Path> files, Path target) throws IOException {
        for (Path file : files) {
            if (Files.exists(target) && Files.isSameFile(file, target)) {
                throw EngineException.invalidArgument(
                        "the output " + target + " is a file of the model itself; name another one");
            }
        }
    }

    private Quantized quantize(Model model, TensorStore store) {
        Graph graph = GraphCopier.copy(model.graph(), null);
        StoredConstants.over(graph);
        QuantizeReport report;
        try (Workers workers = new Workers(options.threads())) {
            report = new GraphQuantizer(options, new MatrixQuantizer(options, store, workers)).quantize(graph);
        }
        MappedFile.check(model.mapped());
        Model made = model.with(graph);
        if (!report.weights().isEmpty()) {
            var metadata = new LinkedHashMap<>(model.metadata());
            metadata.put(METADATA_KEY, options.summary());
            made = made.withMetadata(metadata);
        }
        return new Quantized(made, report);
    }

    private static EngineException nothing(QuantizeReport report) {
        Map<String, Long> reasons = report.kept().stream()
                .collect(Collectors.groupingBy(QuantizeReport.Kept::reason, LinkedHashMap::new, Collectors.counting()));
        String named = reasons.entrySet().stream()
                .limit(NAMED_REASONS)
                .map(each -> each.getKey() + " (" + each.getValue() + "×)")
                .collect(Collectors.joining("; "));
        return EngineException.invalidArgument("no weight can be quantised: "
                + (named.isEmpty() ? "the model has no constant matrix of floats" : "of weights, " + named));
    }
}
