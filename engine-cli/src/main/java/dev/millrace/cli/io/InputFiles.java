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

/** Inputs from files: {@code .npy}, or {@code .pb} with the ONNX message that the input's type asks for. */
public final class InputFiles {
    private InputFiles() {}

    /** Reads {@code name=file} each; with a single input the name may be left out. */
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
                    .orElseThrow(() -> EngineException.invalidArgument(
                            "'" + argument + "' names no input; write NAME=FILE with one of " + declared));
            inputs.and(name, read(Path.of(argument.substring(equals + 1)), info));
        }
        return inputs;
    }

    private static Datum read(Path file, ValueInfo info) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new EngineException(Status.NO_SUCH_FILE, "there is no input file " + file.toAbsolutePath());
        }
        if (file.toString().endsWith(".npy")) {
            return Npy.read(file);
        }
        if (file.toString().endsWith(".pb")) {
            return readPb(file, info);
        }
        throw EngineException.invalidArgument(file + " is neither a .npy nor a .pb file");
    }

    /** The ONNX message in a file, of the kind that {@code info}'s type asks for. */
    public static Datum readPb(Path file, ValueInfo info) throws IOException {
        MemorySegment bytes = MemorySegment.ofArray(Files.readAllBytes(file));
        return info.type() == null ? Tensors.readTensor(bytes) : Tensors.readDatum(bytes, info.type());
    }
}
