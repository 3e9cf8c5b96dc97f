package dev.millrace.cli.io;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Tensors;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Inputs from the command line: values, or files; {@code .npy}, or {@code .pb} with the ONNX message that the input's type
 * asks for.
 */
public final class InputFiles {
    private InputFiles() {}

    /** Reads {@code name=value} or {@code name=file} each; with a single input the name may be left out. */
    public static Inputs read(List<String> arguments, List<ValueInfo> declared) throws IOException {
        var inputs = Inputs.empty();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            String name = equals > 0
                    ? argument.substring(0, equals)
                    : declared.size() == 1 ? declared.getFirst().name() : "";
            ValueInfo info = declared.stream()
                    .filter(candidate -> candidate.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> EngineException.invalidArgument("'" + argument
                            + "' names no input; write NAME=VALUE or NAME=FILE with one of " + declared));
            inputs.and(name, valueOrFile(argument.substring(equals + 1), info));
        }
        return inputs;
    }

    private static Datum valueOrFile(String text, ValueInfo info) throws IOException {
        if (!text.endsWith(".npy") && !text.endsWith(".pb")) {
            return InputValues.read(text, info);
        }
        Path file = Path.of(text);
        if (!Files.isRegularFile(file)) {
            throw new EngineException(Status.NO_SUCH_FILE, "there is no input file " + file.toAbsolutePath());
        }
        return text.endsWith(".npy") ? Npy.read(file) : readPb(file, info);
    }

    /** The ONNX message in a file, of the kind that {@code info}'s type asks for. */
    public static Datum readPb(Path file, ValueInfo info) throws IOException {
        MemorySegment bytes = MemorySegment.ofArray(Files.readAllBytes(file));
        return info.type() == null ? Tensors.readTensor(bytes) : Tensors.readDatum(bytes, info.type());
    }
}
