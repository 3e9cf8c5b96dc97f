package dev.millrace.cli.model;

import java.util.List;
import java.util.Map;

/**
 * A real model that a package registry carries.
 *
 * @param archive the package: {@code maven:group:artifact:version} or {@code npm:name@version}
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
}
