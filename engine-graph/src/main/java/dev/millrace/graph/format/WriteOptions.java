package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import org.jspecify.annotations.Nullable;

/**
 * Options for writing a model: the files that its tensors are written to.
 *
 * @param externalFile the file beside the model that takes initializers, or null where all stay in the model's own file
 * @param externalFrom initializers of so many bytes and more go to the external file
 * @param placement names the initializers that lie elsewhere already, or null where none do
 */
public record WriteOptions(
        @Nullable String externalFile,
        long externalFrom,
        @Nullable TensorPlacement placement) {
    /** The size in bytes from which an initializer is external. Smaller tensors hold shapes more often than weights. */
    private static final long USUAL_THRESHOLD = 1024;

    public WriteOptions {
        if (externalFile != null && !isFileName(externalFile)) {
            throw EngineException.invalidArgument(
                    "'" + externalFile + "' is no file name; external data lies in the model's own folder");
        }
    }

    /** Returns options for one file, which protobuf limits to 2 GB. */
    public static WriteOptions inline() {
        return new WriteOptions(null, 0, null);
    }

    /** Returns options that write initializers of a kilobyte and more to {@code fileName} beside the model. */
    public static WriteOptions externalData(String fileName) {
        return externalData(fileName, USUAL_THRESHOLD);
    }

    /** Returns options that write initializers of {@code fromBytes} and more to {@code fileName} beside the model. */
    public static WriteOptions externalData(String fileName, long fromBytes) {
        return new WriteOptions(fileName, fromBytes, null);
    }

    /**
     * Returns options that refer to initializers where {@code placement} names a place and write the others into the
     * model's own file.
     */
    public static WriteOptions placed(TensorPlacement placement) {
        return new WriteOptions(null, 0, placement);
    }

    private static boolean isFileName(String text) {
        return !text.isEmpty()
                && !text.equals(".")
                && !text.equals("..")
                && text.chars().noneMatch(c -> c == '/' || c == '\\' || c == ':' || c == 0);
    }
}
