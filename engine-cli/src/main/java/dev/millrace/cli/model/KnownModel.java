package dev.millrace.cli.model;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.session.ValueInfo;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A real model that a package registry carries.
 *
 * @param archive the package: {@code mvn:group:artifact:version} or {@code npm:name@version}
 * @param entry the model in the package
 * @param extras other files of the package that belong to the model
 * @param shapes sensible extents for inputs whose extents are free
 * @param fills how inputs are filled where random numbers in [-1, 1) make no sense
 */
public record KnownModel(
        String name,
        String description,
        String archive,
        Part entry,
        List<Part> extras,
        Map<String, long[]> shapes,
        Map<String, Fill> fills) {

    /**
     * A file of a package, as it was when the model was listed.
     *
     * @param path where it lies in the package
     * @param sha256 the digest of its content, in hex
     */
    public record Part(String path, long bytes, String sha256) {}

    /** Whole numbers from {@code from} up to but not including {@code below}. */
    public record Fill(long from, long below) {
        static Fill constant(long value) {
            return new Fill(value, value + 1);
        }
    }

    /** The file's name in the cache. */
    public String fileName() {
        return name + ".onnx";
    }

    /** Whether these are the inputs that it says something about, and shapes fit. */
    boolean hasInputs(List<ValueInfo> declared) {
        var names = new HashSet<String>(shapes.keySet());
        names.addAll(fills.keySet());
        return names.size() == declared.size()
                && declared.stream().allMatch(info -> names.contains(info.name()) && fits(info));
    }

    private boolean fits(ValueInfo info) {
        long[] liked = shapes.get(info.name());
        SymbolicShape shape = info.type() instanceof ValueType.TensorType type ? type.shape() : null;
        if (liked == null || shape == null) {
            return true;
        }
        return shape.rank() == liked.length
                && IntStream.range(0, liked.length)
                        .allMatch(
                                axis -> !(shape.dim(axis) instanceof Dim.Known known) || known.extent() == liked[axis]);
    }
}
