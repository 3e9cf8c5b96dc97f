package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.DataListener;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.OpId;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Where a model that is to be compiled comes from. */
public sealed interface ModelInput {
    /** A model file, with its external data beside it. */
    static ModelInput file(Path file) {
        return new File(Failures.given(file, "file"));
    }

    /** A model in memory, which stays as it is until it is compiled. */
    static ModelInput memory(MemorySegment bytes) {
        return new Memory(Failures.given(bytes, "bytes"));
    }

    /** The model in what remains of a buffer, which stays as it is until it is compiled. */
    static ModelInput buffer(ByteBuffer bytes) {
        return memory(MemorySegment.ofBuffer(Failures.given(bytes, "bytes").slice()));
    }

    /** The model that a stream brings, which is read to its end once, when the model is compiled, and stays open. */
    static ModelInput stream(InputStream stream) {
        return new Stream(Failures.given(stream, "stream"));
    }

    /** The model that a channel brings, which is read to its end once, when the model is compiled, and stays open. */
    static ModelInput channel(ReadableByteChannel channel) {
        return stream(Channels.newInputStream(Failures.given(channel, "channel")));
    }

    /** A model that was read or made; compiling it changes its graph. */
    static ModelInput model(Model model) {
        return new Made(Failures.given(model, "model"));
    }

    /**
     * A graph that was made, of ONNX's own operators; compiling it changes it.
     *
     * @param opset that its nodes are of
     */
    static ModelInput graph(Graph graph, int opset) {
        var header = new Model.Header(Made.IR_VERSION, "millrace", "", "", 1, "");
        return model(
                new Model(header, Map.of(OpId.ONNX, opset), Map.of(), Map.of(), Failures.given(graph, "graph"), null));
    }

    /** What messages call it. */
    String describe();

    /** Reads it. */
    Model read(SessionOptions options, DataListener data);

    /** A file. */
    record File(Path file) implements ModelInput {
        @Override
        public String describe() {
            return file.toString();
        }

        @Override
        public Model read(SessionOptions options, DataListener data) {
            if (!Files.exists(file)) {
                throw EngineException.invalidArgument("Input model path does not exist: " + file);
            }
            return Models.read(file, options.fileUse(), data);
        }
    }

    /** Memory. */
    record Memory(MemorySegment bytes) implements ModelInput {
        @Override
        public String describe() {
            return "model from memory";
        }

        @Override
        public Model read(SessionOptions options, DataListener data) {
            if (bytes.byteSize() == 0) {
                throw EngineException.invalidArgument("Buffer for input model data has size 0");
            }
            return Models.read(bytes, options.externalDataFolder(), options.fileUse(), data);
        }
    }

    /** A stream. */
    record Stream(InputStream stream) implements ModelInput {
        @Override
        public String describe() {
            return "model from a stream";
        }

        @Override
        public Model read(SessionOptions options, DataListener data) {
            try {
                return new Memory(MemorySegment.ofArray(stream.readAllBytes())).read(options, data);
            } catch (IOException e) {
                throw new EngineException(Status.FAIL, "the stream of the input model cannot be read: " + e, e);
            }
        }
    }

    /** A model. */
    record Made(Model model) implements ModelInput {
        /** The file format of opset 21, which is read everywhere by now. */
        private static final int IR_VERSION = 10;

        @Override
        public String describe() {
            return "model '" + model.stem() + "'";
        }

        @Override
        public Model read(SessionOptions options, DataListener data) {
            if (model.graph().outputs().isEmpty()) {
                throw EngineException.invalidArgument("a model to compile must have at least one output defined");
            }
            if (model.opsets().isEmpty()) {
                throw EngineException.invalidArgument("a model to compile must specify at least one opset");
            }
            return model;
        }
    }
}
