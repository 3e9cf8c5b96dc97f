package dev.millrace.cli.quantize;

import dev.millrace.cli.io.InputFiles;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.ValueInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Runs a model and its quantised form on the same inputs, one after the other, and compares the results. */
public final class ModelComparison {
    private static final Pattern NUMBERED = Pattern.compile("input_(\\d+)");

    private final List<Inputs> samples = new ArrayList<>();
    private final List<Map<String, Tensor>> expected = new ArrayList<>();
    private final Map<String, OutputError> errors = new LinkedHashMap<>();

    /** Adds a sample; {@code maker} makes the inputs that {@code given} lacks. */
    public void addSample(Inputs given, List<ValueInfo> declared, InputMaker maker) {
        maker.make(declared, given).asMap().forEach(given::and);
        samples.add(given);
    }

    /** Reads the inputs in a folder: files {@code NAME.npy} or {@code NAME.pb}, or {@code input_0.pb} and so on. */
    public static Inputs read(Path folder, List<ValueInfo> declared) throws IOException {
        var arguments = new ArrayList<String>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(".npy") || name.endsWith(".pb")) {
                    String input = input(name.substring(0, name.lastIndexOf('.')), declared);
                    if (!input.isEmpty()) {
                        arguments.add(input + "=" + file);
                    }
                }
            }
        }
        if (arguments.isEmpty()) {
            throw EngineException.invalidArgument(
                    "folder " + folder + " has no file NAME.npy or NAME.pb for any of " + declared);
        }
        return InputFiles.read(arguments, declared);
    }

    /** Returns the input that a file is for, or an empty text where it is for none. */
    private static String input(String stem, List<ValueInfo> declared) {
        if (declared.stream().anyMatch(info -> info.name().equals(stem))) {
            return stem;
        }
        Matcher numbered = NUMBERED.matcher(stem);
        int index = numbered.matches() ? Integer.parseInt(numbered.group(1)) : declared.size();
        return index < declared.size() ? declared.get(index).name() : "";
    }

    public boolean isEmpty() {
        return samples.isEmpty();
    }

    /** Runs the source and keeps copies of its results. */
    public void runSource(Session session) {
        for (Inputs sample : samples) {
            try (Outputs outputs = session.run(sample)) {
                var copies = new LinkedHashMap<String, Tensor>();
                outputs.asMap().forEach((name, value) -> {
                    if (isNumeric(value)) {
                        copies.put(name, Tensor.copyOf((Tensor) value));
                    }
                });
                expected.add(copies);
            }
        }
    }

    /** Runs the quantised model and compares its results with those of the source. */
    public void runQuantized(Session session) {
        for (int i = 0; i < samples.size(); i++) {
            try (Outputs outputs = session.run(samples.get(i))) {
                expected.get(i).forEach((name, tensor) -> {
                    if (outputs.datum(name) instanceof Tensor actual) {
                        errors.computeIfAbsent(name, OutputError::new).add(tensor, actual);
                    }
                });
            }
        }
    }

    private static boolean isNumeric(Datum value) {
        return value instanceof Tensor tensor
                && (tensor.type().isFloating() || tensor.type().isInteger() || tensor.type() == ElementType.BOOL);
    }

    /** The number of samples. */
    public int samples() {
        return samples.size();
    }

    /** The differences of each output that is a tensor of numbers. */
    public List<OutputError> errors() {
        return List.copyOf(errors.values());
    }
}
