package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.DataListener;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Model;
import dev.millrace.session.ModelInput;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the models that are to be compiled. */
final class InputReader {
    private final SessionOptions options;
    private final DataListener data;

    InputReader(SessionOptions options, DataListener data) {
        this.options = options;
        this.data = data;
    }

    /** Returns the name of an input in messages. */
    static String describe(ModelInput input) {
        return switch (input) {
            case ModelInput.File file -> file.file().toString();
            case ModelInput.Memory _ -> "model from memory";
            case ModelInput.Stream _ -> "model from a stream";
            case ModelInput.Made made -> "model '" + made.model().stem() + "'";
        };
    }

    Model read(ModelInput input) {
        return switch (input) {
            case ModelInput.File file -> read(file.file());
            case ModelInput.Memory memory -> read(memory.bytes());
            case ModelInput.Stream stream -> read(stream.stream());
            case ModelInput.Made made -> checked(made.model());
        };
    }

    private Model read(Path file) {
        if (!Files.exists(file)) {
            throw EngineException.invalidArgument("Input model path does not exist: " + file);
        }
        return Models.read(file, options.externalFiles(), options.fileUse(), data);
    }

    private Model read(MemorySegment bytes) {
        if (bytes.byteSize() == 0) {
            throw EngineException.invalidArgument("Buffer for input model data has size 0");
        }
        return Models.read(bytes, options.externalFiles(), options.fileUse(), data);
    }

    private Model read(InputStream stream) {
        try {
            return read(MemorySegment.ofArray(stream.readAllBytes()));
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "the stream of the input model cannot be read: " + e, e);
        }
    }

    private static Model checked(Model model) {
        if (model.graph().outputs().isEmpty()) {
            throw EngineException.invalidArgument("a model to compile must have at least one output defined");
        }
        if (model.opsets().isEmpty()) {
            throw EngineException.invalidArgument("a model to compile must specify at least one opset");
        }
        return model;
    }
}
