package dev.millrace.session;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.OpId;
import dev.millrace.session.util.Failures;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.util.Map;

/** The source of a model to compile. */
public sealed interface ModelInput {
    /** Returns a model file, with its external data beside it. */
    static ModelInput file(Path file) {
        return new File(Failures.requireArgument(file, "file"));
    }

    /** Returns a model in memory, which must not change until it is compiled. */
    static ModelInput memory(MemorySegment bytes) {
        return new Memory(Failures.requireArgument(bytes, "bytes"));
    }

    /** Returns the model in the remaining bytes of a buffer, which must not change until it is compiled. */
    static ModelInput buffer(ByteBuffer bytes) {
        return memory(
                MemorySegment.ofBuffer(Failures.requireArgument(bytes, "bytes").slice()));
    }

    /** Returns the model in a stream, which is read to its end once, when the model is compiled, and stays open. */
    static ModelInput stream(InputStream stream) {
        return new Stream(Failures.requireArgument(stream, "stream"));
    }

    /** Returns the model in a channel, which is read to its end once, when the model is compiled, and stays open. */
    static ModelInput channel(ReadableByteChannel channel) {
        return stream(Channels.newInputStream(Failures.requireArgument(channel, "channel")));
    }

    /** Returns a model object; compiling it changes its graph. */
    static ModelInput model(Model model) {
        return new Made(Failures.requireArgument(model, "model"));
    }

    /**
     * Returns a graph of ONNX's own operators; compiling it changes it.
     *
     * @param opset the opset version of its nodes
     */
    static ModelInput graph(Graph graph, int opset) {
        var header = new Model.Header(Made.IR_VERSION, "millrace", "", "", 1, "");
        return model(new Model(
                header, Map.of(OpId.ONNX, opset), Map.of(), Map.of(), Failures.requireArgument(graph, "graph"), null));
    }

    /** A file. */
    record File(Path file) implements ModelInput {}

    /** Memory. */
    record Memory(MemorySegment bytes) implements ModelInput {}

    /** A stream. */
    record Stream(InputStream stream) implements ModelInput {}

    /** A model. */
    record Made(Model model) implements ModelInput {
        /** The file format of opset 21, which is read everywhere by now. */
        private static final int IR_VERSION = 10;
    }
}
