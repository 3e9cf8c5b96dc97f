package dev.millrace.graph.ir;

import dev.millrace.graph.MappedFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A model: a graph with its opsets, metadata, functions and origin.
 *
 * @param opsets the opset of each domain that is imported; the key of ONNX's own is the empty string
 * @param functions model-local functions, as read; a graph that was {@linkplain FunctionInliner inlined} needs none
 * @param source the file that it was read from, or null for a model from memory
 * @param notes assumptions that the reader made where the file leaves something out, a sentence each
 * @param mapped watched files that hold its tensors, to be checked after the tensors were used
 * @param training the file's training information, a message each, unchanged
 */
public record Model(
        Header header,
        Map<String, Integer> opsets,
        Map<String, String> metadata,
        Map<Function.Id, Function> functions,
        Graph graph,
        @Nullable Path source,
        List<String> notes,
        List<MappedFile> mapped,
        List<MemorySegment> training) {

    /** The descriptive fields of the file. */
    public record Header(
            long irVersion,
            String producerName,
            String producerVersion,
            String domain,
            long modelVersion,
            DocString documentation) {

        public Header(
                long irVersion,
                String producerName,
                String producerVersion,
                String domain,
                long modelVersion,
                String documentation) {
            this(irVersion, producerName, producerVersion, domain, modelVersion, DocString.of(documentation));
        }
    }

    public Model {
        opsets = Collections.unmodifiableMap(new LinkedHashMap<>(opsets));
        metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
        functions = Collections.unmodifiableMap(new LinkedHashMap<>(functions));
        notes = List.copyOf(notes);
        mapped = List.copyOf(mapped);
        training = List.copyOf(training);
    }

    /** Creates a model without notes, mapped files and training information. */
    public Model(
            Header header,
            Map<String, Integer> opsets,
            Map<String, String> metadata,
            Map<Function.Id, Function> functions,
            Graph graph,
            @Nullable Path source) {
        this(header, opsets, metadata, functions, graph, source, List.of(), List.of(), List.of());
    }

    public Model with(Graph otherGraph) {
        return new Model(header, opsets, metadata, functions, otherGraph, source, notes, mapped, training);
    }

    public Model withMetadata(Map<String, String> otherMetadata) {
        return new Model(header, opsets, otherMetadata, functions, graph, source, notes, mapped, training);
    }

    public Model withMapped(List<MappedFile> files) {
        return new Model(header, opsets, metadata, functions, graph, source, notes, files, training);
    }

    /** Returns this model with the training information of {@code other}. */
    public Model trainedLike(Model other) {
        return new Model(header, opsets, metadata, functions, graph, source, notes, mapped, other.training);
    }

    /** The opset of ONNX's own operators; 1 where the model does not import one. */
    public int onnxOpset() {
        return opsets.getOrDefault(OpId.ONNX, 1);
    }

    /** The file's name without its extension, or {@code model}; a name for things made from this model. */
    public String stem() {
        Path file = source == null ? null : source.getFileName();
        if (file == null) {
            return "model";
        }
        String text = file.toString();
        int dot = text.lastIndexOf('.');
        return dot > 0 ? text.substring(0, dot) : text;
    }
}
